"""Addition of rows: records that exist and are no rows yet, with the cells of default columns and the price."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from firmograph.billing.paid_units import PaidUnits
from firmograph.billing.types import Unit, UnitKind
from firmograph.database.connection import AccountSession
from firmograph.directory import store as directory_store
from firmograph.directory.company_json import is_bare
from firmograph.directory.data_points import COMPANY_BASE
from firmograph.kit.errors import Forbidden
from firmograph.record_tables.cells.grid import GridEdit, NewRow
from firmograph.record_tables.cells.store import select_positions
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.kind import NO_DATA, ColumnKinds
from firmograph.record_tables.types import MOST_ROWS, RecordTable
from firmograph.security.record_ids import Entity


class Addition(NamedTuple):
    """Result of an addition, by record number; each number that was given is in exactly one list, once."""

    added: list[int]
    """New rows, in the order of their positions."""
    present: list[int]
    """Rows of before."""
    missing: list[int]
    """Numbers without a record."""
    units: frozenset[Unit]
    """Price of the new rows; units that are paid already are among them."""
    paid: set[int]
    """Rows, new and of before, whose base was paid already."""


class RowAddition:
    """Addition of rows to a table, without their charge."""

    def __init__(self, kinds: ColumnKinds, paid_units: PaidUnits) -> None:
        self._kinds = kinds
        self._paid_units = paid_units

    def add(self, session: AccountSession, table: RecordTable, numbers: Sequence[int], at: float) -> Addition:
        """Add records in their order, and fill their cells of default columns.

        The table was read in the same transaction, which holds the scope of the account; the caller charges the units
        in it. The number of statements does not depend on that of records, apart from one for each chunk written.
        Raises Forbidden, before anything is written, if the new rows do not fit.
        """
        different = list(dict.fromkeys(numbers))
        rows = select_positions(session, table.id, different)
        existing = _find(session, table.entity, [number for number in different if number not in rows])
        added = [number for number in different if number in existing]
        room = MOST_ROWS - table.entity_count
        if len(added) > room:
            problem = f"a table has at most {MOST_ROWS} rows; {len(added)} are new and {room} still fit"
            raise Forbidden(
                f"Forbidden: {problem}. Nothing was added; remove rows or take another table", [problem]
            )
        if added:
            self._write(session, table, added, at)
        present = [number for number in different if number in rows]
        return Addition(
            added,
            present,
            [number for number in different if number not in rows and number not in existing],
            frozenset(_base(number) for number in added if existing[number]),
            self._paid(session, table.entity, [*added, *present], at),
        )

    def _write(self, session: AccountSession, table: RecordTable, added: Sequence[int], at: float) -> None:
        columns = column_store.select_every_column(session, table.id)
        defaults = [column for column in columns if column.is_default]
        contents = self._kinds.load(session, Entity(table.entity), defaults, added, at)
        edit = GridEdit(session, table, columns)
        edit.add_rows(
            [
                NewRow(number, {one.id: contents[one.id].get(number, NO_DATA).cell for one in defaults})
                for number in added
            ]
        )
        edit.write(at)
        for column in defaults:
            column_store.touch_column(session, column.id, at)

    def _paid(self, session: AccountSession, entity: int, rows: Collection[int], at: float) -> set[int]:
        if entity != Entity.COMPANY or not rows:
            return set()
        units = {_base(number) for number in rows}
        return {unit.record for unit in self._paid_units.find_paid(session, units, at)}


def _base(number: int) -> Unit:
    return Unit(UnitKind.COMPANY_DATA, number, COMPANY_BASE)


def _find(session: AccountSession, entity: int, numbers: Collection[int]) -> dict[int, bool]:
    """Return those of the numbers that have a record, and whether its base has a price. One statement."""
    if entity == Entity.CONTACT:
        return dict.fromkeys(directory_store.existing_contacts(session.session, numbers), False)
    profiles = directory_store.company_profiles(session.session, numbers)
    return {number: not is_bare(company.profile) for number, company in profiles.items()}
