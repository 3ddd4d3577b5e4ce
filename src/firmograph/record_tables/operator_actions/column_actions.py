"""Operator actions on columns and their runs; a run that they begin belongs to no user."""

from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from firmograph.billing.affordable_charge import AffordableCharges
from firmograph.billing.plans import Plans
from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.kit.name_keys import name_key
from firmograph.record_tables.column_service import Columns
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.kind import ColumnKinds
from firmograph.record_tables.columns.store import NewColumn
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.operator_actions.run_estimate import ReportProgress, RunEstimate, estimate_run
from firmograph.record_tables.operator_actions.table_actions import TableRef, find_plan, live_table
from firmograph.record_tables.runs import store as run_store
from firmograph.record_tables.runs.cancel import stop_run
from firmograph.record_tables.types import OF_SIGNALS, Run, RunScope, TableColumn
from firmograph.signals.types import FEATURE as SIGNALS

_MOST_RUNS = 1_000


class ListedRun(NamedTuple):
    run: Run
    column: str
    """Name of its column; empty once that is deleted."""


class ColumnActions:
    def __init__(
        self,
        database: Database,
        clock: Clock,
        plans: Plans,
        ids: TableIds,
        columns: Columns,
        kinds: ColumnKinds,
        charges: AffordableCharges,
    ) -> None:
        self._database = database
        self._clock = clock
        self._plans = plans
        self._ids = ids
        self._columns = columns
        self._kinds = kinds
        self._charges = charges

    def column_id(self, number: int) -> str:
        """Return the public id of a column."""
        return self._ids.column_id(number)

    def find_column(self, ref: TableRef, text: str) -> TableColumn:
        """Return the column of an id, key or name. Raises Refused."""
        with self._database.read() as session:
            return self._column(AccountSession(session, ref.account_id), ref, text)

    def add_columns(self, ref: TableRef, news: Sequence[NewColumn], request_id: str) -> list[TableColumn]:
        """Add the columns that the table lacks, all or none, and begin their runs over all rows.

        Returns all given columns as they are then. Raises Forbidden if they do not fit, or the plan lacks signals.
        """
        at = self._clock.seconds()
        with self._database.write(account_scope(ref.account_id)) as session:
            own = AccountSession(session, ref.account_id)
            table = live_table(own, ref.number)
            if any(new.kind in OF_SIGNALS for new in news):
                find_plan(session, self._plans, ref).check(SIGNALS)
            numbers = self._columns.add_all(
                own, table, news, run=True, user_id=None, request_id=request_id, at=at
            )
            return [column for column in column_store.select_columns(own, ref.number) if column.id in numbers]

    def remove_column(self, ref: TableRef, text: str) -> TableColumn:
        """Remove a column and end its runs; return it as it was. Raises Refused for a default column."""
        with self._database.write(account_scope(ref.account_id)) as session:
            own = AccountSession(session, ref.account_id)
            column = self._column(own, ref, text)
            if column.is_default:
                raise Refused(f"The column {column.name!r} is a default one, which every table keeps")
            self._columns.remove(own, live_table(own, ref.number), column, self._clock.seconds())
            return column

    # --- runs ---

    def run(
        self, ref: TableRef, text: str, scope: RunScope, most_credits: int | None, request_id: str
    ) -> int | None:
        """Begin a run of a column and return its number, None without cells to run."""
        with self._database.write(account_scope(ref.account_id)) as session:
            own = AccountSession(session, ref.account_id)
            column = self._column(own, ref, text)
            return self._columns.start(
                own,
                live_table(own, ref.number),
                column,
                scope,
                plan=find_plan(session, self._plans, ref),
                user_id=None,
                request_id=request_id,
                at=self._clock.seconds(),
                most_credits=most_credits,
            )

    def estimate(self, ref: TableRef, text: str, scope: RunScope, report: ReportProgress) -> RunEstimate:
        """Return the cells of a run and the most that they can cost; nothing is written."""
        with self._database.read() as session:
            own = AccountSession(session, ref.account_id)
            table, column, plan = (
                live_table(own, ref.number),
                self._column(own, ref, text),
                find_plan(session, self._plans, ref),
            )
        return estimate_run(
            self._database,
            self._kinds,
            self._charges,
            plan,
            table,
            column,
            scope,
            self._clock.seconds(),
            report,
        )

    def list_runs(self, ref: TableRef) -> list[ListedRun]:
        """Return the newest runs of a table, newest first."""
        with self._database.read() as session:
            own = AccountSession(session, ref.account_id)
            live_table(own, ref.number)
            names = {column.id: column.name for column in column_store.select_columns(own, ref.number)}
            runs = run_store.select_runs(own, ref.number, _MOST_RUNS)
        return [ListedRun(run, names.get(run.column_id, "")) for run in runs]

    def find_run(self, ref: TableRef, number: int) -> Run:
        with self._database.read() as session:
            return _existing_run(AccountSession(session, ref.account_id), number)

    def stop(self, number: int) -> tuple[ListedRun, bool]:
        """Stop a run at once; return it as it is then, and whether it was open. Raises Refused."""
        with self._database.read() as session:
            account_id = run_store.find_account(session, number)
        if account_id is None:
            _refuse_run(number)
        with self._database.write(account_scope(account_id)) as session:
            own = AccountSession(session, account_id)
            was_open = stop_run(own, _existing_run(own, number), self._clock.seconds())
            run = _existing_run(own, number)
            column = column_store.find_column(own, run.table_id, run.column_id)
        return ListedRun(run, column.name if column else ""), was_open

    def _column(self, session: AccountSession, ref: TableRef, text: str) -> TableColumn:
        columns = column_store.select_columns(session, ref.number)
        wanted, number = name_key(text), self._ids.open_column(text.strip())
        found = [
            [column for column in columns if column.id == number],
            [column for column in columns if name_key(column.key or column.kind) == wanted],
            [column for column in columns if name_key(column.name) == wanted],
        ]
        matching = next(filter(None, found), [])
        if len(matching) == 1:
            return matching[0]
        choices = ", ".join(column.key or self._ids.column_id(column.id) for column in (matching or columns))
        problem = f"{len(matching)} columns are" if matching else "The table has no column"
        further = "" if matching else ", or add it with `firmograph table column add`"
        raise Refused(f"{problem} {text!r}; choose one of: {choices}{further}")


def _existing_run(session: AccountSession, number: int) -> Run:
    return run_store.find_run(session, number) or _refuse_run(number)


def _refuse_run(number: int) -> NoReturn:
    raise Refused(f"No run {number}; list the runs of a table with `firmograph table runs TABLE`")
