"""`busso completion`: the scripts offer every verb, the games and files, and nothing hidden."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from engine import registry
from tests.tools.running import busso
from tools.errors import ExitCode
from tools.values import SHELLS
from tools.verbs import HIDDEN, VERBS

BASH = shutil.which("bash")
_ASK = """\
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMPREPLY=()
_shtab_busso
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_knows_verbs_games_and_presets(shell: str) -> None:
    said = busso("completion", shell)
    assert (said.code, said.err) == (0, "")
    for word in (*(verb for verb in VERBS if verb not in HIDDEN), *registry.GAMES, "emilia"):
        assert word in said.out
    assert "SUPPRESS" not in said.out
    for verb in HIDDEN:
        assert verb not in said.out


def test_without_a_shell_it_says_where_a_script_goes() -> None:
    said = busso("completion")
    assert [line.split()[2] for line in said.out.splitlines()] == list(SHELLS)


@pytest.mark.parametrize("argv", [("tcsh",), ("bash", "x")])
def test_other_words_are_refused(argv: tuple[str, ...]) -> None:
    assert busso("completion", *argv).code == ExitCode.USAGE


def test_a_script_is_no_json() -> None:
    assert "no JSON" in busso("completion", "bash", "--json").complaint()


def test_a_broken_setting_does_not_matter(home: Path) -> None:
    folder = home / ".config" / "busso"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("nonsense", "utf-8")
    assert busso("rules").code == ExitCode.UNREADABLE
    assert busso("completion", "bash").code == 0


@pytest.mark.skipif(BASH is None, reason="no bash to try it in")
def test_bash_completes(tmp_path: Path) -> None:
    path = tmp_path / "completion.bash"
    path.write_text(busso("completion", "bash").out, "utf-8")
    (tmp_path / "match.busso").touch()

    def offered(*words: str) -> list[str]:
        argv = [str(BASH), "-c", _ASK, "bash", str(path), "busso", *words]
        done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=60)
        assert done.stderr == ""
        return done.stdout.split()

    assert offered("ver") == ["verify"]
    assert offered("nod") == []
    assert offered("rules", "pe") == ["petrangola"]
    assert offered("play", "--game", "t") == ["traversone"]
    assert offered("host", "--preset", "e") == ["emilia"]
    assert offered("verify", str(tmp_path / "ma")) == [str(tmp_path / "match.busso")]
    assert offered("rules", "--lang", "f") == ["fa"]
    assert offered("--pl") == ["--plain"]
