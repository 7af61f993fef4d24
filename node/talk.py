"""Talk at a table: signed lines, each heard once, in a bounded number.

Law: this file knows authors, numbers and readings of a clock; no socket and nothing of the game. It
says whether a line is to be shown and passed on. Chat is in no log.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from node.link import Bucket
from protocol.encoding import check_text
from protocol.errors import EncodingError
from protocol.identity import Identity
from protocol.messages import MAX_CHAT, MAX_MEMBERS, Chat
from protocol.wire import sign

RATE: Final = 1.0
"""Lines a second that one author may say for long."""
BURST: Final = 8.0
WINDOW: Final = 64
"""How far a line may come after later ones of its author."""
_MARKS_IN_A_ROW: Final = 2


def tidy(text: str, limit: int = MAX_CHAT) -> str:
    """`text` as it may be sent and shown: one line without anything that steers a terminal.

    Control, format, bidirectional and unassigned characters are dropped, runs of spaces become one,
    of combining marks no more than two in a row are kept. "" if nothing is left.
    """
    kept: list[str] = []
    marks = 0
    for c in unicodedata.normalize("NFC", text[: 4 * limit]):
        if c.isspace():
            c = " "  # noqa: PLW2901  # tabs and line ends are spaces here
        marks = marks + 1 if unicodedata.category(c).startswith("M") else 0
        if marks <= _MARKS_IN_A_ROW and _allowed(c) and not (c == " " and kept[-1:] in ([], [" "])):
            kept.append(c)
    tidied = unicodedata.normalize("NFC", "".join(kept))[:limit].strip(" ")
    return tidied if _allowed(tidied) else ""


def _allowed(text: str) -> bool:
    try:
        check_text(text)
    except EncodingError:
        return False
    return True


@dataclass(slots=True)
class _Author:
    session: bytes
    bucket: Bucket
    last: int = 0
    heard: set[int] = field(default_factory=set)


class Talk:
    """One node's part in the talk at one table. `session` is that of its own HELLO."""

    def __init__(
        self, identity: Identity, table: bytes, session: bytes, clock: Callable[[], float]
    ) -> None:
        self._identity = identity
        self._table = table
        self._session = session
        self._clock = clock
        self._number = 0
        self._own = self._bucket()
        self._authors: dict[bytes, _Author] = {}

    def say(self, text: str) -> Chat | None:
        """The signed line to send; None if there were too many, or nothing is left of it."""
        line = tidy(text)
        if not line or not self._own.take(1, self._clock()):
            return None
        self._number += 1
        chat = Chat(self._identity.public, self._table, self._session, self._number, line)
        return sign(chat, self._identity)

    def hear(self, chat: Chat, session: bytes) -> str:
        """What to show of a line whose signature was checked, "" if nothing.

        `session` is that of its author's HELLO. A line that was heard before, of another run of
        the program or beyond the rate is dropped; so is what should not be passed on.
        """
        if chat.table != self._table or chat.session != session:
            return ""
        if chat.key == self._identity.public:
            return ""
        author = self._authors.get(chat.key)
        if author is None or author.session != session:
            if author is None and len(self._authors) >= 2 * MAX_MEMBERS:
                self._authors.pop(next(iter(self._authors)))
            author = self._authors[chat.key] = _Author(session, self._bucket())
        if chat.number in author.heard or chat.number <= author.last - WINDOW:
            return ""
        if not author.bucket.take(1, self._clock()):
            return ""
        author.last = max(author.last, chat.number)
        author.heard.add(chat.number)
        author.heard = {number for number in author.heard if number > author.last - WINDOW}
        return tidy(chat.text)

    def _bucket(self) -> Bucket:
        return Bucket(RATE, BURST, BURST, self._clock())
