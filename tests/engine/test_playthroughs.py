"""Golden playthroughs: at least one recorded match of every registered game, with the public
state after each line as comments, so that any change of behaviour shows as a difference.

    python -m tests.engine.test_playthroughs --update            write all again
    python -m tests.engine.test_playthroughs STEM GAME PRESET SEATS SEED [OPTION=VALUE ...]

The second form plays a new match into STEM.record.

Law: the files are the specification. Update them only with the rules' version or the notation.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from random import Random

import pytest

from engine import registry
from engine.contract import Ask, Cards, Decide, Draw, Over, Shuffle, State
from engine.record import decode_record, read_record, write_record
from engine.replay import RecordWriter, Step, normalize, replay
from tests.engine import table
from tests.engine.table import Dealer, at_random, by_advice, next_input

FOLDER = Path(__file__).parents[1] / "playthroughs"
GOLDEN = sorted(FOLDER.glob("*.record"))
each = pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
_DIGEST = 12


def due(state: State) -> str:
    """What a state waits for, in few words, with the number of moves to choose from."""
    match state.turn():
        case Decide(seat):
            return f"seat {seat} chooses of {len(state.legal(seat))}"
        case Ask(seats):
            return "seats {} answer of {}".format(
                " ".join(map(str, seats)), len(state.legal(seats[0]))
            )
        case Cards((Draw(deck), *_)):
            return f"draw of {deck.size}"
        case Cards((Shuffle(deck, cut), *_)):
            return f"deck of {deck.size} cut at {cut}"
        case Cards(requests):
            return f"cards {type(requests[0]).__name__}"
        case Over(result):
            return f"over {result.reason}"


def tell(state: State) -> list[str]:
    """The public state as comment lines."""
    digest = hashlib.sha256(repr(state.public()).encode()).hexdigest()[:_DIGEST]
    out = [
        f"hand {state.hand} dealer {state.dealer} players {_join(state.players)}"
        f" scores {_join(state.scores())}: {due(state)} [{digest}]"
    ]
    if state.faces:
        kind = state.deck.kind
        out += [
            f"  {pile.name} {pile.seat if pile.seat >= 0 else '-'}:"
            f" {kind.join(state.faces[slot] for slot in pile.slots)}"
            for pile in state.piles()
            if pile.name != "stock"
        ]
    for note in state.notes:
        seat = note.seat if note.seat >= 0 else "-"
        out.append(f"  note {note.kind} {seat} {_join(note.values)}".rstrip())
    return [f"#   {line}" for line in out]


def _join(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers))


def annotate(text: str) -> str:
    """The canonical text of a record with what each of its lines leads to."""
    plain = write_record(normalize(read_record(text)))
    after: dict[int, list[Step]] = {}
    for step in replay(read_record(plain)):
        after.setdefault(step.line, []).append(step)
    out: list[str] = []
    told: list[str] = []
    for number, line in enumerate(plain.splitlines(), 1):
        if told and not line.startswith("+"):
            out += told
            told = []
        out.append(line)
        told = told or [words for step in after.get(number, ()) for words in tell(step.state)]
        if number == 2:  # the first state stands after the header
            first, told = told, []
    header = out.index("")
    return "\n".join([*out[:header], *first, *out[header:], *told]) + "\n"


@pytest.mark.parametrize("name", registry.GAMES)
def test_every_game_has_playthroughs_of_its_presets(name: str) -> None:
    records = [read_record(decode_record(path.read_bytes())) for path in GOLDEN]
    presets = {record.preset for record in records if record.game == name}
    assert presets == set(registry.get(name).presets)


@each
def test_a_playthrough_is_played_as_it_was(path: Path) -> None:
    text = decode_record(path.read_bytes())
    assert annotate(text) == text


@each
def test_a_playthrough_is_a_whole_match(path: Path) -> None:
    record = read_record(decode_record(path.read_bytes()))
    *_, last = replay(record)
    assert isinstance(last.state.turn(), Over)
    assert record.result is not None
    assert path.name.startswith(f"{record.game}-")


@each
def test_a_playthrough_holds_only_what_was_played(path: Path) -> None:
    """Its comments are all generated: nothing in the file escapes the comparison."""
    plain = write_record(read_record(decode_record(path.read_bytes())))
    assert annotate(plain) == path.read_text(encoding="utf-8")


def test_the_playthroughs_show_every_kind_of_line() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in GOLDEN)
    for line in ("\ndraw ", "\nhand ", "\ndeck ", "\n+ ", "\nleave ", "\nresult "):
        assert line in text


def record_match(arguments: list[str]) -> None:
    """Play a match, half by advice and half by chance, and write it as a golden one."""
    stem, name, preset, seats, seed, *given = arguments
    game = registry.get(name)
    pairs = [(n, v) for n, _, v in (item.partition("=") for item in given)]
    options = table.options_of(game, preset, pairs)
    rng = Random(int(seed))
    writer = RecordWriter(game, options, [f"Seat {n}" for n in range(int(seats))])
    dealer = Dealer(rng)
    while True:
        choose = (at_random if rng.random() < 0.5 else by_advice)(rng)
        move = next_input(writer.state, dealer, choose)
        if move is None:
            break
        writer.add(move)
    path = FOLDER / f"{stem}.record"
    path.write_bytes(annotate(write_record(writer.record())).encode())
    sys.stdout.write(f"{path.name}\n")


def main(arguments: list[str]) -> None:
    """See the module."""
    if arguments != ["--update"]:
        record_match(arguments)
        return
    for path in GOLDEN:
        path.write_bytes(annotate(decode_record(path.read_bytes())).encode())


if __name__ == "__main__":
    main(sys.argv[1:])
