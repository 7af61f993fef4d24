"""What other threads ask of the thread that owns the sockets: a bounded queue with a bell.

Law: this file knows calls and one inproc PAIR; never what a call does. `submit` may be called from
any thread, everything else from the thread that obeys.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable
from typing import Final

import zmq

from node.sockets import ZContext, ZSocket

COMMANDS: Final = 8_192
"""Calls that may wait, and their octets together; beyond either, messages are refused."""
COMMAND_OCTETS: Final = 32 << 20

MOMENT: Final = 0.002
"""Seconds that whoever hands over waits at most."""


class Commands:
    """Calls that wait for the mesh thread. They may be submitted before it starts."""

    def __init__(self) -> None:
        self.refused = 0
        self._waiting: deque[tuple[Callable[[], object], int]] = deque()
        self._octets = 0
        self._lock = threading.Lock()
        self._over = False
        self._bell: ZSocket | None = None

    def open(self, context: ZContext) -> ZSocket:
        """Hang up the bell; the socket that has something to read when a call waits."""
        bell: ZSocket = context.socket(zmq.PAIR)
        self.socket: ZSocket = context.socket(zmq.PAIR)
        self.socket.bind("inproc://busso-wake")
        bell.connect("inproc://busso-wake")
        self._bell = bell
        return self.socket

    def hand_over(self, command: Callable[[], object], octets: int = 0) -> bool:
        """As `submit`, but give the other thread a moment to do it.

        Without that it would have to wait for Python's lock until the caller's next computation
        gives it up, which may take milliseconds: a move is to leave before its author goes on.
        """
        taken = threading.Lock()
        taken.acquire()

        def obeyed() -> None:
            command()
            taken.release()

        if not self.submit(obeyed, octets):
            return False
        taken.acquire(timeout=MOMENT)
        return True

    def submit(self, command: Callable[[], object], octets: int = 0) -> bool:
        """Queue a call; False when it is over, or for a message (`octets`) when the queue is full.

        Calls without octets are few and never refused.
        """
        with self._lock:
            if self._over:
                return False
            full = len(self._waiting) >= COMMANDS or self._octets > COMMAND_OCTETS
            if octets and full:
                self.refused += 1
                return False
            first = not self._waiting
            self._waiting.append((command, octets))
            self._octets += octets
            if first and self._bell is not None:
                with contextlib.suppress(zmq.Again):
                    self._bell.send(b"", zmq.DONTWAIT)
        return True

    def look(self) -> None:
        """Make the calls that wait, if there are any: as `obey`, for nearly nothing."""
        if self._waiting:
            self.obey()

    def obey(self) -> None:
        """Silence the bell and make the calls that wait."""
        with self._lock:
            while True:
                try:
                    self.socket.recv(zmq.DONTWAIT)
                except zmq.Again:
                    break
            commands = list(self._waiting)
            self._waiting.clear()
            self._octets = 0
        for command, _ in commands:
            command()

    def end(self) -> None:
        """Take no more calls and forget those that wait."""
        with self._lock:
            self._over = True
            self.socket.close(0)
            self._waiting.clear()

    def close(self) -> None:
        """Take the bell down; once the thread has ended."""
        with self._lock:
            if self._bell is not None:
                self._bell.close(0)
                self._bell = None
