"""A bot's node as a process that kills itself at a write: `python -m tests.node.killed`.

It reads lines from its standard input: `die N` makes the N-th write from then on its last, and of
that write only a part reaches the file. It says in JSON lines what it has come to.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from node.bot import Bot
from node.door import find_table
from node.notices import Started
from node.session import Session
from node.unfinished import unfinished
from protocol.files import Disk
from protocol.group import default_group
from protocol.identity import Identity
from tests.node.tables import offer

LOOPBACK = "127.0.0.1"
PLAYERS, HANDS = 3, 8


def tell(**fields: Any) -> None:
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


class Fuse:
    """Counts down the writes of this process."""

    def __init__(self) -> None:
        self.left = -1
        self._write = Disk.write

    def set(self) -> None:
        """Have every write of this process pass here."""
        write = self.write

        def counted(disk: Disk, fd: int, data: bytes) -> None:
            write(disk, fd, data)

        setattr(Disk, "write", counted)  # noqa: B010  # a method that is replaced on purpose

    def write(self, disk: Disk, fd: int, data: bytes) -> None:
        self.left -= self.left > 0
        if self.left == 0:
            self._write(disk, fd, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        self._write(disk, fd, data)

    def listen(self) -> None:
        for line in sys.stdin:
            self.left = int(line.split()[1])
        os._exit(3)  # whoever started this is gone


def main() -> None:
    """`host FOLDER NAME`, `join FOLDER NAME PORT` or `resume FOLDER NAME`."""
    what, folder, name, *rest = sys.argv[1:]
    fuse = Fuse()
    fuse.set()
    threading.Thread(target=fuse.listen, daemon=True).start()
    identity = Identity.load_or_create(Path(folder) / "identity")
    session = Session(
        identity,
        name,
        Path(folder),
        group=default_group(),
        chooser=Bot(random.Random(1)),
        on_event=lambda event: tell(event="started") if isinstance(event, Started) else None,
    )
    if what == "host":
        terms = replace(offer(PLAYERS, HANDS), patience=3_600)
        tell(event="door", port=session.host(terms, address=LOOPBACK))
    elif what == "join":
        card, address = find_table(LOOPBACK, int(rest[0]), 10)
        session.join(card, address, address=LOOPBACK)
        tell(event="joined")
    else:
        found = next(iter(unfinished(Path(folder), identity)))
        session.resume(found, address=LOOPBACK, search=False)
    end = session.run()
    tell(event="finished", log=str(session.log), steps=end.step - 1)


if __name__ == "__main__":
    main()
