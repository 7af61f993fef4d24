"""Languages: complete catalogues, the same blanks in both, and what is asked for is spoken."""

from __future__ import annotations

import string

import pytest

from node.language import (
    CODES,
    CatalogueError,
    catalogue_text,
    compiled,
    following,
    language,
    preferred,
    read,
)
from node.screen.words import rule_words
from tests.node.messages import Message, in_source, needed

MESSAGES = needed()
CATALOGUE = read(catalogue_text("it"))


def blanks(text: str) -> set[str]:
    """The fields of a template."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_messages_are_found() -> None:
    ones = {message.one for message in MESSAGES}
    assert {"play a card", "{name} knocks: busso!", "F10 leaves", "seven", "PET-22"} <= ones
    assert len(MESSAGES) > 300


def test_every_message_is_translated_and_no_other() -> None:
    assert set(CATALOGUE) - {""} == {message.key for message in MESSAGES}


@pytest.mark.parametrize("message", [m for m in MESSAGES if m.context != "rule"], ids=repr)
def test_a_translation_has_the_same_blanks(message: Message) -> None:
    forms = CATALOGUE[message.key]
    assert len(forms) == (2 if message.many else 1)
    wanted = blanks(message.many or message.one)
    for form in forms:
        assert form.strip() == form
        assert form
        assert blanks(form) <= wanted
    if not message.many:  # `and one more` needs no number
        assert blanks(forms[0]) == wanted or message.one.startswith("They are")


def test_plural_forms_are_chosen_by_number() -> None:
    it = language("it")
    assert it.count("{n} warning", "{n} warnings", 1) == "1 avviso"
    assert it.count("{n} warning", "{n} warnings", 0) == "0 avvisi"
    assert language("en").count("{n} warning", "{n} warnings", 2) == "2 warnings"
    assert it.count("{0} is to choose.", "{0} are to choose.", 2, "Ada") == "Tocca a Ada."


def test_a_context_tells_two_messages_apart() -> None:
    assert language("it").text(".", "decimal") == ","
    assert language("it").text(".") == "."
    assert language("en").text(".", "decimal") == "."


def test_rules_are_told_in_the_language() -> None:
    assert rule_words(language("it"), "PET-25").startswith("PET-25: Alla fine")
    assert rule_words(language("en"), "PET-25").startswith("PET-25: At the end")
    assert rule_words(language("it"), "PET-60").startswith("PET-60: The last player")
    assert rule_words(language("it"), "XYZ-01") == ""


def test_f9_goes_through_all_languages() -> None:
    code = CODES[0]
    seen = set()
    for _ in CODES:
        code = following(code)
        seen.add(code)
    assert (seen, code) == (set(CODES), CODES[0])


@pytest.mark.parametrize(
    ("given", "environ", "spoken"),
    [
        ("it", {"LANG": "en_GB.UTF-8"}, "it"),
        (None, {"LANG": "it_IT.UTF-8"}, "it"),
        (None, {"LC_ALL": "C", "LANG": "it_CH"}, "it"),
        (None, {"LANGUAGE": "en:it", "LANG": "it_IT"}, "en"),
        (None, {"LANG": "de_DE.UTF-8"}, "en"),
        (None, {"LC_MESSAGES": "it"}, "it"),
    ],
)
def test_the_language_is_the_one_asked_for_or_the_systems(
    given: str | None, environ: dict[str, str], spoken: str
) -> None:
    assert preferred(given, environ) == spoken


def test_no_other_language_is_made_up() -> None:
    with pytest.raises(KeyError):
        language("de")


@pytest.mark.parametrize(
    "text",
    [
        'msgid "a"\nmsgstr "b"\nmsgid "a"\nmsgstr "c"\n',
        'msgid "a\nmsgstr "b"\n',
        'msgid "a"\n',
        'msgstr "a"\n',
        "msgid a\n",
    ],
)
def test_a_catalogue_that_is_badly_written_is_refused(text: str) -> None:
    with pytest.raises(CatalogueError):
        compiled(text)


def test_the_text_format_is_read_as_gettext_writes_it() -> None:
    text = '# c\nmsgctxt "x"\nmsgid ""\n"a\\n"\n"\\"b\\""\nmsgstr "c"\n\nmsgid "d"\nmsgstr "e"\n'
    assert read(text) == {'x\x04a\n"b"': ("c",), "d": ("e",)}


def test_messages_are_literals_in_what_says_them() -> None:
    source = 't("a"); s.text("b", "ctx"); mark("c"); lang.count("d", "e", 2); other("f"); t(g)'
    assert list(in_source(source)) == [
        Message("a"),
        Message("b", context="ctx"),
        Message("c"),
        Message("d", "e"),
    ]
