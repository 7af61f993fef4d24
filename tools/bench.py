"""`busso bench`: what this computer needs for a deal, a verification, a move; how bots play.

Law: every figure is told with a floor measured in the same run: the bare group operations that the
formulas of `protocol/PROOFS.md` need, or the bare signatures of a log. A ratio says more than
milliseconds do, on a computer that is busy with other things.
"""

from __future__ import annotations

import argparse
import secrets
import statistics
import time
from collections.abc import Callable
from typing import Any

from engine.cards import ITALIAN, Deck
from protocol.audit import audit_log
from protocol.group import Group, default_group
from protocol.hashing import card_points
from protocol.header import parse_header
from protocol.identity import Identity, verify
from protocol.keyproof import KeyPair, hand_key
from protocol.log import read_log
from protocol.shares import make_shares, verify_shares
from protocol.shuffle import encode_shuffle_body, shuffle, start_deck, verify_shuffle
from tools import bench_games, bench_mesh, demo
from tools.arguments import make_parser
from tools.output import Output

ROUNDS = 5
BENCH_HANDS = 10
MEASURING = "measuring: {}"


def run(args: argparse.Namespace, out: Output) -> int:
    """Measure and print; JSON has a `ratio` for each part."""
    if args.what == "bots":  # which tells itself how far it is
        return bench_games.bots(args, out)
    if args.what == "engine":
        return _measured(bench_games.engine, args, out)
    if args.what == "screen":
        from tools import bench_screen  # noqa: PLC0415  # the only part that needs a screen

        return _measured(bench_screen.run, args, out)
    if args.what == "mesh":
        return _measured(bench_mesh.run, args, out)
    args.players = args.players or 4
    value = deal(args, out) if args.what == "deal" else verification(args, out)
    if out.json:
        out.data(value)
    else:
        _print(out, value)
    return 0


def _measured(
    run: Callable[[argparse.Namespace, Output], int], args: argparse.Namespace, out: Output
) -> int:
    """What `run` ends with, which says nothing while it measures."""
    with out.progress(MEASURING.format(args.what)):
        return run(args, out)


def _median(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Milliseconds of one call, the median of several."""
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times)


def _operations(group: Group) -> tuple[float, float, float]:
    """Milliseconds of a multiplication, of one of the base, of an addition."""
    points = card_points(group, ITALIAN.name, 40)
    scalars = [secrets.randbits(252) for _ in points]

    def multiply() -> None:
        for k, point in zip(scalars, points, strict=True):
            group.mul(k, point)

    def multiply_base() -> None:
        for k in scalars:
            group.mul_base(k)

    def add() -> None:
        for point in points:
            group.add(point, points[0])

    return _median(multiply) / 40, _median(multiply_base) / 40, _median(add) / 40


def deal(args: argparse.Namespace, out: Output) -> dict[str, Any]:
    """One shuffle of 40 cards by parts, against bare operations; then whole deals by `demo`."""
    with out.progress(MEASURING.format("a shuffle by parts")):
        value = _shuffle_by_parts(args)
    played = demo.play(_demo_arguments(args, 3), out)
    value["deal_ms"] = list(played.deal_ms)
    return value


def _shuffle_by_parts(args: argparse.Namespace) -> dict[str, Any]:
    """Each part of the deal of 40 cards, and what the bare operations of its formula take."""
    group = default_group()
    count = Deck(ITALIAN).size
    seed = secrets.token_bytes(32)
    key: KeyPair = hand_key(group, seed, bytes(32), 1, 0, bytes(32))
    deck = start_deck(group, card_points(group, ITALIAN.name, count), key.public)
    done = shuffle(group, seed, b"bench", key.public, deck)
    body = encode_shuffle_body(done)
    firsts = done.deck.firsts
    shares = make_shares(group, seed, b"bench", key, firsts)
    multiply, base, add = _operations(group)
    # What the formulas of PROOFS.md need for each card. A shuffle: a', b', c, d, t and the sums T3,
    # T4a, T4b; its verification: one term for each of c, d, t, h, a, b, a', b'.
    parts = {
        "shuffle_and_prove": (
            _median(lambda: shuffle(group, seed, b"bench", key.public, deck)),
            count * (6 * multiply + 4 * base + 8 * add),
        ),
        "verify_shuffle": (
            _median(lambda: verify_shuffle(group, b"bench", key.public, deck, body)),
            count * 8 * (multiply + add),
        ),
        "make_shares": (
            _median(lambda: make_shares(group, seed, b"bench", key, firsts)),
            count * (2 * multiply + add),
        ),
        "verify_shares": (
            _median(lambda: verify_shares(group, b"bench", key.public, firsts, shares)),
            count * 2 * (multiply + add),
        ),
    }
    value: dict[str, Any] = {"backend": group.backend, "cards": count, "players": args.players}
    for name, (took, floor) in parts.items():
        value[name] = {
            "ms": round(took, 2),
            "floor_ms": round(floor, 2),
            "ratio": round(took / floor, 2),
        }
    return value


def verification(args: argparse.Namespace, out: Output) -> dict[str, Any]:
    """A match of ten hands is played, then verified; the floor is its signatures alone."""
    group = default_group()
    played = demo.play(_demo_arguments(args, BENCH_HANDS), out)
    log = read_log(played.log)
    reports = []
    with out.progress(MEASURING.format("the verification")):
        took = _median(lambda: reports.append(audit_log(log, group)), 3)
    signatures = sum(len(step.entries) for step in log.steps)
    signatures += len(parse_header(log.header).signatures)
    identity = Identity.generate()
    message = bytes(200)
    signature = identity.sign(message)
    one = _median(lambda: [verify(identity.public, message, signature) for _ in range(50)]) / 50
    report = reports[-1]
    return {
        "backend": group.backend,
        "players": args.players,
        "hands": report.hands,
        "steps": report.steps,
        "status": report.status.value,
        "verify_ms": round(took, 1),
        "signatures": signatures,
        "signatures_ms": round(signatures * one, 1),
    }


def _demo_arguments(args: argparse.Namespace, hands: int) -> argparse.Namespace:
    """What `busso demo` would be given."""
    words = ["demo", "--players", str(args.players), "--hands", str(hands)]
    return make_parser().parse_args([*words, "--option", "tokens=9"])


def _print(out: Output, value: dict[str, Any]) -> None:
    for name, what in value.items():
        if isinstance(what, dict):
            out.line(f"{name:<18} {what['ms']:8.2f} ms   {what['ratio']:.2f} times the floor")
        else:
            out.line(f"{name:<18} {what}")
