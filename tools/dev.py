"""The development commands: make `.venv`, then check or run the project in it.

    python3 tools/dev.py test -k shuffle     every check; what follows `test` goes to pytest
    python3 tools/dev.py demo --hands 2      any other word is a verb of `busso`

Law: this file knows the tools that check the project, and in which order. It must never know
cards, keys or tables, and it imports nothing but the standard library and `dev_environment`,
since it runs before anything is installed.

Exit codes: 0 fine, 1 a stage failed, 2 usage (or a Python that is too old), 130 interrupted, else
the code of the `busso` that was run.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - whoever runs this may still have an older one
    sys.stderr.write("dev: Busso needs Python 3.11 or newer; run this with such a python3.\n")
    raise SystemExit(2)

import json
import shutil
import tempfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

if __name__ == "__main__":
    # A script finds its neighbours by their bare names; this one imports as everything else does.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from tools.dev_environment import (
    PINS,
    DevError,
    Environment,
    Installer,
    Report,
    StageFailed,
    attend,
    child_environment,
    hand_over,
    run,
    set_up,
)

PACKAGES = ("engine", "protocol", "node", "tools")
RUN_PINS = Path("tools", "pins-run.txt")
"""What the project runs with: those of PINS that the wheel asks for, directly or not."""
NOT_SHIPPED = frozenset(
    {"tools/dev.py", "tools/dev_environment.py", PINS.as_posix(), RUN_PINS.as_posix()}
)

USAGE = """\
usage: python3 tools/dev.py COMMAND [ARGUMENT ...]

  test [ARGUMENT ...]  lint, the wheel in a fresh environment, then pytest with the arguments;
                       --netns adds the tests in network namespaces (needs root, ip and nft)
  lint                 ruff check, ruff format --check, mypy
  wheel                build the wheel, look inside, run it in a fresh environment
  setup                only make .venv, or bring it up to date
  pins [--upgrade]     write the pins again from pyproject.toml (needs uv)
  VERB [ARGUMENT ...]  busso VERB: play, demo, bench, ...
"""


# The wheel ------------------------------------------------------------------------------------


def shipped(root: Path) -> set[str]:
    """The files that a wheel of the project has to hold, as POSIX paths from the root."""
    files = {
        path.relative_to(root).as_posix()
        for package in PACKAGES
        for path in (root / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    }
    return files - NOT_SHIPPED


def complaints(wheel: Path, expected: set[str]) -> list[str]:
    """What is wrong with the contents of a wheel, one sentence each."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    about = {name for name in names if name.split("/")[0].endswith(".dist-info")}
    found = [
        f"{package} is missing" for package in PACKAGES if f"{package}/__init__.py" not in names
    ]
    found += [f"{name} is missing" for name in sorted(expected - names)]
    found += [f"{name} does not belong there" for name in sorted(names - about - expected)]
    for name in ("METADATA", "entry_points.txt", "licenses/LICENSE"):
        if not any(entry.split("/", 1)[1] == name for entry in about):
            found.append(f"{name} is missing from the metadata")
    return found


