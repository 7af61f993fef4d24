"""The golden transcripts of plain mode: a hand of every game in every language.

Law: one player's lines at a table of the real protocol, the same events told in each language at
once; what is typed is scripted, asked for in the language's own commands, and what is chosen is the
game's own suggestion. To write the files in tests/golden/plain again, having looked at what
changed:

    python -m tests.node.plain_golden
"""

from __future__ import annotations

import functools
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, cast

from engine.contract import Move
from node.language import CODES, language
from node.notices import Started
from node.plain import PlainTable
from node.screen.situation import ALWAYS
from node.session import Session
from protocol.table import Advanced, Event, Finished, Table, YourMove
from tests.protocol.groups import FAST
from tests.protocol.ring import NAMES, Ring

FOLDER = Path(__file__).resolve().parent.parent / "golden" / "plain"
SEATS: Final = {"petrangola": 3, "mambassa": 3, "traversone": 3, "picchetto": 2, "briscola": 2}
FIRST: Final = {
    "en": (
        *("help", "hand", "scores", "fair", "rules", "why 1", "story", "log", "result", "time"),
        *("chat", "list", "nonsense", "9999"),
    ),
    "it": (
        *("aiuto", "mano", "punti", "onesto", "regola", "perché 1", "prese", "registro"),
        *("risultato", "tempo", "scrivi", "scelte", "sciocchezze", "9999"),
    ),
}
"""What is typed at the first question, and then the command that shows a rule."""
RULE: Final = {"en": "rule", "it": "regola"}
ME: Final = 0


@dataclass
class Place:
    """What PlainTable asks of a session: the table, names, and where a choice goes."""

    table: Table
    log: str = "match.busso"
    chosen: list[Move] = field(default_factory=list)

    def seat_name(self, seat: int | None) -> str:
        return NAMES[seat or 0]

    def choose(self, move: Move, decision: YourMove) -> None:
        self.chosen.append(move)


class Reader:
    """One language's lines. `wanted` is the number of the choice to make."""

    def __init__(self, code: str, table: Table) -> None:
        self.lines: list[str] = []
        self.wanted = ""
        self.place = Place(table)
        rule = ALWAYS[table.header.header.game].split()[0]
        self._first = [*FIRST[code], f"{RULE[code]} {rule}"]
        self._typed: list[str] = []
        self.plain = PlainTable(self._say, self._ask, random.Random(1), language=language(code))
        self.plain.attend(cast("Session", self.place))
        self.show(Started(table, ME, Path("match.busso")))

    def show(self, event: Event | Started) -> None:
        self.plain.show(event)

    def decide(self, event: YourMove, wanted: str) -> Move:
        """The move that the person made, who types `wanted` in the end."""
        self._typed = [*self._first, wanted]
        self._first = []
        self.show(event)
        return self.place.chosen[-1]

    def _say(self, line: str) -> None:
        self.lines.append(line.rstrip())

    def _ask(self, prompt: str) -> str:
        answer = self._typed.pop(0) if self._typed else ""  # nothing more: to confirm
        self.lines.append(f"{prompt}{answer}".rstrip())
        return answer


@functools.cache
def transcripts(game: str) -> dict[str, str]:
    """The text of each language: one hand, to the end of the match."""
    readers: list[Reader] = []
    rng = random.Random(7)

    def hear(seat: int, event: Event) -> None:
        if seat == ME and isinstance(event, Advanced | Finished):
            for reader in readers:
                reader.show(event)

    def choose(seat: int, event: YourMove) -> Move | None:
        if seat != ME:
            return None
        chair = event.position.chair(seat)
        view = event.view
        wanted = view.game.format(view, view.game.suggest(view, chair, rng))
        moves = [reader.decide(event, wanted) for reader in readers]
        if any(move != moves[0] for move in moves):
            raise AssertionError("one line means two moves")
        return moves[0]

    with tempfile.TemporaryDirectory() as folder:
        ring = Ring(Path(folder), SEATS[game], game=game, hands=1, group=FAST, chooser=choose)
        readers += [Reader(code, ring.tables[ME]) for code in CODES]
        ring.on_event = hear
        ring.run()
        ring.close()
    return {
        code: "\n".join(reader.lines) + "\n" for code, reader in zip(CODES, readers, strict=True)
    }


def files() -> Iterator[tuple[str, str, Path]]:
    """Game, language, file."""
    for game in SEATS:
        for code in CODES:
            yield game, code, FOLDER / f"{game}-{code}.txt"


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, code_, path in files():
        path.write_text(transcripts(name)[code_], encoding="utf-8")
