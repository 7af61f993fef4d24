"""Settings: what may be set, that each key is read, and which source comes first."""

from __future__ import annotations

import argparse
import importlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import registry
from node.habits import OwnPreset
from node.language import CODES, language
from tests.tools.running import busso
from tools.arguments import make_parser, table_rules
from tools.errors import ExitCode, UnusableFile
from tools.keys import KEYS, Key
from tools.output import Output
from tools.person import keep_name, player_name
from tools.screen import theme_name
from tools.settings import GAMES, MAX_FILE, Settings, config_file, load, read, template
from tools.verbs import HIDDEN, VERBS

PATH = Path("config.toml")


def write(text: str | bytes) -> Path:
    path = config_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def parsed(*argv: str) -> argparse.Namespace:
    """The command line as it is understood with the settings of the file."""
    return make_parser(load().defaults({})).parse_args(argv)


def actions(verb: str) -> set[str]:
    subparsers = next(a for a in make_parser()._actions if isinstance(a.choices, dict))
    assert isinstance(subparsers.choices, dict)
    return {action.dest for action in subparsers.choices[verb]._actions}


# -- keys -----------------------------------------------------------------------------------------


def test_every_key_is_read_by_something() -> None:
    for key in KEYS:
        if key.name == "name":
            continue  # by player_name, see below
        assert any(key.dest in actions(verb) for verb in VERBS if verb not in (*HIDDEN, *key.skip))


def test_the_games_are_the_registrys() -> None:
    assert tuple(registry.GAMES) == GAMES
    assert GAMES[0] == registry.DEFAULT


@pytest.mark.parametrize("code", CODES)
def test_the_default_file_sets_nothing_and_explains_every_key(code: str) -> None:
    text = template(language(code))
    assert read(text, PATH) == Settings({}, {}, {}, PATH)
    assert max(map(len, text.splitlines())) <= 100
    spoken = " ".join(line.removeprefix("# ") for line in text.splitlines())
    for key in KEYS:
        assert language(code).text(key.text)[1:] in spoken
    bare = re.sub(r"^# (\[.*\]|[a-z]+ = \S+)$", r"\1", text, flags=re.MULTILINE)
    settings = read(bare, PATH)
    assert settings.values == {key.name: key.example for key in KEYS}
    assert settings.presets == {"petrangola": "emilia", "picchetto": "rubicone"}
    assert 0 not in settings.lines.values()
    for name, line in settings.lines.items():
        at = bare.splitlines()[line - 1]
        assert at.startswith(f"{name.rpartition('.')[2]} = ") or at == f"[{name}]"
    assert settings.own == (OwnPreset("casa", "petrangola", "marche", (("tokens", "5"),)),)
    assert settings.habits().usual == tuple(settings.presets.items())


@pytest.mark.parametrize("known", [key for key in KEYS if key.name != "name"], ids=lambda k: k.name)
def test_what_is_set_is_the_default(known: Key) -> None:
    table, _, name = known.name.rpartition(".")
    bare = f"[{table}]\n" if table else ""
    example = next(line for line in template().splitlines() if line.startswith(f"# {name} = "))
    write(bare + example[2:])
    verb = next(v for v in VERBS if known.dest in actions(v) and v not in (*HIDDEN, *known.skip))
    words = [verb, *(["petrangola", "2d"] if verb == "score" else [])]
    assert getattr(parsed(*words), known.dest) == known.example
    assert getattr(make_parser().parse_args(words), known.dest) != known.example


def test_a_flag_that_says_the_default_comes_before_the_file() -> None:
    write('language = "it"\npatience = 60\n[bots]\nlevel = "hard"\nthink = 9\n')
    args = parsed("host", "--level", "medium", "--lang", "en", "--patience", "120")
    assert (args.level, args.lang, args.patience, args.think) == ("medium", "en", 120, 9)
    assert parsed("--lang", "en", "host").lang == "en"


def test_some_verbs_do_not_take_a_setting() -> None:
    write('[bots]\nlevel = "hard"\nthink = 9\n')
    assert parsed("bench", "bots").think == 0.1
    node = parsed("node", "--name", "Ada", "--folder", "x")
    assert (node.level, node.think) == ("medium", 1.0)


# -- the command line -----------------------------------------------------------------------------


Held = tuple[argparse.Namespace, Output]


