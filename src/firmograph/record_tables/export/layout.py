"""Layout of an exported file: the id, then the columns of the table, each with its status if that is asked for."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final, NamedTuple, Protocol

import msgspec

from firmograph.kit.table_files.columns import CellValue, FileColumn, FileRow
from firmograph.record_tables.types import ValueType

ID: Final = "id"
_STATUS: Final = "{} status"


class ExportCell(Protocol):
    """Cell as it is shown."""

    @property
    def status(self) -> str: ...

    @property
    def value(self) -> bytes | None:
        """JSON; None without a value."""
        ...


class ExportColumn(NamedTuple):
    name: str
    type: ValueType


class ExportRow(NamedTuple):
    id: str
    cells: Sequence[ExportCell]
    """In the order of the columns."""


class _Field(NamedTuple):
    """Source of a column of a file besides the id."""

    column: int
    """Index of the table's column."""
    is_status: bool


class ExportLayout:
    def __init__(self, columns: Sequence[ExportColumn], *, with_status: bool) -> None:
        """Create a layout; `with_status` adds the status of each column behind it.

        Headings differ from all others, letter case aside, as some readers of Parquet ignore it.
        """
        taken = {ID}
        self.columns = [FileColumn(ID)]
        self._fields: list[_Field] = []
        for index, column in enumerate(columns):
            heading = _unused(column.name, taken)
            self.columns.append(FileColumn(heading, column.type))
            self._fields.append(_Field(index, is_status=False))
            if with_status:
                self.columns.append(FileColumn(_unused(_STATUS.format(heading), taken)))
                self._fields.append(_Field(index, is_status=True))

    def row(self, row: ExportRow) -> FileRow:
        """Return the cells of a row of the file."""
        return [row.id, *(_value(row.cells[column], is_status) for column, is_status in self._fields)]

    def row_object(self, row: ExportRow) -> dict[str, CellValue]:
        """Return a row as the object of its line."""
        headings = (column.heading for column in self.columns)
        return dict(zip(headings, self.row(row), strict=True))


def _value(cell: ExportCell, is_status: bool) -> CellValue:
    if is_status:
        return cell.status
    return None if cell.value is None else msgspec.Raw(cell.value)


def _unused(name: str, taken: set[str]) -> str:
    """Return the name, with a number if it is taken, and take it."""
    heading = next(form for form in _forms(name) if form.casefold() not in taken)
    taken.add(heading.casefold())
    return heading


def _forms(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} {number}" for number in count(2))
