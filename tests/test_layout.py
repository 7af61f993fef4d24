"""The shape of the project: layers, sizes, places and words.

Law: this file reads the project's files as text and syntax trees and runs none of them (but the
start of the command line, in a process of its own). Each check is a function from sources to
complaints, tried here on a bad example as well, so that a check which finds nothing is known to
be able to find something.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("engine", "protocol", "node", "tools", "tests")
"""Each imports itself and those before it."""

TOP_LEVEL_FILES = {
    *("pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", ".gitignore"),
}
TOP_LEVEL_FOLDERS = {*LAYERS, ".ci"}
MAX_FILE = 600
MAX_FUNCTION = 80

# A pure layer gets time, randomness and the network from whoever calls it.
_WORLD = {
    *("asyncio", "multiprocessing", "select", "selectors", "signal", "socket", "socketserver"),
    *("ssl", "subprocess", "threading", "time"),
}
_TERMINAL = {"curses", "getpass", "readline", "termios", "tty", "prompt_toolkit"}
FORBIDDEN = {
    "engine": _WORLD | _TERMINAL | {"datetime", "hashlib", "hmac", "os", "shutil", "tempfile"},
    "protocol": (_WORLD - {"threading"}) | _TERMINAL | {"zmq", "zeroconf"},
}
LENT = {"random", "secrets"}
"""What a pure layer may name, as a type or as a parameter's default, but not call."""
HEAVY = {"zmq", "zeroconf", "prompt_toolkit", "cryptography", "rbcl"}
"""What the command line imports only where it is used: `busso --help` is to be immediate."""

# The patterns are written so that none of them matches itself.
WORDS = {
    "unfinished work": r"\b(?:TO[D]O|FIX[M]E|HA[C]K)\b|# X{3}\b",
    "a path of one machine": r"(?<![\w.~$}<>/-])/(?:hom[e]|roo[t]|tm[p]|User[s]|wor[k])/",
    "a registry's address": r"py[p]i\.org|pythonhoste[d]|npm[j]s\.|deb\.debia[n]",
    "a bare suppression": r"#\s*type:\s*ignor[e](?!\[)|#\s*noq[a](?!:)",
}


def project_files() -> list[Path]:
    """Every file that belongs to the project: git's where there is git, else all that is here."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listing = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
        names = [name for name in listing.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = [
            path.relative_to(ROOT).as_posix()
            for folder in (*LAYERS, ".ci")
            for path in (ROOT / folder).rglob("*")
            if "__pycache__" not in path.parts
        ]
        names += [path.name for path in ROOT.iterdir() if path.name in TOP_LEVEL_FILES]
    return [ROOT / name for name in sorted(names) if (ROOT / name).is_file()]


FILES = project_files()
MODULES = [path for path in FILES if path.suffix == ".py"]
SHIPPED = [path for path in MODULES if path.relative_to(ROOT).parts[0] in LAYERS[:-1]]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(source: str, package: tuple[str, ...]) -> Iterator[str]:
    """The full names of the modules that a source in `package` imports, wherever it does."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            yield ".".join((*base, *filter(None, [node.module])))
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            function = node.func
            called = getattr(function, "attr", None) or getattr(function, "id", None)
            target = node.args[0].value
            if called in {"import_module", "__import__"} and isinstance(target, str):
                yield target


