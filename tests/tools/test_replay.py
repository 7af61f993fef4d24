"""`busso replay`: who sees what, line by line, and how far."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.cards import UNKNOWN
from engine.contract import Cards, Reveal
from node.session import need
from protocol.audit import Moment, moments
from protocol.contribution import Kind
from protocol.evidence_file import Charge
from protocol.header import parse_header
from tests.protocol.groups import FAST
from tests.tools.running import (
    Said,
    busso,
    evidence,
    flipped,
    lied,
    once,
    parts,
    small,
    whole,
    with_entry,
    with_terms,
)

CARD = re.compile(r"(?<![\w'])[A234567FCR][cdsb](?!\w)")
SHOWN = "The hands are shown."


@pytest.fixture
def tell(tmp_path: Path) -> Callable[..., Said]:
    """Replay these octets as a file."""

    def run(data: bytes, *flags: str) -> Said:
        path = tmp_path / "match.busso"
        path.write_bytes(data)
        return busso("replay", path, *flags)

    return run


Tell = Callable[..., Said]


@functools.cache
def steps(data: bytes) -> tuple[Moment, ...]:
    """The moments of a good log."""
    log = parts(data)
    return tuple(moments(parse_header(log.header), log, FAST))


def hand_of(text: str, number: int) -> str:
    """The part of a replay that tells one hand, without its heading."""
    _, _, rest = text.partition(f"\nHand {number}\n")
    return rest.partition("\n\n")[0]


def deck_of(data: bytes) -> bytes:
    """The deck of a match's first hand, as it was dealt."""
    return need(next(m.after.revealed for m in steps(data) if m.after.revealed)).faces


def awaits_reveal(moment: Moment) -> bool:
    """Whether a hand's cards have just been shown."""
    turn = moment.after.state.turn()
    return isinstance(turn, Cards) and isinstance(turn.requests[0], Reveal)


def before_the_seeds(data: bytes) -> bytes:
    """A log that breaks off when its first hand's cards have been shown, seeds not yet."""
    moment = next(moment for moment in steps(data) if awaits_reveal(moment))
    return data[: parts(data).offsets[moment.step.number + 1]]


def test_a_whole_match_is_told() -> None:
    said = once("replay", whole)
    assert (said.code, said.err) == (0, "")
    hands = sum(m.step.entries[0].kind is Kind.CHECKPOINT for m in steps(whole()))
    headings = re.findall(r"^Hand (\d+)$", said.out, re.M)
    assert headings == [str(n + 1) for n in range(hands)]
    for words in ("deals hand 1.", "cuts the deck at", "each proved it.", "busso!", "Audit: "):
        assert words in said.out
    assert said.out.count("Audit: ") == hands
    assert said.out.count(SHOWN) == hands
    assert said.out.rstrip().endswith("✓ everything in this log verifies")
    assert max(map(len, said.out.splitlines())) <= 80
    assert "\n\n\n" not in said.out
    assert re.search(r"^\w+ is the last one with tokens and wins\.$", said.out, re.M)


def test_all_hands_are_shown_from_the_start_where_the_seeds_are_out() -> None:
    text = hand_of(once("replay", small).out, 1).split(SHOWN)[0]
    for moment in steps(small()):
        if moment.step.entries[0].kind is Kind.SHUFFLE and moment.after.state.faces:
            state = moment.after.state
    deck = deck_of(small())
    for pile in state.piles():
        if pile.name != "stock":
            assert state.deck.kind.join(deck[slot] for slot in pile.slots) in text


def test_nobody_hears_the_same_twice() -> None:
    for match in (small, whole):
        text = hand_of(once("replay", match).out, 1).split(SHOWN)[0]
        hands = re.findall(r"^(\w+: \S\S \S\S .*)$", text, re.M)
        assert len(hands) == len(set(hands)) == len(steps(match())[2].after.state.players) + 1


@pytest.mark.parametrize("view", ["table", "0", "1", "2", "ada", "CARLA"])
def test_a_view_shows_nothing_that_it_could_not_see(view: str) -> None:
    """A law over a hand: every card that is named before the showdown was visible by then."""
    assert steps(whole())[-1].after.order != (0, 1, 2)  # or seats and chairs would be the same
    text = hand_of(once("replay", whole, "--as", view).out, 1).split(SHOWN)[0]
    named = set(CARD.findall(text))
    seat = {"ada": 0, "CARLA": 2}.get(view, int(view) if view.isdigit() else None)
    allowed: set[str] = set()
    deck = deck_of(whole())
    for moment in steps(whole()):
        state = moment.after.state
        if awaits_reveal(moment):
            break
        if state.faces:
            chair = moment.after.order.index(seat) if seat is not None else None
            mask = state.opened if chair is None else state.visible(chair)
            allowed |= {state.deck.kind.text(f) for slot, f in enumerate(deck) if mask >> slot & 1}
    assert named <= allowed
    everything = set(CARD.findall(hand_of(once("replay", whole).out, 1).split(SHOWN)[0]))
    assert named <= everything
    assert named or view == "table"


