"""Paging at a terminal: a long text ends where it ends, and one step back from there is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.node.screen.terminal import Person, Seat, at_the_screen
from tests.node.screen.test_app import my_turn


@pytest.mark.parametrize("key", ["f2", "f4"])
def test_pages_beyond_the_end_are_not_counted(tmp_path: Path, key: str) -> None:
    async def script(person: Person, seat: Seat) -> None:
        await my_turn(person)
        await person.press(key)
        first = person.shows()
        assert await person.press("up") == ""
        for _ in range(30):
            if await person.press("pagedown") == "":
                break
        else:
            raise AssertionError("the text has no end")
        last = person.shows()
        assert last != first
        assert await person.press("down") == ""
        assert await person.press("pagedown", "pagedown", "down") == ""
        assert await person.press("up") != ""
        assert person.shows() != last
        await person.press("down")
        assert person.shows() == last

    at_the_screen(tmp_path, script)
