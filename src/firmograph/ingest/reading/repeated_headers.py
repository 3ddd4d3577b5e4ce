"""Headers that stand again among the rows of a table, as in exports that were joined (docs/importing.md)."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from firmograph.ingest.reading.header_names import (
    header_name,
    is_listed,
    listed_spellings,
    plain_name,
    simple_name,
)

_FEWEST_KNOWN = 3
"""Names of columns in a row of which other cells are none, from which it is a header."""
_FIRST_CELLS = 3
"""Cells of which one must be a name of a column."""


class ColumnOrder:
    """The order of a table's columns below the last header that was seen."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self.width = len(self._names)
        self._plain = [plain_name(name) for name in names]
        self._counts = Counter(filter(None, self._plain))
        self._spellings = listed_spellings().union(map(simple_name, names))
        self._positions: list[int | None] | None = None
        """Column of each cell, or of none; None for the order of the first header."""
        self.is_foreign = False
        """Whether the last header has other columns than the first one."""

    def is_header(self, cells: Sequence[Any]) -> bool:
        """Return whether the cells of a row are a header."""
        return self._is_first_header(cells) or self._is_other_header(cells)

    def follow(self, cells: Sequence[Any]) -> None:
        """Read the following rows by this header."""
        plain = [plain_name(header_name(cell)) for cell in cells]
        while plain and not plain[-1]:
            plain.pop()
        self.is_foreign = not Counter(filter(None, plain)) <= self._counts
        is_same = self.is_foreign or plain == self._plain[: len(plain)]
        self._positions = None if is_same else self._find_positions(plain)

    def arrange(self, cells: list[Any]) -> list[Any]:
        """Return the cells of a row in the order of the first header; those of no column follow."""
        if self._positions is None:
            return cells
        arranged: list[Any] = [""] * len(self._names)
        others = cells[len(self._positions) :]
        for position, cell in zip(self._positions, cells, strict=False):
            if position is None:
                others.append(cell)
            else:
                arranged[position] = cell
        return arranged + others if any(others) else arranged

    def _is_first_header(self, cells: Sequence[Any]) -> bool:
        if len(cells) != len(self._names) or header_name(cells[0]) != self._names[0]:
            return False
        return all(header_name(cell) == name for cell, name in zip(cells, self._names, strict=True))

    def _is_other_header(self, cells: Sequence[Any]) -> bool:
        """Return whether most of the filled cells are names of columns, and none is an address."""
        # this runs for each row, and few rows have a name of a column in one of their first cells
        spellings = self._spellings
        for cell in cells[:_FIRST_CELLS]:
            if isinstance(cell, str) and simple_name(cell) in spellings:
                break
        else:
            return False
        filled = [cell for cell in cells if cell]
        if any(not isinstance(cell, str) or "@" in cell or "://" in cell for cell in filled):
            return False
        known = sum(self._is_name(cell) for cell in filled)
        return known == len(cells) == 2 or (known >= _FEWEST_KNOWN and known * 2 > len(filled))

    def _is_name(self, cell: str) -> bool:
        return plain_name(cell) in self._counts or is_listed(cell)

    def _find_positions(self, plain: Sequence[str]) -> list[int | None]:
        """Return the column of each name; of several columns of one name the first is that of its first cell."""
        free: dict[str, list[int]] = {}
        for position, name in enumerate(self._plain):
            free.setdefault(name, []).append(position)
        return [free[name].pop(0) if free.get(name) else None for name in plain]
