"""What a log that is taken up again tells: its steps as they were heard when they were made.

Law: pure but for the player's own decryption; it moves nothing in the table that it reads. A reader
is told of a card only what it saw at that step, never what came out later: of the hand in play by
following the deal anew, of earlier hands by what their seeds revealed and that seat could see.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Sequence

from engine.contract import Revealed, State
from node.narrate import deck_in, known_faces
from protocol.contribution import Kind
from protocol.log import Step
from protocol.player import Player
from protocol.position import Position
from protocol.table import Table
from protocol.table_events import Advanced


def kept(table: Table) -> list[Advanced]:
    """The last steps of the log, as far back as the table keeps the positions around them: those
    that may still be cut, and more than any hand has."""
    found: list[Advanced] = []
    for step in reversed(tuple(table.steps)):
        before, after = table.at(step.number), table.at(step.number + 1)
        if before is None or after is None:
            break
        found.append(Advanced(step, before, after))
    return found[::-1]


def seen(table: Table, events: Sequence[Advanced]) -> list[State]:
    """The game after each of the table's last steps, as this node's seat saw it then."""
    player = table.player
    if player is None:
        return [event.after.state for event in events]
    reader: Player | None = None
    hand = table.position.state.hand
    revealed = {
        event.before.state.hand: event.after.revealed
        for event in events
        if event.step.entries[0].kind is Kind.REVEAL
    }
    states = []
    for event in events:
        after = event.after
        if after.state.hand != hand:
            states.append(_revealed(after, player.seat, revealed.get(after.state.hand)))
            continue
        if reader is None:
            reader = copy.copy(player)  # the table's own goes on knowing what it knows
            reader.look_again(after)
        else:
            reader.follow(after)
        states.append(reader.view(after))
    return states


def _revealed(position: Position, seat: int, revealed: Revealed | None) -> State:
    """An earlier hand with what its seeds told; of a void one only what lay open."""
    state = position.state
    if not state.faces or seat not in position.order:
        return state
    deck = deck_in(position, revealed)
    return state.with_faces(known_faces(state, deck, position.chair(seat)))


def audited(steps: Sequence[Step]) -> int:
    """How many hands were audited and found right: whoever broke a promise doesn't sign the hand,
    unless all did."""
    pairs = itertools.pairwise(steps)
    return sum(
        one.entries[0].kind is Kind.REVEAL
        and after.entries[0].kind is Kind.CHECKPOINT
        and len(one.entries) == len(after.entries)
        for one, after in pairs
    )
