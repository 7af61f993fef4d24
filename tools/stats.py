"""`busso stats`: what this player's verified logs add up to.

Law: this file finds the logs of the data folder, keeps each one's verdict and shows sums; what a
log is worth is `node.statistics`' to say. A log is audited once: its verdict is kept in the cache
folder under the hash of its octets, and is worth as much as the files of that folder, which are
its owner's alone. One that isn't exactly as we write it is dropped, and the log audited again.

JSON: {key, logs: {counted, elsewhere, refused: [{file, text}], audited}, games: {name: {matches,
won, lost, undecided, open, abandoned, hands, void_hands, paid, won_units, balance, best, left,
excluded, streak: {now, best, worst}, marks: {kind: {count, highest}}}}, players: [{key, short,
name, matches, won, lost, excluded}]}. `elsewhere` counts logs in which this player has no seat:
they aren't audited. Exit code 1 if one of the others doesn't verify.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from engine import registry
from node.statistics import MAX_VERDICT, Refusal, Verdict, is_log, judged, packed, parsed, players
from node.statistics_sum import Summary, Tally, summary
from protocol.errors import CorruptLog, EncodingError, FileError, ProtocolError
from protocol.files import Disk, read_file
from protocol.frames import MAX_FILE
from protocol.group import default_group
from protocol.identity import DOT, short_form
from protocol.log import read_log
from tools.errors import ExitCode
from tools.output import Output
from tools.person import load_identity
from tools.places import data_folder, logs_folder

MAX_LOGS: Final = 4096
"""The newest logs; older ones are left out, and that is said."""
SHOWN: Final = 20
"""Players that are listed, those met most often; `--json` has all."""
_SUFFIX: Final = ".verdict"
_MARKS: Final = {
    "falls": "fell {0} times",
    "bisciola": "bisciola {0} times, the longest {1} deals",
    "fallen-with-petrangola": "fell with a petrangola {0} times",
    "bonus": "three aces {0} times",
    "dies": "out {0} times",
    "reenters": "re-entered {0} times",
    "pays": "paid a token {0} times",
    "mambassa": "mambassa {0} times",
    "quarantuna": "quarantuna {0} times",
    "cappotto": "cappotto {0} times",
    "novanta": "Novanta {0} times",
    "sessanta": "Sessanta {0} times",
}


@dataclass(slots=True)
class Found:
    """The verdicts on the player's logs, the logs that don't verify, how many were audited just
    now, how many are of others, and how many are too old to be looked at."""

    verdicts: list[Verdict] = field(default_factory=list)
    refused: list[tuple[Path, str]] = field(default_factory=list)
    audited: int = 0
    elsewhere: int = 0
    left_out: int = 0


def run(args: argparse.Namespace, out: Output) -> int:
    """Add up and show. OptionError: no such game; FileError: the key."""
    game = registry.get(args.game).name if args.game else None
    me = load_identity().public
    found = collect(me, out)
    total = summary(found.verdicts, me, game)
    if out.json:
        out.data(_data(me, found, total))
    else:
        _tell(out, found, total)
    return ExitCode.WRONG if found.refused else ExitCode.FINE


# -- logs and their verdicts ----------------------------------------------------------------------


def cache_folder() -> Path:
    """Where verdicts are kept."""
    home = os.environ.get("BUSSO_HOME")
    if home:
        return Path(home) / "cache" / "verdicts"
    from platformdirs import user_cache_path  # noqa: PLC0415  # slow, and rarely needed

    return user_cache_path("busso", appauthor=False) / "verdicts"


def log_files() -> list[Path]:
    """Every log of the data folder, the newest first."""
    places = [*data_folder().glob("matches/*/*.busso"), *logs_folder().glob("*.busso")]
    dated = []
    for path in places:
        with contextlib.suppress(OSError):
            dated.append((path.stat().st_mtime, str(path), path))
    return [path for _, _, path in sorted(dated, reverse=True)]


def collect(me: bytes, out: Output) -> Found:
    """The verdict on each log of the player with the key `me`: kept, or by an audit now."""
    files = log_files()
    found = Found(left_out=max(0, len(files) - MAX_LOGS))
    folder, used = cache_folder(), set[str]()
    waiting: list[tuple[Path, str, bytes]] = []
    seen: set[str] = set()
    for path in files[:MAX_LOGS]:
        try:
            data = read_file(path, MAX_FILE)
        except FileError as error:
            found.refused.append((path, str(error)))
            continue
        name = hashlib.sha256(data).hexdigest()
        if not is_log(data) or name in seen:
            continue  # evidence, or a copy
        seen.add(name)
        keys = players(data)
        if keys is not None and me not in keys:
            found.elsewhere += 1
            continue
        used.add(name + _SUFFIX)
        kept = _kept(folder / (name + _SUFFIX))
        if kept is None:
            waiting.append((path, name, data))
        else:
            _sort(found, path, kept)
    _audit(waiting, folder, found, out)
    _forget(folder, used)
    found.refused.sort()
    return found


def _audit(waiting: list[tuple[Path, str, bytes]], folder: Path, found: Found, out: Output) -> None:
    group = default_group()
    total = sum(_steps(data) for _, _, data in waiting)
    before = 0
    with out.progress(f"auditing {len(waiting)} logs") as progress:
        for path, name, data in waiting:
            done = before

            def tell(step: int, done: int = done) -> None:
                progress(done + step, total)

            verdict = judged(data, group, tell)
            before += _steps(data)
            found.audited += 1
            _keep(folder, name, verdict)
            _sort(found, path, verdict)


def _sort(found: Found, path: Path, verdict: Verdict | Refusal) -> None:
    if isinstance(verdict, Refusal):
        found.refused.append((path, verdict.text))
    else:
        found.verdicts.append(verdict)


def _steps(data: bytes) -> int:
    """How many steps there are to be read, for the progress alone."""
    try:
        return len(read_log(data).steps)
    except (CorruptLog, ProtocolError):
        return 0


def _version() -> str:
    try:
        return version("busso")
    except PackageNotFoundError:
        return ""


def _kept(path: Path) -> Verdict | Refusal | None:
    """The verdict that is kept in `path`; None if there is none that we would have written."""
    if not path.exists():
        return None
    try:
        return parsed(read_file(path, MAX_VERDICT), _version())
    except (FileError, EncodingError):
        return None


def _keep(folder: Path, name: str, verdict: Verdict | Refusal) -> None:
    """Keep a verdict. Failing is no harm: the log is audited again."""
    with contextlib.suppress(OSError, EncodingError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        Disk().replace(folder / (name + _SUFFIX), packed(verdict, _version()))


def _forget(folder: Path, used: set[str]) -> None:
    """Drop the verdicts on files that aren't there any more."""
    with contextlib.suppress(OSError):
        for path in folder.glob(f"*{_SUFFIX}"):
            if path.name not in used:
                path.unlink(missing_ok=True)


