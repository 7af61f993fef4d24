"""`busso bench screen`: how long a screen takes to be painted, and how much is sent for a key.

Law: nothing is shown: what would be sent to a terminal is counted. A table of four with computer
players is dealt here from a seed, so the figures are comparable between computers; each is told
with the limit that it has to keep.

    paint_ms      one screen of 120 x 40 cells, in milliseconds (median)
    key_bytes     octets for a key that moves the selection at 80 x 24 (the most of several)
    idle_bytes    octets for a key, and for a notice, that change nothing
    first_ms      a new process until its first screen is out, in milliseconds (the fastest);
                  `floor_ms` is one that only imports prompt_toolkit, `cpu_ms` without waiting
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import io
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from engine import registry
from engine.contract import (
    Answers,
    Ask,
    Cards,
    Decide,
    Draw,
    Drawn,
    Reseal,
    Resealed,
    Shuffle,
    Shuffled,
    State,
)
from engine.options import make
from engine.worlds import advance
from node.screen.app import ScreenTable
from node.screen.desk import Ui, begin
from node.screen.paint import paint
from node.screen.story import Story
from node.screen.theme import Theme, ThemeName, theme
from node.screen.view import Surroundings, TableView, look
from tools.output import Output

LIMITS: Final = {"paint_ms": 3.0, "key_bytes": 1500, "idle_bytes": 0, "first_ms": 600.0}
PAINTS: Final = 200
ROUNDS: Final = 3
"""Processes of which the fastest is taken."""
NAMES: Final = ("Ada", "Bruno", "Carla", "Dino")
_FIRST: Final = "import tools.bench_screen as bench; bench.first_screen()"


def run(args: argparse.Namespace, out: Output) -> int:
    """Measure and print."""
    del args
    views = [table(name) for name in registry.GAMES]
    look_ = theme(ThemeName.DARK)
    key, idle = asyncio.run(_sent(look_, views[0]))
    figures: dict[str, Any] = {
        "paint_ms": {v.state.game.name: round(_paint_ms(v, look_), 2) for v in views},
        "key_bytes": key,
        "idle_bytes": idle,
        **_first(),
    }
    worst = {**figures, "paint_ms": max(figures["paint_ms"].values())}
    kept = {name: worst[name] <= limit for name, limit in LIMITS.items()}
    if out.json:
        out.data({**figures, "limits": LIMITS, "kept": kept})
        return 0
    for name, limit in LIMITS.items():
        say = out.good if kept[name] else out.bad
        say(f"{name:<11} {worst[name]} (limit {limit})")
    return 0


# -- a table to look at ---------------------------------------------------------------------------


def table(name: str, seed: int = 1) -> TableView:
    """The view of the first seat when it is first asked for more than a cut or a word."""
    game = registry.get(name)
    options: Any = make(game.options_type, game.presets[game.default_preset])
    rng = random.Random(seed)
    state = game.start(options, min(4, game.max_seats))
    faces = b""
    for _ in range(1_000):
        turn = state.turn()
        if isinstance(turn, Cards):
            state, faces = _dealt(state, turn, faces, rng)
            continue
        seat = turn.seat if isinstance(turn, Decide) else 0
        if seat == 0 and state.faces and len(state.legal(0)) > 2:
            break
        state = _moved(state, rng)
    around = Surroundings(NAMES[: state.seats])
    return look(state.view(0), 0, Story(), around)


def _dealt(state: State, turn: Cards, faces: bytes, rng: random.Random) -> tuple[State, bytes]:
    """Do what is asked of the cards."""
    match turn.requests[0]:
        case Draw(deck):
            return state.apply(Drawn(tuple(_shuffled(deck, rng)))), faces
        case Shuffle(deck):
            faces = bytes(_shuffled(deck, rng))
            return state.apply(Shuffled(faces)), faces
        case Reseal():
            return state.apply(Resealed()), faces
    return advance(state, faces), faces


def _shuffled(deck: Any, rng: random.Random) -> list[int]:
    cards = [deck.face(n) for n in range(deck.size)]
    rng.shuffle(cards)
    return cards


def _moved(state: State, rng: random.Random) -> State:
    """Whoever is asked takes what comes first: the figures are about painting."""
    turn = state.turn()
    if isinstance(turn, Ask):
        return state.apply(Answers(tuple((seat, state.legal(seat)[0]) for seat in turn.seats)))
    return state.apply(rng.choice(state.legal()))


# -- measuring ------------------------------------------------------------------------------------


def _paint_ms(view: TableView, look_: Theme) -> float:
    """Milliseconds for one screen of 120 x 40, the median of many."""
    ui = begin(view, Ui())
    times = []
    for _ in range(PAINTS):
        begun = time.perf_counter()
        paint(view, 120, 40, look_, ui)
        times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times)


class _Paper(io.StringIO):
    """Where a terminal's octets go to be counted."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class _Enough(Exception):
    """Everything has been measured."""


