"""Deletion of what deleted tables and columns leave behind, in small parts.

Each part is one short transaction in the scope of the account. It finds by itself where the one before has ended, so
any worker continues it, and two at once only do parts in turn.
"""

from typing import Final

from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.record_tables.cells import store as cell_store
from firmograph.record_tables.cells.chunk import RowChunk
from firmograph.record_tables.deletion import purge_store
from firmograph.record_tables.deletion.purge_store import Deleted

PART_CELLS: Final = 64
"""Chunks of cells that a part deletes at most, unless a single chunk of rows has more columns."""
_PART_CHUNKS: Final = 4
"""Chunks of rows that a part deletes at most."""
_PART_RUNS: Final = 100
"""Runs that a part deletes at most; an ended one has no cells left to fill."""


class Purge:
    """Deletion of the data of deleted tables and columns of all accounts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def step(self) -> int:
        """Delete a part of the table, or else the column, that was made first; return 0 if nothing is left.

        Raises Busy and Unavailable.
        """
        session = self._database.session()
        for find, purge in (
            (purge_store.find_deleted_table, _purge_table),
            (purge_store.find_deleted_column, _purge_column),
        ):
            found = find(session)
            if found is not None:
                with self._database.write(account_scope(found.account_id)) as writing:
                    purge(AccountSession(writing, found.account_id), found)
                return 1
        return 0


def _purge_table(session: AccountSession, table: Deleted) -> None:
    table_id = table.id
    columns = purge_store.select_column_ids(session, table_id)
    most = max(1, min(_PART_CHUNKS, PART_CELLS // max(1, len(columns))))
    if _purge_rows(session, table_id, columns, most) or _purge_cells(session, columns, most):
        return
    if purge_store.delete_runs_of_table(session, table_id, _PART_RUNS):
        return
    purge_store.delete_columns(session, columns)
    purge_store.delete_table(session, table_id)


def _purge_column(session: AccountSession, column: Deleted) -> None:
    if _purge_cells(session, [column.id], PART_CELLS):
        return
    if purge_store.delete_runs_of_column(session, column.table_id, column.id, _PART_RUNS):
        return
    purge_store.delete_columns(session, [column.id])


def _purge_rows(session: AccountSession, table_id: int, columns: list[int], most: int) -> bool:
    """Delete the first chunks of rows with their cells; return False if there are none."""
    chunks = purge_store.select_first_chunks(session, table_id, most)
    for stored in chunks.values():
        numbers = [number for _, number in RowChunk.decode(stored).rows()]
        cell_store.delete_rows(session, table_id, numbers)
    cell_store.delete_chunks(session, table_id, chunks)
    cell_store.delete_cells(session, columns, sorted(chunks))
    return bool(chunks)


def _purge_cells(session: AccountSession, columns: list[int], most: int) -> bool:
    """Delete cells of columns in some chunks; return False if they have none."""
    chunks = purge_store.select_cell_chunks(session, columns, most)
    cell_store.delete_cells(session, columns, sorted(set(chunks)))
    return bool(chunks)