# -- showing --------------------------------------------------------------------------------------


def _tell(out: Output, found: Found, total: Summary) -> None:
    for line in _lines(total):
        out.line(line)
    if not total.games:
        out.line("No match of yours is in the logs yet: busso play, or busso host.")
    if found.elsewhere:
        out.remark(f"Logs in which you have no seat: {found.elsewhere}; they aren't counted.")
    if found.left_out:
        out.remark(f"Only the newest {MAX_LOGS} logs were looked at; {found.left_out} are older.")
    out.detail(f"Audited now: {found.audited}; the others were known.")
    for path, text in found.refused:
        out.bad(f"not counted: {path.name}: {text}")


def _lines(total: Summary) -> Iterator[str]:
    for name, tally in total.games.items():
        yield from _game_lines(registry.get(name).title, tally)
        yield ""
    if not total.opponents:
        return
    yield "Against others: matches, won by you, won by them"
    for one in total.opponents[:SHOWN]:
        told = f"{one.name}{DOT}{short_form(one.key)}"
        note = "  excluded for cheating" if one.excluded else ""
        yield f"  {told:<28} {one.matches:5} {one.mine:5} {one.theirs:5}{note}"
    if len(total.opponents) > SHOWN:
        yield f"  and {len(total.opponents) - SHOWN} more; --json has all"


def _game_lines(title: str, tally: Tally) -> Iterator[str]:
    yield f"{title}: {_many(tally.matches, 'match', 'matches')}, {tally.won} won, {tally.lost} lost"
    other = [
        f"{number} {what}"
        for number, what in (
            (tally.undecided, "ended without a winner"),
            (tally.open, "without an end"),
            (tally.abandoned, "abandoned"),
        )
        if number
    ]
    if other:
        yield f"  {', '.join(other)}"
    void = f", {tally.void} void" if tally.void else ""
    yield f"  {_many(tally.hands, 'hand', 'hands')} audited{void}"
    if tally.paid or tally.won_units:
        yield f"  paid {tally.paid}, won {tally.won_units}: {tally.balance:+}"
    if tally.best is not None:
        yield f"  best final score {tally.best}"
    if tally.won or tally.lost:
        streak = tally.streak
        now = _many(streak.now, "win", "wins")
        if streak.now < 0:
            now = _many(-streak.now, "loss", "losses")
        yield f"  streak {now}; the longest: {streak.best} won, {-streak.worst} lost"
    for kind, (count, highest) in sorted(tally.marks.items()):
        yield f"  {_MARKS[kind].format(count, highest)}"
    if tally.left:
        yield f"  {_many(tally.left, 'match', 'matches')} went on without you"
    if tally.excluded:
        yield f"  excluded for cheating: {tally.excluded}"


def _many(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _data(me: bytes, found: Found, total: Summary) -> dict[str, Any]:
    return {
        "key": me.hex(),
        "logs": {
            "counted": sum(tally.matches for tally in total.games.values()),
            "elsewhere": found.elsewhere,
            "refused": [{"file": str(path), "text": text} for path, text in found.refused],
            "audited": found.audited,
        },
        "games": {name: _game_data(tally) for name, tally in total.games.items()},
        "players": [
            {
                "key": one.key.hex(),
                "short": short_form(one.key),
                "name": one.name,
                "matches": one.matches,
                "won": one.mine,
                "lost": one.theirs,
                "excluded": one.excluded,
            }
            for one in total.opponents
        ],
    }


def _game_data(tally: Tally) -> dict[str, Any]:
    return {
        "matches": tally.matches,
        "won": tally.won,
        "lost": tally.lost,
        "undecided": tally.undecided,
        "open": tally.open,
        "abandoned": tally.abandoned,
        "hands": tally.hands,
        "void_hands": tally.void,
        "paid": tally.paid,
        "won_units": tally.won_units,
        "balance": tally.balance,
        "best": tally.best,
        "left": tally.left,
        "excluded": tally.excluded,
        "streak": {
            "now": tally.streak.now,
            "best": tally.streak.best,
            "worst": tally.streak.worst,
        },
        "marks": {
            kind: {"count": count, "highest": highest}
            for kind, (count, highest) in sorted(tally.marks.items())
        },
    }
