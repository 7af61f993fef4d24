"""Matches in plain lines: nobody is told what they can't see, and every note has its sentence."""

from __future__ import annotations

import ast
import dataclasses
import random
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import registry
from engine.cards import FRENCH32, ITALIAN, UNKNOWN
from engine.contract import (
    Answers,
    Ask,
    Cards,
    Decide,
    Draw,
    Drawn,
    Input,
    Note,
    Over,
    Result,
    Revealed,
    Shuffle,
    Shuffled,
    State,
)
from engine.games import petrangola
from engine.options import make
from node.inputs import inputs
from node.narrate import (
    ALL,
    SCORES,
    TABLE,
    card_names,
    deck_in,
    hand_heading,
    hand_number,
    known_faces,
    move_text,
    names_of,
    narrate,
    narrate_step,
    phrase,
    result_line,
    standing_line,
    table_lines,
    worth,
)
from protocol.audit import Moment, moments
from protocol.contribution import Kind
from protocol.deal import Act, Sent
from protocol.errors import LocalProtocolError
from protocol.header import parse_header
from protocol.stages import Broken
from tests.protocol.groups import FAST
from tests.tools.running import parts, small, tricks, whole

ENGINE = Path(petrangola.__file__).parent
NAMES = ("Ada", "Bruno", "Carla")
CARD = re.compile(r"(?<![\w'])[A234567FCR][cdsb](?!\w)")
GAME = registry.get("petrangola")
SHARED = dict.fromkeys(("petrangola", "mambassa"), (ENGINE / "monte.py",))
"""Where games that are alike make their notes together."""


def told_kinds(game: str) -> tuple[set[str], bool]:
    """The kinds of Note that the sources of a game write out, and whether those are all: a kind
    may be a variable as well."""
    found: set[str] = set()
    written_out = True
    for path in [*ENGINE.glob(f"{game}*.py"), *SHARED.get(game, ())]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Note", "note"):
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    found.add(first.value)
                else:
                    written_out = False
    return found, written_out


# -- sentences --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", registry.GAMES)
def test_every_note_has_its_sentence_and_no_sentence_is_idle(name: str) -> None:
    phrases = registry.get(name).phrases
    kinds, all_of_them = told_kinds(name)
    assert len(kinds) > 5
    assert kinds <= set(phrases)  # the plain kind, whatever the values are
    said = {key.partition(".")[0] for key in phrases}
    assert said <= set(phrases)
    assert not all_of_them or said - {SCORES} == kinds


SENTENCES = [
    pytest.param(text, id=f"{name}-{key}")
    for name in registry.GAMES
    for key, text in registry.get(name).phrases.items()
]


@pytest.mark.parametrize("text", SENTENCES)
def test_a_sentence_is_whole_and_asks_for_what_a_note_has(text: str) -> None:
    assert text[0].isupper() or text.startswith("{")
    assert text.endswith((".", "!", "?"))
    assert text.isprintable()
    fields = {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
    assert all(re.fullmatch(r"name\d?|\d", name) for name in fields)


def test_the_terms_of_the_game_are_kept() -> None:
    def said(kind: str, seat: int, *values: int) -> str:
        return phrase(GAME, Note(kind, seat, values), NAMES)

    assert said("falls", 1, 1, 2) == "Bruno falls (casca) and goes on dalle due."
    assert said("falls", 1, 1, 1) == "Bruno falls (casca) and goes on dalla una."
    assert said("falls", 1, 1, 7) == "Bruno falls (casca), loses 1 and goes on dalle 7."
    assert "no token left" in said("falls", 1, 1, 0)
    assert said("fall-together", -1, 2) == "They are equal: cadono in due."
    assert said("dies-with", 2) == "Il gioco muore con Carla, who plays last."
    assert "cambio camicia" in said("swaps", 0)
    assert said("reenters", 0, 2, 30) == "Ada pays 30 and rinvivisce delle due."
    assert said("bisciola", 0, 3) == "Ada ha preso la bisciòla: fallen in 3 deals in a row."


def test_a_game_without_the_sentence_is_still_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(GAME), "phrases", {"eats": "{name} eats {name0}.", "eats.1": "1!"})
    assert phrase(GAME, Note("eats", 0, (2, 5)), NAMES) == "Ada eats Carla."
    assert phrase(GAME, Note("eats", 0, (1,)), NAMES) == "1!"
    assert phrase(GAME, Note("jumps", 1, (2, 5)), NAMES) == "Bruno: jumps 2 5."
    assert phrase(GAME, Note("jumps"), NAMES) == "table: jumps."


# -- cards ------------------------------------------------------------------------------------


def test_cards_have_names() -> None:
    faces = [*ITALIAN.split("7c Ad"), UNKNOWN]
    assert card_names(ITALIAN, faces) == "seven of cups, ace of coins, a hidden card"
    assert card_names(FRENCH32, FRENCH32.split("7h As")) == "seven of hearts, ace of spades"


