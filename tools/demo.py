"""`busso demo`: computer players, each a process of its own, play a match over real connections.

Law: nothing here plays, deals or judges; it starts nodes, waits, compares the logs that they kept
and has one verified. What it prints is what it measured.
"""

from __future__ import annotations

import argparse
import hashlib
import secrets
import statistics
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from node.lobby import Offer
from node.narrate import names_of, result_line, standing_line
from protocol.audit import Report, audit_file
from protocol.group import choose_group
from protocol.header import MAX_NAME
from tools.arguments import seats_of, table_rules
from tools.bots import Bots
from tools.errors import CommandError, NetworkFailed, UnusableFile
from tools.matches import result_data
from tools.output import Output
from tools.places import logs_folder

NAMES = ("Ada", "Bruno", "Carla", "Dino", "Elsa", "Fosco", "Gina", "Ivo", "Lea", "Mino")


@dataclass(frozen=True, slots=True)
class Played:
    """A match as the demo saw it."""

    name: str
    log: bytes
    equal: bool
    deal_ms: tuple[float, ...]
    """For each hand the longest of the nodes' times."""


class DemoFailed(CommandError):
    """A node ended before the match did."""


def player_name(number: int) -> str:
    """The name of computer player `number`."""
    return NAMES[number] if number < len(NAMES) else f"Bot {number + 1}"[:MAX_NAME]


def rule_arguments(args: argparse.Namespace) -> list[str]:
    """The house rules of `args` as words for another process."""
    words: list[str] = []
    if args.game:
        words += ["--game", args.game]
    if args.preset:
        words += ["--preset", args.preset]
    for name, value in args.options:
        words += ["--option", f"{name}={value}"]
    if args.hands:
        words += ["--hands", str(args.hands)]
    return words


def level_arguments(args: argparse.Namespace) -> list[str]:
    """How well computer players play, as words for their processes."""
    return ["--level", args.level, "--think", f"{args.think:g}"]


def run(args: argparse.Namespace, out: Output) -> int:
    """Play, compare, verify, tell."""
    game, options = table_rules(args)
    if args.players is None:
        args.players = seats_of(game)
    Offer(game, options, args.players, args.hands or 0).check()
    environment = {} if args.backend == "auto" else {"BUSSO_GROUP": args.backend}
    group = choose_group(environment)
    target = check_target(args.log)
    if not out.json:
        told = out.t("{game}: {players} nodes, each a process of its own, {backend}.")
        out.remark(
            told.format(game=game.title, players=args.players, backend=group.backend),
        )
    played = play(args, out)
    if target is None:
        target = logs_folder() / f"{played.name}.busso"
    keep_log(played.log, target)
    begun = time.perf_counter()
    with out.progress(out.t("verifying")) as progress:
        report = audit_file(played.log, group, progress)
    verify_ms = round((time.perf_counter() - begun) * 1000, 1)
    if out.json:
        out.data(_value(args, played, report, target, verify_ms))
    else:
        _tell(out, played, report, target, verify_ms)
    return 0 if played.equal and report.good else 1


def play(args: argparse.Namespace, out: Output) -> Played:
    """Have the match played. DemoFailed: a node stopped; NetworkFailed: all are silent."""
    with (
        tempfile.TemporaryDirectory(prefix="busso-demo-") as name,
        Bots(Path(name), args.backend) as bots,
        out.progress(out.t("playing")) as progress,
    ):
        rules = rule_arguments(args)
        level = level_arguments(args)
        seed = secrets.randbits(32)
        players = str(args.players)
        door = ["--port", str(args.port)] if args.port else []
        bots.start(player_name(0), [*rules, "--players", players, *door], seed)
        finished: dict[int, Mapping[str, Any]] = {}
        for said in bots.listen():
            line = said.line
            if line is None or line["event"] == "stopped":
                if said.bot in finished:
                    continue
                text = line["text"] if line else bots.last_words(said.bot)
                if line and line["network"]:
                    raise NetworkFailed(text)
                raise DemoFailed(f"{player_name(said.bot)} stopped: {text}")
            if line["event"] == "hosting":
                progress.tell(out.t("the players sit down"))
                for number in range(1, args.players):
                    where = f"127.0.0.1:{line['port']}"
                    bots.start(player_name(number), [*level, "--join", where], seed + number)
            elif line["event"] == "dealt" and said.bot == 0 and not out.json:
                told = out.t("hand {hand} dealt in {ms} ms")
                out.detail(told.format(hand=line["hand"], ms=round(line["ms"])))
            elif line["event"] == "step" and said.bot == 0:
                progress.tell(_far(line, args, out))
            elif line["event"] == "finished":
                finished[said.bot] = line
                if len(finished) == args.players:
                    return _collect([finished[n] for n in range(args.players)])
    raise NetworkFailed("the computer players ended without a match")


