"""The golden screens of lessons: moments, and how each has to look.

Law: a moment is what keys lead to; each is painted at three sizes in both languages and compared,
character by character, with a file in tests/golden/lesson. To write the files again, having looked
at what changed:

    python -m tests.node.screen.lesson_golden
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from engine import registry
from node.screen.cells import Grid
from node.screen.lesson_app import ScreenLesson
from node.screen.theme import Theme, ThemeName, theme
from tests.node.screen.golden import frame, styled
from tests.node.screen.learner import make_move, read_on, without_terminal, worse_one

FOLDER = Path(__file__).resolve().parent.parent.parent / "golden" / "lesson"
SIZES = tuple((w, h, code) for w, h in ((60, 20), (80, 24), (110, 34)) for code in ("it", "en"))
DARK = theme(ThemeName.DARK)
PLAIN = theme(ThemeName.NONE, unicode=False)
Script = Callable[[ScreenLesson], None]


def press(*keys: str) -> Script:
    """Press these keys."""
    return lambda app: without_terminal(app, iter(keys))


def read(app: ScreenLesson) -> None:
    """Read on to the next question, or past the end."""
    without_terminal(app, read_on(app))


def good(app: ScreenLesson) -> None:
    """Make the good move."""
    without_terminal(app, make_move(app))


def worse(app: ScreenLesson) -> None:
    """Make a move that is taken back."""
    without_terminal(app, make_move(app, worse_one(app)))


def to_the_end(app: ScreenLesson) -> None:
    """Answer all questions well; the last pages are unread."""
    while app.course is not None and not app.course.finished:
        read(app)
        good(app)


def after(app: ScreenLesson) -> None:
    """Past the last page."""
    to_the_end(app)
    read(app)


def untaught(app: ScreenLesson) -> None:
    """Go on to a stage at which only what happened is told: a trick that others took."""
    read(app)
    good(app)
    without_terminal(app, iter(["enter"]))


MOMENTS: dict[str, tuple[str, tuple[Script, ...]]] = {
    "list": ("", ()),
    "list-down": ("", (press("down", "down"),)),
    "list-read": ("briscola", (after, press("down", "down", "enter"))),
    "first": ("mambassa", ()),
    **{f"asked-{name}": (name, (read,)) for name in registry.GAMES},
    "told": ("mambassa", (press("enter"),)),
    "picked": ("petrangola", (read, press("3", "5"))),
    "right": ("briscola", (read, good)),
    "taken-back": ("briscola", (read, worse)),
    "taken-back-read": ("traversone", (read, worse, read)),
    "hint": ("mambassa", (read, press("f5"))),
    "trick": ("traversone", (untaught,)),
    "before": ("briscola", (read, good, read, press("pageup"))),
    "forbidden": ("traversone", (read, press("right", "right", "right", "?"))),
    "rules": ("petrangola", (read, press("f2"))),
    "help": ("picchetto", (read, press("f1"))),
    "no-log": ("briscola", (press("f4"),)),
    "leave": ("briscola", (read, press("f10"))),
    "last-answer": ("petrangola", (to_the_end,)),
    "last-words": ("traversone", (to_the_end, press("enter"))),
    "end": ("petrangola", (read, worse, after)),
}


def at_moment(name: str, columns: int, rows: int, code: str, look: Theme) -> ScreenLesson:
    """A screen to which the keys of a moment were pressed."""
    game, scripts = MOMENTS[name]
    app = ScreenLesson(look, code, "Tina")
    if game:
        app.begin(game)
    app.paint(columns, rows)
    for script in scripts:
        script(app)
    return app


def grid_of(name: str, columns: int, rows: int, code: str, look: Theme = DARK) -> Grid:
    """A moment painted."""
    return at_moment(name, columns, rows, code, look).paint(columns, rows)


def painted(name: str) -> str:
    """All screens of a moment."""
    return "\n".join(frame(f"{w}x{h} {code}", grid_of(name, w, h, code)) for w, h, code in SIZES)


def others() -> Iterator[tuple[str, str]]:
    """ASCII and the themes: names and contents."""
    frames = [
        frame(f"{name} {w}x{h} {code}", grid_of(name, w, h, code, PLAIN))
        for name in ("list", "asked-petrangola", "taken-back", "end")
        for w, h, code in ((60, 20, "it"), (80, 24, "en"))
    ]
    yield "ascii", "\n".join(frames)
    for name in ThemeName:
        look = theme(name)
        yield f"theme-{name.value}", styled(grid_of("taken-back", 80, 24, "it", look), look)


def main() -> None:
    """Write the files again."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for name, text in (*((name, painted(name)) for name in MOMENTS), *others()):
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
