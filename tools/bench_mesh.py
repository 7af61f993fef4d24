"""`busso bench mesh`: how fast nodes on this computer hear of a move, meet, catch up and heal.

Law: every node is a process of its own, with a mesh thread and a consumer's thread as in real use,
over the loopback with CURVE. What goes through the mesh is signed contributions to a pretended
match; to *apply* one is to read it, find that it stands on the head at hand, check its signature
and chain it. No game is played: what a game costs is measured elsewhere.

Every figure is told with a floor of the same run. For a move that is bare ROUTER and DEALER sockets
in as many processes, each with a poller, without encryption, schema or threads: one signs, all
others check the signature and answer. `bare_ms` is such a round trip between two without any
signature. A ratio says more than milliseconds do, on a computer that is busy with other things.
"""

from __future__ import annotations

import argparse
import json
import queue
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import Any, Final

import zmq

from node.errors import BadAddress
from node.events import Event, Inbox, PeerDown, PeerUp, Received
from node.mesh import Mesh, Profile
from node.sync import Sync
from protocol.contribution import statement
from protocol.identity import Identity, admit_key, verify
from protocol.messages import Batch, EntryMessage, Get, State
from protocol.wire import encode, paginate
from tools.bench_chain import MATCH, Cable, Chain, entry_at
from tools.bench_child import PATIENCE, Ended, Wire, child
from tools.output import Output

HOST: Final = "127.0.0.1"
ASIDE: Final = "127.0.0.2"
MOVES: Final = 300
WARM_UP: Final = 30
ENTRIES: Final = 5_000
CROWD: Final = 12
ROUNDS: Final = 3
CUTS: Final = (5.0, 5.15, 5.3)
"""Seconds."""
AT_ONCE: Final = 0.2
"""Seconds in which every process has heard when to begin."""
PAGE: Final = 256


def run(args: argparse.Namespace, out: Output) -> int:
    """Measure and print; 0 whatever comes out, since it is the reader who judges."""
    nodes = args.players or 4
    value: dict[str, Any] = {"nodes": nodes, "move": moves(nodes)}
    value["forming"] = forming(CROWD, ROUNDS)
    value["catching_up"] = catching_up(ENTRIES)
    value["healing"] = healing(CUTS)
    if out.json:
        out.data(value)
        return 0
    move = value["move"]
    out.line(
        f"a move, {nodes} nodes   {move['ms']:8.2f} ms   {move['ratio']:.1f} times the floor, "
        f"{move['bare_ratio']:.1f} times a bare round trip"
    )
    out.line(f"{CROWD} nodes meet     {value['forming']['ms']:8.0f} ms")
    behind = value["catching_up"]
    out.line(
        f"{ENTRIES} entries     {behind['ms']:8.0f} ms   {behind['ratio']:.1f} times the signatures"
    )
    healed = value["healing"]["ms"]
    out.line(f"a cut of {CUTS[0]:g} s heals {'?' if healed is None else round(healed):>6} ms")
    return 0


# A node.


class Node:
    """A mesh with its consumer's thread, which is the process's first."""

    def __init__(self, seat: int, count: int, host: str = HOST) -> None:
        self.keys = [_identity(other).public for other in range(count)]
        self.seat = seat
        self.identity = _identity(seat)
        self.chain = Chain(self.keys)
        self._mail: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._inbox = Inbox(wake=lambda: self._mail.put(None))
        profile = Profile(bytes(16), bytes(16), bytes(16), f"n{seat}")
        self.mesh = Mesh(self.identity, profile, self._inbox, host=host)

    def events(self, seconds: float = PATIENCE) -> list[Event]:
        """What has happened; waits for it."""
        with suppress(queue.Empty):
            self._mail.get(timeout=seconds)
        return self._inbox.drain()

    def meet(self, addresses: Sequence[tuple[str, int]]) -> float:
        """Dial everybody and wait until all are linked; when that was."""
        for other, (curve, port) in enumerate(addresses):
            if other != self.seat:
                self.mesh.dial(self.keys[other], bytes.fromhex(curve), HOST, port)
        up = 0
        while up < len(addresses) - 1:
            up += sum(isinstance(event, PeerUp) for event in self.events())
        return time.monotonic()


def _met(seat: int, count: int, pipe: Wire) -> Node:
    """A node that is linked with all others; its mesh runs."""
    node = Node(seat, count)
    for key in node.keys:
        admit_key(key)  # as was done when the header was read that makes them known
    node.mesh.start()
    pipe.send((node.mesh.curve.public.hex(), node.mesh.port))
    addresses, begin = pipe.recv()
    time.sleep(max(0.0, begin - time.monotonic()))
    pipe.send(node.meet(addresses))
    return node


