"""What a key does to a choice that is being made, before anything is played.

Law: pure. `items` are the things that can be reached with the arrows; `Ui` is where the reader
stands among them and which dialog is open; `press` gives the next Ui and, at the end of two steps
(pick, then Enter), an effect. It must never know how anything looks, nor why a choice is legal.

    decision               arrows               Enter
    ---------------------  -------------------  ---------------------------------------------
    one card               along the hand       plays the card
    cards for cards        hand, table, words   picks; once the picked cards are a choice: does it
    words                  along the buttons    says it
    a number               one less, one more   takes it
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from typing import Final

from engine.contract import Move, Reason
from engine.errors import IllegalMove
from node.language import following, mark
from node.screen.choices import Choice, forbidden
from node.screen.view import TableView
from node.search import Comparison

DIGITS: Final = 10
"""So many items have a key of their own: 1 to 9, then 0."""
MAX_TYPED: Final = 200
"""Characters of a line of chat."""


class Key(StrEnum):
    """Keys that mean something; a printable character is itself."""

    LEFT = "left"
    RIGHT = "right"
    UP = "up"
    DOWN = "down"
    ENTER = "enter"
    SPACE = "space"
    TAB = "tab"
    ESCAPE = "escape"
    BACKSPACE = "backspace"
    PAGE_UP = "pageup"
    PAGE_DOWN = "pagedown"
    WHY = "?"
    HELP = "f1"
    RULES = "f2"
    CHAT = "f3"
    LOG = "f4"
    ADVICE = "f5"
    LANGUAGE = "f9"
    LEAVE = "f10"
    INTERRUPT = "c-c"
    """Asks about leaving; pressed again it leaves, since somebody means it."""


LETTERS: Final = {
    "h": Key.HELP,
    "r": Key.RULES,
    "c": Key.CHAT,
    "o": Key.LOG,
    "s": Key.ADVICE,
    "l": Key.LANGUAGE,
    "q": Key.LEAVE,
}
"""For keyboards and terminals without function keys, while no dialog is open."""


class Dialog(Enum):
    """What lies over the table."""

    NONE = "none"
    HELP = "help"
    RULES = "rules"
    CHAT = "chat"
    LOG = "log"
    LEAVE = "leave"
    NOTICE = "notice"
    RESULT = "result"
    MISSING = "missing"


class Place(Enum):
    """Where an item is."""

    TABLE = "table"
    HAND = "hand"
    BUTTON = "button"


@dataclass(frozen=True, slots=True)
class Item:
    """Something that can be reached: a card's slot, or a choice that is made by its words.

    `number` is its digit on the keyboard, 0 to 9, or -1; `usable`: some choice moves it.
    """

    place: Place
    slot: int = -1
    choice: Choice | None = None
    number: int = -1
    usable: bool = True


class Why(StrEnum):
    """Why a move is recommended."""

    ONLY = "only"
    """Nothing else may be done."""
    WORLDS = "worlds"
    """It did best in sampled deals."""
    HABIT = "habit"
    """The game suggests it."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A move that a computer player would choose, and what was found out about it.

    reasons   what speaks for it by the game's own account
    compared  how it did in sampled deals; `parts` of a lead there are one point, 0 if there is no
              such number
    holds     in how many of so many sampled deals the own hand isn't the worst now
    """

    move: Move
    why: Why
    reasons: tuple[Reason, ...] = ()
    compared: Comparison | None = None
    parts: int = 0
    holds: tuple[int, int] | None = None


Notice = IllegalMove | Advice | str
"""What a notice says: why a card can't be played, an advice, or a message of the catalogue."""


@dataclass(frozen=True, slots=True)
class Ui:
    """Where the reader stands.

    focus    an index into `items`
    marked   the slots that are picked
    variant  which of the choices that move the picked cards
    number   an index into `choices.numbers`; `typed` the digits typed so far
    seen     the last hand whose result was put away
    """

    language: str = "en"
    focus: int = 0
    marked: frozenset[int] = frozenset()
    variant: int = 0
    number: int = 0
    typed: str = ""
    dialog: Dialog = Dialog.NONE
    scroll: int = 0
    line: str = ""
    notice: Notice | None = None
    seen: int = 0


