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
from node.language import Language, mark
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
    "falls": mark("fallen: {0}"),
    "bisciola": mark("bisciole: {0}, the longest of {1} deals"),
    "fallen-with-petrangola": mark("fallen with a petrangola: {0}"),
    "bonus": mark("three aces: {0}"),
    "dies": mark("out of a match: {0}"),
    "reenters": mark("re-entries: {0}"),
    "pays": mark("tokens paid: {0}"),
    "mambassa": mark("mambassa: {0}"),
    "quarantuna": mark("quarantuna: {0}"),
    "cappotto": mark("cappotto: {0}"),
    "novanta": mark("Novanta: {0}"),
    "sessanta": mark("Sessanta: {0}"),
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
    with out.progress(out.t("reading the logs")) as progress:
        newest = files[:MAX_LOGS]
        for number, path in enumerate(newest):
            progress.tell(f"{number}/{len(newest)}")
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
    before = 0
    what = out.speech.count("auditing {n} log", "auditing {n} logs", len(waiting))
    with out.progress(what) as progress:
        total = sum(_steps(data) for _, _, data in waiting)
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
    t = out.t
    for line in _lines(total, out.speech):
        out.line(line)
    if not total.games:
        out.line(t("No match of yours is in the logs yet: busso play, or busso host."))
    if found.elsewhere:
        told = t("Logs in which you have no seat: {0}; they aren't counted.")
        out.remark(told.format(found.elsewhere))
    if found.left_out:
        told = t("Only the newest {0} logs were looked at; older ones: {1}.")
        out.remark(told.format(MAX_LOGS, found.left_out))
    out.detail(t("Audited now: {0}; the others were known.").format(found.audited))
    for path, text in found.refused:
        out.bad(t("not counted: {0}: {1}").format(path.name, out.speech.retold(text)))


def _lines(total: Summary, speech: Language) -> Iterator[str]:
    for name, tally in total.games.items():
        yield from _game_lines(registry.get(name).title, tally, speech)
        yield ""
    if not total.opponents:
        return
    yield speech.text("Against others: matches, won by you, won by them")
    for one in total.opponents[:SHOWN]:
        told = f"{one.name}{DOT}{short_form(one.key)}"
        note = f"  {speech.text('was excluded for cheating')}" if one.excluded else ""
        yield f"  {told:<28} {one.matches:5} {one.mine:5} {one.theirs:5}{note}"
    if len(total.opponents) > SHOWN:
        more = speech.text("and {0} more; --json has all")
        yield f"  {more.format(len(total.opponents) - SHOWN)}"


def _game_lines(title: str, tally: Tally, speech: Language) -> Iterator[str]:
    t, count = speech.text, speech.count
    yield count(
        "{0}: {n} match, {1} won, {2} lost",
        "{0}: {n} matches, {1} won, {2} lost",
        tally.matches,
        title,
        tally.won,
        tally.lost,
    )
    told: list[str] = []
    if n := tally.undecided:
        told.append(count("{n} ended without a winner", "{n} ended without winners", n))
    if n := tally.open:
        told.append(count("{n} has no end yet", "{n} have no end yet", n))
    if n := tally.abandoned:
        told.append(count("{n} was abandoned", "{n} were abandoned", n))
    told.append(count("{n} hand audited", "{n} hands audited", tally.hands))
    if n := tally.void:
        told.append(count("{n} void hand", "{n} void hands", n))
    if tally.paid or tally.won_units:
        money = t("paid {0}, won {1}: {2}")
        told.append(money.format(tally.paid, tally.won_units, f"{tally.balance:+}"))
    if tally.best is not None:
        told.append(t("best final score: {0}").format(tally.best))
    told += _streak_lines(tally, speech)
    for kind, (often, highest) in sorted(tally.marks.items()):
        told.append(t(_MARKS[kind]).format(often, highest))
    if n := tally.left:
        told.append(count("{n} match went on without you", "{n} matches went on without you", n))
    if tally.excluded:
        told.append(t("excluded for cheating: {0}").format(tally.excluded))
    for line in told:
        yield f"  {line}"


def _streak_lines(tally: Tally, speech: Language) -> list[str]:
    """How many matches in a row were won or lost; nothing before one was."""
    streak = tally.streak
    if not streak.now:
        return []
    if streak.now > 0:
        now = speech.count("{n} win in a row now", "{n} wins in a row now", streak.now)
    else:
        now = speech.count("{n} loss in a row now", "{n} losses in a row now", -streak.now)
    longest = speech.text("longest streaks: {0} won, {1} lost")
    return [now, longest.format(streak.best, -streak.worst)]


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
