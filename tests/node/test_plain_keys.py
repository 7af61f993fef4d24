"""Each key of the screen has its command in plain lines, and does there what it does here."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from engine.errors import IllegalMove
from node import plain
from node import plain_lines as lines
from node.errors import need
from node.language import CODES, ENGLISH, language
from node.notices import Person, Presence, Refused, Suspended, Talked
from node.screen import accounts, situation, words
from node.screen.choices import Choices
from node.screen.desk import DIGITS, LETTERS, Key, items
from node.screen.hearing import Heard
from node.typed import COMMANDS, LANGUAGES, command
from node.waiting import Absent, Waiting
from protocol.messages import Role
from protocol.table_events import CutBack, YourMove
from tests.node.plain_desk import Desk, heard

TURN = ("petrangola", 3, "exchange")
MAMBASSA = ("mambassa", 2, "exchange")
FOLLOW = ("traversone", 3, "play", 1, True)


@dataclass(frozen=True)
class Typed:
    """What is typed instead of a key, at a choice, and what must be said then."""

    at: tuple[object, ...]
    lines: tuple[str, ...]
    said: str


LISTED = r"(?m)^1 Knock\."
CONFIRM = r"Give king of batons for \w+ of \w+ = \d+ points: Enter to confirm, else no\."
KEYS = {
    Key.LEFT: Typed(TURN, ("list",), LISTED),
    Key.RIGHT: Typed(TURN, ("scelte",), LISTED),
    Key.UP: Typed(TURN, ("list",), LISTED),
    Key.DOWN: Typed(TURN, ("elenco",), LISTED),
    Key.ENTER: Typed(TURN, ("1", ""), r"Keep your hand; .*: Enter to confirm, else no\."),
    Key.SPACE: Typed(TURN, ("{give} {take}",), r"Give .* for .*: Enter to confirm, else no\."),
    Key.TAB: Typed(
        MAMBASSA,
        ("{give} {take}",),
        r"(?s)\d+ Give (\w\w) for (\w\w) \(\1>\2\).*"
        r"\d+ Give \1 for \2, then discard \(\1>\2 discard\)",
    ),
    Key.ESCAPE: Typed(TURN, ("1", "no", "1", "no"), r"(?s)(Enter to confirm.*){2}"),
    Key.BACKSPACE: Typed(TURN, ("time",), r"Your turn: "),  # the terminal edits its own lines
    Key.PAGE_UP: Typed(TURN, ("log",), r"What happened, the latest first:\n\w"),
    Key.PAGE_DOWN: Typed(TURN, ("registro",), r"What happened, the latest first:\n\w"),
    Key.WHY: Typed(FOLLOW, ("? {other}",), r"were led, and whoever .*\nTRA-03: "),
    Key.HELP: Typed(TURN, ("f1",), r"A number makes that choice"),
    Key.RULES: Typed(TURN, ("f2",), r"(?s)The rules of the moment\..*PET-21: "),
    Key.CHAT: Typed(TURN, ("f3",), r"Nobody has said anything yet\."),
    Key.LOG: Typed(TURN, ("f4",), r"(?s)shuffled the deck and proved it: entry \d.*still sealed"),
    Key.ADVICE: Typed(TURN, ("f5",), r"\A(Keep|Give|All) [^\n]*\.\n[A-Z][^\n]*\.\n"),
    Key.LANGUAGE: Typed(TURN, ("f9",), r"Tocca a te: cambia, o bussa"),
    Key.LEAVE: Typed(TURN, ("f10", "y"), r"Leave the table\?"),
    Key.INTERRUPT: Typed(TURN, (), r""),  # the end of the input
}


def filled(desk: Desk, line: str) -> str:
    """With cards of the hand and of the table: of the hand one that may be chosen, and another."""
    view = desk.table._look()
    if "{" not in line or view is None:
        return line
    kind = view.kind
    usable = [slot for slot in view.hand if slot in view.choices.usable]
    other = [slot for slot in view.hand if slot not in view.choices.usable]
    return line.format(
        give=kind.text(view.face(usable[0])),
        take=kind.text(view.face((*view.choices.table, -1)[0])),
        other=kind.text(view.face((*other, -1)[0])),
    )


def typed(at: tuple[object, ...], *lines: str) -> tuple[Desk, str]:
    """Somebody types these lines at that choice."""
    events = heard(*at)
    look = Desk(events)
    look.type()
    desk = Desk(events)
    return desk, "\n".join(desk.type(*(filled(look, line) for line in lines)))


def test_no_key_is_forgotten() -> None:
    assert set(KEYS) == set(Key)


@pytest.mark.parametrize("key", list(Key))
def test_a_key_has_its_command(key: Key) -> None:
    wanted = KEYS[key]
    desk, said = typed(wanted.at, *wanted.lines)
    assert re.search(wanted.said, said), said
    assert desk.left == (key is not Key.ENTER)  # the input ends then
    assert len(desk.moves) == (key is Key.ENTER)


@pytest.mark.parametrize(("letter", "key"), LETTERS.items())
def test_a_letter_is_the_same_command_as_its_key(letter: str, key: Key) -> None:
    if letter == "h":  # the hand, since what it is can't be looked at here
        assert command(letter) == "h"
        assert command("?") == command("f1") == "help"
    else:
        assert command(letter) == command(key)


def test_every_command_has_a_word_of_each_language_and_none_means_two() -> None:
    assert set(CODES) <= set(LANGUAGES.values())
    for name in ("h", "list", "why", "s", "t", "u", "log", "result", "time", "o", "r", "lang"):
        assert len([word for word, said in COMMANDS.items() if said == name]) >= 2, name


@pytest.mark.parametrize("digit", range(1, DIGITS + 1))
def test_a_number_is_the_same_choice_as_on_the_screen(digit: int) -> None:
    """Where a card is played as soon as it is named, its digit is the same in both."""
    look = Desk(heard("picchetto", 2, "play", 2))
    look.type()
    view = look.table._look()
    assert view is not None
    on_screen = {item.number: item.slot for item in items(view) if item.usable}
    slot = on_screen.get(digit % DIGITS)
    assert slot is not None
    desk = Desk(heard("picchetto", 2, "play", 2))
    desk.type(str(digit), "")
    assert desk.written() == [view.kind.text(view.face(slot))]


SPEC = Path(plain.__file__).with_name("PLAIN.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| (`[^|]+`) \| [^|]+ \|$", SPEC, re.MULTILINE)
LOBBY = {"ready", "unready", "who", "options", "bots", "start", "kick", "invite", "code", "host"}


def test_the_specification_lists_every_command_with_its_words() -> None:
    listed = {
        command(word): set(re.findall(r"`([^` ]+)", words_))
        for _, words_ in ROWS
        for word in re.findall(r"`([^` ]+)", words_)[:1]
    }
    assert set(listed) == set(COMMANDS.values()) - LOBBY
    for name, words_ in listed.items():
        assert {command(word) for word in words_} == {name}
    for keys, words_ in ROWS:
        for key in re.findall(r"F\d+", keys):
            assert command(key) in {command(word) for word in re.findall(r"`([^` ]+)", words_)}


# -- keys of dialogs -------------------------------------------------------------------------------


def missing() -> Desk:
    """A table at which somebody can't be reached, and the reader is asked."""
    desk = Desk(heard(*TURN))
    return desk.hear(Waiting((1,), (1,), 40.0), Absent((1,)))


