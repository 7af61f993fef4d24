"""What people type at a table, in every language: one command, many words for it.

Law: words only, knows no command's deed. A word means the same whatever the language of the screen
is, so a table may be mixed and nobody relearns. None of them is a move in notation. Each key of the
screen is a word here as well, so that `f2` typed is what F2 is on the screen.

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
    "h": "h hand cards table mano carte tavolo",
    "list": "list elenco scelte",
    "why": "why perché perche",
    "s": "s suggest suggerisci consiglio f5",
    "t": "t tokens scores gettoni punti",
    "u": "u story tricks storia prese",
    "log": "log registro",
    "result": "result risultato",
    "time": "time tempo",
    "o": "o fair onesto f4",
    "r": "r rule rules regola f2",
    "lang": "l lang language lingua f9",
    "q": "q quit f10",
    "goon": "goon avanti g",
    "wait": "wait aspetta w a",
    "abandon": "abandon abbandona x",
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
    "help": "? help aiuto f1",
    "chat": "chat scrivi c f3",
    "leave": "leave esci",
}
COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {word: name for name, words in _WORDS.items() for word in words.split()}
)
"""Every word that is typed -> the command that it is."""
YES: Final = frozenset({"y", "yes", "s", "si", "sì"})
LANGUAGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "it": "it",
        "italiano": "it",
        "italian": "it",
        "en": "en",
        "english": "en",
        "inglese": "en",
    }
)
"""What a language may be called -> its code."""


def command(word: str) -> str:
    """The command that `word` says; the word itself, small, if it is none."""
    small = word.casefold()
    return COMMANDS.get(small, small)
