"""Tables with a planted person: as a row, in notes, and in signals of a company."""

from typing import Final

from firmograph.database.connection import AccountSession, Database, Session, account_scope
from firmograph.record_tables import store
from firmograph.record_tables.cells.grid import GridEdit, NewRow
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.store import NewColumn
from firmograph.record_tables.runs.acceptance import begin_run
from firmograph.record_tables.store import NewTable
from firmograph.record_tables.types import Cell, TableColumn
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals.event_renderer import EventRenderer
from firmograph.signals.store import company_summaries, signals_of_records
from firmograph.signals.types import Signal
from record_factory import KEYRING

ACCOUNT: Final = 1
COMPANY: Final = 1
"""Record of a company with signals about the person."""
_OTHERS = range(1_000, 1_200)
"""Numbers of other rows."""


def fill_tables(database: Database, number: int, mark: str) -> None:
    """Fill tables of an account: with columns, deleted ones among them, and an open run; one table is deleted."""
    for is_deleted in (False, True):
        with database.write(account_scope(ACCOUNT)) as session:
            own = AccountSession(session, ACCOUNT)
            _fill_contacts(own, number, mark, is_deleted=is_deleted)
    with database.write(account_scope(ACCOUNT)) as session:
        _fill_companies(AccountSession(session, ACCOUNT))


def _fill_contacts(own: AccountSession, number: int, mark: str, *, is_deleted: bool) -> None:
    name = NewColumn("lusha", "fullName", "fullName", "Full name", is_default=True)
    email = NewColumn("lusha", "workEmail", "workEmail", "Work email")
    phone = NewColumn("lusha", "workPhone", "workPhone", "Work phone")
    table = make_table(own, Entity.CONTACT, f"People {is_deleted}", [name, email, phone])
    ids = [column.id for column in column_store.select_columns(own, table)]
    # the person stands in the middle of the second chunk
    numbers = [*_OTHERS[:150], number, *_OTHERS[150:]]
    edit = _edit(own, table)
    edit.add_rows([NewRow(each, {ids[0]: _name(each, number, mark)}) for each in numbers])
    edit.write(1.0)
    edit = _edit(own, table)
    for column in ids[1:]:
        edit.set_cells(column, {150: Cell("success", b'"%s@x"' % mark.encode(), {"error": f"{mark} failed"})})
    edit.write(2.0)
    column_store.mark_deleted(own, table, ids[2])
    if is_deleted:
        store.mark_deleted(own, table)
    else:
        run_column(own, table, ids[1])


def _name(each: int, number: int, mark: str) -> Cell:
    return Cell("success", b'"%s"' % (mark.encode() if each == number else b"Other %d" % each))


def _fill_companies(own: AccountSession) -> None:
    types = "signal:linkedinActivityIntent,peopleNews"
    table = make_table(own, Entity.COMPANY, "Companies", [NewColumn("signal", None, types, "Signals")])
    (column,) = column_store.select_columns(own, table)
    edit = _edit(own, table)
    edit.add_rows([NewRow(COMPANY, {column.id: Cell("success", signal_value(own.session, COMPANY))})])
    edit.write(1.0)


def make_table(own: AccountSession, entity: Entity, name: str, columns: list[NewColumn]) -> int:
    """Make an empty table with these columns; return its number."""
    table = store.insert_table(own, NewTable(int(entity), name, 1, "api", False), 1.0)
    for column in columns:
        column_store.insert_column(own, table, column, 0, 1.0)
    return table


def _edit(own: AccountSession, table_id: int) -> GridEdit:
    table = store.find_table(own, table_id)
    assert table is not None
    return GridEdit(own, table, column_store.select_every_column(own, table_id))


def run_column(own: AccountSession, table_id: int, column_id: int) -> int:
    """Begin a run over all rows; return its number."""
    table = store.find_table(own, table_id)
    assert table is not None
    columns: list[TableColumn] = column_store.select_every_column(own, table_id)
    (column,) = (each for each in columns if each.id == column_id)
    run = begin_run(own, table, columns, column, "all", user_id=1, request_id="r", at=3.0)
    assert run is not None
    return run


def signal_value(session: Session, company: int) -> bytes:
    """Return the signals of a company as a cell shows them."""
    renderer = EventRenderer(RecordIds(KEYRING))
    subject = renderer.company(company, dict(company_summaries(session, [company]))[company])
    events: dict[str, list[Signal]] = {}
    for signal in signals_of_records(session, Entity.COMPANY, [company]):
        events.setdefault(signal.type, []).append(signal)
    value = renderer.cell(subject, events)
    assert value is not None
    return value
