"""The text record: reading, writing, checking; bad records as data, one failure each."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine import record as record_module
from engine import registry
from engine.cards import ITALIAN, UNKNOWN
from engine.contract import (
    Cards,
    Decide,
    Drawn,
    Input,
    Leave,
    Over,
    Resealed,
    Reveal,
    Revealed,
    Seen,
    Shuffled,
)
from engine.errors import EngineError, NotationError, OutOfTurn
from engine.record import (
    MAX_BYTES,
    MAX_CARDS,
    MAX_LINE,
    MAX_LINES,
    MAX_NAME,
    MAX_SEATS,
    DeckLine,
    DrawLine,
    Record,
    decode_record,
    name_fault,
    read_record,
    write_record,
)
from engine.replay import (
    RecordFault,
    RecordWriter,
    check,
    complete_draw,
    normalize,
    record_of,
    replay,
    shortest_draw,
)
from tests.engine import table
from tests.engine.table import Dealer, Setting, at_random, play

VECTORS = sorted((Path(__file__).parents[1] / "vectors" / "records").glob("*.record"))
SPECIFICATION = Path(engine.__file__).parent / "NOTATION.md"
EXAMPLE = SPECIFICATION.read_text(encoding="utf-8").split("```\n")[1]
CARDS = ITALIAN.join(range(40))


def edited(old: str, new: str, text: str = EXAMPLE) -> str:
    """`text` with its one `old` replaced."""
    assert text.count(old) == 1, old
    return text.replace(old, new)


def cut_at(line: str, text: str = EXAMPLE) -> str:
    """`text` up to and including `line`."""
    return text[: text.index(f"\n{line}\n") + len(line) + 2]


# ---------------------------------------------------------------------------------------------
# The specification


def test_the_example_of_the_specification_is_a_whole_match() -> None:
    last = check(read_record(EXAMPLE))
    turn = last.turn()
    assert isinstance(turn, Over)
    assert turn.result.winners == (1,)


def test_the_example_is_canonical_but_for_its_comment() -> None:
    record = read_record(EXAMPLE)
    without = "".join(line for line in EXAMPLE.splitlines(True) if not line.startswith("#"))
    assert write_record(record) == without.replace("\n\n\n", "\n\n")
    assert normalize(record) == record


def test_the_specification_states_the_bounds() -> None:
    text = SPECIFICATION.read_text(encoding="utf-8")
    assert MAX_BYTES == 1 << 20
    assert "at most 1 MiB" in text
    assert f"{MAX_LINES:,} lines" in text
    assert f"{MAX_LINE:,} printable characters" in text
    assert f"1 to {MAX_NAME} printable" in text


def test_replay_tells_each_input_with_its_line_and_state() -> None:
    steps = list(replay(read_record(EXAMPLE)))
    assert [type(step.given).__name__ for step in steps] == [
        "NoneType", "Drawn", "Cut", "Shuffled", "Stay", "Exchange", "Exchange",
        "KnockShow", "Knock",
    ]  # fmt: skip
    lines = EXAMPLE.splitlines()
    assert [lines[step.line - 1].split()[0] for step in steps] == [
        "game", "draw", "1", "deck", "0", "1", "0", "1", "0",
    ]  # fmt: skip
    for before, after in itertools.pairwise(steps):
        assert after.given is not None
        assert before.state.apply(after.given).public() == after.state.public()


# ---------------------------------------------------------------------------------------------
# What is wrong


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_bad_records_fail_where_and_as_expected(path: Path) -> None:
    data = path.read_bytes()
    found = re.search(rb"# expect: (notation|fault) (\d+)( [A-Z]+-\d+)?\s*$", data)
    assert found, "a vector ends by saying what is wrong with it"
    kind, line, rule = found.groups()
    with pytest.raises(EngineError) as caught:
        check(read_record(decode_record(data)))
    error = caught.value
    assert type(error) is (NotationError if kind == b"notation" else RecordFault)
    assert isinstance(error, NotationError | RecordFault)
    assert error.line == int(line), str(error)
    if isinstance(error, RecordFault):
        assert error.rule == (rule.decode().strip() if rule else None), str(error)
    assert str(error).isprintable()
    assert len(str(error)) < 400


def test_there_are_bad_records() -> None:
    assert len(VECTORS) > 80


def test_bounds_hold() -> None:
    check(read_record(EXAMPLE + "#\n" * 100))
    with pytest.raises(NotationError, match="octets"):
        decode_record(b"#" * (MAX_BYTES + 1))
    with pytest.raises(NotationError, match="octets"):
        read_record("#" * (MAX_BYTES + 1))
    lines = EXAMPLE.count("\n") + 1
    read_record(EXAMPLE + "\n" * (MAX_LINES - lines))
    with pytest.raises(NotationError, match="lines"):
        read_record(EXAMPLE + "\n" * (MAX_LINES - lines + 1))
    read_record(EXAMPLE + "#" * MAX_LINE)
    with pytest.raises(NotationError, match="characters"):
        read_record(EXAMPLE + "#" * (MAX_LINE + 1))
    head = EXAMPLE[: EXAMPLE.index("seat 0")]
    most = "".join(f"seat {n} x\n" for n in range(MAX_SEATS))
    assert len(read_record(head + most).seats) == MAX_SEATS
    with pytest.raises(NotationError, match="at most 64 seats"):
        read_record(f"{head}{most}seat {MAX_SEATS} x\n")
    draw = cut_at("seat 1 Bruno") + "draw Ac\n"
    assert len(draw_of(read_record(draw + "+ Ac\n" * (MAX_CARDS - 1)))) == MAX_CARDS
    with pytest.raises(NotationError, match="cards"):
        read_record(draw + "+ Ac\n" * MAX_CARDS)


def draw_of(record: Record) -> tuple[str, ...]:
    return next(entry.cards for entry in record.entries if isinstance(entry, DrawLine))


@pytest.mark.parametrize("text", ["", "\n", "busso record 1", "busso record 1\n", "\x00", "\ud800"])
def test_almost_nothing_is_no_record(text: str) -> None:
    with pytest.raises(NotationError):
        read_record(text)


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_octets_are_refused_by_a_sentence(data: bytes) -> None:
    with pytest.raises(NotationError):
        read_record(decode_record(data))


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_a_damaged_record_is_read_or_refused_with_its_line(data: st.DataObject) -> None:
    lines = EXAMPLE.split("\n")
    at = data.draw(st.integers(0, len(lines) - 1))
    match data.draw(st.sampled_from(["drop", "twice", "swap", "text", "words"])):
        case "drop":
            del lines[at]
        case "twice":
            lines.insert(at, lines[at])
        case "swap":
            other = data.draw(st.integers(0, len(lines) - 1))
            lines[at], lines[other] = lines[other], lines[at]
        case "text":
            place = data.draw(st.integers(0, len(lines[at])))
            lines[at] = lines[at][:place] + data.draw(st.text(max_size=3)) + lines[at][place:]
        case _:
            words = lines[at].split()
            lines[at] = " ".join(data.draw(st.permutations(words)))
    error = fault_of("\n".join(lines))
    if error is not None:
        assert 0 <= error.line <= len(lines) + 2
        assert str(error).isprintable()


def fault_of(text: str) -> NotationError | RecordFault | None:
    """What is wrong with `text`; other errors are ours and pass through."""
    try:
        check(read_record(text))
    except (NotationError, RecordFault) as error:
        return error
    return None


# ---------------------------------------------------------------------------------------------
# Layout


def test_layout_says_nothing() -> None:
    loose = EXAMPLE.replace("\n", "\r\n\r\n").replace(" ", "   ").replace("Ada,", "Ada")
    loose = "busso record 1\r\n" + loose.split("\r\n", 1)[1]
    loose = re.sub(r"^#.*$", "# altro", loose, flags=re.MULTILINE)
    assert read_record(loose) == read_record(EXAMPLE)
    assert read_record(EXAMPLE.rstrip("\n")) == read_record(EXAMPLE)


def test_a_deck_may_stand_on_one_line_or_on_many() -> None:
    one = EXAMPLE.replace("\n+", "")
    many = re.sub(r"^(deck|\+) (.*)$", _spread, EXAMPLE, flags=re.MULTILINE)
    assert many.count("\n+") > 30
    assert read_record(one) == read_record(EXAMPLE) == read_record(many)
    assert write_record(read_record(one)) == write_record(read_record(EXAMPLE))


def _spread(found: re.Match[str]) -> str:
    first, *rest = found[2].split()
    return "\n+ ".join([f"{found[1]} {first}", *rest])


NAMES = ["hand", "0", "# Ada", "deck Ac", "Zoë", "ابو", "李四", "-", "may-return", "x" * 32]


@pytest.mark.parametrize("name", NAMES)
def test_names_can_be_what_lines_begin_with(name: str) -> None:
    record = read_record(edited("seat 0 Ada", f"seat 0 {name}"))
    assert record.names == (name, "Bruno")
    assert read_record(write_record(record)) == record


@given(st.text(max_size=34))
@settings(max_examples=100, deadline=None)
def test_a_name_that_is_written_can_be_read(name: str) -> None:
    text = EXAMPLE.replace("seat 0 Ada", f"seat 0 {name}", 1)
    if name_fault(name):
        with pytest.raises(NotationError):
            RecordWriter(registry.get("petrangola"), options(), [name, "Bruno"])
    else:
        assert read_record(text).names[0] == name


def options(*given_options: tuple[str, str]) -> object:
    game = registry.get("petrangola")
    return table.options_of(game, game.default_preset, given_options)


# ---------------------------------------------------------------------------------------------
# Canonical words


def test_options_that_say_nothing_are_left_out() -> None:
    text = edited("option tokens 1", "option stake 1\noption tokens 01\noption reentries 1")
    assert normalize(read_record(text)) == read_record(EXAMPLE)


def test_the_preset_that_fits_best_is_written() -> None:
    game = registry.get("petrangola")
    marche = dict(game.presets["marche"])
    turned = "".join(
        f"option {name} {str(value).lower() if isinstance(value, bool) else value}\n"
        for name, value in marche.items()
    )
    text = edited("option tokens 1\n", turned + "option tokens 1\n")
    text = edited("preset marche", "preset emilia", text)
    assert normalize(read_record(text)) == read_record(EXAMPLE)


def test_draws_are_cut_at_the_card_that_decides() -> None:
    rest = " ".join(card for card in CARDS.split() if card not in {"6c", "3s", "Ad"})
    for more in ("Rb", rest):
        text = edited("draw 6c 3s Ad", f"draw 6c 3s Ad {more}")
        assert normalize(read_record(text)) == read_record(EXAMPLE)


@pytest.mark.rule("PET-04")
@given(order=st.permutations(range(40)), seats=st.integers(2, 12))
@settings(max_examples=40, deadline=None)
def test_the_ace_of_denari_decides_a_draw_and_no_card_before_it(
    order: list[int], seats: int
) -> None:
    state = Setting("petrangola", "marche", seats).start()
    faces = tuple(order)
    ace = faces.index(ITALIAN.parse("Ad"))
    top = shortest_draw(state, faces)
    assert len(top) <= ace + 1
    if len(top) <= ace:  # only when every place left for the ace means the same dealer
        assert len({place % seats for place in range(len(top), 40)}) == 1
    outcome = state.apply(Drawn(faces)).public()
    assert state.apply(complete_draw(state, top)).public() == outcome
    if len(top) > 1:
        with pytest.raises(NotationError, match="decide"):
            complete_draw(state, top[:-1])


def test_a_result_is_stated_only_where_it_was() -> None:
    bare = EXAMPLE[: EXAMPLE.index("result")]
    assert normalize(read_record(bare)).result is None
    assert check(read_record(bare)).public() == check(read_record(EXAMPLE)).public()


# ---------------------------------------------------------------------------------------------
# Records that end early, void hands


@pytest.mark.parametrize("lines", range(6, EXAMPLE.count("\n")))
def test_a_record_may_end_after_any_line(lines: int) -> None:
    text = "".join(EXAMPLE.splitlines(True)[:lines])
    if text.count("deck") == 1 and "+" not in text:
        return  # half a deck
    record = read_record(text)
    check(record)
    assert read_record(write_record(record)) == record
    assert check(normalize(record)).public() == check(record).public()


def test_an_unfinished_match_has_a_result_too() -> None:
    text = cut_at("1 2c>Cd") + "result unfinished winners - scores 1 1 paid 1 1 won 0 0\n"
    record = read_record(text)
    check(record)
    assert normalize(record) == record


THREE = """busso record 1
game petrangola 1
preset marche
option tokens 1
seat 0 Ada
seat 1 Bruno
seat 2 Carla

