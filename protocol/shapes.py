"""The shapes that messages share: each reader gives its value with its type known, or `WireError`.

Law: this file knows fields and their bounds. It must never know which message they belong to.
"""

from __future__ import annotations

import ipaddress
import itertools
from typing import TypeAlias

from protocol.contribution import MAX_SEATS
from protocol.encoding import Value, array, integer, text
from protocol.errors import EncodingError
from protocol.messages import MAX_NAME, MAX_SETTING, MAX_SETTINGS, Reason, Setting

Fields: TypeAlias = tuple[Value, ...]


class WireError(EncodingError):
    """Octets that are not a message of this protocol, or one whose signature is wrong."""


def exactly(fields: Fields, count: int) -> Fields:
    """As many fields as the message has."""
    return array(fields, "message", count)


def port(value: Value) -> int:
    """A port from 1."""
    return integer(value, "port", 1, 65_535)


def seat(value: Value, what: str) -> int:
    """A seat of a header."""
    return integer(value, what, 0, MAX_SEATS - 1)


def flag(value: Value, what: str) -> bool:
    """0 or 1."""
    return integer(value, what, 0, 1) == 1


def seats(value: Value, what: str) -> tuple[int, ...]:
    """Seats that ascend."""
    seats = tuple(seat(item, what) for item in array(value, what, 0, MAX_SEATS))
    if any(a >= b for a, b in itertools.pairwise(seats)):
        raise WireError(f"{what} that don't ascend")
    return seats


def settings(value: Value, what: str) -> tuple[Setting, ...]:
    """Names with their values, ascending by name."""
    found: list[Setting] = []
    for item in array(value, what, 0, MAX_SETTINGS):
        name, setting = array(item, what, 2)
        if not isinstance(setting, int):
            setting = text(setting, what, 0, MAX_SETTING)
        found.append((text(name, what, 1, MAX_NAME), setting))
    if any(a[0] >= b[0] for a, b in itertools.pairwise(found)):
        raise WireError(f"{what} that don't ascend by name")
    return tuple(found)


def reason(value: Value) -> Reason:
    """A reason that this version knows."""
    try:
        return Reason(integer(value, "reason"))
    except ValueError as error:
        raise WireError("an unknown reason") from error


def host(value: Value) -> str:
    """A numeric host in its canonical form, without a scope: names could stall whoever dials."""
    host = text(value, "host", 0, 45)
    if not host:
        return host
    try:
        canonical = str(ipaddress.ip_address(host))
    except ValueError as error:
        raise WireError("a host that is not numeric") from error
    if "%" in host or host != canonical:
        raise WireError("a host that is not in canonical form")
    return host


def address(value: Value) -> tuple[str, int]:
    """A numeric host with its port, or "" with 0."""
    place, number = array(value, "address", 2)
    numeric = host(place)
    return numeric, integer(number, "port", 1 if numeric else 0, 65_535 if numeric else 0)
