"""Two computers and a switch, each a network namespace of this one.

Law: this file makes namespaces, links and rules, and takes all of them away. What it needs (root,
`ip netns`, `nft`) is tried, not asked for.
"""

from __future__ import annotations

import itertools
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

PATIENCE: Final = 20.0
ROOT: Final = Path(__file__).resolve().parent.parent.parent
_numbers = itertools.count()


def ip(*words: str) -> None:
    """Run `ip`; CalledProcessError."""
    subprocess.run(["ip", *words], check=True, capture_output=True)


def missing() -> str:
    """Why there can be no namespaces here; "" if there can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "needs root on Linux"
    for program in ("ip", "nft"):
        if shutil.which(program) is None:
            return f"needs the program {program}"
    name = f"busso-try-{os.getpid()}"
    try:
        ip("netns", "add", name)
        try:
            ip("-n", name, "link", "add", "name", "s", "type", "bridge")
            ip("-n", name, "link", "add", "name", "a", "type", "veth", "peer", "name", "b")
            _nft(name, "table inet t {\nchain c {\ntype filter hook input priority 0\n}\n}")
        finally:
            ip("netns", "del", name)
    except subprocess.CalledProcessError as error:
        return f"this system can't: {error.stderr.decode('utf-8', 'replace').strip()}"
    return ""


def _nft(namespace: str, rules: str) -> None:
    command = ["ip", "netns", "exec", namespace, "nft", "-f", "-"]
    subprocess.run(command, input=rules.encode(), check=True, capture_output=True)


class Computer:
    """One namespace with one interface, `eth0`, on the network's switch."""

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        self.actors: list[Actor] = []

    def rules(self, incoming: str, outgoing: str = "") -> None:
        """Filter what comes in and what goes out by these nftables statements, one a line."""
        chain = "chain {0} {{ type filter hook {0} priority 0; policy accept;\n{1}\n}}"
        chains = chain.format("input", incoming) + "\n" + chain.format("output", outgoing)
        _nft(self.namespace, f"table inet busso {{\n{chains}\n}}")

    def link(self, state: str) -> None:
        """Take the cable out ("down") or plug it in ("up")."""
        ip("-n", self.namespace, "link", "set", "eth0", state)

    def command(self, *words: str) -> list[str]:
        """The words of a Python program in this namespace."""
        return ["ip", "netns", "exec", self.namespace, sys.executable, *words]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run `python -m ...` here to its end."""
        return subprocess.run(
            self.command("-m", *words),
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PATIENCE * 2,
            check=False,
        )

    def actor(self, role: str) -> Actor:
        """A host or a guest that runs here."""
        actor = Actor(self.command("-m", "tests.netns.actor", role))
        self.actors.append(actor)
        return actor


class Actor:
    """A running `tests.netns.actor`."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._lines: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._lines.put(json.loads(line))
        self._lines.put(None)

    def say(self, word: str) -> None:
        """Tell it something."""
        if self._process.stdin is not None:
            self._process.stdin.write(word + "\n")
            self._process.stdin.flush()

    def wait(
        self, event: str, test: Callable[[dict[str, Any]], bool] = lambda _: True
    ) -> dict[str, Any]:
        """The next event of that name for which `test` holds."""
        while True:
            line = self._lines.get(timeout=PATIENCE)
            assert line is not None, f"it ended before {event}"
            if line["event"] == event and test(line):
                return line

    def table(self, test: Callable[[dict[str, Any]], bool] = lambda _: True) -> dict[str, Any]:
        """The one table of a guest's list for which `test` holds, and `ms` when it was listed."""
        event = self.wait("listed", lambda e: len(e["tables"]) == 1 and test(e["tables"][0]))
        return {**event["tables"][0], "ms": event["ms"]}

    def stop(self) -> None:
        """End it; by force if it doesn't."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()


class Network:
    """A switch and two computers, `ada` (10.77.0.1) and `bruno` (10.77.0.2)."""

    def __init__(self, *, ipv4: bool = True) -> None:
        self._stem = f"busso-{os.getpid()}-{next(_numbers)}"
        self._spaces: list[str] = []
        try:
            switch = self._space("switch")
            ip("-n", switch, "link", "add", "name", "sw", "type", "bridge", "mcast_snooping", "0")
            ip("-n", switch, "link", "set", "sw", "up")
            self.ada = self._computer(switch, "ada", "10.77.0.1/24" if ipv4 else "")
            self.bruno = self._computer(switch, "bruno", "10.77.0.2/24" if ipv4 else "")
        except BaseException:
            self.close()
            raise

    def _space(self, name: str) -> str:
        full = f"{self._stem}-{name}"
        ip("netns", "add", full)
        self._spaces.append(full)
        # Otherwise a new address is tentative for seconds, and nothing can be bound to it.
        command = [
            "ip",
            "netns",
            "exec",
            full,
            "sysctl",
            "-qw",
            "net.ipv6.conf.default.accept_dad=0",
        ]
        subprocess.run(command, check=False, capture_output=True)
        ip("-n", full, "link", "set", "lo", "up")
        return full

    def _computer(self, switch: str, name: str, address: str) -> Computer:
        space = self._space(name)
        ip(
            "-n",
            switch,
            "link",
            "add",
            name,
            "type",
            "veth",
            "peer",
            "name",
            "eth0",
            "netns",
            space,
        )
        ip("-n", switch, "link", "set", name, "master", "sw")
        ip("-n", switch, "link", "set", name, "up")
        if address:
            ip("-n", space, "address", "add", address, "brd", "+", "dev", "eth0")
        ip("-n", space, "link", "set", "eth0", "up")
        return Computer(space)

    def close(self) -> None:
        """End the actors and take everything away."""
        for computer in (getattr(self, name, None) for name in ("bruno", "ada")):
            for actor in computer.actors if computer is not None else ():
                actor.stop()
        for space in self._spaces:
            subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)
