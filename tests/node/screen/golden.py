"""The golden screens: moments of every game, and how each has to look.

Law: a moment is the first one of a match that fits a description, and the keys pressed then. Each
is painted at several sizes and in both languages and compared, character by character, with a file
in tests/golden/screen. To write the files again, having looked at what changed:

    python -m tests.node.screen.golden
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

from node.screen.advice import advise
from node.screen.cells import Grid
from node.screen.desk import Ui, Wish, begin, notice, press
from node.screen.paint import paint, paint_waiting
from node.screen.theme import Theme, ThemeName, theme
from node.screen.view import SPECTATOR, Line, TableView
from tests.node.screen.phases import PHASES
from tests.node.screen.scenes import Moment, Table, Wanted, ends, is_over, reel

FOLDER = Path(__file__).resolve().parent.parent.parent / "golden" / "screen"
DARK = theme(ThemeName.DARK)
SIZES = ((60, 20, "it"), (80, 24, "en"), (80, 24, "it"), (110, 34, "en"))
ASCII = "ascii"
IN_ASCII = (
    *("petrangola-picked", "petrangola-names", "petrangola-showdown", "mambassa-with-discard"),
    *("traversone-follow", "briscola-two", "picchetto-claim", "advice-petrangola", "rules"),
)
"""The moments that are painted without Unicode too."""


def due(*words: str) -> Wanted:
    """The reader has to choose, and may say one of these words."""
    return lambda view: bool(view.choices.words & set(words))


def knocked(view: TableView) -> bool:
    """Somebody has knocked in this hand, and the reader has a last turn."""
    recent = [told.note.kind for told in view.story.happenings[-30:] if told.note]
    since = recent[len(recent) - recent[::-1].index("deals") :] if "deals" in recent else recent
    return view.deciding and "dies-with" in since and "exchange" in view.choices.words


def follows(view: TableView) -> bool:
    """The reader has to follow suit, and can't play every card."""
    return view.deciding and 0 < len(view.choices.items) < len(view.hand)


def chooses(view: TableView) -> bool:
    """The reader has several cards to choose from, of the suit that was led."""
    return follows(view) and len(view.choices.items) > 2


def checked(view: TableView) -> bool:
    result = view.story.result
    return result is not None and result.checked


def _absent(view: TableView) -> TableView:
    away = tuple(n != 1 for n in range(view.state.seats))
    around = replace(view.around, present=away, absent=(1,), seconds=24)
    seats = tuple(replace(seat, present=seat.seat != 1) for seat in view.seats)
    return replace(view, around=around, seats=seats)


def _missing(view: TableView) -> TableView:
    view = _absent(view)
    return replace(view, around=replace(view.around, question=(1,), seconds=None))


def _spoken_to(view: TableView) -> TableView:
    return replace(
        view, around=replace(view.around, chat=(Line("Ada", "bella mano, complimenti"),))
    )


def _talking(view: TableView) -> TableView:
    chat = (Line("Ada", "buona fortuna!"), Line("Bruno", "ahi, che monte… e adesso che si fa?"))
    return replace(view, around=replace(view.around, chat=chat, can_chat=True, seconds=65))


def _warned(view: TableView) -> TableView:
    fair = replace(view.around.fairness, warnings=(("Bruno", 31, "PET-24"),), log="match.busso")
    return replace(view, around=replace(view.around, fairness=fair))


def _wide(view: TableView) -> TableView:
    names = ("日本語の名前です", "Ада", "Łukasz-Żółć-Długi", "e\u0301mile")
    seats = tuple(replace(seat, name=names[seat.seat]) for seat in view.seats)
    return replace(view, seats=seats)


