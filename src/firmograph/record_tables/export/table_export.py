"""Rows of a table for export, each read once in bounded memory."""

from collections.abc import Iterator
from typing import NamedTuple

from firmograph.database.connection import AccountSession, Database
from firmograph.kit.errors import Refused
from firmograph.record_tables import store
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.kind import ColumnKinds
from firmograph.record_tables.export.layout import ExportColumn, ExportRow
from firmograph.record_tables.rows.reading import RowReader
from firmograph.security.record_ids import Entity, RecordIds


class TableContent(NamedTuple):
    """Columns and rows of a table."""

    row_count: int
    """Rows at the beginning."""
    columns: list[ExportColumn]
    rows: Iterator[ExportRow]
    """In the order of adding, without those that are removed until they are read."""


class TableExport:
    def __init__(
        self, database: Database, kinds: ColumnKinds, reader: RowReader, record_ids: RecordIds
    ) -> None:
        self._database = database
        self._kinds = kinds
        self._reader = reader
        self._record_ids = record_ids

    def open(self, account_id: int, table_id: int) -> TableContent:
        """Return the content of a table; its columns are those of now. Raises Refused if it was deleted."""
        with self._database.read() as session:
            own = AccountSession(session, account_id)
            table = store.find_table(own, table_id)
            if table is None:
                raise Refused("The table was deleted")
            columns = column_store.select_columns(own, table_id)
        entity = Entity(table.entity)
        shown = [
            ExportColumn(column.name, self._kinds.of(column).value_type(column, entity)) for column in columns
        ]
        rows = (
            ExportRow(self._record_ids.seal(entity, row.number), row.cells)
            for chunk in self._reader.chunks(self._database, table, columns)
            for row in chunk
        )
        return TableContent(table.entity_count, shown, rows)
