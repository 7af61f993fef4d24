"""Every rule of engine/rules has a test that names it, and no test names a rule that isn't there.

Law: this file reads the rules' texts, the tests' syntax trees and the vectors as data, and runs
none of them. Run as a program it prints which test is about which rule:

    python -m tests.engine.test_rules_coverage
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import engine
from engine import registry

RULES = Path(engine.__file__).parent / "rules"
TESTS = Path(__file__).parents[1]
ELSEWHERE = frozenset({"README.md"})

Table = dict[str, list[str]]


def defined(text: str) -> list[str]:
    """The identifiers that a rules text defines, in their order: `- **PET-01** ...`."""
    return re.findall(r"^- \*\*([A-Z]{3,4}-\d\d)\*\*", text, re.MULTILINE)


def mentioned(text: str) -> set[str]:
    """All identifiers that a rules text names, defined there or not."""
    return set(re.findall(r"\b[A-Z]{3,4}-\d\d\b", text))


def marks(source: str) -> Iterator[tuple[str, str]]:
    """(rule, test) for each `@pytest.mark.rule(...)` on a test function or on its class."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for call in node.decorator_list:
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.rule":
                for argument in call.args:
                    yield str(ast.literal_eval(argument)), node.name


def cases(text: str) -> Iterator[tuple[str, str]]:
    """(rule, case) for each `rules = [...]` of a file of vectors."""
    for table in tomllib.loads(text).values():
        for case in table if isinstance(table, list) else ():
            for rule in case.get("rules", ()):
                yield rule, case["name"]


def table() -> Table:
    """The tests and cases about each rule."""
    found: Table = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        for rule, name in marks(path.read_text("utf-8")):
            found[rule].append(f"{path.relative_to(TESTS).as_posix()}::{name}")
    for path in sorted((TESTS / "vectors").rglob("*.toml")):
        for rule, name in cases(path.read_text("utf-8")):
            found[rule].append(f"{path.relative_to(TESTS).as_posix()}: {name}")
    return dict(found)


def rules() -> Mapping[str, str]:
    """Each defined rule and the file that defines it."""
    return {
        rule: path.name
        for path in sorted(RULES.glob("*.md"))
        if path.name not in ELSEWHERE
        for rule in defined(path.read_text("utf-8"))
    }


def test_every_rule_has_a_test() -> None:
    found = table()
    assert [f"{rule} ({name})" for rule, name in rules().items() if rule not in found] == []


def test_no_test_names_a_rule_that_is_not_there() -> None:
    known = rules()
    assert {rule: tests for rule, tests in table().items() if rule not in known} == {}


def test_each_rule_is_defined_once() -> None:
    found = [r for p in sorted(RULES.glob("*.md")) for r in defined(p.read_text("utf-8"))]
    assert len(found) == len(set(found)) >= 50


def test_no_rules_text_or_module_names_a_rule_that_is_not_there() -> None:
    known = set(rules())
    families = {rule.partition("-")[0] for rule in known}
    sources = [*RULES.glob("*.md"), *Path(engine.__file__).parent.rglob("*.py")]
    for path in sources:
        strange = mentioned(path.read_text("utf-8")) - known
        assert {rule for rule in strange if rule.partition("-")[0] in families} == set(), path


@pytest.mark.parametrize("name", registry.GAMES)
def test_every_game_ships_its_rules(name: str) -> None:
    assert len(defined((RULES / f"{name}.md").read_text("utf-8"))) > 10


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('@pytest.mark.rule("PET-01", "PET-02")\ndef test_x(): ...', ["PET-01", "PET-02"]),
        ("@pytest.mark.slow\ndef test_x(): ...", []),
        ('# @pytest.mark.rule("PET-01")\ndef test_x(): ...', []),
        ('@pytest.mark.rule("PET-01")\nclass TestX:\n    def test_y(self): ...', ["PET-01"]),
    ],
)
def test_marks_are_found(source: str, found: list[str]) -> None:
    assert [rule for rule, _ in marks(source)] == found


def test_definitions_and_cases_are_found() -> None:
    assert defined("see PET-02\n- **PET-01** text\n  **PET-03**\n- PET-04") == ["PET-01"]
    assert list(cases('[[deal]]\nname = "x"\nrules = ["PET-01"]\n[points]\n3 = 4')) == [
        ("PET-01", "x")
    ]


def main() -> None:
    """Print the table."""
    found = table()
    for rule, name in rules().items():
        sys.stdout.write(f"{rule}  {name}\n")
        for test in found.get(rule, ["no test"]):
            sys.stdout.write(f"    {test}\n")


if __name__ == "__main__":
    main()
