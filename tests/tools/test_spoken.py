"""The command line in Italian: help, errors and hints, reports; and JSON in no language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from node.language import ENGLISH, language
from tests.tools.running import Said, busso, lied, once, small
from tools.arguments import make_parser
from tools.help import UNTOLD, asked_language, help_texts, parsers, translate


def fault(said: Said) -> str:
    """The one line on standard error."""
    (line,) = said.err.splitlines()
    return line


@pytest.mark.parametrize(
    ("argv", "wanted"),
    [
        (["--lang", "it", "verify"], "it"),
        (["verify", "--lang=en"], "en"),
        (["score", "--", "--lang", "it"], None),
        (["--lang"], None),
        ([], None),
    ],
)
def test_the_language_is_known_before_anything_is_parsed(
    argv: list[str], wanted: str | None
) -> None:
    assert asked_language(argv) == wanted


def test_help_is_retold_whole() -> None:
    parser = make_parser()
    english = set(help_texts(parser))
    translate(parser, language("it"))
    italian = parser.format_help()
    assert italian.startswith("uso: busso ")
    assert "apre un tavolo per altri di questa rete" in italian
    assert "codici d'uscita:" in italian
    for one in parsers(parser):
        text = " ".join(one.format_help().split())
        left = [each for each in english if len(each) > 20 and f" {each} " in text]
        assert left == [], one.prog


def test_help_in_english_is_as_it_was_declared() -> None:
    parser = make_parser()
    before = parser.format_help()
    translate(parser, ENGLISH)
    assert parser.format_help() == before


def test_only_what_programmers_use_stays_english() -> None:
    verbs = {one.prog for one in parsers(make_parser())}
    assert "busso verify" in verbs
    assert not verbs & {f"busso {name}" for name in UNTOLD}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("frob",), "non c'è il verbo 'frob'. busso --help mostra che cosa si può dire."),
        (("score", "petrangola"), "mancano questi argomenti: HAND."),
        (("play", "--bots", "0"), "--bots: ci vuole un numero intero da 1 a 63, non '0'."),
        (("demo", "--game", "bridge"), "non c'è il gioco 'bridge'; ci sono: petrangola,"),
        (("verify", "nowhere.busso"), "nowhere.busso non si può leggere: il file o la cartella"),
        (("join", "busso1x:0"), "'0' non è una porta: va da 1 a 65535."),
    ],
)
def test_errors_and_hints_are_in_the_language(words: tuple[str, ...], said: str) -> None:
    assert said in fault(busso("--lang", "it", *words))
    assert said not in fault(busso(*words))


def test_the_environment_says_the_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUSSO_LANG", "it")
    assert "non c'è il verbo" in fault(busso("frob"))
    assert "there is no verb" in fault(busso("--lang", "en", "frob"))
    monkeypatch.delenv("BUSSO_LANG")
    monkeypatch.setenv("LC_ALL", "it_IT.UTF-8")
    assert "non c'è il verbo" in fault(busso("frob"))


def test_a_report_is_in_the_language_and_tells_the_same() -> None:
    english, italian = once("verify", small), once("verify", small, "--lang", "it")
    assert italian.out.startswith("✓ completa: tutto in questo registro è verificato")
    one, other = (
        re.findall(r"\d+", text.rpartition("\n")[0]) for text in (english.out, italian.out)
    )
    assert sorted(one[:-2]) == sorted(other[:-2])  # but for how long it took
    assert once("verify", small, "--lang", "it", "--json").json()["status"] == "complete"


def test_a_fault_of_the_protocol_is_retold() -> None:
    said = once("verify", lied, "--lang", "it")
    assert "con una promessa non mantenuta" in said.out
    assert "Bruno (posto 1): ha bussato senza mostrare 7c 7s 7d (PET-24)" in said.out
    said = once("replay", lied, "--lang", "it")
    assert "Verifica: Bruno non ha mantenuto una promessa al passo" in said.out
    assert "Ada è l'ultimo con gettoni e vince." in said.out


def test_data_for_programs_is_never_translated(tmp_path: Path) -> None:
    words = ("score", "petrangola", "Ac As Ad", "--json")
    assert busso("--lang", "it", *words).out == busso(*words).out
    record = tmp_path / "record"
    record.write_text("nothing\n")
    wrong = ("check", str(record), "--json")
    assert busso("--lang", "it", *wrong).out == busso(*wrong).out


def test_hands_are_judged_in_the_languages_words() -> None:
    said = busso("score", "picchetto", "Ah Kh Qh Jh Th 9h", "--lang", "it")
    assert "punto: 6 carte da 60 = 6" in said.out
    assert "sequenze: 6 fino a A = 16" in said.out
    assert busso("score", "petrangola", "Ac As Ad", "--lang", "it").out.count("tre assi") == 1
