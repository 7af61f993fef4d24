"""A table in plain lines: for any terminal, a screen reader, a pipe, SSH. Append-only.

Law: this file turns events into lines and a person's lines into moves; it reads and writes through
the two callables that it is given. It asks the engine what is legal and why not; it never decides.
A person may answer a question with the number of a choice, which is confirmed, or with the move in
notation, which is not asked twice.
"""

from __future__ import annotations

import queue
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.contract import Decide, Move, State
from engine.errors import EngineError, IllegalMove, NotationError
from node.narrate import (
    ALL,
    hand_heading,
    hand_line,
    hand_number,
    names_of,
    narrate_step,
    standing_line,
    table_lines,
    worth,
)
from node.notices import (
    EvidenceKept,
    Joined,
    NotSent,
    Presence,
    Refused,
    SessionEvent,
    Started,
    Suspended,
    Talked,
)
from node.rulebook import rule_text
from node.session import Session
from node.waiting import Absent, Waiting
from protocol.contribution import Kind
from protocol.position import Position
from protocol.table import Advanced, CutBack, Finished, Voted, YourMove

MANY = 24
"""More choices than this are not listed one by one."""
WIDTH = 78
HELP = (
    "A number or a move in notation plays. h: your hand and the table. s: a suggestion. "
    "t: tokens. o: why this deal is fair. r PET-22: a rule. chat TEXT: talk. q: leave. "
    "goon, wait, abandon: what to do about somebody who doesn't answer."
)


class Left(Exception):  # no error: the player wants to go
    """The player leaves the table."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The session's thread has ended, with what it raised."""

    error: Exception | None


