"""Conversion of rows to their types, dropping values of other types."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

R = TypeVar("R")

_AT = re.compile(r".* - at (?:`key` in )?`\$(.*)`\Z", re.DOTALL)
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

    Raises ValidationError when `value` is no row at all.
    """
    dropped: list[DroppedValue] = []
    while True:
        try:
            return msgspec.convert(value, kind), dropped
        except msgspec.ValidationError as error:
            at = _AT.fullmatch(str(error))
            path = at[1] if at else ""
            steps = [name or int(item) for name, item in _STEP.findall(path)]
            if not steps:
                raise (dropped[0].error if dropped else error) from None
            removed = _remove_value(value, steps if len(dropped) < _MAX_SINGLE_DROPS else steps[:1])
            dropped.append(DroppedValue(path.removeprefix("."), removed, error))


def _remove_value(value: Any, steps: Sequence[str | int]) -> object:
    for step in steps[:-1]:
        value = value[step]
    return value.pop(steps[-1])