def ran(monkeypatch: pytest.MonkeyPatch, *argv: str, verb: str = "score") -> Held:
    """What a verb is handed."""
    held: list[Held] = []

    def run(args: argparse.Namespace, out: Output) -> int:
        held.append((args, out))
        return 0

    monkeypatch.setattr(importlib.import_module(f"tools.{verb}"), "run", run)
    words = ("petrangola", "2d 2c 2s") if verb == "score" else ()
    said = busso(verb, *argv, *words, terminal=True)
    assert (said.code, said.err) == (0, "")
    return held[0]


@dataclass(frozen=True)
class Order:
    """A key with four different sources (where it has them), and what holds in the end: for none
    of them, for the file, for the environment too, for the flag too."""

    key: str
    verb: str
    found: Callable[[Held], object]
    file: str
    environment: str
    flag: tuple[str, ...]
    wanted: tuple[object, ...]


def argument(name: str) -> Callable[[Held], object]:
    return lambda held: getattr(held[0], name)


def look(held: Held) -> object:
    return str(theme_name(held[1], held[0].theme, os.environ))


ORDER = [
    Order("language", "score", lambda held: held[1].speech.code, '"it"', "en", ("--lang", "it"),
          ("en", "it", "en", "it")),
    Order("name", "play", lambda held: player_name(held[0].name), '"Filippa"', "Enza",
          ("--name", "Ada"), ("Kept", "Filippa", "Enza", "Ada")),
    Order("theme", "play", look, '"light"', "safe", ("--theme", "none"),
          ("dark", "light", "safe", "none")),
    Order("bell", "host", argument("bell"), "false", "", ("--bell",), (True, False, True)),
    Order("plain", "score", lambda held: held[1].plain, "true", "", ("--no-plain",),
          (False, True, False)),
    Order("ascii", "score", lambda held: held[1].ascii, "true", "", ("--no-ascii",),
          (False, True, False)),
    Order("colour", "score", lambda held: held[1].colour, "true", "1", ("--color",),
          (True, True, False, True)),
    Order("interface", "join", argument("iface"), '"eth0"', "", ("--iface", "wlan0"),
          (None, "eth0", "wlan0")),
    Order("patience", "host", argument("patience"), "60", "", ("--patience", "7"), (0, 60, 7)),
    Order("timer", "host", argument("timer"), "60", "", ("--timer", "7"), (0, 60, 7)),
    Order("bots.level", "play", argument("level"), '"hard"', "", ("--level", "easy"),
          ("medium", "hard", "easy")),
    Order("bots.think", "play", argument("think"), "9", "", ("--think", "2"), (1, 9, 2)),
    Order("presets.petrangola", "score", argument("preset"), '"emilia"', "",
          ("--preset", "pagat"), (None, "emilia", "pagat")),
]  # fmt: skip


def test_every_key_has_its_order() -> None:
    assert {order.key for order in ORDER} == {*(key.name for key in KEYS), "presets.petrangola"}


@pytest.mark.parametrize("order", ORDER, ids=lambda order: order.key)
def test_flags_before_environment_before_file_before_default(
    monkeypatch: pytest.MonkeyPatch, order: Order
) -> None:
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    keep_name("Kept")

    def held(*flag: str) -> object:
        return order.found(ran(monkeypatch, *flag, verb=order.verb))

    found = [held()]
    table, _, name = order.key.rpartition(".")
    write((f"[{table}]\n" if table else "") + f"{name} = {order.file}\n")
    found.append(held())
    key = next((key for key in KEYS if key.name == order.key), None)
    if key is not None and key.environment:
        monkeypatch.setenv(key.environment, order.environment)
        found.append(held())
    found.append(held(*order.flag))
    assert tuple(found) == order.wanted


def test_a_language_that_there_is_not_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUSSO_LANG", "de")
    said = busso("score", "petrangola", "2d 2c 2s")
    assert (said.code, "BUSSO_LANG=de" in said.complaint()) == (ExitCode.USAGE, True)
    assert busso("--help").code == 0


@pytest.mark.parametrize("argv", [("--help",), ("play", "--help"), ("config", "--help"), ()])
def test_help_comes_in_the_language_of_the_file(
    monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...]
) -> None:
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    assert busso(*argv).out.startswith("usage: busso ")
    write('language = "it"\n')
    assert busso(*argv).out.startswith("uso: busso ")
    assert busso("--lang", "en", *argv).out.startswith("usage: busso ")
    monkeypatch.setenv("BUSSO_LANG", "en")
    assert busso(*argv).out.startswith("usage: busso ")


