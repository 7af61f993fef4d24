"""Between the proposal and the last signature: what a lost seat, a lost host or a new process does.

The mesh is a list here, the clock a number, so each moment can be chosen.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from node.errors import Stopped, need
from node.events import HelloReceived, PeerDown, PeerUp, Received
from node.guests import MAX_MET, seen_from
from node.hosting import Desk
from node.known import KnownPlayers
from node.link import Why
from node.lobby import header_entry
from node.mesh import Mesh, Profile
from node.notices import HostSilent, NotSent
from node.sitting import (
    FAREWELL,
    PATIENCE,
    TELLINGS_AT_ONCE,
    Manner,
    Phase,
    Sitting,
)
from protocol.header import parse_core
from protocol.identity import Identity
from protocol.messages import (
    Bye,
    Chat,
    EntryMessage,
    Hello,
    Lobby,
    Owned,
    Propose,
    Reason,
    Role,
    State,
    TableCard,
)
from protocol.wire import encode, sign, vouch
from tests.node.tables import offer
from tests.node.test_lobby import GUEST, HOST, NOW, OTHER, TABLE, card, hello

HERE = ("10.0.0.7", 5000)
PORTS = {HOST.public: 4711, GUEST.public: 4712, OTHER.public: 4713}


class Net:
    """Stands for a mesh: writes down what it is told to do."""

    def __init__(self, identity: Identity, profile: Profile) -> None:
        self.key = identity.public
        self.port = PORTS[self.key]
        self.curve = self
        self.public = identity.public  # as `curve.public`
        self.sent: list[tuple[bytes | None, object]] = []
        self.done: list[tuple[str, bytes]] = []
        self.hello = b""
        self._identity = identity
        self.set_profile(profile)

    def set_profile(self, profile: Profile) -> None:
        p = profile
        own = Hello(self.key, self.key, p.table, p.session, p.name, p.role, self.port, p.nonce)
        self.hello = encode(sign(own, self._identity))

    def send(self, key: bytes, message: object) -> bool:
        self.sent.append((key, message))
        return True

    def broadcast(self, message: object) -> bool:
        self.sent.append((None, message))
        return True

    def said(self, kind: type[Any]) -> list[Any]:
        """What was broadcast of that kind."""
        return [message for key, message in self.sent if key is None and isinstance(message, kind)]

    def told(self, key: bytes, kind: type[Any]) -> list[Any]:
        """What was sent to one peer."""
        return [message for to, message in self.sent if to == key and isinstance(message, kind)]

    def __getattr__(self, name: str) -> Any:
        return lambda *given, **_: self.done.append((name, given[0] if given else b""))


class At:
    """One node at the table of three for three hands."""

    def __init__(self, identity: Identity, name: str, *, manner: Manner | None = None) -> None:
        self.now = 100.0
        self.events: list[object] = []
        drawn = iter(range(1, 200))
        profile = Profile(TABLE, name.encode().ljust(16), bytes(16), name, Role.SEAT)
        self.net = Net(identity, profile)
        shown: TableCard = card()
        table = offer(2, 3)
        desk = None
        if identity is HOST:
            own = sign(Hello(*_fields(self.net, profile)), HOST)
            desk = Desk(table, own, self.net.hello)
        self.sitting = Sitting(
            identity,
            cast(Mesh, self.net),
            profile,
            card=shown,
            desk=desk,
            host_address="10.0.0.1",
            manner=manner or Manner(),
            on_event=self.events.append,
            now=lambda: NOW,
            clock=lambda: self.now,
            random=lambda n: bytes([next(drawn)]) * n,
        )
        self.sitting.start()

    def phase(self) -> Phase:
        """Where it is now."""
        return self.sitting.phase

    def begun(self) -> bytes | None:
        """The terms of the match that was agreed on."""
        return self.sitting.agreed.header.core if self.sitting.agreed else None

    def ready(self) -> bool:
        """What it tells the host."""
        return self.sitting.ready

    def hears(self, key: bytes, *messages: object) -> None:
        for message in messages:
            self.sitting.handle(Received(key, cast(Any, message)))


def _fields(net: Net, p: Profile) -> tuple[Any, ...]:
    return net.key, net.key, p.table, p.session, p.name, p.role, net.port, p.nonce


BRUNO = hello(GUEST, "Bruno", nonce=b"n" * 16)


def seated() -> At:
    """The host, with Bruno there and ready: the match is proposed."""
    ada = At(HOST, "Ada")
    ada.sitting.handle(HelloReceived(BRUNO, HERE))
    ada.sitting.handle(PeerUp(GUEST.public))
    ada.hears(GUEST.public, State(ready=True))
    assert ada.phase() is Phase.SIGNING
    return ada


def signature(proposal: Propose, identity: Identity) -> EntryMessage:
    """That seat's agreement to the proposal."""
    return EntryMessage(header_entry(parse_core(proposal.core), identity))


