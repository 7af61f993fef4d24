"""`busso score`: hands judged by a preset."""

from __future__ import annotations

import json

import pytest

from tests.tools.running import busso
from tools.cli import main

BEST_FIRST = {
    "marche": ("A", "ARC", "RCF", "F76", "432", "R=C=F", "7", "2", "31", "27"),
    "emilia": ("A", "2", "7", "F", "C", "R", "ARC", "RCF", "F76", "432", "31", "27"),
    "pagat": ("A", "ARC", "RCF", "F76", "432", "2", "7", "F", "C", "R", "31", "27"),
}
HANDS = {
    "ARC": "Ad Rd Cd",
    "RCF": "Rd Cd Fd",
    "F76": "Fs 7s 6s",
    "432": "4b 3b 2b",
    "31": "Fc Cc Ac",
    "27": "7d Fd Rd",
} | {rank: f"{rank}c {rank}d {rank}s" for rank in "ARCF72"}


@pytest.mark.rule("PET-33", "PET-34")
@pytest.mark.parametrize("preset", BEST_FIRST)
def test_the_order_of_hands(preset: str) -> None:
    groups = [group.split("=") for group in BEST_FIRST[preset]]
    names = [name for group in groups for name in group]
    said = busso("score", "petrangola", "--preset", preset, "--json", *(HANDS[n] for n in names))
    assert said.code == 0
    ranks = dict(zip(names, [one["rank"] for one in said.json()], strict=True))
    expected: dict[str, int] = {}
    rank = 1
    for group in groups:
        expected |= dict.fromkeys(group, rank)
        rank += len(group)
    assert ranks == expected


def test_json_is_exactly_what_is_promised() -> None:
    said = busso("score", "petrangola", "Rd7d6s", "3c 6c 7d", "Ac As Ad", "--json")
    assert said.json() == [
        {"hand": "Rd 7d 6s", "kind": "points", "points": 17, "parts": 1, "rank": 2},
        {"hand": "3c 6c 7d", "kind": "points", "points": 9, "parts": 1, "rank": 3},
        {"hand": "Ac As Ad", "kind": "three-aces", "points": 31, "parts": 1, "rank": 1},
    ]


def test_a_table_for_people() -> None:
    said = busso("score", "petrangola", "2d 2c 2s", "Rd Cd Ad", "--preset", "emilia")
    assert (said.code, said.err) == (0, "")
    assert [line.split() for line in said.out.splitlines()] == [
        ["rank", "hand", "kind", "points"],
        ["1", "2d", "2c", "2s", "tris", "6"],
        ["2", "Rd", "Cd", "Ad", "scala", "31"],
    ]
    quiet = busso("-q", "score", "petrangola", "2d 2c 2s")
    assert quiet.out.split() == ["1", "2d", "2c", "2s", "tris", "6"]


def test_an_option_changes_the_judgement() -> None:
    hand = "Ad 2d 3d"
    plain, low = (
        busso("score", "petrangola", *words, hand, "--json").json()[0]["kind"]
        for words in ((), ("--option", "ace_low=true"))
    )
    assert (plain, low) == ("points", "scala")


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        (("tressette-x", "2d 2c 2s"), "no game 'tressette-x'"),
        (("petrangola", "2d 2c 2s", "--preset", "umbria"), "no preset 'umbria'"),
        (("petrangola", "2d 2c 2s", "--option", "aces=3"), "no option 'aces'"),
        (("petrangola", "2d 2c 2s", "--option", "tokens=0"), "tokens must be"),
        (("petrangola", "2d 2c"), "is no hand"),
        (("petrangola", "2d 2c 8s"), "'8s' is no card"),
        (("petrangola", "2d 2d 2d"), "2d is 3 times"),
        (("petrangola", ""), "is no hand"),
    ],
)
def test_what_is_no_hand_or_no_rule(argv: tuple[str, ...], text: str) -> None:
    said = busso("score", *argv)
    assert said.code == 2
    assert text in said.complaint()


# A deal of four by what each took: 7, 4, 6 and 15 thirds, the last also with the last trick.
DEAL = (
    "Ac 3c 2c Rc Fd",
    "As 3s",
    "Ab Ad 7c",
    "3d 2d Rd 2s Rs Cs Fs 3b 2b Rb Cb Fb Cc Fc Cd 4c 5c 6c 4d 5d 6d 7d 4s 5s 6s 7s 4b 5b 6b 7b",
)


@pytest.mark.rule("TRA-11")
def test_a_whole_deal_is_counted_with_its_last_trick(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["score", "traversone", *DEAL, "--last", "3", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["penalties"] == [2, 1, 2, 6]
    assert [pile["hand"] for pile in value["piles"]] == list(DEAL)
    assert main(["score", "traversone", *DEAL, "--last", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["penalties"] == [3, 1, 2, 5]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["traversone", *DEAL], "last trick"),
        (["traversone", *DEAL, "--last", "4"], "the last trick went to one of 0 to 3"),
        (["traversone", *DEAL[:3], "--last", "0"], "are missing"),
        (["petrangola", "2c 2d 2s", "--last", "0"], "--last"),
    ],
)
def test_a_deal_that_cant_be_counted_is_one_sentence(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", *words]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert says in err
    assert err.count("\n") == 1
