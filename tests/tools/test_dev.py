"""The development commands, without a network and without an environment to make.

Law: this file knows `tools/dev.py` and `tools/dev_environment.py`. Tools are played by short
programs for this Python; no test installs anything.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools import dev, dev_environment
from tools.dev_environment import (
    DevError,
    Environment,
    Installer,
    Plan,
    Report,
    StageFailed,
    Stamp,
    choose,
    clear,
    read_stamp,
    run,
    wanted_stamp,
    write_stamp,
)

ROOT = Path(__file__).resolve().parents[2]
T = TypeVar("T")
STAMP = Stamp(python="cpython-311", root="somewhere", installer="pip", inputs="ab" * 32)


def never() -> bool:
    raise AssertionError("nothing is to be started for this answer")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with what a stamp is made of."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2"\n', encoding="utf-8")
    (tmp_path / "tools" / "pins.txt").write_text("x==1\n", encoding="utf-8")
    return tmp_path


# Stamps ---------------------------------------------------------------------------------------


@given(st.builds(Stamp, st.text(), st.text(), st.text(), st.text(), st.booleans()))
def test_a_stamp_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, stamp: Stamp
) -> None:
    environment = Environment(tmp_path_factory.getbasetemp())
    write_stamp(environment, stamp)
    assert read_stamp(environment) == stamp
    environment.marker.unlink()


@pytest.mark.parametrize("change", ["pyproject.toml", "tools/pins.txt"])
def test_a_changed_input_changes_the_stamp(project: Path, change: str) -> None:
    before = wanted_stamp(project, "pip")
    assert before == wanted_stamp(project, "pip")
    with (project / change).open("a", encoding="utf-8") as file:
        file.write("#\n")
    assert wanted_stamp(project, "pip").inputs != before.inputs


def test_octets_that_move_between_the_inputs_change_the_stamp(project: Path) -> None:
    first, second = project / "pyproject.toml", project / "tools" / "pins.txt"
    first.write_bytes(b"ab")
    second.write_bytes(b"c")
    before = wanted_stamp(project, "pip")
    first.write_bytes(b"a")
    second.write_bytes(b"bc")
    assert wanted_stamp(project, "pip") != before


def test_missing_pins_are_one_sentence(project: Path) -> None:
    (project / "tools" / "pins.txt").unlink()
    with pytest.raises(DevError, match=r"cannot read tools/pins\.txt"):
        wanted_stamp(project, "pip")


def test_no_stamp_is_none(tmp_path: Path) -> None:
    assert read_stamp(Environment(tmp_path)) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"python": 1, "root": "", "installer": "", "inputs": "", "finished": true}',
        '{"python": "", "root": "", "installer": "", "inputs": "", "finished": 1}',
        '{"python": "", "root": "", "inputs": "", "finished": true}',
    ],
)
def test_a_stamp_that_makes_no_sense_is_unfinished(tmp_path: Path, text: str) -> None:
    environment = Environment(tmp_path)
    environment.marker.write_text(text, encoding="utf-8")
    found = read_stamp(environment)
    assert found is not None
    assert not found.finished


# What an environment needs --------------------------------------------------------------------


@pytest.mark.parametrize("found", [None, STAMP, replace(STAMP, finished=False)])
def test_without_its_python_an_environment_is_made(found: Stamp | None) -> None:
    assert choose(found, STAMP, alive=False, healthy=never) is Plan.CREATE


def test_what_is_as_wanted_is_kept_and_nothing_is_started() -> None:
    assert choose(STAMP, STAMP, alive=True, healthy=never) is Plan.KEEP


def test_an_interrupted_set_up_is_made_again() -> None:
    found = replace(STAMP, finished=False)
    assert choose(found, STAMP, alive=True, healthy=never) is Plan.CREATE


@pytest.mark.parametrize("change", [{"python": "cpython-314"}, {"root": "elsewhere"}])
def test_another_python_or_a_moved_folder_makes_it_again(change: dict[str, str]) -> None:
    found = replace(STAMP, **change)  # type: ignore[arg-type] # only the names of texts
    assert choose(found, STAMP, alive=True, healthy=never) is Plan.CREATE


@pytest.mark.parametrize(
    "found", [None, replace(STAMP, inputs="cd" * 32), replace(STAMP, installer="uv")]
)
def test_other_inputs_are_installed_into_a_healthy_one(found: Stamp | None) -> None:
    assert choose(found, STAMP, alive=True, healthy=lambda: True) is Plan.UPDATE
    assert choose(found, STAMP, alive=True, healthy=lambda: False) is Plan.CREATE


@pytest.mark.parametrize("step", ["create", "install"])
def test_a_set_up_that_breaks_off_is_begun_again(
    project: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    calls: list[str] = []
    interrupted = [step]

    def create(_: Installer, environment: Environment, *, cwd: Path) -> None:
        calls.append("create")
        python = environment.program("python")
        python.parent.mkdir(parents=True)
        python.touch()
        if interrupted == ["create"]:
            raise KeyboardInterrupt

    def install(_: Installer, environment: Environment, *arguments: str, cwd: Path) -> None:
        calls.append("install")
        if interrupted == ["install"]:
            raise KeyboardInterrupt

    monkeypatch.setattr(Installer, "create", create)
    monkeypatch.setattr(Installer, "install", install)
    with pytest.raises(KeyboardInterrupt):
        dev_environment.set_up(project, Installer(None))
    interrupted.clear()
    calls.clear()
    dev_environment.set_up(project, Installer(None))
    assert calls == ["create", "install", "install"]
    dev_environment.set_up(project, Installer(None))
    assert calls == ["create", "install", "install"]


def test_a_failed_set_up_stops_there_and_stays_unfinished(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def create(_: Installer, environment: Environment, *, cwd: Path) -> None:
        raise StageFailed("no room", "the tool's words")

    monkeypatch.setattr(Installer, "create", create)
    with pytest.raises(DevError, match=r"\.venv with pip failed"):
        dev_environment.set_up(project, Installer(None))
    assert "the tool's words" in capsys.readouterr().out
    found = read_stamp(Environment(project / ".venv"))
    assert found is not None
    assert not found.finished


# Environments ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("windows", "place"), [(False, "bin/busso"), (True, "Scripts/busso.exe")])
def test_programs_are_where_the_system_keeps_them(windows: bool, place: str) -> None:
    environment = Environment(Path("x"), windows=windows)
    assert environment.program("busso") == Path("x", place)


def test_a_tool_gets_no_python_variables_and_our_programs_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    monkeypatch.setenv("PIP_TARGET", "elsewhere")
    environment = Environment(tmp_path)
    variables = dev_environment.child_environment(environment)
    assert not {"PYTHONPATH", "PIP_TARGET"} & variables.keys()
    first = variables["PATH"].split(os.pathsep)[0]
    assert Path(first) == environment.program("python").parent


def test_only_an_environment_is_cleared(tmp_path: Path) -> None:
    environment = Environment(tmp_path / ".venv")
    clear(environment)
    environment.folder.mkdir()
    (environment.folder / "thesis.txt").touch()
    with pytest.raises(DevError, match="something else"):
        clear(environment)
    assert (environment.folder / "thesis.txt").exists()
    (environment.folder / "pyvenv.cfg").touch()
    clear(environment)
    assert list(tmp_path.iterdir()) == []


def test_what_an_interrupted_removal_left_is_cleared(tmp_path: Path) -> None:
    (tmp_path / ".venv.old").mkdir()
    (tmp_path / ".venv.old" / "half").touch()
    clear(Environment(tmp_path / ".venv"))
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".venv").write_text("mine", encoding="utf-8")
    with pytest.raises(DevError, match="not a folder"):
        clear(Environment(tmp_path / ".venv"))
    assert (tmp_path / ".venv").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("missing", ["venv", "ensurepip"])
def test_a_python_without_venv_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, missing: str
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == missing else find(name)
    )
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    with pytest.raises(StageFailed, match=rf"apt install python{re.escape(version)}-venv"):
        Installer(None).create(Environment(tmp_path / "x"), cwd=tmp_path)


def test_this_python_can_be_used_and_another_version_cannot() -> None:
    environment = Environment(Path(sys.prefix))
    tag = str(sys.implementation.cache_tag)
    uv = Installer("uv")
    assert uv.can_use(environment, tag)
    assert not uv.can_use(environment, "cpython-399")
    assert not uv.can_use(Environment(Path(sys.prefix, "nowhere")), tag)


# Stages ---------------------------------------------------------------------------------------


def python(code: str, folder: Path, patience: float = 60) -> str:
    argv = [sys.executable, "-c", code]
    return run(argv, cwd=folder, variables=dict(os.environ), patience=patience)


def test_a_tool_that_says_no_is_a_failure_with_its_output(tmp_path: Path) -> None:
    assert python("print('fine')", tmp_path) == "fine\n"
    code = "import sys; print('out'); sys.stdout.flush(); sys.exit('err')"
    with pytest.raises(StageFailed, match="exit code 1") as caught:
        python(code, tmp_path)
    assert caught.value.output == "out\nerr\n"


def test_a_tool_that_hangs_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(StageFailed, match="longer than"):
        python("import threading; threading.Event().wait()", tmp_path, patience=0.05)


def test_a_tool_that_is_missing_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(StageFailed, match="cannot start"):
        run([str(tmp_path / "ruff")], cwd=tmp_path, variables={})


def say_no(output: str) -> None:
    raise StageFailed("it said no", output)


def test_a_report_goes_on_and_shows_the_end_of_the_output(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = Report()
    lines = "\n".join(f"line {n}" for n in range(dev_environment.TAIL_LINES + 7))
    with report.stage("first"):
        say_no(lines)
    with report.stage("second"):
        pass
    assert report.failed == ["first"]
    output = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"first +FAILED +\d+\.\d s", output[0])
    assert output[1].strip() == "... 7 lines before these"
    assert output[2].strip() == "line 7"
    assert output[-2].strip() == "it said no"
    assert re.fullmatch(r"second +ok +\d+\.\d s", output[-1])


def test_our_own_errors_are_not_a_failed_stage() -> None:
    report = Report()
    with pytest.raises(ZeroDivisionError), report.stage("first"):
        raise ZeroDivisionError
    assert report.failed == []


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_a_child_that_a_signal_ended_has_the_shells_number(tmp_path: Path) -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    argv = [sys.executable, "-c", code]
    assert dev_environment.attend(argv, cwd=tmp_path, variables=dict(os.environ)) == 137


# Commands -------------------------------------------------------------------------------------


class Played:
    """The stages of dev.py with the tools replaced: `failing` names those that say no."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, failing: set[str], pytest_code: int):
        self.order: list[str] = []
        self.failing = failing
        self.pytest_code = pytest_code
        self.variables: dict[str, str] = {}
        monkeypatch.setattr(dev, "set_up", lambda root, _: Environment(root / ".venv"))
        monkeypatch.setattr(dev, "run", self.run)
        monkeypatch.setattr(dev, "attend", self.attend)
        monkeypatch.setattr(dev, "hand_over", self.hand_over)
        monkeypatch.setattr(dev, "build_wheel", lambda *_: self.stage("build", Path("x.whl")))
        fresh = Environment(Path("fresh"))
        monkeypatch.setattr(dev, "install_wheel", lambda *_: self.stage("install", fresh))
        monkeypatch.setattr(dev, "try_wheel", lambda *_: self.stage("try", None))

    def stage(self, name: str, result: T) -> T:
        self.order.append(name)
        if name in self.failing:
            raise StageFailed(f"{name} said no")
        return result

    def run(self, argv: list[str], **_: object) -> str:
        return self.stage(" ".join(argv[2:4]), "")

    def attend(self, argv: list[str], *, variables: dict[str, str], **_: object) -> int:
        self.order.append(" ".join(argv[2:]))
        self.variables = variables
        return self.pytest_code

    def hand_over(self, argv: list[str], **_: object) -> int:
        self.order.append(" ".join([Path(argv[0]).stem, *argv[1:]]))
        return 7


