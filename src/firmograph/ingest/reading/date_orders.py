"""Order of day and month in the numeric dates of a column.

The first ambiguous date makes a pass over the column. Its first rows decide, the others only where these leave the
order open. Without a decision, or if values contradict each other, ambiguous dates are unread.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from firmograph.directory.normalise.dates import normalise_date
from firmograph.directory.normalise.plain_text import plain_text
from firmograph.directory.normalise.written_dates import Order, date_order, is_numeric_date
from firmograph.ingest.reading.readers import ReadOptions, RowFile, open_rows
from firmograph.kit.errors import Refused

_FIRST_ROWS = 1000

CellRows = Iterable[list[Any] | None]


class DateOrders:
    """Date orders of one table's columns, found when first needed."""

    def __init__(
        self, given: Order | None, rows: Callable[[], AbstractContextManager[CellRows]] | None = None
    ) -> None:
        """Take an order for all columns, or a function that opens the table for a pass over its cells."""
        self._given = given
        self._rows = rows
        self._decided: dict[int, Order | None] = {}

    def iso_date(self, position: int, text: str) -> str:
        """Return a cell's date as ISO 8601 if it is numeric and its column has an order, else the text itself."""
        if not is_numeric_date(text):
            return text
        return normalise_date(text, self.order(position)) or text

    def order(self, position: int) -> Order | None:
        """Return the order of the column at this position in a row."""
        if self._given or self._rows is None:
            return self._given
        if position not in self._decided:
            self._decided[position] = None
            with self._rows() as rows:
                self._decided[position] = _decide_order(_column_texts(rows, position))
        return self._decided[position]


def column_date_orders(rows: RowFile) -> DateOrders:
    """Return the date orders of an open file."""
    return DateOrders(
        rows.options.dates,
        partial(_open_cells, rows.path, rows.options) if rows.columns is not None else None,
    )


@contextmanager
def _open_cells(path: Path, reading: ReadOptions) -> Iterator[CellRows]:
    with open_rows(path, reading) as rows, suppress(Refused):  # preparation reports damage
        yield (row.value if isinstance(row.value, list) else None for row in rows)


def _column_texts(rows: CellRows, position: int) -> Iterable[str]:
    for cells in rows:
        value = cells[position] if cells is not None and position < len(cells) else None
        yield plain_text(value) if isinstance(value, str) else ""


def _decide_order(texts: Iterable[str]) -> Order | None:
    """Return the order that the first rows agree on; if they show none, the first one that any later row shows."""
    each = iter(texts)
    orders = {order for text in islice(each, _FIRST_ROWS) if (order := date_order(text))}
    if not orders:
        return next((order for text in each if (order := date_order(text))), None)
    return orders.pop() if len(orders) == 1 else None