@pytest.mark.parametrize(
    ("argv", "italian"),
    [
        (("frob",), "non c'è il verbo 'frob'"),
        (("play", "--frob"), "argomenti sconosciuti: --frob. busso play --help"),
        (("demo", "--players", "1"), "ci vuole un numero intero da 2 a 64"),
        (("verify", "nowhere.busso"), "non si può leggere"),
    ],
)
def test_complaints_come_in_the_language_of_the_file(
    monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...], italian: str
) -> None:
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    assert italian not in busso(*argv).complaint()
    write('language = "it"\n')
    assert italian in busso(*argv).complaint()


def test_help_keeps_to_ascii_where_the_file_or_a_flag_says_so() -> None:
    assert not busso("--help", "--lang", "it").out.isascii()
    assert busso("--help", "--lang", "it", "--ascii").out.isascii()
    write("ascii = true")
    assert busso("--help", "--lang", "it").out.isascii()


def test_what_is_set_holds_for_busso_config_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    write('language = "it"\nascii = true\n')
    said = busso("config").out
    assert said.isascii()
    assert re.search(r'language +"it" +riga 1$', said, re.MULTILINE)


def test_colours_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ran(monkeypatch)[1].colour
    write("colour = false\n")
    assert not ran(monkeypatch)[1].colour
    write("colour = true\n")
    assert ran(monkeypatch)[1].colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert not ran(monkeypatch)[1].colour


def test_the_theme_of_the_environment_comes_first() -> None:
    write('theme = "light"\n')
    assert parsed("play").theme == "light"
    assert load().defaults({"BUSSO_THEME": "safe"}) == {}  # which tools.screen reads itself


def test_a_game_may_have_its_preset(monkeypatch: pytest.MonkeyPatch) -> None:
    write('[presets]\npetrangola = "emilia"\n')
    # By emilia's rules the tris is best, by marche's the scala.
    hands = ("2d 2c 2s", "Rd Cd Fd", "-q")
    assert "   1  2d 2c 2s" in busso("score", "petrangola", *hands).out
    assert "   1  Rd Cd Fd" in busso("score", "petrangola", "--preset", "marche", *hands).out
    assert ran(monkeypatch)[0].preset == "emilia"
    assert ran(monkeypatch, "--preset", "marche")[0].preset == "marche"


CASA = """\
[presets]
petrangola = "casa"
[presets.casa]
game = "petrangola"
like = "emilia"
tokens = 5
max_rounds = 3
[presets.corta]
game = "briscola"
games = 1
"""


@pytest.mark.parametrize(
    ("argv", "preset", "options"),
    [
        ((), "emilia", [("tokens", "5"), ("max_rounds", "3")]),
        (("--preset", "casa"), "emilia", [("tokens", "5"), ("max_rounds", "3")]),
        (("--option", "tokens=2"), "emilia", [("max_rounds", "3"), ("tokens", "2")]),
        (("--preset", "marche"), "marche", []),
        (("--preset", "marche", "--option", "tokens=2"), "marche", [("tokens", "2")]),
    ],
)
def test_house_rules_of_ones_own_become_options_of_built_in_ones(
    monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...], preset: str, options: object
) -> None:
    write(CASA)
    args, _ = ran(monkeypatch, *argv)
    assert (args.preset, args.options) == (preset, options)
    game, made = table_rules(args)
    assert game.name == "petrangola"
    assert made.tokens == int(dict(args.options).get("tokens", made.tokens))


def test_house_rules_of_ones_own_are_those_of_one_game() -> None:
    write(CASA)
    said = busso("score", "briscola", "--preset", "casa", "Ac")
    assert said.code == ExitCode.USAGE
    assert "Briscola has no preset 'casa'; there are: classic, corta" in said.complaint()
    assert busso("score", "briscola", "--preset", "corta", "Ac").code == 0


def test_house_rules_of_ones_own_are_told() -> None:
    write(CASA)
    rules = busso("rules", "petrangola").out
    assert "casa (yours), played unless you say otherwise: as emilia, but tokens = 5" in rules
    assert "corta" not in rules
    assert "corta (yours): as classic, but games = 1" in busso("rules", "briscola").out
    shown = busso("config").out
    assert 'presets.casa: game = "petrangola", like = "emilia", tokens = 5, max_rounds = 3' in shown
    own = busso("config", "--json").json()["own"]
    assert own["casa"] == {
        "game": "petrangola",
        "like": "emilia",
        "options": {"tokens": "5", "max_rounds": "3"},
    }
    assert own["corta"]["like"] is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[presets.casa]\ngame = "petrangola"\nlike = "umbria"\n', "petrangola has no preset"),
        ('[presets.casa]\ngame = "petrangola"\ntokns = 3\n', "line 1: there is no option 'tokns'"),
        ('[presets.casa]\ngame = "petrangola"\ntokens = 99\n', "line 1: tokens must be"),
        ('[presets.casa]\ngame = "petrangola"\ntokens = true\n', "line 1: tokens must be"),
        ('[presets.marche]\ngame = "petrangola"\n', "has a preset 'marche' already"),
    ],
)  # fmt: skip
def test_house_rules_that_cannot_be_are_told_where_they_are_needed(
    text: str, complaint: str
) -> None:
    name = text.split("]", maxsplit=1)[0].partition(".")[2]
    write(text)
    for argv in (("config",), ("score", "petrangola", "--preset", name, "2d 2c 2s")):
        said = busso(*argv)
        assert said.code == ExitCode.UNREADABLE
        assert complaint in said.complaint()
    assert busso("score", "briscola", "Ac").code == 0


