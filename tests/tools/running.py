"""Running `busso` in this process, with streams of its own, and real matches to run it on."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import io
import json
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from protocol.contribution import Contribution, Entry, Place, statement
from protocol.evidence_file import Case, Charge, pack_evidence
from protocol.frames import Magic, frame
from protocol.header import Header
from protocol.log import LogFile, Step, read_log
from tests.protocol.cheats import Liar, one_hunts
from tests.protocol.groups import FAST
from tests.protocol.ring import Ring, identities
from tests.protocol.test_cheating import LIE, SHORT
from tools.cli import main


class Said(NamedTuple):
    """What a command said and how it ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Its standard output as data; it must have ended without a word of complaint."""
        assert self.err == ""
        return json.loads(self.out)

    def complaint(self) -> str:
        """The one line on standard error, where nothing else was said."""
        assert self.out == ""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("busso: ")
        assert "Traceback" not in self.err
        return lines[0]


class Stream(io.TextIOWrapper):
    """A stream that may pass for a terminal."""

    def __init__(self, encoding: str, terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, newline="\n")
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def said(self) -> str:
        self.flush()
        data = self.buffer.getvalue()  # type: ignore[attr-defined] # a BytesIO
        return str(data, self.encoding if self.encoding != "ascii" else "utf-8")


def busso(
    *argv: str | Path, encoding: str = "utf-8", terminal: bool = False, stdin: bytes = b""
) -> Said:
    """Run one command as the console script does."""
    out, err = Stream(encoding, terminal), Stream(encoding, terminal)
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        code = main([str(word) for word in argv])
    return Said(int(code), out.said(), err.said())


@functools.cache
def once(verb: str, match: Callable[[], bytes], *flags: str) -> Said:
    """What a verb says about a match, asked once for all tests."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "match.busso"
        path.write_bytes(match())
        return busso(verb, path, *flags)


# -- matches ----------------------------------------------------------------------------------


@functools.cache
def small() -> bytes:
    """Two players, one hand by the emilia rules, closed by agreement."""
    return _play(2, hands=1, preset="emilia")


@functools.cache
def whole() -> bytes:
    """Three players with one token each by the marche rules, until one is left alive."""
    return _play(3, preset="marche", given=(("tokens", "1"),), seed=5)


@functools.cache
def tricks() -> bytes:
    """Three players, one hand of Traversone."""
    return _play(3, hands=1, game="traversone")


@functools.cache
def lied() -> bytes:
    """Two players, of whom Bruno (seat 1) knocks as if he held no petrangola."""
    with tempfile.TemporaryDirectory() as folder:
        ring = Ring(
            Path(folder),
            2,
            hands=2,
            seed=LIE,
            players={1: Liar},
            chooser=one_hunts,
            given=SHORT,
            group=FAST,
        )
        ring.run()
        ring.close()
        return ring.logs[0].read_bytes()


def _play(
    count: int,
    *,
    game: str = "petrangola",
    hands: int = 0,
    preset: str = "",
    given: tuple[tuple[str, str], ...] = (),
    seed: int = 1,
) -> bytes:
    terms: dict[str, Any] = {"game": game, "preset": preset, "hands": hands, "given": given}
    with tempfile.TemporaryDirectory() as folder:
        ring = Ring(Path(folder), count, group=FAST, seed=seed, **terms)
        ring.run()
        ring.close()
        return ring.logs[0].read_bytes()


def parts(data: bytes) -> LogFile:
    """A log, read."""
    return read_log(data)


def file_of(header: bytes, payloads: Iterable[bytes]) -> bytes:
    """A log of these payloads, its frames right whatever they hold."""
    return Magic.LOG.value + b"".join(frame(payload) for payload in (header, *payloads))


def flipped(data: bytes, at: int) -> bytes:
    """`data` with one bit of the octet `at` changed."""
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def with_entry(data: bytes, step: int, **changes: Any) -> bytes:
    """`data` with the first contribution of `step` changed, and nothing signed again."""
    log = read_log(data)
    old = log.steps[step - 1]
    entries = (dataclasses.replace(old.entries[0], **changes), *old.entries[1:])
    payloads = list(log.payloads)
    payloads[step - 1] = Step(step, entries).pack()
    return file_of(log.header, payloads)


def with_terms(count: int, **changes: Any) -> bytes:
    """A log that is only a header, of other terms than `small` has, signed by all."""
    from protocol.header import parse_header  # noqa: PLC0415  # for this alone

    header: Header = dataclasses.replace(parse_header(read_log(small()).header).header, **changes)
    keys = identities(count)
    return file_of(header.seal([header.sign(key) for key in keys]).payload, ())


# -- evidence ---------------------------------------------------------------------------------


def signed(place: Place, seat: int, c: Contribution, **changes: Any) -> Entry:
    """`c` with `changes`, signed by `seat` of a match of two."""
    changed = dataclasses.replace(c, **changes)
    signature = identities(2)[seat].sign(statement(place, changed))
    return Entry(place, dataclasses.replace(changed, signature=signature))


def evidence(charge: Charge, step: int, **changes: Any) -> bytes:
    """A file that charges the first author of `step` of `small`: with what it signed, changed by
    `changes`, and for a contradiction with what it really signed as well."""
    from protocol.header import parse_header  # noqa: PLC0415  # for this alone

    log = read_log(small())
    match = parse_header(log.header).match
    place = Place(match, log.heads[step - 1], step)
    true = log.steps[step - 1].entries[0]
    entry = signed(place, true.seat, true, **changes)
    entries = (entry,) if charge is Charge.INVALID else (Entry(place, true), entry)
    return pack_evidence(log.header, log.payloads[: step - 1], Case(charge, entries))
