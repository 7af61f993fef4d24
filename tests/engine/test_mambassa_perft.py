"""How many ways there are to go on (perft), from positions of Mambassa that data files set up.

python -m tests.engine.test_mambassa_perft        write the counts again
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.contract import Answers, Ask, Decide, State
from tests.engine.mambassa_desk import Desk, begin

PERFT = Path(__file__).parents[1] / "vectors" / "perft"
CASES = [c for p in sorted(PERFT.glob("mambassa*.json")) for c in json.loads(p.read_text("utf-8"))]


def set_up(case: dict[str, Any]) -> Desk:
    """The open position of {seats, dealer, deck, moves, counts}, all having stated none."""
    state = begin(case["seats"], case["dealer"])
    desk = Desk(state, bytes(state.deck.kind.split(case["deck"])))
    desk.say(*case["moves"])
    turn = desk.state.turn()
    if isinstance(turn, Ask):
        desk.give(Answers(tuple((s, desk.state.legal(s)[0]) for s in turn.seats)))
    return desk


def continuations(state: State, depth: int) -> int:
    """Sequences of `depth` moves that don't go beyond the hand."""
    if depth == 0:
        return 1
    if not isinstance(state.turn(), Decide):
        return 0
    hand = state.hand
    if depth == 1:
        return len(state.legal())
    after = (state.apply(move) for move in state.legal())
    return sum(continuations(s, depth - 1) for s in after if s.hand == hand)


@pytest.mark.rule("MAM-10", "MAM-11", "MAM-32")
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['seats']}-after-{len(c['moves'])}")
def test_there_are_so_many_ways_to_go_on(case: dict[str, Any]) -> None:
    state = set_up(case).state
    depths = range(1, len(case["counts"]) + 1)
    assert [continuations(state, depth) for depth in depths] == case["counts"]


@pytest.mark.rule("MAM-10", "MAM-11")
def test_the_first_counts_follow_from_the_rules() -> None:
    """68 exchanges, each with a discard or without, a discard alone, a knock, all four; then one
    true statement, or four cards to discard, or the next player's turn."""
    turn = 68 + 68 + 3
    second = turn + 4 + 137  # after a knock, a discard, an exchange
    third = second + 4 + 68 * turn + 68 * 4 + turn
    counts = {c["seats"]: c["counts"] for c in CASES if c["moves"] in (["stay"], ["stay", "knock"])}
    assert counts[8] == [turn, second, third]
    assert counts[2] == [turn, second, third - turn]  # two knocks end the hand
    assert counts[3] == [turn, second, third - turn - 4]  # and so does a quarantuna


def main() -> None:
    """See the module."""
    for path in sorted(PERFT.glob("mambassa*.json")):
        found = json.loads(path.read_text("utf-8"))
        for case in found:
            state = set_up(case).state
            case["counts"] = [continuations(state, n + 1) for n in range(len(case["counts"]))]
        lines = ",\n".join(json.dumps(case) for case in found)
        path.write_bytes(f"[\n{lines}\n]\n".encode())


if __name__ == "__main__":
    main()