@pytest.mark.parametrize("match", [small, whole])
def test_what_a_seat_held_is_told_to_it_alone(match: Callable[[], bytes]) -> None:
    names = ("Ada", "Bruno", "Carla")[: len(parts(match()).steps[0].entries)]
    first = steps(match())[2].after.state
    dealer = names[steps(match())[2].after.order[first.dealer]]
    for seat, name in enumerate(names):
        own = hand_of(once("replay", match, "--as", str(seat)).out, 1).split(SHOWN)[0]
        told = re.findall(r"^(\w+): \S\S \S\S \S\S", own, re.M)
        assert set(told) == ({name, "monte"} if name == dealer else {name})
    table = hand_of(once("replay", match, "--as", "table").out, 1).split(SHOWN)[0]
    assert not re.search(r"^(Ada|Bruno|Carla): ", table, re.M)


def test_without_the_seeds_only_what_was_public_is_told(tell: Tell) -> None:
    data = before_the_seeds(small())
    last = steps(data)[-1].after.state
    said = tell(data)
    assert said.code == 0
    assert "the match has no end in it" in said.out
    public = {last.deck.kind.text(face) for face in last.faces if face != UNKNOWN}
    text = hand_of(said.out, 1)
    assert set(CARD.findall(text)) <= public
    assert "Audit" not in text


def test_every_cut_can_be_told(tell: Tell) -> None:
    offsets = parts(small()).offsets
    for number in range(1, len(offsets), 3):
        for extra, code in ((0, 0), (5, 1)):
            said = tell(small()[: offsets[number] + extra])
            assert said.code == code
            assert said.err == ""
            assert ("never completed" in said.out) == bool(extra)


def test_one_hand_alone(tell: Tell) -> None:
    everything = once("replay", whole).out
    for number in (1, 2):
        said = tell(whole(), "--hand", str(number))
        assert said.code == 0
        assert re.findall(r"^Hand (\d+)$", said.out, re.M) == [str(number)]
        assert hand_of(everything, number).strip() in said.out
    said = tell(small(), "--hand", "99")
    assert said.code == 2
    assert "no hand 99" in said.err


@pytest.mark.parametrize("view", ["2", "carla", "", "-0", "everybody", "\u0661"])
def test_a_seat_that_there_is_not(view: str, tell: Tell) -> None:
    said = tell(small(), f"--as={view}")
    assert said.code == 2
    assert "0 Ada, 1 Bruno" in said.complaint()


def test_a_log_is_told_up_to_the_fault(tell: Tell) -> None:
    entry = parts(small()).steps[6].entries[0]
    said = tell(with_entry(small(), 7, signature=flipped(entry.signature, 1)))
    assert said.code == 1
    assert "cuts the deck at" in said.out
    assert "✗ step 7, " in said.out
    assert "verifies" not in said.out
    damaged = tell(flipped(small(), parts(small()).offsets[7] + 60))
    assert damaged.code == 1
    assert "cuts the deck at" in damaged.out
    assert "✗ step 7: " in damaged.out


def test_a_broken_promise_is_told_where_it_comes_out() -> None:
    said = once("replay", lied)
    assert said.code == 1
    assert "Audit: Bruno broke a promise in step" in said.out
    assert "Signed by Ada.\n" in said.out
    assert re.search(r"^✗ step \d+, Bruno \(seat 1\): ", said.out, re.M)
    assert said.out.index("Ada is the last one with tokens") < said.out.index("✗ step")


def test_evidence_is_told_with_its_charge(tell: Tell) -> None:
    said = tell(evidence(Charge.CONTRADICTION, 3, body=b"other"))
    assert said.code == 1
    assert "seats the players" in said.out
    assert "signed two different contributions" in said.out


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"", 3), (b"noise" * 99, 3), (small, 1), (lambda: with_terms(2, options=()), 1)],
    ids=["empty", "noise", "header", "options"],
)
def test_files_of_which_nothing_can_be_told(
    data: bytes | Callable[[], bytes], code: int, tell: Tell
) -> None:
    octets = data if isinstance(data, bytes) else data()
    if data is small:
        octets = flipped(octets, 70)
    said = tell(octets)
    assert said.code == code
    assert "Hand" not in said.out


def test_a_replay_is_for_people(tell: Tell) -> None:
    assert "export" in tell(small(), "--json").complaint()
    assert tell(small(), "--json").code == 2


def test_narrow_terminals_and_ascii(tell: Tell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    said = tell(small(), "--ascii")
    assert max(map(len, hand_of(said.out, 1).splitlines())) <= 40
    assert said.out.isascii()
