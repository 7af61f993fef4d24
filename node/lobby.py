"""Agreeing on a match: who sits where, under which rules, signed by everybody.

Law: pure functions over cards, HELLOs and proposals. The host proposes; each seat compares the
proposal with the card it joined by and with its own HELLO, and its signature on the header is its
agreement. Nobody signs what it didn't ask for. Once all have signed, the host is one of the seats.

    card (options, seats)  +  a HELLO of each seat  ->  header core  ->  a signature of each seat
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine import registry
from engine.contract import Game, Over, State
from engine.errors import EngineError
from engine.options import from_items, items
from node.errors import NodeError
from protocol.contribution import DIGEST_SIZE, HASH_SIZE, Contribution, Entry, Kind, Place
from protocol.errors import EncodingError, UnsupportedFormat
from protocol.header import Header, Seat, SignedHeader, parse_core
from protocol.identity import Identity
from protocol.messages import Hello, Propose, Role, TableCard
from protocol.position import Position
from protocol.stages import (
    DEALER_EXTENSION,
    HANDS_EXTENSION,
    PATIENCE_EXTENSION,
    TIMER_EXTENSION,
)
from protocol.wire import introductions, sign

MAX_AGE = 86_400
"""Seconds by which the clocks of two computers may differ when they agree on a match."""


class LobbyError(NodeError):
    """No match can be agreed on; its text is one sentence for the player."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a host puts on the table: a game with its options, for `seats` players."""

    game: Game
    options: Any
    seats: int
    hands: int = 0
    """After how many hands the match is closed; 0: when the game says so."""
    name: str = "Busso"
    watchers: bool = True
    """Whether spectators are welcome."""
    patience: int = 0
    """Seconds that the table waits for who is away before it asks what to do; 0: the usual."""
    timer: int = 0
    """Seconds for a turn, after which the table asks what to do; 0: none."""

    def check(self) -> None:
        """Raise OptionError unless the game can be played so by so many."""
        self.game.start(self.options, self.seats)

    @property
    def extensions(self) -> tuple[tuple[str, int | str], ...]:
        """The header's extensions, ascending by name."""
        agreed = {
            HANDS_EXTENSION: self.hands,
            PATIENCE_EXTENSION: self.patience,
            TIMER_EXTENSION: self.timer,
        }
        return tuple((name, value) for name, value in sorted(agreed.items()) if value)


@dataclass(frozen=True, slots=True)
class Rematch:
    """What the last match says of the next one between the same: `dealer` deals first.

    `sessions` maps the keys of its seats to the sessions of their HELLOs: whoever restarted in
    between can't know how it ended, so the same players are those of the same sessions.
    """

    sessions: Mapping[bytes, bytes]
    dealer: bytes


def next_dealer(position: Position) -> bytes | None:
    """The key that deals first in the next match of the same players, where the rules of the game
    name it (PIC-02: the winner); None where a draw decides."""
    turn = position.state.turn()
    if not position.game.winner_deals or not isinstance(turn, Over):
        return None
    winners = turn.result.winners
    return position.header.keys[position.order[winners[0]]] if len(winners) == 1 else None


def make_card(
    offer: Offer,
    identity: Identity,
    at: tuple[bytes, int],
    table: bytes,
    free: int,
    *,
    code: bool = False,
    playing: bool = False,
) -> TableCard:
    """The card that the door hands out, signed by the host; `at` its mesh's CURVE key and port."""
    card = TableCard(
        game=offer.game.name,
        options=tuple(sorted(items(offer.options))),
        extensions=offer.extensions,
        name=offer.name,
        seats=offer.seats,
        free=free,
        key=identity.public,
        curve=at[0],
        port=at[1],
        table=table,
        code=code,
        watchers=offer.watchers,
        playing=playing,
    )
    return sign(card, identity)


def playable(card: TableCard) -> State:
    """The first state of what the card offers; LobbyError if this program can't play it."""
    try:
        game = registry.get(card.game)
        options: Any = from_items(game.options_type, card.options)
        return game.start(options, card.seats)
    except EngineError as error:
        raise LobbyError(f"This table can't be joined: {error}.") from error


