"""The rules' texts in their languages: each says the same under the same identifiers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import engine
from engine import registry
from engine.options import specs, text_of
from node.rule_files import (
    GENERAL,
    RIGHT_TO_LEFT,
    SOURCE,
    Block,
    Example,
    Heading,
    Paragraph,
    Rule,
    Table,
    Title,
    document,
    languages,
    read,
    rule_text,
    rules_of,
    words,
)

RULES = Path(engine.__file__).parent / "rules"
NAMES = (*registry.GAMES, GENERAL)
CODES = sorted(path.name for path in RULES.iterdir() if path.is_dir())
WHOLE = ("fa", "it")
"""The languages that have every text; another one may begin with a single game."""
TRANSLATED = [(name, code) for name in NAMES for code in languages(name) if code != SOURCE]
_RULE = re.compile(r"^- \*\*([A-Z]{3,4}-\d\d)\*\*((?:.|\n(?!- |#|\n|\|))*)", re.MULTILINE)
_OPTION = re.compile(r"`([a-z_]+ = [^`]+)`")
_NAMED = re.compile(r"\b[A-Z]{3,4}-\d\d\b")
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)?")
_PERSIAN = "[\u0600-\u06ff]"
_SLIPS = {
    "a digit that is typed otherwise": "[\u0660-\u0669\u06f0-\u06f9]",
    "a mark that steers a terminal": "[\u202a-\u202e\u2066-\u2069]",
    "an Arabic kaf or yeh": "[\u0643\u064a]",
    "a joiner that joins nothing": f"(?<!{_PERSIAN})\u200c|\u200c(?!{_PERSIAN})",
    "a word torn from its beginning or its end": rf"(?<!\S)ن?می {_PERSIAN}|{_PERSIAN} ها(?!\S)",
    "Latin punctuation": f"{_PERSIAN}[,;?]",
    # Only a row that begins with a letter is shown from left to right as a whole.
    "a row of ranks that is shown torn": rf"{_PERSIAN}[^\w`]*\d+(?:[ -]\d+)*[ -][A-Z]\b",
}


def marked(name: str, code: str) -> dict[str, str]:
    """The rules of a file with their marks, one line each."""
    folder = RULES if code == SOURCE else RULES / code
    text = (folder / f"{name}.md").read_text("utf-8")
    return {rule: " ".join(body.split()) for rule, body in _RULE.findall(text)}


def numbers(text: str) -> list[str]:
    """The numbers of a text that are written in digits; `39,5` is `39.5`, and no card or rule."""
    return sorted(_NUMBER.findall(_NAMED.sub("", text.replace(",5", ".5"))))


def parts(name: str, code: str) -> list[tuple[type, int]]:
    """What a text is made of: kinds of blocks, with the rows of a table. Running text isn't
    among them: a language that can't explain an example beside it does so below."""
    return [
        (type(block), len(block.rows) if isinstance(block, Table) else 1)
        for block in document(name, code)
        if not isinstance(block, Paragraph)
    ]


def lines_of(block: Block) -> list[str]:
    """What is printed of a block, without its rule's identifier."""
    match block:
        case Table(rows):
            return [cell for row in rows for cell in row]
        case Example(lines):
            return list(lines)
        case Title(text) | Heading(text) | Paragraph(text) | Rule(_, text):
            return [text]


@pytest.mark.parametrize("code", WHOLE)
def test_a_whole_language_has_every_game_and_the_general_rules(code: str) -> None:
    assert [name for name in NAMES if code not in languages(name)] == []


@pytest.mark.parametrize(("name", "code"), TRANSLATED)
def test_a_language_has_the_same_rules_in_the_same_order(name: str, code: str) -> None:
    theirs, ours = rules_of(document(name, code)), rules_of(document(name, SOURCE))
    assert list(theirs) == list(ours)
    for rule, text in theirs.items():
        assert len(text) > len(ours[rule]) / 3, rule
        assert text != ours[rule], rule


@pytest.mark.parametrize(("name", "code"), TRANSLATED)
def test_a_language_has_the_same_options_and_names_the_same_rules(name: str, code: str) -> None:
    ours = marked(name, SOURCE)
    for rule, text in marked(name, code).items():
        assert sorted(_OPTION.findall(text)) == sorted(_OPTION.findall(ours[rule])), rule
        assert set(_NAMED.findall(text)) == set(_NAMED.findall(ours[rule])), rule
        assert set(re.findall(r"`([a-z]+(?:-[a-z]+)?(?: \w+)?)`", text)) == set(
            re.findall(r"`([a-z]+(?:-[a-z]+)?(?: \w+)?)`", ours[rule])
        ), rule


