"""Do-not-call marks, stated e-mail types and unread values of a row."""

import re
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from firmograph.directory.normalise.phones import Number
from firmograph.directory.normalise.written_dates import Order
from firmograph.ingest.reading.inputs import Scalar
from firmograph.ingest.records.values import (
    day,
    email_address,
    has_sign_before,
    is_any_placeholder,
    phone_number,
)

T = TypeVar("T")

_LOCAL = re.compile(r"[\s(]*(?:\d[\s()./-]*){6,12}", re.ASCII)
"""Telephone numbers as they are written within a country."""


class Notes:
    """Notes on rows read one after the other.

    `marks`, `typed` and `unread` are those of the current row, `given` and `local_numbers` count over all rows.
    """

    def __init__(self, dates: Order | None = None, country: str | None = None) -> None:
        """Take the order of day and month in numeric dates, for columns without an order of their own.

        `country` is that of telephone numbers without calling code in rows without a country.
        """
        self._read_day = partial(day, order=dates) if dates else day
        self.given = defaultdict[str, int](int)
        """Number of values by path, read or not."""
        self._country = country
        self.local_numbers = 0
        """Number of telephone numbers that are unread for lack of a country."""
        self.begin()

    def begin(self) -> None:
        self.marks: dict[str, bool] = {}
        """Do-not-call marks that the row states, by number."""
        self.typed: list[int] = []
        """Indexes of the e-mails whose type the row states."""
        self.unread: list[tuple[str, object]] = []
        """Path and value of each unread value."""
        self.is_repaired = False
        """Whether a sign before an e-mail was dropped."""

    def read(self, path: str, value: object, reader: Callable[[Any], T | None]) -> T | None:
        """Return an optional value as converted by `reader`, and note it if that fails."""
        if value is None:
            return None
        self.given[path] += 1
        found = reader(value)
        if found is None:
            self.add_unread(path, value)
        return found

    def check(self, path: str, value: object, found: object) -> None:
        """Count an optional value, and note it as unread if `found` is empty."""
        if value is not None:
            self.given[path] += 1
            if not found:
                self.add_unread(path, value)

    def email(self, path: str, value: str | None) -> str | None:
        """Return a normalised address, and note an unreadable one or a sign dropped before it."""
        found = self.read(path, value, email_address)
        if found and value and has_sign_before(value):
            self.is_repaired = True
        return found

    def phone(self, path: str, value: str | None, country: str | None) -> Number | None:
        """Return a normalised telephone number; `country` is the record's."""
        country = country or self._country
        found = self.read(path, value, lambda number: phone_number(number, country))
        if found is None and country is None and value and self.unread and _LOCAL.fullmatch(value):
            self.local_numbers += self.unread[-1] == (path, value)
        return found

    def day(self, path: str, value: Scalar) -> str | None:
        """Return the day of a date, and note the date if it cannot be read."""
        return self.read(path, value, self._read_day)

    def add_unread(self, path: str, value: object) -> None:
        """Note an unread value, unless it is a placeholder, which stands for no value."""
        if not is_any_placeholder(str(value)):
            self.unread.append((path, value))
