"""Playing a text record: checking it line by line, and writing one from what was played.

Law: this file asks the game what is due and what is allowed; it knows no rule itself. A record is
hostile: whatever is wrong with it is a RecordFault with the line and, where a rule forbids it, the
rule. A hand whose whole deck is written is played openly. One with cards that never came out
(`??`, `deck unknown`) is played live: with the cards that were opened, until somebody left.

    EngineError
    `-- RecordFault   the first line of a record that can't be so
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from engine import options as house_rules
from engine import record as lines
from engine import registry
from engine.cards import UNKNOWN, Deck
from engine.contract import (
    Answers,
    Ask,
    Cards,
    Decide,
    Draw,
    Drawn,
    Game,
    Input,
    Leave,
    Move,
    Open,
    Over,
    Reseal,
    Resealed,
    Result,
    Reveal,
    Revealed,
    Seen,
    Show,
    Shuffle,
    Shuffled,
    State,
    Turn,
)
from engine.errors import EngineError, IllegalMove, NotationError, OptionError, OutOfTurn
from engine.record import (
    UNKNOWN_CARD,
    DeckLine,
    DrawLine,
    Entry,
    HandLine,
    LeaveLine,
    MoveLine,
    OptionLine,
    Record,
    ResultLine,
    SeatLine,
)


class RecordFault(EngineError):
    """The first thing in a record that can't be so.

    `line` counts from 1 (0: the record as a whole), `rule` is the rule that forbids it or None.
    """

    def __init__(self, line: int, rule: str | None, text: str) -> None:
        super().__init__(text)
        self.line = line
        self.rule = rule


class Step(NamedTuple):
    """One input of a replayed record: the line it ends on, and the state after it.

    The first step of a replay has no input: it is the first state of the match. Where a hand is
    played live a line may have Seen inputs after its own.
    """

    line: int
    given: Input | None
    state: State


def start(record: Record) -> State:
    """The first state of the match that `record` tells of."""
    try:
        game = registry.get(record.game)
    except OptionError as error:
        raise RecordFault(record.game_line, None, str(error)) from None
    if game.version != record.version:
        raise RecordFault(
            record.game_line,
            None,
            f"version {record.version} of the rules; this program plays {game.version}",
        )
    preset = game.presets.get(record.preset)
    if preset is None:
        raise RecordFault(
            record.preset_line,
            None,
            f"there is no preset '{record.preset[:40]}'; there are: {', '.join(game.presets)}",
        )
    given = [(option.name, option.value) for option in record.options]
    try:
        options: Any = house_rules.make(game.options_type, preset, given)
    except OptionError as error:
        raise RecordFault(_option_line(game, record), None, str(error)) from None
    try:
        return game.start(options, len(record.seats))
    except OptionError as error:
        raise RecordFault(record.seats[-1].line, None, str(error)) from None


def _option_line(game: Game, record: Record) -> int:
    """The line of the option that can't be, alone or after those before it; else the last one."""
    seen: set[str] = set()
    for option in record.options:
        try:
            house_rules.make(game.options_type, {}, [(option.name, option.value)])
        except OptionError:
            return option.line
        if option.name in seen:
            return option.line
        seen.add(option.name)
    return record.options[-1].line if record.options else record.preset_line


def replay(record: Record) -> Iterator[Step]:
    """Play `record`: a Step for each input, the start first; RecordFault at the first fault."""
    player = _Player(record, start(record))
    yield Step(record.game_line, None, player.state)
    for entry in record.entries:
        yield from player.play(entry)
    player.finish()


def check(record: Record) -> State:
    """The last state of `record`; RecordFault at the first thing wrong, its result included."""
    *_, last = replay(record)
    return last.state


