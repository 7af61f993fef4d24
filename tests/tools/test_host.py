"""`busso host`, `join` and `watch`: real processes of people at one table on the loopback."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from protocol.audit import audit_file
from protocol.group import default_group
from tests.tools.people import Person
from tests.tools.running import busso
from tools.output import Output

HOST = ("host", "--hidden", "--iface", "lo", "--seats", "2", "--hands", "1", "--name", "Ada")
CODE = "K7F2-9QXM"


def port_of(host: Person) -> str:
    return f"127.0.0.1:{host.wait('hosting')['port']}"


def full(line: dict[str, object]) -> bool:
    return line["free"] == 0


def test_people_play_watch_talk_and_play_again(tmp_path: Path) -> None:
    with (
        Person(tmp_path / "ada", *HOST) as ada,
        Person(tmp_path / "bruno", "join", port_of(ada), "--name", "Bruno") as bruno,
        Person(tmp_path / "wanda", "watch", port_of(ada), "--name", "Wanda") as wanda,
    ):
        for person in (ada, bruno, wanda):
            lobby = person.wait("lobby", lambda line: len(line["people"]) == 3)
            roles = {one["label"]: one["role"] for one in lobby["people"]}
            assert roles == {"Ada": "seat", "Bruno": "seat", "Wanda": "watch"}
        bruno.enter("chat  buona\tfortuna!")
        assert ada.wait("chat")["text"] == "buona fortuna!"
        bruno.enter("ready")
        ada.enter("ready")
        logs = [Path(person.wait("back")["log"]) for person in (ada, bruno, wanda)]
        assert len({log.read_bytes() for log in logs}) == 1
        assert audit_file(logs[0].read_bytes(), default_group()).good
        assert wanda.wait("started")["seat"] is None
        assert not [line for line in wanda.lines if line["event"] == "your_move"]
        for person in (bruno, ada):
            person.enter("ready")
        assert Path(ada.wait("back", nth=2)["log"]) != logs[0]
        bruno.wait("back", nth=2)
        assert bruno.end("leave") == (0, "")
        assert ada.wait("gone", lambda line: line["person"]["label"] == "Bruno")
        assert ada.end("leave") == (0, "")
        code, complaint = wanda.end()
        assert (code, complaint.count("\n")) == (4, 1)
        assert "host has left" in complaint


def test_start_brings_a_computer_player_and_begins(tmp_path: Path) -> None:
    with Person(tmp_path, *HOST) as ada:
        ada.wait("hosting")
        ada.enter("start")
        lobby = ada.wait("lobby", lambda line: full(line) and line["people"][1]["owner"])
        assert lobby["people"][1]["owner"] == "Ada"
        ada.wait("back")
        assert ada.end("leave") == (0, "")


def test_a_guest_may_bring_computer_players_to_a_table_with_a_code(tmp_path: Path) -> None:
    words = (*HOST, "--seats", "3", "--code", CODE)
    with (
        Person(tmp_path / "ada", *words) as ada,
        Person(tmp_path / "bruno", "join", port_of(ada), "--code", CODE, "--name", "Bruno") as him,
    ):
        him.wait("lobby")
        him.enter("bots 1")
        for person in (ada, him):
            lobby = person.wait("lobby", lambda line: full(line) and line["people"][2]["owner"])
            assert lobby["people"][2]["owner"] == "Bruno"
            person.enter("ready")
        ada.wait("back")


def test_a_wrong_code_ends_in_one_sentence(tmp_path: Path) -> None:
    with Person(tmp_path / "ada", *HOST, "--code", CODE) as ada:
        where = port_of(ada)
        assert ada.wait("hosting")["code"] == CODE.replace("-", "")
        with Person(tmp_path / "eve", "join", where, "--code", "00000000") as eve:
            code, complaint = eve.end()
        assert code == 4
        assert complaint == "busso: That is not the table's code.\n"
        with Person(tmp_path / "eve", "join", where) as eve:
            eve.wait("asked", lambda line: "code" in line["text"])
            eve.enter("what?")
            eve.wait("text", lambda line: "8 letters and digits" in line["text"])
            eve.enter(CODE.lower())
            eve.wait("lobby", full)


def test_the_host_removes_a_guest_by_name(tmp_path: Path) -> None:
    with (
        Person(tmp_path / "ada", *HOST) as ada,
        Person(tmp_path / "bruno", "join", port_of(ada), "--name", "Bruno") as bruno,
    ):
        ada.wait("lobby", full)
        ada.enter("kick nobody")
        ada.wait("text", lambda line: "Nobody here is called" in line["text"])
        ada.enter("kick bruno")
        code, complaint = bruno.end()
        assert code == 4
        assert "removed you" in complaint


def test_a_table_is_found_by_its_name_and_in_the_list(tmp_path: Path) -> None:
    shown = [word for word in HOST if word != "--hidden"]
    with Person(tmp_path / "ada", *shown, "--table", "Cucina n. 1") as ada:
        ada.wait("hosting")
        with Person(tmp_path / "bruno", "join", "cucina n. 1", "--iface", "lo") as bruno:
            bruno.wait("lobby", full)
            bruno.end("leave")
        ada.wait("gone")
        with Person(tmp_path / "bruno", "join", "--iface", "lo") as bruno:
            bruno.wait("text", lambda line: "Cucina" in line["text"])
            listed = bruno.wait("tables", lambda line: line["tables"])["tables"]
            cucina = next(one for one in listed if one["name"] == "Cucina n. 1")
            assert (cucina["game"], cucina["rules"]) == ("petrangola", "marche")
            assert (cucina["free"], cucina["code"]) == (1, False)
            bruno.enter(str(cucina["number"]))
            bruno.wait("lobby", full)


def test_a_guest_who_only_looks_at_the_list_leaves_it(tmp_path: Path) -> None:
    with Person(tmp_path, "join", "--iface", "lo") as bruno:
        bruno.wait("text")
        bruno.enter("99")
        bruno.wait("text", lambda line: "joins it" in line["text"], nth=2)
        assert bruno.end("q") == (0, "")


def test_who_finds_no_table_opens_one(tmp_path: Path) -> None:
    with Person(tmp_path, "join", "--iface", "lo") as bruno:
        bruno.wait("text")
        bruno.enter("host briscola --hidden --seats 2 --iface lo")
        assert bruno.wait("hosting")["port"]
        assert bruno.wait("lobby")["game"] == "briscola"
        assert bruno.end("leave") == (0, "")


def test_house_rules_are_told_and_chosen_at_the_list(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        '[presets.casa]\ngame = "petrangola"\ntokens = 5\n', encoding="utf-8"
    )
    with Person(tmp_path, "join", "--iface", "lo", "--name", "Ada") as ada:
        ada.wait("text")
        ada.enter("presets petrangola")
        ada.wait("text", lambda line: "emilia: as marche, but " in line["text"])
        ada.wait("text", lambda line: line["text"] == "  casa (yours): as marche, but tokens = 5")
        ada.enter("host petrangola --preset umbria")
        ada.wait("text", lambda line: "there are: marche, emilia, pagat, casa" in line["text"])
        ada.enter("host petrangola --frob")
        ada.wait("text", lambda line: "unrecognized arguments: --frob" in line["text"])
        ada.enter("host petrangola --hidden --seats 2 --preset casa")
        ada.wait("hosting")
        lobby = ada.wait("lobby")
        assert lobby["options"]["tokens"] == 5
        assert [person["name"] for person in lobby["people"]] == ["Ada"]
        assert ada.end("leave") == (0, "")


def test_who_types_nothing_leaves_the_table(tmp_path: Path) -> None:
    with Person(tmp_path, *HOST) as ada:
        ada.wait("hosting")
        ada.hang_up()
        assert ada.end() == (0, "")


def test_busso_alone_lists_the_tables_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def join(args: argparse.Namespace, _: Output) -> int:
        asked.append((args.verb, args.table))
        return 0

    monkeypatch.setattr("tools.cli.is_terminal", lambda _: True)
    monkeypatch.setattr("tools.join.run", join)
    assert busso().code == 0
    assert asked == [("join", None)]
    assert "usage: busso" in busso("--json").out
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["host", "poker"], 2, "no game 'poker'"),
        (["host", "--seats", "3", "--bots", "3"], 2, "more than the 3 seats"),
        (["host", "--code", "123"], 2, "8 letters and digits"),
        (["host", "--table", ""], 2, "--table"),
        (["host", "--name", "a\x07b"], 2, "--name"),
        (["host", "--iface", "no-such"], 4, "no interface no-such"),
        (["join", "127.0.0.1:1"], 4, "no table is open"),
        (["join", "busso1-0000000-0000000-0000000-0000000-000"], 2, "nvitation"),
        (["watch", "127.0.0.1:99999"], 2, "99999"),
    ],
)
def test_what_cant_be_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], code: int, says: str
) -> None:
    monkeypatch.setenv("BUSSO_HOME", str(tmp_path))
    said = busso(*words)
    assert said.code == code
    assert says in said.complaint()