def build_wheel(root: Path, environment: Environment, folder: Path) -> Path:
    """Build the wheel into `folder` and look inside."""
    argv = [environment.python, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    run(argv, cwd=root, variables=child_environment(environment))
    (wheel,) = folder.glob("*.whl")
    found = complaints(wheel, shipped(root))
    if found:
        raise StageFailed(f"{wheel.name} is not what it should be", "\n".join(found))
    return wheel


def install_wheel(root: Path, installer: Installer, wheel: Path, folder: Path) -> Environment:
    """Install the wheel into a fresh environment with what it declares, pinned, and no more.

    pip takes no hashes for what a wheel pulls in, hence three steps: the pinned packages, the
    wheel alone, and the question whether anything that it asks for is missing.
    """
    fresh = Environment(folder / "fresh")
    installer.create(fresh, cwd=folder)
    pinned = ("--no-compile", "--require-hashes", "-r", str(root / RUN_PINS))
    installer.install(fresh, *pinned, cwd=folder)
    installer.install(fresh, "--no-deps", str(wheel), cwd=folder)
    installer.check(fresh, cwd=folder)
    return fresh


def try_wheel(root: Path, fresh: Environment, folder: Path) -> None:
    """Run the installed `busso` as a player has it: elsewhere, with an empty home."""
    version = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    home, elsewhere = folder / "home", folder / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    variables = child_environment()
    variables = {k: v for k, v in variables.items() if not k.startswith(("BUSSO_", "XDG_"))}
    homes = ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA")
    variables |= dict.fromkeys(homes, str(home)) | {"PYTHONUTF8": "1"}
    busso = str(fresh.program("busso"))
    said = run([busso, "--version"], cwd=elsewhere, variables=variables, patience=60)
    if version not in said:
        raise StageFailed(f"busso --version does not say {version}", said)
    demo = [busso, "demo", "--hands", "1", "--json"]
    said = run(demo, cwd=elsewhere, variables=variables, patience=300, separate=True)
    if not is_json(said):
        raise StageFailed("busso demo --json printed something else than JSON", said)


def is_json(text: str) -> bool:
    """Whether a text is one JSON document, or one on each line."""
    for documents in ([text], text.splitlines()):
        try:
            return bool([json.loads(document) for document in documents])
        except ValueError:
            continue
    return False


# Commands -------------------------------------------------------------------------------------


def lint(root: Path, environment: Environment, report: Report) -> None:
    """The checks that read the code without running it, the cheapest first."""
    stages = {
        "ruff check": ("ruff", "check", "."),
        "ruff format --check": ("ruff", "format", "--check", "."),
        "mypy": ("mypy",),
    }
    for name, (module, *arguments) in stages.items():
        with report.stage(name):
            argv = [environment.python, "-m", module, *arguments]
            run(argv, cwd=root, variables=child_environment(environment))


def check_wheel(root: Path, environment: Environment, installer: Installer, report: Report) -> None:
    """Build the wheel, install it alone, run it: each a stage, and each needs the one before."""
    with tempfile.TemporaryDirectory(prefix="busso-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        already = len(report.failed)
        with report.stage("wheel: contents"):
            wheel = build_wheel(root, environment, folder)
        if len(report.failed) > already:
            return
        with report.stage("wheel: fresh install"):
            fresh = install_wheel(root, Installer(installer.uv, environment.python), wheel, folder)
        if len(report.failed) > already:
            return
        with report.stage("wheel: busso runs"):
            try_wheel(root, fresh, folder)


def pytest_arguments(extra: Sequence[str]) -> list[str]:
    """The arguments of pytest: a process for each core unless something in `extra` forbids it.

    `--netns` is a word of ours: pytest leaves those tests out unless it is told which to run.
    """
    if "--netns" in extra:
        extra = ["-m", "not long", *(argument for argument in extra if argument != "--netns")]
    alone = ("-n", "--numprocesses", "--pdb", "--trace", "-s", "--capture=no", "--dist")
    if any(argument.startswith(alone) for argument in extra):
        return list(extra)
    return ["-n", "auto", "--maxprocesses", "8", "--dist", "worksteal", *extra]


def run_pytest(root: Path, environment: Environment, extra: Sequence[str], report: Report) -> int:
    """Run pytest on this terminal: its summary is the last thing printed, and names `report`'s."""
    variables = child_environment(environment)
    if report.failed:
        print(f"failed before pytest: {', '.join(report.failed)}")
        variables["DEV_FAILED_STAGES"] = ", ".join(report.failed)
    print("pytest", flush=True)
    argv = [environment.python, "-m", "pytest", *pytest_arguments(extra)]
    return attend(argv, cwd=root, variables=variables)


def write_pins(root: Path, extra: Sequence[str]) -> int:
    """Write the pins again: every platform, every Python from 3.11 on, hashes, no addresses."""
    own = Environment(root / ".venv").program("uv").parent
    uv = shutil.which("uv") or shutil.which("uv", path=str(own))
    if uv is None:
        raise DevError("pins needs uv on PATH ('pipx install uv' brings it)")
    argv = [uv, "pip", "compile", "pyproject.toml", "--universal", "--python-version", "3.11"]
    argv += ["--generate-hashes", "--no-annotate", "--no-header", "--no-emit-index-url"]
    argv += ["--no-emit-find-links", "--quiet"]
    report = Report()
    with report.stage("pins to develop"):
        everything = ["--extra", "dev", "--output-file", PINS.as_posix(), *extra]
        run([*argv, *everything], cwd=root, variables=child_environment())
    report.must()
    # Made anew under the others as constraints, so that the two can't say different things.
    with report.stage("pins to run"), tempfile.TemporaryDirectory(prefix="busso-") as folder:
        draft = Path(folder, RUN_PINS.name)
        part = ["--constraint", PINS.as_posix(), "--output-file", str(draft)]
        run([*argv, *part], cwd=root, variables=child_environment())
        shutil.copyfile(draft, root / RUN_PINS)
    return 1 if report.failed else 0


def dispatch(root: Path, installer: Installer, command: str, extra: Sequence[str]) -> int:
    """Carry out one command and return the exit code."""
    if command == "pins":
        return write_pins(root, extra)
    if command in {"setup", "lint", "wheel"} and extra:
        print(f"dev: {command} takes no arguments", file=sys.stderr)
        return 2
    environment = set_up(root, installer)
    report = Report()
    if command == "setup":
        return 0
    if command not in {"test", "lint", "wheel"}:
        busso = str(environment.program("busso"))
        return hand_over(
            [busso, command, *extra], cwd=Path.cwd(), variables=child_environment(environment)
        )
    if command != "wheel":
        lint(root, environment, report)
    if command != "lint":
        check_wheel(root, environment, installer, report)
    if command == "test":
        code = run_pytest(root, environment, extra, report)
        return code or (1 if report.failed else 0)
    if report.failed:
        print(f"failed: {', '.join(report.failed)}")
    return 1 if report.failed else 0


def main(arguments: Sequence[str]) -> int:
    """Run the command in `arguments` and return the exit code; never raises to the shell."""
    if not arguments or arguments[0] in {"-h", "--help", "help"}:
        print(USAGE, end="", file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    root = Path(__file__).resolve().parent.parent
    try:
        return dispatch(root, Installer(shutil.which("uv")), arguments[0], arguments[1:])
    except DevError as error:
        print(f"dev: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("dev: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