draw Ad

hand 1
2 cut 1
deck unknown
leave 1 may-return
1 reenter

hand 2
"""


@pytest.mark.rule("GEN-02")
def test_a_void_hand_uses_its_number_up() -> None:
    text = THREE + "2 cut 1\ndeck unknown\nleave 0\n\nhand 3\n2 cut 3\n"
    record = read_record(text)
    state = check(record)
    assert state.hand == 3
    assert state.scores() == (0, 1, 1)
    assert write_record(record) == text
    assert normalize(record) == record
    with pytest.raises(RecordFault, match="hand 3"):
        check(read_record(edited("hand 3\n", "", text)))
    with pytest.raises(RecordFault, match="this is hand 3, not 4"):
        check(read_record(edited("hand 3", "hand 4", text)))


def test_answers_are_lines_of_their_own_and_may_be_missing_at_the_end() -> None:
    asked = THREE[: THREE.index("1 reenter")]
    state = check(read_record(asked))
    assert type(state.turn()).__name__ == "Ask"
    assert isinstance(check(read_record(asked + "leave 0\n")).turn(), Over)
    for wrong in ("0 reenter", "1 stay", "1 ree", "hand 2", "deck unknown"):
        record = read_record(asked + wrong + "\n")
        with pytest.raises(RecordFault) as caught:
            check(record)
        assert caught.value.line == asked.count("\n") + 1


FOUR = """busso record 1
game petrangola 1
preset marche
seat 0 Ada
seat 1 Bruno
seat 2 Carla
seat 3 Dora