def declared(layer: str) -> set[str]:
    """The distributions that a layer may import, by their normalised names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    requirements = list(project["dependencies"])
    if layer == "tests":
        requirements += project["optional-dependencies"]["dev"]
    names = [re.match(r"[\w.-]+", requirement) for requirement in requirements]
    return {normal(match[0]) for match in names if match}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


DISTRIBUTIONS = packages_distributions()


def layer_complaints(layer: str, source: str, package: tuple[str, ...]) -> list[str]:
    """The imports that a source in `layer` may not have."""
    found = []
    for module in imports(source, package):
        root = module.partition(".")[0]
        if root in FORBIDDEN.get(layer, set()):
            found.append(f"{layer} must do without {module}")
        elif root in LAYERS:
            if LAYERS.index(root) > LAYERS.index(layer):
                found.append(f"{layer} must not know {module}")
        elif root not in sys.stdlib_module_names:
            owners = {normal(name) for name in DISTRIBUTIONS.get(root, [root])}
            if layer == "engine" or not owners & declared(layer):
                found.append(f"{layer} must not import {module}: it is not declared")
    return found


def chance_complaints(layer: str, source: str) -> list[str]:
    """The places where a source in a pure layer draws randomness that nobody handed to it."""
    if layer not in FORBIDDEN:
        return []
    nodes = list(ast.walk(ast.parse(source)))
    plain = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    lent = {alias.asname or alias.name for alias in plain if alias.name in LENT}
    found = []
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module in LENT:
            found.append(f"line {node.lineno}: names out of {node.module}")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id in lent:
                found.append(f"line {node.lineno}: {owner.id}.{node.func.attr}()")
    return found


def size_complaints(source: str) -> list[str]:
    """Files and functions that are too long to be read in one go."""
    found = []
    lines = source.count("\n")
    if lines > MAX_FILE:
        found.append(f"{lines} lines")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > MAX_FUNCTION:
                found.append(f"{node.name}: {length} lines")
    return found


def word_complaints(text: str) -> list[str]:
    """The lines that hold what no file of the project may hold."""
    return [
        f"line {number}: {what}"
        for number, line in enumerate(text.splitlines(), 1)
        for what, pattern in WORDS.items()
        if re.search(pattern, line)
    ]


def has_law(source: str) -> bool:
    """Whether a module says what it is; an empty one has nothing to say."""
    tree = ast.parse(source)
    return not tree.body or bool(ast.get_docstring(tree))


def place_complaints(names: list[str]) -> list[str]:
    """The files whose place at the top of the project nobody has agreed to."""
    top = [name for name in names if "/" not in name and name not in TOP_LEVEL_FILES]
    roots = {name.split("/")[0] for name in names if "/" in name}
    return top + [f"{name}/" for name in sorted(roots - TOP_LEVEL_FOLDERS)]


# The project --------------------------------------------------------------------------------


def test_the_files_were_found() -> None:
    found = {name_of(path) for path in FILES}
    assert {"pyproject.toml", "tools/dev.py", "tests/test_layout.py"} <= found
    assert {path.relative_to(ROOT).parts[0] for path in SHIPPED} == set(LAYERS[:-1])


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_follow_the_layers(path: Path) -> None:
    package = path.relative_to(ROOT).parts[:-1]
    source = path.read_text("utf-8")
    assert layer_complaints(package[0], source, package) == []
    assert chance_complaints(package[0], source) == []


@pytest.mark.parametrize("path", SHIPPED, ids=name_of)
def test_a_module_is_short_and_says_its_law(path: Path) -> None:
    source = path.read_text("utf-8")
    assert size_complaints(source) == []
    assert has_law(source)


def test_no_words_of_one_place_or_moment() -> None:
    found = {}
    for path in FILES:
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:  # a picture or a compiled catalogue
            continue
        if complaints := word_complaints(text):
            found[name_of(path)] = complaints
    assert found == {}


def test_nothing_unexpected_at_the_top() -> None:
    assert place_complaints([name_of(path) for path in FILES]) == []


def test_no_module_beside_a_script_hides_the_standard_library() -> None:
    names = {path.stem for path in (ROOT / "tools").glob("*.py")}
    assert names & sys.stdlib_module_names == set()


@pytest.mark.skipif(
    not (ROOT / "tools" / "cli.py").exists(),
    reason="no command line yet; the wheel's stage of tools/dev.py fails without one",
)
def test_the_command_line_starts_without_the_heavy_modules() -> None:
    code = "import sys, tools.cli; print(*sorted(set(sys.argv[1:]) & sys.modules.keys()))"
    command = [sys.executable, "-c", code, *sorted(HEAVY)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


# The checks ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layer", "source"),
    [
        ("engine", "import protocol.log"),
        ("engine", "from node import mesh"),
        ("engine", "import msgpack"),
        ("engine", "def f():\n    import time"),
        ("engine", "import importlib\nimportlib.import_module('tools.cli')"),
        ("protocol", "from node.link import Link"),
        ("protocol", "if 0:\n    import zmq.asyncio"),
        ("protocol", "from time import monotonic"),
        ("node", "import tools"),
        ("node", "import hypothesis"),
        ("tools", "from tests.data import vectors"),
        ("tools", "import nowhere_to_be_found"),
        ("tests", "import nowhere_to_be_found"),
    ],
)
def test_an_import_against_the_layers_is_found(layer: str, source: str) -> None:
    assert len(layer_complaints(layer, source, (layer, "games"))) == 1


@pytest.mark.parametrize(
    ("layer", "source"),
    [
        ("engine", "import enum\nfrom engine.cards import Card\nfrom . import x\nfrom .. import y"),
        ("protocol", "import msgpack, os, hashlib\nimport engine.cards"),
        ("node", "import zmq\nfrom prompt_toolkit import Application\nimport protocol, engine"),
        ("tools", "import node.mesh\nimport random"),
        ("tests", "import tools.dev\nimport hypothesis, pytest"),
    ],
)
def test_an_import_along_the_layers_is_fine(layer: str, source: str) -> None:
    assert layer_complaints(layer, source, (layer, "games")) == []


@pytest.mark.parametrize(
    "source",
    [
        "from random import shuffle",
        "import random\ndef f():\n    return random.choice([1])",
        "import secrets as s\ns.token_bytes(32)",
    ],
)
def test_randomness_that_nobody_handed_over_is_found(source: str) -> None:
    assert len(chance_complaints("engine", source)) == 1
    assert len(chance_complaints("protocol", source)) == 1
    assert chance_complaints("node", source) == []


def test_randomness_as_a_parameter_is_fine() -> None:
    source = (
        "import random\nimport secrets\ndef f(rng: random.Random, d=secrets.randbits): rng.random()"
    )
    assert chance_complaints("engine", source) == []
    assert chance_complaints("protocol", "secrets = f()\nsecrets.commit()") == []


def test_what_is_too_long_is_found() -> None:
    function = "def f():\n" + "    x = 1\n" * (MAX_FUNCTION - 1)
    assert size_complaints(function) == []
    assert size_complaints(function + "    x = 1\n") == [f"f: {MAX_FUNCTION + 1} lines"]
    assert size_complaints("x = 1\n" * MAX_FILE) == []
    assert size_complaints("x = 1\n" * (MAX_FILE + 1)) == [f"{MAX_FILE + 1} lines"]


def test_a_module_without_its_law_is_found() -> None:
    assert not has_law("import enum\n")
    assert has_law("")
    assert has_law('"""Law."""\nimport enum\n')


@pytest.mark.parametrize(
    "line",
    [
        "# " + "TO" + "DO: later",
        "open('/" + "home/ada/log')",
        "see /" + "tmp/x",
        "https://py" + "pi.org/simple",
        "x = 1  # type: " + "ignore",
        "x = 1  # no" + "qa",
    ],
)
def test_a_word_that_does_not_belong_is_found(line: str) -> None:
    assert len(word_complaints(f"fine\n{line}\n")) == 1


@pytest.mark.parametrize(
    "line",
    ["~/.config/busso", "tests/home/x", "x()  # type: ignore[arg-type] # why", "#!/usr/bin/env"],
)
def test_an_innocent_word_is_fine(line: str) -> None:
    assert word_complaints(line) == []


def test_a_stranger_at_the_top_is_found() -> None:
    assert place_complaints(["setup.py", "docs/x.md", "engine/x.py", "LICENSE"]) == [
        *("setup.py", "docs/"),
    ]
