"""Two people at two terminals, end to end: `busso host` and `busso join`, all by keys.

Law: real processes in a real terminal multiplexer with a socket of its own; a guest finds the table
through the network's list. What they see is what the terminal shows.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

TMUX = shutil.which("tmux")
PATIENCE = 60.0
_CHOICE = re.compile(r"(\d) (?:Knock and show|Knock|Turn it up)")

pytestmark = pytest.mark.skipif(TMUX is None, reason="tmux isn't installed")


class Terminal:
    """A window of a tmux server."""

    def __init__(self, socket: Path, name: str) -> None:
        self._tmux = [str(TMUX), "-S", str(socket), "-f", os.devnull]
        self._name = name

    def open(self, size: tuple[int, int], home: Path, *words: str) -> None:
        """Run `busso` with these words in a window of that size."""
        command = ["env", f"BUSSO_HOME={home}", "BUSSO_THREADS=1", "LC_ALL=C.UTF-8"]
        command += ["PYTHONUTF8=1", sys.executable, "-P", "-m", "tools", *words, "--lang", "en"]
        columns, rows = map(str, size)
        self._call("new-session", "-d", "-s", self._name, "-x", columns, "-y", rows, *command)
        self._call("set-option", "-t", self._name, "remain-on-exit", "on")

    def _call(self, *words: str) -> str:
        done = subprocess.run([*self._tmux, *words], capture_output=True, text=True, check=True)
        return done.stdout

    def shows(self) -> str:
        """What stands in the window."""
        return self._call("capture-pane", "-p", "-t", self._name)

    def press(self, *keys: str) -> None:
        """Press keys, as tmux calls them."""
        self._call("send-keys", "-t", self._name, *keys)

    def sees(self, *texts: str) -> None:
        """Wait until all these stand in the window."""
        self.until(lambda: all(text in self.shows() for text in texts))

    def ends(self) -> None:
        """Wait until the command has ended, and without a complaint.

        tmux may be late with the status, and then doesn't write that the pane is dead.
        """
        told = ("display-message", "-p", "-t", self._name, "#{pane_dead} #{pane_dead_status}")
        self.until(lambda: self._call(*told).startswith("1"))
        assert self._call(*told).split()[1:] in (["0"], [])

    def until(self, condition: Callable[[], bool]) -> None:
        """Look again and again."""
        end = time.monotonic() + PATIENCE
        pause = threading.Event()
        while not condition():
            assert time.monotonic() < end, self.shows().strip()
            pause.wait(0.05)


@contextmanager
def terminals(folder: Path, *names: str) -> Iterator[list[Terminal]]:
    """Windows of one server, which is ended at the end."""
    socket = folder / "tmux"
    try:
        yield [Terminal(socket, name) for name in names]
    finally:
        command = [str(TMUX), "-S", str(socket), "kill-server"]
        subprocess.run(command, capture_output=True, check=False)


def over(*people: Terminal) -> bool:
    return all("The end of hand 1" in person.shows() for person in people)


def _changed(person: Terminal, shown: str) -> bool:
    return person.shows() != shown


def play(*people: Terminal) -> None:
    """One hand: whoever has to choose takes what is offered first, or knocks."""

    def step() -> bool:
        for person in people:
            shown = person.shows()
            if "YOUR TURN" in shown and "The end of hand" not in shown:
                found = _CHOICE.search(shown)
                person.press(*([found[1]] if found else []), "Enter")
                person.until(partial(_changed, person, shown))
        return over(*people)

    people[0].until(step)


def test_two_people_meet_play_a_hand_and_meet_again(tmp_path: Path) -> None:
    with terminals(tmp_path, "ada", "bruno") as (ada, bruno):
        hosting = ("host", "petrangola", "--seats", "2", "--hands", "1", "--table", "Cucina")
        ada.open((80, 24), tmp_path / "a", *hosting, "--name", "Ada", "--iface", "lo")
        ada.sees("Seats: 1 of 2 taken")
        bruno.open((110, 34), tmp_path / "b", "join", "cucina", "--name", "Bruno", "--iface", "lo")
        bruno.sees("“Cucina” · Petrangola", "Seats: 2 of 2 taken", "three words")
        ada.sees("Bruno sits down.")
        bruno.press("c", "c", "i", "a", "o", "Enter")
        ada.sees("Bruno: ciao")
        bruno.press("r")
        ada.sees("Everybody waits for you")
        ada.press("Enter")
        for person in (ada, bruno):
            person.sees("hand 1")
        play(ada, bruno)
        for person in (ada, bruno):
            person.sees("Checked: every seed derives every card again.")
            person.press("Enter")
            person.sees("The match is over. Enter: back to the lobby")
            person.press("Enter")
            person.sees("Seats: 2 of 2 taken", "not ready yet")
        bruno.press("F10")
        bruno.sees("Leave the table?")
        bruno.press("y")
        bruno.sees("You leave the table.")
        bruno.ends()
        assert ".busso" in bruno.shows()
        ada.sees("Bruno leaves.", "1 free seat")
        ada.press("C-c", "C-c")
        ada.sees("You leave the table.")
        ada.ends()
        assert "Traceback" not in ada.shows() + bruno.shows()


def test_busso_alone_lists_the_tables(tmp_path: Path) -> None:
    with terminals(tmp_path, "vera", "plain") as (vera, plain):
        vera.open((60, 20), tmp_path / "v")
        plain.open((80, 24), tmp_path / "p", "join", "--plain", "--iface", "lo")
        vera.sees("Tables of this network", "Open a table of your own")
        vera.press("F9")
        vera.sees("Tavoli di questa rete")
        vera.press("n")
        vera.sees("Un tavolo tuo")
        vera.press("Escape")
        vera.sees("Tavoli di questa rete")
        vera.press("F10")
        vera.ends()
        plain.sees("Tables of this network; the number of one joins it")
        assert "F10" not in plain.shows()