def propose(
    card: TableCard,
    seated: Mapping[bytes, tuple[Hello, bytes, tuple[str, int]]],
    created: int,
    rematch: Rematch | None = None,
) -> Propose:
    """The host's proposal; `seated` maps each key to HELLO, its octets and its address."""
    order = sorted(seated)
    hellos = [seated[key][0] for key in order]
    header = Header(
        game=card.game,
        rules=registry.get(card.game).version,
        options=card.options,
        created=created,
        seats=tuple(Seat(h.name, h.key, h.nonce) for h in _distinct(hellos)),
        extensions=_agreed(card, hellos, rematch),
    )
    return Propose(
        header.core,
        tuple(seated[key][1] for key in order),
        tuple(seated[key][2] for key in order),
    )


def _agreed(
    card: TableCard, hellos: Sequence[Hello], rematch: Rematch | None
) -> tuple[tuple[str, int | str], ...]:
    """The header's extensions: the card's, and who deals first where the last match says so."""
    if rematch is None or {h.key: h.session for h in hellos} != rematch.sessions:
        return card.extensions
    keys = sorted(rematch.sessions)
    return tuple(sorted([*card.extensions, (DEALER_EXTENSION, keys.index(rematch.dealer) + 1)]))


def _distinct(hellos: Iterable[Hello]) -> list[Hello]:
    return sorted(hellos, key=lambda hello: hello.key)


def agree(
    card: TableCard,
    own: Hello | None,
    proposal: Propose,
    now: int,
    rematch: Rematch | None = None,
) -> Header:
    """The header to sign; for a watcher (`own` None) the one that the seats may sign.

    `rematch` is what the last match of this run of the program says of the next one; a watcher may
    have seen none. LobbyError: it isn't what the card offered, or not what we said.
    """
    try:
        header = parse_core(proposal.core)
        hellos = introductions(proposal)
    except (EncodingError, UnsupportedFormat) as error:
        raise LobbyError(f"The host's proposal can't be accepted: {error}.") from error
    extensions = header.extensions
    if own is None:
        extensions = tuple(one for one in extensions if one[0] != DEALER_EXTENSION)
        rematch = None
    terms = (header.game, header.options, extensions)
    expected = (card.game, card.options, _agreed(card, hellos, rematch))
    if terms != expected or len(header.seats) != card.seats:
        raise LobbyError("The host proposes other rules than its table card; nothing was signed.")
    if header.rules != registry.get(header.game).version:
        raise LobbyError("The host plays by another version of the rules; nothing was signed.")
    if len(proposal.addresses) != len(header.seats):
        raise LobbyError("The host's proposal lacks addresses; nothing was signed.")
    if abs(header.created - now) > MAX_AGE:
        raise LobbyError("The host's clock is more than a day away from ours; nothing was signed.")
    named = [(seat.name, seat.key, seat.nonce) for seat in header.seats]
    if [(h.name, h.key, h.nonce) for h in hellos] != named:
        raise LobbyError("The host's proposal names players who didn't introduce themselves so.")
    if any(h.table != card.table or h.role is not Role.SEAT for h in hellos):
        raise LobbyError("The host's proposal seats somebody from another table.")
    if own is not None and (own.name, own.key, own.nonce) not in named:
        raise LobbyError("The host's proposal doesn't give us the seat that we asked for.")
    return header


def header_entry(header: Header, identity: Identity) -> Entry:
    """One seat's agreement as it travels: step 0, no body, the signature of the core."""
    seat = header.keys.index(identity.public)
    place = Place(header.match, bytes(HASH_SIZE), 0)
    return Entry(
        place, Contribution(seat, Kind.HEADER, b"", bytes(DIGEST_SIZE), header.sign(identity))
    )


def is_agreement(header: Header, entry: Entry) -> bool:
    """Whether `entry` is a seat's valid signature on this header."""
    c = entry.contribution
    return (
        entry.place == Place(header.match, bytes(HASH_SIZE), 0)
        and c.kind is Kind.HEADER
        and c.seat < len(header.seats)
        and not c.body
        and header.is_signed_by(c.seat, c.signature)
    )


def sealed(header: Header, agreements: Mapping[int, Entry]) -> SignedHeader | None:
    """The signed header once every seat has agreed."""
    if len(agreements) < len(header.seats):
        return None
    return header.seal(
        [agreements[seat].contribution.signature for seat in range(len(header.seats))]
    )