def dealt(deck: str = "", seats: int = 2, preset: str = "emilia", **given: str) -> State:
    """A live hand, all cards known to whoever is given its faces."""
    options: Any = make(GAME.options_type, GAME.presets[preset], given.items())
    state = GAME.start(options, seats)
    turn = state.turn()
    assert isinstance(turn, Cards)
    request = turn.requests[0]
    assert isinstance(request, Draw)
    everything = tuple(request.deck.face(card) for card in range(request.deck.size))
    state = state.apply(Drawn(everything))
    state = state.apply(GAME.parse(state, "cut 1"))
    top = ITALIAN.split(deck)
    rest = list(everything)
    for face in top:
        rest.remove(face)
    return state.apply(Shuffled(bytes(top + tuple(rest))))


def test_hands_are_told_with_their_worth() -> None:
    state = dealt("2d 2c 2s 7d Fd Rd Ac 4b 5b")
    first, second = state.players
    lines = table_lines(state, NAMES)
    assert f"{NAMES[first]}: 2d 2c 2s, tris of 6" in lines
    assert f"{NAMES[second]}: 7d Fd Rd, 27 points" in lines
    hidden = state.view(None)
    assert table_lines(hidden, NAMES, state.faces) == lines
    half = state.view(first)
    assert table_lines(half, NAMES) == [f"{NAMES[first]}: 2d 2c 2s, tris of 6"]
    assert table_lines(hidden, NAMES) == []
    assert lines[-1] == "monte: Ac 4b 5b"
    assert len(lines) == 3


@pytest.mark.rule("PET-35")
def test_a_hand_is_worth_what_the_decks_in_play_make_it() -> None:
    state = dealt("As As As 7d Fd Cd", preset="marche", decks="3")
    assert worth(state, ITALIAN.split("As As As")) == "petranguló of 31"
    assert worth(state, ITALIAN.split("2d 2d 2d")) == "tris of 6"
    automatic = dealt("As", seats=13)
    assert automatic.deck.copies == 2
    assert worth(automatic, ITALIAN.split("As As 2s")) == "24 points"
    assert worth(state, [*ITALIAN.split("As As"), UNKNOWN]) == ""
    assert worth(state, ()) == ""
    assert worth(state, ITALIAN.split("As 2s")) == ""


def test_results_and_scores() -> None:
    assert result_line(Result((1,), (0, 1), (1, 1), (0, 2), "last-alive"), NAMES) == (
        "Bruno is the last one with tokens and wins."
    )
    assert result_line(Result((), (2, 1), (1, 1), (0, 0), "unfinished"), NAMES) == (
        "The match ends here, as the table agreed before it."
    )
    assert standing_line(dealt(), NAMES[:2]) == "Tokens: Ada 3, Bruno 3."


# -- inputs -----------------------------------------------------------------------------------


def told(state: State, text: str, names: tuple[str, ...] = NAMES[:2]) -> tuple[list[str], State]:
    move = GAME.parse(state, text)
    after = state.apply(move)
    return narrate(state, move, after, names), after


def test_a_hand_is_told_move_by_move() -> None:
    state = dealt("2d 2c 2s 7d Fd Rd Ac 4b 5b")  # seat 1 plays first, seat 0 deals
    a, b = (NAMES[seat] for seat in state.players)
    lines, state = told(state, "stay")
    assert lines == [f"stay          {b} says sto! and turns the monte up."]
    lines, state = told(state, "2d>4b")
    assert lines == [f"2d>4b         {a} gives two of coins for four of batons."]
    lines, state = told(state, "7d,Fd>Ac,2d")
    assert lines == [
        f"7d,Fd>Ac,2d   {b} gives seven of coins, jack of coins for ace of cups, two of coins."
    ]
    lines, state = told(state, "camicia")
    assert lines == [
        f"camicia       {a} makes a cambio camicia: the monte for all three cards.",
        f"Il gioco muore con {b}, who plays last.",
    ]
    lines, _ = told(state, "knock")
    assert lines[0] == f"knock         {b} knocks: busso!"
    assert any("falls (casca)" in line for line in lines)


def test_cards_that_the_reader_does_not_know_stay_hidden() -> None:
    state = dealt("2d 2c 2s 7d Fd Rd Ac 4b 5b")
    state = told(state, "stay")[1]
    move = GAME.parse(state, "2d>4b")
    table = state.view(None)
    assert move_text(table, move) == "??>4b"
    assert move_text(table, move, state.faces) == "2d>4b"
    (line,) = narrate(table, move, table, NAMES)[:1]
    assert "gives a hidden card for four of batons." in line


