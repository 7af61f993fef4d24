"""The encrypted mesh: one thread, its ZeroMQ sockets, and who is at their other ends.

Law: this file carries messages between authenticated peers and reports what happened. It must
never know a game, a log or a rule: what a message does to the table is its consumer's business.

One thread owns every socket and runs a poller; other threads reach it through a bounded queue and
an inproc PAIR that wakes it. Events are delivered on that thread, so a consumer hands them on (an
`Inbox`, `loop.call_soon_threadsafe`) and returns at once. A callback may call any method of the
mesh. Nothing relies on delivery: a send that finds no room is dropped and the peer is marked as
behind; positions are compared (STATE) and ranges pulled (GET).

Who sent a message is known from the CURVE key of the connection alone: on the ROUTER the user id
that our own ZAP handler gave it, on a DEALER the server key that was dialled. A verified HELLO over
that connection binds the CURVE key to a player's Ed25519 key.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from types import TracebackType
from typing import Final

import zmq

from node.carrier import Carrier
from node.commands import Commands
from node.counters import Counters
from node.errors import BadAddress, MeshError, NodeFailed
from node.events import (
    Event,
    PeerDown,
    PeerUp,
    PhaseChanged,
    Woke,
)
from node.link import (
    Action,
    Cut,
    Dial,
    Down,
    Greet,
    HangUp,
    Limits,
    Path,
    PeerInfo,
    Target,
    Up,
    Why,
)
from node.reception import Reception
from node.roster import Roster
from node.sockets import CurveKeys, numeric
from node.watch import WatchLimits
from protocol.contribution import KEY_SIZE
from protocol.identity import Identity
from protocol.messages import (
    TOKEN_SIZE,
    Bye,
    Hello,
    MeshMessage,
    Ping,
    Reason,
    Role,
    State,
)
from protocol.wire import encode, sign

TICK: Final = 0.1
BEAT: Final = 0.5
"""Seconds between two STATEs to a peer when nothing changes."""
GATHER: Final = 0.02
"""Seconds in which changes of the state are gathered into one STATE."""
PING: Final = 5.0
_FAREWELL: Final = 200
"""Milliseconds that a goodbye has to leave."""


@dataclass(frozen=True, slots=True)
class Profile:
    """How this node introduces itself: all of a HELLO but its keys and its port."""

    table: bytes
    session: bytes
    nonce: bytes
    name: str
    role: Role = Role.SEAT


class Mesh:
    """One node of the mesh. `start` it, or use it as a context manager.

    `on_event` is called on the mesh thread. `host` is a numeric address to listen on or "*", `port`
    0 for any. `clock` gives seconds (monotonic), `random` secret octets.
    """

    def __init__(
        self,
        identity: Identity,
        profile: Profile,
        on_event: Callable[[Event], None],
        *,
        host: str = "*",
        port: int = 0,
        curve: CurveKeys | None = None,
        clock: Callable[[], float] = time.monotonic,
        random: Callable[[int], bytes] = secrets.token_bytes,
        limits: Limits | None = None,
        watch_limits: WatchLimits | None = None,
    ) -> None:
        self.key: Final = identity.public
        self.curve: Final = curve or CurveKeys.generate()
        self.port = 0
        self._identity = identity
        self._profile = profile
        self._on_event = on_event
        self._bind = (host, port)
        self._clock = clock
        self._random = random
        self._roster = Roster(self.key, self.curve.public, clock(), limits or Limits())
        self._watch_limits = watch_limits or WatchLimits()
        self._counters = Counters()
        self._reception = Reception(
            self._roster,
            self._counters,
            clock=clock,
            table=lambda: self._profile.table,
            put=self._put,
            emit=self._emit,
            act=self._act,
        )
        self._snapshot: tuple[PeerInfo, ...] = ()
        self._hello = b""
        self._state = encode(State())
        self._state_sent = self._state_due = self._ping_due = clock()
        self._commands = Commands()
        self._stopping = False
        self._farewell: bytes | None = None
        self._failure: Exception | None = None
        self._thread: threading.Thread | None = None

    # For every thread.

    def start(self) -> None:
        """Listen and start the thread; raises `PortTaken` or another `MeshError`."""
        if self._thread is not None:
            raise MeshError("This mesh was started before.")
        self._context = zmq.Context()
        try:
            self._carrier = Carrier(
                self._context,
                self._reception,
                curve=self.curve,
                bind=self._bind,
                clock=self._clock,
                random=self._random,
                limits=self._watch_limits,
            )
            self.port = self._carrier.port
            try:
                self._introduce()
            except BaseException:
                self._carrier.close()
                raise
        except BaseException:
            self._context.term()
            raise
        self._carrier.listen(self._commands.open(self._context), self._commands.obey)
        self._thread = threading.Thread(target=self._run, name="busso-mesh", daemon=True)
        self._thread.start()

    def stop(self, farewell: Bye | None = None) -> None:
        """Say goodbye, close everything and wait for the thread; twice does no harm.

        Raises `NodeFailed` if the thread or a callback met an exception: that is our own bug.
        """
        thread = self._thread
        if thread is None:
            return
        self._submit(partial(self._stop_now, encode(farewell or Bye(Reason.LEAVING))))
        if threading.current_thread() is thread:
            return  # the callback that asked ends first; `stop` again from outside to wait
        thread.join()
        self._commands.close()
        self._context.term()
        failure, self._failure = self._failure, None
        if failure is not None:
            raise NodeFailed(f"The mesh met an unexpected error: {failure!r}") from failure

    def __enter__(self) -> Mesh:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def alive(self) -> bool:
        """Whether the mesh thread runs."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def hello(self) -> bytes:
        """The octets of our own HELLO, for a proposal; empty before `start`."""
        return self._hello

    def send(self, key: bytes, message: MeshMessage) -> bool:
        """Send to one peer; False if our own queue is full. True doesn't mean it will arrive."""
        data = encode(message)
        return self._submit(partial(self._send_now, key, data), len(data))

    def broadcast(self, message: MeshMessage) -> bool:
        """Send to every peer that is up; as `send`."""
        data = encode(message)
        command = partial(self._broadcast_now, data)
        if not self.alive or threading.current_thread() is self._thread:
            return self._submit(command, len(data))
        return self._commands.hand_over(command, len(data))

    def set_state(self, state: State) -> None:
        """What to tell every 0.5 s, and soon if it changed."""
        self._submit(partial(self._state_now, encode(state)))

    def set_profile(self, profile: Profile) -> None:
        """Introduce ourselves anew (another role, the next match's nonce) on every link."""
        self._submit(partial(self._profile_now, profile))

    def dial(
        self, key: bytes, curve: bytes, host: str, port: int, *, at_once: bool = False
    ) -> None:
        """Link with `key`, whose process `curve` listens at a numeric `host`; `BadAddress`.

        The caller has verified that a card or a HELLO signed by `key` names `curve`. The lower of
        both keys dials, the other 0.7 s later if need be; `at_once` for a host that can't know us.
        """
        _check_keys(key, curve)
        if type(port) is not int or not 1 <= port <= 65_535:
            raise BadAddress(f"{port} is not a port")
        target = Target(curve, numeric(host), port)
        self._submit(partial(self._know_now, key, target, at_once))

    def admit(self, key: bytes, curve: bytes) -> None:
        """Let the process `curve` of `key` in, admission open or not; undoes `remove`."""
        _check_keys(key, curve)
        self._submit(lambda: self._roster.admit(key, curve, self._clock()))

    def remove(self, key: bytes) -> None:
        """Shut `key`'s connections and refuse it from now on."""
        self._submit(lambda: self._roster.remove(key, Why.REMOVED, self._clock()))

    def strike(self, key: bytes, why: str) -> None:
        """What `key` sent is provably its own fault, though only its reader could see it: it passed
        on what its author never signed. An entry that doesn't fit the log proves nothing."""
        self._submit(partial(self._strike_now, key, why))

    def close_admission(self) -> None:
        """Only players that were admitted or introduced themselves may come in from now on."""
        self._submit(self._roster.close)

    def open_admission(self) -> None:
        """Let strangers introduce themselves again; so it is at the start."""
        self._submit(self._roster.reopen)

    def peers(self) -> tuple[PeerInfo, ...]:
        """Every known peer as of the last tick, in the order of keys."""
        return self._snapshot

    def counters(self) -> Counters:
        """A copy of the counters."""
        if self._thread is None:
            return replace(self._counters, commands_full=self._commands.refused)
        t, zap = self._carrier.traffic, self._carrier.zap
        return replace(
            self._counters,
            commands_full=self._commands.refused,
            messages_in=t.messages_in,
            octets_in=t.octets_in,
            messages_out=t.messages_out,
            octets_out=t.octets_out,
            dials=t.dials,
            mute=t.mute,
            floods=t.floods,
            zap_accepted=zap.accepted,
            zap_refused=zap.refused,
        )

    # Commands.

    def _submit(self, command: Callable[[], object], octets: int = 0) -> bool:
        if threading.current_thread() is self._thread:
            command()
            return True
        return self._commands.submit(command, octets)

    def _stop_now(self, farewell: bytes) -> None:
        self._stopping, self._farewell = True, farewell

    def _know_now(self, key: bytes, target: Target, at_once: bool) -> None:
        known = self._roster.know(key, target, self._clock(), at_once=at_once)
        if not known and key != self.key:
            self._emit(PeerDown(key, Why.UNREACHABLE))

    def _strike_now(self, key: bytes, why: str) -> None:
        if self._roster.strike_key(key, self._clock()):
            self._reception.struck(key, why)

    def _state_now(self, data: bytes) -> None:
        if data != self._state:
            self._state = data
            self._state_due = min(self._state_due, max(self._clock(), self._state_sent + GATHER))

    def _profile_now(self, profile: Profile) -> None:
        self._profile = profile
        self._introduce()
        self._broadcast_now(self._hello)

    def _introduce(self) -> None:
        p = self._profile
        hello = Hello(
            self.key, self.curve.public, p.table, p.session, p.name, p.role, self.port, p.nonce
        )
        self._hello = encode(sign(hello, self._identity))

    # The thread.

    def _run(self) -> None:
        try:
            self._loop()
        except Exception as error:  # reported by stop(): nobody else could catch it
            self._failure = self._failure or error
            for key in self._roster.up():
                self._emit(PeerDown(key, Why.LOST))
        finally:
            self._shut()

    def _shut(self) -> None:
        """Close every socket that this thread owns; a goodbye gets a moment to leave."""
        linger = 0
        if self._farewell is not None:
            self._broadcast_now(self._farewell)
            linger = _FAREWELL
        self._carrier.close(linger)
        self._commands.end()

    def _loop(self) -> None:
        self._commands.obey()  # what was asked before the start
        next_tick = self._clock()
        while not self._stopping:
            self._carrier.poll(min(next_tick, self._state_due) - self._clock(), self._commands.look)
            now = self._clock()
            if now >= next_tick:
                next_tick = now + TICK
                self._tick(now)
            if now >= self._state_due:
                self._tell_state(now)
            self._act()

    def _tick(self, now: float) -> None:
        if slept := self._roster.tick(now):
            # Whoever hears that asks for what it missed, and everybody else learns where we are.
            self._counters.wakes += 1
            self._state_due = self._ping_due = now
            self._emit(Woke(slept))
        self._carrier.check()
        if now >= self._ping_due:
            self._ping_due = now + PING
            for key in self._roster.up():
                self._ping(key, now)
        self._snapshot = self._roster.peers(now)
        for key, phase in self._roster.shifts(now):
            self._emit(PhaseChanged(key, phase))

    def _tell_state(self, now: float) -> None:
        self._state_sent, self._state_due = now, now + BEAT
        for key in self._roster.up():
            if self._send_now(key, self._state):
                self._roster.behind(key, False)

    def _act(self) -> None:
        """Carry out what the bookkeeping asks for, until it asks for nothing more."""
        while actions := self._roster.take():
            # First, so that whoever hears of a change also sees it in `peers`.
            self._snapshot = self._roster.peers(self._clock())
            for action in actions:
                self._do(action)

    def _do(self, action: Action) -> None:
        now = self._clock()
        match action:
            case Up(key):
                self._emit(PeerUp(key))
                self._send_now(key, self._state)
                self._ping(key, now)
            case Down(key, why):
                self._counters.lost_links += why in (Why.LOST, Why.SILENT)
                self._reception.pings.pop(key, None)
                self._emit(PeerDown(key, why))
            case Greet(path):
                self._carrier.put(path, self._hello)
            case Dial(_, target):
                self._carrier.dial(target)
            case HangUp(curve):
                self._carrier.hang_up(curve)
            case Cut(curve):
                self._reception.hellos.pop(curve, None)
                self._carrier.cut(curve)

    def _emit(self, event: Event) -> None:
        try:
            self._on_event(event)
        except Exception as error:  # a consumer's bug must not take the mesh down with it
            self._counters.callback_errors += 1
            self._failure = self._failure or error

    # What leaves.

    def _ping(self, key: bytes, now: float) -> None:
        token = self._random(TOKEN_SIZE)
        self._reception.pings[key] = (token, now)
        self._send_now(key, encode(Ping(token)))

    def _put(self, path: Path, data: bytes) -> bool | None:
        return self._carrier.put(path, data)

    def _broadcast_now(self, data: bytes) -> None:
        for key in self._roster.up():
            self._send_now(key, data)

    def _send_now(self, key: bytes, data: bytes) -> bool:
        """On the path last heard from; on the next one if that is gone."""
        for path in self._roster.paths(key):
            sent = self._carrier.put(path, data)
            if sent is None:
                self._roster.lost(path, self._clock())
                continue
            if not sent:
                self._counters.queue_full += 1
                self._roster.behind(key, True)
            return sent
        self._counters.no_path += 1
        return False


def _check_keys(key: bytes, curve: bytes) -> None:
    if len(key) != KEY_SIZE or len(curve) != KEY_SIZE:
        raise MeshError(f"A key has {KEY_SIZE} octets.")
