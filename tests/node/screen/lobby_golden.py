"""The golden screens of the list, the form and the lobby: moments, and how each has to look.

Law: values that are made here, no network; painted at several sizes, in both languages and in
ASCII, and compared, character by character, with a file in tests/golden/lobby. To write the files
again, having looked at what changed:

    python -m tests.node.screen.lobby_golden
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.options import items, make
from engine.registry import get
from node.discovery_listing import Listed, Way
from node.notices import (
    BackInLobby,
    Gone,
    HostSilent,
    Joined,
    LobbyChanged,
    LobbyView,
    Person,
    Stranger,
    Talked,
)
from node.screen import list_desk, lobby_room, lobby_setup
from node.screen.cells import Grid
from node.screen.list_desk import ListUi, Tables
from node.screen.list_paint import paint_list
from node.screen.lobby_page import Over
from node.screen.lobby_paint import paint_lobby
from node.screen.lobby_room import Ask, Invited, Room, RoomUi
from node.screen.lobby_setup import FormUi
from node.screen.lobby_setup_paint import paint_setup
from node.screen.theme import Theme, ThemeName, theme
from protocol.announce import Phase
from protocol.messages import Role, TableCard
from tests.node.screen.golden import SIZES, frame, styled

FOLDER = Path(__file__).resolve().parent.parent.parent / "golden" / "lobby"
DARK = theme(ThemeName.DARK)
PLAIN = theme(ThemeName.NONE, unicode=False)
INVITATION = "busso1-0c381hg-rg4z9k2-ab3cd4e-fg5hj6k-mn7pq8r-st9vw0x-yz"


def key(number: int) -> bytes:
    """A player's key."""
    return bytes([number]) * 32


def listed(
    number: int, name: str, host: str, game: str = "petrangola", **changes: object
) -> Listed:
    """A table of the list."""
    table = Listed(
        name=name,
        host=host,
        game=game,
        rules=get(game).default_preset,
        seats=4,
        free=2,
        phase=Phase.LOBBY,
        code=False,
        addresses=("192.168.1.20",),
        port=28_776,
        fingerprint=f"ABCD-EF{number:02}-0000",
        key=key(number),
        table=bytes([number]) * 16,
        ping=0.0015 * number,
        ways=Way.UDP,
    )
    return replace(table, **changes)  # type: ignore[arg-type]  # named as its fields are


TABLES = (
    listed(1, "Cucina", "Ada"),
    listed(2, "Terrazza della nonna Giuseppina", "Bruno", "traversone", code=True, ping=None),
    listed(3, "日本語の卓", "Łukasz", "briscola", phase=Phase.PLAYING, free=0),
    listed(4, "\u202egnol\x1b[31m", "Eve\n", "picchetto", free=0, seats=2, key=b""),
    listed(5, "Futuro", "Zoe", rules="", free=1),
)


def person(number: int, name: str, **changes: object) -> Person:
    """Somebody at the table."""
    one = Person(key(number), name, name, Role.SEAT, ready=False)
    return replace(one, **changes)  # type: ignore[arg-type]  # named as its fields are


def card(**changes: object) -> TableCard:
    """The card of a table of four that plays Petrangola with a change of its own."""
    game = get("petrangola")
    options: Any = make(game.options_type, game.presets["marche"], [("tokens", "5")])
    found = TableCard(
        game="petrangola",
        options=tuple(sorted(items(options))),
        extensions=(("hands", 10), ("timer", 45)),
        name="Cucina",
        seats=4,
        free=1,
        key=key(1),
        curve=key(9),
        port=40_000,
        table=bytes(16),
        code=True,
        watchers=True,
        playing=False,
    )
    return replace(found, **changes)  # type: ignore[arg-type]  # named as its fields are


ADA = person(1, "Ada", host=True, you=True)
BRUNO = person(2, "Bruno", ready=True)
FOSCO = person(3, "Fosco", ready=True, owner="Ada")
WANDA = person(4, "Wanda", role=Role.WATCH)
OTHER_BRUNO = person(5, "Bruno", label="Bruno·k7f2")


def view(*people: Person, code: str = "K7F29QXM", **changes: object) -> LobbyView:
    """Who is at the table."""
    return LobbyView(card(**changes), people, code)


def heard(*notices: object) -> Room:
    """A room after notices."""
    room = Room()
    for notice in notices:
        room = room.heard(notice)  # type: ignore[arg-type]  # notices of several kinds
    return room


