"""Views of tables and columns in answers."""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, structs

from firmograph.accounts.users import list_users
from firmograph.database.connection import AccountSession
from firmograph.kit.clock import iso
from firmograph.record_tables.answers import ColumnView, TableCreator, TableOwner, TableStatus, TableView
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.types import ENTITY_TYPES, RecordTable, TableColumn


class TableViews:
    """Renderer of tables, with their owners' addresses and the addresses of their pages."""

    def __init__(self, ids: TableIds, public_url: str) -> None:
        self._ids = ids
        self._pages = f"{public_url.rstrip('/')}/workspace/tables"

    def table(self, session: AccountSession, table: RecordTable) -> TableView:
        """Return the view of one table. One statement."""
        return self.tables(session, [table])[0]

    def tables(self, session: AccountSession, tables: Sequence[RecordTable]) -> list[TableView]:
        """Return the views of tables in their order. One statement."""
        addresses = {user.id: user.email for user in list_users(session)}
        return [self._table(table, addresses.get(table.owner_id)) for table in tables]

    def status(self, session: AccountSession, table: RecordTable) -> TableStatus:
        """Return the view of a table with its columns. Two statements."""
        columns = column_store.select_columns(session, table.id)
        members: dict[str, Any] = structs.asdict(self.table(session, table))
        return TableStatus(**members, columns=[self.column(column) for column in columns])

    def column(self, column: TableColumn) -> ColumnView:
        counters = column.counters
        return ColumnView(
            column_id=self._ids.column_id(column.id),
            name=column.name,
            type=column.kind,
            key=column.key,
            is_default=bool(column.is_default),
            added_at=iso(column.added_at),
            updated_at=iso(column.updated_at),
            rows_not_run=counters.not_run,
            rows_processing=counters.processing,
            rows_success=counters.success,
            rows_no_data=counters.no_data,
            rows_failed=counters.failed,
        )

    def _table(self, table: RecordTable, email: str | None) -> TableView:
        """Return the view of a table; its owner's address is None once the user has been removed."""
        table_id = self._ids.table_id(table.id)
        return TableView(
            table_id=table_id,
            name=table.name,
            entity_type=ENTITY_TYPES[table.entity],
            visibility="shared" if table.is_shared else "private",
            status="archived" if table.is_archived else "active",
            owner=TableOwner(id=table.owner_id, email=email if email is not None else UNSET),
            created_by=TableCreator(surface=table.surface, created_by_user_id=table.created_by),
            workspace_url=f"{self._pages}/{table_id}",
            entity_count=table.entity_count,
            column_count=table.column_count,
            is_processing=table.open_runs > 0,
        )