def test_a_kept_name_that_another_comes_before_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "comes before" not in busso("id", "name", "Kept").out
    write('name = "Zoe"\n')
    said = busso("id", "name", "Kept").out
    assert "You play as Zoe from now on." in said
    assert "That is what config.toml says, which comes before the name Kept." in said
    monkeypatch.setenv("BUSSO_NAME", "Env")
    assert "That is what BUSSO_NAME says" in busso("id", "name", "Kept").out


# -- what is wrong --------------------------------------------------------------------------------

WRONG = [
    ("tokens = 3\n", "line 1: there is no key 'tokens'"),
    ('\n# x\nlanguage = "de"\n', 'line 3: language must be one of "it", "en"'),
    ("language = true\n", "line 1: language must be"),
    ("plain = 1\n", "line 1: plain must be true or false"),
    ('plain = "true"\n', "line 1: plain must be true or false"),
    ("patience = 0\n", "line 1: patience must be a whole number from 1 to 86400"),
    ("patience = 1.0\n", "line 1: patience"),
    ("patience = true\n", "line 1: patience"),
    ("[bots]\nthink = nan\n", "line 2: bots.think must be a number from 0.001 to 60"),
    ("[bots]\nthink = true\n", "line 2: bots.think"),
    ("[bots]\nlvl = 1\n", "line 2: there is no key 'bots.lvl'"),
    ("bots.lvl = 1\n", "line 1: there is no key 'bots.lvl'"),
    ("bots = 1\n", "line 1: bots is a table: write [bots]"),
    ("[[bots]]\n", "bots is a table"),
    ("[bot]\nlevel = 1\n", "line 1: there is no table ['bot']"),
    ('[presets]\nchess = "x"\n', "line 2: there is no game 'chess'"),
    ("[presets]\npetrangola = 1\n", "line 2: the preset of petrangola must be a text"),
    ("[presets.casa]\ntokens = 3\n", "line 1: the preset casa needs its game"),
    ('[presets.casa]\ngame = "chess"\n', "line 2: there is no game 'chess'"),
    ("[presets.casa]\ngame = 3\n", "line 2: there is no game int"),
    ('[presets.casa]\ngame = "petrangola"\nlike = 1\n', "line 3: like must be a text"),
    ('[presets.casa]\ngame = "petrangola"\ntokens = 1.5\n', "line 3: 'tokens' must be a number"),
    (f'[presets.casa]\ngame = "petrangola"\ntokens = 0x{"f" * 9000}\n', "line 3: 'tokens' must be"),
    ('[presets.casa.b]\ngame = "petrangola"\n', "the preset casa needs its game"),
    ('[presets.briscola]\ngame = "briscola"\n', "line 1: 'briscola' can't be the name"),
    ('[presets."a b"]\ngame = "briscola"\n', "'a b' can't be the name"),
    (f"[presets.{'x' * 21}]\n", "can't be the name of a preset"),
    ("".join(f"[presets.x{n}]\ngame = 'briscola'\n" for n in range(65)), "more than 64 presets"),
    (f"patience = {'9' * 5000}\n", "a number is too long"),
    (f"patience = 0x{'f' * 9000}\n", "line 1: patience must be"),
    ('name = ""\n', "line 1: name must be"),
    ('name = "' + "x" * 65 + '"\n', "line 1: name must be"),
    ('name = "a\\u001b[2J"\n', "line 1: name must be"),
    ("plain = true\nplain = true\n", "line 2: cannot overwrite a value"),
    ("plain =\n", "line 1: invalid value"),
    ('plain = "\n', "line 1: "),
    ("x = " + "[" * 5000, "config.toml"),
    ("'\\u001b[2J' = 1\n", "there is no key"),
    (b"\n\xff = 1\n", "line 2: this isn't UTF-8"),
    (b"#" * (MAX_FILE + 1), "more than 65536 octets"),
]