def _introduce(pipes: Sequence[Wire]) -> float:
    """Tell every node's process where the others are; seconds until all were linked with all."""
    addresses = [pipe.recv() for pipe in pipes]
    begin = time.monotonic() + AT_ONCE
    for pipe in pipes:
        pipe.send((addresses, begin))
    return max(float(pipe.recv()) for pipe in pipes) - begin


# A move.


def author_process(seat: int, count: int, pipe: Wire) -> None:
    """Sign a move whenever told to and say when that began."""
    node = _met(seat, count, pipe)
    while pipe.recv() == "move":
        begun = time.monotonic()
        entry = entry_at(node.identity, seat, node.chain.step, node.chain.head)
        node.mesh.broadcast(EntryMessage(entry))
        node.chain.append(entry)  # nobody checks its own signature
        pipe.send(begun)
    node.mesh.stop()


def reader_process(seat: int, count: int, pipe: Wire) -> None:
    """Apply moves and say when each was."""
    node = _met(seat, count, pipe)
    while not (pipe.poll() and pipe.recv() == "stop"):
        for event in node.events(0.2):
            if isinstance(event, Received) and isinstance(event.message, EntryMessage):
                node.chain.apply(event.message.entry)
                pipe.send(time.monotonic())
    node.mesh.stop()


def moves(count: int) -> dict[str, float]:
    """One move from its author's decision to the last node that has applied it."""
    with ExitStack() as stack:
        pipes = [_child(stack, "author", 0, count)]
        pipes += [_child(stack, "reader", seat, count) for seat in range(1, count)]
        _introduce(pipes)
        times = []
        for _ in range(MOVES + WARM_UP):
            pipes[0].send("move")
            begun = pipes[0].recv()
            times.append(max(pipe.recv() for pipe in pipes[1:]) - begun)
        for pipe in pipes:
            pipe.send("stop")
    took, bound, bare = statistics.median(times[WARM_UP:]), floor(count, True), floor(2, False)
    return {
        "ms": _ms(took),
        "floor_ms": _ms(bound),
        "ratio": round(took / bound, 2),
        "bare_ms": _ms(bare),
        "bare_ratio": round(took / bare, 2),
    }


def echo_process(port: int, signed: bool, pipe: Wire) -> None:
    """A DEALER that answers what it gets, once it has checked it."""
    entry = entry_at(_identity(0), 0, 1, bytes(32))
    what, key = statement(entry.place, entry.contribution), _identity(0).public
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    socket = context.socket(zmq.DEALER)
    socket.connect(f"tcp://{HOST}:{port}")
    socket.send(b"here")
    poller = zmq.Poller()
    poller.register(socket, zmq.POLLIN)
    while True:
        poller.poll()
        data = socket.recv()
        if not data:
            break
        if signed:
            verify(key, what, entry.contribution.signature)
        socket.send(data)
    socket.close(0)
    context.term()
    pipe.send("done")


def floor(count: int, signed: bool) -> float:
    """Seconds in which a ROUTER gives the octets of a move to all others and has them back."""
    identity = _identity(0)
    entry = entry_at(identity, 0, 1, bytes(32))
    what = statement(entry.place, entry.contribution)
    octets = encode(EntryMessage(entry))
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    router = context.socket(zmq.ROUTER)
    port = router.bind_to_random_port(f"tcp://{HOST}")
    poller = zmq.Poller()
    poller.register(router, zmq.POLLIN)
    times = []
    with ExitStack() as stack:
        pipes = [_child(stack, "echo", port, signed) for _ in range(count - 1)]
        names = [router.recv_multipart()[0] for _ in pipes]
        for _ in range(MOVES + WARM_UP):
            begun = time.monotonic()
            if signed:
                identity.sign(what)
            for name in names:
                router.send_multipart([name, octets])
            for _ in names:
                poller.poll()
                router.recv_multipart()
            times.append(time.monotonic() - begun)
        for name in names:
            router.send_multipart([name, b""])
        for pipe in pipes:
            pipe.recv()
    router.close(0)
    context.term()
    return statistics.median(times[WARM_UP:])


# Meeting.


def member_process(seat: int, count: int, pipe: Wire) -> None:
    """Meet the others and wait to be dismissed."""
    node = _met(seat, count, pipe)
    pipe.recv()
    node.mesh.stop()


def forming(count: int, rounds: int) -> dict[str, float]:
    """From known addresses to a full mesh; the best of several, since it is over so soon."""
    times = []
    for _ in range(rounds):
        with ExitStack() as stack:
            pipes = [_child(stack, "member", seat, count) for seat in range(count)]
            times.append(_introduce(pipes))
            for pipe in pipes:
                pipe.send("stop")
    return {"nodes": count, "ms": _ms(min(times)), "worst_ms": _ms(max(times))}


# Catching up.


