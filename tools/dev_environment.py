"""The development environment: `.venv`, its stamp, and the tools that are run in it.

    environment = set_up(root, Installer(shutil.which("uv")))
    run([environment.python, "-m", "mypy"], cwd=root, variables=child_environment(environment))

Law: this file knows folders, interpreters, pip and uv. It must never know which checks there are,
and it imports nothing but the standard library, since it runs before anything is installed.

The environment is described by a stamp inside it. A stamp is written unfinished before the first
change and finished after the last one, so an interrupted set-up is recognised and done again from
nothing; a finished one is kept for as long as `pyproject.toml`, the pins, the Python version and
the project's folder are what they were.

    DevError                a sentence for the developer: what is wrong and what to do
    `-- StageFailed         a tool said no; carries the end of what it printed
"""

import enum
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

PINS = Path("tools", "pins.txt")
"""Everything that the project is developed with."""
TAIL_LINES = 40
PATIENCE = 900
"""Seconds that a tool may take before it is taken for stuck."""
GRACE = 10
"""Seconds that an interrupted tool gets to put its things in order."""


class DevError(Exception):
    """What is wrong, and what to do about it."""


class StageFailed(DevError):
    """A tool said no. `output` is everything that it printed."""

    def __init__(self, message: str, output: str = "") -> None:
        super().__init__(message)
        self.output = output


# Environments ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment in `folder`, whether or not it exists yet."""

    folder: Path
    windows: bool = os.name == "nt"

    def program(self, name: str) -> Path:
        """Where the environment keeps the program `name`."""
        return self.folder / ("Scripts" if self.windows else "bin") / (name + self.suffix)

    @property
    def suffix(self) -> str:
        return ".exe" if self.windows else ""

    @property
    def python(self) -> str:
        return str(self.program("python"))

    @property
    def marker(self) -> Path:
        """The file of the stamp."""
        return self.folder / "busso-dev.json"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What an environment was made from. `inputs` is a SHA-256 in hexadecimal digits."""

    python: str
    root: str
    installer: str
    inputs: str
    finished: bool = True


class Plan(enum.Enum):
    """What an environment needs before it can be used."""

    KEEP = "keep"
    UPDATE = "update"
    CREATE = "create"


def wanted_stamp(root: Path, installer: str) -> Stamp:
    """The stamp that an environment for this project and this Python has when it is finished."""
    digest = hashlib.sha256()
    for name in (Path("pyproject.toml"), PINS):
        try:
            content = (root / name).read_bytes()
        except OSError as error:
            raise DevError(f"cannot read {name.as_posix()} ({error.strerror})") from None
        # The length keeps bytes that move from one file to the other from hashing alike.
        digest.update(len(content).to_bytes(8, "big") + content)
    tag = sys.implementation.cache_tag or sys.implementation.name
    return Stamp(python=tag, root=str(root), installer=installer, inputs=digest.hexdigest())


def read_stamp(environment: Environment) -> Stamp | None:
    """The stamp found; None without a file; an unfinished one where the file makes no sense."""
    broken = Stamp("", "", "", "", finished=False)
    try:
        fields = json.loads(environment.marker.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return broken
    names = {name: bool if name == "finished" else str for name in Stamp.__slots__}
    if not isinstance(fields, dict) or fields.keys() != names.keys():
        return broken
    if any(type(fields[name]) is not kind for name, kind in names.items()):
        return broken
    return Stamp(**fields)


def write_stamp(environment: Environment, stamp: Stamp) -> None:
    """Put the stamp there in one move: a reader sees the old one or the new one."""
    draft = environment.marker.with_suffix(".new")
    draft.write_text(json.dumps(asdict(stamp)) + "\n", encoding="utf-8")
    draft.replace(environment.marker)


def choose(found: Stamp | None, wanted: Stamp, *, alive: bool, healthy: Callable[[], bool]) -> Plan:
    """Decide what to do. `alive`: its Python is there; `healthy()`: it can be installed into.

    `healthy` starts a process, so it is asked only where the answer matters.
    """
    if not alive or (found is not None and not found.finished):
        return Plan.CREATE
    if found == wanted:
        return Plan.KEEP
    if found is not None and (found.python, found.root) != (wanted.python, wanted.root):
        return Plan.CREATE
    return Plan.UPDATE if healthy() else Plan.CREATE


def child_environment(environment: Environment | None = None) -> dict[str, str]:
    """The variables for a tool: no leaks from the caller's Python, `environment` first in PATH."""
    unwanted = {"PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__"}
    unwanted |= {"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_REQUIRE_HASHES"}
    variables = {name: value for name, value in os.environ.items() if name not in unwanted}
    if environment is not None:
        variables["VIRTUAL_ENV"] = str(environment.folder)
        folder = str(environment.program("python").parent)
        variables["PATH"] = os.pathsep.join(filter(None, (folder, os.environ.get("PATH"))))
    return variables