def test_the_last_signature_begins_the_match() -> None:
    ada = seated()
    (proposal,) = ada.net.said(Propose)
    ada.hears(GUEST.public, signature(proposal, GUEST))
    assert ada.phase() is Phase.PLAYING
    assert ada.sitting.agreed is not None
    assert ada.sitting.card().playing


@pytest.mark.parametrize(
    "lost",
    [
        PeerDown(GUEST.public, Why.LOST),
        Received(GUEST.public, Bye(Reason.LEAVING)),
        HelloReceived(hello(GUEST, "Bruno", nonce=b"m" * 16), HERE),
    ],
)
def test_a_seat_that_is_lost_before_it_signed_takes_the_proposal_with_it(lost: Any) -> None:
    ada = seated()
    ada.sitting.handle(lost)
    assert ada.phase() is Phase.OPEN
    assert ada.sitting.agreed is None


@pytest.mark.parametrize("again", [False, True])
def test_a_match_that_somebody_has_begun_is_begun_by_all(again: bool) -> None:
    """Bruno had every signature, began, and crashed before his own got out: he is back in the
    match and shows them. So it is if the same seats were asked for another one meanwhile."""
    ada = seated()
    (proposal,) = ada.net.said(Propose)
    ada.sitting.handle(PeerDown(GUEST.public, Why.LOST))
    ada.sitting.handle(HelloReceived(hello(GUEST, "Bruno", nonce=b"m" * 16), HERE))
    if again:
        ada.hears(GUEST.public, State(ready=True))
        assert len(ada.net.said(Propose)) == 2
    ada.hears(GUEST.public, signature(proposal, HOST))
    assert ada.begun() is None
    ada.hears(GUEST.public, signature(proposal, GUEST))
    assert ada.phase() is Phase.PLAYING
    assert ada.begun() == proposal.core


def test_a_removed_players_signature_comes_too_late() -> None:
    ada = seated()
    (proposal,) = ada.net.said(Propose)
    ada.sitting.remove(GUEST.public)
    ada.hears(GUEST.public, signature(proposal, GUEST))
    assert ada.phase() is Phase.OPEN


def test_a_guest_begins_what_the_others_have_begun_though_the_host_proposed_anew() -> None:
    ada, bruno = guest()
    ada.hears(GUEST.public, State(ready=True))
    (first,) = ada.net.said(Propose)
    terms = parse_core(first.core)
    second = replace(first, core=replace(terms, created=terms.created + 1).core)
    bruno.hears(HOST.public, first, second, signature(first, HOST))
    assert bruno.sitting.agreed is not None
    assert bruno.sitting.agreed.header.created == terms.created


def test_a_match_is_proposed_again_to_whoever_takes_the_seat() -> None:
    ada = seated()
    ada.sitting.handle(PeerDown(GUEST.public, Why.LOST))
    carla = hello(OTHER, "Carla")
    ada.sitting.handle(HelloReceived(carla, HERE))
    ada.hears(OTHER.public, State(ready=True))
    proposals = ada.net.said(Propose)
    assert len(proposals) == 2
    ada.hears(OTHER.public, signature(proposals[1], OTHER))
    assert ada.sitting.agreed is not None
    assert {seat.name for seat in ada.sitting.agreed.header.seats} == {"Ada", "Carla"}