def _far(line: Mapping[str, Any], args: argparse.Namespace, out: Output) -> str:
    """How far the match is, by a step of one of its nodes."""
    hand, shuffled = max(1, line["hand"]), line["shuffled"]
    where = out.t("hand {hand} of {hands}") if args.hands else out.t("hand {hand}")
    where = where.format(hand=hand, hands=args.hands)
    if line["hand"] and shuffled < args.players:
        told = out.t("{where}, shuffled by {done} of {players}")
    else:
        told = out.t("{where}, step {step}")
    return told.format(where=where, done=shuffled, players=args.players, step=line["step"])


def _collect(lines: list[Mapping[str, Any]]) -> Played:
    paths = [Path(line["log"]) for line in lines]
    logs = [path.read_bytes() for path in paths]
    deals = zip(*(line["deal_ms"] for line in lines), strict=True)
    equal = all(log == logs[0] for log in logs)
    return Played(paths[0].stem, logs[0], equal, tuple(max(times) for times in deals))


def check_target(log: str | None) -> Path | None:
    """Where to keep the log; refused now rather than after the match."""
    if log is None:
        return None
    path = Path(log)
    if path.exists():
        raise UnusableFile(f"{path.name} exists already", "Give --log another name.")
    if not path.parent.is_dir():
        raise UnusableFile(f"there is no folder {path.parent}", "Make it, or give --log another.")
    return path


def keep_log(log: bytes, target: Path) -> None:
    """Write the log of a match to `target`, which must not exist; UnusableFile."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            file.write(log)
    except OSError as error:
        text = f"the log can't be written to {target}: {error.strerror}"
        raise UnusableFile(text) from error


def _value(
    args: argparse.Namespace, played: Played, report: Report, target: Path, verify_ms: float
) -> dict[str, Any]:
    order = report.last.order if report.last else ()
    return {
        "game": report.header.game if report.header else args.game,
        "players": args.players,
        "hands": report.hands,
        "steps": report.steps,
        "log": str(target.resolve()),
        "sha256": hashlib.sha256(played.log).hexdigest(),
        "status": report.status.value,
        "nodes_equal": played.equal,
        "deal_ms": list(played.deal_ms),
        "verify_ms": verify_ms,
        "result": result_data(report.result, order) if report.result else None,
    }


def _tell(out: Output, played: Played, report: Report, target: Path, verify_ms: float) -> None:
    deals, speech = played.deal_ms, out.speech
    if played.equal:
        out.good(out.t("all logs are equal: {size} bytes").format(size=f"{len(played.log):,}"))
    else:
        out.bad(out.t("the nodes' logs differ"))
    if report.good:
        told = speech.count(
            "verified in {seconds} s: {n} hand, {steps} steps",
            "verified in {seconds} s: {n} hands, {steps} steps",
            report.hands,
            seconds=f"{verify_ms / 1000:.2f}",
            steps=report.steps,
        )
        out.good(told)
    else:
        told = out.t("the log does not verify: {text}")
        out.bad(told.format(text=speech.retold(report.faults[0].text)))
    if deals:
        middle = statistics.median(deals)
        told = out.t(
            "dealing took {middle} ms a hand (from {least} to {most}): every player shuffled, "
            "every shuffle was proved and checked by all"
        )
        least, most = round(min(deals)), round(max(deals))
        out.line("  " + told.format(middle=round(middle), least=least, most=most))
    if report.last and report.result:
        names = names_of(report.last)
        out.line(f"  {standing_line(report.last.state, names, language=speech)}")
        out.line(f"  {result_line(report.result, names, language=speech)}")
    out.line("  " + out.t("log: {path}").format(path=target))
    out.remark(f"  busso verify {target}")
    out.remark(f"  busso replay {target}")