@pytest.mark.parametrize(("name", "code"), TRANSLATED)
def test_a_language_says_the_same_numbers(name: str, code: str) -> None:
    ours = rules_of(document(name, SOURCE))
    for rule, text in rules_of(document(name, code)).items():
        assert numbers(text) == numbers(ours[rule]), rule


@pytest.mark.parametrize(("name", "code"), TRANSLATED)
def test_a_language_has_the_same_parts_in_the_same_order(name: str, code: str) -> None:
    assert parts(name, code) == parts(name, SOURCE)


@pytest.mark.parametrize("name", registry.GAMES)
def test_the_defaults_in_the_text_are_the_games_own(name: str) -> None:
    game = registry.get(name)
    options = game.options_type()
    known = specs(game.options_type)
    said = {
        option: text.partition(" | ")[0]
        for body in marked(name, SOURCE).values()
        for option, _, text in (item.partition(" = ") for item in _OPTION.findall(body))
        if option in known
    }
    said.pop("bianca_must_announce", None)  # PIC-10 tells what `true` does
    for option, text in said.items():
        assert text == text_of(options, option), option
    for option, spec in known.items():
        assert option in marked(name, SOURCE)[spec.rule], option


@pytest.mark.parametrize("code", CODES)
def test_the_words_of_a_language_are_whole(code: str) -> None:
    ours, theirs = words(SOURCE), words(code)
    assert set(theirs) == set(ours) >= set(NAMES)
    for key, text in ours.items():
        assert re.findall(r"\{\d\}", theirs[key]) == re.findall(r"\{\d\}", text), key


@pytest.mark.parametrize("slip", _SLIPS)
@pytest.mark.parametrize("name", NAMES)
def test_persian_is_written_without(name: str, slip: str) -> None:
    assert "fa" in RIGHT_TO_LEFT
    for block in document(name, "fa"):
        for line in lines_of(block):
            found = re.search(_SLIPS[slip], line)
            assert found is None, (block, found)


@pytest.mark.parametrize("slip", _SLIPS)
def test_the_words_around_a_persian_text_are_written_without(slip: str) -> None:
    for key, text in words("fa").items():
        assert not re.search(_SLIPS[slip], text), key


@pytest.mark.parametrize(
    ("slip", "text"),
    [
        ("a digit that is typed otherwise", "۷ ورق"),
        ("a mark that steers a terminal", "ورق \u202e7c"),
        ("an Arabic kaf or yeh", "يک ورق"),
        ("a joiner that joins nothing", "ورق\u200c ها"),
        ("a word torn from its beginning or its end", "نوبت می گذرد"),
        ("a word torn from its beginning or its end", "ورق ها"),
        ("Latin punctuation", "ورق, ژتون"),
        ("a row of ranks that is shown torn", "ترتیب: 6 7 F C R A"),
        ("a row of ranks that is shown torn", "ترتیب 4-3-A"),
    ],
)
def test_a_slip_is_found(slip: str, text: str) -> None:
    assert re.search(_SLIPS[slip], text)


@pytest.mark.parametrize("name", NAMES)
def test_an_example_in_a_text_from_right_to_left_keeps_to_the_notation(name: str) -> None:
    for block in document(name, "fa"):
        if isinstance(block, Example):
            assert all(line.isascii() for line in block.lines), block


@pytest.mark.parametrize("name", NAMES)
def test_the_rules_are_those_that_a_refusal_names(name: str) -> None:
    for rule, text in rules_of(document(name, SOURCE)).items():
        assert rule_text(rule) == f"{rule}: {text}"


def test_a_rule_that_a_language_lacks_is_told_in_english() -> None:
    assert rule_text("PIC-30", "de") == rule_text("PIC-30") != ""
    assert rule_text("PET-22", "fa") != rule_text("PET-22")
    assert rule_text("PET-99", "fa") == ""


def test_a_text_is_read_block_by_block() -> None:
    text = (
        "# Game\n\n```\n- a  b\n\n# c\n```\n\nSome `words`\nmore.\n## Part\nUnder it.\n"
        "- **AAA-01** First\n  line.\n- **AAA-02** Second.\n\n"
        "| Option | `x` |\n|---|---|\n| `a` | 1 |\n\n| A | B |\n|--|--|\n| `c \\| d` | e |\n"
    )
    assert read(text) == [
        Title("Game"),
        Example(("- a  b", "", "# c")),
        Paragraph("Some words more."),
        Heading("Part"),
        Paragraph("Under it."),
        Rule("AAA-01", "First line."),
        Rule("AAA-02", "Second."),
        Table((("A", "B"), ("c \\| d", "e"))),
    ]
    assert read("") == []
