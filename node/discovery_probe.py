"""Asking the doors of tables that only DNS-SD tells of.

Law: this file calls what it is given with a host and a port, on a thread of its own, and compares
fingerprints. It must never know a socket. A table that shows another key's card is not confirmed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from node.discovery_listing import Id, Listed
from node.errors import DoorError
from protocol.identity import fingerprint
from protocol.messages import TableCard

PROBE_TIMEOUT: Final = 2.0
PROBE_EVERY: Final = 10.0
_HOSTS: Final = 2
"""Addresses of a table that are tried."""

Probe: TypeAlias = Callable[[str, int, float], tuple[TableCard, str]]
"""`node.door.find_table`: host, port, seconds; the card and who answered, or DoorError."""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A door has shown its card."""

    id: Id
    key: bytes
    ping: float


class Prober:
    """Asks the doors of tables that only DNS-SD tells of, one after the other, on a thread.

    The thread is not waited for: a door that doesn't answer would hold up whoever leaves. Only
    hosts that are `near` are asked, those on a link of ours: anybody can name any address by
    DNS-SD, and nobody shall have us knock at doors elsewhere.
    """

    def __init__(
        self,
        probe: Probe,
        clock: Callable[[], float],
        report: Callable[[Confirmed], None],
        near: Callable[[str], bool],
    ) -> None:
        self._probe = probe
        self._clock = clock
        self._report = report
        self._near = near
        self._asked: dict[Id, float] = {}
        self._stopped = False
        self._thread: threading.Thread | None = None

    def look(self, unconfirmed: tuple[Listed, ...], now: float) -> None:
        """Ask those that weren't asked for a while, if the last round is over."""
        if self._thread is not None and self._thread.is_alive():
            return
        kept = {(t.fingerprint, t.table) for t in unconfirmed}
        self._asked = {i: at for i, at in self._asked.items() if i in kept}
        wanted = [
            t
            for t in unconfirmed
            if now - self._asked.get((t.fingerprint, t.table), -PROBE_EVERY) >= PROBE_EVERY
        ]
        for table in wanted:
            self._asked[table.fingerprint, table.table] = now
        if wanted:
            self._thread = threading.Thread(
                target=self._round, args=(wanted,), name="busso-prober", daemon=True
            )
            self._thread.start()

    def stop(self) -> None:
        """Ask no more."""
        self._stopped = True

    def _round(self, tables: list[Listed]) -> None:
        for table in tables:
            for host in [h for h in table.addresses if self._near(h)][:_HOSTS]:
                if self._stopped:
                    return
                begun = self._clock()
                try:
                    card, _ = self._probe(host, table.port, PROBE_TIMEOUT)
                except DoorError:
                    continue
                found = fingerprint(card.key), card.table
                if found == (table.fingerprint, table.table):
                    self._report(Confirmed(found, card.key, self._clock() - begun))
                    break
