"""What the program imports by itself is there on every system that Python runs on.

A module or a name of POSIX alone may be used where a function asks for it after it has looked at
the system; imported when a module is imported, it would keep all of Busso from starting elsewhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
LAYERS = ("engine", "protocol", "node", "tools")
POSIX = frozenset({
    *("fcntl", "termios", "tty", "pty", "resource", "pwd", "grp", "syslog", "posix", "curses"),
    *("readline", "crypt", "nis", "spwd", "ossaudiodev"),
})  # fmt: skip
WINDOWS = frozenset({"msvcrt", "winreg", "winsound", "_winapi", "nt"})
NAMES = {
    "os": {"fork", "forkpty", "getuid", "geteuid", "getgid", "killpg", "setsid", "uname", "getpgid",
           "chown", "mkfifo", "sched_getaffinity", "O_NOFOLLOW", "O_DIRECTORY", "statvfs", "nice"},
    "signal": {"SIGKILL", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGWINCH", "SIGPIPE",
               "SIGTSTP", "SIGCONT", "SIGQUIT", "alarm", "setitimer", "pthread_sigmask"},
    "socket": {"AF_UNIX", "AF_NETLINK", "AF_PACKET", "SO_REUSEPORT", "SO_BINDTODEVICE"},
    "select": {"poll", "epoll", "kqueue"},
}  # fmt: skip
GUARDS = ("platform", "hasattr", "os.name", "getattr", "suppress", "AttributeError", "ImportError")
"""What shows that the code around a name has looked whether it is there."""


def at_import(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when the module is imported, but those for one system alone."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(statement, ast.If):
            test = ast.unparse(statement.test)
            if "TYPE_CHECKING" in test or "platform" in test or "os.name" in test:
                yield from at_import(statement.orelse)
                continue
        if isinstance(statement, ast.Try):
            continue  # it has thought of not finding something
        yield statement
        yield from at_import([s for s in getattr(statement, "body", []) if isinstance(s, ast.stmt)])


def imported(statement: ast.stmt) -> set[str]:
    """The top-level modules that a statement imports."""
    if isinstance(statement, ast.Import):
        return {alias.name.partition(".")[0] for alias in statement.names}
    if isinstance(statement, ast.ImportFrom):
        return {(statement.module or "").partition(".")[0]}
    return set()


def unguarded(source: str) -> list[str]:
    """What a module takes for granted that isn't there on every system."""
    tree = ast.parse(source)
    found = [
        name
        for statement in at_import(tree.body)
        for name in imported(statement) & (POSIX | WINDOWS)
    ]
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
            continue
        if node.attr not in NAMES.get(node.value.id, ()):
            continue
        around = [f for f in functions if f.lineno <= node.lineno <= (f.end_lineno or 0)]
        text = "\n".join(ast.unparse(f) for f in around)
        if not any(guard in text for guard in GUARDS):
            found.append(f"{node.value.id}.{node.attr}")
    return found


FILES = sorted(path for layer in LAYERS for path in (ROOT / layer).rglob("*.py"))


def test_nothing_is_imported_that_another_system_lacks() -> None:
    wrong = {
        str(path.relative_to(ROOT)): found
        for path in FILES
        if (found := unguarded(path.read_text("utf-8")))
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import fcntl", ["fcntl"]),
        ("from termios import TCSANOW", ["termios"]),
        ("class A:\n    import pty", ["pty"]),
        ("import msvcrt", ["msvcrt"]),
        ("import sys\nif sys.platform != 'win32':\n    import fcntl", []),
        ("import sys\nif sys.platform == 'win32':\n    pass\nelse:\n    import fcntl", ["fcntl"]),
        ("try:\n    import fcntl\nexcept ImportError:\n    fcntl = None", []),
        ("def f():\n    import fcntl", []),
        ("import os\ndef f():\n    os.fork()", ["os.fork"]),
        ("import os\ndef f():\n    if hasattr(os, 'fork'):\n        os.fork()", []),
        ("import signal\nsignal.SIGHUP", ["signal.SIGHUP"]),
    ],
)
def test_what_is_taken_for_granted_is_found(source: str, found: list[str]) -> None:
    assert unguarded(source) == found
