"""The messages that nodes send each other: their fields and bounds (`WIRE.md`).

Law: plain data. How a message is encoded, checked and signed is `protocol.wire`'s business.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final, TypeAlias

from protocol.contribution import HASH_SIZE, Entry

VERSION: Final = 1
MAX_MESSAGE: Final = 61_440
"""Octets of a message: the largest entry fits, and CURVE's overhead below the socket's bound."""
MAX_BATCH: Final = 48_000
MAX_CARD: Final = 2_000
MAX_HELLO: Final = 512
MAX_CORE: Final = 32_768
MAX_NAME: Final = 32
MAX_CHAT: Final = 400
MAX_REASON: Final = 80
MAX_SETTINGS: Final = 32
MAX_SETTING: Final = 64
MAX_MEMBERS: Final = 80
"""Seats and watchers of one table."""
MAX_REMOVED: Final = 64
PAKE_SIZE: Final = 33
PROOF_SIZE: Final = 32
TABLE_SIZE: Final = 16
SESSION_SIZE: Final = 16
NONCE_SIZE: Final = 16
TOKEN_SIZE: Final = 8
NO_MATCH: Final = bytes(HASH_SIZE)
"""What stands for the match, and for a head, before there is one."""

Setting: TypeAlias = tuple[str, int | str]


class Role(enum.StrEnum):
    """What a player came for."""

    SEAT = "seat"
    WATCH = "watch"


class Reason(enum.IntEnum):
    """Why somebody says goodbye, or a door says no."""

    LEAVING = 0
    FULL = 1
    CLOSED = 2
    REMOVED = 3
    OTHER_TABLE = 4
    BROKE_PROTOCOL = 5
    BUSY = 6
    WRONG_CODE = 7
    LOCKED = 8
    """Too many wrong codes came from there."""
    NO_WATCHERS = 9


@dataclass(frozen=True, slots=True)
class TableCard:
    """What a table shows to whoever asks at its door; signed by the host's key.

    `curve` is the CURVE key that the host's mesh answers with on `port`; `free` the seats left of
    `seats`; `table` 16 random octets. Options and extensions ascend by name. `code` says that
    joining takes the table's code, `watchers` that spectators are welcome, `playing` that a match
    is on.
    """

    game: str
    options: tuple[Setting, ...]
    extensions: tuple[Setting, ...]
    name: str
    seats: int
    free: int
    key: bytes
    curve: bytes
    port: int
    table: bytes
    code: bool = False
    watchers: bool = True
    playing: bool = False
    signature: bytes = b""


@dataclass(frozen=True, slots=True)
class Hello:
    """An introduction: binds the process that holds `curve` to the player `key`, at one table.

    `port` is where its mesh listens; `nonce` goes into the header of the next match; `session`
    tells one run of the program from the next.
    """

    key: bytes
    curve: bytes
    table: bytes
    session: bytes
    name: str
    role: Role
    port: int
    nonce: bytes
    signature: bytes = b""


@dataclass(frozen=True, slots=True)
class Propose:
    """The host's proposal of a match: a header's core, every seat's HELLO, where each is reached.

    `hellos` and `addresses` stand in the order of the header's seats. An address is a numeric host
    as the proposer sees it, and a port; "" and 0 for the proposer itself.
    """

    core: bytes
    hellos: tuple[bytes, ...]
    addresses: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class EntryMessage:
    """One signed contribution at its place."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class State:
    """How far the sender's log is, whom it is linked with, whether it is ready.

    `step` is the next step that the sender waits for and `head` the chain value it stands on;
    `settled` the last step on whose head every seat in play has signed. `links` are indices of
    keys: the header's seats, or before a match whatever order the table agreed on; ascending.
    """

    match: bytes = NO_MATCH
    step: int = 0
    head: bytes = NO_MATCH
    settled: int = 0
    links: tuple[int, ...] = ()
    ready: bool = False


@dataclass(frozen=True, slots=True)
class Get:
    """Ask for the entries from `step` on; `held` are seats whose entry at `step` is at hand."""

    match: bytes
    step: int
    held: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """Entries of one match, steps ascending; `more` says that the page is full, not the log."""

    match: bytes
    entries: tuple[Entry, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Ping:
    """Answer with a `Pong` of the same token."""

    token: bytes


@dataclass(frozen=True, slots=True)
class Pong:
    """The answer to a `Ping`."""

    token: bytes


@dataclass(frozen=True, slots=True)
class Bye:
    """The sender closes the link."""

    reason: Reason
    text: str = ""


@dataclass(frozen=True, slots=True)
class Chat:
    """A line of talk; signed, so that anyone may pass it on. `number` counts a session's lines."""

    key: bytes
    table: bytes
    session: bytes
    number: int
    text: str
    signature: bytes = b""


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody at a table, as its host tells it: the HELLO, where it is reached, whether it is
    ready. A bot has an `owner` (a key) and the owner's `voucher`, which `Owned` explains; all
    others have neither. An address is as in `Propose`.
    """

    hello: bytes
    address: tuple[str, int]
    ready: bool = False
    owner: bytes = b""
    voucher: bytes = b""


@dataclass(frozen=True, slots=True)
class Lobby:
    """Who is at the table, from its host and nobody else: the host first, then in the order in
    which they came. A later `serial` replaces an earlier one. `removed` are keys that may not come
    back to this table.
    """

    serial: int
    members: tuple[Member, ...]
    removed: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Owned:
    """The sender is a bot of `owner`, whose `voucher` for the bot's key at this table this is."""

    owner: bytes
    voucher: bytes


@dataclass(frozen=True, slots=True)
class CodeHello:
    """At the door of a table with a code: who wants in, and the first message of the exchange."""

    hello: bytes
    pake: bytes


@dataclass(frozen=True, slots=True)
class CodeReply:
    """At the door: the table's message of the exchange."""

    pake: bytes


@dataclass(frozen=True, slots=True)
class CodeProof:
    """At the door: the sender knows the code. The visitor's comes first; the table's lets in."""

    proof: bytes


@dataclass(frozen=True, slots=True)
class Ask:
    """At the door: show me your card."""


@dataclass(frozen=True, slots=True)
class Knock:
    """At the door: let this process in, though admission is closed (a player who restarted)."""

    hello: bytes


@dataclass(frozen=True, slots=True)
class Refusal:
    """At the door: no, for this reason."""

    reason: Reason
    text: str = ""


@dataclass(frozen=True, slots=True)
class Welcome:
    """At the door: your process may connect to the mesh now."""


MeshMessage: TypeAlias = (
    Hello | Propose | EntryMessage | State | Get | Batch | Ping | Pong | Bye | Chat | Lobby | Owned
)
DoorMessage: TypeAlias = (
    TableCard | Ask | Knock | Refusal | Welcome | CodeHello | CodeReply | CodeProof
)
Message: TypeAlias = MeshMessage | DoorMessage
