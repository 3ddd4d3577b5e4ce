"""What a row says besides the values of its record: do-not-call marks, stated types, values that cannot be read."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any, TypeVar

from firmograph.ingest.values import stands_for_none

T = TypeVar("T")


class Notes:
    """What one row after the other says; `marks`, `typed` and `unread` are those of the row that was begun last."""

    def __init__(self) -> None:
        self.given = defaultdict[str, int](int)
        """How many values were read or refused, by path."""
        self.begin()

    def begin(self) -> None:
        self.marks: dict[str, bool] = {}
        """Of each number whether it is do-not-call, where the row says so or says that it is not."""
        self.typed: list[int] = []
        """The places of the e-mails whose type the row states."""
        self.unread: list[tuple[str, object]] = []
        """Path and value of what could not be read."""

    def read(self, path: str, value: object, reader: Callable[[Any], T | None]) -> T | None:
        """Read an optional value, and note it if it cannot be read."""
        if value is None:
            return None
        self.given[path] += 1
        found = reader(value)
        if found is None:
            self.refuse(path, value)
        return found

    def refuse(self, path: str, value: object) -> None:
        """Note a value that cannot be read, unless it is a placeholder: nobody tried to give a value there."""
        if not stands_for_none(str(value)):
            self.unread.append((path, value))
