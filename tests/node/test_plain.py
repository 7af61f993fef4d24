"""Plain mode: a person's lines against a bot, over the real mesh."""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from node.bot import Bot
from node.door import find_table
from node.language import ENGLISH
from node.plain import Left
from node.plain_lines import HELP
from node.plain_match import PlainMatch
from node.screen.words import rule_words
from node.session import Session
from protocol.audit import audit_file
from protocol.group import default_group
from protocol.identity import Identity
from tests.node.tables import DEADLINE, offer


class Person:
    """Somebody who types: `first` once at the first questions, then whatever `go_on` says."""

    def __init__(self, first: list[str], go_on: Callable[[str, list[str]], str | None]) -> None:
        self.lines: list[str] = []
        self._first = iter(first)
        self._go_on = go_on
        self._prompt: str | None = None
        self.match = PlainMatch(self.say, self.prompt, random.Random(1), answered=self.answered)

    def say(self, line: str) -> None:
        self.lines.append(line)

    def prompt(self, prompt: str) -> None:
        if self._prompt is not None:  # put again after something was said: the answer is on its way
            return
        self._prompt = prompt
        answer = next(self._first, None)
        self.match.typed(self._go_on(prompt, self.lines) if answer is None else answer)

    def answered(self, answer: str) -> None:
        self.lines.append(f"{self._prompt}{answer}")
        self._prompt = None


def plays_on(prompt: str, lines: list[str]) -> str:
    """Confirm what was chosen; else the first choice, or chance where there are many."""
    if "confirm" in prompt or any("to chance" in line for line in lines[-2:]):
        return ""
    return "1"


def at_a_table(tmp_path: Path, person: Person) -> tuple[Session, Exception | None]:
    """Play one hand against a bot; the person's session and what ended the interface."""
    table = person.match
    mine = Session(
        Identity.generate(),
        "Tina",
        tmp_path / "mine",
        group=default_group(),
        chooser=table,
        on_event=table.on_event,
    )
    bot = Session(
        Identity.generate(),
        "Ada",
        tmp_path / "bot",
        group=default_group(),
        chooser=Bot(random.Random(2)),
        on_event=lambda _: None,
    )
    port = mine.host(offer(2, 1), address="127.0.0.1")
    card, host = find_table("127.0.0.1", port, 10)
    bot.join(card, host, address="127.0.0.1")

    def run(session: Session, ended: Callable[[Exception | None], None]) -> None:
        try:
            session.run()
        except Exception as error:
            ended(error)
        else:
            ended(None)

    threads = [
        threading.Thread(target=run, args=(mine, table.ended), daemon=True),
        threading.Thread(target=run, args=(bot, lambda _: None), daemon=True),
    ]
    for thread in threads:
        thread.start()
    failure: Exception | None = None
    try:
        table.run(mine)
    except Exception as error:
        failure = error
    finally:
        if failure is not None:
            mine.stop()
            bot.stop()
        for thread in threads:
            thread.join(DEADLINE)
    return mine, failure


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Person, Session]:
    """A hand played by somebody who asks everything first and mistypes much."""
    first = ["?", "h", "t", "o", "s", "r PET-22", "r XYZ-99", "nonsense", "knock-show", "9999"]
    person = Person(first, plays_on)
    session, failure = at_a_table(tmp_path_factory.mktemp("plain"), person)
    assert failure is None
    return person, session


def test_a_whole_hand_is_played_by_lines(told: tuple[Person, Session]) -> None:
    person, session = told
    assert session.log is not None
    assert audit_file(session.log, default_group()).good
    text = "\n".join(person.lines)
    assert "Your turn: " in text
    assert "The end of hand 1." in text
    assert "Checked: every seed derives every card again." in text
    assert person.lines[-1] == "The match is over, and everybody has signed how it ended."


def test_help_rules_tokens_and_fairness_are_there(told: tuple[Person, Session]) -> None:
    lines = told[0].lines
    assert lines.index(HELP[-1]) == lines.index(HELP[0]) + len(HELP) - 1
    assert rule_words(ENGLISH, "PET-22") in lines
    assert "There is no such rule." in lines
    assert any(line.startswith("Tokens: ") for line in lines)
    assert any(line.startswith("The log has ") for line in lines)
    advice = lines[lines.index("> s") + 1 : lines.index("> r PET-22")]
    assert len(advice) > 1
    assert all(line.endswith(".") for line in advice)


def test_a_wrong_answer_is_told_why_and_asked_again(told: tuple[Person, Session]) -> None:
    lines = told[0].lines
    after = {line: lines[i + 1] for i, line in enumerate(lines[:-1]) if line.startswith("> ")}
    assert after["> nonsense"].endswith("? helps.")
    assert "Not allowed: " in after["> knock-show"]
    assert "PET-" in after["> knock-show"]
    assert after["> 9999"].startswith(("There are choices", "A number from"))


def test_nobody_elses_hidden_card_is_ever_printed(told: tuple[Person, Session]) -> None:
    """Until the showdown the bot's cards are counted, or were taken or turned up in the open."""
    lines = told[0].lines
    shown = lines[: lines.index("The end of hand 1.")]
    opened = " ".join(line for line in shown if "takes" in line or "Turned up" in line)
    for line in shown:
        if line.startswith("Ada: "):
            written = re.findall(r"\b[A2-7FCR][cdsb]\b", line)
            named = re.findall(r"(\w+ of \w+) [A2-7FCR][cdsb]", line)
            assert len(named) == len(written)
            for name, card in zip(named, written, strict=True):
                assert name in opened or card in opened, line


def test_a_choice_by_number_is_confirmed_first(tmp_path: Path) -> None:
    """No to the confirmation asks again; a move in notation is taken as it stands."""

    def answer(prompt: str, lines: list[str]) -> str:
        if "confirm" in prompt:
            return "no" if not any("else no. no" in line for line in lines) else ""
        return plays_on(prompt, lines)

    person = Person([], answer)
    _, failure = at_a_table(tmp_path, person)
    assert failure is None
    refused = next(i for i, line in enumerate(person.lines) if line.endswith("else no. no"))
    assert person.lines[refused + 1].startswith("> ")


@pytest.mark.parametrize("last", [None, "q"])
def test_who_leaves_or_closes_the_input_ends_the_table(tmp_path: Path, last: str | None) -> None:
    def answer(prompt: str, _: list[str]) -> str | None:
        return "y" if prompt.startswith("Leave") else last

    _, failure = at_a_table(tmp_path, Person([], answer))
    assert isinstance(failure, Left)
