"""`busso demo`, `busso play` and `busso node`: real processes on the loopback."""

from __future__ import annotations

import hashlib
import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from protocol.audit import Status, audit_file
from protocol.group import default_group
from tests.tools.running import busso
from tools.bots import Bots
from tools.cli import main

KEYS = ["game", "players", "hands", "steps", "log", "sha256", "status", "nodes_equal"]
KEYS += ["deal_ms", "verify_ms", "result"]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """What `demo --json` printed about two hands of two, and the log that it kept."""
    log = tmp_path_factory.mktemp("demo") / "match.busso"
    words = ["demo", "--players", "2", "--hands", "2", "--option", "tokens=9"]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tools", *words, "--json", "--log", str(log)],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert not done.stderr
    return json.loads(done.stdout), log


def test_the_demo_tells_what_it_played(played: tuple[dict[str, Any], Path]) -> None:
    value, log = played
    assert list(value) == KEYS
    assert value["game"] == "petrangola"
    assert (value["players"], value["hands"]) == (2, 2)
    assert value["nodes_equal"] is True
    assert value["status"] == "complete"
    assert len(value["deal_ms"]) == 2
    assert all(ms > 0 for ms in (*value["deal_ms"], value["verify_ms"]))
    assert value["log"] == str(log.resolve())


def test_the_demos_log_verifies_by_itself(played: tuple[dict[str, Any], Path]) -> None:
    value, log = played
    data = log.read_bytes()
    assert hashlib.sha256(data).hexdigest() == value["sha256"]
    report = audit_file(data, default_group())
    assert report.status is Status.COMPLETE
    assert (report.hands, report.steps) == (value["hands"], value["steps"])


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--players", "30", "--option", "decks=1"], 2, "decks"),
        (["--players", "1"], 2, "players"),
        (["--game", "poker"], 2, "no game 'poker'"),
        (["--preset", "roma"], 2, "no preset 'roma'"),
        (["--option", "tokens=99"], 2, "tokens must be"),
        (["--option", "tokens"], 2, "NAME=VALUE"),
        (["--hands", "0"], 2, "hands"),
        (["--log", "no-such-folder/x.busso"], 3, "there is no folder"),
    ],
)
def test_a_demo_that_cant_be_is_one_sentence(
    words: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", *words]) == code
    out, err = capsys.readouterr()
    assert not out
    assert says in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_a_log_is_never_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = tmp_path / "there.busso"
    there.write_bytes(b"mine")
    assert main(["demo", "--log", str(there)]) == 3
    assert "exists already" in capsys.readouterr().err
    assert there.read_bytes() == b"mine"


def test_play_ends_well_when_nobody_types() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tools", "play", "--bots", "1", "--hands", "1"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    # A match without a decision of ours can't be: somebody has to cut or to play.
    assert done.returncode == 0
    assert "You leave the table." in done.stdout
    assert not done.stderr


def test_each_line_of_a_pipe_is_used_for_the_next_question_in_order() -> None:
    """Even if all were there before the first question; what follows the last leaves."""
    said = busso(
        *("play", "briscola", "--bots", "1", "--hands", "1", "--plain"),
        stdin=b"t\nchat ciao\nnonsense\n\xff\nh\n",
    )
    lines = said.out.splitlines()
    asked = [line for line in lines if line.startswith("> ")]
    assert asked == ["> t", "> chat ciao", "> nonsense", "> \N{REPLACEMENT CHARACTER}", "> h", "> "]
    first = next(n for n, line in enumerate(lines) if line.startswith("Your turn"))
    assert lines.index("> t") > first
    assert lines[lines.index("> t") + 1].startswith("Deals won: ")
    assert lines[lines.index("> nonsense") + 1].endswith("? helps.")
    assert lines[lines.index("> h") + 1].startswith("Your hand: ")
    assert lines[lines.index("> ") + 1] == "You leave the table."
    assert (said.code, said.err) == (0, "")


def test_play_has_no_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "--json"]) == 2
    assert "JSON" in capsys.readouterr().err


def test_a_bot_ends_with_the_command_that_started_it(tmp_path: Path) -> None:
    """Leaving the context closes its standard input, and that is all that a bot needs."""
    with Bots(tmp_path) as bots:
        bots.start("Ada", ["--players", "2"], 1)
        said = next(bots.listen())
        assert said.line is not None
        assert said.line["event"] == "hosting"
        process = bots._processes[0]
    assert process.returncode is not None
    assert process.returncode >= 0, "it had to be killed"


def test_a_bot_without_a_table_says_so(tmp_path: Path) -> None:
    with Bots(tmp_path) as bots:
        bots.start("Ada", ["--join", "127.0.0.1:1"], 1)
        said = next(bots.listen())
    assert said.line is not None
    assert said.line["event"] == "stopped"
    assert "no table" in said.line["text"] or "No answer" in said.line["text"]


@pytest.mark.parametrize("words", [["demo"], ["play", "--bots", "1"]])
def test_a_port_that_is_taken_is_one_sentence(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        assert main([*words, "--port", port, "-q"]) == 4
    err = capsys.readouterr().err
    assert f"Port {port} is in use" in err
    assert err.count("\n") == 1
