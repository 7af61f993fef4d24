"""A network in one process, with its own clock: no threads, no sockets, no waiting.

Law: octets go in at one node and come out at another, late, twice, out of order or never, as a
seeded generator and a script of faults say. It must never know what the octets mean. One seed and
one script give one course of events, to the last octet.

    net = Network(seed=7, way=Way(drop=0.1, jitter=0.02))
    a = net.attach(KEY_A, deliver)             # deliver(sender, octets), as a mesh would call it
    a.send(KEY_B, octets)
    net.at(3.0, lambda: net.split({KEY_A}, {KEY_B, KEY_C}))
    net.at(8.0, net.heal)
    net.run_until(lambda: everybody_done(), limit=60.0)

Whatever a node does with time it does through `net.clock`, `net.after` and `net.every`. A *way* is
one direction between two nodes, and each has faults of its own, so a one-way firewall is a way
that is shut while its opposite is open. Messages of a way keep their order, as on a TCP connection,
unless the way says otherwise; those that are under way when it shuts are lost, as there. A hole
that nobody notices is a way with `drop=1.0`: the link stands and nothing comes through.
"""

from __future__ import annotations

import hashlib
import heapq
import itertools
import random
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

Deliver = Callable[[bytes, bytes], None]
"""(sender's key, octets)"""
Changed = Callable[[bytes, bool], None]
"""(key, whether it can be talked with now)"""

TRACE = 400
"""Events that a failure shows."""


class Stuck(AssertionError):
    """What a test waited for didn't happen; the text has the last events of the network."""


@dataclass(frozen=True, slots=True)
class Way:
    """How one direction carries messages: seconds, probabilities, octets a second (0: any)."""

    delay: float = 0.001
    jitter: float = 0.0
    drop: float = 0.0
    double: float = 0.0
    late: float = 0.0
    lateness: float = 0.2
    """A message that is late arrives up to so many seconds after its turn, overtaken by others."""
    rate: float = 0.0
    open: bool = True


@dataclass(slots=True)
class _Line:
    """One direction at work: when its last ordered message arrives, and until when it is busy."""

    way: Way
    arrives: float = 0.0
    busy: float = 0.0
    cuts: int = 0
    """How often it was shut: what left before the last time doesn't arrive."""


class Timer:
    """Something that will be done; `cancel` makes it not be."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.act: Callable[[], object] | None = act

    def cancel(self) -> None:
        """Don't do it any more."""
        self.act = None


class Node:
    """One end: made by `Network.attach`, gone after `detach` (a crash: nothing is said to it)."""

    def __init__(self, net: Network, key: bytes, deliver: Deliver, changed: Changed | None) -> None:
        self.net = net
        self.key = key
        self.deliver = deliver
        self.changed = changed
        self.attached = True
        self.sent = self.received = 0
        self._timers: list[Timer] = []

    def send(self, key: bytes, octets: bytes) -> bool:
        """Towards `key`; False if there is nobody to send to, as a mesh without a link says."""
        if not self.attached or not self.net.linked(self.key, key):
            return False
        self.sent += 1
        self.net.carry(self, key, octets)
        return True

    def broadcast(self, octets: bytes) -> None:
        """To everybody whom it is linked with."""
        for key in self.links():
            self.send(key, octets)

    def links(self) -> list[bytes]:
        """The keys that this node is linked with: an open way there and back."""
        return [key for key in self.net.nodes if self.net.linked(self.key, key)]

    def after(self, seconds: float, act: Callable[[], object]) -> Timer:
        """As `Network.after`, but a crash of this node takes it away."""
        timer = self.net.after(seconds, act)
        self._timers.append(timer)
        return timer

    def every(self, seconds: float, act: Callable[[], object]) -> Timer:
        """As `Network.every`, but a crash of this node takes it away."""
        timer = self.net.every(seconds, act)
        self._timers.append(timer)
        return timer

    def detach(self) -> None:
        """Leave without a word: what is under way is lost and no timer of it fires any more."""
        if not self.attached:
            return
        before = self.net.all_links()
        self.attached = False
        for timer in self._timers:
            timer.cancel()
        del self.net.nodes[self.key]
        self.net.note(f"{_short(self.key)} is gone")
        self.net.tell_changes(before)


