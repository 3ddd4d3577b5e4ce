"""Cells after their record lost values with a source (docs/reference/tables.md#removed-sources)."""

import pytest
from table_users import new_account

from firmograph.database.connection import RECORDS, AccountSession, account_scope
from firmograph.directory.records import Company, CompanyRef, Phone
from firmograph.ingest.imports.removal import SourceRemoval
from firmograph.ingest.merging.store import number_sources
from firmograph.record_tables import store
from firmograph.record_tables.cells.chunk import CellChunk
from firmograph.record_tables.cells.grid import GridEdit
from firmograph.record_tables.cells.store import select_cells
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.catalog import new_column
from firmograph.record_tables.columns.kind import ColumnKinds
from firmograph.record_tables.columns.score_kind import score_column
from firmograph.record_tables.columns.signal_kind import signal_column
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.rows.addition import RowAddition
from firmograph.security.record_ids import Entity
from firmograph.signals.statements import Origin
from firmograph.signals.store import record_feed, store_signals
from record_factory import DIGESTS, contact, load_companies, load_contacts
from signal_factory import detected

CONTACT, COMPANY = Entity.CONTACT, Entity.COMPANY
GROWTH, EARLY, LATER = "headcountIncrease1m", "2026-01-01", "2026-02-01"


class FilledTable:
    """Table of record 1, with cells filled as a run does."""

    def __init__(self, service, entity):
        self.service, self.entity = service, entity
        (user,) = new_account(service, "dana@acme.example")
        self.account = user.of_kind(entity.plural).account_id
        table = user.of_kind(entity.plural).table()
        self.number = service.installation.get(TableIds).open_table(table["tableId"])
        self._write(lambda own, table: service.installation.get(RowAddition).add(own, table, [1], 1.0))

    def _write(self, act):
        with self.service.database.write(account_scope(self.account)) as session:
            own = AccountSession(session, self.account)
            return act(own, store.find_table(own, self.number))

    def add(self, new):
        """Add a column and fill its cell."""

        def fill(own, table):
            id = column_store.insert_column(own, table.id, new, 1, 1.0)
            columns = column_store.select_columns(own, table.id)
            (column,) = [one for one in columns if one.id == id]
            at = self.service.clock.seconds()
            kinds = self.service.installation.get(ColumnKinds)
            content = kinds.load(own, self.entity, [column], [1], at)[id][1]
            edit = GridEdit(own, table, columns)
            edit.set_cells(id, {0: content.cell})
            edit.write(1.0)
            return id

        return self._write(fill)

    def cell(self, column):
        """Return status and value of a cell; a column is given by id or key."""

        def read(own, table):
            columns = column_store.select_columns(own, table.id)
            (id,) = [one.id for one in columns if column in (one.id, one.key)]
            (stored,) = select_cells(own, [id], [0])
            cells = CellChunk(stored.statuses, stored.notes, stored.contents)
            return cells.status(0), cells.content(0)

        return self._write(read)


@pytest.fixture
def filled(service):
    """Return a function that makes a table of a record with rows of two sources."""
    acme = CompanyRef(name="Acme", domain="acme.example")
    load_companies(service.database, "crm", [Company(name="Acme", domain="acme.example", update_date=EARLY)])
    renamed = Company(name="Acme Frobnication", domain="acme.example", update_date=LATER)
    load_companies(service.database, "fair", [renamed])
    ann = {"emails": ["ann@acme.example"], "company": acme}
    load_contacts(service.database, "crm", [contact("Ann", "Lee", title="Clerk", day=EARLY, **ann)])
    newer = contact("Annabel", "Lee", title="Chief", day=LATER, **ann)
    newer.phones = [Phone(number="+12025550100", type="mobile")]
    load_contacts(service.database, "fair", [newer])
    return lambda entity: FilledTable(service, entity)


def remove(service):
    return service.installation.get(SourceRemoval).remove("fair")


def test_cells_whose_value_the_record_no_longer_holds_are_not_run(service, filled):
    table = filled(CONTACT)
    phone, email = (table.add(new_column(CONTACT, key)) for key in ("mobilePhone", "workEmail"))
    assert table.cell(phone) == ("success", b'"+12025550100"')
    remove(service)
    assert table.cell(phone) == ("not_run", None)
    assert table.cell(email) == ("success", b'"ann@acme.example"')


def test_default_columns_are_filled_again(service, filled):
    table = filled(CONTACT)
    assert table.cell("fullName") == ("success", b'"Annabel Lee"')
    remove(service)
    assert table.cell("fullName") == ("success", b'"Ann Lee"')


def test_values_of_the_employer_go_too(service, filled):
    table = filled(CONTACT)
    assert table.cell("companyName") == ("success", b'"Acme Frobnication"')
    remove(service)
    assert table.cell("companyName") == ("success", b'"Acme"')


def test_cells_with_signals_that_are_deleted_are_not_run(service, filled):
    with service.database.write(RECORDS) as session:
        numbers = number_sources(session, "fair")
        record_feed(session, "headcounts", numbers["crm"])
        for source, type in (("fair", GROWTH), ("crm", "headcountIncrease3m")):
            found = [detected(1, "2026-09-01", COMPANY, type)]
            store_signals(session, DIGESTS, found, 0.0, origin=Origin(numbers[source]))
    table = filled(COMPANY)
    growth, other = (
        table.add(signal_column(COMPANY, [type], None)) for type in (GROWTH, "headcountIncrease3m")
    )
    score = table.add(score_column())
    remove(service)
    assert [table.cell(one)[0] for one in (growth, other, score)] == ["not_run", "success", "not_run"]