@given(st.integers(0, 2**32), st.sampled_from(sorted(GAME.presets)), st.integers(2, 5))
def test_whole_open_matches_can_be_told(seed: int, preset: str, seats: int) -> None:
    rng = random.Random(seed)
    state: State = GAME.start(make(GAME.options_type, GAME.presets[preset]), seats)
    names = ("Ada", "Bruno", "Carla", "Dino", "Elsa")[:seats]
    lines: list[str] = []
    for before, taken, after in play(state, rng):
        lines = narrate(before, taken, after, names)
        assert all(line.isprintable() and line.strip() for line in lines)
        assert lines
    assert any(" wins " in line for line in lines)


def play(state: State, rng: random.Random) -> Iterator[tuple[State, Input, State]]:
    """Play on by chance to the end."""
    while not isinstance(state.turn(), Over):
        taken = choice_of(state, rng)
        before, state = state, state.apply(taken)
        yield before, taken, state


def choice_of(state: State, rng: random.Random) -> Input:
    match state.turn():
        case Decide():
            return rng.choice(state.legal())
        case Ask(seats):
            return Answers(tuple((seat, rng.choice(state.legal(seat))) for seat in seats))
        case Cards((Draw(deck) | Shuffle(deck, _), *_)) as turn:
            faces = [deck.face(card) for card in range(deck.size)]
            rng.shuffle(faces)
            drawn = isinstance(turn.requests[0], Draw)
            return Drawn(tuple(faces)) if drawn else Shuffled(bytes(faces))
    raise AssertionError("an open match asks for nothing else")


# -- steps ------------------------------------------------------------------------------------


def history(data: bytes) -> list[Moment]:
    log = parts(data)
    return list(moments(parse_header(log.header), log, FAST))


@pytest.fixture(scope="module")
def short() -> list[Moment]:
    return history(small())


@pytest.fixture(scope="module", params=[whole, tricks], ids=lambda match: match.__name__)
def any_match(request: pytest.FixtureRequest) -> list[Moment]:
    return history(request.param())


@pytest.fixture(scope="module")
def long() -> list[Moment]:
    return history(whole())


def test_the_inputs_of_a_step_lead_from_state_to_state(any_match: list[Moment]) -> None:
    kinds = set()
    for moment in any_match:
        state = moment.before.state
        for taken in inputs(moment.step, moment.before, moment.after):
            kinds.add(type(taken).__name__)
            state = state.apply(taken)
        assert state.public() == moment.after.state.public()
        assert state.turn() == moment.after.state.turn()
    assert {"Drawn", "Shuffled", "Seen", "Revealed"} <= kinds
    moves = {"Cut", "Exchange", "Answers"} if "Cut" in kinds else {"Play", "Aside"}
    assert moves <= kinds


def test_positions_that_do_not_belong_together_are_our_own_bug(short: list[Moment]) -> None:
    moves = [m for m in short if m.step.entries[0].kind is Kind.MOVE]
    with pytest.raises(LocalProtocolError):
        inputs(moves[0].step, moves[0].before, moves[-1].after)


def test_each_note_is_told_exactly_once(any_match: list[Moment]) -> None:
    """What the engine announced, in a replay of its inputs, is what the steps tell."""
    expected: list[str] = []
    lines: list[str] = []
    for moment in any_match:
        names = names_of(moment.after)
        state = moment.before.state
        for taken in inputs(moment.step, moment.before, moment.after):
            state = state.apply(taken)
            expected += [phrase(moment.after.game, note, names) for note in state.notes]
        lines += narrate_step(moment.step, moment.before, moment.after)
    assert len(expected) > 20
    for sentence in set(expected):
        count = sum(line == sentence or line.endswith(f" {sentence}") for line in lines)
        assert count == expected.count(sentence), sentence


@pytest.mark.parametrize("view", [TABLE, 0, 1, 2])
def test_a_step_names_no_card_that_the_view_could_not_see(
    view: int, any_match: list[Moment]
) -> None:
    revealed = {
        hand_number(m.before): m.after.revealed
        for m in any_match
        if m.step.entries[0].kind is Kind.REVEAL
    }
    named = 0
    for moment in any_match:
        number = hand_number(moment.before)
        deck = deck_in(moment.after, revealed.get(number))
        lines = narrate_step(moment.step, moment.before, moment.after, deck=deck, view=view)
        state = moment.after.state
        if not deck or not state.faces:
            continue
        mask = state.opened if view == TABLE else state.visible(view)
        visible = {state.deck.kind.text(f) for s, f in enumerate(deck) if mask >> s & 1}
        cards = set(CARD.findall("\n".join(lines)))
        assert cards <= visible
        named += len(cards)
    assert named > 10