draw Ad

hand 1
3 cut 1
deck unknown
leave 1 2 may-return
"""


def test_all_who_are_asked_answer_before_anything_else() -> None:
    line = FOUR.count("\n") + 2
    assert check(read_record(FOUR + "1 decline\n2 reenter\n")).scores() == (3, 0, 3, 3)
    assert check(read_record(FOUR + "1 decline\n")).scores() == (3, 0, 0, 3)
    for wrong in ("leave 3", "hand 2", "1 reenter", "3 reenter", "deck unknown"):
        with pytest.raises(RecordFault, match=r"the answer of seat 2 \(Carla\) is due") as caught:
            check(read_record(f"{FOUR}1 decline\n{wrong}\n"))
        assert caught.value.line == line
    for moves, at, rule in (
        ("1 stay\n2 reenter", line - 1, "PET-50"),
        ("1 decline\n2 knock", line, "PET-50"),
        ("1 stay", line - 1, None),
    ):
        with pytest.raises(RecordFault) as caught:
            check(read_record(f"{FOUR}{moves}\n"))
        assert (caught.value.line, caught.value.rule) == (at, rule)


def test_a_seat_that_was_out_already_may_leave_without_ending_the_hand() -> None:
    """Such a Leave says that it can't come back; the others play on."""
    head = FOUR + "1 decline\n2 decline\n\nhand 2\n3 cut 2\n"
    deck = re.sub(r"\bRb\b", "??", EXAMPLE[EXAMPLE.index("deck") : EXAMPLE.index("0 stay")])
    text = head + deck + "0 stay\nleave 1\n3 2c>Cd\nleave 3\n"
    last = check(read_record(text)).turn()
    assert isinstance(last, Over)
    assert last.result.winners == (0,)
    canonical = normalize(read_record(text))
    assert "deck unknown\nleave 3\n" in write_record(canonical)
    start, *steps = list(
        replay(read_record(text.removesuffix("leave 3\n") + "0 knock\n3 knock-show\nleave 3\n"))
    )
    end = steps[-1].state
    record = record_of(
        start.state.game,
        start.state.options,
        ["Ada", "Bruno", "Carla", "Dora"],
        [step.given for step in steps if step.given is not None],
    )
    assert "\nleave 1\n3 2c>Cd\n" in write_record(record)
    assert check(record).public() == end.public()


