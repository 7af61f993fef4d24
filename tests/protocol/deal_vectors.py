"""The vectors of `tests/vectors/deal`, from a second writing of DEAL.md's formulas.

`python -m tests.protocol.deal_vectors` writes them anew; do that only when a formula changes. Keys
and their proofs are the library's own (their vectors are with the proofs); every hash here is not.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from engine.cards import ITALIAN, Deck
from protocol.contribution import Place
from protocol.deal import Deal, DealSecrets, Terms
from tests.protocol.groups import FAST

FOLDER = Path(__file__).parent.parent / "vectors" / "deal"
VERSION = b"busso/1"


def le(n: int) -> bytes:
    return n.to_bytes(8, "little")


def h(tag: str, *parts: bytes) -> bytes:
    """H of PROOFS.md."""
    framed = [b"busso/1/" + tag.encode(), *parts]
    return hashlib.sha512(b"".join(le(len(part)) + part for part in framed)).digest()


def as_list(items: list[bytes]) -> bytes:
    return le(len(items)) + b"".join(le(len(item)) + item for item in items)


def octets(name: str) -> bytes:
    """32 fixed octets."""
    return hashlib.sha256(name.encode()).digest()


def permutation(key: bytes, count: int) -> list[int]:
    """Fisher-Yates from the last place down, with 8-octet words of the stream and rejection."""
    order = list(range(count))
    words: list[int] = []
    blocks = 0
    for i in range(count - 1, 0, -1):
        limit = 2**64 - 2**64 % (i + 1)
        while True:
            if not words:
                block = h("stream", key, le(blocks))
                blocks += 1
                words = [int.from_bytes(block[j : j + 8], "little") for j in range(0, 64, 8)]
            word = words.pop(0)
            if word < limit:
                break
        j = word % (i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def flip(name: str, seats: list[int], decks: int) -> dict[str, Any]:
    """One flip, and what is drawn from it."""
    match, head = octets(f"{name} match"), octets(f"{name} head")
    secrets = [octets(f"{name} secret {seat}") for seat in seats]
    joint = h("flip-joint", VERSION, match, head, as_list(secrets))
    draw = permutation(h("flip-use", joint, b"draw"), 40 * decks)
    return {
        "name": name,
        "match": match.hex(),
        "head": head.hex(),
        "seats": seats,
        "secrets": [secret.hex() for secret in secrets],
        "commitments": [
            h("flip", VERSION, match, le(seat), head, secret)[:32].hex()
            for seat, secret in zip(seats, secrets, strict=True)
        ],
        "joint": joint.hex(),
        "seating": permutation(h("flip-use", joint, b"seating"), len(seats)),
        "decks": decks,
        "draw": [card % 40 for card in draw],
    }


def deal(name: str, roster: int, seats: list[int], decks: int) -> dict[str, Any]:
    """Commitments, keys, and contexts of one hand."""
    match, hand, cut, step = octets(f"{name} match"), 3, 17, 40
    keys = [octets(f"{name} identity {i}") for i in range(roster)]
    head, key_head = octets(f"{name} head"), octets(f"{name} key head")
    terms = Terms(match, tuple(keys), hand, tuple(seats), Deck(ITALIAN, decks), cut)
    secrets = {seat: DealSecrets(octets(f"{name} seed {seat}"), seat) for seat in seats}
    commits = {seat: own.commit(FAST, terms, head) for seat, own in secrets.items()}
    at = Deal(FAST, terms).with_commits(commits, Place(match, head, step))
    place = Place(match, key_head, step + 1)
    bodies = {seat: own.open_key(at, place) for seat, own in secrets.items()}
    points = {seat: at.check_key(seat, body, place) for seat, body in bodies.items()}
    each = []
    for seat in seats:
        seed, key = secrets[seat].seed, bodies[seat][:32]
        bound = (VERSION, match, le(hand), le(seat), head)
        each.append(
            {
                "seed": seed.hex(),
                "key": key.hex(),
                "seed_hash": h("commit-seed", *bound, seed)[:32].hex(),
                "key_hash": h("commit-key", *bound, key)[:32].hex(),
                "key_body": bodies[seat].hex(),
            }
        )
    contexts = []
    acts: list[tuple[str, list[int]]] = [
        ("shuffle", []),
        ("shares", [3]),
        ("shares", [0, 1, 2, 39]),
        ("reseal", [4, 5, 6]),
    ]
    for number, (act, slots) in enumerate(acts):
        seat, at_head = seats[number % len(seats)], octets(f"{name} head {number}")
        ctx = h(
            "ctx",
            VERSION,
            match,
            as_list(keys),
            le(hand),
            le(step + 2 + number),
            le(seat),
            as_list([bodies[s][:32] for s in seats]),
            at_head,
            act.encode(),
            as_list([le(slot) for slot in slots]),
        )
        contexts.append(
            {
                "act": act,
                "slots": slots,
                "seat": seat,
                "step": step + 2 + number,
                "head": at_head.hex(),
                "ctx": ctx.hex(),
            }
        )
    return {
        "name": name,
        "match": match.hex(),
        "roster": [key.hex() for key in keys],
        "hand": hand,
        "seats": seats,
        "decks": decks,
        "cut": cut,
        "commit_step": step,
        "commit_head": head.hex(),
        "key_head": key_head.hex(),
        "each": each,
        "joint_key": FAST.encode(FAST.sum(list(points.values()))).hex(),
        "contexts": contexts,
    }


def golden() -> dict[str, list[dict[str, Any]]]:
    """Every file of vectors by name."""
    return {
        "flip.json": [
            flip("two seats", [0, 1], 1),
            flip("five seats", [0, 1, 2, 3, 4], 1),
            flip("seats 1 and 3, two decks", [1, 3], 2),
        ],
        "deal.json": [deal("two seats of three", 3, [2, 0], 1), deal("two decks", 2, [0, 1], 2)],
    }


if __name__ == "__main__":
    for file, content in golden().items():
        (FOLDER / file).write_text(json.dumps(content, indent=1) + "\n", "utf-8")