LINT = ["ruff check", "ruff format", "mypy"]
WHEEL = ["build", "install", "try"]
PYTEST = "pytest -n auto --maxprocesses 8 --dist worksteal"


@pytest.mark.parametrize(
    ("failing", "order", "code"),
    [
        (set(), [*LINT, *WHEEL], 0),
        ({"ruff check", "mypy"}, [*LINT, *WHEEL], 1),
        ({"build"}, [*LINT, "build"], 1),
        ({"install"}, [*LINT, "build", "install"], 1),
        ({"try"}, [*LINT, *WHEEL], 1),
    ],
)
def test_every_stage_is_run_and_pytest_is_the_last(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    failing: set[str],
    order: list[str],
    code: int,
) -> None:
    played = Played(monkeypatch, failing, pytest_code=0)
    assert dev.main(["test", "-k", "x"]) == code
    assert [name.strip() for name in played.order] == [*order, f"{PYTEST} -k x"]
    assert ("DEV_FAILED_STAGES" in played.variables) == bool(failing)
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "pytest"
    assert lines[-2].startswith("failed before pytest: ") == bool(failing)


def test_pytests_own_exit_code_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    Played(monkeypatch, set(), pytest_code=5)
    assert dev.main(["test"]) == 5


@pytest.mark.parametrize("extra", [["--pdb"], ["-s"], ["-n0"], ["-n", "2"], ["--dist=load"]])
def test_pytest_runs_in_one_process_where_asked(extra: list[str]) -> None:
    assert dev.pytest_arguments(extra) == extra


