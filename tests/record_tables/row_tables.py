"""Tables with rows on a real database, and a kind of column whose cells tests choose."""

from collections.abc import Collection, Mapping
from itertools import count

import msgspec

from account_fixtures import World
from firmograph.database.connection import RECORDS, AccountSession, account_scope
from firmograph.directory.tables import companies, contacts
from firmograph.record_tables import store
from firmograph.record_tables.cells.grid import GridEdit
from firmograph.record_tables.cells.store import select_positions
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.kind import CellContent, ColumnKinds
from firmograph.record_tables.columns.store import NewColumn
from firmograph.record_tables.rows.addition import Addition, RowAddition
from firmograph.record_tables.runs.acceptance import begin_run
from firmograph.record_tables.store import NewTable
from firmograph.record_tables.types import Cell
from firmograph.security.record_ids import Entity

CONTACT, COMPANY = Entity.CONTACT, Entity.COMPANY
_serials = count(1)


class FakeKind:
    """Kind whose cells hold the record's number; records whose number divides by 10 have none."""

    def value_type(self, column, entity) -> str:
        return "number" if column.key == "count" else "string"

    def load(self, session, entity, columns, numbers, at) -> Mapping[int, Mapping[int, CellContent]]:
        return {
            column.id: {
                number: CellContent(msgspec.json.encode(f"{column.key} {number}"), note=_note(number))
                for number in numbers
                if number % 10
            }
            for column in columns
        }


def _note(number: int) -> dict[str, bool] | None:
    return {"doNotCall": True} if number % 10 == 7 else None


KINDS = ColumnKinds({"lusha": FakeKind()})


def insert_records(world: World, entity: Entity, numbers: Collection[int], profile: bytes = b"{}") -> None:
    """Insert records without any data."""
    with world.database.write(RECORDS) as session:
        if entity is CONTACT:
            session.load(contacts, [(n, None, b"{}", b"{}", None, None, None) for n in numbers])
        else:
            session.load(companies, [(n, b"", b"{}", profile, None, None, 0, 0) for n in numbers])


class RowTable:
    """Table of an account with two default columns and another one, `email`."""

    def __init__(self, world: World, entity: Entity = CONTACT, *, account: int | None = None) -> None:
        self.world = world
        self.entity = entity
        self.account = account or world.caller(f"Rows {next(_serials)}", credits=1_000).account_id
        self.addition = RowAddition(KINDS, world.purchases)
        with world.database.write(account_scope(self.account)) as session:
            own = AccountSession(session, self.account)
            self.id = store.insert_table(own, NewTable(entity, "Records", 1, "api", False), 1.0)
            self.name, self.title, self.email = (
                column_store.insert_column(
                    own, self.id, NewColumn("lusha", key, key, key, None, default), 0, 1.0
                )
                for key, default in (("fullName", True), ("jobTitle", True), ("workEmail", False))
            )

    def write(self, act):
        """Return what `act` returns of a session and the table, in one write transaction of the account."""
        with self.world.database.write(account_scope(self.account)) as session:
            own = AccountSession(session, self.account)
            table = store.find_table(own, self.id)
            return act(own, table)

    def read(self, act):
        """Return what `act` returns of a session and the table, in one read transaction."""
        with self.world.database.read() as session:
            own = AccountSession(session, self.account)
            return act(own, store.find_table(own, self.id))

    def add(self, *numbers: int, at: float = 2.0) -> Addition:
        return self.write(lambda own, table: self.addition.add(own, table, numbers, at))

    def remove(self, *numbers: int) -> None:
        self.edit(lambda edit, own: edit.remove_rows(select_positions(own, self.id, numbers)))

    def fill(self, cells: Mapping[int, Cell], column: int | None = None) -> None:
        """Fill cells, given by record."""

        def set_cells(edit: GridEdit, own: AccountSession) -> None:
            places = select_positions(own, self.id, list(cells))
            edit.set_cells(column or self.email, {places[number]: cell for number, cell in cells.items()})

        self.edit(set_cells)

    def edit(self, change) -> None:
        def write(own, table):
            edit = GridEdit(own, table, column_store.select_every_column(own, self.id))
            change(edit, own)
            edit.write(3.0)

        self.write(write)

    def run(self, column: int | None = None) -> int | None:
        """Begin a run over all rows of a column."""

        def begin(own, table):
            columns = column_store.select_every_column(own, self.id)
            chosen = column_store.find_column(own, self.id, column or self.email)
            return begin_run(own, table, columns, chosen, "all", user_id=1, request_id="r", at=4.0)

        return self.write(begin)

    def column(self, column: int):
        return self.read(lambda own, table: column_store.find_column(own, self.id, column))

    @property
    def stored(self):
        return self.read(lambda own, table: table)
