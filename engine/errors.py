"""What can be wrong with an input to the engine.

EngineError
|-- OptionError        a house rule that doesn't exist or can't have that value
|-- NotationError      text that is no card, hand, move or record
|   `-- AmbiguousMove  text that fits more than one legal move
|-- IllegalMove        a well-formed move that the rules forbid here; carries the rule
`-- OutOfTurn          an input of a kind that isn't due: a bug of the caller, not of a player
"""

from __future__ import annotations


class EngineError(ValueError):
    """Base of all: its text is one sentence for a person."""


class OptionError(EngineError):
    """A house rule that doesn't exist or can't have that value."""


class NotationError(EngineError):
    """Text that is no card, hand, move or record. `line` counts from 1, 0 when there is none."""

    def __init__(self, text: str, line: int = 0) -> None:
        super().__init__(text)
        self.line = line


class AmbiguousMove(NotationError):
    """Text that fits more than one legal move."""


class IllegalMove(EngineError):
    """A well-formed move that the rules forbid here.

    `rule` is the identifier under which the rules text explains why (`PET-22`). The sentence is
    `template` with its fields filled from `values`, which whoever speaks another language fills in
    another template.
    """

    def __init__(self, rule: str, template: str, **values: str | int) -> None:
        super().__init__(template.format(**values) if values else template)
        self.rule = rule
        self.template = template
        self.values = values


class OutOfTurn(EngineError):
    """The caller gave an input of a kind that `turn()` didn't ask for."""
