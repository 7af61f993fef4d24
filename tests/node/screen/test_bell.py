"""The bell: once for a choice that becomes due, never where its owner wants silence."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.node.screen import terminal
from tests.node.screen.terminal import Person, Seat, Watched, at_the_screen


@pytest.mark.parametrize(("bell", "rings"), [(True, 1), (False, 0)])
def test_it_rings_when_a_choice_becomes_due_unless_it_is_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bell: bool, rings: int
) -> None:
    monkeypatch.setattr(terminal, "Watched", partial(Watched, bell=bell))

    async def script(person: Person, seat: Seat) -> None:
        await person.until(lambda: "YOUR TURN" in person.shows())
        assert person.paper.getvalue().count("\a") == rings

    at_the_screen(tmp_path, script)
