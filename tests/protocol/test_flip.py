"""Joint coin flips: bound to match, seat and head; uniform if one seat is honest; reproducible."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import ITALIAN, Deck
from protocol import flip as flips
from protocol.contribution import Place
from protocol.flip import Flip
from protocol.group import ProofError
from tests.protocol import deal_vectors
from tests.protocol.groups import vectors

MATCH, HEAD = b"m" * 32, b"h" * 32
SECRETS = {0: b"\x00" * 32, 2: b"\x02" * 32}
COMMITTED = Flip((0, 2), HEAD, {s: flips.commitment(MATCH, s, HEAD, v) for s, v in SECRETS.items()})
PLACE = Place(MATCH, b"later" * 6 + b"..", 2)


@pytest.mark.parametrize("file", deal_vectors.golden())
def test_the_files_are_what_the_formulas_give(file: str) -> None:
    assert vectors(f"deal/{file}") == deal_vectors.golden()[file]


@pytest.mark.parametrize("v", vectors("deal/flip.json"), ids=lambda v: v["name"])
def test_golden_flips(v: dict[str, Any]) -> None:
    match, head = bytes.fromhex(v["match"]), bytes.fromhex(v["head"])
    secrets = {s: bytes.fromhex(x) for s, x in zip(v["seats"], v["secrets"], strict=True)}
    commitments = {s: flips.commitment(match, s, head, x) for s, x in secrets.items()}
    assert [c.hex() for c in commitments.values()] == v["commitments"]
    value = flips.joint(Flip(tuple(v["seats"]), head, commitments), match, secrets)
    assert value.hex() == v["joint"]
    assert list(flips.seating(value, len(v["seats"]))) == v["seating"]
    assert list(flips.draw(value, Deck(ITALIAN, v["decks"]))) == v["draw"]


def test_an_honest_secret_is_accepted() -> None:
    for seat, secret in SECRETS.items():
        flips.check_secret(COMMITTED, PLACE, seat, secret)


def test_trap_9_a_copied_commitment_cannot_be_opened() -> None:
    """By another seat, in another match, on another head: the copier has no secret for it."""
    secret = SECRETS[0]
    copied = Flip((0, 2), HEAD, {0: COMMITTED.commitments[0], 2: COMMITTED.commitments[0]})
    with pytest.raises(ProofError, match="committed to"):
        flips.check_secret(copied, PLACE, 2, secret)
    with pytest.raises(ProofError, match="committed to"):
        flips.check_secret(COMMITTED, Place(b"n" * 32, PLACE.head, 2), 0, secret)
    moved = Flip((0, 2), b"g" * 32, COMMITTED.commitments)
    with pytest.raises(ProofError, match="committed to"):
        flips.check_secret(moved, PLACE, 0, secret)


@pytest.mark.parametrize("secret", [b"", bytes(31), bytes(33), SECRETS[2]])
def test_another_secret_is_refused(secret: bytes) -> None:
    with pytest.raises(ProofError):
        flips.check_secret(COMMITTED, PLACE, 0, secret)


@given(st.binary(min_size=32, max_size=32))
def test_each_secret_alone_changes_everything(secret: bytes) -> None:
    if secret == SECRETS[2]:
        return
    one = flips.joint(COMMITTED, MATCH, SECRETS)
    other = flips.joint(COMMITTED, MATCH, {**SECRETS, 2: secret})
    assert one != other
    assert flips.draw(one, Deck(ITALIAN, 1)) != flips.draw(other, Deck(ITALIAN, 1))


def test_who_has_which_secret_matters() -> None:
    swapped = {0: SECRETS[2], 2: SECRETS[0]}
    assert flips.joint(COMMITTED, MATCH, SECRETS) != flips.joint(COMMITTED, MATCH, swapped)
    assert flips.joint(COMMITTED, MATCH, SECRETS) != flips.joint(COMMITTED, b"n" * 32, SECRETS)


def test_seatings_and_draws_are_permutations_and_all_seatings_occur() -> None:
    seen: Counter[tuple[int, ...]] = Counter()
    for i in range(300):
        value = flips.joint(COMMITTED, MATCH, {**SECRETS, 0: i.to_bytes(32, "big")})
        seating = flips.seating(value, 3)
        assert sorted(seating) == [0, 1, 2]
        seen[seating] += 1
        assert sorted(flips.draw(value, Deck(ITALIAN, 1))) == list(range(40))
    assert len(seen) == 6
    assert min(seen.values()) > 20  # 50 on average; fixed inputs, so never by chance