@dataclass(frozen=True, slots=True)
class Do:
    """Play this move."""

    move: Move


@dataclass(frozen=True, slots=True)
class Say:
    """Send a line of chat."""

    text: str


class Wish(Enum):
    """Effects without a value."""

    LEAVE = "leave"
    ADVICE = "advice"
    GO_ON = "go on"
    WAIT = "wait"
    ABANDON = "abandon"


Effect = Do | Say | Wish


def items(view: TableView) -> tuple[Item, ...]:
    """What can be reached now: the hand, what can be taken from the table, the words."""
    offered = view.choices
    if not offered or offered.numbers:
        return ()
    found = []
    if offered.by_cards:
        found = [Item(Place.HAND, slot, usable=slot in offered.usable) for slot in view.hand]
        found += [Item(Place.TABLE, slot) for slot in offered.table if slot in offered.usable]
    found += [Item(Place.BUTTON, choice=choice) for choice in offered.buttons]
    numbered = []
    count = 0
    for item in found:
        count += item.usable
        known = item.usable and count <= DIGITS
        numbered.append(replace(item, number=count % DIGITS) if known else item)
    return tuple(numbered)


def begin(view: TableView, ui: Ui) -> Ui:
    """A new decision is due: nothing is picked, the first thing that can be chosen is in focus."""
    first = next((n for n, item in enumerate(items(view)) if item.usable), 0)
    middle = len(view.choices.numbers) // 2
    return replace(ui, focus=first, marked=frozenset(), variant=0, number=middle, typed="")


def focused(view: TableView, ui: Ui) -> Item | None:
    """The item in focus."""
    found = items(view)
    return found[min(ui.focus, len(found) - 1)] if found else None


def matching(view: TableView, ui: Ui) -> tuple[Choice, ...]:
    """The choices that move exactly the picked cards."""
    offered = view.choices
    marked = ui.marked
    give = marked & frozenset(offered.hand)
    return offered.by_cards.get((give, marked - give), ())


def ready(view: TableView, ui: Ui) -> Choice | None:
    """What Enter would do now; None if the choice isn't complete."""
    offered = view.choices
    if offered.numbers:
        return offered.numbers[min(ui.number, len(offered.numbers) - 1)]
    item = focused(view, ui)
    if item is None:
        return None
    if item.choice is not None:
        return item.choice
    if offered.single:
        found = offered.by_cards.get((frozenset((item.slot,)), frozenset()), ())
    else:
        found = matching(view, ui)
    return found[ui.variant % len(found)] if found else None


def variants(view: TableView, ui: Ui) -> int:
    """How many choices move the picked cards: Tab goes through them."""
    return 0 if view.choices.single else len(matching(view, ui))


def shows_result(view: TableView, ui: Ui) -> bool:
    """Whether the result of a hand lies over the table."""
    result = view.story.result
    return result is not None and result.hand > ui.seen


def open_dialog(view: TableView, ui: Ui) -> Dialog:
    """The dialog on top."""
    if ui.dialog is not Dialog.NONE:
        return ui.dialog
    if view.around.question:
        return Dialog.MISSING
    return Dialog.RESULT if shows_result(view, ui) else Dialog.NONE


# -- keys -------------------------------------------------------------------------------------