class PlainTable:
    """The interface of one seat. `say` prints a line; `ask` prompts and returns a line, or None
    when nobody is there any more. `rng` is for what a player leaves to chance."""

    def __init__(
        self, say: Callable[[str], None], ask: Callable[[str], str | None], rng: random.Random
    ) -> None:
        self._say = say
        self._ask = ask
        self._rng = rng
        self._events: queue.SimpleQueue[SessionEvent | Ended] = queue.SimpleQueue()
        self._session: Session | None = None
        self._hand = 0
        self._seat = -1
        self._finished = False

    # -- on the session's thread ----------------------------------------------------------------

    def on_event(self, event: SessionEvent) -> None:
        """Keep an event for the interface's own thread."""
        self._events.put(event)

    def missing(self, absent: Absent, session: Session) -> None:
        """The event itself says that somebody is missing."""

    def decide(self, decision: YourMove, session: Session) -> None:
        """The event itself says that a choice is due."""

    def ended(self, error: Exception | None) -> None:
        """The session is over."""
        self._events.put(Ended(error))

    # -- on the interface's thread ----------------------------------------------------------------

    def run(self, session: Session) -> None:
        """Show and ask until the session ends. Left: the player leaves; raises what ended it."""
        self._session = session
        while True:
            try:
                # A wait without an end can't be interrupted on Windows.
                event = self._events.get(timeout=0.2)
            except queue.Empty:
                continue
            if isinstance(event, Ended):
                if event.error is not None:
                    raise event.error
                return
            self.show(event)

    def attend(self, session: Session) -> None:
        """Whose table it is, for whoever calls `show` itself instead of `run`."""
        self._session = session

    def show(self, event: SessionEvent) -> None:
        """Tell of an event; where a choice is due, ask for it. Left: the player leaves."""
        match event:
            case Joined(name=name, free=free):
                self._say(f"{name} sits down; seats still free: {free}.")
            case Started(seat=seat, table=table):
                self._seat = -1 if seat is None else seat
                self._hand, self._finished = 0, False
                players = ", ".join(table.header.header.labels)
                begins = "goes on" if table.steps else "begins"
                self._say(f"The match {begins}. At the table: {players}.")
            case Advanced():
                self._advanced(event)
            case YourMove():
                self._choose(event)
            case Refused(error=error, decision=decision):
                self._refuse(error)
                self._choose(decision)
            case Presence(seat=seat, up=up) if not self._finished:
                reached = "is here" if up else "can't be reached at the moment"
                self._say(f"{self._name(seat)} {reached}.")
            case Waiting() | Absent() | Suspended() | Voted():
                self._missing(event)
            case CutBack(step=step):
                self._say(f"The table decided otherwise: the log was cut back to step {step}.")
            case Talked(person=person, text=text):
                self._say(f"<{person.label}> {text}")
            case NotSent(why=why):
                self._say(why)
            case EvidenceKept(accused=accused, path=path):
                who = self._name(accused.fault.seat)
                self._say(f"{who} broke the rules at step {accused.fault.step}: {accused.fault}")
                self._say(f"The evidence is in {path}")
            case Finished(position=position):
                self._finished = True
                self._say(
                    "The match was closed before its end."
                    if position.abandoned_by
                    else "The match is over, and everybody has signed how it ended."
                )

    def _name(self, seat: int | None) -> str:
        return self._session.seat_name(seat) if self._session else "Somebody"

    def _missing(self, event: Waiting | Absent | Suspended | Voted) -> None:
        """For whom the table waits, and what can be done about it."""
        if isinstance(event, Voted):
            if event.away and event.seat != self._seat:
                away = self._names(event.away)
                self._say(f"{self._name(event.seat)} votes to go on without {away}.")
            return
        names = self._names(event.seats)
        if isinstance(event, Suspended):
            self._say(
                f"Too few are here to go on without {names}: the match waits until they are back. "
                "abandon: close it for good."
            )
        elif isinstance(event, Absent):
            if self._seat >= 0:
                self._say(
                    f"{names} keeps the table waiting. goon: go on without. wait: wait longer."
                )
        elif event.left is not None:
            self._say(f"Waiting for {names}; in {event.left:.0f} s you are asked what to do.")
        elif event.away:
            self._say(f"Waiting for {names}.")

    def _names(self, seats: Sequence[int]) -> str:
        return ", ".join(self._name(seat) for seat in seats)

    def _advanced(self, event: Advanced) -> None:
        before, after = event.before, event.after
        hand = hand_number(before)
        if hand != self._hand and before.order and hand:
            self._hand = hand
            for line in ("", *hand_heading(before.state, names_of(after))):
                self._say(line)
        view = self._view_after(after)
        for line in narrate_step(
            event.step, before, after, deck=view.faces, view=ALL, skip=("deals",)
        ):
            self._say(line)
        kind = event.step.entries[0].kind
        if kind is Kind.SHARES and self._chair(after) in view.players:
            own = hand_line(view, self._chair(after), self._you(names_of(after), after))
            if own and "??" not in own and not view.opened:
                self._say(own)

    def _view_after(self, position: Position) -> State:
        session = self._session
        table = session.table if session else None
        if table is None or table.player is None:
            return position.state  # a spectator sees what all see
        return table.player.view(position)

    def _chair(self, position: Position) -> int:
        return position.chair(self._seat) if self._seat in position.order else -1

    def _you(self, names: Sequence[str], position: Position) -> list[str]:
        chair = self._chair(position)
        return ["You" if seat == chair else name for seat, name in enumerate(names)]

    def asked(self, line: str) -> bool:
        """Answer a question that is put while no choice is due; False if it isn't one."""
        table = self._session.table if self._session else None
        word, _, rest = line.strip().partition(" ")
        if table is None or not table.position.order:
            return False
        position = table.position
        names = self._you(names_of(position), position)
        view = self._view_after(position)
        command = self._commands(view, self._chair(position), names).get(word)
        if command is None or word == "s" or (rest and word not in {"r", "chat"}):
            return False
        command(rest)
        return True

    # -- a decision ------------------------------------------------------------------------

    def _choose(self, decision: YourMove) -> None:
        """Ask until a legal move is chosen, and play it."""
        view, position = decision.view, decision.position
        chair = self._chair(position)
        names = self._you(names_of(position), position)
        moves = _in_order(view, view.legal(chair))
        self._introduce(view, moves, names, chair)
        while True:
            answer = self._ask("> ")
            if answer is None:
                raise Left
            move = self._read(answer.strip(), view, moves, chair, names)
            if move is not None:
                if self._session:
                    self._session.choose(move, decision)
                return

    def _introduce(
        self, view: State, moves: Sequence[Move], names: Sequence[str], chair: int
    ) -> None:
        self._say("Your turn." if isinstance(view.turn(), Decide) else "You are asked.")
        for line in table_lines(view, names):
            self._say(f"  {line}")
        game = view.game
        if len(moves) > MANY:
            first, last = game.format(view, moves[0]), game.format(view, moves[-1])
            self._say(f"Choose from '{first}' to '{last}', or press Enter to leave it to chance.")
            return
        line = ""
        for number, move in enumerate(moves, 1):
            item = f"{number:>3} {game.format(view, move)}{self._outcome(view, move, chair)}"
            if line and len(line) + len(item) + 2 > WIDTH:
                self._say(line)
                line = ""
            line = f"{line}  {item}" if line else item
        self._say(line)

    def _outcome(self, view: State, move: Move, chair: int) -> str:
        """What the hand would be worth, where the choice changes it."""
        if not isinstance(view.turn(), Decide):
            return ""
        try:
            after = view.apply(move)
        except EngineError:
            return ""
        old, new = (_hand(state, chair) for state in (view, after))
        if old == new or not new:
            return ""
        value = worth(after, [view.faces[slot] for slot in new])
        return f" = {value}" if value else ""

    def _read(
        self, text: str, view: State, moves: Sequence[Move], chair: int, names: Sequence[str]
    ) -> Move | None:
        """The move that was chosen; None after anything else, which has been answered."""
        if not text:
            if len(moves) > MANY:
                return self._rng.choice(moves)
            self._say(HELP)
            return None
        if text.isascii() and text.isdigit():
            return self._numbered(int(text[:6]), view, moves)
        word, _, rest = text.partition(" ")
        command = self._commands(view, chair, names).get(word)
        if command is not None and (word in {"r", "chat"} or not rest):
            command(rest)
            return None
        return self._written(text, view, moves, chair)

    def _numbered(self, number: int, view: State, moves: Sequence[Move]) -> Move | None:
        if not 1 <= number <= len(moves):
            self._say(f"There are choices 1 to {len(moves)}. ? helps.")
            return None
        move = moves[number - 1]
        answer = self._ask(f"{view.game.format(view, move)}: Enter to confirm, else no. ")
        if answer is None:
            raise Left
        return move if not answer.strip() else None

    def _written(self, text: str, view: State, moves: Sequence[Move], chair: int) -> Move | None:
        try:
            move = view.game.parse(view, text, chair)
            if isinstance(view.turn(), Decide):
                view.apply(move)
            elif move not in moves:
                self._say("That is no answer to what was asked.")
                return None
        except IllegalMove as error:
            self._refuse(error)
            return None
        except NotationError as error:
            self._say(f"{error}. ? helps.")
            return None
        return move

    def _refuse(self, error: IllegalMove) -> None:
        self._say(f"Not allowed: {error} ({error.rule}). 'r {error.rule}' shows the rule.")

    def _commands(
        self, view: State, chair: int, names: Sequence[str]
    ) -> dict[str, Callable[[str], None]]:
        def table(_: str) -> None:
            for line in table_lines(view, names):
                self._say(f"  {line}")

        def suggest(_: str) -> None:
            move = view.game.suggest(view, chair, self._rng)
            self._say(f"A computer player would choose: {view.game.format(view, move)}")

        def leave(_: str) -> None:
            answer = self._ask("Leave the table? The others can't go on with this hand. y: yes. ")
            if answer is None or answer.strip().lower() in {"y", "yes", "s", "si", "sì"}:
                raise Left

        return {
            "?": lambda _: self._say(HELP),
            "chat": lambda text: self._session.say(text) if self._session else None,
            "goon": lambda _: self._session.go_on() if self._session else None,
            "wait": lambda _: self._session.wait() if self._session else None,
            "abandon": lambda _: self._session.abandon() if self._session else None,
            "h": table,
            "s": suggest,
            "t": lambda _: self._say(standing_line(view, names)),
            "o": lambda _: self._fairness(),
            "r": lambda rule: self._say(
                rule_text(rule.strip().upper()) or "There is no such rule."
            ),
            "q": leave,
        }

    def _fairness(self) -> None:
        session = self._session
        table = session.table if session else None
        if session is None or table is None:
            return
        position = table.position
        labels = position.header.labels
        deal = position.deal
        if deal is not None and deal.shuffled:
            who = ", ".join(labels[seat] for seat in deal.terms.seats[: deal.shuffled])
            self._say(f"This deck was shuffled by {who}, one after the other.")
            self._say("Each shuffle was proved and checked here: no card was added or changed.")
            self._say("Nobody knows the order: it takes all of them together to know a card.")
        self._say(
            f"{position.step - 1} steps are in the log; all have signed the first "
            f"{position.settled}. When the hand ends everybody's secret comes out and all is "
            "derived again."
        )
        self._say(f"The log: {session.log}")


def _hand(state: State, chair: int) -> tuple[int, ...]:
    """The slots that a seat of the engine holds."""
    hands = (p.slots for p in state.piles() if p.name == "hand" and p.seat == chair)
    return next(hands, ())


def _in_order(view: State, moves: Sequence[Move]) -> Sequence[Move]:
    """Choices that are single cards by suit, as the hand is told; others as the game has them."""
    kind = view.deck.kind
    try:
        faces = {move: kind.parse(view.game.format(view, move)) for move in moves}
    except NotationError:
        return moves
    return sorted(moves, key=faces.__getitem__)
