"""What people type at a table, in every language: one command, many words for it.

Law: words only, knows no command's deed. A word means the same whatever the language of the screen
is, so a table may be mixed and nobody relearns. None of them is a move in notation.

    >>> command("Pronta")
    'ready'
    >>> command("7c")
    '7c'
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_WORDS: Final = {
    # at the table
    "h": "h hand cards mano carte",
    "s": "s suggest suggerisci consiglio",
    "t": "t tokens scores gettoni punti",
    "o": "o fair onesto",
    "r": "r rule regola",
    "q": "q quit",
    "goon": "goon avanti",
    "wait": "wait aspetta",
    "abandon": "abandon abbandona",
    # in the lobby
    "ready": "ready pronto pronta",
    "unready": "unready nonpronto nonpronta",
    "who": "who chi",
    "options": "options opzioni regole",
    "bots": "bots bot",
    "start": "start comincia",
    "kick": "kick caccia",
    "invite": "invite invita",
    "code": "code codice",
    "host": "host apri",
    # everywhere
    "help": "? help aiuto",
    "chat": "chat scrivi",
    "leave": "leave esci",
}
COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {word: name for name, words in _WORDS.items() for word in words.split()}
)
"""Every word that is typed -> the command that it is."""
YES: Final = frozenset({"y", "yes", "s", "si", "sì"})


def command(word: str) -> str:
    """The command that `word` says; the word itself, small, if it is none."""
    small = word.casefold()
    return COMMANDS.get(small, small)