def press(view: TableView, ui: Ui, key: str) -> tuple[Ui, Effect | None]:
    """What `key` leads to."""
    dialog = open_dialog(view, ui)
    if key == Key.INTERRUPT:
        if dialog is Dialog.LEAVE:
            return ui, Wish.LEAVE
        key = Key.LEAVE
    if dialog is Dialog.CHAT and key != Key.LEAVE:
        return _type(ui, key)
    if dialog is Dialog.NONE:
        key = LETTERS.get(key, key)
    if key == Key.LANGUAGE:
        return replace(ui, language=following(ui.language)), None
    if key == Key.LEAVE and view.result is not None:
        return ui, Wish.LEAVE
    if key in _DIALOG_OF:
        return _toggle(view, ui, _DIALOG_OF[Key(key)]), None
    if key == Key.ADVICE:
        return (ui, Wish.ADVICE) if view.deciding else (ui, None)
    if dialog is not Dialog.NONE:
        return _in_dialog(view, ui, dialog, key)
    return _choose(view, ui, key)


_DIALOG_OF: Final = {
    Key.HELP: Dialog.HELP,
    Key.RULES: Dialog.RULES,
    Key.CHAT: Dialog.CHAT,
    Key.LOG: Dialog.LOG,
    Key.LEAVE: Dialog.LEAVE,
}


def _toggle(view: TableView, ui: Ui, dialog: Dialog) -> Ui:
    """The same key opens a dialog and closes it."""
    if dialog is Dialog.CHAT and not view.around.can_chat:
        return notice(ui, NO_CHAT)
    return replace(ui, dialog=Dialog.NONE if ui.dialog is dialog else dialog, scroll=0, line="")


NO_CHAT: Final = mark("Nobody can be written to at this table.")


def notice(ui: Ui, what: Notice) -> Ui:
    """Show a notice."""
    return replace(ui, dialog=Dialog.NOTICE, notice=what, scroll=0)


def _in_dialog(view: TableView, ui: Ui, dialog: Dialog, key: str) -> tuple[Ui, Effect | None]:
    scrolls = {Key.UP: -1, Key.DOWN: 1, Key.PAGE_UP: -10, Key.PAGE_DOWN: 10}
    if key in scrolls:
        return replace(ui, scroll=max(0, ui.scroll + scrolls[Key(key)])), None
    if dialog is Dialog.LEAVE:
        if key in ("y", "Y", "s", "S"):
            return replace(ui, dialog=Dialog.NONE), Wish.LEAVE
        closes = view.around.suspended and key in ("x", "X")
        return replace(ui, dialog=Dialog.NONE), Wish.ABANDON if closes else None
    if dialog is Dialog.MISSING:
        return ui, {"g": Wish.GO_ON, "w": Wish.WAIT, "a": Wish.WAIT}.get(key.lower())
    if key not in (Key.ENTER, Key.ESCAPE, Key.SPACE):
        return ui, None
    if dialog is Dialog.RESULT and view.story.result is not None:
        return replace(ui, seen=view.story.result.hand, scroll=0), None
    return replace(ui, dialog=Dialog.NONE, notice=None, scroll=0), None


def _type(ui: Ui, key: str) -> tuple[Ui, Effect | None]:
    """A key while a line of chat is written."""
    if key == Key.ENTER:
        text = ui.line.strip()
        return replace(ui, dialog=Dialog.NONE, line=""), Say(text) if text else None
    if key in (Key.ESCAPE, Key.CHAT):
        return replace(ui, dialog=Dialog.NONE, line=""), None
    if key == Key.BACKSPACE:
        return replace(ui, line=ui.line[:-1]), None
    character = " " if key == Key.SPACE else key
    if len(character) == 1 and character.isprintable() and len(ui.line) < MAX_TYPED:
        return replace(ui, line=ui.line + character), None
    return ui, None


def _choose(view: TableView, ui: Ui, key: str) -> tuple[Ui, Effect | None]:
    if not view.deciding:
        return ui, None
    if view.choices.numbers:
        return _number(view, ui, key)
    if key in _STEPS:
        return replace(ui, focus=_moved(view, ui, Key(key)), variant=0), None
    if key == Key.TAB:
        return replace(ui, variant=ui.variant + 1), None
    if key == Key.WHY:
        return _why(view, ui), None
    if key == Key.ESCAPE:
        return replace(ui, marked=frozenset(), variant=0), None
    if key == Key.SPACE:
        return _mark(view, ui), None
    if key == Key.ENTER:
        return _enter(view, ui)
    if len(key) == 1 and key in "0123456789":
        return _digit(view, ui, int(key)), None
    return ui, None


