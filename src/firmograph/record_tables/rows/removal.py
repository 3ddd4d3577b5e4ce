"""Removal of rows with their cells."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from firmograph.database.connection import AccountSession
from firmograph.directory import store as directory_store
from firmograph.record_tables.cells.chunk import place_of
from firmograph.record_tables.cells.grid import GridEdit
from firmograph.record_tables.cells.store import select_positions
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.types import RecordTable
from firmograph.security.record_ids import Entity

MOST_STORED_CELLS: Final = 512
"""Chunks of cells that one transaction writes, about 50 ms; rows far apart in a wide table have thousands."""


class Removal(NamedTuple):
    """Result of a removal."""

    removed: int
    missing: set[int]
    """Numbers without a record; a record that is no row is neither removed nor missing."""
    left: list[int]
    """Rows for the next transaction."""


def remove_rows(session: AccountSession, table: RecordTable, numbers: Sequence[int], at: float) -> Removal:
    """Remove the rows of records, or some of them, in the transaction in which the table was read.

    Open runs end when their last cell goes; nothing is charged for the cells.
    """
    rows = select_positions(session, table.id, set(numbers))
    missing = _missing(session, table.entity, [number for number in set(numbers) if number not in rows])
    columns = column_store.select_every_column(session, table.id)
    chunks = sorted({place_of(position).chunk for position in rows.values()})
    chosen = set(chunks[: max(MOST_STORED_CELLS // max(len(columns), 1), 1)])
    removed = {number: position for number, position in rows.items() if place_of(position).chunk in chosen}
    if removed:
        edit = GridEdit(session, table, columns)
        edit.remove_rows(removed)
        edit.write(at)
    return Removal(len(removed), missing, [number for number in rows if number not in removed])


def _missing(session: AccountSession, entity: int, numbers: Collection[int]) -> set[int]:
    find = (
        directory_store.existing_contacts if entity == Entity.CONTACT else directory_store.existing_companies
    )
    return set(numbers) - find(session.session, numbers)