class Network:
    """All nodes, all ways, one clock and one source of chance."""

    def __init__(
        self, seed: int, *, way: Way | None = None, start: float = 100.0, notice: float = 0.0
    ) -> None:
        """`notice`: seconds after which a node is told that a link has come up or gone."""
        self.now = start
        self.random = random.Random(seed)
        self.nodes: dict[bytes, Node] = {}
        self.trace: deque[str] = deque(maxlen=TRACE)
        self.course = hashlib.sha256()
        """A hash of everything that happened, to compare two runs."""
        self.carried = self.lost = 0
        self._way = way or Way()
        self._lines: dict[tuple[bytes, bytes], _Line] = {}
        self._notice = notice
        self._agenda: list[tuple[float, int, Timer]] = []
        self._numbers = itertools.count()

    # Time.

    def clock(self) -> float:
        """The time: give this method to whatever needs a clock."""
        return self.now

    def after(self, seconds: float, act: Callable[[], object]) -> Timer:
        """Do something later."""
        return self.at(self.now + max(0.0, seconds), act)

    def at(self, time: float, act: Callable[[], object]) -> Timer:
        """Do something at a time; what is due at the same time is done in the order asked for."""
        timer = Timer(act)
        heapq.heappush(self._agenda, (max(time, self.now), next(self._numbers), timer))
        return timer

    def every(self, seconds: float, act: Callable[[], object]) -> Timer:
        """Do something again and again, first after `seconds`, until it is cancelled."""
        if seconds <= 0:
            raise ValueError("time has to pass in between")
        timer = Timer(act)

        def again() -> None:
            if timer.act is not None:
                timer.act()
                self.after(seconds, again)

        self.after(seconds, again)
        return timer

    def run_until(self, test: Callable[[], bool], limit: float = 60.0) -> float:
        """Let things happen until `test`; the time then. Stuck: not within `limit` seconds."""
        end = self.now + limit
        while not test():
            if not self._agenda or self._agenda[0][0] > end:
                last = "\n".join(self.trace)
                raise Stuck(
                    f"nothing came of it by {self.now:.3f}; the last that happened:\n{last}"
                )
            self._step()
        return self.now

    def run(self, seconds: float) -> None:
        """Let so much time pass."""
        end = self.now + seconds
        while self._agenda and self._agenda[0][0] <= end:
            self._step()
        self.now = end

    def sleep(self, seconds: float) -> None:
        """Move the clock and do nothing meanwhile: the whole network was suspended."""
        self.now += seconds

    def _step(self) -> None:
        time, _, timer = heapq.heappop(self._agenda)
        self.now = max(self.now, time)
        if timer.act is not None:
            timer.act()

    def note(self, text: str) -> None:
        """Write into the trace."""
        line = f"{self.now:9.4f} {text}"
        self.trace.append(line)
        self.course.update(line.encode())

    # Nodes and ways.

    def attach(self, key: bytes, deliver: Deliver, changed: Changed | None = None) -> Node:
        """A new node, or a new process of one that has left."""
        if key in self.nodes:
            raise ValueError("this node is still there")
        before = self.all_links()
        node = self.nodes[key] = Node(self, key, deliver, changed)
        self.note(f"{_short(key)} is here")
        self.tell_changes(before)
        return node

    def linked(self, a: bytes, b: bytes) -> bool:
        """Whether two nodes are there and both ways between them are open."""
        both = a != b and a in self.nodes and b in self.nodes
        return both and self.line(a, b).way.open and self.line(b, a).way.open

    def all_links(self) -> set[tuple[bytes, bytes]]:
        """Every (from, to) that is linked."""
        return {pair for pair in itertools.permutations(self.nodes, 2) if self.linked(*pair)}

    def tell_changes(self, before: set[tuple[bytes, bytes]]) -> None:
        """Tell the nodes what has changed since, when they notice it."""
        now = self.all_links()
        for pair in sorted(before ^ now):
            self.after(self._notice, partial(self._tell, *pair))

    def _tell(self, to: bytes, about: bytes) -> None:
        node = self.nodes.get(to)
        if node is not None and node.changed is not None:
            node.changed(about, self.linked(to, about))

    def line(self, a: bytes, b: bytes) -> _Line:
        """The direction from `a` to `b`."""
        return self._lines.setdefault((a, b), _Line(self._way))

    # Faults.

    def weather(self, way: Way) -> None:
        """All ways are like this from now on; those that are shut stay shut."""
        self._way = way
        for line in self._lines.values():
            line.way = replace(way, open=line.way.open)

    def set_way(self, a: bytes, b: bytes, way: Way) -> None:
        """From `a` to `b` things are like this."""
        self._change([(a, b, way)])

    def cut(self, a: bytes, b: bytes) -> None:
        """Nothing goes through between two nodes, in either direction."""
        self._shut([(a, b), (b, a)])

    def shut(self, a: bytes, b: bytes) -> None:
        """Nothing goes from `a` to `b`, but `b` may still be heard: so both have no link."""
        self._shut([(a, b)])

    def split(self, *groups: Iterable[bytes]) -> None:
        """Parts of the network that see nothing of each other; whoever is in none is alone."""
        where = {key: number for number, group in enumerate(groups) for key in group}
        pairs = itertools.permutations(self.nodes, 2)
        self._shut([(a, b) for a, b in pairs if a not in where or where[a] != where.get(b)])

    def heal(self) -> None:
        """Every way is open again."""
        shut = [(pair, line) for pair, line in self._lines.items() if not line.way.open]
        self._change([(*pair, replace(line.way, open=True)) for pair, line in shut])

    def join(self, a: bytes, b: bytes) -> None:
        """Both ways between two nodes are open again."""
        ways = [(a, b), (b, a)]
        self._change([(*pair, replace(self.line(*pair).way, open=True)) for pair in ways])

    def _shut(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        self._change([(*pair, replace(self.line(*pair).way, open=False)) for pair in pairs])

    def _change(self, ways: Iterable[tuple[bytes, bytes, Way]]) -> None:
        before = self.all_links()
        for a, b, way in ways:
            line = self.line(a, b)
            if line.way.open and not way.open:
                line.cuts += 1
                self.note(f"{_short(a)} > {_short(b)} shut")
            elif way.open and not line.way.open:
                self.note(f"{_short(a)} > {_short(b)} open")
            line.way = way
        self.tell_changes(before)

    # Messages.

    def carry(self, node: Node, to: bytes, octets: bytes) -> None:
        """A message sets out; `Node.send` calls this."""
        line = self.line(node.key, to)
        way = line.way
        self.carried += 1
        name = f"{_short(node.key)} > {_short(to)} {hashlib.sha256(octets).hexdigest()[:8]}"
        if self.random.random() < way.drop:
            self.lost += 1
            self.note(f"{name} dropped")
            return
        for _ in range(2 if self.random.random() < way.double else 1):
            arrival = self._arrival(line, len(octets))
            target, cuts = self.nodes[to], line.cuts

            def arrive(target: Node = target, cuts: int = cuts) -> None:
                if not target.attached or line.cuts != cuts:
                    self.lost += 1
                    self.note(f"{name} lost")
                    return
                self.note(name)
                target.received += 1
                target.deliver(node.key, octets)

            self.at(arrival, arrive)

    def _arrival(self, line: _Line, octets: int) -> float:
        way = line.way
        start = max(self.now, line.busy)
        if way.rate:
            start = line.busy = start + octets / way.rate
        arrival = start + way.delay + self.random.random() * way.jitter
        if self.random.random() < way.late:
            return arrival + self.random.random() * way.lateness
        line.arrives = max(line.arrives, arrival)
        return line.arrives


def storm(net: Network, keys: Iterable[bytes], seconds: float, every: float = 1.0) -> None:
    """Script random faults for `seconds` from now on, about one each `every`, and then heal.

    Splits, cut pairs, one-way walls, bad weather and heals; crashes are the test's own business,
    since it has to start the node again.
    """
    names = sorted(keys)
    rng, calm = random.Random(net.random.random()), net.line(names[0], names[1]).way
    time = net.now
    while (time := time + rng.expovariate(1 / every)) < net.now + seconds:
        a, b = rng.sample(names, 2)
        part = set(rng.sample(names, rng.randrange(1, len(names))))
        delay, jitter = rng.uniform(0, 0.2), rng.uniform(0, 0.3)
        drop, double, late = (rng.uniform(0, 0.3) for _ in range(3))
        faults: list[Callable[[], object]] = [
            partial(net.cut, a, b),
            partial(net.shut, a, b),
            partial(net.split, part, set(names) - part),
            partial(net.weather, Way(delay, jitter, drop, double, late)),
            net.heal,
            net.heal,
        ]
        fault = rng.choice(faults)
        net.at(time, fault)
    net.at(net.now + seconds, partial(net.weather, calm))
    net.at(net.now + seconds, net.heal)


def _short(key: bytes) -> str:
    return key[:2].hex()