_STEPS: Final = {Key.LEFT: -1, Key.RIGHT: 1, Key.UP: -1, Key.DOWN: 1}
_ORDER: Final = (Place.TABLE, Place.HAND, Place.BUTTON)
"""From the top of the screen to the bottom."""


def _moved(view: TableView, ui: Ui, key: Key) -> int:
    """The focus after an arrow: left and right within a row, up and down between rows."""
    found = items(view)
    at = min(ui.focus, len(found) - 1)
    rows = [[n for n, item in enumerate(found) if item.place is place] for place in _ORDER]
    rows = [row for row in rows if row]
    here = next(n for n, row in enumerate(rows) if at in row)
    step = _STEPS[key]
    if key in (Key.LEFT, Key.RIGHT):
        row = rows[here]
        return row[(row.index(at) + step) % len(row)]
    there = here + step
    if not 0 <= there < len(rows):
        return at
    column = rows[here].index(at) * len(rows[there]) // len(rows[here])
    return rows[there][column]


def _mark(view: TableView, ui: Ui) -> Ui:
    """Pick the card in focus, or put it back."""
    item = focused(view, ui)
    if item is None or item.slot < 0 or view.choices.single:
        return ui
    return replace(ui, marked=ui.marked ^ {item.slot}, variant=0)


def _enter(view: TableView, ui: Ui) -> tuple[Ui, Effect | None]:
    chosen = ready(view, ui)
    if chosen is not None:
        return ui, Do(chosen.move)
    item = focused(view, ui)
    if item is not None and not item.usable:
        return _why(view, ui), None
    return _mark(view, ui), None


def _why(view: TableView, ui: Ui) -> Ui:
    """Why the card in focus can't be played; the rules of the moment where it can."""
    item = focused(view, ui)
    if item is not None and item.slot >= 0 and not item.usable:
        error = forbidden(view.state, view.choices, item.slot)
        if error is not None:
            return notice(ui, error)
    return replace(ui, dialog=Dialog.RULES, scroll=0)


def _digit(view: TableView, ui: Ui, digit: int) -> Ui:
    """Go to the item with that number; where cards are picked, pick it too."""
    found = items(view)
    at = next((n for n, item in enumerate(found) if item.number == digit), None)
    if at is None:
        return ui
    ui = replace(ui, focus=at, variant=0)
    return ui if found[at].choice is not None else _mark(view, ui)


def _number(view: TableView, ui: Ui, key: str) -> tuple[Ui, Effect | None]:
    """A key while a number is chosen."""
    numbers = view.choices.numbers
    last = len(numbers) - 1
    steps = {
        Key.LEFT: -1,
        Key.DOWN: -1,
        Key.RIGHT: 1,
        Key.UP: 1,
        Key.PAGE_UP: 10,
        Key.PAGE_DOWN: -10,
    }
    if key in steps:
        at = max(0, min(last, ui.number + steps[Key(key)]))
        return replace(ui, number=at, typed=""), None
    if key == Key.ENTER:
        chosen = ready(view, ui)
        return ui, Do(chosen.move) if chosen else None
    if key == Key.WHY:
        return replace(ui, dialog=Dialog.RULES, scroll=0), None
    if len(key) == 1 and key in "0123456789":
        for typed in (ui.typed + key, key):
            at = next((n for n, c in enumerate(numbers) if str(c.rest[0]) == typed), -1)
            begins = any(str(c.rest[0]).startswith(typed) for c in numbers)
            if at >= 0 or begins:
                return replace(ui, number=at if at >= 0 else ui.number, typed=typed), None
    return ui, None