_FOUR = Table("petrangola", 4, 2)
_HEARTS = Table("picchetto", 2, 1)
MOMENTS = (
    Moment("petrangola-cut", Table("petrangola", 3, 3), due("cut"), ("3", "1")),
    Moment("petrangola-dealer", _FOUR, due("stay")),
    Moment("petrangola-turn", _FOUR, due("exchange")),
    Moment("petrangola-picked", _FOUR, due("exchange"), ("1", "2", "4", "6")),
    Moment("petrangola-show", Table("petrangola", 4, 4), due("knock-show"), ("7",)),
    Moment("petrangola-last-turn", Table("petrangola", 4, 5), knocked),
    Moment("petrangola-showdown", _FOUR, ends, result=True),
    Moment("petrangola-checked", _FOUR, checked, result=True),
    Moment("petrangola-reentry", Table("petrangola", 3, 3), due("reenter")),
    Moment("petrangola-over", Table("petrangola", 3, 3), is_over, result=True),
    Moment("petrangola-absent", _FOUR, lambda v: v.waiting_for == (1,), turned=_absent),
    Moment("petrangola-missing", _FOUR, lambda v: v.waiting_for == (1,), turned=_missing),
    Moment("petrangola-thirteen", Table("petrangola", 13, 3), due("exchange")),
    Moment("petrangola-forty", Table("petrangola", 40, 3), due("exchange")),
    Moment("petrangola-spectator", replace(_FOUR, me=SPECTATOR), lambda v: v.waiting_for == (2,)),
    Moment("petrangola-names", _FOUR, due("exchange"), turned=_wide),
    Moment("mambassa-dealer", Table("mambassa", 3, 1), due("stay")),
    Moment("mambassa-statement", Table("mambassa", 3, 1), due("none", "declare")),
    Moment("mambassa-turn", Table("mambassa", 5, 1), due("exchange"), ("1", "5")),
    Moment("mambassa-with-discard", Table("mambassa", 3, 1), due("exchange"), ("2", "6", "tab")),
    Moment("mambassa-bottom", Table("mambassa", 3, 1), due("bottom"), ("right",)),
    Moment("mambassa-declared", Table("mambassa", 3, 2, hand="Ac Ad As Ab"), due("declare")),
    Moment("mambassa-showdown", Table("mambassa", 3, 1), ends, result=True),
    Moment("mambassa-checked", Table("mambassa", 3, 1), checked, result=True),
    Moment("picchetto-elder", _HEARTS, due("change"), ("1", "4", "8")),
    Moment("picchetto-younger", Table("picchetto", 2, 1, me=1), due("change")),
    Moment("picchetto-claim", _HEARTS, due("point")),
    Moment("picchetto-answer", Table("picchetto", 2, 1, me=1), due("good")),
    Moment("picchetto-how-much", Table("picchetto", 2, 3), due("sum", "top")),
    Moment("picchetto-verdict", Table("picchetto", 2, 3, me=1), due("not-good", "equal")),
    Moment("picchetto-show", _HEARTS, due("show")),
    Moment("picchetto-play", _HEARTS, due("play")),
    Moment("picchetto-follow", Table("picchetto", 2, 1), follows, ("left",)),
    Moment("picchetto-why", _HEARTS, due("point"), ("right", "?")),
    Moment("picchetto-bianca", Table("picchetto", 2, 2), due("bianca")),
    Moment("picchetto-checked", _HEARTS, checked, result=True),
    Moment("traversone-lead", Table("traversone", 4, 1), due("play")),
    Moment("traversone-follow", Table("traversone", 4, 2), follows),
    Moment("traversone-forbidden", Table("traversone", 4, 2), follows, ("left", "?")),
    Moment("traversone-why", Table("traversone", 4, 2), chooses, ("?",)),
    Moment("traversone-two", Table("traversone", 2, 1), follows),
    Moment("traversone-aside", Table("traversone", 3, 3), due("aside")),
    Moment("traversone-five", Table("traversone", 5, 3), lambda v: len(v.story.tricks) == 3),
    Moment("traversone-showdown", Table("traversone", 4, 1), ends, result=True),
    Moment("traversone-checked", Table("traversone", 4, 1), checked, result=True),
    Moment("briscola-two", Table("briscola", 2, 1), due("play")),
    Moment("briscola-three", Table("briscola", 3, 1), lambda v: len(v.story.tricks) == 4),
    Moment("briscola-four", Table("briscola", 4, 2), lambda v: v.deciding and v.winning >= 0),
    Moment("briscola-checked", Table("briscola", 2, 1), checked, result=True),
    Moment("briscola-over", Table("briscola", 2, 1), is_over, result=True),
    Moment("spoken-to", Table("traversone", 4, 1), due("play"), turned=_spoken_to),
    Moment("dealing", _FOUR, lambda v: v.state.hand == 1 and not v.state.faces),
    Moment("help", _FOUR, due("exchange"), ("f1",)),
    Moment("rules", _FOUR, due("exchange"), ("f2", "down", "down")),
    Moment("fairness", _FOUR, due("exchange"), ("f4",)),
    Moment("warning", _FOUR, due("exchange"), ("f4",), turned=_warned),
    Moment("advice-petrangola", _FOUR, due("exchange"), ("f5",)),
    Moment("advice-mambassa", Table("mambassa", 3, 1), due("exchange"), ("f5",)),
    Moment("advice-traversone", Table("traversone", 4, 2), chooses, ("f5",)),
    Moment("advice-briscola", Table("briscola", 4, 2), due("play"), ("f5",)),
    Moment("advice-picchetto", _HEARTS, due("change"), ("f5",)),
    Moment("leave", _FOUR, due("exchange"), ("f10",)),
    Moment("no-chat", _FOUR, due("exchange"), ("f3",)),
    Moment("chat", _FOUR, due("exchange"), ("f3", *"ciao"), turned=_talking),
    *PHASES,
)


