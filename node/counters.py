"""What a node counts, for `busso doctor`.

Law: plain numbers since the start. Nothing is decided by them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Traffic:
    """What went through the sockets."""

    messages_in: int = 0
    octets_in: int = 0
    messages_out: int = 0
    octets_out: int = 0
    dials: int = 0
    mute: int = 0
    floods: int = 0


@dataclass(slots=True)
class Counters:
    """What happened since the start, for `busso doctor`."""

    messages_in: int = 0
    octets_in: int = 0
    messages_out: int = 0
    octets_out: int = 0
    dials: int = 0
    mute: int = 0
    floods: int = 0
    zap_accepted: int = 0
    zap_refused: int = 0
    malformed: int = 0
    extra_frames: int = 0
    unintroduced: int = 0
    over_rate: int = 0
    strikes: int = 0
    queue_full: int = 0
    no_path: int = 0
    commands_full: int = 0
    refused_by_others: int = 0
    callback_errors: int = 0
