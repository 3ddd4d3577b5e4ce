"""Write of the results of a call with `tableId` to its table (docs/reference/tables.md#tableid)."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

import msgspec
import structlog
from msgspec import UNSET, UnsetType

from firmograph.billing.idempotency import find_followed, keep_followed
from firmograph.billing.paid_units import PaidUnits, Purchase, data_point_action
from firmograph.billing.types import Unit
from firmograph.caller import Plan
from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.follow_up import Followed, FollowUp
from firmograph.kit.errors import (
    Busy,
    DailyCapReached,
    DatabaseLost,
    FirmographError,
    Forbidden,
    NotFound,
    PaymentRequired,
    Unavailable,
)
from firmograph.kit.whole_numbers import encode
from firmograph.record_tables import store
from firmograph.record_tables.cells.grid import GridEdit
from firmograph.record_tables.cells.store import select_positions
from firmograph.record_tables.column_calls.service import Columns
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.catalog import new_column, revealed_columns
from firmograph.record_tables.columns.catalog_kind import load_found
from firmograph.record_tables.columns.kind import NO_DATA, CellContent, ColumnKinds
from firmograph.record_tables.columns.signal_kind import signal_column
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.rows.addition import Addition, RowAddition
from firmograph.record_tables.types import ENTITY_TYPES, TABLE_SUBJECT, RecordTable, TableColumn, check_plan
from firmograph.signals.erasure import find_outdated
from firmograph.table_rows import TableErrorCode, TableRows, TableWrite, TableWriteError

log = structlog.get_logger("firmograph.record_tables")

_decode_write: Final = msgspec.json.Decoder(TableWrite).decode


class _Columns(NamedTuple):
    """Columns of a table, and those that a call fills."""

    every: Sequence[TableColumn]
    from_records: Sequence[TableColumn]
    signals: TableColumn | None
    created: int

    @property
    def filled(self) -> list[TableColumn]:
        return [*self.from_records, *([self.signals] if self.signals else [])]


_NO_COLUMNS: Final = _Columns((), (), None, 0)


class TableWriter:
    """Writer of the rows of calls: rows, columns, cells and charge are one transaction."""

    def __init__(
        self,
        database: Database,
        ids: TableIds,
        addition: RowAddition,
        columns: Columns,
        kinds: ColumnKinds,
        paid_units: PaidUnits,
    ) -> None:
        self._database = database
        self._ids = ids
        self._addition = addition
        self._columns = columns
        self._kinds = kinds
        self._paid_units = paid_units

    def follow(self, rows: TableRows, request_id: str, kept: bytes | None) -> FollowUp | Followed:
        """Return the write that follows an answer (`table_rows.RowWriter`)."""
        return TableFollowUp(self, rows, request_id) if kept is None else _followed(_decode_write(kept))

    def write(self, rows: TableRows, request_id: str) -> TableWrite:
        """Write the rows of a call to any table of its account, private and archived ones included.

        What was written before under the same key is returned instead. Raises NotFound without such a table, Forbidden
        if it is full, and PaymentRequired; nothing is written then.
        """
        check_plan(rows.request.caller)
        return self._keeping(rows, lambda session: self._write(session, rows, request_id))

    def keep(self, rows: TableRows, refused: TableWrite) -> TableWrite:
        """Keep under the key of the rows why nothing was written; return what is kept under it."""
        return self._keeping(rows, lambda session: refused)

    def _keeping(self, rows: TableRows, write: Callable[[AccountSession], TableWrite]) -> TableWrite:
        """Return what is kept under the key of the rows; else write, and keep what that did in one transaction."""
        account_id, key = rows.request.caller.account_id, rows.request.key
        with self._database.write(account_scope(account_id)) as session:
            own = AccountSession(session, account_id)
            kept = None if key is None else find_followed(own, key)
            if kept is not None:
                return _decode_write(kept)
            written = write(own)
            if key is not None:
                keep_followed(own, key, encode(written))
            return written

    def _write(self, session: AccountSession, rows: TableRows, request_id: str) -> TableWrite:
        table = self._find(session, rows)
        number = table.id
        with _as_full():
            addition = self._addition.add(session, table, rows.numbers, rows.request.at)
        columns = self._add_columns(session, number, rows, request_id)
        shown = [*addition.added, *addition.present]
        contents = self._load(session, rows, columns, shown)
        purchase = self._pay(session, rows, addition, contents, request_id)
        if columns.filled and shown:
            self._fill(session, number, columns, contents, shown, rows.request.at)
        return TableWrite(
            table_id=rows.table_id,
            added=len(addition.added),
            already_present=len(addition.present),
            columns_created=columns.created,
            # new rows have the cells of default columns in any case
            rows_processed=len(shown if columns.filled else addition.added),
            rows_charged=_count_charged(rows.request.caller.plan, purchase),
            rows_already_paid_in_table=len(addition.paid),
            credits_charged=purchase.credits,
        )

    def _find(self, session: AccountSession, rows: TableRows) -> RecordTable:
        number = self._ids.open_table(rows.table_id)
        table = store.find_table(session, number) if number is not None else None
        if table is None or table.entity != rows.entity:
            raise NotFound(
                f"There is no such table of {ENTITY_TYPES[rows.entity]}; list the tables to find its id"
            )
        return table

    def _add_columns(
        self, session: AccountSession, number: int, rows: TableRows, request_id: str
    ) -> _Columns:
        """Return the columns for what the call revealed; missing ones are inserted, and not run over other rows."""
        keys = [key for token in rows.reveals for key in revealed_columns(rows.entity, token)]
        wanted = [new_column(rows.entity, key) for key in dict.fromkeys(keys)]
        if rows.signals is not None:
            wanted.append(signal_column(rows.entity, rows.signals.types, rows.signals.start))
        if not wanted:
            return _NO_COLUMNS
        table = _reread(session, number)
        held = {column.id for column in column_store.select_columns(session, number)}
        with _as_full():
            ids = self._columns.add_all(
                session, table, wanted, run=False, user_id=None, request_id=request_id, at=rows.request.at
            )
        every = column_store.select_every_column(session, number)
        columns = [column for column in every if column.id in ids]
        signals = None if rows.signals is None else next(one for one in columns if one.id == ids[-1])
        from_records = [column for column in columns if column is not signals]
        return _Columns(every, from_records, signals, len(set(ids) - held))

    # --- cells ---

    def _load(
        self, session: AccountSession, rows: TableRows, columns: _Columns, shown: Collection[int]
    ) -> dict[int, Mapping[int, CellContent]]:
        """Return the contents of the cells by column and record; those of signals are as the call answered them.

        A record has none if a signal of its answer was erased since, with a person that it names.
        """
        contents = self._kinds.load(session, rows.entity, columns.from_records, shown, rows.request.at)
        if rows.found:
            _add_found(contents, load_found(columns.from_records, rows.found))
        if columns.signals is not None and rows.signals is not None:
            values, outdated = rows.signals.values, find_outdated(session.session, rows.signals.sources)
            contents[columns.signals.id] = {
                one: CellContent(values.get(one)) for one in shown if one not in outdated
            }
        return contents

    def _pay(
        self,
        session: AccountSession,
        rows: TableRows,
        addition: Addition,
        contents: Mapping[int, Mapping[int, CellContent]],
        request_id: str,
    ) -> Purchase:
        """Pay for new companies, and for what cells show beyond what the call has revealed and paid."""
        units = {
            unit
            for by_record in contents.values()
            for content in by_record.values()
            for group in content.groups
            for unit in group.units
        }
        units |= addition.units
        caller, subject = rows.request.caller, TABLE_SUBJECT.format(rows.table_id)
        try:
            return self._paid_units.pay(
                session, caller.plan, request_id, units, rows.request.at, subject, caller.spender
            )
        except DailyCapReached:
            raise
        except PaymentRequired as refusal:
            raise PaymentRequired(
                "The credits that remain do not suffice for these rows of the table; nothing was written to it"
            ) from refusal

    def _fill(
        self,
        session: AccountSession,
        number: int,
        columns: _Columns,
        contents: Mapping[int, Mapping[int, CellContent]],
        shown: Collection[int],
        at: float,
    ) -> None:
        edit = GridEdit(session, _reread(session, number), columns.every)
        positions = select_positions(session, number, shown)
        for column in columns.filled:
            of_column = contents[column.id]
            edit.set_cells(
                column.id,
                {position: of_column.get(one, NO_DATA).cell for one, position in positions.items()},
            )
        edit.write(at)
        for column in columns.filled:
            column_store.touch_column(session, column.id, at)


def _add_found(
    contents: dict[int, Mapping[int, CellContent]], found: Mapping[int, Mapping[int, CellContent]]
) -> None:
    """Fill the cells for which the records hold nothing with values of other providers."""
    for id, by_record in found.items():
        own = contents[id]
        given = {number: one for number, one in by_record.items() if own.get(number, NO_DATA).value is None}
        contents[id] = {**own, **given}


class TableFollowUp(NamedTuple):
    """Write that follows an answer."""

    writer: TableWriter
    rows: TableRows
    request_id: str
    """Id of the answer."""

    def run(self, endpoint: str) -> Followed:
        try:
            return _followed(self.writer.write(self.rows, self.request_id))
        except Exception as error:
            return self.keep(self.refuse(endpoint, error))

    def refuse(self, endpoint: str, error: Exception) -> Followed:
        """Log the error of a write, and return what the answer says of it."""
        # digits of any length are an id, those of a table are fewer
        about = {"endpoint": endpoint, "table": self.rows.table_id[:20], "request_id": self.request_id}
        if isinstance(error, FirmographError):
            refused = TableWriteError(_code(error), error.message)
            # an outage is logged once, by the database
            if not isinstance(error, DatabaseLost):
                log.warning("table not written", code=refused.code, **about)
        else:
            refused = TableWriteError("INTERNAL", FirmographError.public)
            log.error("table not written", exc_info=error, **about)
        return _followed(_nothing_written(self.rows.table_id, refused))

    def keep(self, refused: Followed) -> Followed:
        if self.rows.request.key is None:
            return refused
        try:
            return _followed(self.writer.keep(self.rows, _write_of(refused)))
        except DatabaseLost:
            return refused
        except Exception:
            log.exception("refused write not kept", table=self.rows.table_id[:20], request_id=self.request_id)
            return refused


_NAME: Final = b'"tableWrite":'


def _followed(write: TableWrite) -> Followed:
    return Followed(_NAME + encode(write), write.credits_charged)


def _write_of(followed: Followed) -> TableWrite:
    return _decode_write(followed.member.removeprefix(_NAME))


def _nothing_written(table_id: str, error: TableWriteError | UnsetType = UNSET) -> TableWrite:
    return TableWrite(
        table_id=table_id,
        added=0,
        already_present=0,
        columns_created=0,
        rows_processed=0,
        rows_charged=0,
        rows_already_paid_in_table=0,
        credits_charged=0,
        error=error,
    )


def _code(error: FirmographError) -> TableErrorCode:
    if isinstance(error, NotFound):
        return "TABLE_NOT_FOUND"
    if isinstance(error, Forbidden):
        return "TABLE_FULL" if error.code == "TABLE_FULL" else "FORBIDDEN"
    if isinstance(error, PaymentRequired):
        return "INSUFFICIENT_CREDITS"
    return "BUSY" if isinstance(error, Busy | Unavailable) else "INTERNAL"


@contextmanager
def _as_full() -> Iterator[None]:
    """Give a refusal for a maximum of the table the code of a full one."""
    try:
        yield
    except Forbidden as refusal:
        raise Forbidden(refusal.message, refusal.errors, code="TABLE_FULL") from refusal


def _reread(session: AccountSession, number: int) -> RecordTable:
    """Return a table as the transaction that found it has changed it."""
    table = store.find_table(session, number)
    if table is None:
        raise LookupError("a table has gone in the transaction that found it")
    return table


def _count_charged(plan: Plan, purchase: Purchase) -> int:
    """Return the number of rows that were charged for."""

    def is_priced(unit: Unit) -> bool:
        return plan.is_priced(data_point_action(unit))

    return len({unit.record for unit in purchase.units if is_priced(unit)})
