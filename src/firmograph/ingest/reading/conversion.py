"""A row's fields under their types, where a value that does not fit its field must not cost the row."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

R = TypeVar("R")

_AT = re.compile(r".* - at (?:`key` in )?`\$(.*)`\Z", re.DOTALL)
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_PLACE = re.compile(r"\[\d+\]")
_SINGLY = 50
"""Of a row with more bad values than this, the others go with all of the field that they are in."""


class Dropped(NamedTuple):
    """A value that was left out."""

    field: str
    """Where it stood, such as `emails[0].email`."""
    value: object
    error: msgspec.ValidationError

    def path(self) -> str:
        """The field without places in lists: `emails.email`."""
        return _PLACE.sub("", self.field)


def converted(value: Any, kind: type[R]) -> tuple[R, list[Dropped]]:
    """The row, and what was left out of it because its type does not fit. Changes `value`.

    Raises ValidationError when a row cannot be made at all.
    """
    dropped: list[Dropped] = []
    while True:
        try:
            return msgspec.convert(value, kind), dropped
        except msgspec.ValidationError as error:
            at = _AT.fullmatch(str(error))
            path = at[1] if at else ""
            steps = [name or int(item) for name, item in _STEP.findall(path)]
            if not steps:
                raise (dropped[0].error if dropped else error) from None
            gone = _drop(value, steps if len(dropped) < _SINGLY else steps[:1])
            dropped.append(Dropped(path.removeprefix("."), gone, error))


def _drop(value: Any, steps: Sequence[str | int]) -> object:
    for step in steps[:-1]:
        value = value[step]
    return value.pop(steps[-1])
