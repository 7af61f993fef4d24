"""A tiny match with fixed keys: what the golden files of `tests/vectors/log` are built from.

`python -m tests.protocol.samples` writes those files anew; do that only when a format changes.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from protocol import identity as curve
from protocol.contribution import Class, Contribution, Entry, Kind, Place, statement
from protocol.evidence_file import Case, Charge, pack_evidence
from protocol.frames import Magic, frame
from protocol.header import Header, Seat, SignedHeader
from protocol.identity import Identity
from protocol.log import Step, chain, first_head

VECTORS = Path(__file__).parent.parent / "vectors" / "log"


def identities(count: int) -> list[Identity]:
    """Fixed identities in the order of their keys."""
    made = (Identity(hashlib.sha256(b"seat %d" % i).digest()) for i in range(count))
    return sorted(made, key=lambda identity: identity.public)


def header(seats: int = 2) -> Header:
    """The terms of a match of up to five players."""
    names = ("Ada", "Bruno", "Carla", "Dino", "Élia")
    return Header.draft(
        "petrangola",
        1,
        [("decks", 1), ("end", "last")],
        1_700_000_000,
        [
            Seat(names[i], identity.public, bytes([0x10 + i]) * 16)
            for i, identity in enumerate(identities(seats))
        ],
    )


def signed_header(seats: int = 2) -> SignedHeader:
    """The same, signed by all."""
    terms = header(seats)
    return terms.seal([terms.sign(identity) for identity in identities(seats)])


def contribution(
    identity: Identity, place: Place, seat: int, kind: Kind, body: bytes
) -> Contribution:
    """A properly signed contribution."""
    digest = bytes(8)
    unsigned = Contribution(seat, kind, body, digest, b"")
    return Contribution(seat, kind, body, digest, identity.sign(statement(place, unsigned)))


def steps(count: int, seats: int = 2) -> list[bytes]:
    """Payloads of the first steps: a commit round, a reveal round, then moves in turn."""
    top = signed_header(seats)
    keys = identities(seats)
    head = first_head(top.payload)
    payloads: list[bytes] = []
    for number in range(1, count + 1):
        place = Place(top.match, head, number)
        if number <= 2:
            kind, who = (Kind.FLIP_COMMIT, Kind.FLIP_REVEAL)[number - 1], range(seats)
        else:
            kind, who = Kind.MOVE, range(number % seats, number % seats + 1)
        body = b"%d" % number
        step = Step(number, tuple(contribution(keys[s], place, s, kind, body) for s in who))
        payloads.append(step.pack())
        head = chain(top.payload, payloads)[-1]
    return payloads


def second_signature(seed: bytes, message: bytes, nonce: int = 7) -> bytes:
    """Another valid signature of `message`: RFC 8032, 5.1.6, with a nonce of the signer's choice.

    S = r + SHA-512(R, A, M) a mod L; honest signers derive r, but nobody can see that.
    """
    clamped = bytearray(hashlib.sha512(seed).digest()[:32])
    clamped[0] &= 248
    clamped[31] = clamped[31] & 127 | 64
    a = int.from_bytes(clamped, "little")
    base = curve._decompress(bytes([0x58]) + bytes([0x66]) * 31)
    x, y, z, _ = curve._multiply(nonce, base)
    x, y = (v * pow(z, -1, curve._P) % curve._P for v in (x, y))
    r = (y | (x & 1) << 255).to_bytes(32, "little")
    k = hashlib.sha512(r + Identity(seed).public + message).digest()
    s = (nonce + int.from_bytes(k, "little") * a) % curve._L
    return r + s.to_bytes(32, "little")


def log(count: int, seats: int = 2) -> bytes:
    """A log file of `count` steps."""
    payloads = [signed_header(seats).payload, *steps(count, seats)]
    return Magic.LOG.value + b"".join(map(frame, payloads))


def case(charge: Charge, step: int, seats: int = 2) -> Case:
    """Seat 0 signs one move, or two that exclude each other, at `step`."""
    top = signed_header(seats)
    head = chain(top.payload, steps(step - 1, seats))[-1]
    place = Place(top.match, head, step, 0, Class.PLAY)
    bodies = (b"a",) if charge is Charge.INVALID else (b"a", b"b")
    signer = identities(seats)[0]
    return Case(
        charge,
        tuple(Entry(place, contribution(signer, place, 0, Kind.MOVE, body)) for body in bodies),
    )


def evidence(charge: Charge) -> bytes:
    """A file of evidence about step 3."""
    return pack_evidence(signed_header().payload, steps(2), case(charge, 3))


def golden() -> dict[str, bytes]:
    """Every golden file by name."""
    return {
        "tiny.busso": log(1),
        "four-steps.busso": log(4),
        "five-seats.busso": log(3, seats=5),
        "invalid.evidence": evidence(Charge.INVALID),
        "contradiction.evidence": evidence(Charge.CONTRADICTION),
    }


if __name__ == "__main__":
    for name, data in golden().items():
        (VECTORS / name).write_bytes(data)
    signed = signed_header()
    (VECTORS / "header.json").write_text(
        json.dumps(
            {
                "core": signed.header.core.hex(),
                "match": signed.match.hex(),
                "signatures": [signature.hex() for signature in signed.signatures],
                "payload": signed.payload.hex(),
            },
            indent=2,
        )
        + "\n",
        "utf-8",
    )
