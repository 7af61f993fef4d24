"""`busso host`: open a table for others of this network, and play at it.

Law: from words to an offer, a door and an announcement; the rest is `tools.table`'s.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterator

from engine.contract import Game
from engine.options import preset_of
from node.code import BadCode, new_code, read_code, show_code
from node.errors import MeshError, NodeError, PortTaken
from node.habits import preset_lines
from node.interfaces import reachable_addresses, scan
from node.invitation import DEFAULT_PORT, invite, qr_lines
from node.lobby import Offer
from node.notices import BackInLobby, LobbyChanged, SessionEvent, Started
from node.process import LOOPBACK
from node.session import Session
from protocol.encoding import clean_text
from protocol.errors import EncodingError
from protocol.messages import MAX_NAME
from tools import settings
from tools.arguments import SEATS, seats_of, table_rules
from tools.errors import UsageError
from tools.keyboard import Keyboard
from tools.output import Output
from tools.person import player_name
from tools.screen import lobby_screen
from tools.table import Doorway, Seat


def run(args: argparse.Namespace, out: Output) -> int:
    """Host a table until it is left. UsageError, OptionError, NodeError, FileError."""
    screen = lobby_screen(args, out)
    if screen is not None:
        offer, code = offer_of(args), _code(args.code)
        from tools.room import Home, at_the_screen  # noqa: PLC0415  # slow, and only for a screen

        def start(home: Home) -> Session:
            return home.host(offer, args.bots, code)

        return at_the_screen(args, out, screen, start)
    keyboard = Keyboard()
    return open_table(args, out, keyboard, keyboard.start)


def open_table(
    args: argparse.Namespace, out: Output, keyboard: Keyboard, listen: Callable[[], None]
) -> int:
    """As `run`, with a keyboard that `listen` begins to read once the table is open."""
    offer = offer_of(args)
    code = _code(args.code)
    update: list[Callable[[], None]] = []

    def observe(event: SessionEvent) -> None:
        if isinstance(event, LobbyChanged | Started | BackInLobby):
            for each in update:
                each()

    seat = Seat(args, out, keyboard, observe)
    address, local = listen_address(args.iface)
    port = open_door(seat.session, offer, address, args.port, code)
    doorway = Doorway(local, port, code)
    seat.means.invitation = lambda: invitation_lines(seat, args.iface, port, ascii_only=out.ascii)
    if out.json:
        seat.teller.data({"event": "hosting", "port": port, "code": code})
    else:
        _tell(seat, offer, args, port, code)
    with contextlib.ExitStack() as stack:
        if not args.hidden:
            door = (port, args.iface)
            retell = seat.teller.retell
            stack.enter_context(announced(seat.session, offer, door, update, retell))
        listen()
        return seat.play(doorway, args.bots)


def offer_of(args: argparse.Namespace) -> Offer:
    """The table that was asked for. UsageError, OptionError."""
    game, options = table_rules(args)
    offer = Offer(
        game,
        options,
        _seats(args, game),
        args.hands or 0,
        name=_table_name(args, player_name(args.name)),
        watchers=args.watchers,
        patience=args.patience,
        timer=args.timer,
    )
    offer.check()
    return offer


def _seats(args: argparse.Namespace, game: Game) -> int:
    wanted: int | None = args.seats
    if wanted is None:
        wanted = seats_of(game, max(SEATS, args.bots + 1))
    if args.bots >= wanted:
        text = f"{args.bots} computer players and you are more than the {wanted} seats"
        raise UsageError(text, "Give more --seats or fewer --bots.")
    return wanted


def _table_name(args: argparse.Namespace, name: str) -> str:
    """What the table is called: as was asked, or its host's."""
    try:
        return clean_text(args.table if args.table is not None else name, MAX_NAME)
    except EncodingError as error:
        raise UsageError(f"--table: {error}") from error


def _code(given: str | None) -> str:
    if given is None:
        return ""
    if not given:
        return new_code()
    try:
        return read_code(given)
    except BadCode as error:
        raise UsageError(str(error), "--code alone makes a new one.") from error


def listen_address(iface: str | None) -> tuple[str, str]:
    """The address to listen on, and the one at which this computer reaches itself."""
    if iface is None:
        return "*", LOOPBACK
    addresses = sorted(scan(iface)[0].addresses, key=lambda address: address.version)
    if not addresses:
        raise MeshError(f"The interface {iface[:40]} has no address.")
    return addresses[0].host, addresses[0].host


def open_door(session: Session, offer: Offer, address: str, port: int, code: str) -> int:
    """Open the door: at the port that was asked for, else at the usual one if it is free."""
    if port:
        return session.host(offer, address=address, port=port, code=code)
    try:
        return session.host(offer, address=address, port=DEFAULT_PORT, code=code)
    except PortTaken:
        return session.host(offer, address=address, port=0, code=code)


def _tell(seat: Seat, offer: Offer, args: argparse.Namespace, port: int, code: str) -> None:
    tell = seat.teller.tell
    tell("Your table '{name}' is open. 'help' lists what you can say.", name=offer.name)
    if args.hidden:
        tell(
            "It isn't shown to the network. Its door is at port {port}; 'invite' tells more.",
            port=port,
        )
    else:
        tell("Others of this network find it with: busso join")
    if code:
        tell("Who wants in needs the code {code}.", code=show_code(code))
    if getattr(args, "own_presets", ()):
        habits = settings.load().habits()
        usual = habits.preset(offer.game)
        tell("You have house rules of your own; --preset NAME plays them:")
        for line in preset_lines(offer.game, habits.own, usual, language=seat.teller.language):
            seat.teller.say(f"  {line}")


@contextlib.contextmanager
def announced(
    session: Session,
    offer: Offer,
    door: tuple[int, str | None],
    update: list[Callable[[], None]],
    say: Callable[[str], None],
) -> Iterator[None]:
    """Show the table to the network meanwhile; without a network it is played all the same.

    `door` is its port, and the interface if only one is used; `update` gets what tells of changes.
    """
    from dataclasses import replace  # noqa: PLC0415  # with the heavier ones below

    from node.discovery import Announcer, OpenTable  # noqa: PLC0415  # zeroconf is slow to import
    from protocol.announce import Phase  # noqa: PLC0415  # with it

    port, iface = door
    preset, differing = preset_of(offer.options, offer.game.presets)
    rules = "" if differing else preset

    def now() -> OpenTable:
        card = session.card
        table = OpenTable.of(card, session.name, port, rules=rules, code=card.code)
        return replace(table, phase=Phase.PLAYING if card.playing else Phase.LOBBY)

    announcer = Announcer(session.identity, now(), iface=iface)
    try:
        announcer.start()
    except NodeError as error:
        text = f"The table can't be shown to the network: {error}"
        say(text)
        yield
        return
    update.append(lambda: announcer.update(now()))
    try:
        yield
    finally:
        update.clear()
        announcer.stop()


def invitation_lines(seat: Seat, iface: str | None, port: int, *, ascii_only: bool) -> list[str]:
    """How others get here: an invitation to copy and to photograph. BadInvitation."""
    view = seat.session.lobby
    code = view.code if view is not None else ""
    text = str(invite(seat.session.card, reachable_addresses(scan(iface)), port, code))
    return [*qr_lines(text, ascii_only=ascii_only), f"busso join {text}"]
