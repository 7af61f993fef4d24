"""Identities: keys that may sit at a table, signatures, and the file that holds the secret."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st

from protocol import identity as module
from protocol.contribution import Contribution, Kind, Place, statement
from protocol.errors import FileError, InvalidKey
from protocol.files import Disk
from protocol.identity import (
    Identity,
    WrongPassphrase,
    admit_key,
    fingerprint,
    is_locked,
    labels,
    short_form,
    verify,
)
from protocol.log import Step, next_head
from tests.protocol import samples

VECTORS = Path(__file__).parent.parent / "vectors" / "log"
BAD_KEYS = json.loads((VECTORS / "keys-bad.json").read_text("utf-8"))
SENTENCE = {
    "size": "has 32 octets",
    "canonical": "not encoded canonically",
    "curve": "not on the curve",
    "subgroup": "outside the prime-order subgroup",
}
ORDER = 2**252 + 27742317777372353535851937790883648493
needs_modes = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")

# RFC 8032, section 7.1, tests 1 and 2: seed, public key, message, signature.
RFC_8032 = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e3970"
        "1cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613"
        "d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
]


@pytest.mark.parametrize(("seed", "public", "message", "signature"), RFC_8032)
def test_rfc_8032(seed: str, public: str, message: str, signature: str) -> None:
    identity = Identity(bytes.fromhex(seed))
    assert identity.public.hex() == public
    assert identity.sign(bytes.fromhex(message)).hex() == signature
    assert verify(identity.public, bytes.fromhex(message), bytes.fromhex(signature))
    admit_key(identity.public)


@pytest.mark.parametrize("vector", BAD_KEYS, ids=lambda v: v["name"])
def test_keys_that_may_not_sit_at_a_table(vector: dict[str, Any]) -> None:
    with pytest.raises(InvalidKey, match=SENTENCE[vector["layer"]]):
        admit_key(bytes.fromhex(vector["hex"]))


def test_why_small_order_matters() -> None:
    """The library takes this key, and this one signature, for any message at all."""
    neutral = bytes([1]) + bytes(31)
    assert all(verify(neutral, m, neutral + bytes(32)) for m in (b"yes", b"no"))
    with pytest.raises(InvalidKey):
        admit_key(neutral)


@settings(max_examples=15)
@given(st.binary(min_size=32, max_size=32))
def test_every_generated_key_is_admitted(seed: bytes) -> None:
    admit_key(Identity(seed).public)


@settings(max_examples=40)
@given(st.binary(min_size=32, max_size=32))
@example(bytes([0xFF]) * 32)
def test_an_admitted_key_has_one_encoding(key: bytes) -> None:
    """Decompression and compression are inverse wherever a key decodes at all."""
    try:
        x, y, z, t = module._decompress(key)
    except InvalidKey:
        return
    assert (z, t) == (1, x * y % module._P)
    assert (y | (x & 1) << 255).to_bytes(32, "little") == key


def test_signatures_are_not_malleable() -> None:
    identity = Identity(bytes(32))
    signature = identity.sign(b"move")
    s = int.from_bytes(signature[32:], "little")
    for multiple in range(1, 15):
        moved = s + multiple * ORDER
        forged = signature[:32] + moved.to_bytes(32, "little")
        assert not verify(identity.public, b"move", forged)
    assert verify(identity.public, b"move", signature)


def test_a_signer_can_sign_twice() -> None:
    """Which is why signatures are inside the chain and inside a contribution's identity."""
    seed = bytes(32)
    place = Place(bytes(32), bytes(32), 1)
    unsigned = Contribution(0, Kind.MOVE, b"x", bytes(8), b"")
    message = statement(place, unsigned)
    signatures = {Identity(seed).sign(message)}
    signatures |= {samples.second_signature(seed, message, nonce) for nonce in (7, 8)}
    assert len(signatures) == 3
    assert all(verify(Identity(seed).public, message, s) for s in signatures)
    made = [dataclasses.replace(unsigned, signature=s) for s in signatures]
    assert len({c.identity(place) for c in made}) == 3
    assert len({next_head(bytes(32), Step(1, (c,)).pack()) for c in made}) == 3