@pytest.mark.parametrize(
    ("word", "call"),
    [
        ("g", "go_on"),
        ("avanti", "go_on"),
        ("w", "wait"),
        ("a", "wait"),
        ("aspetta", "wait"),
        ("x", "abandon"),
        ("abbandona", "abandon"),
    ],
)
def test_what_to_do_about_somebody_missing_is_a_word(word: str, call: str) -> None:
    desk = missing()
    desk.type(word)
    assert desk.calls.made == [(call, None)]


def test_who_is_missing_is_told_with_what_follows() -> None:
    desk = missing()
    assert any(line.startswith("Waiting for ") and "40 s" in line for line in desk.said)
    view = need(desk.table._look())
    assert desk.said[-3:] == [*accounts.missing(ENGLISH, view), "g goes on, w waits longer."]
    assert " takes too long. " in desk.said[-3]
    desk = Desk(heard(*TURN)).hear(Presence(1, up=False), Absent((1,)))
    assert " can't be reached. " in desk.said[-3]
    assert desk.said[-2].startswith("If most of you go on, this hand is void")
    assert any(line.startswith("Not reachable now: ") for line in desk.type("t"))


def test_the_seconds_go_down_as_the_clock_goes_on() -> None:
    now = [100.0]
    desk = Desk(heard(*TURN), clock=lambda: now[0])
    desk.hear(Waiting((0,), (), 24.0))
    assert desk.said[-1] == "You have 24 s to choose."
    now[0] += 10.4
    assert "14 seconds left." in desk.introduced()[0]
    now[0] += 100
    assert "0 seconds left." in desk.type("time")[0]
    desk.hear(Waiting(()))
    assert desk.type("time")[1] == "Nobody's time is running."


