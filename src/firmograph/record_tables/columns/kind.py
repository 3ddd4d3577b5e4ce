"""Interface of a kind of column: what a cell of it holds, and what it costs."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple, Protocol

from firmograph.billing.affordable_charge import PricedGroup
from firmograph.database.connection import AccountSession
from firmograph.record_tables.types import Cell, TableColumn, ValueType
from firmograph.security.record_ids import Entity


class CellContent(NamedTuple):
    """What a record holds for a column at one time."""

    value: bytes | None
    """JSON; None where nothing is held: the cell is `no_data`."""
    groups: tuple[PricedGroup, ...] = ()
    """What it costs; empty for a free one."""
    note: Mapping[str, Any] | None = None
    """Further members of the cell in answers, such as `doNotCall`."""

    @property
    def cell(self) -> Cell:
        """The content as a cell to store."""
        if self.value is None:
            return Cell("no_data")
        return Cell("success", self.value, dict(self.note) if self.note else None)


NO_DATA = CellContent(None)


class ColumnKind(Protocol):
    """Kind of columns, by `TableColumn.kind`."""

    def value_type(self, column: TableColumn, entity: Entity) -> ValueType:
        """Return the type of its values."""
        ...

    def load(
        self,
        session: AccountSession,
        entity: Entity,
        columns: Collection[TableColumn],
        numbers: Collection[int],
        at: float,
    ) -> Mapping[int, Mapping[int, CellContent]]:
        """Return the content of cells, by column and record; records that do not exist have none.

        All columns are of this kind. It only reads, and charges nothing.
        """
        ...


class ColumnKinds:
    """Kinds that can be run, by name."""

    def __init__(self, kinds: Mapping[str, ColumnKind]) -> None:
        self._kinds = kinds

    def of(self, column: TableColumn) -> ColumnKind:
        return self._kinds[column.kind]

    def load(
        self,
        session: AccountSession,
        entity: Entity,
        columns: Collection[TableColumn],
        numbers: Collection[int],
        at: float,
    ) -> dict[int, Mapping[int, CellContent]]:
        """Return the content of cells of columns of any kinds, by column and record."""
        contents: dict[int, Mapping[int, CellContent]] = {}
        for name in {column.kind for column in columns}:
            of_kind = [column for column in columns if column.kind == name]
            contents.update(self._kinds[name].load(session, entity, of_kind, numbers, at))
        return contents