def test_network_namespaces_are_asked_for() -> None:
    given = dev.pytest_arguments(["-n0", "--netns", "-x"])
    assert given == ["-m", "not long", "-n0", "-x"]
    assert dev.pytest_arguments(["--netns"])[-2:] == ["-m", "not long"]


def test_pytest_leaves_the_network_namespaces_out_unless_they_are_asked_for() -> None:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    folder = "tests/netns"
    done = {
        word: subprocess.run(
            [*command, *dev.pytest_arguments(["-n0", *word.split(), folder])],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        for word in ("", "--netns")
    }
    assert "::" not in done[""].stdout
    assert "tests/netns/test_discovery.py::test_a_goodbye" in done["--netns"].stdout


@pytest.mark.parametrize(
    ("arguments", "order", "code"),
    [
        (["lint"], LINT, 1),
        (["wheel"], WHEEL, 0),
        (["setup"], [], 0),
        (["demo", "--hands", "2"], ["busso demo --hands 2"], 7),
        (["--version"], ["busso --version"], 7),
    ],
)
def test_each_command_does_its_part(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], order: list[str], code: int
) -> None:
    played = Played(monkeypatch, {"mypy"}, pytest_code=0)
    assert dev.main(arguments) == code
    assert [name.strip() for name in played.order] == order


