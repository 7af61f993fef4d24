"""What a screen needs of the world around a table: finding one, sitting down, opening one.

Law: an interface and its errors; whoever implements it knows networks, files and processes. Every
method but `watch_tables` may take long and is called on a thread of its own, one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from node.discovery_listing import Listed
from node.errors import NodeError
from node.habits import Habits
from node.screen.list_desk import Sit
from node.screen.lobby_room import Invited
from node.screen.lobby_setup import Plan

if TYPE_CHECKING:
    from node.session import Session


class CodeWanted(NodeError):
    """The table takes a code: none was given, or another; `sit` is what was wanted."""

    def __init__(self, sit: Sit, why: str = "") -> None:
        super().__init__(why)
        self.sit = sit


class House(Protocol):
    """See the module. Whatever goes wrong is a NodeError, whose text is one sentence."""

    @property
    def habits(self) -> Habits:
        """What the player wants of a new table."""

    def watch_tables(self, show: Callable[[Sequence[Listed]], None]) -> None:
        """Look for tables from now on; `show` is called on another thread with all of them."""

    def sit_down(self, sit: Sit) -> Session:
        """Take a seat, or watch; the session runs. CodeWanted."""

    def open_table(self, plan: Plan) -> Session:
        """Open a table; the session runs."""

    def resume(self) -> Session:
        """Go back to the unfinished match; the session runs."""

    def leave(self) -> None:
        """Leave the table, so that another one can be sat down at."""

    def bring(self, count: int) -> int:
        """Bring so many computer players to the table, or as many as there are seats for that
        none is on its way to; how many."""

    def invite(self) -> Invited:
        """How others get here."""