@dataclass(slots=True)
class _Shown:
    """A screen that nobody sees."""

    screen: ScreenTable
    paper: _Paper
    send: Callable[[str], None]

    async def octets(self, text: str) -> int:
        """How many octets are sent for the keys `text`."""
        before = len(self.paper.getvalue())
        self.send(text)
        for _ in range(40):
            await asyncio.sleep(0.002)
        return len(self.paper.getvalue()[before:].encode())


async def _sent(look_: Theme, view: TableView) -> tuple[int, int]:
    """The most octets for a key that moves something, and those for what changes nothing."""
    with create_pipe_input() as pipe:
        paper = _Paper()
        screen = ScreenTable(look_, "en", random.Random(1), source=pipe, sink=_output(paper))
        shown = _Shown(screen, paper, pipe.send_text)
        task = asyncio.create_task(screen.run_async(None))
        await asyncio.sleep(0.1)
        screen.show(view)
        await shown.octets("")
        moving = [await shown.octets(key) for key in ("\x1b[C", "\x1b[C", "1", "\x1b[A", " ", "2")]
        idle = await shown.octets("z")
        screen.on_event(object())
        idle += await shown.octets("")
        await _end(screen, task)
    return max(moving), idle


async def _end(screen: ScreenTable, task: asyncio.Task[None]) -> None:
    screen.ended(_Enough())
    await asyncio.wait({task})
    task.exception()


def _output(paper: _Paper) -> Vt100_Output:
    return Vt100_Output(
        paper,
        lambda: Size(rows=24, columns=80),
        term="xterm-256color",
        default_color_depth=ColorDepth.DEPTH_24_BIT,
        enable_cpr=False,
    )


def _first() -> dict[str, float]:
    """Milliseconds until a new process has painted its first screen, and what they are made of."""
    taken, used = _process(_FIRST)
    floor, _ = _process("import prompt_toolkit.application")
    return {"first_ms": taken, "cpu_ms": used, "floor_ms": floor}


def _process(code: str) -> tuple[float, float]:
    """Milliseconds of a process that runs `code`, the best of several: in all, and of processor."""
    found = []
    for _ in range(ROUNDS):
        before = os.times()
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        taken = time.perf_counter() - begun
        after = os.times()
        used = after.children_user + after.children_system
        used -= before.children_user + before.children_system
        found.append((round(taken * 1000, 1), round(used * 1000, 1)))
    return min(found)


def first_screen() -> None:
    """What `busso play` imports and does before its first screen is out; then it ends."""
    importlib.import_module("tools.cli")
    importlib.import_module("tools.screen")
    with create_pipe_input() as pipe:
        paper = _Paper()
        screen = ScreenTable(
            theme(ThemeName.DARK), "it", random.Random(1), source=pipe, sink=_output(paper)
        )

        async def run() -> None:
            task = asyncio.create_task(screen.run_async(None))
            while "\x1b[?1049h" not in paper.getvalue() or len(paper.getvalue()) < 500:
                await asyncio.sleep(0)
            await _end(screen, task)

        asyncio.run(run())
