"""What a row says besides the values of its record: do-not-call marks, stated types, values that cannot be read."""

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from firmograph.directory.normalise.written_dates import Order
from firmograph.ingest.reading.inputs import Scalar
from firmograph.ingest.records.values import day, is_any_placeholder

T = TypeVar("T")


class Notes:
    """What one row after the other says; `marks`, `typed` and `unread` are those of the row that was begun last."""

    def __init__(self, dates: Order | None = None) -> None:
        """`dates` says which of day and month dates in numbers have first, where their column does not."""
        self._read_day = partial(day, order=dates) if dates else day
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
            self.add_unread(path, value)
        return found

    def check(self, path: str, value: object, found: object) -> None:
        """Note an optional value of which nothing was found."""
        if value is not None:
            self.given[path] += 1
            if not found:
                self.add_unread(path, value)

    def day(self, path: str, value: Scalar) -> str | None:
        """The day of a date, noted if it cannot be read."""
        return self.read(path, value, self._read_day)

    def add_unread(self, path: str, value: object) -> None:
        """Note a value that cannot be read, unless it is a placeholder: nobody tried to give a value there."""
        if not is_any_placeholder(str(value)):
            self.unread.append((path, value))
