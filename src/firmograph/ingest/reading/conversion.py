"""A row's fields under their types, where a value that does not fit its field must not cost the row."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

R = TypeVar("R")

_AT = re.compile(r".* - at (?:`key` in )?`\$(.*)`\Z", re.DOTALL)
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_INDEX = re.compile(r"\[\d+\]")
_MAX_SINGLE_DROPS = 50
"""Of a row with more bad values than this, the others go with all of the field that they are in."""


class DroppedValue(NamedTuple):
    """A value that was left out."""

    field: str
    """Where it stood, such as `emails[0].email`."""
    value: object
    error: msgspec.ValidationError

    def path(self) -> str:
        """The field without places in lists: `emails.email`."""
        return _INDEX.sub("", self.field)


def convert_row(value: Any, kind: type[R]) -> tuple[R, list[DroppedValue]]:
    """The row, and what was left out of it because its type does not fit. Changes `value`.

    Raises ValidationError when a row cannot be made at all.
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
            gone = _remove_value(value, steps if len(dropped) < _MAX_SINGLE_DROPS else steps[:1])
            dropped.append(DroppedValue(path.removeprefix("."), gone, error))


def _remove_value(value: Any, steps: Sequence[str | int]) -> object:
    for step in steps[:-1]:
        value = value[step]
    return value.pop(steps[-1])