def teller_process(seat: int, count: int, entries: int, pipe: Wire) -> None:
    """Hold a log of so many entries and answer who asks for them."""
    node = Node(seat, count)
    log = []
    for _ in range(entries):
        log.append(entry_at(node.identity, seat, node.chain.step, node.chain.head))
        node.chain.append(log[-1])
    node.mesh.set_state(State(MATCH, node.chain.step, node.chain.head))
    node.mesh.start()
    pipe.send((node.mesh.curve.public.hex(), node.mesh.port))
    while not (pipe.poll() and pipe.recv() == "stop"):
        for event in node.events(0.2):
            if isinstance(event, Received) and isinstance(event.message, Get):
                start = event.message.step - 1
                for page in paginate(MATCH, log[start : start + PAGE]):
                    node.mesh.send(event.key, page)
                    if isinstance(page, Batch):
                        break
    node.mesh.stop()


def catching_up(entries: int) -> dict[str, float]:
    """From the first STATE of who has it all to the last entry applied."""
    with ExitStack() as stack:
        pipe = _child(stack, "teller", 0, 2, entries)
        curve, port = pipe.recv()
        node = Node(1, 2)
        with node.mesh:
            node.mesh.dial(node.keys[0], bytes.fromhex(curve), HOST, port, at_once=True)
            took = _pull(node, entries)
        pipe.send("stop")
    entry = entry_at(_identity(0), 0, 1, bytes(32))
    what, key = statement(entry.place, entry.contribution), _identity(0).public
    begun = time.monotonic()
    for _ in range(entries):
        verify(key, what, entry.contribution.signature)
    bound = time.monotonic() - begun
    return {
        "entries": entries,
        "ms": _ms(took),
        "floor_ms": _ms(bound),
        "ratio": round(took / bound, 2),
    }


def _pull(node: Node, entries: int) -> float:
    sync, begun = Sync(node.keys, 1, time.monotonic), 0.0
    while node.chain.step <= entries:
        for event in node.events(0.1):
            if not isinstance(event, Received):
                continue
            if isinstance(event.message, State) and event.message.step:
                begun = begun or time.monotonic()
                sync.heard(event.key, event.message)
            elif isinstance(event.message, Batch):
                for entry in event.message.entries:
                    node.chain.apply(entry)
                sync.answered(event.key, event.message.more)
        question = sync.ask(node.chain.step, (), (0,))
        if question is not None:
            node.mesh.send(question[0], Get(MATCH, question[1], question[2]))
    return time.monotonic() - begun


# Healing.


def healing(cuts: Sequence[float]) -> dict[str, Any]:
    """A connection is cut and can't be made again for a while: from then until a message comes.

    The worst of several cuts, since attempts are made at intervals. The guest listens on an address
    of its own, so that there is no way around the cable; None on a computer that lacks it.
    """
    times: list[float] = []
    with ExitStack() as stack:
        pipe = _child(stack, "member", 0, 2)
        curve, port = pipe.recv()
        cable = stack.enter_context(Cable(HOST, port))
        node = Node(1, 2, ASIDE)
        pipe.send(([(curve, port)], 0.0))
        pipe.recv()
        with suppress(BadAddress), node.mesh:
            node.mesh.dial(node.keys[0], bytes.fromhex(curve), HOST, cable.port, at_once=True)
            _wait_for(node, PeerUp)
            times = [_cut_once(node, cable, seconds) for seconds in cuts]
        pipe.send("stop")
    return {"cuts_s": list(cuts), "ms": _ms(max(times)) if times else None}


def _cut_once(node: Node, cable: Cable, seconds: float) -> float:
    cable.cut()
    _wait_for(node, PeerDown)
    time.sleep(seconds)
    node.events(0.0)
    cable.mend()
    begun = time.monotonic()
    _wait_for(node, Received)
    return time.monotonic() - begun


def _wait_for(node: Node, kind: type[Event]) -> None:
    end = time.monotonic() + PATIENCE
    while not any(isinstance(event, kind) for event in node.events(0.1)):
        if time.monotonic() > end:
            raise Ended(f"no {kind.__name__} in {PATIENCE:g} s")


# Processes.


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)


def _identity(seat: int) -> Identity:
    return Identity(bytes([seat + 1]) * 32)


def _child(stack: ExitStack, work: str, *given: Any) -> Wire:
    return child(stack, __name__, work, *given)


_WORKS: Final[dict[str, Callable[..., None]]] = {
    "author": author_process,
    "reader": reader_process,
    "echo": echo_process,
    "member": member_process,
    "teller": teller_process,
}


def serve(work: str, given: str) -> None:
    """Be one of the processes that this file starts."""
    with suppress(Ended):
        _WORKS[work](*json.loads(given), Wire(sys.stdin, sys.stdout))
