"""The text record of an open game: reading and writing it. `NOTATION.md` is its specification.

Law: this file knows lines, words and their bounds. It never asks whether what a line says is
possible: `replay.py` does, with the game's help. What comes in is hostile: everything that isn't
exactly a record raises NotationError with the number of the line.

    text --read_record--> Record --write_record--> canonical text

A `Record` holds what was written, without comments and blank lines. Two records are equal when
they say the same in the same words, whatever their line numbers.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from engine.contract import Result
from engine.errors import NotationError

MAGIC: Final = "busso record"
FORMAT: Final = 1
MAX_BYTES: Final = 1 << 20
MAX_LINES: Final = 50_000
MAX_LINE: Final = 1000
"""Characters of a line; the longest useful one is a deck of 160 cards."""
MAX_NAME: Final = 32
MAX_SEATS: Final = 64
MAX_CARDS: Final = 400
UNKNOWN_CARD: Final = "??"
"""In a deck: a card that never came out."""
_MAX_DIGITS: Final = 9
_CARDS_A_LINE: Final = 20


def _line() -> int:
    line: int = field(default=0, compare=False, kw_only=True)
    return line


@dataclass(frozen=True, slots=True)
class OptionLine:
    """`option NAME VALUE`: a house rule that differs from the preset's."""

    name: str
    value: str
    line: int = _line()


@dataclass(frozen=True, slots=True)
class SeatLine:
    """`seat N NAME`; N is the place in `Record.seats`."""

    name: str
    line: int = _line()


@dataclass(frozen=True, slots=True)
class HandLine:
    """`hand N`: what follows belongs to hand N, counted from 1, void hands included."""

    number: int
    line: int = _line()


@dataclass(frozen=True, slots=True)
class DrawLine:
    """`draw CARDS`: an open draw, top first, at least up to the card that decides it."""

    cards: tuple[str, ...]
    line: int = _line()


@dataclass(frozen=True, slots=True)
class DeckLine:
    """`deck CARDS`: the whole dealt deck, slot 0 first, `??` for what never came out; no cards:
    `deck unknown`."""

    cards: tuple[str, ...]
    line: int = _line()


@dataclass(frozen=True, slots=True)
class MoveLine:
    """`SEAT MOVE`: a move, or the answer of one of the seats that were asked."""

    seat: int
    text: str
    line: int = _line()


@dataclass(frozen=True, slots=True)
class LeaveLine:
    """`leave SEATS` or `leave SEATS may-return`: seats, ascending, that are out."""

    seats: tuple[int, ...]
    may_return: bool
    line: int = _line()


Entry = HandLine | DrawLine | DeckLine | MoveLine | LeaveLine


@dataclass(frozen=True, slots=True)
class ResultLine:
    """`result REASON winners .. scores .. paid .. won ..`: how the match stands at the end."""

    result: Result
    line: int = _line()


@dataclass(frozen=True, slots=True)
class Record:
    """A record as it is written; `version` is that of the rules."""

    game: str
    version: int
    preset: str
    options: tuple[OptionLine, ...]
    seats: tuple[SeatLine, ...]
    entries: tuple[Entry, ...]
    result: ResultLine | None = None
    game_line: int = field(default=0, compare=False, kw_only=True)
    preset_line: int = field(default=0, compare=False, kw_only=True)

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names by seat."""
        return tuple(seat.name for seat in self.seats)


# ---------------------------------------------------------------------------------------------
# Reading


@dataclass(frozen=True, slots=True)
class _Words:
    """A line that says something: its number, its first word, the words after it."""

    line: int
    key: str
    rest: tuple[str, ...]
    tail: str

    def wrong(self, text: str) -> NotationError:
        return NotationError(text, self.line)


def decode_record(data: bytes) -> str:
    """The text of a record's octets: UTF-8 without a byte order mark, MAX_BYTES at most."""
    if len(data) > MAX_BYTES:
        raise NotationError(f"a record has at most {MAX_BYTES} octets, not {len(data)}")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise NotationError("a record is UTF-8 text, which this line isn't", line) from None
    if text.startswith("\ufeff"):
        raise NotationError("a record begins without a byte order mark", 1)
    return text


def read_record(text: str) -> Record:
    """The record that `text` writes; NotationError with its line for the first thing wrong."""
    if len(text) > MAX_BYTES:
        raise NotationError(f"a record has at most {MAX_BYTES} octets, not {len(text)}")
    lines = _lines(text)
    game_line, game, version = _read_start(lines)
    preset_line, preset = _read_preset(next(lines, None))
    options: list[OptionLine] = []
    seats: list[SeatLine] = []
    words = next(lines, None)
    while words is not None and words.key == "option":
        options.append(_read_option(words))
        words = next(lines, None)
    while words is not None and words.key == "seat":
        seats.append(_read_seat(words, len(seats)))
        words = next(lines, None)
    if len(seats) < 2:
        raise NotationError("a match has two seats or more", words.line if words else 0)
    entries, result = _read_body(words, lines, len(seats))
    return Record(
        game,
        version,
        preset,
        tuple(options),
        tuple(seats),
        entries,
        result,
        game_line=game_line,
        preset_line=preset_line,
    )