def live_inputs(setting: Setting, seed: int) -> list[tuple[Input, object]]:
    rng = Random(seed)
    return [
        (given_, state.turn())
        for state, given_, _ in play(setting.start(), Dealer(rng, live=True), at_random(rng))
    ]


def test_a_hand_left_after_its_showdown_is_written_with_the_cards_that_came_out() -> None:
    setting = Setting("petrangola", "marche", 3)
    start = setting.start()
    played = live_inputs(setting, 4)
    first = next(n for n, (_, turn) in enumerate(played) if turn == Cards((Reveal(),)))
    inputs = [given_ for given_, _ in played[:first]] + [Leave((0,))]
    state = start
    for given_ in inputs:
        state = state.apply(given_)
    record = record_of(start.game, start.options, ["A", "B", "C"], inputs)
    decks = [entry.cards for entry in record.entries if isinstance(entry, DeckLine)]
    assert [card == "??" for card in decks[0]] == [n >= 12 for n in range(40)]
    again = read_record(write_record(record))
    assert again == record == normalize(record)
    assert check(again).public() == state.public()


def test_a_hand_that_is_going_on_has_no_deck_yet() -> None:
    setting = Setting("petrangola", "marche", 3)
    start = setting.start()
    inputs = [given_ for given_, _ in live_inputs(setting, 4)]
    shuffle = next(n for n, given_ in enumerate(inputs) if isinstance(given_, Shuffled))
    for end in (shuffle + 1, shuffle + 3):
        record = record_of(start.game, start.options, ["A", "B", "C"], inputs[:end])
        assert not [entry for entry in record.entries if isinstance(entry, DeckLine)]
        assert check(record).hand == 1