def test_who_is_removed_while_all_sign_takes_the_proposal_with_it() -> None:
    ada = seated()
    ada.sitting.remove(GUEST.public)
    assert ada.phase() is Phase.OPEN
    assert ada.net.told(GUEST.public, Bye)[0].reason is Reason.REMOVED
    assert ("remove", GUEST.public) not in ada.net.done, "it has a moment to read why"
    ada.now += FAREWELL
    ada.sitting.tick()
    assert ("remove", GUEST.public) in ada.net.done


def test_a_forged_or_foreign_signature_begins_nothing() -> None:
    ada = seated()
    (proposal,) = ada.net.said(Propose)
    good = signature(proposal, GUEST).entry
    forged = replace(good, contribution=replace(good.contribution, signature=bytes(64)))
    other = replace(good, place=replace(good.place, match=bytes(32)))
    for entry in (forged, other):
        ada.hears(OTHER.public, EntryMessage(entry))
    assert ada.phase() is Phase.SIGNING


def test_a_peer_that_is_not_in_the_match_yet_is_told_again() -> None:
    ada = seated()
    (proposal,) = ada.net.said(Propose)
    ada.hears(GUEST.public, State(ready=True))
    assert ada.net.told(GUEST.public, Propose) == [proposal]


# -- a guest --------------------------------------------------------------------------------------


def guest(manner: Manner | None = None) -> tuple[At, At]:
    """Bruno at Ada's table, linked and listed."""
    ada, bruno = At(HOST, "Ada"), At(GUEST, "Bruno", manner=manner)
    bruno.sitting.handle(PeerUp(HOST.public))
    own = sign(Hello(*_fields(bruno.net, bruno.sitting._profile)), GUEST)
    ada.sitting.handle(HelloReceived(own, HERE))
    bruno.hears(HOST.public, ada.net.said(Lobby)[-1])
    return ada, bruno


def test_a_guest_believes_the_host_alone() -> None:
    ada, bruno = guest()
    lobby = ada.net.said(Lobby)[-1]
    bruno.hears(OTHER.public, replace(lobby, serial=99, members=lobby.members[:1]))
    assert len(bruno.sitting.view.people) == 2
    ada.hears(GUEST.public, State(ready=True))
    (proposal,) = ada.net.said(Propose)
    bruno.hears(OTHER.public, proposal)
    assert bruno.phase() is Phase.OPEN
    bruno.hears(HOST.public, proposal)
    assert bruno.phase() is Phase.SIGNING


def test_an_old_proposal_after_the_match_is_ignored() -> None:
    ada, bruno = guest()
    ada.hears(GUEST.public, State(ready=True))
    (proposal,) = ada.net.said(Propose)
    bruno.hears(HOST.public, proposal, signature(proposal, HOST))
    assert bruno.phase() is Phase.PLAYING
    bruno.sitting.again()
    assert bruno.phase() is Phase.OPEN
    bruno.hears(HOST.public, proposal)
    assert bruno.phase() is Phase.OPEN
    assert bruno.sitting.agreed is None


def test_a_host_that_was_never_there_ends_it_at_once() -> None:
    bruno = At(GUEST, "Bruno")
    with pytest.raises(Stopped, match="can't be reached"):
        bruno.sitting.handle(PeerDown(HOST.public, Why.REFUSED))


def test_a_host_that_is_gone_for_a_while_is_waited_for() -> None:
    _, bruno = guest()
    bruno.sitting.handle(PeerDown(HOST.public, Why.LOST))
    assert not bruno.ready(), "nobody is there to be told"
    bruno.now += PATIENCE - 0.1
    bruno.sitting.tick()
    bruno.sitting.handle(PeerUp(HOST.public))
    assert bruno.ready()
    assert [e.back for e in bruno.events if isinstance(e, HostSilent)] == [False, True]
    bruno.sitting.handle(PeerDown(HOST.public, Why.LOST))
    bruno.now += PATIENCE
    with pytest.raises(Stopped, match="doesn't answer"):
        bruno.sitting.tick()