class _Player:
    """Plays entries one after another; `state` is what they have led to."""

    def __init__(self, record: Record, state: State) -> None:
        self.record = record
        self.state = state
        self.hand = 0  # the number on the last hand line
        self.deck: tuple[int, ...] = ()  # of a hand that is played live, unknown cards among them
        self.answers: list[tuple[MoveLine, Move]] = []

    def play(self, entry: Entry) -> Iterator[Step]:
        """Apply `entry`: a Step for each input that it completes or that follows by itself."""
        line = entry.line
        try:
            given = self._take(entry)
            while given is not None:
                self.state = self.state.apply(given)
                self.answers.clear()
                yield Step(line, given, self.state)
                given = self._known_cards()
        except IllegalMove as error:
            raise RecordFault(self._culprit(line), error.rule, str(error)) from None
        except (NotationError, OutOfTurn) as error:
            raise RecordFault(line, None, str(error)) from None

    def finish(self) -> None:
        """Raise RecordFault unless the record may end here with the result that it states."""
        for entry, move in self.answers:
            if move not in self.state.legal(entry.seat):
                raise RecordFault(entry.line, None, "this answer isn't allowed")
        if self.deck:
            raise RecordFault(0, None, "a hand whose deck isn't known must end by a leave line")
        stated = self.record.result
        if stated is not None and stated.result != standing(self.state):
            due = lines.result_text(standing(self.state))
            raise RecordFault(stated.line, None, f"the result is: {due}")

    def _take(self, entry: Entry) -> Input | None:
        """The input that `entry` completes, None if it only goes towards one."""
        turn = self.state.turn()
        if isinstance(turn, Over):
            raise RecordFault(entry.line, None, "the match is over; only its result may follow")
        if self.answers and not isinstance(entry, MoveLine):
            raise RecordFault(entry.line, None, self._due(turn))
        if self.deck and not isinstance(entry, LeaveLine) and set(self.deck) == {UNKNOWN}:
            raise RecordFault(entry.line, None, "a hand whose deck is unknown can only be left")
        if isinstance(entry, HandLine):
            self._open_hand(entry)
            return None
        if self.state.hand != self.hand:
            raise RecordFault(entry.line, None, f"'hand {self.state.hand}' must come first")
        match entry:
            case LeaveLine(seats, may_return):
                gone = Leave(seats, may_return)
                if self.deck and _ends_hand(self.state, self.state.apply(gone)):
                    self.deck = ()
                return gone
            case MoveLine():
                return self._move(entry, turn)
            case DrawLine(cards) if isinstance(turn, Cards) and isinstance(turn.requests[0], Draw):
                kind = turn.requests[0].deck.kind
                return complete_draw(self.state, tuple(kind.parse(card) for card in cards))
            case DeckLine() if isinstance(turn, Cards) and isinstance(turn.requests[0], Shuffle):
                return self._dealt(entry, turn.requests[0].deck)
        raise RecordFault(entry.line, None, self._due(turn))

    def _open_hand(self, entry: HandLine) -> None:
        due = self.state.hand
        if due == self.hand:
            raise RecordFault(entry.line, None, f"hand {due} isn't over: no other may begin")
        if entry.number != due:
            raise RecordFault(entry.line, None, f"this is hand {due}, not {entry.number}")
        self.hand = due

    def _dealt(self, entry: DeckLine, deck: Deck) -> Shuffled:
        if not entry.cards:
            self.deck = (UNKNOWN,) * deck.size
            return Shuffled(None)
        faces = tuple(
            UNKNOWN if card == UNKNOWN_CARD else deck.kind.parse(card) for card in entry.cards
        )
        if UNKNOWN not in faces:
            return Shuffled(bytes(faces))  # the game checks that they are the deck
        if len(faces) != deck.size:
            raise NotationError(f"the deck has {deck.size} cards, not {len(faces)}")
        for face in faces:
            if face != UNKNOWN and faces.count(face) > deck.copies:
                raise NotationError(f"{deck.kind.text(face)} is too often in the deck")
        self.deck = faces
        return Shuffled(None)

    def _known_cards(self) -> Input | None:
        """In a hand that is played live: what answers the cards that are due, if it is known."""
        turn = self.state.turn()
        if not self.deck or not isinstance(turn, Cards):
            return None
        if any(not isinstance(request, Show | Open) for request in turn.requests):
            return None
        opened = [request.slots for request in turn.requests if isinstance(request, Open)]
        faces = tuple(self.deck[slot] for slot in itertools.chain(*opened))
        return None if UNKNOWN in faces else Seen(faces)

    def _move(self, entry: MoveLine, turn: Turn) -> Input | None:
        state = self.state
        if self.deck:
            state = state.informed({n: f for n, f in enumerate(self.deck) if f != UNKNOWN})
        match turn:
            case Decide(seat) if seat == entry.seat:
                return state.game.parse(state, entry.text, seat)
            case Ask(seats) if entry.seat == seats[len(self.answers)]:
                move = state.game.parse(state, entry.text, entry.seat)
                self.answers.append((entry, move))
                if len(self.answers) < len(seats):
                    return None
                return Answers(tuple((line.seat, move) for line, move in self.answers))
        raise RecordFault(entry.line, None, self._due(turn))

    def _culprit(self, line: int) -> int:
        """The line of the first answer that isn't allowed, `line` when it isn't about answers."""
        for entry, move in self.answers:
            if move not in self.state.legal(entry.seat):
                return entry.line
        return line

    def _due(self, turn: Turn) -> str:
        """One sentence about what `turn` waits for."""
        names = self.record.names
        match turn:
            case Decide(seat):
                return f"a move of seat {seat} ({names[seat]}) is due"
            case Ask(seats):
                seat = seats[len(self.answers)]
                return f"the answer of seat {seat} ({names[seat]}) is due"
            case Cards((Draw(deck), *_)):
                return f"a draw from {deck.size} cards is due"
            case Cards((Shuffle(deck, _), *_)):
                return f"a deck of {deck.size} cards is due"
        return "a card that the deck doesn't tell is due, so this hand can only be left"


