"""The mesh's own authentication handler (ZAP, ZeroMQ RFC 27).

Law: this file knows CURVE public keys and one decision about them. It must never know a player.

libzmq asks once for each connection, before any message of it is let through. The answers are 200
(the key in hexadecimal becomes the connection's User-Id) and 400, which makes libzmq at the other
end stop its retries. Never 300: the other end would retry at once, for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import zmq

ENDPOINT: Final = "inproc://zeromq.zap.01"
DOMAIN: Final = b"busso"
_VERSION: Final = b"1.0"
_REQUESTS_AT_ONCE: Final = 64


class Zap:
    """Answers libzmq's questions; `decide` says whether a CURVE public key (32 octets) may in."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], decide: Callable[[bytes], bool]):
        self.accepted = 0
        self.refused = 0
        self._decide = decide
        self.socket = context.socket(zmq.REP)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.bind(ENDPOINT)

    def answer(self) -> None:
        """Answer the questions that wait."""
        for _ in range(_REQUESTS_AT_ONCE):
            try:
                request = self.socket.recv_multipart(zmq.DONTWAIT)
            except zmq.Again:
                return
            self.socket.send_multipart(self._reply(request))

    def close(self) -> None:
        """Close the socket; libzmq then lets nobody in."""
        self.socket.close()

    def _reply(self, request: list[bytes]) -> list[bytes]:
        """[version, request id, status, text, user id, metadata] (RFC 27, "Specification")."""
        number = request[1] if len(request) > 1 else b""
        if (
            len(request) == 7
            and request[0] == _VERSION
            and request[2] == DOMAIN
            and request[5] == b"CURVE"
            and len(request[6]) == 32
            and self._decide(request[6])
        ):
            self.accepted += 1
            user = request[6].hex().encode("ascii")
            return [_VERSION, number, b"200", b"", user, b""]
        self.refused += 1
        return [_VERSION, number, b"400", b"not at this table", b"", b""]