def test_verify_refuses_everything_else() -> None:
    identity, other = Identity(bytes(32)), Identity(bytes([1]) * 32)
    signature = identity.sign(b"move")
    for i in range(64):
        changed = bytearray(signature)
        changed[i] ^= 0x10
        assert not verify(identity.public, b"move", bytes(changed))
    assert not verify(identity.public, b"mov", signature)
    assert not verify(other.public, b"move", signature)
    assert not verify(identity.public, b"move", signature[:-1])
    assert not verify(identity.public, b"move", signature + b"\x00")
    assert not verify(identity.public[:-1], b"move", signature)
    assert not verify((2).to_bytes(32, "little"), b"move", signature)


def test_fingerprint() -> None:
    assert fingerprint(bytes(32)) == "MZUH-VLPY-MK6X-O3EP-YGFY"
    assert fingerprint(bytes(31) + b"\x01") != fingerprint(bytes(32))


def test_a_seed_never_shows() -> None:
    identity = Identity(b"\xabsecret secret secret secret secr"[:32])
    assert repr(identity) == f"Identity({fingerprint(identity.public)})"
    with pytest.raises(InvalidKey):
        Identity(bytes(31))


def test_generate_draws_once_from_its_source() -> None:
    asked: list[int] = []

    def random(size: int) -> bytes:
        asked.append(size)
        return b"\x07" * size

    assert Identity.generate(random).public == Identity(b"\x07" * 32).public
    assert asked == [32]
    assert Identity.generate().public != Identity.generate().public


def test_an_identity_survives(tmp_path: Path) -> None:
    path = tmp_path / "identity"
    first = Identity.load_or_create(path)
    content = path.read_bytes()
    assert Identity.load_or_create(path).public == first.public
    assert path.read_bytes() == content
    assert [p.name for p in tmp_path.iterdir()] == ["identity"]


@needs_modes
def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "identity"
    before = os.umask(0)
    try:
        Identity.load_or_create(path)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o640)
    with pytest.raises(FileError, match="can be read by others"):
        Identity.load_or_create(path)


def test_another_process_may_be_faster(tmp_path: Path) -> None:
    path = tmp_path / "identity"

    class Slow(Disk):
        def link(self, old: Path, new: Path) -> None:
            Disk().publish(new, b"busso identity 1\n" + b"07" * 32 + b"\n")
            super().link(old, new)

    assert Identity.load_or_create(path, disk=Slow()).public == Identity(b"\x07" * 32).public


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"busso identity 1\n",
        b"busso identity 1\n" + b"0" * 63 + b"\n",
        b"busso identity 1\n" + b"0" * 64,
        b"busso identity 1\n" + b"0" * 64 + b"x",
        b"busso identity 1\n" + b"0" * 64 + b"\n\n",
        b"busso identity 1\n" + b"g" * 64 + b"\n",
        b"busso identity 1\n" + b"AB" * 32 + b"\n",
        b"busso identity 1\n" + b"\xff" * 64 + b"\n",
        b"busso identity 1\n" + b" " * 64 + b"\n",
        b"busso identity 2\n" + b"0" * 64 + b"\n",
        b"x" * 10_000,
    ],
    ids=range(12),
)
def test_odd_files_are_refused_and_kept(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "identity"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(FileError, match="identity"):
        Identity.load_or_create(path)
    assert path.read_bytes() == content


def test_folders_and_links_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError):
        Identity.load_or_create(tmp_path / "folder")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(FileError, match="symbolic link"):
        Identity.load_or_create(tmp_path / "link")
    assert not (tmp_path / "target").exists()
    with pytest.raises(FileError, match="can't be written"):
        Identity.load_or_create(tmp_path / "nowhere" / "identity")


A, B, C = (bytes([n]) * 32 for n in (1, 2, 3))


def test_the_short_form_is_the_beginning_of_the_fingerprint() -> None:
    assert short_form(A) == fingerprint(A)[:4].lower()
    assert len(short_form(A)) == 4


def test_players_of_one_name_are_told_apart() -> None:
    told = labels({A: "Bob", B: "bob", C: "Ada"})
    assert told == {A: f"Bob·{short_form(A)}", B: f"bob·{short_form(B)}", C: "Ada"}
    assert labels({A: "Bob"}) == {A: "Bob"}


