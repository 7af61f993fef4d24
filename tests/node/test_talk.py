"""Talk: what is shown of a line, that each is heard once, and that nobody floods."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.talk import BURST, WINDOW, Talk, tidy
from protocol.encoding import check_text
from protocol.identity import Identity
from protocol.messages import MAX_CHAT, Chat
from protocol.wire import decode, encode

ADA, BRUNO = Identity(b"a" * 32), Identity(b"b" * 32)
TABLE, HERS, HIS = bytes(16), b"h" * 16, b"b" * 16


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def talks(clock: Clock) -> tuple[Talk, Talk]:
    """Ada's and Bruno's ends of the same table."""
    return Talk(ADA, TABLE, HERS, clock), Talk(BRUNO, TABLE, HIS, clock)


def line(talk: Talk, text: str = "ciao") -> Chat:
    said = talk.say(text)
    assert said is not None
    return said


def test_a_line_is_heard_once() -> None:
    ada, bruno = talks(Clock())
    chat = line(ada, "buona fortuna!")
    assert decode(encode(chat)) == chat
    assert bruno.hear(chat, HERS) == "buona fortuna!"
    assert bruno.hear(chat, HERS) == ""


def test_lines_that_overtook_each_other_are_all_heard() -> None:
    clock = Clock()
    ada, bruno = talks(clock)
    first, second = line(ada, "one"), line(ada, "two")
    assert [bruno.hear(c, HERS) for c in (second, first)] == ["two", "one"]


def test_a_line_from_long_ago_is_dropped() -> None:
    clock = Clock()
    ada, bruno = talks(clock)
    old = line(ada)
    for _ in range(WINDOW):
        clock.now += 1
        latest = line(ada)
    assert bruno.hear(latest, HERS)
    assert bruno.hear(old, HERS) == ""


def test_another_tables_or_another_runs_line_is_dropped() -> None:
    ada, bruno = talks(Clock())
    chat = line(ada)
    assert bruno.hear(chat, HIS) == "", "not the session of her HELLO"
    assert bruno.hear(replace(chat, table=b"1" * 16), HERS) == ""
    assert bruno.hear(chat, HERS) == "ciao", "what was dropped isn't remembered"


def test_our_own_line_that_comes_back_is_not_heard() -> None:
    ada, _ = talks(Clock())
    assert ada.hear(line(ada), HERS) == ""


def test_a_new_run_of_the_program_counts_from_the_beginning() -> None:
    clock = Clock()
    ada, bruno = talks(clock)
    assert bruno.hear(line(ada), HERS)
    again = Talk(ADA, TABLE, b"2" * 16, clock)
    assert bruno.hear(line(again, "back"), b"2" * 16) == "back"


def test_nobody_says_or_makes_heard_more_than_the_rate() -> None:
    clock = Clock()
    ada, bruno = talks(clock)
    said = [ada.say("x") for _ in range(20)]
    assert sum(chat is not None for chat in said) == BURST
    heard: list[str] = []
    cheat = Talk(ADA, TABLE, HERS, lambda: clock.now + 1e6 * len(heard))
    for _ in range(20):
        chat = cheat.say("y")
        assert chat is not None
        heard.append(bruno.hear(chat, HERS))
    assert sum(map(bool, heard)) == BURST
    clock.now += 1.0
    late = cheat.say("later")
    assert late is not None
    assert bruno.hear(late, HERS) == "later"


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("  two   words \t here\n", "two words here"),
        ("\x1b[31mred\x07", "[31mred"),
        ("a\u202eb\u200bc\u2066d", "abcd"),
        ("\ud800x\U0010ffff", "x"),
        ("e\u0301", "\u00e9"),
        ("z" + "\u0334" * 30, "z\u0334\u0334"),
        ("\x00\x01\x02", ""),
        ("x" * 1000, "x" * MAX_CHAT),
    ],
)
def test_what_is_typed_is_stripped(typed: str, shown: str) -> None:
    assert tidy(typed) == shown


@given(st.text())
def test_whatever_is_typed_can_be_sent_or_is_nothing(text: str) -> None:
    tidied = tidy(text)
    assert len(tidied) <= MAX_CHAT
    check_text(tidied)
    assert tidy(tidied) == tidied
