"""Scenes for the traps of the agreement: toy nodes that are acted on one by one.

A scene is a toy match (`explore_toy`) in which everybody waits for step 2, nothing of it heard yet.
"""

from __future__ import annotations

from collections.abc import Iterable

from protocol.contribution import Contribution, Kind
from protocol.votes import Vote, vote_place
from tests.protocol.explore import Bounds, Search
from tests.protocol.explore_nodes import Action, Facts, GoOn, Hear
from tests.protocol.explore_toy import entry_of


class Scene:
    """The nodes of a match, acted on one by one; what is lost is never heard."""

    def __init__(self, count: int, malice: int | None = None, step: int = 2) -> None:
        self.search = Search(count, malice, bounds=Bounds(step=step))
        self.world = self.search.world
        self.nodes = dict(zip(self.search.honest, self.search.start, strict=True))

    def facts(self, seat: int) -> Facts:
        """What a node knows."""
        return self.world.nodes[self.nodes[seat]]

    def act(self, seat: int, action: Action) -> tuple[int, ...]:
        """Let something happen to a node; what it sends."""
        sent = self.world.sent(self.nodes[seat], action)
        self.nodes[seat] = self.world.act(self.nodes[seat], action)
        return sent

    def hear(self, seat: int, *entries: int) -> None:
        """Let a node hear entries."""
        for number in entries:
            self.act(seat, Hear(number))

    def signed(self, author: int, kind: Kind, step: int | None = None, attempt: int = 0) -> int:
        """What an honest seat has signed."""
        return max(
            m
            for m in self.facts(author).signed
            if (e := self.world.entries[m]).contribution.kind is kind
            and e.place.attempt == attempt
            and step in (None, e.place.step)
        )

    def plays(self, seat: int, authors: Iterable[int], kind: Kind = Kind.KEY) -> None:
        """Let a node hear what `authors` contribute."""
        self.hear(seat, *(self.signed(author, kind) for author in authors if author != seat))

    def go_on(self, seats: Iterable[int], away: tuple[int, ...] = ()) -> dict[int, int]:
        """Let players vote; their votes."""
        return {seat: max(self.act(seat, GoOn(away))) for seat in seats}

    def lie(self, at: int, seat: int, body: Vote | bytes, variant: int = 0) -> int:
        """What the malicious seat says about the step that is due at the node `at`."""
        position = self.facts(at).position
        place, kind = position.place, position.due.kind if position.due else Kind.MOVE
        octets = body if isinstance(body, bytes) else body.body()
        if isinstance(body, Vote):
            place, kind = vote_place(place, body.attempt), body.kind
        c = Contribution(seat, kind, octets, position.digest, b"")
        return self.world.number(entry_of(place, c, variant))

    def heal(self, gone: Iterable[int] = ()) -> None:
        """Everybody hears everybody and wants to go on; they come to one end."""
        nodes = self.search.healed(tuple(self.nodes.values()), gone)
        self.nodes = dict(zip(self.nodes, nodes, strict=True))
