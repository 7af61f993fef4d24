"""The messages that the program says, found in its source and in the games' phrases.

Law: reads source, knows no catalogue. A message is a literal in `text`, `t`, `mark`, `tell` or
`count`. What layers without a language say is found by what it is given to: errors, findings, news;
there an f-string is the template `{field}` of its values, as a translator sees it.
"""

from __future__ import annotations

import ast
import builtins
import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from engine import registry
from node.language import SAID
from tools.arguments import make_parser
from tools.help import help_texts

ROOT = Path(__file__).resolve().parent.parent.parent
_SAYS = {"text", "t", "mark", "tell", "_tell"}
_UNSEEN = (
    *("tools/bench", "tools/dev.", "tools/dev_", "tools/duels", "tools/node_process"),
    *("protocol/announce", "protocol/wire", "protocol/shapes", "protocol/group"),
    *("protocol/keyproof", "node/discovery", "node/language", "node/mesh", "node/sockets"),
    *(
        "engine/worlds",
        "node/inputs",
        "node/lesson",
        "node/link",
        "node/hosting",
        "node/statistics",
    ),
)
"""What only those who write the program get to read: it stays English."""
_INTERNAL = ("_playout", "_rollout", "_bot", "_worlds")
_TOLD = {"ArgumentTypeError", "Breach", "Ending", "Finding", "Found", "NotSent", "RecordFault"}
"""What sentences are given to besides errors."""
_NAMES = {
    *("text", "advice", "sentence", "hint"),
    *("_REFUSALS", "_KIND_WORDS", "_REPORT", "_DUE", "_OTHERS"),
}
"""Variables that hold such a sentence, or a mapping or tuple of them, until it is given."""
_OURS = {
    *("OutOfTurn", "LocalProtocolError", "NodeFailed", "CatalogueError", "StageFailed"),
    *("WouldContradict", "BackendError", "SodiumError", "DevError", "Left"),
    *vars(builtins),
}
"""Errors whose text no player sees: bugs of this program, told by their kind alone."""


class Message(NamedTuple):
    """A key of a catalogue; `many` is "" but for messages with a number."""

    one: str
    many: str = ""
    context: str = ""

    @property
    def key(self) -> str:
        """As `node.language.read` writes it."""
        context = f"{self.context}\x04" if self.context else ""
        return f"{context}{self.one}" + (f"\0{self.many}" if self.many else "")


