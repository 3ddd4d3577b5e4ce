"""Who may see and change a table: users of its account, by visibility and ownership."""

from typing import NamedTuple

from firmograph.database.connection import AccountSession
from firmograph.kit.errors import Forbidden, NotFound
from firmograph.record_tables import store
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.types import RecordTable, TableColumn
from firmograph.security.record_ids import Entity


class Actor(NamedTuple):
    """Who calls: a user of an account, or its operator."""

    account_id: int
    user_id: int | None
    """None for the operator, who may see and change every table."""


class GivenTable(NamedTuple):
    """Table that an operator has named."""

    account_id: int
    number: int
    table_id: str
    entity: Entity


class TableAccess:
    """Look-up of tables and columns by public ids, as far as a user may see them."""

    def __init__(self, ids: TableIds) -> None:
        self._ids = ids

    def find(self, session: AccountSession, actor: Actor, entity: int, table_id: str) -> RecordTable:
        """Return a table that the user may see. Raises NotFound for any other, whatever the reason."""
        number = self._ids.open_table(table_id)
        table = store.find_table(session, number) if number is not None else None
        if table is None or table.entity != entity or not is_visible(table, actor):
            raise NotFound("TABLE_NOT_FOUND: there is no such table; list the tables to find its id")
        return table

    def find_owned(self, session: AccountSession, actor: Actor, entity: int, table_id: str) -> RecordTable:
        """Return a table of the user. Raises NotFound, and Forbidden for a shared table of another user."""
        table = self.find(session, actor, entity, table_id)
        if actor.user_id not in (None, table.owner_id):
            problem = "only its owner renames, shares, archives or deletes a table"
            raise Forbidden(f"Forbidden: {problem}", [problem])
        return table

    def find_given(self, session: AccountSession, given: GivenTable) -> RecordTable:
        """Return a table that the operator has named. Raises NotFound if it was deleted since."""
        return self.find(session, Actor(given.account_id, None), given.entity, given.table_id)

    def find_column(self, session: AccountSession, table: RecordTable, column_id: str) -> TableColumn:
        """Return a column of the table. Raises NotFound."""
        number = self._ids.open_column(column_id)
        column = column_store.find_column(session, table.id, number) if number is not None else None
        if column is None:
            raise NotFound("COLUMN_NOT_FOUND: the table has no such column; list its columns to find the id")
        return column


def is_visible(table: RecordTable, actor: Actor) -> bool:
    """Return whether a user of the account may see a table of it."""
    return bool(table.is_shared) or actor.user_id in (None, table.owner_id)
