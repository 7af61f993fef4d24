"""The command line as a stranger mistypes it: one sentence, the right code, never a traceback.

Each verb meets files that are no match, values out of bounds and words that nobody understands;
what is typed is made up as well. Nothing here opens a connection.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.running import Said, busso, small
from tools.arguments import MAX_COMPLAINT, make_parser
from tools.errors import ExitCode, UsageError
from tools.output import MAX_ERROR
from tools.verbs import HIDDEN, VERBS

FILES = {
    "missing": None,
    "empty": b"",
    "binary": bytes(range(256)) * 4,
    "text": b"hello\n" * 9,
    "cut": small()[:500],
    "magic": small()[:8],
    "a" * 3_000: None,
}
READERS = [
    ("verify",),
    ("replay",),
    ("replay", "--as", "Zed"),
    ("replay", "--hand", "9"),
    ("export", "--format", "json"),
    ("export", "--format", "record"),
    ("check",),
]


def one_sentence(said: Said, *codes: ExitCode) -> str:
    """The complaint, which is the only line on standard error, and no longer than it need be."""
    assert said.code in codes, said
    (line,) = said.err.splitlines()
    assert line.startswith("busso: ")
    assert len(line) <= MAX_ERROR + 300
    assert "Traceback" not in line
    assert "bug" not in line
    return line


@pytest.mark.parametrize("name", FILES, ids=lambda name: name[:8])
@pytest.mark.parametrize("reader", READERS, ids=" ".join)
def test_a_file_that_is_no_match_is_told(
    tmp_path: Path, reader: tuple[str, ...], name: str
) -> None:
    path, data = tmp_path / name, FILES[name]
    if data is not None:
        path.write_bytes(data)
    said = busso(*reader, path)
    if said.err:
        one_sentence(said, ExitCode.UNREADABLE, ExitCode.WRONG)
    else:  # the verdict itself, which is asked for
        assert said.code in (ExitCode.WRONG, ExitCode.UNREADABLE)
        assert len(said.out.splitlines()) <= 3


@pytest.mark.parametrize("reader", READERS, ids=" ".join)
def test_what_is_no_file_is_told(tmp_path: Path, reader: tuple[str, ...]) -> None:
    loop = tmp_path / "loop"
    places = [tmp_path, tmp_path / "missing" / "x", Path(f"{small.__name__}\0")]
    if sys.platform != "win32":
        loop.symlink_to(loop)
        places.append(loop)
    for place in places:
        one_sentence(busso(*reader, place), ExitCode.UNREADABLE, ExitCode.USAGE)


def test_a_file_that_may_not_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "locked"
    path.write_bytes(small())

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("protocol.files.open", refuse, raising=False)
    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(os, "open", refuse)
    for reader in READERS:
        one_sentence(busso(*reader, path), ExitCode.UNREADABLE)


def test_an_export_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(small())
    for where in (tmp_path, tmp_path / "no" / "x", Path("/dev/full")):
        if where.exists() or where.parent != Path("/dev"):
            said = busso("export", log, "--format", "json", "-o", where)
            one_sentence(said, ExitCode.UNREADABLE)
    one_sentence(busso("export", log, "--format", "json", "-o", log), ExitCode.USAGE)
    assert log.read_bytes() == small()


WRONG = """\
host poker | host --seats 1 | host --seats 65 | host picchetto --seats 5 | host --bots -1
host --timer 0 | host --timer 1e3 | host --patience ٣ | host --option x | host --option =1
host --option tokens=1 --option tokens=2 | host --option tokens= | host --code ! | host --port 0
host --port 70000 | host --theme pink | host --hands 0 | host --think nan | host --level x
join [::1 | join a:b:c | join 127.0.0.1:99999 | join --code x y z
watch [::1 | resume nope | resume --at x\u00a0y | resume --at [::1 | resume a b
id frob | id name | id forget | id forget x | id show x y
demo --players 1 | demo --players 64 --game briscola | demo --game x | demo --preset x
demo --backend x | demo --level x | demo --think 0 | demo --think 1e1 | demo --think 99
play --bots 0 | play --json | play --bots 63 briscola | play frob | play --port x
score | score x y | score petrangola zz | score petrangola 2d,2d,2d | score briscola --last 99 Ac
rules x | rules petrangola X-1 | rules X-99 | rules petrangola --lang de | learn x | learn --json
stats --game x | config x | completion tcsh | completion --json | doctor [x
bench | bench x | bench deal --players 1 | bench bots --game x | bench bots --samples 0
bench engine --game x | verify | verify x y | verify -x | replay x --hand 0 | export x
export x --format html | check | node | node --name x | frob | --frob | --lang | --lang x | -
--lang it --lang | -qv --frob | --json --json frob | --help=x | play --bots=x
"""


@pytest.mark.parametrize("line", [one.strip() for one in WRONG.replace("\n", "|").split("|")[:-1]])
def test_wrong_words_are_told_with_the_right_code(line: str) -> None:
    told = one_sentence(busso(*line.split(" ")), ExitCode.USAGE)
    italian = one_sentence(busso(*line.split(" "), "--lang", "it"), ExitCode.USAGE)
    english = ("node", "--json", "--lang")  # for programs, for programmers, or asked for
    if not any(word in line for word in english) and not line.startswith("bench"):
        assert told != italian


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in HIDDEN])
def test_each_verb_tells_of_its_own_help(verb: str) -> None:
    needed = {"verify": ["x"], "replay": ["x"], "check": ["x"], "bench": ["deal"]}
    needed |= {"score": ["x", "y"], "export": ["x", "--format", "json"]}
    told = one_sentence(busso(verb, *needed.get(verb, []), "--frob"), ExitCode.USAGE)
    assert "unrecognized arguments: --frob" in told
    assert f"busso {verb} --help" in told


def test_a_long_word_is_told_in_part() -> None:
    for argv in ((f"--{'x' * 9_000}",), ("x" * 9_000,), ("play", "--bots", "9" * 9_000)):
        assert len(one_sentence(busso(*argv), ExitCode.USAGE)) < MAX_COMPLAINT + 120


WORDS = st.sampled_from(
    [
        *VERBS, "--json", "--plain", "--lang", "it", "--bots", "--seats", "--option", "tokens=3",
        "--preset", "marche", "petrangola", "--hands", "--think", "0.5", "--code", "--", "-", "-o",
        "--format", "record", "--list", "--no-plain", "--color", "--version", "--as", "1", "99",
    ]
)  # fmt: skip


@given(st.lists(WORDS | st.text(max_size=12), max_size=8))
def test_any_words_are_understood_or_refused_with_a_sentence(argv: list[str]) -> None:
    said: list[str] = []
    refused: list[UsageError] = []
    parser = make_parser(among=argv, say=said.append)
    try:
        parser.understood(argv)
    except UsageError as error:
        refused.append(error)
    except SystemExit as ended:
        said.append(f"ended with {ended.code}")
    assert len(said) in (0, 2)
    assert said[1:] in ([], ["ended with 0"])
    for one in refused:
        assert 0 < len(str(one)) <= MAX_COMPLAINT + 1
        assert one.hint.endswith("--help shows what can be said.")


def test_a_closed_standard_input_is_nobody_who_types(monkeypatch: pytest.MonkeyPatch) -> None:
    from tools.cli import main  # noqa: PLC0415  # beside the stream that it must do without

    for argv, code in (
        (["check", "-"], ExitCode.UNREADABLE),
        (["id", "passphrase"], ExitCode.TERMINAL),
        (["--help"], ExitCode.FINE),
    ):
        monkeypatch.setattr(sys, "stdin", None)
        assert main(argv) == code


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("argv", [("--help",), ("--version",), ("config",)])
def test_help_that_cannot_be_written_is_told(
    monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    from tools.cli import main  # noqa: PLC0415  # beside the stream that it is given

    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(list(argv)) == ExitCode.UNREADABLE
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("verb", VERBS)
def test_only_verbs_that_are_said_get_their_words(verb: str) -> None:
    """Which keeps --help fast, and changes nothing that is understood."""
    whole, part = make_parser(), make_parser(among=[verb])
    assert whole.verbs.keys() == part.verbs.keys()
    assert part.verbs[verb].format_help() == whole.verbs[verb].format_help()
    assert part.format_help() == whole.format_help()
    for other in VERBS:
        assert (len(part.verbs[other]._actions) > 1) is (other == verb)