def _ends_hand(before: State, after: State) -> bool:
    """Whether a Leave ended the hand; it doesn't when all who leave were out already."""
    return (before.hand, before.turn()) != (after.hand, after.turn())


def standing(state: State) -> Result:
    """The result of `state`: final if the match is over, else as if it ended now."""
    turn = state.turn()
    return turn.result if isinstance(turn, Over) else state.standing()


# ---------------------------------------------------------------------------------------------
# Draws


def complete_draw(state: State, top: tuple[int, ...]) -> Drawn:
    """A draw that begins with `top` and goes on with the other cards in the order of the deck.

    NotationError if `top` holds a card too often, or doesn't decide the draw.
    """
    rest = _rest_of_draw(state, top)
    if not _decides(state, top, rest):
        raise NotationError("these cards don't decide the draw: it must go on")
    return Drawn(top + rest)


def shortest_draw(state: State, faces: tuple[int, ...]) -> tuple[int, ...]:
    """The cards of `faces` up to the first one after which the others don't matter."""
    outcome = _outcome(state, faces)
    for size in range(1, len(faces)):
        top = faces[:size]
        rest = _rest_of_draw(state, top)
        if _outcome(state, top + rest) == outcome and _decides(state, top, rest):
            return top
    return faces


def _rest_of_draw(state: State, top: tuple[int, ...]) -> tuple[int, ...]:
    turn = state.turn()
    if not isinstance(turn, Cards) or not isinstance(turn.requests[0], Draw):
        raise OutOfTurn("no draw is due")
    deck = turn.requests[0].deck
    rest = [deck.face(physical) for physical in range(deck.size)]
    for face in top:
        if face not in rest:
            raise NotationError(f"{deck.kind.text(face)} is drawn more often than the deck has it")
        rest.remove(face)
    return tuple(sorted(rest))


def _decides(state: State, top: tuple[int, ...], rest: tuple[int, ...]) -> bool:
    """Whether the order of `rest` is indifferent: every rotation of it, which brings each card to
    each place, and its reverse lead to one and the same state."""
    orders = [rest[n:] + rest[:n] for n in range(max(1, len(rest)))] + [rest[::-1]]
    first = _outcome(state, top + orders[0])
    return all(_outcome(state, top + order) == first for order in orders[1:])


def _outcome(state: State, faces: tuple[int, ...]) -> object:
    after = state.apply(Drawn(faces))
    return after.public(), after.turn()


# ---------------------------------------------------------------------------------------------
# Writing what was played


