"""A table's code: who doesn't show that it knows the code isn't let in (`WIRE.md`, "The door").

Law: this file knows codes, the exchange that proves one and how often it may be tried; the exchange
itself (SPAKE2) is the library's. It must never know a socket, nor write a code anywhere. What is
sent tells nobody a code, not even whom it was sent to: a visit to the door is one guess.

    T = SHA-256(encoding of [table, host, its CURVE key, HELLO, visitor's message, door's message])
    proof of the visitor = HMAC-SHA-256(K, "busso/code-guest/1" 0x00 T), of the door with "-host"
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from spake2 import SPAKE2_Symmetric
from spake2.ed25519_basic import NotOnCurve
from spake2.spake2 import SPAKEError

from node.door import Caller, Guard
from node.errors import NodeError, NotATable, TurnedAway
from node.invitation import CODE_LENGTH, DIGITS
from protocol.encoding import pack
from protocol.messages import (
    CodeHello,
    CodeProof,
    CodeReply,
    Hello,
    Message,
    Reason,
    Refusal,
    TableCard,
)
from protocol.wire import WireError, decode_hello

FAILURES_AN_ADDRESS: Final = 3
LOCKED_FOR: Final = 60.0
"""Seconds without another try from an address that failed so often."""
FAILURES_A_TABLE: Final = 10
ADDRESSES: Final = 512
_SIDE: Final = b"S"
_IDENTITY: Final = b"busso/code/1\x00"
_GUEST: Final = b"busso/code-guest/1\x00"
_HOST: Final = b"busso/code-host/1\x00"
_ALIKE: Final = str.maketrans("OIL", "011", "- ")
_GROUP: Final = 4


class BadCode(NodeError, ValueError):
    """Not a code; the text is one sentence."""


def new_code(random: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """A code from secret octets: 8 of Crockford's base32 digits, 40 bits."""
    return "".join(DIGITS[octet & 31] for octet in random(CODE_LENGTH))


def read_code(text: str) -> str:
    """A code as somebody typed it: case, spaces and hyphens mean nothing, O is 0, I and L are 1.
    BadCode."""
    code = text[:64].upper().translate(_ALIKE)
    if len(code) != CODE_LENGTH or any(digit not in DIGITS for digit in code):
        raise BadCode(f"A code has {CODE_LENGTH} letters and digits, as in K7F2-9QXM.")
    return code


def show_code(code: str) -> str:
    """A code for people, in two groups."""
    return f"{code[:_GROUP]}-{code[_GROUP:]}"


class _Exchange:
    """One side of one exchange. `other` may come once."""

    def __init__(self, code: str, table: bytes, random: Callable[[int], bytes]) -> None:
        self._pake = SPAKE2_Symmetric(
            code.encode("ascii"), idSymmetric=_IDENTITY + table, entropy_f=random
        )
        self.message: bytes = self._pake.start()

    def key(self, other: bytes) -> bytes:
        """The common key if the codes are equal, else noise; ValueError for what is no message."""
        if other[:1] != _SIDE:  # the library asserts it
            raise ValueError("not a message of the symmetric exchange")
        try:
            key: bytes = self._pake.finish(other)
        except (SPAKEError, NotOnCurve) as error:
            raise ValueError("not a message of the exchange") from error
        return key


@dataclass(frozen=True, slots=True)
class _Terms:
    """What both sides confirm: the table, its host, and all that the visitor said of itself."""

    table: bytes
    host: bytes
    curve: bytes

    def proofs(self, key: bytes, hello: bytes, guest: bytes, door: bytes) -> tuple[bytes, bytes]:
        """The visitor's proof and the door's."""
        terms = pack((self.table, self.host, self.curve, hello, guest, door))
        digest = hashlib.sha256(terms).digest()
        prove = [hmac.new(key, tag + digest, hashlib.sha256).digest() for tag in (_GUEST, _HOST)]
        return prove[0], prove[1]


@dataclass(slots=True)
class _Tries:
    failures: int = 0
    until: float = 0.0


@dataclass(slots=True)
class _Visit:
    """One connection to the door, between its two messages."""

    hello: Hello | None = None
    proofs: tuple[bytes, bytes] = (b"", b"")
    code: str = ""