def test_a_match_goes_on_without_its_host_but_no_other_follows() -> None:
    ada, bruno = guest()
    ada.hears(GUEST.public, State(ready=True))
    (proposal,) = ada.net.said(Propose)
    bruno.hears(HOST.public, proposal, signature(proposal, HOST))
    bruno.hears(HOST.public, Bye(Reason.LEAVING))
    bruno.sitting.handle(PeerDown(HOST.public, Why.LOST))
    bruno.now += 10 * PATIENCE
    bruno.sitting.tick()
    with pytest.raises(Stopped, match="host has left"):
        bruno.sitting.again()


def test_a_bot_says_whose_it_is_before_it_is_ready() -> None:
    owned = Owned(HOST.public, vouch(HOST, TABLE, GUEST.public))
    bruno = At(GUEST, "Bruno", manner=Manner(owned=owned))
    assert bruno.ready() is False
    bruno.sitting.handle(PeerUp(HOST.public))
    assert bruno.net.told(HOST.public, Owned) == [owned]
    assert bruno.ready()


def test_guests_let_each_other_in_and_shut_out_who_was_removed() -> None:
    ada, bruno = guest()
    listed = ada.net.said(Lobby)[-1]
    carla = replace(listed.members[1], hello=encode(hello(OTHER, "Carla")))
    bruno.hears(HOST.public, replace(listed, serial=50, members=(*listed.members, carla)))
    assert ("admit", OTHER.public) in bruno.net.done
    assert ("dial", OTHER.public) in bruno.net.done
    bruno.hears(HOST.public, replace(listed, serial=51, removed=(OTHER.public,)))
    assert ("remove", OTHER.public) in bruno.net.done


def test_another_process_of_a_guest_is_dialled_anew_and_the_same_one_is_not() -> None:
    ada, bruno = guest()
    listed = ada.net.said(Lobby)[-1]
    for serial, curve in enumerate((b"1" * 32, b"1" * 32, b"2" * 32), start=50):
        made = replace(hello(OTHER, "Carla"), curve=curve)
        member = replace(listed.members[1], hello=encode(sign(made, OTHER)))
        members = (*listed.members, member)
        bruno.hears(HOST.public, replace(listed, serial=serial, members=members))
    assert bruno.net.done.count(("dial", OTHER.public)) == 2


def test_a_host_waits_to_be_dialled() -> None:
    assert ("dial", GUEST.public) not in seated().net.done


def test_who_is_not_at_the_table_is_not_heard() -> None:
    ada, bruno = guest()
    chat = sign(Chat(b"", TABLE, bytes(16), 1, "buy now"), OTHER)
    before = len(ada.events), len(bruno.events)
    ada.hears(OTHER.public, chat)
    bruno.hears(HOST.public, chat)
    assert (len(ada.events), len(bruno.events)) == before


def test_who_wavers_without_end_makes_the_host_tell_it_in_a_bounded_number() -> None:
    ada = At(HOST, "Ada")
    ada.sitting.set_ready(False)
    ada.sitting.handle(HelloReceived(BRUNO, HERE))
    for number in range(1_000):
        ada.hears(GUEST.public, State(ready=number % 2 == 0))
    assert len(ada.net.said(Lobby)) <= TELLINGS_AT_ONCE
    told = ada.net.said(Lobby)[-1]
    ada.hears(GUEST.public, State(ready=not told.members[1].ready))
    ada.now += 1
    ada.sitting.tick()
    assert ada.net.said(Lobby)[-1].members[1].ready != told.members[1].ready