class RecordWriter:
    """Makes the Record of a match from its inputs, one `add` each, as they were played.

    Open and live hands alike. A live hand is written when it ends: with the deck that Revealed
    brought out; as void (`deck unknown`) if somebody left before the showdown, or while a promise
    was open, or broke one; with the cards that were opened if somebody left when only the reveal
    was due. A hand that is still going on has no deck yet and is left out, but for its cut.

    A record has no reseals: reading it leaves cards where they are. So a game that asks for them
    writes its moves in words that don't depend on the order in which a hand lies; and cards that
    were resealed before anybody held them, so that the order decided who drew which (`PIC-13`),
    stand in the deck as they lay after that.

    The record is canonical: only options that differ from the preset that fits best, the shortest
    draws, moves as the game formats them.
    """

    def __init__(self, game: Game, options: Any, names: Sequence[str]) -> None:
        for name in names:
            reason = lines.name_fault(name)
            if reason:
                raise NotationError(reason)
        self._preset, differing = house_rules.preset_of(options, game.presets)
        pairs = (item.partition("=") for item in differing)
        self._options = tuple(OptionLine(name, value) for name, _, value in pairs)
        self._names = tuple(names)
        self._entries: list[Entry] = []
        self._hand = 0
        self._live: list[tuple[State, Input]] | None = None
        self.state = game.start(options, len(names))

    def add(self, given: Input) -> State:
        """Write `given` down and return the state after it."""
        before = self.state
        after = before.apply(given)  # first, so that nothing impossible is written down
        if before.hand != self._hand:
            self._hand = before.hand
            self._entries.append(HandLine(self._hand))
        if given == Shuffled(None):
            self._live = [(before, given)]
        elif self._live is None:
            self._entries += _entries(before, given)
        else:
            self._add_live(before, given, after)
        self.state = after
        return after

    def record(self, *, result: bool = True) -> Record:
        """What was added so far, with the result as it stands unless `result` is false."""
        game = self.state.game
        entries = self._entries
        if entries and isinstance(entries[-1], HandLine):
            entries = entries[:-1]  # nothing of that hand can be written yet
        return Record(
            game.name,
            game.version,
            self._preset,
            self._options,
            tuple(SeatLine(name) for name in self._names),
            tuple(entries),
            ResultLine(standing(self.state)) if result else None,
        )

    def _add_live(self, before: State, given: Input, after: State) -> None:
        held = self._live or []
        match given:
            case Seen():
                return
            case Revealed() if not after.breaches:
                self._write_live(held, given)
            case Revealed():
                out = sorted({breach.promise.seat for breach in after.breaches})
                self._entries += [DeckLine(()), LeaveLine(tuple(out), False)]
            case Leave(seats, may_return) if _ends_hand(before, after):
                resealed = any(isinstance(other, Resealed) for _, other in held)
                if before.turn() == Cards((Reveal(),)) and not before.promises and not resealed:
                    self._write_live(held, Revealed(before.faces))
                else:
                    self._entries.append(DeckLine(()))
                self._entries.append(LeaveLine(seats, may_return))
            case _:
                held.append((before, given))
                return
        self._live = None

    def _write_live(self, held: Sequence[tuple[State, Input]], told: Revealed) -> None:
        """The deck, and each move in the words of who sees where cards lie then."""
        shuffle, *moves = held
        self._entries.append(DeckLine(_texts(shuffle[0].turn(), _deck(moves, told))))
        reseals = 0
        for state, given in moves:
            if isinstance(given, Resealed):
                reseals += 1
                continue
            faces = enumerate(told.moved(reseals))
            known = {slot: face for slot, face in faces if face != UNKNOWN}
            self._entries += _entries(state.informed(known), given)


def _deck(moves: Sequence[tuple[State, Input]], told: Revealed) -> bytes:
    """The dealt deck that leads to what was played although nothing is resealed: all hands as they
    were dealt, all else as it lay when it came into a hand.

    A game may reseal a seat's own hand, or cards that nobody has held yet; only the latter stay in
    the order that they got. A deck that is told without its reseals has not moved.
    """
    asked = (state for state, given in moves if isinstance(given, Resealed))
    piles = (
        moved for state, moved in zip(asked, told.reseals, strict=False) if not _of_a_hand(state)
    )
    return Revealed(told.faces, tuple(piles)).moved()


def _of_a_hand(state: State) -> bool:
    """Whether the reseal that is due is that of its author's hand."""
    match state.turn():
        case Cards((Reseal(slots, by),)):
            hand = (p.slots for p in state.piles() if (p.name, p.seat) == ("hand", by))
            return set(slots) <= set(itertools.chain(*hand))
    raise OutOfTurn("no reseal is due")


def _entries(state: State, given: Input) -> list[Entry]:
    """The lines, less their numbers, that say `given` in `state`."""
    game = state.game
    turn = state.turn()
    match given:
        case Drawn(faces):
            return [DrawLine(_texts(turn, shortest_draw(state, faces)))]
        case Shuffled(bytes() as dealt):
            return [DeckLine(_texts(turn, dealt))]
        case Answers(moves):
            return [MoveLine(seat, game.format(state, move)) for seat, move in moves]
        case Leave(seats, may_return):
            return [LeaveLine(seats, may_return)]
        case Move() if isinstance(turn, Decide):
            return [MoveLine(turn.seat, game.format(state, given))]
    raise OutOfTurn("an open game takes no such input")


def _texts(turn: Turn, faces: Iterable[int]) -> tuple[str, ...]:
    match turn:
        case Cards((Draw(deck) | Shuffle(deck, _), *_)):
            return tuple(deck.kind.text(face) for face in faces)
    raise OutOfTurn("no cards are due")


def normalize(record: Record) -> Record:
    """`record` in canonical words; RecordFault if it has a fault.

    The result is stated if `record` states it. Answers to a question that isn't wholly answered
    at the end of the record are left out.
    """
    steps = replay(record)
    first = next(steps).state
    writer = RecordWriter(first.game, first.options, record.names)
    for step in steps:
        if step.given is not None:
            writer.add(step.given)
    return writer.record(result=record.result is not None)


def record_of(
    game: Game,
    options: Any,
    names: Sequence[str],
    inputs: Iterable[Input],
    *,
    result: bool = True,
) -> Record:
    """The record of a match that was played, live or openly, with `inputs`: see RecordWriter."""
    writer = RecordWriter(game, options, names)
    for given in inputs:
        writer.add(given)
    return writer.record(result=result)
