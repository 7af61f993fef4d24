"""What the table waits for, said in plain lines while nothing else happens.

Law: from events to a line on standard error, now and then, for who sits at a terminal: computer
players that are starting, a deal that takes its time, somebody who thinks. Lines are added, never
taken back: a person may be typing, or listening to a screen reader. `Waits` is told the time;
`Meanwhile` is the thread that watches it.

    Ada is to choose.
    The deck is being shuffled: 3 of 12.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final

from node.language import Language
from node.notices import BackInLobby, Started
from node.screen.words import join_names
from protocol.contribution import Kind
from protocol.table_events import Advanced, Finished
from tools.output import Output, is_terminal

QUIET: Final = 2.0
"""Seconds of the same wait after which it is told for the first time."""
AGAIN: Final = 5.0
"""Seconds after which it is told again, if it is another by then."""
_DEALING: Final = frozenset({Kind.COMMIT, Kind.KEY, Kind.SHUFFLE, Kind.RESEAL, Kind.SHARES})
_CHOOSING: Final = frozenset({Kind.MOVE, Kind.ANSWER})


class Waits:
    """What is waited for now, and when that is worth a line. `text` is the wait to begin with."""

    def __init__(self, language: Language, text: str, now: float) -> None:
        self._language = language
        self._seat: int | None = None
        self._kind = ""
        self._text = self._told = ""
        self._next = float("inf")
        self._wait("start", text, now)

    def speak(self, language: Language) -> None:
        """Tell what is waited for from now on in another language."""
        self._language = language

    def note(self, event: object, now: float) -> None:
        """Something happened."""
        match event:
            case Started(seat=seat):
                self._seat = seat
                self._wait("", "", now)
            case Advanced():
                self._advanced(event, now)
            case Finished() | BackInLobby():
                self._wait("", "", now)

    def _advanced(self, event: Advanced, now: float) -> None:
        after, due = event.after, event.after.due
        if due is None:
            self._wait("", "", now)
        elif due.kind in _DEALING:
            deal = after.deal
            told = self._language.text("The cards are being dealt with.")
            if deal is not None and deal.shuffled < len(deal.terms.seats):
                told = self._language.text("The deck is being shuffled: {0} of {1}.")
                told = told.format(deal.shuffled, len(deal.terms.seats))
            self._wait("deal", told, now)
        elif due.kind in _CHOOSING and self._seat not in due.seats:
            labels = [after.header.labels[seat] for seat in due.seats]
            names = join_names(self._language, labels)
            told = self._language.count(
                "{0} is to choose.", "{0} are to choose.", len(labels), names
            )
            self._wait(f"choose {names} {after.step}", told, now)
        else:
            self._wait("", "", now)

    def _wait(self, kind: str, text: str, now: float) -> None:
        """From now on this is waited for; of the same kind as before, the clock runs on."""
        if kind != self._kind or not text:
            self._next = now + QUIET if text else float("inf")
            self._told = ""
        self._kind, self._text = kind, text

    def line(self, now: float) -> str:
        """What is to be told now; "" if nothing is."""
        if now < self._next or self._text == self._told:
            return ""
        self._told, self._next = self._text, now + AGAIN
        return self._text

    def left(self, now: float) -> float | None:
        """Seconds until a line may be due; None while nothing is waited for but what is told."""
        if self._next == float("inf") or self._text == self._told:
            return None
        return max(0.05, self._next - now)


class Meanwhile:
    """Tells of waits on standard error; a context. `note` may be called on any thread."""

    def __init__(
        self, out: Output, text: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._out = out
        self._clock = clock
        self._changed = threading.Condition()
        self._over = False
        self._waits = Waits(out.speech, text, clock())
        self._thread: threading.Thread | None = None

    def speak(self, language: Language) -> None:
        """Another language from now on. May be called on any thread."""
        with self._changed:
            self._waits.speak(language)

    def note(self, event: object) -> None:
        """Something happened."""
        with self._changed:
            self._waits.note(event, self._clock())
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                text = self._waits.line(self._clock())
                if self._over:
                    return
                if not text:
                    self._changed.wait(self._waits.left(self._clock()))
            if text:  # outside the lock: a terminal that stands still must not stop the session
                self._out.aside(text)

    def __enter__(self) -> Meanwhile:
        if is_terminal(self._out.err) and not (self._out.quiet or self._out.json):
            self._thread = threading.Thread(target=self._run, name="meanwhile", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._changed:
            self._over = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()