def test_a_host_that_makes_players_up_pushes_no_known_one_out(tmp_path: Path) -> None:
    known = KnownPlayers(tmp_path / "known_players")
    known.meet(OTHER.public, "Carla", NOW)
    ada, bruno = guest()
    bruno.sitting._guests._known = known
    listed = ada.net.said(Lobby)[-1]
    for number in range(3):
        made = [Identity(bytes([number + 100, n]) * 16) for n in range(70)]
        more = [
            replace(listed.members[1], hello=encode(hello(key, f"M{number} {n}")))
            for n, key in enumerate(made)
        ]
        lobby = replace(listed, serial=50 + number, members=(listed.members[0], *more))
        bruno.hears(HOST.public, lobby)
    assert len(list(known)) <= 1 + MAX_MET
    assert known.holder("Carla") is not None


@pytest.mark.parametrize(
    ("host", "told", "dialled"),
    [
        ("192.168.1.5", "192.168.1.7", "192.168.1.7"),
        ("192.168.1.5", "127.0.0.1", "192.168.1.5"),
        ("fe80::5%eth0", "::1", "fe80::5%eth0"),
        ("fe80::5%eth0", "fe80::7", "fe80::7%eth0"),
        ("fe80::5%eth0", "fd00::7", "fd00::7"),
        ("192.168.1.5", "fe80::7", "fe80::7"),
    ],
)
def test_a_guest_dials_another_where_it_is_seen_from_here(
    host: str, told: str, dialled: str
) -> None:
    assert seen_from(host, told) == dialled


def test_a_scope_is_never_told() -> None:
    ada = At(HOST, "Ada")
    ada.sitting.handle(HelloReceived(BRUNO, ("fe80::7%eth0", 5000)))
    assert ada.net.said(Lobby)[-1].members[1].address == ("fe80::7", BRUNO.port)
    assert encode(ada.net.said(Lobby)[-1])


def test_a_watcher_is_told_that_it_needn_t_get_ready() -> None:
    ada = At(GUEST, "Bruno", manner=Manner(eager=False))
    ada.sitting._profile = replace(ada.sitting._profile, role=Role.WATCH)
    ada.sitting.set_ready(True)
    assert not ada.ready()
    assert [e.why for e in ada.events if isinstance(e, NotSent)]


def test_a_watcher_that_lags_follows_the_players_to_their_next_match() -> None:
    """Nobody would tell it how the last one ended; a seat stays where it has signed."""
    ada, bruno = guest()
    wanda = At(OTHER, "Wanda")
    wanda.sitting._profile = replace(wanda.sitting._profile, role=Role.WATCH)
    wanda.sitting.handle(PeerUp(HOST.public))
    ada.hears(GUEST.public, State(ready=True))
    (first,) = ada.net.said(Propose)
    for node in (bruno, wanda):
        node.hears(HOST.public, first, *(signature(first, key) for key in (HOST, GUEST)))
    matches = [wanda.sitting.agreed]
    terms = parse_core(first.core)
    second = replace(first, core=replace(terms, created=terms.created + 1).core)
    for node in (bruno, wanda):
        node.hears(HOST.public, second, *(signature(second, key) for key in (HOST, GUEST)))
    matches.append(wanda.sitting.agreed)
    assert [m.header.created if m else 0 for m in matches] == [NOW, NOW + 1]
    assert bruno.sitting.agreed is not None
    assert bruno.sitting.agreed.header.created == NOW
    wanda.hears(HOST.public, first)
    assert wanda.sitting.agreed is matches[1]


def test_a_table_without_watchers_lets_nobody_in_while_all_sign() -> None:
    ada = At(HOST, "Ada")
    need(ada.sitting._desk).offer = replace(offer(2, 3), watchers=False)
    ada.sitting.handle(HelloReceived(BRUNO, HERE))
    ada.hears(GUEST.public, State(ready=True))
    assert ada.phase() is Phase.SIGNING
    doors = [name for name, _ in ada.net.done if name.endswith("_admission")]
    assert doors[-1] == "close_admission"


def test_a_table_with_a_code_shuts_its_mesh_again_after_a_match() -> None:
    ada = At(HOST, "Ada")
    ada.sitting._card = card(code=True)
    ada.net.done.clear()
    ada.sitting.again()
    assert [name for name, _ in ada.net.done] == ["close_admission"]
