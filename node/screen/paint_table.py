"""The upper part of the table: the other seats, and what lies in the middle.

Law: paints piles and seats as the view has them, whatever the game: a monte or a trick in the
middle, stock, trump and talon at its left, and where there is nothing to see what was said last. It
must never know a rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.cards import UNKNOWN
from node.screen import words
from node.screen.cards import BACK, Pose, Size
from node.screen.cells import cut, width, wrap
from node.screen.glossary import score_label
from node.screen.scene import Area, Scene
from node.screen.theme import Role, suit_role
from node.screen.view import SeatView

_BOX: Final = 18
"""The fewest columns of a seat with two rows."""
_LINE: Final = 27
"""The fewest columns of a seat with one row and its cards, _DENSE of one without them."""
_DENSE: Final = 14
_FEW_CARDS: Final = 5
_ROOMY: Final = 13
"""Rows of the middle from which its cards are large."""
_ACROSS: Final = 4
"""Cards of a pile side by side."""
_SAID: Final = 7
"""Lines of what was said last, where there are no cards in the middle."""
_LEFT: Final = 15
"""The most columns for the stock and the like."""


def paint(s: Scene, area: Area) -> None:
    """Paint the seats at the top of `area` and the middle below them."""
    others = [seat for seat in s.view.seats if not seat.me]
    rest = _seats(s, area, others)
    _middle(s, rest)


# -- seats ------------------------------------------------------------------------------------


def _seats(s: Scene, area: Area, others: Sequence[SeatView]) -> Area:
    """Boxes side by side; where they don't fit, one row a seat in columns."""
    count = len(others)
    if not count:
        return area
    across = min(count, area.width // _BOX)
    rows = -(-count // across)
    tall = 3 if area.height >= 12 and rows == 1 else 2
    if rows * tall <= area.height - 5:
        columns = area.width // across
        for n, seat in enumerate(others):
            box = Area(
                area.x + n % across * columns, area.y + n // across * tall, columns - 1, tall
            )
            _box(s, box, seat)
        return area.below(rows * tall)
    most = max(1, area.height - 5)
    across = max(1, area.width // (_LINE if count <= most * (area.width // _LINE) else _DENSE))
    rows = min(-(-count // across), most)
    columns = area.width // across
    shown = _most_wanted(others, rows * across)
    for n, seat in enumerate(shown):
        box = Area(area.x + n // rows * columns, area.y + n % rows, columns - 1, 1)
        if n == len(shown) - 1 and len(shown) < count:
            text = s.language.count("and {n} more", "and {n} more", count - len(shown) + 1)
            s.grid.put(box.x + 2, box.y, cut(text, box.width), Role.DIM)
        else:
            _line(s, box, seat)
    return area.below(rows)


def _most_wanted(others: Sequence[SeatView], room: int) -> list[SeatView]:
    """Where not all seats fit: those that are due and the dealer, then in the order of play."""
    if len(others) <= room:
        return list(others)
    wanted = sorted(others, key=lambda seat: not (seat.due or seat.dealer))[:room]
    return [seat for seat in others if seat in wanted]


def _name(s: Scene, box: Area, seat: SeatView, room: int) -> int:
    """Whose turn it is, the name, whether the seat can be reached; the column after it."""
    x = s.grid.put(box.x, box.y, "►" if seat.due else " ", Role.TURN if seat.due else Role.TEXT)
    role = Role.NAME if seat.playing else Role.DIM
    x = s.grid.put(x + 1, box.y, cut(seat.name, room - 4), role)
    dot, role = ("●", Role.FAIR) if seat.present else ("○", Role.WARN)
    return s.grid.put(x + 1, box.y, dot, role)


def _box(s: Scene, box: Area, seat: SeatView) -> None:
    """Two or three rows of one seat."""
    info = _info(s, seat, long=box.height > 2)
    if box.height > 2:
        _name(s, box, seat, box.width)
        if width(info) > box.width - 2:
            info = info.partition(" ")[2]  # without the name of the score
        s.grid.put(box.x + 2, box.y + 2, cut(info, box.width - 2), Role.DIM)
        x = _cards(s, box.x + 2, box.y + 1, seat.cards, box.width - 2)
        if seat.taken:
            text = s.language.count("{n} taken", "{n} taken", seat.taken)
            s.grid.put(x + 1, box.y + 1, cut(text, box.x + box.width - x - 1), Role.DIM)
        return
    x = _name(s, box, seat, box.width - 4)
    s.grid.put(x + 1, box.y, str(seat.score), Role.DIM)
    x = _cards(s, box.x + 2, box.y + 1, seat.cards, box.width - 2)
    x += 1 if seat.cards else 0
    s.grid.put(x, box.y + 1, cut(info, box.x + box.width - x), Role.DIM)


def _line(s: Scene, box: Area, seat: SeatView) -> None:
    """One row of one seat: name, cards, score."""
    score = str(seat.score)
    dense = box.width < _LINE - 1
    x = _name(s, box, seat, box.width - (len(score) + 1 if dense else 13))
    if not dense:
        room = box.x + box.width - x - 2 - len(score)
        x = _cards(s, x + 1, box.y, seat.cards, room)
    s.grid.put(x + 1, box.y, score, Role.DIM)


def _info(s: Scene, seat: SeatView, *, long: bool) -> str:
    """What a seat has besides its cards."""
    view = s.view
    if not seat.playing and view.state.players:
        return s.text("out")
    parts = words.numbers(s.language, view, seat)
    if not long:
        return " · ".join(parts)
    label = score_label(s.language, view.state.game).lower()
    return " · ".join([f"{label} {seat.score}", *parts[1 if seat.taken else 0 :]])


def _cards(s: Scene, x: int, y: int, cards: tuple[int, ...], room: int) -> int:
    """A hand in short: backs and the cards that are known; the column after it."""
    end = x + room
    kind = s.view.kind
    hidden = sum(face == UNKNOWN for face in cards)
    if len(cards) > _FEW_CARDS or len(cards) * 3 - 1 > room:
        if hidden:
            x = s.grid.put(x, y, f"{BACK * 2}×{hidden}", Role.BACK, max(0, end - x)) + 1
        cards = tuple(face for face in cards if face != UNKNOWN)
    for n, face in enumerate(cards):
        if x + 2 > end:
            break
        if x + 5 > end and n < len(cards) - 1 and len(cards) > _FEW_CARDS:
            x = s.grid.put(x, y, f"+{len(cards) - n}", Role.DIM, max(0, end - x)) + 1
            break
        if face == UNKNOWN:
            x = s.grid.put(x, y, BACK * 2, Role.BACK) + 1
        else:
            role = suit_role(kind.suits, kind.suit(face))
            x = s.grid.put(x, y, kind.text(face), role) + 1
    return x - 1 if x > 0 else x


# -- the middle -------------------------------------------------------------------------------


def _middle(s: Scene, area: Area) -> None:
    view = s.view
    ticker = 1 if area.height > 4 else 0
    last = _last(s)
    left = _left(s, area.above(ticker))
    inner = Area(area.x + left, area.y, area.width - left, area.height - ticker)
    monte = view.pile("monte")
    laid = view.trick.laid
    if monte:
        _row(s, inner, monte, picked=True)
    elif laid:
        _trick(s, inner)
    else:
        _lines(s, inner, _recent(s, inner.width - 2)[-min(inner.height, _SAID) :])
        return
    if ticker:
        s.grid.put(area.x + 1, area.bottom - 1, cut(last, area.width - 2), Role.DIM)


def _last(s: Scene) -> str:
    """What happened last, in one sentence; "" once a whole trick was played since."""
    played = 0
    for told in reversed(s.view.story.happenings[-30:]):
        played += words.is_card(told)
        if played > len(s.view.seats):
            return ""
        text = "" if words.routine(told) else words.happened(s.language, s.view, told)
        if text:
            return text
    return ""


def _recent(s: Scene, room: int) -> list[str]:
    """What happened last, wrapped, the latest at the end."""
    lines: list[str] = []
    for told in s.view.story.happenings[-30:]:
        text = words.happened(s.language, s.view, told)
        if text and not words.routine(told):
            lines += wrap(text, room)
    return lines


def _lines(s: Scene, area: Area, lines: Sequence[str]) -> None:
    """Sentences in the middle."""
    start = area.y + max(0, (area.height - len(lines)) // 2)
    for n, line in enumerate(lines[: area.height]):
        role = Role.TEXT if n == len(lines) - 1 else Role.DIM
        s.grid.put(area.x + 1, start + n, line, role)


def _left(s: Scene, area: Area) -> int:
    """Stock, trump, talon, what was put aside; the columns that they take."""
    view, t = s.view, s.text
    found: list[tuple[str, tuple[int, ...]]] = []
    for name, word in (
        ("stock", t("stock")),
        ("talon", t("talon")),
        ("briscola", t("briscola")),
        ("aside", t("put aside")),
    ):
        slots = view.pile(name)
        if slots:
            found.append((word, slots))
    if view.discard:
        found.append((t("your discard"), view.discard))
    rows = sum(1 + _rows(s, slots) for _, slots in found)
    if not found or rows > area.height:
        return 0
    y = area.y + (area.height - rows) // 2
    columns = max(7, *(width(word) + 3 for word, _ in found))
    for word, slots in found:
        s.grid.put(area.x + 1, y, cut(word, _LEFT - 2), Role.DIM)
        y += 1
        if not _known(s, slots):
            s.grid.put(area.x + 1, y, f"{BACK * 2} {len(slots)}", Role.BACK)
            y += 1
            continue
        for n in range(0, len(slots), _ACROSS):
            faces = tuple(view.face(slot) for slot in slots[n : n + _ACROSS])
            _cards(s, area.x + 1, y, faces, _LEFT)
            columns = max(columns, 3 * len(faces) + 2)
            y += 1
    return min(_LEFT, columns)


def _rows(s: Scene, slots: tuple[int, ...]) -> int:
    """Rows of a pile: one where it is only counted."""
    return -(-len(slots) // _ACROSS) if _known(s, slots) else 1


def _known(s: Scene, slots: tuple[int, ...]) -> bool:
    """Whether the reader knows every card of a pile."""
    return all(s.view.face(slot) != UNKNOWN for slot in slots)


def _fitting(s: Scene, area: Area, count: int, feet: int) -> tuple[Size, int]:
    """The largest size of `count` cards with `feet` rows under them, and the gap between them."""
    for size in (Size.LARGE, Size.MEDIUM, Size.SMALL):
        if size is Size.LARGE and area.height < _ROOMY:
            continue
        columns = s.brush.width(size)
        for gap in (3, 2, 1):
            if size + feet <= area.height and count * (columns + gap) - gap <= area.width - 2:
                return size, gap
    return Size.SMALL, 0


def _row(s: Scene, area: Area, slots: Sequence[int], *, picked: bool) -> None:
    """Cards side by side with their numbers under them."""
    size, gap = _fitting(s, area, len(slots), 1)
    columns = s.brush.width(size)
    x = area.x + (area.width - len(slots) * (columns + gap) + gap) // 2
    y = area.y + max(0, (area.height - size - 1) // 2)
    for n, slot in enumerate(slots):
        item = s.item_of(slot)
        at = x + n * (columns + gap)
        pose = Pose(item is not None and item == s.focus, picked and slot in s.ui.marked)
        s.brush.card(at, y, s.view.face(slot), size, pose)
        if item is not None:
            s.number(at, y + size, item, columns)


def _trick(s: Scene, area: Area) -> None:
    """The cards of a trick over the names of those who laid them."""
    view = s.view
    trick = view.trick
    count = len(trick.laid)
    places = max(count, len(view.state.players)) if trick.taker < 0 else count
    size, gap = _fitting(s, area, places, 1)
    columns = max(s.brush.width(size), 6 if size is Size.SMALL else 0)
    gap = gap if places * (columns + gap) - gap <= area.width - 2 else 0
    x = area.x + max(0, (area.width - places * (columns + gap) + gap) // 2)
    y = area.y + max(0, (area.height - size - 1) // 2)
    taken = trick.taker >= 0
    for n, (seat, slot) in enumerate(trick.laid):
        at = x + n * (columns + gap)
        best = seat == trick.taker if taken else slot == view.winning
        inset = (columns - s.brush.width(size)) // 2
        s.brush.card(at + inset, y, view.face(slot), size, Pose(focus=best, dim=taken and not best))
        name = s.text("you") if seat == view.me else view.seat(seat).name
        name = cut(name, columns + gap - 1)
        role = Role.STRONG if best else Role.DIM
        s.grid.put(at + (columns - width(name)) // 2, y + size, name, role)
    for n in range(count, places):
        s.brush.nothing(x + n * (columns + gap) + (columns - s.brush.width(size)) // 2, y, size)