@pytest.mark.rule("GEN-01", "PET-24")
def test_a_broken_promise_is_written_as_a_void_hand() -> None:
    """Bruno knocks plainly with a scala: live nobody can tell, in an open game it is illegal."""
    steps = list(replay(read_record(EXAMPLE)))
    dealt = next(step.given for step in steps if isinstance(step.given, Shuffled))
    assert dealt.faces is not None
    game = registry.get("petrangola")
    writer = RecordWriter(game, steps[0].state.options, ["Ada", "Bruno"])
    words = ["stay", "2c>Cd", "5b>4s", "knock", "knock"]
    for step in steps[1:3]:
        assert step.given is not None
        writer.add(step.given)
    writer.add(Shuffled(None))
    for _ in range(40):
        turn = writer.state.turn()
        if isinstance(turn, Over):
            break
        if isinstance(turn, Decide):
            known = dict(enumerate(dealt.faces))
            writer.add(game.parse(writer.state.informed(known), words.pop(0), turn.seat))
        elif turn == Cards((Reveal(),)):
            writer.add(Revealed(dealt.faces))
        else:
            dealer = Dealer(Random(0), live=True, faces=list(dealt.faces))
            assert isinstance(turn, Cards)
            writer.add(dealer.answer(turn))
    assert not words
    text = write_record(writer.record())
    assert "deck unknown\nleave 1\n" in text
    last = check(read_record(text)).turn()
    assert last == writer.state.turn()
    assert isinstance(last, Over)
    assert last.result.winners == (0,)


def test_the_writer_takes_nothing_that_is_not_due() -> None:
    game = registry.get("petrangola")
    writer = RecordWriter(game, options(), ["Ada", "Bruno"])
    wrong: list[Input] = [Seen(()), Resealed(), Revealed(bytes(40)), Shuffled(None)]
    for given_ in wrong:
        with pytest.raises(OutOfTurn):
            writer.add(given_)
    assert writer.record(result=False).entries == ()


def test_an_unknown_card_is_two_question_marks() -> None:
    assert ITALIAN.text(UNKNOWN) == record_module.UNKNOWN_CARD