def test_leaving_is_confirmed_and_may_close_what_waits_for_too_many() -> None:
    desk = Desk(heard(*TURN)).hear(Suspended((1, 2)))
    said = desk.type("q", "x")
    assert any("x closes the match for good" in line for line in said)
    assert desk.calls.made == [("abandon", None)]
    desk = Desk(heard(*TURN))
    said = desk.type("q", "", "esci", "n")
    assert not any("closes" in line for line in said)
    assert sum("Leave the table?" in line for line in said) == 2
    desk = Desk(heard(*TURN))
    desk.type("q", "x")
    assert desk.calls.made == []


# -- what the screen shows -------------------------------------------------------------------------


@pytest.mark.parametrize("code", CODES)
def test_the_same_sentences_are_said_as_on_the_screen(code: str) -> None:
    """Question, rules, fairness and what happened, in each language."""
    tongue = language(code)
    desk = Desk(heard(*TURN), language=tongue)
    said = desk.introduced() + desk.type("r", "o", "log", "u")
    view = desk.table._look()
    assert view is not None
    assert situation.question(tongue, view) in said[0]
    assert view.deciding
    rules = [text for both in accounts.rules(tongue, view) for text in both if text]
    for line in rules + accounts.fairness(tongue, view):
        assert line in said
    told = [words.happened(tongue, view, one) for one in view.story.happenings]
    assert all(lines.stopped(line) in said for line in told if line)
    listed = " ".join(desk.introduced())
    for n, choice in enumerate(view.listed, 1):
        item = need(re.search(rf"(?:^|\s){n} ([A-Z].*?)(?=\.\s|\.$)", listed))[1]
        assert item == lines.item(tongue, view, n, choice).removeprefix(f"{n} ")
        said_so = words.label if choice.bare else words.deed
        assert said_so(tongue, view, choice)[1:3] in item
        assert item.endswith(f" = {words.outcome(tongue, view, choice)}") or choice.word == "knock"
        assert choice.word == "knock" or view.state.game.format(view.state, choice.move) in item


def test_another_language_is_spoken_at_once_and_by_name() -> None:
    desk = Desk(heard(*TURN))
    said = desk.type(
        "lingua italiano", "punti", "lang english", "scores", "lang it", "lang klingon"
    )
    assert [tongue.code for tongue in desk.spoken] == ["it", "en", "it"]
    assert any(line.startswith("Tocca a te: ") for line in said)
    assert any(line.startswith("Gettoni: ") for line in said)
    assert any(line.startswith("Tokens: ") for line in said)
    assert "Qui non c'è la lingua 'klingon'." in said


def test_talk_is_said_and_told_again() -> None:
    desk = Desk(heard(*TURN))
    bruno = Person(bytes(32), "Bruno", "Bruno", Role.SEAT, ready=True)
    desk.table.remember(Talked(bruno, "ciao\x1b[2J"))
    assert "ciao" not in " ".join(desk.said), "somebody else has told it"
    said = desk.type("c", "chat bella mano", "scrivi")
    assert desk.calls.made == [("say", "bella mano")]
    assert said.count("<Bruno> ciao[2J") == 2