def _lines(text: str) -> Iterator[_Words]:
    """The lines that say something; comments and blank ones are checked and left out."""
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        raise NotationError(f"a record has at most {MAX_LINES} lines, not {len(lines)}")
    for number, raw in enumerate(lines, 1):
        line = raw.removesuffix("\r")
        if len(line) > MAX_LINE:
            raise NotationError(f"a line has at most {MAX_LINE} characters", number)
        if not line.isprintable():
            odd = next(c for c in line if not c.isprintable())
            raise NotationError(f"the character U+{ord(odd):04X} isn't allowed", number)
        words = line.split()
        if not words or (words[0][0] == "#" and number > 1):
            if number == 1:
                raise NotationError(f"the first line must be '{MAGIC} {FORMAT}'", number)
            continue
        key = words[0]
        yield _Words(number, key, tuple(words[1:]), line.strip()[len(key) :].strip())


def _read_start(lines: Iterator[_Words]) -> tuple[int, str, int]:
    """The first line, then `game NAME VERSION`."""
    first = next(lines)  # an empty text still has a first line, which _lines refuses
    magic = " ".join((first.key, *first.rest))
    if magic != f"{MAGIC} {FORMAT}":
        name, _, version = magic.rpartition(" ")
        if name == MAGIC and _is_number(version):
            raise first.wrong(f"format {version[:20]} of records; this program reads {FORMAT}")
        raise first.wrong(f"the first line must be '{MAGIC} {FORMAT}'")
    words = next(lines, None)
    if words is None or words.key != "game" or len(words.rest) != 2:
        line = words.line if words else first.line
        raise NotationError("'game NAME VERSION' must come next", line)
    return words.line, words.rest[0], _number(words, words.rest[1], "the version of the rules")


def _read_preset(words: _Words | None) -> tuple[int, str]:
    if words is None or words.key != "preset" or len(words.rest) != 1:
        raise NotationError("'preset NAME' must follow the game", words.line if words else 0)
    return words.line, words.rest[0]


def _read_option(words: _Words) -> OptionLine:
    if len(words.rest) != 2:
        raise words.wrong("an option is 'option NAME VALUE'")
    return OptionLine(*words.rest, line=words.line)


def _read_seat(words: _Words, due: int) -> SeatLine:
    if len(words.rest) < 2 or words.rest[0] != str(due):
        raise words.wrong(f"the seats stand in order; 'seat {due} NAME' is due")
    if due >= MAX_SEATS:
        raise words.wrong(f"a record has at most {MAX_SEATS} seats")
    name = words.tail[len(words.rest[0]) :].strip()
    reason = name_fault(name)
    if reason:
        raise words.wrong(reason)
    return SeatLine(name, line=words.line)


def name_fault(name: str) -> str:
    """Why `name` can't be a player's name in a record, "" if it can."""
    if not 1 <= len(name) <= MAX_NAME:
        return f"a name has 1 to {MAX_NAME} characters"
    if not name.isprintable() or " ".join(name.split()) != name:
        return "a name is printable characters with single spaces between words"
    if not unicodedata.is_normalized("NFC", name):
        return "a name must be in Unicode's normal form C"
    return ""


def _read_body(
    words: _Words | None, lines: Iterator[_Words], seats: int
) -> tuple[tuple[Entry, ...], ResultLine | None]:
    entries: list[Entry] = []
    while words is not None:
        if words.key == "result":
            result = ResultLine(_read_result(words, seats), line=words.line)
            after = next(lines, None)
            if after is not None:
                raise after.wrong("nothing may follow the result")
            return tuple(entries), result
        entry = _read_entry(words, seats)
        words = next(lines, None)
        if isinstance(entry, DrawLine | DeckLine) and entry.cards:
            cards = list(entry.cards)
            while words is not None and words.key == "+":
                cards.extend(_read_cards(words))
                if len(cards) > MAX_CARDS:
                    raise words.wrong(f"more than {MAX_CARDS} cards")
                words = next(lines, None)
            entry = type(entry)(tuple(cards), line=entry.line)
        entries.append(entry)
    return tuple(entries), None