@dataclass(slots=True)
class CodeGuard(Guard):
    """The door's side. Runs on the door's thread.

    `may_enter` says why somebody can't come in whatever it knows, `admit` lets it in; `renewed` is
    called with every code but the first.
    """

    card: TableCard
    code: str
    may_enter: Callable[[Hello], Reason | None]
    admit: Callable[[Hello], None]
    renewed: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    random: Callable[[int], bytes] = secrets.token_bytes
    failures: int = 0
    _tries: OrderedDict[str, _Tries] = field(default_factory=OrderedDict)
    _visits: dict[object, _Visit] = field(default_factory=dict)

    def answer(self, message: Message, host: str, visit: object) -> Message | None:
        """What to answer a visitor from `host` in this `visit`; None for what is no part of it."""
        match message:
            case CodeHello():
                return self._hello(message, host, visit)
            case CodeProof(proof=proof):
                return self._proof(proof, host, visit)
        return None

    def gone(self, visit: object) -> None:
        """The connection is over."""
        self._visits.pop(visit, None)

    def _hello(self, message: CodeHello, host: str, visit: object) -> Message | None:
        if visit in self._visits:
            return None  # one guess a visit
        hello = decode_hello(message.hello)
        refusal = Reason.LOCKED if self._locked(host) else self.may_enter(hello)
        if refusal is not None:
            return Refusal(refusal)
        exchange = _Exchange(self.code, self.card.table, self.random)
        try:
            key = exchange.key(message.pake)
        except ValueError as error:
            raise WireError(f"not an exchange: {error}") from error
        terms = _Terms(self.card.table, self.card.key, self.card.curve)
        proofs = terms.proofs(key, message.hello, message.pake, exchange.message)
        self._visits[visit] = _Visit(hello, proofs, self.code)
        return CodeReply(exchange.message)

    def _proof(self, proof: bytes, host: str, visit: object) -> Message | None:
        made = self._visits.get(visit)
        if made is None or made.hello is None:
            return None
        hello, made.hello = made.hello, None
        # Asked again: several visits at once are several guesses, and each counts.
        if self._locked(host):
            return Refusal(Reason.LOCKED)
        if made.code != self.code or not hmac.compare_digest(proof, made.proofs[0]):
            self._failed(host)
            return Refusal(Reason.WRONG_CODE)
        refusal = self.may_enter(hello)
        if refusal is not None:
            return Refusal(refusal)
        self._tries.pop(host, None)
        self.admit(hello)
        return CodeProof(made.proofs[1])

    def _locked(self, host: str) -> bool:
        tries = self._tries.get(host)
        return tries is not None and self.clock() < tries.until

    def _failed(self, host: str) -> None:
        tries = self._tries.pop(host, None) or _Tries()
        self._tries[host] = tries
        if len(self._tries) > ADDRESSES:
            self._tries.popitem(last=False)
        tries.failures += 1
        if tries.failures >= FAILURES_AN_ADDRESS:
            tries.failures, tries.until = 0, self.clock() + LOCKED_FOR
        self.failures += 1
        if self.failures >= FAILURES_A_TABLE:
            self.failures, self.code = 0, new_code(self.random)
            self.renewed(self.code)


def show_at_door(
    host: str,
    port: int,
    *,
    card: TableCard,
    hello: bytes,
    code: str,
    timeout: float = 5.0,
    random: Callable[[int], bytes] = secrets.token_bytes,
) -> None:
    """Show the door at `host` that we know the code, and be let in with our HELLO.

    `card` is the one that was fetched there. TurnedAway: a wrong code, a full table, too many
    tries; NotATable: it doesn't know the code itself, so it isn't the table that it says it is;
    Unreachable.
    """
    exchange = _Exchange(code, card.table, random)
    with Caller(host, port, timeout) as caller:
        answer = caller.ask(CodeHello(hello, exchange.message))
        if not isinstance(answer, CodeReply):
            raise NotATable(f"What answers at {host} port {port} has no table with a code.")
        try:
            key = exchange.key(answer.pake)
        except ValueError as error:
            raise NotATable(f"What answers at {host} port {port} is not a Busso table.") from error
        terms = _Terms(card.table, card.key, card.curve)
        ours, theirs = terms.proofs(key, hello, exchange.message, answer.pake)
        proved = caller.ask(CodeProof(ours))
        if not isinstance(proved, CodeProof) or not hmac.compare_digest(proved.proof, theirs):
            raise NotATable(f"What answers at {host} port {port} doesn't know the table's code.")


__all__ = [
    "BadCode",
    "CodeGuard",
    "TurnedAway",
    "new_code",
    "read_code",
    "show_at_door",
    "show_code",
]
