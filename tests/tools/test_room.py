"""A player at the full screen finds tables, sits down, opens one and leaves: the House itself.

Law: the tables are real, on the loopback; the screen only keeps what it is told.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from node.errors import NodeError, Unreachable
from node.habits import OwnPreset
from node.invitation import BadPlace, invite, parse_invitation
from node.notices import BackInLobby, LobbyChanged, NotSent, Person
from node.screen.list_desk import Sit
from node.screen.lobby_house import CodeWanted
from node.screen.lobby_setup import Plan
from protocol.messages import Role
from tests.node.lobbies import LOOPBACK, Node
from tests.node.screen.lobby_terminal import listed
from tests.node.tables import offer
from tests.tools.left import ELSEWHERE, HERE, DataFolder
from tools.arguments import make_parser
from tools.room import Home

PATIENCE = 30.0
CODE = "K7F29QXM"


class Stage:
    """A screen that only keeps what it is told."""

    def __init__(self) -> None:
        self.events: queue.SimpleQueue[object] = queue.SimpleQueue()
        self.errors: queue.SimpleQueue[Exception | None] = queue.SimpleQueue()
        self.session: object = None

    def attend(self, session: object) -> None:
        self.session = session

    def on_event(self, event: object) -> None:
        self.events.put(event)

    def ended(self, error: Exception | None) -> None:
        self.errors.put(error)

    def decide(self, *_: object) -> None:
        """Nobody plays here."""

    def missing(self, *_: object) -> None:
        """As above."""

    def people(self, test: Callable[[tuple[Person, ...]], object]) -> tuple[Person, ...]:
        """Everybody at the table, once they pass a test."""
        while True:
            event = self.events.get(timeout=PATIENCE)
            if isinstance(event, LobbyChanged) and test(event.view.people):
                return event.view.people


@pytest.fixture
def stage() -> Stage:
    return Stage()


@pytest.fixture
def ada(tmp_path: Path) -> Iterator[Node]:
    node = Node(tmp_path, "Ada")
    yield node
    node.stop()


@pytest.fixture
def home(
    tmp_path: Path, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Home]]:
    """Makes this player, with words as on the command line."""
    monkeypatch.setenv("BUSSO_HOME", str(tmp_path / "home"))
    made: list[Home] = []

    def make(verb: str = "join", *words: str) -> Home:
        args = make_parser().parse_args([verb, *words, "--name", "Vera"])
        screen: Any = stage
        made.append(Home(args, screen))
        return made[-1]

    yield make
    for one in made:
        one.close()


def both(people: tuple[Person, ...]) -> bool:
    return {person.name for person in people} == {"Ada", "Vera"}


def test_a_place_leads_to_a_table(home: Callable[..., Home], stage: Stage, ada: Node) -> None:
    port = ada.host()
    session = home().sit_down(Sit(f"{LOOPBACK}:{port}"))
    assert stage.session is session
    assert [person.role for person in stage.people(both)] == [Role.SEAT, Role.SEAT]


def test_one_may_only_watch(home: Callable[..., Home], stage: Stage, ada: Node) -> None:
    port = ada.host()
    home("watch").sit_down(Sit(f"{LOOPBACK}:{port}", watch=True))
    assert stage.people(both)[1].role is Role.WATCH


def test_a_name_is_looked_up_in_the_list(
    home: Callable[..., Home], stage: Stage, ada: Node
) -> None:
    table = listed(ada.host())
    one = home()
    one._tables = (table,)
    one.sit_down(Sit(table.name.upper()))
    assert len(stage.people(both)) == 2


def test_an_invitation_brings_its_code(home: Callable[..., Home], stage: Stage, ada: Node) -> None:
    port = ada.host(code=CODE)
    # It names an address that others could reach; here only the way of the code is tried.
    invitation = parse_invitation(str(invite(ada.session.card, ["192.0.2.1"], port, CODE)))
    one = home()
    sit = Sit(str(invitation))
    assert one._code(ada.session.card, sit, invitation) == CODE
    with pytest.raises(CodeWanted):
        one._code(ada.session.card, sit, invitation.places[0])


def test_a_code_is_wanted_until_it_is_right(
    home: Callable[..., Home], stage: Stage, ada: Node
) -> None:
    port = ada.host(code=CODE)
    one = home()
    sit = Sit(f"{LOOPBACK}:{port}")
    for code, why in (
        ("", "^$"),
        ("nonsense!", "8 letters and digits"),
        ("00000000", "That is not the table's code."),
    ):
        wanted = Sit(sit.target, code=code)
        with pytest.raises(CodeWanted, match=why) as caught:
            one.sit_down(wanted)
        assert caught.value.sit == wanted
    one.sit_down(Sit(sit.target, code="k7f2-9qxm"))
    assert len(stage.people(both)) == 2


def test_the_flag_and_the_environment_know_the_code(
    home: Callable[..., Home], stage: Stage, ada: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = ada.session
    ada.host(code=CODE)
    sit = Sit("")
    place = parse_invitation(str(invite(card.card, ["192.0.2.1"], 1))).places[0]
    assert home("join", "--code", CODE)._code(card.card, sit, place) == CODE
    monkeypatch.setenv("BUSSO_CODE", CODE)
    assert home()._code(card.card, sit, place) == CODE


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("no such/place", BadPlace),
        ("1.2.3", BadPlace),
        ("busso1-0c381hg-rg4z9k2-ab3cd4e-fg5hj6k", NodeError),
        (f"{LOOPBACK}:1", Unreachable),
    ],
)
def test_what_leads_nowhere_says_so(
    home: Callable[..., Home],
    text: str,
    error: type[NodeError],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tools.room.SEARCH", 0.0)
    with pytest.raises(error):
        home().sit_down(Sit(text))


def test_a_table_is_opened_left_and_opened_again(home: Callable[..., Home], stage: Stage) -> None:
    one = home("join", "--iface", "lo")
    for _ in range(2):
        session = one.open_table(Plan(offer(2, 1), code=True))
        assert session.lobby is not None
        assert len(session.lobby.code) == 8
        with pytest.raises(NodeError, match="no address"):
            one.invite()
        one.leave()
        with pytest.raises(NodeError):
            one.invite()
    assert stage.errors.empty()


def test_a_computer_player_is_brought_and_goes_with_the_table(
    home: Callable[..., Home], stage: Stage
) -> None:
    one = home("host", "--hidden", "--iface", "lo")
    one.host(offer(2, 1), bots=1)
    people = stage.people(lambda people: len(people) == 2 and people[1].owner)
    assert people[1].owner == "Vera"
    one.leave()


def test_a_host_that_goes_ends_the_session_with_the_reason(
    home: Callable[..., Home], stage: Stage, ada: Node
) -> None:
    home().sit_down(Sit(f"{LOOPBACK}:{ada.host()}"))
    stage.people(both)
    ada.stop()
    assert "host has left" in str(stage.errors.get(timeout=PATIENCE))


def test_logs_are_remembered_for_the_end(home: Callable[..., Home], stage: Stage) -> None:
    one = home()
    one._on_event(BackInLobby(Path("match.busso")))
    one._on_event(NotSent("what"))
    assert one.logs == [Path("match.busso")]


def test_there_is_nothing_to_take_up_at_first(home: Callable[..., Home]) -> None:
    one = home()
    assert one.unfinished() == ""
    with pytest.raises(NodeError):
        one.resume()


@pytest.mark.parametrize("host", [HERE, ELSEWHERE])
def test_a_match_that_was_left_is_offered_wherever_its_players_were(
    home: Callable[..., Home], tmp_path: Path, host: str
) -> None:
    DataFolder(tmp_path / "home").left("one", host, 1_000)
    assert home().unfinished().startswith("petrangola with ")


def test_a_new_table_begins_with_what_is_set(home: Callable[..., Home], tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "config.toml").write_text(
        'timer = 45\n[presets]\nbriscola = "corta"\n'
        '[presets.corta]\ngame = "briscola"\ngames = 1\n',
        encoding="utf-8",
    )
    habits = home().habits
    assert habits.own == (OwnPreset("corta", "briscola", "", (("games", "1"),)),)
    assert (habits.usual, habits.timer, habits.patience) == ((("briscola", "corta"),), 45, 0)
