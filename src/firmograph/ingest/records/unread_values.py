"""Counts of values and unread values by column (docs/reference/import.md#unread-values)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from firmograph.ingest.reading.row_layout import Layout
from firmograph.ingest.reading.unreadable_value import UNREADABLE

_MAX_LINES = 10
_MAX_SAMPLES = 3
_MAX_SAMPLE = 40
"""Characters of a sample."""
_MIN_VALUES = 20
_MAX_UNREAD_SHARE = 0.1
_MAX_UNKNOWN = 1_000
"""Different unknown keys that are counted; files may use ids as keys."""


class UnreadValues(msgspec.Struct):
    """The rows with an unread value in one column, or other rows that are counted with their lines."""

    count: int = 0
    lines: list[int] = []
    """The first of their lines."""

    def add(self, other: "UnreadValues") -> None:
        self.count += other.count
        self.lines = [*self.lines, *(line for line in other.lines if line not in self.lines)][:_MAX_LINES]


class ColumnCounts(msgspec.Struct, array_like=True):
    """Value counts of a batch by column.

    A column's name is its header, in JSON Lines the field path.
    """

    given: dict[str, int] = {}
    """Number of values."""
    unread: dict[str, UnreadValues] = {}
    repaired: UnreadValues = msgspec.field(default_factory=UnreadValues)
    """Rows with quotation marks that were read as text, or a sign dropped before an e-mail."""
    skipped: UnreadValues = msgspec.field(default_factory=UnreadValues)
    """Lines that stand for no record, such as repeated headers."""
    unknown: dict[str, int] = {}
    """Number of rows with a value under each column or JSON key that nothing reads."""
    samples: dict[str, list[str]] = {}
    """The first different unread values of each column."""
    local_numbers: int = 0
    """Number of telephone numbers that are unread for lack of a country."""

    def add_repaired(self, line: int) -> None:
        self.repaired.add(UnreadValues(1, [line]))

    def add_skipped(self, line: int) -> None:
        self.skipped.add(UnreadValues(1, [line]))

    def add_unknown(self, counts: Mapping[str, int]) -> None:
        for key, count in counts.items():
            if key in self.unknown or len(self.unknown) < _MAX_UNKNOWN:
                self.unknown[key] = self.unknown.get(key, 0) + count

    def add_unread(self, columns: Mapping[str, Iterable[object]], line: int) -> None:
        """Count the columns of which a row has values that cannot be read, each once."""
        for column, values in columns.items():
            self.unread.setdefault(column, UnreadValues()).add(UnreadValues(1, [line]))
            if len(self.samples.get(column, ())) < _MAX_SAMPLES:
                self._add_samples(column, (_sample(value) for value in values if value is not UNREADABLE))

    def _add_samples(self, column: str, values: Iterable[str]) -> None:
        found = self.samples.setdefault(column, [])
        found += [value for value in dict.fromkeys(values) if value not in found][: _MAX_SAMPLES - len(found)]

    def add_given(self, counts: Mapping[str, int]) -> None:
        for column, count in counts.items():
            self.given[column] = self.given.get(column, 0) + count

    def add(self, other: "ColumnCounts") -> None:
        self.add_given(other.given)
        for column, unread in other.unread.items():
            self.unread.setdefault(column, UnreadValues()).add(unread)
        self.repaired.add(other.repaired)
        self.skipped.add(other.skipped)
        self.add_unknown(other.unknown)
        for column, values in other.samples.items():
            self._add_samples(column, values)
        self.local_numbers += other.local_numbers

    def count_unread(self) -> int:
        """Return the number of rows with an unread value, summed over all columns."""
        return sum(unread.count for unread in self.unread.values())

    def poorly_read(self) -> Iterable[str]:
        """Yield the columns with more than a tenth of their values unread, if they have enough values."""
        for column, unread in self.unread.items():
            values = max(self.given.get(column, 0), unread.count)
            if values >= _MIN_VALUES and unread.count > values * _MAX_UNREAD_SHARE:
                yield column


def _sample(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= _MAX_SAMPLE else text[: _MAX_SAMPLE - 1] + "…"


def unread_by_column(
    layout: Layout | None, cells: Sequence[Any], unread: Iterable[tuple[str, object]]
) -> dict[str, list[object]]:
    """Return a row's unread values by column, those of one without a column by their path.

    `unread` holds the path and value of each. Takes the cells that the layout could not read at all.
    """
    found: dict[str, list[object]] = {name: [] for name in layout.take_unreadable()} if layout else {}
    seen = Counter[tuple[str, str]]()
    for path, value in unread:
        columns = layout.columns_of(path, value, cells) if layout else []
        # a value that comes again is of the next column that has it
        again = seen[path, str(value)]
        seen[path, str(value)] += 1
        column = columns[min(again, len(columns) - 1)] if columns else path
        found.setdefault(column, []).append(value)
    return found