def test_usage(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    Played(monkeypatch, set(), pytest_code=0)
    assert dev.main([]) == 2
    assert capsys.readouterr().err == dev.USAGE
    assert dev.main(["--help"]) == 0
    assert capsys.readouterr().out == dev.USAGE
    assert dev.main(["lint", "engine"]) == 2


def test_an_interrupt_is_130_and_an_error_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> Environment:
        raise KeyboardInterrupt

    def wrong(*_: object) -> Environment:
        raise DevError("the disk is full")

    monkeypatch.setattr(dev, "set_up", interrupted)
    assert dev.main(["lint"]) == 130
    monkeypatch.setattr(dev, "set_up", wrong)
    assert dev.main(["lint"]) == 1
    assert capsys.readouterr().err == "dev: interrupted\ndev: the disk is full\n"


def test_an_older_python_gets_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 13, "final", 0))
    with pytest.raises(SystemExit) as caught:
        runpy.run_path(str(ROOT / "tools" / "dev.py"))
    assert caught.value.code == 2
    assert "needs Python 3.11 or newer" in capsys.readouterr().err


def test_the_script_starts_anywhere_without_anything_installed(tmp_path: Path) -> None:
    argv = [sys.executable, "-S", "-E", str(ROOT / "tools" / "dev.py"), "--help"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, dev.USAGE, "")


# The wheel ------------------------------------------------------------------------------------

