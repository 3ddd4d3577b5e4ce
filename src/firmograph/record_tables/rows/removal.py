"""Removal of rows with their cells."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from firmograph.database.connection import AccountSession
from firmograph.directory import store as directory_store
from firmograph.record_tables.cells.grid import GridEdit
from firmograph.record_tables.cells.store import select_positions
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.types import RecordTable
from firmograph.security.record_ids import Entity


class Removal(NamedTuple):
    """Result of a removal."""

    removed: int
    missing: set[int]
    """Numbers without a record; a record that is no row is neither removed nor missing."""


def remove_rows(session: AccountSession, table: RecordTable, numbers: Sequence[int], at: float) -> Removal:
    """Remove the rows of records, in the transaction in which the table was read.

    Open runs end when their last cell goes; nothing is charged for the cells.
    """
    rows = select_positions(session, table.id, set(numbers))
    missing = _missing(session, table.entity, [number for number in set(numbers) if number not in rows])
    if rows:
        edit = GridEdit(session, table, column_store.select_every_column(session, table.id))
        edit.remove_rows(rows)
        edit.write(at)
    return Removal(len(rows), missing)


def _missing(session: AccountSession, entity: int, numbers: Collection[int]) -> set[int]:
    find = (
        directory_store.existing_contacts if entity == Entity.CONTACT else directory_store.existing_companies
    )
    return set(numbers) - find(session.session, numbers)