def _read_entry(words: _Words, seats: int) -> Entry:
    line = words.line
    if words.key == "hand" and len(words.rest) == 1:
        return HandLine(_number(words, words.rest[0], "the number of a hand"), line=line)
    if words.key == "deck" and words.rest == ("unknown",):
        return DeckLine((), line=line)
    if words.key == "deck":
        return DeckLine(_read_cards(words), line=line)
    if words.key == "draw":
        return DrawLine(_read_cards(words), line=line)
    if words.key == "leave" and words.rest:
        may_return = words.rest[-1] == "may-return"
        return LeaveLine(
            _seats(words, words.rest[:-1] if may_return else words.rest, seats),
            may_return,
            line=line,
        )
    if _is_number(words.key):
        if not words.rest:
            raise words.wrong("a move is missing after the seat")
        seat = _number(words, words.key, "a seat", seats - 1)
        return MoveLine(seat, " ".join(words.rest), line=line)
    raise words.wrong(f"'{words.key[:20]}' begins no line that may stand here")


def _read_cards(words: _Words) -> tuple[str, ...]:
    if not words.rest:
        raise words.wrong("cards are missing")
    for card in words.rest:
        if len(card) != 2:
            raise words.wrong(f"'{card[:20]}' is no card: a rank and a suit, as in 7c")
    return words.rest


def _read_result(words: _Words, seats: int) -> Result:
    """`REASON winners N.. scores N.. paid N.. won N..`; `winners -` when there is none."""
    groups: list[list[str]] = []
    for word in words.rest[1:]:
        if len(groups) < 4 and word == ("winners", "scores", "paid", "won")[len(groups)]:
            groups.append([])
        elif groups:
            groups[-1].append(word)
        else:
            break
    if len(groups) != 4:
        raise words.wrong("a result is 'REASON winners .. scores .. paid .. won ..'")
    first, *others = groups
    winners = () if first == ["-"] else _seats(words, tuple(first), seats)
    for name, group in zip(("scores", "paid", "won"), others, strict=True):
        if len(group) != seats:
            raise words.wrong(f"{name} must be {seats} numbers, one a seat")
    scores, paid, won = (tuple(_signed(words, n) for n in group) for group in others)
    return Result(winners, scores, paid, won, words.rest[0])


def _seats(words: _Words, given: tuple[str, ...], seats: int) -> tuple[int, ...]:
    numbers = tuple(_number(words, word, "a seat", seats - 1) for word in given)
    if not numbers or list(numbers) != sorted(set(numbers)):
        raise words.wrong("seats must be given in ascending order, each once")
    return numbers


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit()


def _number(words: _Words, word: str, what: str, high: int = 10**_MAX_DIGITS - 1) -> int:
    """A decimal number without leading zeros, 0..high."""
    plain = _is_number(word) and len(word) <= _MAX_DIGITS
    if not plain or (word[0] == "0" and word != "0") or int(word) > high:
        raise words.wrong(f"{what} must be a number from 0 to {high}, not '{word[:20]}'")
    return int(word)


def _signed(words: _Words, word: str) -> int:
    if word.startswith("-") and word != "-0":
        return -_number(words, word[1:], "an amount")
    return _number(words, word, "an amount")


# ---------------------------------------------------------------------------------------------
# Writing


def write_record(record: Record) -> str:
    """The canonical layout of `record`: one blank line before each part, no comments.

    `read_record(write_record(record)) == record` for every record that was read.
    """
    out = [f"{MAGIC} {FORMAT}", f"game {record.game} {record.version}", f"preset {record.preset}"]
    out += [f"option {option.name} {option.value}" for option in record.options]
    out += [f"seat {n} {seat.name}" for n, seat in enumerate(record.seats)]
    previous: Entry | None = None
    for entry in record.entries:
        if previous is None or isinstance(entry, HandLine | DrawLine):
            out.append("")
        out += _entry_lines(entry)
        previous = entry
    if record.result is not None:
        out += ["", f"result {result_text(record.result.result)}"]
    return "\n".join(out) + "\n"


def _entry_lines(entry: Entry) -> list[str]:
    match entry:
        case HandLine(number):
            return [f"hand {number}"]
        case DrawLine(cards):
            return _card_lines("draw", cards)
        case DeckLine(cards):
            return _card_lines("deck", cards) if cards else ["deck unknown"]
        case MoveLine(seat, text):
            return [f"{seat} {text}"]
        case LeaveLine(seats, may_return):
            return [f"leave {_join(seats)}{' may-return' if may_return else ''}"]


def _card_lines(key: str, cards: tuple[str, ...]) -> list[str]:
    parts = [cards[i : i + _CARDS_A_LINE] for i in range(0, len(cards), _CARDS_A_LINE)]
    return [f"{'+' if n else key} {' '.join(part)}" for n, part in enumerate(parts)]


def result_text(result: Result) -> str:
    """`result` as a result line states it."""
    return (
        f"{result.reason} winners {_join(result.winners) or '-'}"
        f" scores {_join(result.scores)} paid {_join(result.paid)} won {_join(result.won)}"
    )


def _join(numbers: tuple[int, ...]) -> str:
    return " ".join(str(number) for number in numbers)
