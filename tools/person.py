"""Who plays at this computer: the key, its passphrase, the name, whom it has met.

Law: files of the data folder and what the environment says; it opens no connection. Flags before
environment before config.toml before what `busso id` keeps before default.
"""

from __future__ import annotations

import getpass
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from node.language import language, preferred
from tools import settings
from tools.errors import TerminalNeeded, UnusableFile, UsageError
from tools.places import data_folder

if TYPE_CHECKING:
    from node.known import KnownPlayers
    from protocol.identity import Identity

PASSPHRASE: Final = "BUSSO_PASSPHRASE"  # noqa: S105  # a variable's name
NAME: Final = "BUSSO_NAME"
_MAX_FILE: Final = 256


def own_folder() -> Path:
    """The data folder, made if there is none, its owner's alone. UnusableFile."""
    folder = data_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UnusableFile(f"{folder} can't be made: {error.strerror}") from error
    return folder


def identity_file() -> Path:
    """Where the key lies."""
    return own_folder() / "identity"


def load_identity() -> Identity:
    """This player's key, made on the first start; asks for its passphrase. FileError."""
    from protocol.identity import Identity  # noqa: PLC0415  # slow, and not for --help

    return Identity.load_or_create(identity_file(), passphrase=ask_passphrase)


def ask_passphrase(prompt: str = "") -> str:
    """From BUSSO_PASSPHRASE or from somebody at the terminal; `prompt` asks for a new one.
    TerminalNeeded."""
    given = os.environ.get(PASSPHRASE)
    if given is not None:
        return given
    if not sys.stdin.isatty():
        if prompt:
            raise TerminalNeeded("a new passphrase has to be typed", "Do it at a terminal.")
        raise TerminalNeeded("your key is locked by a passphrase", f"Set {PASSPHRASE}.")
    speech = language(preferred(None, os.environ))
    return getpass.getpass(prompt or f"{speech.text('Passphrase of your key:')} ")


def known_players() -> KnownPlayers:
    """Whom this player has met. FileError."""
    from node.known import KnownPlayers  # noqa: PLC0415  # slow, and not for --help

    return KnownPlayers(own_folder() / "known_players")


def player_name(given: str | None) -> str:
    """The name to play under: the flag, BUSSO_NAME, the one that is set in config.toml, the one of
    `busso id name`, or the user's. UsageError; UnusableFile: config.toml."""
    from protocol.errors import EncodingError  # noqa: PLC0415  # slow, and not for --help

    sources = (
        ("--name", given),
        (NAME, os.environ.get(NAME)),
        (settings.FILE, set_name()),
        ("name", _kept()),
    )
    for source, text in sources:
        if text:
            try:
                return _clean(text)
            except EncodingError as error:
                raise UsageError(f"{source}: {error}") from error
    if given is not None:
        raise UsageError("--name: a name has at least one character")
    try:
        return _clean(getpass.getuser()[:32])
    except (EncodingError, OSError, KeyError, ImportError):
        return "Player"


def set_name() -> str:
    """The name that is set in config.toml, "" if none is. UnusableFile."""
    return str(settings.load().values.get("name", ""))


def keep_name(name: str) -> str:
    """Play under `name` from now on. UsageError, UnusableFile."""
    from protocol.errors import EncodingError  # noqa: PLC0415  # slow, and not for --help
    from protocol.files import Disk  # noqa: PLC0415  # slow, and not for --help

    try:
        clean = _clean(name)
    except EncodingError as error:
        raise UsageError(f"that can't be a name: {error}") from error
    path = own_folder() / "name"
    try:
        Disk().replace(path, clean.encode("utf-8") + b"\n")
    except OSError as error:
        raise UnusableFile(f"{path} can't be written: {error.strerror}") from error
    return clean


def _kept() -> str:
    path = data_folder() / "name"
    try:
        data = path.read_bytes()[:_MAX_FILE]
        return data.decode("utf-8").removesuffix("\n")
    except (OSError, UnicodeDecodeError):
        return ""


def _clean(text: str) -> str:
    from protocol.encoding import clean_text  # noqa: PLC0415  # slow, and not for --help
    from protocol.header import MAX_NAME  # noqa: PLC0415  # slow, and not for --help

    return clean_text(text, MAX_NAME)
