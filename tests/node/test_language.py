"""Languages: complete catalogues, the same blanks in both, and what is asked for is spoken."""

from __future__ import annotations

import ast
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import registry
from engine.errors import IllegalMove
from node.language import (
    CODES,
    MAX_SAID,
    SAID,
    CatalogueError,
    catalogue_text,
    following,
    language,
    preferred,
    read,
)
from node.rule_files import GENERAL, SOURCE, document, rules_of
from node.screen import accounts
from node.screen.words import rule_words
from tests.node.messages import (
    Message,
    all_untold,
    in_source,
    is_found,
    needed,
    refusals,
    retold,
    said_in,
    untold,
)

MESSAGES = [*needed(), *retold()]
CATALOGUE = read(catalogue_text("it"))


def blanks(text: str) -> set[str]:
    """The fields of a template."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_messages_are_found() -> None:
    ones = {message.one for message in MESSAGES}
    assert {"play a card", "{name} knocks: busso!", "F10 leaves", "seven"} <= ones
    assert len(MESSAGES) > 600
    said = {message.one for message in MESSAGES if message.context == SAID}
    assert {
        "{suit} was led, and whoever has {suit} must follow",
        "{port} is not a port.",
        "Tables won't be listed there; join by an invitation or an address instead.",
        "a whole number from {low} to {high} is needed, not '{text}'",
    } <= said


def test_every_message_is_translated_and_no_other() -> None:
    assert set(CATALOGUE) - {""} == {message.key for message in MESSAGES}


def fits(message: Message) -> bool:
    """Whether the translation is there in as many forms as it takes, with the same blanks."""
    forms = CATALOGUE.get(message.key, ())
    wanted = blanks(message.many or message.one)
    whole = all(form and form.strip() == form and blanks(form) <= wanted for form in forms)
    if message.many:  # `and one more` needs no number
        return len(forms) == 2 and whole
    bare = message.one.startswith("They are")
    return len(forms) == 1 and whole and (bare or blanks(forms[0]) == wanted)


def test_a_translation_has_the_same_blanks() -> None:
    assert [m for m in MESSAGES if not fits(m)] == []


@pytest.mark.parametrize(
    ("message", "forms"),
    [
        (Message("{a} is {b}"), ("{a} è",)),
        (Message("{a} is here"), ("{b} è qui",)),
        (Message("here"), (" qui",)),
        (Message("here"), ("",)),
        (Message("here"), ()),
        (Message("{n} hand", "{n} hands"), ("{n} mano",)),
        (Message("{n} hand", "{n} hands"), ("{n} mano", "{m} mani")),
    ],
)
def test_other_blanks_are_found(
    message: Message, forms: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CATALOGUE, message.key, forms)
    assert not fits(message)


def test_plural_forms_are_chosen_by_number() -> None:
    it = language("it")
    assert it.count("{n} warning", "{n} warnings", 1) == "1 avviso"
    assert it.count("{n} warning", "{n} warnings", 0) == "0 avvisi"
    assert language("en").count("{n} warning", "{n} warnings", 2) == "2 warnings"
    assert it.count("{0} is to choose.", "{0} are to choose.", 2, "Ada") == "Tocca a Ada."


@pytest.mark.parametrize(
    ("names", "english", "italian"),
    [
        (["Ada"], "Ada can't be reached. Wait", "Ada non è raggiungibile. Si aspetta"),
        (["Ada", "Bruno"], "Bruno can't be reached. Wait", "Bruno non sono raggiungibili. Si"),
    ],
)
def test_one_who_is_away_is_asked_about_otherwise_than_two(
    names: list[str], english: str, italian: str
) -> None:
    assert english in accounts.unreachable(language("en"), names)
    assert italian in accounts.unreachable(language("it"), names)


def test_a_context_tells_two_messages_apart() -> None:
    assert language("it").text(".", "decimal") == ","
    assert language("it").text(".") == "."
    assert language("en").text(".", "decimal") == "."


def test_rules_are_told_in_the_language() -> None:
    assert rule_words(language("it"), "PET-25").startswith("PET-25: Alla fine")
    assert rule_words(language("en"), "PET-25").startswith("PET-25: At the end")
    assert rule_words(language("it"), "XYZ-01") == ""


@pytest.mark.parametrize("name", [*registry.GAMES, GENERAL])
def test_every_rule_of_a_game_is_told_in_italian(name: str) -> None:
    rules = rules_of(document(name, SOURCE))
    assert len(rules) > 2
    for rule, text in rules.items():
        assert rule_words(language("en"), rule) == f"{rule}: {text}"
        told = rule_words(language("it"), rule)
        assert told == f"{rule}: {rules_of(document(name, 'it'))[rule]}"
        assert told != f"{rule}: {text}"


def test_nothing_is_printed_past_the_catalogue() -> None:
    assert all_untold() == []


def test_a_sentence_past_the_catalogue_is_found() -> None:
    source = (
        "out.line(f'{n} cards are missing')\nout.line(t('you are here'))\nsay('busso verify x')"
    )
    assert list(untold(source)) == ["{n} cards are missing"]


def test_what_is_said_in_english_is_retold_with_its_values() -> None:
    it, en = language("it"), language("en")
    said = "No answer from ada.local port 7000 within 3 seconds."
    assert it.retold(said) == "Nessuna risposta da ada.local port 7000 entro 3 secondi."
    assert en.retold(said) == said
    assert it.retold("That table is full.") == "Quel tavolo è pieno."
    assert it.retold("Ada hums a tune.") == "Ada hums a tune."
    assert it.retold("") == ""


def test_a_sentence_within_a_sentence_is_retold_too() -> None:
    said = "This table can't be joined: there is no game 'bridge'; there are: briscola."
    told = language("it").retold(said)
    assert (
        told
        == "A questo tavolo non ci si può sedere: non c'è il gioco 'bridge'; ci sono: briscola."
    )


def test_names_of_people_and_what_is_too_long_stay_as_they_are() -> None:
    it = language("it")
    assert (
        it.retold("you have met nobody called 'king'")
        == "non hai conosciuto nessuno di nome 'king'"
    )
    long = "x" * MAX_SAID + " is not a port."
    assert it.retold(long) == long


def test_a_refusal_is_refilled_from_its_template() -> None:
    template = "{suit} was led, and whoever has {suit} must follow"
    error = IllegalMove("TRA-03", template, suit="coppe")
    assert str(error) == "coppe was led, and whoever has coppe must follow"
    told = language("it").refilled(error.template, error.values)
    assert told == "è uscito coppe, e chi ne ha deve rispondere a coppe"
    assert language("en").refilled(error.template, error.values) == str(error)


def test_every_refusal_of_the_engine_is_a_template_that_is_found() -> None:
    places = list(refusals())
    assert len(places) > 40
    assert [place for place, sentence in places if not is_found(sentence)] == []


def test_an_f_string_is_no_template_of_a_refusal() -> None:
    (statement,) = ast.parse("f'{suit} was led'").body
    assert isinstance(statement, ast.Expr)
    assert not is_found(statement.value)


@given(st.text(max_size=80))
def test_whatever_somebody_says_can_be_retold(text: str) -> None:
    assert language("en").retold(text) == text
    assert isinstance(language("it").retold(text), str)


NAMES = st.text(st.characters(codec="ascii", exclude_characters="'"), min_size=1, max_size=20)


@given(NAMES)
def test_a_value_comes_through_whatever_it_is(name: str) -> None:
    told = language("it").retold(f"you have met nobody called '{name}'")
    assert told == f"non hai conosciuto nessuno di nome '{language('it').retold(name)}'"


def found_again(message: Message) -> bool:
    """Whether a sentence that is made from the template is retold by its own translation."""
    values = {name: f"«{number}»" for number, name in enumerate(sorted(blanks(message.one)))}
    told = language("it").retold(message.one.format(**values) if values else message.one)
    wanted = CATALOGUE[message.key][0]
    return told == (wanted.format(**values) if values else wanted)


def test_every_template_is_found_again() -> None:
    assert [
        message for message in MESSAGES if message.context == SAID and not found_again(message)
    ] == []


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
        (None, {"BUSSO_LANG": "it", "LC_ALL": "en_US.UTF-8"}, "it"),
        (None, {"BUSSO_LANG": "en", "LANG": "it_IT.UTF-8"}, "en"),
        ("it", {"BUSSO_LANG": "en"}, "it"),
        (None, {"BUSSO_LANG": "xx", "LANG": "it_IT.UTF-8"}, "it"),
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
        'msgid "a"\nmsgid_plural "b"\nmsgstr[0] "c"\n',
        'msgid "a"\nmsgstr "b" c\n',
        'msgid "a"\nmsgstr "b"\nc\n',
        'msgid "a"\nmsgstr "b"c"\n',
        'msgid ""\nmsgstr "b"\nmsgid ""\nmsgstr "c"\n',
    ],
)
def test_a_catalogue_that_is_badly_written_is_refused(text: str) -> None:
    with pytest.raises(CatalogueError):
        read(text)


def test_the_line_that_is_wrong_is_said() -> None:
    with pytest.raises(CatalogueError, match=r"^from line 4 "):
        read('msgid "a"\nmsgstr "b"\n\nmsgid c\nmsgstr "d"\n\nmsgid "e"\nmsgstr "f"\n')
    with pytest.raises(CatalogueError, match=r"^line 3 .*'a' is there twice"):
        read('msgid "a"\nmsgstr "b"\nmsgid "a"\nmsgstr "c"\n')


def test_the_text_format_is_read_as_gettext_writes_it() -> None:
    text = '# c\nmsgctxt "x"\nmsgid ""\n"a\\n"\n"\\"b\\""\nmsgstr "c"\n\nmsgid "d"\nmsgstr "e"\n'
    assert read(text) == {'x\x04a\n"b"': ("c",), "d": ("e",)}
    assert read("") == read("# nothing") == {}
    plural = 'msgid "a"\nmsgid_plural "b"\nmsgstr[0] "c"\nmsgstr[1] ""\n"d\\\\"\n'
    assert read(plural) == {"a\0b": ("c", "d\\")}
    assert read(f'msgid ""\nmsgstr "x"\n\n{plural}\nmsgid ""\nmsgstr "x"\n')[""] == ("x",)


def test_what_is_said_is_found_by_what_it_is_given_to() -> None:
    source = (
        "raise NodeError(f'{port} is not {a.b:.1f} {c[:4]}')\n"
        "raise OutOfTurn('our own bug')\n"
        "text = f'{x} and {x} and {y.x}' if z else 'one more thing'\n"
        "raise NodeError(text, 'and a hint')\n"
        "raise fault(line, 'the line is wrong')\n"
        "other = 'not a sentence'\n"
    )
    assert sorted(message.one for message in said_in(source)) == [
        "and a hint",
        "one more thing",
        "the line is wrong",
        "{port} is not {b} {c}",
        "{x} and {x} and {x_}",
    ]


def test_messages_are_literals_in_what_says_them() -> None:
    source = (
        't("a"); s.text("b", "ctx"); mark("c"); lang.count("d", "e", 2); other("f"); t(g); '
        'self._tell("h" if i else "j", k=1)'
    )
    assert list(in_source(source)) == [
        Message("a"),
        Message("b", context="ctx"),
        Message("c"),
        Message("d", "e"),
        Message("h"),
        Message("j"),
    ]