ALONE = heard(LobbyChanged(view(ADA)))
COMPANY = heard(
    LobbyChanged(view(ADA)),
    Joined("Bruno", 2, BRUNO),
    Talked(BRUNO, "buona fortuna a tutti! \x1b[2J chi porta il caffè?"),
    Joined("Fosco", 1, FOSCO),
    Joined("Wanda", 1, WANDA),
    LobbyChanged(view(ADA, BRUNO, FOSCO, WANDA)),
)
STRANGE = heard(
    LobbyChanged(view(ADA, BRUNO)),
    Joined("Bruno·k7f2", 1, OTHER_BRUNO),
    Stranger(OTHER_BRUNO, "x3q9"),
    LobbyChanged(view(ADA, BRUNO, OTHER_BRUNO)),
)
_GUESTS = (replace(ADA, you=False, ready=True), replace(BRUNO, you=True, ready=False))
GUEST = heard(
    LobbyChanged(view(*_GUESTS, code="", seats=2)),
    Gone(FOSCO, removed=True),
    HostSilent(back=False),
)
AGAIN = heard(LobbyChanged(view(*_GUESTS, code="", seats=2)), BackInLobby(Path("match.busso")))
CROWD = heard(
    LobbyChanged(
        view(
            ADA,
            *(person(n, f"Giocatore {n}", ready=n % 2 == 0) for n in range(10, 40)),
            WANDA,
            seats=40,
        )
    )
)
ROOMS: tuple[tuple[str, Room, tuple[str, ...]], ...] = (
    ("lobby-alone", ALONE, ()),
    ("lobby-company", COMPANY, ("down",)),
    ("lobby-crowd", CROWD, ("down",) * 20),
    ("lobby-guest", GUEST, ()),
    ("lobby-again", AGAIN, ("right",)),
    ("lobby-waiting", Room(), ()),
    ("lobby-stranger", STRANGE, ()),
    ("lobby-stranger-read", replace(STRANGE, warned=()), ("down", "down")),
    ("lobby-remove", COMPANY, ("down", "k")),
    ("lobby-chat", COMPANY, ("c", *"ciao")),
    ("lobby-rules", COMPANY, ("f2", "down", "down")),
    ("lobby-help", COMPANY, ("f1",)),
    ("lobby-leave", COMPANY, ("f10",)),
    ("lobby-invite", COMPANY, ("i",)),
)
LISTS: tuple[tuple[str, Tables, tuple[str, ...]], ...] = (
    ("list-empty", Tables("Ada"), ()),
    ("list-tables", Tables("Ada", TABLES, "petrangola with Bruno, step 31"), ("down", "down")),
    ("list-code", Tables("Ada", TABLES), ("2", "enter", *"k7f2")),
    ("list-line", Tables("Ada", TABLES), ("up", *"192.168.1.5")),
    ("list-watch", Tables("Ada", TABLES, watches=True), ("3",)),
    ("list-help", Tables("Ada", TABLES), ("f1",)),
    ("list-notice", Tables("Ada", TABLES), ()),
)
FORMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("form", ()),
    ("form-presets", ("down", "down")),
    ("form-presets-all", ("down", "down", "f2")),
    ("form-option", (*("down",) * 11, "right", "right")),
    ("form-refused", (*("down",) * 13, "right", "enter")),
    ("form-picchetto", ("down", "left", "down", "right", "down")),
    ("form-rules", ("down", "f2")),
    ("form-help", ("f1",)),
)


def room_ui(room: Room, keys: tuple[str, ...], code: str) -> RoomUi:
    """Where the reader stands after the keys."""
    ui = RoomUi(language=code)
    for name in keys:
        ui, effect = lobby_room.press(room, ui, name)
        if effect is Ask.INVITE:
            invited = Invited(INVITATION, ("192.168.1.20", "[2001:db8::20]:28777"), "K7F29QXM")
            ui = replace(ui, over=Over.INVITE, invited=invited)
    return ui


def list_ui(name: str, tables: Tables, keys: tuple[str, ...], code: str) -> ListUi:
    """Where the reader stands after the keys."""
    ui = ListUi(language=code)
    for one in keys:
        ui, _ = list_desk.press(tables, ui, one)
    if name == "list-notice":
        ui = list_desk.told(ui, "That table is full.")
    return ui


def grids(w: int, h: int, code: str, look: Theme) -> Iterator[tuple[str, Grid]]:
    """Every screen at one size."""
    for name, room, keys in ROOMS:
        yield name, paint_lobby(room, w, h, look, room_ui(room, keys, code))
    for name, tables, keys in LISTS:
        yield name, paint_list(tables, w, h, look, list_ui(name, tables, keys, code))
    for name, keys in FORMS:
        form, ui = lobby_setup.begin("Ada"), FormUi(language=code)
        for one in keys:
            form, ui, _ = lobby_setup.press(form, ui, one)
        yield name, paint_setup(form, w, h, look, ui)


def contents() -> dict[str, str]:
    """The text of every file."""
    files: dict[str, list[str]] = {}
    for w, h, code in SIZES:
        for name, grid in grids(w, h, code, DARK):
            files.setdefault(name, []).append(frame(f"{w}x{h} {code}", grid))
    for w, h, code in ((60, 20, "it"), (110, 40, "en")):
        for name, grid in grids(w, h, code, PLAIN):
            if name in ("lobby-company", "lobby-invite", "list-tables", "form"):
                files.setdefault("ascii", []).append(frame(f"{name} {w}x{h} {code}", grid))
    for name in ThemeName:
        for kind, grid in grids(80, 24, "it", theme(name)):
            if kind in ("lobby-stranger-read", "lobby-invite"):
                files.setdefault(f"theme-{name.value}", []).append(styled(grid, theme(name)))
    return {name: "\n".join(frames) for name, frames in files.items()}


def main() -> None:
    """Write the files again."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for name, text in contents().items():
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
