"""Layout of an exported file: the id, then the columns of the table, each with its status if that is asked for."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final, NamedTuple, Protocol

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
    type: str
    """`string`, `number` or `object`."""


class ExportRow(NamedTuple):
    id: str
    cells: Sequence[ExportCell]
    """In the order of the columns."""


class ExportField(NamedTuple):
    """Field of a file besides the id."""

    heading: str
    """Differs from all others, letter case aside, as some readers of Parquet ignore it."""
    type: str
    column: int
    """Index of the column."""
    is_status: bool


class ExportLayout:
    def __init__(self, columns: Sequence[ExportColumn], *, with_status: bool) -> None:
        """Create a layout; `with_status` adds the status of each column behind it."""
        taken = {ID}
        self.fields: list[ExportField] = []
        for index, column in enumerate(columns):
            heading = _unused(column.name, taken)
            self.fields.append(ExportField(heading, column.type, index, is_status=False))
            if with_status:
                status = _unused(_STATUS.format(heading), taken)
                self.fields.append(ExportField(status, "string", index, is_status=True))

    @property
    def headings(self) -> list[str]:
        return [ID, *(field.heading for field in self.fields)]


def _unused(name: str, taken: set[str]) -> str:
    """Return the name, with a number if it is taken, and take it."""
    heading = next(form for form in _forms(name) if form.casefold() not in taken)
    taken.add(heading.casefold())
    return heading


def _forms(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} {number}" for number in count(2))