def test_a_seat_is_told_its_own_hand_and_the_table_is_not(long: list[Moment]) -> None:
    looks = next(m for m in long if m.step.entries[0].kind is Kind.SHARES)
    deck = deck_in(looks.after, next(m.after.revealed for m in long if m.after.revealed))
    state = looks.after.state
    for seat in range(3):
        lines = narrate_step(looks.step, looks.before, looks.after, deck=deck, view=seat)
        pile = "monte" if seat == state.dealer else names_of(looks.after)[seat]
        assert len(lines) == 1
        assert lines[0].startswith(f"{pile}: ")
        assert "?" not in lines[0]
    assert narrate_step(looks.step, looks.before, looks.after, deck=deck) == []


def test_all_hands_are_told_at_the_deal(long: list[Moment]) -> None:
    deal = next(m for m in long if m.after.state.faces)
    deck = deck_in(deal.after, next(m.after.revealed for m in long if m.after.revealed))
    lines = narrate_step(deal.step, deal.before, deal.after, deck=deck, view=ALL)
    assert lines[0].startswith("Shuffled by ")
    assert lines[0].endswith("each proved it.")
    assert [line.split(":")[0] for line in lines[1:]] == [*names_of(deal.after), "monte"]


def test_a_broken_promise_is_told_in_the_audit(short: list[Moment]) -> None:
    reveal = next(m for m in short if m.step.entries[0].kind is Kind.REVEAL)
    good = narrate_step(reveal.step, reveal.before, reveal.after)
    assert good[0].startswith("Audit: every seed fits its commitment")
    broken = Broken(1, 12, "PET-24", "a knock without showing 2d 2c 2s")
    after = dataclasses.replace(reveal.after, broken=(broken,))
    told_now = narrate_step(reveal.step, reveal.before, after)
    assert told_now[0] == (
        "Audit: Bruno broke a promise in step 12: a knock without showing 2d 2c 2s (PET-24)."
    )


def test_hands_have_numbers_and_headings(long: list[Moment]) -> None:
    numbers = [hand_number(moment.before) for moment in long]
    hands = sum(m.step.entries[0].kind is Kind.CHECKPOINT for m in long)
    assert numbers[0] == numbers[-1] == 0
    assert sorted(numbers[2:-1]) == numbers[2:-1]
    assert set(numbers[2:-1]) == set(range(1, hands + 1))
    first = next(m.before for m in long if hand_number(m.before) == 1)
    dealer = names_of(first)[first.state.dealer]
    assert hand_heading(first.state, names_of(first)) == ["Hand 1", f"{dealer} deals hand 1."]
    assert hand_heading(long[0].before.state, NAMES) == ["Hand 0"]


def test_knowledge_of_a_deck_follows_its_reseals(short: list[Moment]) -> None:
    position = next(m.after for m in short if m.after.state.faces)
    deal = position.dealt()
    faces = bytes(range(40))
    revealed = Revealed(faces, (((0, 1), (1, 0)), ((1, 2), (1, 0))))
    sent = Sent(0, Act.RESEAL, b"", (0, 1), deal.sent[0].deck, b"")

    def after(count: int) -> bytes:
        changed = dataclasses.replace(deal, sent=deal.sent + (sent,) * count)
        return deck_in(dataclasses.replace(position, deal=changed), revealed)[:3]

    assert [list(after(count)) for count in range(3)] == [[0, 1, 2], [1, 0, 2], [1, 2, 0]]
    assert deck_in(position, None) == b""
    assert list(deck_in(dataclasses.replace(position, deal=None), revealed)[:3]) == [1, 2, 0]


def test_known_faces_add_what_a_view_sees_and_nothing_else(short: list[Moment]) -> None:
    position = next(m.after for m in short if m.step.entries[0].kind is Kind.SHARES)
    state = position.state
    deck = bytes(range(40))
    assert known_faces(state, deck, TABLE) == state.faces
    assert known_faces(state, b"", 0) == known_faces(state, b"", ALL) == state.faces
    for seat in range(2):
        faces = known_faces(state, deck, seat)
        shown = {slot for slot, face in enumerate(faces) if face == deck[slot]}
        assert shown == {slot for slot in range(40) if state.visible(seat) >> slot & 1}
    assert known_faces(state, deck, ALL) == deck


def test_a_trick_is_told_card_by_card() -> None:
    lines = [
        line
        for moment in history(tricks())
        for line in narrate_step(moment.step, moment.before, moment.after)
    ]
    plays = [line for line in lines if " plays " in line]
    assert len(plays) == 39
    assert not any("hidden" in line for line in plays)
    assert all(re.fullmatch(r"\S\S {12}\w+ plays \w+ of \w+\.", line) for line in plays)
    assert [line for line in lines if line.startswith("aside")] == [
        line for line in lines if line.startswith("aside ??")
    ]
    assert not any(line.startswith("Turned up:") for line in lines)
    assert sum(" takes the trick: " in line for line in lines) == 13