GOOD = {
    *(f"{package}/__init__.py" for package in dev.PACKAGES),
    *("engine/RULES.md", "node/locale/it.mo"),
}
ABOUT = {
    f"busso-0.1.0.dist-info/{name}" for name in ("METADATA", "entry_points.txt", "licenses/LICENSE")
}


def wheel_of(folder: Path, names: set[str]) -> Path:
    path = folder / "busso.whl"
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in sorted(names):
            archive.writestr(name, "")
    path.write_bytes(content.getvalue())
    return path


def test_a_whole_wheel_is_fine(tmp_path: Path) -> None:
    assert dev.complaints(wheel_of(tmp_path, GOOD | ABOUT), GOOD) == []


@pytest.mark.parametrize("name", sorted(GOOD | ABOUT))
def test_whatever_a_wheel_lacks_is_named(tmp_path: Path, name: str) -> None:
    found = dev.complaints(wheel_of(tmp_path, (GOOD | ABOUT) - {name}), GOOD)
    assert found
    assert all(name.split("/", 1)[-1] in sentence or "is missing" in sentence for sentence in found)


@pytest.mark.parametrize("name", ["tests/test_layout.py", "tools/dev.py", "conftest.py"])
def test_whatever_a_wheel_has_too_much_is_named(tmp_path: Path, name: str) -> None:
    found = dev.complaints(wheel_of(tmp_path, GOOD | ABOUT | {name}), GOOD)
    assert found == [f"{name} does not belong there"]


def test_what_is_shipped_leaves_out_the_development_and_the_compiled() -> None:
    files = dev.shipped(ROOT)
    assert {f"{package}/__init__.py" for package in dev.PACKAGES} <= files
    assert not {name for name in files if name.startswith(("tools/dev", "tools/pins", "tests/"))}
    assert not {name for name in files if name.endswith(".pyc")}


@pytest.mark.parametrize("text", ['{"a": 1}', '{\n"a": 1\n}\n', '{"a": 1}\n{"b": 2}\n'])
def test_a_document_or_one_a_line_is_json(text: str) -> None:
    assert dev.is_json(text)


@pytest.mark.parametrize("text", ["", "\n", "Ada wins", '{"a": 1}\nAda wins\n'])
def test_anything_else_is_not_json(text: str) -> None:
    assert not dev.is_json(text)


# The pins -------------------------------------------------------------------------------------


def pins(name: str) -> dict[str, str]:
    """The pinned version of each distribution; every line that isn't a pin or a hash is refused."""
    found: dict[str, str] = {}
    text = (ROOT / "tools" / name).read_text("utf-8").replace("\\\n", "")
    for line in text.splitlines():
        requirement, *hashes = line.split("--hash=")
        pin = Requirement(requirement.strip())
        assert re.fullmatch(r"==[\w.]+", str(pin.specifier)), line
        assert hashes, line
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", digest.strip()) for digest in hashes)
        found[canonicalize_name(pin.name)] = str(pin.specifier).removeprefix("==")
    return found


@pytest.mark.parametrize("name", ["pins.txt", "pins-run.txt"])
def test_the_pins_are_versions_and_hashes_that_fit_what_is_declared(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = list(project["dependencies"])
    if name == "pins.txt":
        declared += project["optional-dependencies"]["dev"]
    pinned = pins(name)
    for requirement in map(Requirement, declared):
        version = pinned.get(canonicalize_name(requirement.name))
        assert version is not None, f"{requirement.name}: run tools/dev.py pins"
        assert version in requirement.specifier, f"{requirement}: run tools/dev.py pins"


def test_both_pins_say_the_same_and_play_needs_no_pytest() -> None:
    everything, play = pins("pins.txt"), pins("pins-run.txt")
    assert play.items() <= everything.items()
    assert not {"pytest", "hypothesis", "mypy", "ruff"} & play.keys()


def test_a_stamp_file_is_json_that_a_person_can_read(tmp_path: Path) -> None:
    write_stamp(Environment(tmp_path), STAMP)
    (file,) = tmp_path.iterdir()
    assert json.loads(file.read_text("utf-8"))["python"] == "cpython-311"
