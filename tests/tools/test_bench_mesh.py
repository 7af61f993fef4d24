"""`busso bench mesh`: that it measures what it says; how fast the mesh is, no test judges."""

from __future__ import annotations

import json
import socket

import pytest

from tests.tools.running import busso
from tools import bench_mesh
from tools.bench_chain import Cable, Chain, entry_at
from tools.bench_mesh import _identity


def test_a_chain_takes_what_is_signed_and_next_and_nothing_else() -> None:
    one, two = _identity(0), _identity(1)
    chain = Chain([one.public, two.public])
    first = entry_at(one, 0, 1, bytes(32))
    assert not chain.apply(entry_at(one, 1, 1, bytes(32))), "signed by another"
    assert not chain.apply(entry_at(one, 0, 2, bytes(32)))
    assert not chain.apply(entry_at(one, 0, 1, bytes([1]) * 32))
    assert chain.apply(first)
    assert not chain.apply(first)
    assert chain.apply(entry_at(two, 1, 2, chain.head))


def test_a_cable_carries_until_it_is_cut_and_again_when_it_is_mended() -> None:
    host = "127.0.0.1"
    with socket.create_server((host, 0)) as server, Cable(host, server.getsockname()[1]) as cable:
        for _ in range(2):
            near = socket.create_connection((host, cable.port))
            far, _ = server.accept()
            with near, far:
                near.sendall(b"there")
                assert far.recv(5) == b"there"
                far.sendall(b"back")
                assert near.recv(4) == b"back"
                cable.cut()
                assert ended(near)
                assert ended(far)
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection((host, cable.port))
            cable.mend()


def ended(connection: socket.socket) -> bool:
    """Whether the other side has closed it, however."""
    connection.settimeout(20)
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def test_everything_is_measured_against_a_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("MOVES", 4), ("WARM_UP", 1), ("ENTRIES", 300), ("CROWD", 2)):
        monkeypatch.setattr(bench_mesh, name, value)
    monkeypatch.setattr(bench_mesh, "CUTS", (0.1,))
    monkeypatch.setattr(bench_mesh, "ROUNDS", 1)
    said = busso("bench", "mesh", "--json", "--players", "2")
    assert said.code == 0, said.err
    value = json.loads(said.out)
    assert value["nodes"] == 2
    move, behind = value["move"], value["catching_up"]
    assert move["ratio"] == pytest.approx(move["ms"] / move["floor_ms"], abs=0.02)
    assert move["bare_ratio"] == pytest.approx(move["ms"] / move["bare_ms"], abs=0.6)
    assert behind["ratio"] == pytest.approx(behind["ms"] / behind["floor_ms"], abs=0.02)
    assert (value["forming"]["nodes"], behind["entries"]) == (2, 300)
    assert value["forming"]["ms"] > 0
    assert value["healing"]["ms"] is None or value["healing"]["ms"] > 0