def test_english_is_the_default() -> None:
    assert Desk(heard(*TURN)).introduced()[0].startswith(ENGLISH.text("Your turn: {0}")[:10])


# -- answers ---------------------------------------------------------------------------------------


def test_enter_alone_does_the_only_thing_that_can_be_done() -> None:
    desk = Desk(heard("mambassa", 2, "none"))
    said = desk.introduced()
    assert said[-1] == "1 Nothing to declare (none). Enter does it: there is no other choice."
    desk.type("")
    assert desk.written() == ["none"]


def test_enter_alone_helps_among_several_and_chooses_nothing() -> None:
    desk = Desk(heard(*TURN))
    assert desk.type("")[0] == lines.HELP[0]
    assert not desk.moves


def test_enter_alone_leaves_a_number_or_many_to_chance() -> None:
    for at in (("petrangola", 2, "cut"), ("picchetto", 2, "change")):
        chosen = set()
        for _ in range(2):
            desk = Desk(heard(*at))
            desk.type("")
            chosen.add(desk.moves[0])
        assert len(chosen) == 1, "the same source of chance"
        assert "to chance" in " ".join(Desk(heard(*at)).introduced())


def test_a_few_numbers_may_be_left_to_chance_as_well() -> None:
    desk = Desk(heard("petrangola", 2, "cut"))
    desk.type()
    view = need(desk.table._look())
    few = replace(view, choices=Choices(view.choices.items[:12]))
    assert "to chance" in lines.choice_lines(ENGLISH, few)[0]
    assert desk.table._nothing(few) in [choice.move for choice in few.listed]


def test_what_was_chosen_is_not_asked_for_any_more() -> None:
    desk = Desk(heard(*TURN))
    desk.type("1", "")
    assert len(desk.moves) == 1
    assert desk.table.asked("lang")
    assert not any(line.startswith("Tocca a te") for line in desk.said)


def test_a_number_is_typed_as_itself_where_numbers_are_asked_for() -> None:
    desk = Desk(heard("petrangola", 2, "cut"))
    said = desk.type("0", "17", "")
    assert said[0].startswith("A number from 1 to ")
    assert desk.written() == ["cut 17"]


def test_a_refused_choice_is_told_and_due_again() -> None:
    events = heard(*TURN)
    choice = events[-1].event
    assert isinstance(choice, YourMove)
    desk = Desk(events)
    desk.type("1", "")
    error = IllegalMove("PET-24", "this hand must be shown")
    desk._typed = ["2", ""]
    desk.table.show(Refused(error, choice))
    assert any(line.startswith("Not allowed: ") and "(PET-24)" in line for line in desk.said)
    assert len(desk.moves) == 2


def test_cards_that_no_choice_moves_are_said_to_be_so() -> None:
    desk = Desk(heard(*TURN))
    look = Desk(heard(*TURN))
    look.type()
    hand = filled(look, "{give} {give}")
    said = desk.type(hand, "zz", "knock knock")
    assert said[0] == "No choice moves just these cards."
    assert said[2].endswith("? helps.")
    assert not desk.moves


def test_what_is_asked_meanwhile_is_answered_but_not_what_needs_a_turn() -> None:
    desk = Desk(heard(*TURN))
    table = desk.table
    start = len(desk.said)
    for line in ("h", "t", "o", "r", "u", "log", "result", "time", "chat", "?", "r PET-22", "lang"):
        assert table.asked(line), line
    assert len(desk.said) - start > 12
    for line in ("s", "list", "? 7c", "why 7c", "7c", "h h", "rubbish", ""):
        assert not table.asked(line), line


def test_nothing_can_be_asked_before_the_seats_are_known() -> None:
    events = heard(*TURN)
    desk = Desk((events[0], events[-1]))
    assert not desk.table.asked("h")


def test_a_choice_that_was_taken_away_while_it_was_asked_for_is_not_made() -> None:
    desk = Desk(heard(*TURN))

    def ask(prompt: str) -> str:
        desk.table.remember(Heard(CutBack(9, None)))
        return "1"

    desk.table._ask = ask
    desk.type()
    assert not desk.moves
