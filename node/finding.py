"""From a target (a listed table, an invitation, a place) to the card that its door shows.

    card, host = find(target, 5.0)          then session.join(card, host)

Law: this file calls the door (`probe`) at the addresses that a target names, and takes a card only
if it is that of the table which was meant. It opens no connection itself and resolves no name. An
address that doesn't answer delays the next one by STAGGER and no more, as RFC 8305 has it.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from node.discovery_listing import Listed
from node.discovery_probe import Probe
from node.door import find_table
from node.errors import DoorError, NodeError, NotATable, Unreachable
from node.invitation import MAX_ADDRESSES, Invitation, Place
from protocol.identity import fingerprint
from protocol.messages import TableCard

STAGGER: Final = 0.25
"""Seconds that an address has before the next one is tried beside it."""

Target: TypeAlias = Listed | Invitation | Place
_Result: TypeAlias = tuple[TableCard, str] | Exception


class OtherTable(DoorError):
    """A door answered, but another table is behind it than the one that was meant."""


def find(target: Target, timeout: float, *, probe: Probe = find_table) -> tuple[TableCard, str]:
    """The card of the table that `target` means, and the numeric host that showed it.

    All within about `timeout` seconds. Raises what the likeliest address had to say: `Unreachable`,
    `NotATable`, `OtherVersion`, `TurnedAway`; or `OtherTable`.
    """
    match target:
        case Place():
            return first_door([target], lambda card: True, timeout, probe)
        case Invitation():
            return first_door(target.places, target.matches, timeout, probe)
        case Listed():
            places = [Place(host, target.port) for host in target.addresses]
            return first_door(places, lambda card: is_listed(card, target), timeout, probe)


def is_listed(card: TableCard, listed: Listed) -> bool:
    """Whether `card` is that of the table in the list: the same host key, the same table."""
    return card.table == listed.table and fingerprint(card.key) == listed.fingerprint


def first_door(
    places: Sequence[Place],
    accept: Callable[[TableCard], bool],
    timeout: float,
    probe: Probe = find_table,
) -> tuple[TableCard, str]:
    """The first card that `accept` takes of the doors at `places`, which are tried in this order,
    each beside those before it once they have had STAGGER seconds."""
    waiting = list(places[:MAX_ADDRESSES])
    count = len(waiting)
    results: queue.SimpleQueue[tuple[int, _Result]] = queue.SimpleQueue()
    failures: dict[int, Exception] = {}
    deadline = time.monotonic() + timeout
    while len(failures) < count:
        if waiting:
            _try(count - len(waiting), waiting.pop(0), timeout, probe, results)
        left = deadline - time.monotonic()
        try:
            # A door that answers at the last moment is still heard: `probe` keeps to the timeout.
            number, result = results.get(timeout=STAGGER if waiting else max(STAGGER, left))
        except queue.Empty:
            if not waiting:
                break
            continue
        if isinstance(result, Exception):
            failures[number] = result
        elif accept(result[0]):
            return result
        else:
            failures[number] = OtherTable("Another table is at that address now.")
    raise _told(failures)


def _try(
    number: int,
    place: Place,
    timeout: float,
    probe: Probe,
    results: queue.SimpleQueue[tuple[int, _Result]],
) -> None:
    """Ask one door on a thread of its own, which nobody waits for."""

    def ask() -> None:
        try:
            results.put((number, probe(place.host, place.port, timeout)))
        except Exception as error:  # raised again by whoever reads the results
            results.put((number, error))

    threading.Thread(target=ask, name=f"busso-door-{number}", daemon=True).start()


def _told(failures: dict[int, Exception]) -> Exception:
    """What to raise: a bug of ours, else what a door said, else why none was reached."""
    errors = [failures[number] for number in sorted(failures)]
    for error in errors:
        if not isinstance(error, NodeError):
            return error
    for error in errors:
        if not isinstance(error, Unreachable | NotATable):
            return error
    return errors[0] if errors else Unreachable("No address of that table answers.")
