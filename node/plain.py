"""A table in plain lines: for any terminal, a screen reader, a pipe, SSH. Append-only.

Law: this file turns events into lines and a person's lines into moves; it reads and writes through
the two callables that it is given. It asks the engine what is legal and why not; it never decides.
A person may answer a question with the number of a choice, which is confirmed, or with the move in
notation, which is not asked twice. Sentences are in one language, commands may be typed in any.
"""

from __future__ import annotations

import queue
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.contract import Decide, Move, State
from engine.errors import EngineError, IllegalMove, NotationError
from node.language import ENGLISH, Language, mark
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
from node.screen.words import rule_words
from node.session import Session
from node.typed import YES, command
from node.waiting import Absent, Waiting
from protocol.contribution import Kind
from protocol.position import Position
from protocol.table import Advanced, CutBack, Finished, Voted, YourMove

MANY = 24
"""More choices than this are not listed one by one."""
WIDTH = 78
HELP = mark(
    "A number or a move in notation plays. h: your hand and the table. s: a suggestion. "
    "t: tokens. o: why this deal is fair. r PET-22: a rule. chat TEXT: talk. q: leave. "
    "goon, wait, abandon: what to do about somebody who doesn't answer."
)
_WITH_TEXT = {"r", "chat"}
"""Commands that something follows."""


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
        self,
        say: Callable[[str], None],
        ask: Callable[[str], str | None],
        rng: random.Random,
        *,
        language: Language = ENGLISH,
    ) -> None:
        self._language = language
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
                self._tell("{name} sits down; seats still free: {free}.", name=name, free=free)
            case Started(seat=seat, table=table):
                self._seat = -1 if seat is None else seat
                self._hand, self._finished = 0, False
                players = ", ".join(table.header.header.labels)
                self._tell(
                    "The match goes on. At the table: {players}."
                    if table.steps
                    else "The match begins. At the table: {players}.",
                    players=players,
                )
            case Advanced():
                self._advanced(event)
            case YourMove():
                self._choose(event)
            case Refused(error=error, decision=decision):
                self._refuse(error)
                self._choose(decision)
            case Presence(seat=seat, up=up) if not self._finished:
                self._tell(
                    "{name} is here." if up else "{name} can't be reached at the moment.",
                    name=self._name(seat),
                )
            case Waiting() | Absent() | Suspended() | Voted():
                self._missing(event)
            case CutBack(step=step):
                self._tell(
                    "The table decided otherwise: the log was cut back to step {step}.", step=step
                )
            case Talked(person=person, text=text):
                self._say(f"<{person.label}> {text}")
            case NotSent(why=why):
                self._say(self._language.retold(why))
            case EvidenceKept(accused=accused, path=path):
                self._tell(
                    "{name} broke the rules at step {step}: {text}",
                    name=self._name(accused.fault.seat),
                    step=accused.fault.step,
                    text=self._language.retold(str(accused.fault)),
                )
                self._tell("The evidence is in {path}", path=path)
            case Finished(position=position):
                self._finished = True
                self._tell(
                    "The match was closed before its end."
                    if position.abandoned_by
                    else "The match is over, and everybody has signed how it ended."
                )

    def _tell(self, message: str, **fields: object) -> None:
        """Say a message of the catalogue, its fields filled in."""
        self._say(self._language.text(message).format(**fields))

    def _name(self, seat: int | None) -> str:
        if self._session is None:
            return self._language.text("Somebody")
        return self._session.seat_name(seat)

    def _missing(self, event: Waiting | Absent | Suspended | Voted) -> None:
        """For whom the table waits, and what can be done about it."""
        if isinstance(event, Voted):
            if event.away and event.seat != self._seat:
                away = self._names(event.away)
                name = self._name(event.seat)
                self._tell("{name} votes to go on without {away}.", name=name, away=away)
            return
        names = self._names(event.seats)
        if isinstance(event, Suspended):
            self._tell(
                "Too few are here to go on without {names}: the match waits until they are back. "
                "abandon: close it for good.",
                names=names,
            )
        elif isinstance(event, Absent):
            if self._seat >= 0:
                self._tell(
                    "{names} keeps the table waiting. goon: go on without. wait: wait longer.",
                    names=names,
                )
        elif event.left is not None and self._seat in event.seats:
            self._tell("You have {seconds} s to choose.", seconds=round(event.left))
        elif event.left is not None and self._seat >= 0:
            self._tell(
                "Waiting for {names}; in {seconds} s you are asked what to do.",
                names=names,
                seconds=round(event.left),
            )
        elif event.away or event.left is not None:
            self._tell("Waiting for {names}.", names=names)

    def _names(self, seats: Sequence[int]) -> str:
        return ", ".join(self._name(seat) for seat in seats)

    def _advanced(self, event: Advanced) -> None:
        before, after = event.before, event.after
        hand = hand_number(before)
        if hand != self._hand and before.order and hand:
            self._hand = hand
            heading = hand_heading(before.state, names_of(after), language=self._language)
            for line in ("", *heading):
                self._say(line)
        view = self._view_after(after)
        for line in narrate_step(
            *(event.step, before, after),
            deck=view.faces,
            view=ALL,
            skip=("deals",),
            language=self._language,
        ):
            self._say(line)
        kind = event.step.entries[0].kind
        if kind is Kind.SHARES and self._chair(after) in view.players:
            names = self._you(names_of(after), after)
            own = hand_line(view, self._chair(after), names, language=self._language)
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
        you = self._language.text("You")
        return [you if seat == chair else name for seat, name in enumerate(names)]

    def asked(self, line: str) -> bool:
        """Answer a question that is put while no choice is due; False if it isn't one."""
        table = self._session.table if self._session else None
        word, _, rest = line.strip().partition(" ")
        if table is None or not table.position.order:
            return False
        position = table.position
        names = self._you(names_of(position), position)
        view = self._view_after(position)
        name = command(word)
        deed = self._commands(view, self._chair(position), names).get(name)
        if deed is None or name == "s" or (rest and name not in _WITH_TEXT):
            return False
        deed(rest)
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
        self._tell("Your turn." if isinstance(view.turn(), Decide) else "You are asked.")
        for line in table_lines(view, names, language=self._language):
            self._say(f"  {line}")
        game = view.game
        if len(moves) > MANY:
            first, last = game.format(view, moves[0]), game.format(view, moves[-1])
            self._tell(
                "Choose from '{first}' to '{last}', or press Enter to leave it to chance.",
                first=first,
                last=last,
            )
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
        value = worth(after, [view.faces[slot] for slot in new], language=self._language)
        return f" = {value}" if value else ""

    def _read(
        self, text: str, view: State, moves: Sequence[Move], chair: int, names: Sequence[str]
    ) -> Move | None:
        """The move that was chosen; None after anything else, which has been answered."""
        if not text:
            if len(moves) > MANY:
                return self._rng.choice(moves)
            self._tell(HELP)
            return None
        if text.isascii() and text.isdigit():
            return self._numbered(int(text[:6]), view, moves)
        word, _, rest = text.partition(" ")
        name = command(word)
        deed = self._commands(view, chair, names).get(name)
        if deed is not None and (name in _WITH_TEXT or not rest):
            deed(rest)
            return None
        return self._written(text, view, moves, chair)

    def _numbered(self, number: int, view: State, moves: Sequence[Move]) -> Move | None:
        if not 1 <= number <= len(moves):
            self._tell("There are choices 1 to {most}. ? helps.", most=len(moves))
            return None
        move = moves[number - 1]
        confirm = self._language.text("{move}: Enter to confirm, else no.")
        answer = self._ask(f"{confirm.format(move=view.game.format(view, move))} ")
        if answer is None:
            raise Left
        return move if not answer.strip() else None

    def _written(self, text: str, view: State, moves: Sequence[Move], chair: int) -> Move | None:
        try:
            move = view.game.parse(view, text, chair)
            if isinstance(view.turn(), Decide):
                view.apply(move)
            elif move not in moves:
                self._tell("That is no answer to what was asked.")
                return None
        except IllegalMove as error:
            self._refuse(error)
            return None
        except NotationError as error:
            self._tell("{error}. ? helps.", error=self._language.retold(str(error)))
            return None
        return move

    def _refuse(self, error: IllegalMove) -> None:
        self._tell(
            "Not allowed: {why} ({rule}). 'r {rule}' shows the rule.",
            why=self._language.refilled(error.template, error.values),
            rule=error.rule,
        )

    def _commands(
        self, view: State, chair: int, names: Sequence[str]
    ) -> dict[str, Callable[[str], None]]:
        def table(_: str) -> None:
            for line in table_lines(view, names, language=self._language):
                self._say(f"  {line}")

        def suggest(_: str) -> None:
            move = view.game.suggest(view, chair, self._rng)
            chosen = view.game.format(view, move)
            self._tell("A computer player would choose: {move}", move=chosen)

        def leave(_: str) -> None:
            question = mark("Leave the table? The others can't go on with this hand. y: yes.")
            answer = self._ask(f"{self._language.text(question)} ")
            if answer is None or answer.strip().casefold() in YES:
                raise Left

        def rule(identifier: str) -> None:
            found = rule_words(self._language, identifier.strip().upper())
            self._say(found or self._language.text("There is no such rule."))

        return {
            "help": lambda _: self._tell(HELP),
            "chat": lambda text: self._session.say(text) if self._session else None,
            "goon": lambda _: self._session.go_on() if self._session else None,
            "wait": lambda _: self._session.wait() if self._session else None,
            "abandon": lambda _: self._session.abandon() if self._session else None,
            "h": table,
            "s": suggest,
            "t": lambda _: self._say(standing_line(view, names, language=self._language)),
            "o": lambda _: self._fairness(),
            "r": rule,
            "q": leave,
            "leave": leave,
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
            self._tell("This deck was shuffled by {names}, one after the other.", names=who)
            self._tell("Each shuffle was proved and checked here: no card was added or changed.")
            self._tell("Nobody knows the order: it takes all of them together to know a card.")
        self._tell(
            "{steps} steps are in the log; all have signed the first {settled}. When the hand ends "
            "everybody's secret comes out and all is derived again.",
            steps=position.step - 1,
            settled=position.settled,
        )
        self._tell("The log: {path}", path=session.log)


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
