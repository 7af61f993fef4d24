"""A CURVE client written from ZeroMQ RFC 23 (ZMTP 3.0) and RFC 26 (CurveZMQ): it can misbehave.

Law: only as much of both as an attack needs that libzmq's own sockets refuse to make. libzmq sends
nothing of a message before its last frame is there; this client sends frames without end.
"""

from __future__ import annotations

import ctypes
import socket
from typing import Final

import pytest

from node.sockets import CurveKeys
from protocol.sodium_library import libraries

MORE: Final = 1
_COMMAND: Final = 4
_LONG: Final = 2


class _Box:
    """libsodium's crypto_box."""

    def __init__(self) -> None:
        for library in libraries():
            if hasattr(library, "crypto_box_easy"):
                self._library = library
                return
        pytest.skip("no libsodium with crypto_box here")

    def seal(self, text: bytes, nonce: bytes, public: bytes, secret: bytes) -> bytes:
        assert len(nonce) == 24
        sealed = ctypes.create_string_buffer(len(text) + 16)
        length = ctypes.c_ulonglong(len(text))
        assert self._library.crypto_box_easy(sealed, text, length, nonce, public, secret) == 0
        return sealed.raw

    def open(self, sealed: bytes, nonce: bytes, public: bytes, secret: bytes) -> bytes:
        text = ctypes.create_string_buffer(len(sealed) - 16)
        length = ctypes.c_ulonglong(len(sealed))
        assert self._library.crypto_box_open_easy(text, sealed, length, nonce, public, secret) == 0
        return text.raw


class CurveClient:
    """One connection to the holder of `server`, from the greeting to its messages."""

    def __init__(self, host: str, port: int, server: bytes, keys: CurveKeys) -> None:
        self._box = _Box()
        self._keys = keys
        self._short = CurveKeys.generate()
        self._count = 0
        self.socket = socket.create_connection((host, port), 20)
        greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"CURVE".ljust(20, b"\0") + bytes(32)
        self.socket.sendall(greeting)
        self._exactly(64)
        self._hello(server)
        self._peer = self._initiate(server)
        assert self._command().startswith(b"\x05READY")

    def send(self, flags: int, payload: bytes) -> None:
        """One frame; `MORE` in `flags` promises another."""
        nonce = self._nonce()
        sealed = self._box.seal(
            bytes([flags]) + payload, b"CurveZMQMESSAGEC" + nonce, self._peer, self._short.secret
        )
        self._frame(0, b"\x07MESSAGE" + nonce + sealed)

    def flood(self, payload: bytes) -> None:
        """Frames of a message that never ends (after 10 GB of such frames it gives up)."""
        for _ in range(10**10 // len(payload)):
            self.send(MORE, payload)

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> CurveClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _hello(self, server: bytes) -> None:
        nonce = self._nonce()
        box = self._box.seal(bytes(64), b"CurveZMQHELLO---" + nonce, server, self._short.secret)
        body = b"\x05HELLO\x01\x00" + bytes(72) + self._short.public + nonce + box
        self._frame(_COMMAND, body)

    def _initiate(self, server: bytes) -> bytes:
        """Prove the long-term key; returns the server's short-term key."""
        welcome = self._command()
        assert welcome.startswith(b"\x07WELCOME")
        inside = self._box.open(
            welcome[24:], b"WELCOME-" + welcome[8:24], server, self._short.secret
        )
        peer, cookie = inside[:32], inside[32:]
        vouch_nonce = b"v" * 16
        vouch = self._box.seal(
            self._short.public + server, b"VOUCH---" + vouch_nonce, peer, self._keys.secret
        )
        metadata = b"\x0bSocket-Type" + (6).to_bytes(4, "big") + b"DEALER"
        metadata += b"\x08Identity" + bytes(4)
        nonce = self._nonce()
        box = self._box.seal(
            self._keys.public + vouch_nonce + vouch + metadata,
            b"CurveZMQINITIATE" + nonce,
            peer,
            self._short.secret,
        )
        self._frame(_COMMAND, b"\x08INITIATE" + cookie + nonce + box)
        return peer

    def _nonce(self) -> bytes:
        self._count += 1
        return self._count.to_bytes(8, "big")

    def _frame(self, flags: int, body: bytes) -> None:
        if len(body) > 255:
            self.socket.sendall(bytes([flags | _LONG]) + len(body).to_bytes(8, "big") + body)
        else:
            self.socket.sendall(bytes([flags, len(body)]) + body)

    def _command(self) -> bytes:
        flags = self._exactly(1)[0]
        assert flags & _COMMAND
        size = int.from_bytes(self._exactly(8 if flags & _LONG else 1), "big")
        return self._exactly(size)

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            assert part, "the server hung up"
            data += part
        return data