# Running tools --------------------------------------------------------------------------------


def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    variables: dict[str, str],
    patience: float = PATIENCE,
    separate: bool = False,
) -> str:
    """Run a tool in silence and return what it printed (with `separate`, only its stdout).

    Raises StageFailed when it fails, cannot be started, or takes longer than `patience` seconds.
    """
    name = Path(argv[0]).name
    try:
        done = subprocess.run(
            argv,
            cwd=cwd,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if separate else subprocess.STDOUT,
            timeout=patience,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        message = f"{name} took longer than {patience:g} s"
        raise StageFailed(message, _text(error.stdout)) from None
    except OSError as error:
        message = f"cannot start {argv[0]} ({error.strerror}); remove .venv and run this again"
        raise StageFailed(message) from None
    if done.returncode != 0:
        shown = " ".join([name, *argv[1:]])
        message = f"exit code {done.returncode} from: {shown}"
        raise StageFailed(message, _text(done.stdout) + _text(done.stderr))
    return _text(done.stdout)


def _text(output: bytes | None) -> str:
    return (output or b"").decode("utf-8", "replace").replace("\r\n", "\n")


def attend(argv: Sequence[str], *, cwd: Path, variables: dict[str, str]) -> int:
    """Run a tool on our own terminal and return its exit code.

    The terminal sends an interrupt to both of us: the tool gets GRACE seconds to end by itself.
    """
    try:
        process = subprocess.Popen(argv, cwd=cwd, env=variables)
    except OSError as error:
        raise DevError(f"cannot start {argv[0]} ({error.strerror}); remove .venv") from None
    try:
        return _exit_code(process.wait())
    except KeyboardInterrupt:
        try:
            process.wait(GRACE)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            process.kill()
            process.wait()
        raise


def _exit_code(code: int) -> int:
    """A shell's number for a child that a signal ended: 128 and the signal."""
    return code if code >= 0 else 128 - code


def hand_over(argv: Sequence[str], *, cwd: Path, variables: dict[str, str]) -> int:
    """Become the program, so that the terminal and every signal are its own."""
    if os.name != "posix":  # elsewhere exec starts a second process and returns to the shell
        return attend(argv, cwd=cwd, variables=variables)
    sys.stdout.flush()
    os.chdir(cwd)
    try:
        os.execve(argv[0], list(argv), variables)  # noqa: S606 - no shell is wanted
    except OSError as error:
        raise DevError(f"cannot start {argv[0]} ({error.strerror}); remove .venv") from None


@dataclass(slots=True)
class Report:
    """Stages run one after the other, a line each; a failed one shows the end of its output."""

    failed: list[str] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage; note a StageFailed inside it as failed, and go on."""
        print(f"{name:<22}", end=" ", flush=True)
        start = time.monotonic()
        try:
            yield
        except StageFailed as error:
            print(f"FAILED {time.monotonic() - start:6.1f} s", flush=True)
            show(error)
            self.failed.append(name)
        except BaseException:
            print("stopped", flush=True)
            raise
        else:
            print(f"ok     {time.monotonic() - start:6.1f} s", flush=True)

    def must(self) -> None:
        """Raise where a stage failed that the next one needs."""
        if self.failed:
            raise DevError(f"{self.failed[-1]} failed; nothing after it was tried")


def show(error: StageFailed) -> None:
    """Print a failure: the end of the tool's output, indented, and the sentence."""
    lines = error.output.rstrip().splitlines()
    if len(lines) > TAIL_LINES:
        print(f"    ... {len(lines) - TAIL_LINES} lines before these")
    for line in lines[-TAIL_LINES:]:
        print(f"    {line}")
    print(f"    {error}", flush=True)


# Making environments --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Installer:
    """Makes environments and installs into them: with `uv` where there is one, else pip."""

    uv: str | None
    pip: str | None = None
    """A Python with pip that installs into other environments, which then need none."""

    @property
    def name(self) -> str:
        return "uv" if self.uv else "pip"

    def create(self, environment: Environment, *, cwd: Path) -> None:
        """Make the environment with the Python that runs this file (not the one of a venv)."""
        base = str(getattr(sys, "_base_executable", None) or sys.executable)
        if self.uv:
            argv = [self.uv, "venv", "--quiet", "--allow-existing", "--python", base]
        else:
            self.require_venv()
            argv = [base, "-m", "venv", *(["--without-pip"] if self.pip else [])]
        run([*argv, str(environment.folder)], cwd=cwd, variables=child_environment())

    def install(self, environment: Environment, *arguments: str, cwd: Path) -> None:
        """Install what the arguments say; they mean the same to `pip install` and `uv pip`."""
        if self.uv:
            argv = [self.uv, "pip", "install", "--python", environment.python]
        else:
            argv = [*self._pip(environment), "install", "--disable-pip-version-check"]
        run([*argv, *arguments], cwd=cwd, variables=child_environment(environment))

    def check(self, environment: Environment, *, cwd: Path) -> None:
        """Raise StageFailed where an installed package lacks another, or has a wrong one."""
        if self.uv:
            argv = [self.uv, "pip", "check", "--python", environment.python]
        else:
            argv = [*self._pip(environment), "check"]
        run(argv, cwd=cwd, variables=child_environment(environment))

    def _pip(self, environment: Environment) -> list[str]:
        if self.pip is None:
            return [environment.python, "-m", "pip"]
        return [self.pip, "-m", "pip", "--python", environment.python]

    def can_use(self, environment: Environment, tag: str) -> bool:
        """Whether this Python and, without uv, pip work in there."""
        probe = "import sys; print(sys.implementation.cache_tag)"
        if not self.uv:
            probe += "; import pip"
        try:
            output = run(
                [environment.python, "-c", probe],
                cwd=environment.folder,
                variables=child_environment(environment),
            )
        except StageFailed:
            return False
        return output.strip() == tag

    @staticmethod
    def require_venv() -> None:
        """Say what to install where the system's Python comes without its own venv and pip."""
        if all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
            return
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise StageFailed(
            f"this Python cannot make environments (venv or ensurepip is missing): on Debian and"
            f" Ubuntu run 'apt install python{version}-venv', or install uv; then run this again"
        )


def clear(environment: Environment) -> None:
    """Remove what stands in the environment's place, if it is one.

    It is moved aside first: what an interrupted removal leaves is never taken for an environment.
    """
    folder, aside = environment.folder, environment.folder.with_name(".venv.old")
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise DevError(f"{folder.name} is not a folder; move it away and run this again")
    try:
        if aside.exists():
            shutil.rmtree(aside)
        if not folder.exists():
            return
        ours = environment.marker.exists() or (folder / "pyvenv.cfg").exists()
        if not ours and any(folder.iterdir()):
            raise DevError(f"{folder.name} holds something else; move it away and run this again")
        folder.rename(aside)
        shutil.rmtree(aside)
    except OSError as error:
        message = f"cannot remove {folder.name} ({error.strerror}); close what uses it"
        raise DevError(message) from None


def set_up(root: Path, installer: Installer) -> Environment:
    """Return the project's environment, made or brought up to date where it has to be."""
    environment = Environment(root / ".venv")
    wanted = wanted_stamp(root, installer.name)
    plan = choose(
        read_stamp(environment),
        wanted,
        alive=environment.program("python").exists(),
        healthy=lambda: installer.can_use(environment, wanted.python),
    )
    if plan is Plan.KEEP:
        return environment
    report = Report()
    if plan is Plan.CREATE:
        clear(environment)
        environment.folder.mkdir()
    write_stamp(environment, replace(wanted, finished=False))
    if plan is Plan.CREATE:
        with report.stage(f".venv with {installer.name}"):
            installer.create(environment, cwd=root)
        report.must()
    with report.stage("pinned packages"):
        installer.install(environment, "--require-hashes", "-r", str(root / PINS), cwd=root)
    report.must()
    with report.stage("busso, editable"):
        alone = ("--no-deps", "--no-build-isolation")
        installer.install(environment, *alone, "--editable", str(root), cwd=root)
    report.must()
    write_stamp(environment, wanted)
    return environment
