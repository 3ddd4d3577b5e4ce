"""Conversion of rows to their types: whole numbers to texts where texts are expected; other wrong types are dropped."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

R = TypeVar("R")

_AT = re.compile(r"(.*) - at (?:`key` in )?`\$(.*)`\Z", re.DOTALL)
_TAKES_TEXT = re.compile(r"Expected `(?:.* )?str\b.*`, got `(?:int|float)`\Z")
_MAX_EXACT = 1e15
"""Bound of floats that are whole numbers with all their digits."""
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_INDEX = re.compile(r"\[\d+\]")
_MAX_SINGLE_DROPS = 50
"""Number of bad values dropped singly; for further ones the whole field is dropped."""


class DroppedValue(NamedTuple):
    """A value that did not fit its field."""

    field: str
    """Its field, such as `emails[0].email`."""
    value: object
    error: msgspec.ValidationError

    def path(self) -> str:
        """Return the field without indexes: `emails.email`."""
        return _INDEX.sub("", self.field)


def convert_row(value: Any, kind: type[R]) -> tuple[R, list[DroppedValue]]:
    """Return the row and the values dropped because their type does not fit. Changes `value`.

    A whole number becomes its digits where a text is expected.

    Raises ValidationError when `value` is no row at all.
    """
    dropped: list[DroppedValue] = []
    while True:
        try:
            return msgspec.convert(value, kind), dropped
        except msgspec.ValidationError as error:
            at = _AT.fullmatch(str(error))
            path = at[2] if at else ""
            steps = [name or int(item) for name, item in _STEP.findall(path)]
            if not steps:
                raise (dropped[0].error if dropped else error) from None
            if at and _TAKES_TEXT.match(at[1]) and _replace_number(value, steps):
                continue
            removed = _remove_value(value, steps if len(dropped) < _MAX_SINGLE_DROPS else steps[:1])
            dropped.append(DroppedValue(path.removeprefix("."), removed, error))


def whole_number_text(value: object) -> str | None:
    """Return the digits of a whole number; None for any other value."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _MAX_EXACT:
        return str(int(value))
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _replace_number(value: Any, steps: Sequence[str | int]) -> bool:
    """Replace a whole number by its digits, and return whether it was one."""
    for step in steps[:-1]:
        value = value[step]
    text = whole_number_text(value[steps[-1]])
    if text is None:
        return False
    value[steps[-1]] = text
    return True


def _remove_value(value: Any, steps: Sequence[str | int]) -> object:
    for step in steps[:-1]:
        value = value[step]
    return value.pop(steps[-1])