def _literal(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _either(node: ast.expr) -> Iterator[str]:
    """The literals that `node` may be."""
    if isinstance(node, ast.IfExp):
        yield from _either(node.body)
        yield from _either(node.orelse)
    literal = _literal(node)
    if literal is not None:
        yield literal


def _called(node: ast.Call) -> str:
    return getattr(node.func, "attr", None) or getattr(node.func, "id", None) or ""


def in_source(source: str) -> Iterator[Message]:
    """The messages of one module."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        second = _literal(node.args[1]) if len(node.args) > 1 else None
        first = _literal(node.args[0])
        if _called(node) == "count" and first is not None and second is not None:
            yield Message(first, second)
        elif _called(node) in _SAYS:
            for one in _either(node.args[0]):
                yield Message(one, context=second or "")


@functools.cache
def errors() -> frozenset[str]:
    """The names of all classes of errors."""
    found = {name for name in vars(builtins) if name.endswith(("Error", "Exception"))}
    classes = [
        (node.name, {getattr(base, "id", "") or getattr(base, "attr", "") for base in node.bases})
        for path in ROOT.glob("[enpt]*/**/*.py")
        if path.parts[len(ROOT.parts)] != "tests"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    for _ in range(6):  # the depth of the trees
        found |= {name for name, bases in classes if bases & found}
    return frozenset(found)


# -- what is said in English ----------------------------------------------------------------------


def _field(node: ast.expr) -> str:
    """A name for a value of an f-string: its variable's, its attribute's, its argument's."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.strip("_").lower()
        case ast.Subscript(value=value) | ast.Call(args=[value, *_]) | ast.Call(func=value):
            return _field(value)
        case ast.BoolOp(values=[value, *_]) | ast.BinOp(left=value):
            return _field(value)
    return ""


def template(node: ast.expr) -> str | None:
    """A literal, or an f-string with named fields instead of its values; None for others."""
    if not isinstance(node, ast.JoinedStr):
        return _literal(node)
    text = ""
    fields: dict[str, str] = {}
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            wanted = _field(part.value) or "value"
            taken = [name for value, name in fields.items() if value != ast.dump(part.value)]
            while wanted in taken:
                wanted += "_"
            text += f"{{{fields.setdefault(ast.dump(part.value), wanted)}}}"
        else:
            text += _literal(part) or ""
    return text


def _sentences(node: ast.expr) -> Iterator[str]:
    """The templates that `node` may be, or holds."""
    match node:
        case ast.IfExp(body=one, orelse=other):
            yield from _sentences(one)
            yield from _sentences(other)
        case ast.Dict(values=values) | ast.Tuple(elts=values):
            for value in values:
                yield from _sentences(value)
        case (
            ast.Subscript(value=ast.Dict() as value)
            | ast.Call(func=ast.Attribute(attr="get"), args=[_, value])
        ):
            yield from _sentences(value)
        case _:
            found = template(node)
            if found is not None and " " in found.strip():
                yield found


def said_in(source: str) -> Iterator[Message]:
    """What a module says in English for others to retell; one word alone is a name, no sentence."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and _called(node) == "said":
            yield from (Message(text, context=SAID) for text in _either(node.args[0]))
        given: list[ast.expr] = []
        match node:
            case ast.Raise(exc=ast.Call() as call) if _called(call) not in errors() | _OURS | _TOLD:
                given = call.args  # of a function that makes the error
            case ast.Call() if _called(node) in _TOLD or _called(node) in errors() - _OURS:
                given = [*node.args, *(keyword.value for keyword in node.keywords)]
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in _NAMES:
                given = [value]
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if (
                name in _NAMES
            ):
                given = [value]
        for expression in given:
            yield from (Message(text, context=SAID) for text in _sentences(expression))


def refusals() -> Iterator[tuple[str, ast.expr]]:
    """The sentence of every IllegalMove that the engine raises, and where."""
    for path in sorted((ROOT / "engine").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and _called(node) == "IllegalMove":
                yield f"{path.name}:{node.lineno}", node.args[1]


def is_found(sentence: ast.expr) -> bool:
    """Whether `said_in` finds what this says: a template, or a variable that it knows."""
    match sentence:
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
            return name in _NAMES
        case ast.IfExp(body=one, orelse=other):
            return is_found(one) and is_found(other)
    return _literal(sentence) is not None


_SPEAKS = {"say", "_say", "line", "good", "bad", "remark", "detail", "prompt", "_prompt"}
_WORDS = re.compile(r"[a-z']{2,} [a-z']{2,}")


def untold(source: str) -> Iterator[str]:
    """Sentences that are printed as they stand, in no catalogue; a command to type is none."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and _called(node) in _SPEAKS and node.args:
            for text in _sentences(node.args[0]):
                if _WORDS.search(text) and not text.strip().startswith("busso "):
                    yield text


def all_untold() -> list[str]:
    """Those of the whole program, but for what only those who write it see."""
    return [text for source in _sources("node/*.py", "tools/*.py") for text in untold(source)]


# -- all of them ----------------------------------------------------------------------------------


def _sources(*patterns: str) -> Iterator[str]:
    for pattern in patterns:
        for path in sorted(ROOT.glob(pattern)):
            place = f"{path.parent.name}/{path.name}"
            if path.parent.parent == ROOT and path.parent.name == "tests":
                continue
            if not place.startswith(_UNSEEN) and not path.stem.endswith(_INTERNAL):
                yield path.read_text("utf-8")


def retold() -> list[Message]:
    """Every sentence that is retold, each once."""
    found: dict[Message, None] = {}
    for source in _sources("*/*.py", "engine/games/*.py"):
        found.update(dict.fromkeys(said_in(source)))
    texts = help_texts(make_parser())
    found.update(dict.fromkeys(Message(text, context=SAID) for text in texts))
    return list(found)


def needed() -> list[Message]:
    """Every message that a language has to translate, each once, in the order of finding."""
    found: dict[Message, None] = {}
    for source in _sources("node/*.py", "node/screen/*.py", "tools/*.py"):
        found.update(dict.fromkeys(in_source(source)))
    for name in registry.GAMES:
        found.update(dict.fromkeys(Message(p) for p in registry.get(name).phrases.values()))
    return list(found)