@functools.cache
def view_of(moment: Moment) -> TableView:
    """The first view that is wanted."""
    found = next((view for view in reel(moment.table) if moment.wanted(view)), None)
    if found is None:
        raise AssertionError(f"{moment.name}: the match has no such moment")
    return moment.turned(found)


def ui_of(moment: Moment, view: TableView, language: str) -> Ui:
    """Where the reader stands after the keys."""
    seen = 0 if moment.result else 10_000
    ui = begin(view, Ui(language=language, seen=seen))
    for key in moment.keys:
        ui, effect = press(view, ui, key)
        if effect is Wish.ADVICE:
            ui = notice(ui, advise(view.state, view.me, Random(1), lambda: 0.0))
    return ui


def frame(title: str, grid: Grid) -> str:
    """A grid as it stands in a file: between lines, so that trailing blanks are no matter."""
    bar = "+" + "-" * grid.width + "+"
    return "\n".join([f"# {title}", bar, *(f"|{line}|" for line in grid.lines()), bar, ""])


def painted(moment: Moment) -> str:
    """All screens of a moment."""
    view = view_of(moment)
    frames = [
        frame(f"{w}x{h} {code}", paint(view, w, h, DARK, ui_of(moment, view, code)))
        for w, h, code in SIZES
    ]
    return "\n".join(frames)


def others() -> Iterator[tuple[str, str]]:
    """Screens that are no moment of a match, and ASCII: names and contents."""
    waiting = [
        frame(f"{w}x{h} {code}", paint_waiting(w, h, DARK, code))
        for w, h, code in ((60, 20, "it"), (80, 24, "en"), (50, 12, "it"), (40, 10, "en"))
    ]
    yield "waiting", "\n".join(waiting)
    plain = theme(ThemeName.NONE, unicode=False)
    frames = []
    for name in IN_ASCII:
        moment = next(m for m in MOMENTS if m.name == name)
        view = view_of(moment)
        for w, h, code in ((60, 20, "it"), (80, 24, "en")):
            grid = paint(view, w, h, plain, ui_of(moment, view, code))
            frames.append(frame(f"{name} {w}x{h} {code}", grid))
    yield ASCII, "\n".join(frames)
    moment = next(m for m in MOMENTS if m.name == "traversone-follow")
    view = view_of(moment)
    for name in ThemeName:
        grid = paint(view, 80, 24, theme(name), ui_of(moment, view, "it"))
        yield f"theme-{name.value}", styled(grid, theme(name))


def styled(grid: Grid, look: Theme) -> str:
    """A grid with the look of every piece, a line a piece."""
    lines = []
    for y in range(grid.height):
        lines.append(f"# row {y}")
        lines += [f"{look.look(role).style}|{text}|" for text, role in grid.runs(y)]
    return "\n".join([*lines, ""])


def main() -> None:
    """Write the files again."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for name, text in (*((m.name, painted(m)) for m in MOMENTS), *others()):
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