@pytest.mark.parametrize(("text", "complaint"), WRONG, ids=range(len(WRONG)))
def test_what_cannot_be_set_is_one_sentence_with_its_line(
    text: str | bytes, complaint: str
) -> None:
    write(text)
    for argv in (("config",), ("rules",), ("--ascii", "rules")):
        said = busso(*argv)
        assert said.code == ExitCode.UNREADABLE
        assert complaint in said.complaint()
        assert "\x1b" not in said.err
    assert busso("rules", "--help").code == 0
    assert busso("--version").code == 0


def test_a_preset_that_there_is_not_is_told_with_its_line_when_it_is_needed() -> None:
    write('[presets]\npetrangola = "umbria"\n')
    for argv in (("score", "petrangola", "2d 2c 2s"), ("config",)):
        said = busso(*argv)
        assert said.code == ExitCode.UNREADABLE
        assert "line 2: petrangola has no preset 'umbria'; there are: marche" in said.complaint()
    assert busso("score", "briscola", "Ac").code == 0
    assert busso("score", "petrangola", "--preset", "marche", "2d 2c 2s").code == 0


def test_a_folder_in_its_place_is_told() -> None:
    config_file().mkdir(parents=True)
    said = busso("rules")
    assert (said.code, "can't be read" in said.complaint()) == (ExitCode.UNREADABLE, True)


@given(
    st.text()
    | st.lists(
        st.sampled_from(
            ["[bots]", "level", "=", '"hard"', "\n", "presets", ".", "[", "]", "plain", "true", "1"]
        )
    ).map("".join)
)
def test_whatever_is_written_is_read_or_refused(text: str) -> None:
    try:
        settings = read(text, PATH)
    except UnusableFile:
        return
    assert set(settings.values) <= {key.name for key in KEYS}


# -- busso config ---------------------------------------------------------------------------------


def test_the_file_is_written_once() -> None:
    said = busso("config", "--write")
    assert (said.code, said.err) == (0, "")
    assert config_file().read_text("utf-8") == template()
    write("plain = true\n")
    again = busso("config", "--write")
    assert (again.code, "exists already" in again.complaint()) == (ExitCode.UNREADABLE, True)
    assert config_file().read_text("utf-8") == "plain = true\n"


@pytest.mark.parametrize("code", CODES)
def test_it_tells_what_each_key_is_for(code: str) -> None:
    said = [line.strip() for line in busso("config", "--lang", code).out.splitlines()]
    brief = busso("config", "--lang", code, "-q").out
    for key in KEYS:
        assert language(code).text(key.text) in said
        assert f"  {key.name} " in brief
    assert len(brief.splitlines()) == 1 + len(KEYS)


def test_the_file_is_written_in_the_language_and_its_faults_are_told_in_it() -> None:
    assert busso("config", "--write", "--lang", "it").code == 0
    assert "# La lingua in cui si parla: uno di" in config_file().read_text("utf-8")
    write("theme = 3\n")
    said = busso("rules", "--lang", "it").complaint()
    assert "riga 1: theme dev'essere uno di" in said
    assert said.endswith("busso config mostra che cosa si può impostare.")


def test_it_shows_where_each_value_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "there is none; --write makes it" in busso("config").out
    write('ascii = true\n\n[bots]\nlevel = "hard"\n[presets]\npetrangola = "emilia"\n')
    monkeypatch.setenv("BUSSO_THEME", "safe")
    said = busso("config", "--lang", "en").out
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in said.splitlines()[1:]}
    assert rows["language"] == '"en" from a flag'
    assert rows["theme"] == '"safe" from BUSSO_THEME'
    assert rows["ascii"] == "true line 1"
    assert rows["bots.level"] == '"hard" line 4'
    assert rows["patience"] == "120 default"
    assert rows["presets.petrangola"] == '= "emilia", line 6'
    data = busso("config", "--json", "--no-color").json()
    assert data["keys"]["colour"] == {"value": False, "source": "flag"}
    assert data["keys"]["bots.level"] == {"value": "hard", "source": "file"}
    assert data["keys"]["theme"] == {"value": "safe", "source": "environment"}
    assert data["keys"]["name"] == {"value": None, "source": "default"}
    assert data["presets"] == {"petrangola": "emilia"}
    assert data["exists"] is True


def test_the_file_lies_where_it_should(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert config_file().parent.name == "busso"
    monkeypatch.setenv("BUSSO_HOME", str(tmp_path))
    assert config_file() == tmp_path / "config.toml"
