"""Runs of a table, as its operator estimates, lists and stops them."""

from typing import NamedTuple, NoReturn

from firmograph.billing.affordable_charge import AffordableCharges
from firmograph.caller import Request
from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.kit.errors import Refused
from firmograph.record_tables.access import GivenTable, TableAccess
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.kind import ColumnKinds
from firmograph.record_tables.runs import store
from firmograph.record_tables.runs.cancel import stop_run
from firmograph.record_tables.runs.estimate import ReportProgress, RunEstimate, estimate_run
from firmograph.record_tables.types import Run, RunScope

_MOST_RUNS = 1_000


class ListedRun(NamedTuple):
    run: Run
    column: str
    """Name of its column; empty once that is deleted."""


class TableRuns(NamedTuple):
    """Service of the runs of a table."""

    database: Database
    access: TableAccess
    kinds: ColumnKinds
    charges: AffordableCharges

    def estimate(
        self, request: Request, given: GivenTable, column_id: str, scope: RunScope, report: ReportProgress
    ) -> RunEstimate:
        """Return the cells of a run and the most that they can cost; nothing is written."""
        with self.database.read() as session:
            own = AccountSession(session, given.account_id)
            table = self.access.find_given(own, given)
            column = self.access.find_column(own, table, column_id)
        plan = request.caller.plan
        return estimate_run(
            self.database, self.kinds, self.charges, plan, table, column, scope, request.at, report
        )

    def list_runs(self, given: GivenTable) -> list[ListedRun]:
        """Return the newest runs of a table, newest first."""
        with self.database.read() as session:
            own = AccountSession(session, given.account_id)
            table = self.access.find_given(own, given)
            names = {column.id: column.name for column in column_store.select_columns(own, table.id)}
            runs = store.select_runs(own, table.id, _MOST_RUNS)
        return [ListedRun(run, names.get(run.column_id, "")) for run in runs]

    def find_run(self, given: GivenTable, number: int) -> Run:
        with self.database.read() as session:
            return _existing_run(AccountSession(session, given.account_id), number)

    def stop(self, number: int, at: float) -> tuple[ListedRun, bool]:
        """Stop a run at once; return it as it is then, and whether it was open. Raises Refused."""
        with self.database.read() as session:
            account_id = store.find_account(session, number)
        if account_id is None:
            _refuse_run(number)
        with self.database.write(account_scope(account_id)) as session:
            own = AccountSession(session, account_id)
            was_open = stop_run(own, _existing_run(own, number), at)
            run = _existing_run(own, number)
            column = column_store.find_column(own, run.table_id, run.column_id)
        return ListedRun(run, column.name if column else ""), was_open


def _existing_run(session: AccountSession, number: int) -> Run:
    return store.find_run(session, number) or _refuse_run(number)


def _refuse_run(number: int) -> NoReturn:
    raise Refused(f"No run {number}; list the runs of a table with `firmograph table runs TABLE`")