def test_a_name_that_looks_like_anothers_label_isnt_one() -> None:
    told = labels({A: "Bob", B: "Bob", C: f"Bob·{short_form(A)}"})
    assert told[C] == f"Bob·{short_form(A)}·{short_form(C)}"
    assert len(set(told.values())) == 3


def test_wide_letters_are_the_same_name() -> None:
    assert labels({A: "Bob", B: "Ｂｏｂ"})[A] != "Bob"


def test_equal_short_forms_get_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    marks = {A: "ABCD-EFGH-A-A-A", B: "ABCD-XYZW-B-B-B"}
    monkeypatch.setattr(module, "fingerprint", marks.__getitem__)
    assert labels({A: "Bob", B: "Bob"}) == {A: "Bob·abcd-efgh", B: "Bob·abcd-xyzw"}


@given(
    st.dictionaries(st.binary(min_size=32, max_size=32), st.sampled_from(["a", "A", "b", "b·c"]))
)
def test_no_two_players_are_ever_called_alike(names: dict[bytes, str]) -> None:
    assert len(set(labels(names).values())) == len(names)


def test_a_passphrase_locks_the_file(tmp_path: Path) -> None:
    path = tmp_path / "identity"
    made = Identity.load_or_create(path)
    assert not is_locked(path)
    made.save(path, "sette bello")
    assert is_locked(path)
    if sys.platform != "win32":
        assert path.stat().st_mode & 0o777 == 0o600
    assert made._seed.hex().encode() not in path.read_bytes()
    assert made._seed not in path.read_bytes()
    opened = Identity.load_or_create(path, passphrase=lambda: "sette bello")
    assert opened.public == made.public
    opened.save(path, "")
    assert Identity.load_or_create(path).public == made.public


@pytest.mark.parametrize("said", ["", "sette Bello", "sette bello ", "x" * 513])
def test_another_passphrase_opens_nothing(tmp_path: Path, said: str) -> None:
    path = tmp_path / "identity"
    Identity.load_or_create(path).save(path, "sette bello")
    before = path.read_bytes()
    with pytest.raises(FileError):
        Identity.load_or_create(path, passphrase=lambda: said)
    with pytest.raises(WrongPassphrase, match="locked by a passphrase"):
        Identity.load_or_create(path)
    assert path.read_bytes() == before


def test_a_passphrase_is_the_same_however_its_letters_are_made(tmp_path: Path) -> None:
    path = tmp_path / "identity"
    made = Identity.load_or_create(path)
    made.save(path, "perch\u00e9")
    assert Identity.load_or_create(path, passphrase=lambda: "perche\u0301").public == made.public


@pytest.mark.parametrize("cut", [60, 120])
def test_a_locked_file_that_is_damaged_is_refused(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "identity"
    Identity.load_or_create(path).save(path, "sette bello")
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(FileError):
        Identity.load_or_create(path, passphrase=lambda: "sette bello")


def test_a_locked_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "identity"
    path.write_bytes(
        X25519PrivateKey.generate().private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"x")
        )
    )
    path.chmod(0o600)
    with pytest.raises(FileError, match="another kind"):
        Identity.load_or_create(path, passphrase=lambda: "x")


@needs_modes
def test_a_file_that_others_can_read_is_refused_with_what_mends_it(tmp_path: Path) -> None:
    path = tmp_path / "identity"
    Identity.load_or_create(path).save(path, "sette bello")
    path.chmod(0o640)
    with pytest.raises(FileError, match="chmod 600"):
        Identity.load_or_create(path, passphrase=lambda: "sette bello")


def test_an_identity_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    class Full(Disk):
        def write(self, fd: int, data: bytes) -> None:
            super().write(fd, data[:10])
            raise OSError(28, "No space left on device")

    path = tmp_path / "identity"
    made = Identity.load_or_create(path)
    with pytest.raises(FileError, match="No space left"):
        made.save(path, "sette bello", disk=Full())
    assert Identity.load_or_create(path).public == made.public
    assert [p.name for p in tmp_path.iterdir()] == ["identity"]
