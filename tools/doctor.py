"""`busso doctor [HOST]`: what keeps this computer from playing with others, and what to do.

Law: this file gathers the facts, has `node.doctor` judge them and shows the findings; it changes
nothing on the computer. With HOST (a place or an invitation) the way to a table there is tried in
both directions. It ends with 0 if nothing stops play and with 4 if something does.

JSON: {"ok", "findings": [{"area", "level", "text", "advice", "facts": {...}}]}; levels are fine,
note, warning and stops.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from node import doctor, doctor_trials
from node.counters import Counters, CountersError
from node.discovery_sockets import UDP_PORT
from node.doctor import Area, Finding, Level, worst
from node.interfaces import Interface, Kind, scan
from node.invitation import BadInvitation, BadPlace, Invitation, Place, parse_target
from node.language import said
from tools.doctor_terminal import find_terminal
from tools.errors import ExitCode, UsageError
from tools.output import Output
from tools.places import data_folder, logs_folder


def run(args: argparse.Namespace, out: Output) -> int:
    """Examine, tell. NoSuchInterface, UsageError."""
    places = _places(args.host)
    since = time.monotonic(), time.time()
    interfaces = scan(args.iface)
    with out.progress(out.t("trying what play needs")):
        findings = [*_network(interfaces), *_peers(places)]
    # The terminal is asked by a line of its own, so nothing else may stand there.
    findings += _computer(out, since)
    if out.json:
        out.data(_value(findings))
    else:
        _tell(out, findings)
    return ExitCode.NETWORK if worst(findings) is Level.STOPS else ExitCode.FINE


def _places(target: str | None) -> tuple[Place, ...]:
    if target is None:
        return ()
    try:
        found = parse_target(target)
    except (BadPlace, BadInvitation) as error:
        raise UsageError(str(error)) from error
    return found.places if isinstance(found, Invitation) else (found,)


def _network(interfaces: tuple[Interface, ...]) -> Iterator[Finding]:
    yield from doctor.judge_interfaces(interfaces)
    yield from doctor.judge_trials(doctor_trials.try_interfaces(interfaces))
    yield from doctor.judge_dns_sd(doctor_trials.try_dns_sd(interfaces))
    yield from doctor.judge_ports(doctor_trials.try_ports(UDP_PORT))
    firewalls = doctor_trials.find_firewalls(doctor_trials.run_program)
    yield from doctor.judge_firewalls(firewalls, _networks(interfaces))


def _networks(interfaces: tuple[Interface, ...]) -> list[str]:
    """The networks that guests come from, as commands of firewalls want them."""
    likely = (one for one in interfaces if one.up and one.kind in (Kind.ETHERNET, Kind.WIFI))
    return [str(a.network) for one in likely for a in one.addresses if a.version == 4]


def _peers(places: tuple[Place, ...]) -> Iterator[Finding]:
    """The first place whose door answers counts: an invitation names several ways to one table."""
    tried: list[Finding] = []
    for place in places:
        peer = doctor_trials.try_peer(place, UDP_PORT)
        if peer.door is not None:
            yield from doctor.judge_peer(peer)
            return
        tried += doctor.judge_peer(peer)
    yield from tried


def _computer(out: Output, since: tuple[float, float]) -> Iterator[Finding]:
    ask = not (out.json or out.plain)  # there no control sequence has any business
    terminal = find_terminal(out.out, sys.stdin, os.environ, ask=ask)
    yield from doctor.judge_terminal(terminal)
    yield from doctor.judge_libraries(doctor_trials.find_libraries())
    for name, path in _folders():
        yield from doctor.judge_folder(doctor_trials.try_folder(name, path))
    try:
        yield from doctor.judge_counters(Counters.load(data_folder()))
    except CountersError as error:
        yield Finding(Area.TRAFFIC, Level.NOTE, str(error))
    yield from doctor.judge_clock(*doctor_trials.watch_clock(since))


def _folders() -> tuple[tuple[str, Path], ...]:
    return (said("keys and matches"), data_folder()), (said("logs"), logs_folder())


def _value(findings: list[Finding]) -> dict[str, Any]:
    return {
        "ok": worst(findings) is not Level.STOPS,
        "findings": [
            {
                "area": finding.area.value,
                "level": finding.level.name.lower(),
                "text": finding.text,
                "advice": finding.advice,
                "facts": dict(finding.facts),
            }
            for finding in findings
        ],
    }


def _tell(out: Output, findings: list[Finding]) -> None:
    order = list(Area)
    ordered = sorted(findings, key=lambda finding: order.index(finding.area))
    for _, group in itertools.groupby(ordered, key=lambda finding: finding.area):
        for finding in group:
            _line(out, finding)
    level = worst(findings)
    if level is Level.STOPS:
        out.bad(out.t("Something keeps this computer from playing with others: see above."))
    elif level is Level.WARNING:
        out.line(out.t("Play is possible, though something above may be missing."))
    else:
        out.good(out.t("Nothing keeps this computer from playing."))


def _line(out: Output, finding: Finding) -> None:
    retold = out.speech.retold
    words = f"{retold(finding.text)} {retold(finding.advice)}".rstrip()
    match finding.level:
        case Level.STOPS:
            out.bad(words)
        case Level.WARNING:
            out.line(f"! {words}")
        case Level.NOTE:
            out.remark(f"· {words}")
        case Level.FINE:
            if not out.quiet:
                out.good(words)
