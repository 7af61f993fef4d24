"""Who passes what to whom, where two players can't reach each other but both reach a third.

Law: a graph of keys, hashes and readings of a clock; no socket. It is fed what every peer tells of
its links (STATE) and what this node sees itself, and says to whom an entry goes on. It must never
pass on what its author may not have signed: whoever hands on a forgery is blamed for it.

    A - B - C   A plays; C has no link with A; B is the lowest key linked with both: B sends A's
                octets, as they came, to C.

In general a player is reached over a shortest way: of its neighbours that are nearest to the author
the one with the lowest key passes the entry on, so every node decides alike without a word, and a
chain of several works too. Nodes whose pictures of the links differ for a moment send an entry
twice or not at all; twice is dropped here, not at all is healed by asking (`node.sync`).
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from typing import Final

from node.counters import Entries
from protocol.contribution import Entry, statement
from protocol.identity import verify
from protocol.messages import State
from protocol.table import Verdict

WINDOW: Final = 0.2
"""Seconds in which a second copy is dropped unread. Not longer: what couldn't be used when it came
may have been asked for since (`node.sync.PATIENCE`), and comes as the same octets."""
REMEMBERED: Final = 4_096
"""Hashes of entries that are remembered; the oldest give way."""

CHECKED: Final = frozenset((Verdict.ACCEPTED, Verdict.GUILTY))
"""Verdicts that an entry gets only after its signature was found good."""


class Relay:
    """One node's part in passing on. `keys` are the seats' keys in order, `own` this node's seat.

    A spectator, which is asked to pass on nothing and has no index in STATE, gives None.
    """

    def __init__(self, keys: Sequence[bytes], own: int | None, clock: Callable[[], float]) -> None:
        self._keys = tuple(keys)
        self._seats = {key: seat for seat, key in enumerate(keys)}
        self._own = own
        self._clock = clock
        self._linked: set[int] = set()
        self._told: dict[int, frozenset[int]] = {}
        self.entries = Entries()
        self._seen: OrderedDict[bytes, float] = OrderedDict()
        self._ways: dict[int, tuple[bytes, ...]] = {}
        """For each author the keys that this node passes to: worked out once a change of links."""

    # What is known of links.

    @property
    def links(self) -> tuple[int, ...]:
        """This node's own links, for its STATE."""
        return tuple(sorted(self._linked))

    def link(self, key: bytes, works: bool) -> bool:
        """Whether we hear from `key` now (up, and not lagging); True if that is a change."""
        seat = self._seats.get(key)
        if seat is None or seat == self._own or works == (seat in self._linked):
            return False
        if works:
            self._linked.add(seat)
        else:
            self._linked.discard(seat)
            self._told.pop(seat, None)
        self._ways.clear()
        return True

    def heard(self, key: bytes, state: State) -> None:
        """A peer has told its links."""
        seat = self._seats.get(key)
        if seat is None or seat == self._own:
            return
        links = frozenset(n for n in state.links if n < len(self._keys) and n != seat)
        if self._told.get(seat) != links:
            self._told[seat] = links
            self._ways.clear()

    # Entries.

    def fresh(self, entry: Entry) -> bool:
        """Whether this entry didn't come a moment ago; ask before its signature is checked."""
        name, now = entry.contribution.identity(entry.place), self._clock()
        last = self._seen.get(name)
        if last is None or not 0 <= now - last < WINDOW:
            return True
        self.entries.repeated += 1
        return False

    def onward(self, sender: bytes | None, entry: Entry, verdict: Verdict) -> tuple[bytes, ...]:
        """To whom an entry that came as ENTRY goes on; it counts as seen from now on.

        `sender` is who gave it to us. Nobody gets an entry twice, nor one whose signature the
        verdict doesn't vouch for. One that is early is checked here: a table that is many steps
        behind doesn't.
        """
        self.entries.note(verdict)
        c = entry.contribution
        name = c.identity(entry.place)
        known = name in self._seen
        if verdict is Verdict.EARLY and not known and self._signed(entry):
            verdict = Verdict.ACCEPTED
        if verdict in CHECKED or verdict in (Verdict.DUPLICATE, Verdict.FORGED):
            self._seen[name] = self._clock()
            self._seen.move_to_end(name)
            if len(self._seen) > REMEMBERED:
                self._seen.popitem(last=False)
        if known or verdict not in CHECKED:
            return ()
        found = tuple(key for key in self.ways(c.seat) if key != sender)
        self.entries.passed_on += len(found)
        return found

    def _signed(self, entry: Entry) -> bool:
        c = entry.contribution
        if not 0 <= c.seat < len(self._keys) or not self.ways(c.seat):
            return False
        return verify(self._keys[c.seat], statement(entry.place, c), c.signature)

    def ways(self, author: int) -> tuple[bytes, ...]:
        """The keys to which this node passes what `author` signs."""
        if author not in self._ways:
            self._ways[author] = self._work_out(author)
        return self._ways[author]

    def reached(self) -> frozenset[int]:
        """The seats that this node hears, itself or by way of others."""
        starts = self._linked if self._own is None else {self._own}
        return frozenset(seat for start in starts for seat in self._distances(start))

    def _work_out(self, author: int) -> tuple[bytes, ...]:
        if self._own is None or self._own == author:
            return ()  # an author sends to all its links anyhow
        far = self._distances(author)
        mine = far.get(self._own)
        if mine is None:
            # Further away than can be seen from here, and yet it came: everybody else may lack it.
            return tuple(self._keys[seat] for seat in sorted(self._linked) if seat != author)
        found = []
        for seat in sorted(self._linked):
            if seat == author or far.get(seat) != mine + 1:
                continue
            nearer = (n for n in far if far[n] == mine and self._joined(n, seat))
            if min(nearer, key=self._keys.__getitem__) == self._own:
                found.append(self._keys[seat])
        return tuple(found)

    def _distances(self, author: int) -> dict[int, int]:
        """How many links each seat is away from `author`; those that can't be reached are absent.

        A seat of which nothing is known counts as linked with nobody but those who say so.
        """
        far = {author: 0}
        waiting = deque([author])
        while waiting:
            seat = waiting.popleft()
            for other in range(len(self._keys)):
                if other not in far and self._joined(seat, other):
                    far[other] = far[seat] + 1
                    waiting.append(other)
        return far

    def _joined(self, a: int, b: int) -> bool:
        """Whether two seats have a link, as far as this node can tell.

        Both must say so, if both are heard: of a way that works in one direction only one end
        knows. Of who isn't heard here the other's word is taken.
        """
        says_a, says_b = self._says(a), self._says(b)
        if says_a is None and says_b is None:
            return False
        return (says_a is None or b in says_a) and (says_b is None or a in says_b)

    def _says(self, seat: int) -> frozenset[int] | set[int] | None:
        return self._linked if seat == self._own else self._told.get(seat)
