"""Columns of a table: addition, removal and start of runs, in the caller's transaction.

The table was read in the same transaction, which holds the scope of the account. Endpoints, commands and writes of
other calls share these rules.
"""

from collections.abc import Collection, Sequence

from firmograph.caller import Plan
from firmograph.database.connection import AccountSession
from firmograph.kit.errors import BadRequest, Forbidden
from firmograph.record_tables.columns import store
from firmograph.record_tables.columns.store import NewColumn
from firmograph.record_tables.runs.acceptance import begin_run, begin_runs
from firmograph.record_tables.runs.cancel import stop_runs_of
from firmograph.record_tables.types import MOST_COLUMNS, OF_SIGNALS, RecordTable, RunScope, TableColumn
from firmograph.signals.types import FEATURE


class Columns:
    """Columns of tables, as they are added, removed and run."""

    def add(
        self,
        session: AccountSession,
        table: RecordTable,
        new: NewColumn,
        *,
        run: bool,
        user_id: int | None,
        request_id: str,
        at: float,
        actor: str = "",
    ) -> int:
        """Add a column and return its number, that of the existing one of the same identity if there is one.

        With `run`, the new column runs on all rows. Raises Forbidden at the maximum of columns.
        """
        added = self.add_all(
            session, table, [new], run=run, user_id=user_id, request_id=request_id, at=at, actor=actor
        )
        return added[0]

    def add_all(
        self,
        session: AccountSession,
        table: RecordTable,
        new: Sequence[NewColumn],
        *,
        run: bool,
        user_id: int | None,
        request_id: str,
        at: float,
        actor: str = "",
    ) -> list[int]:
        """Add columns as `add` does, all or none of them; return their numbers in order."""
        held = store.select_identities(session, table.id)
        missing = {one.identity: one for one in new if one.identity not in held}
        if missing:
            _check_room(table, len(missing))
            added = {
                identity: store.insert_column(session, table.id, one, table.entity_count, at)
                for identity, one in missing.items()
            }
            if run and table.entity_count:
                self._run_all(
                    session,
                    table,
                    added.values(),
                    user_id=user_id,
                    request_id=request_id,
                    at=at,
                    actor=actor,
                )
            held |= added
        return [held[one.identity] for one in new]

    def _run_all(
        self,
        session: AccountSession,
        table: RecordTable,
        added: Collection[int],
        *,
        user_id: int | None,
        request_id: str,
        at: float,
        actor: str,
    ) -> None:
        columns = store.select_every_column(session, table.id)
        begin_runs(
            session,
            table,
            columns,
            [column for column in columns if column.id in added],
            "all",
            user_id=user_id,
            request_id=request_id,
            at=at,
            actor=actor,
        )

    def remove(self, session: AccountSession, table: RecordTable, column: TableColumn, at: float) -> None:
        """Remove a column and stop its runs; a worker deletes its cells later. Raises BadRequest for a default one."""
        if column.is_default:
            problem = f"columnId must not be that of a default column; {column.name} stays with its table"
            raise BadRequest(problem, [problem])
        stop_runs_of(session, table, column.id, at)
        store.mark_deleted(session, table.id, column.id)

    def start(
        self,
        session: AccountSession,
        table: RecordTable,
        column: TableColumn,
        scope: RunScope,
        *,
        plan: Plan,
        user_id: int | None,
        request_id: str,
        at: float,
        positions: Collection[int] = (),
        most_credits: int | None = None,
        actor: str = "",
    ) -> int | None:
        """Begin a run and return its number, None if no cell of the scope is free.

        `positions` are the rows of scope `specific`. Raises Forbidden if the plan does not include the column's data.
        """
        if column.kind in OF_SIGNALS:
            plan.check(FEATURE)
        return begin_run(
            session,
            table,
            store.select_every_column(session, table.id),
            column,
            scope,
            user_id=user_id,
            request_id=request_id,
            at=at,
            positions=positions,
            most_credits=most_credits,
            actor=actor,
        )


def _check_room(table: RecordTable, number: int) -> None:
    """Raise Forbidden unless this number of new columns fits."""
    room = MOST_COLUMNS - table.column_count
    if number > room:
        problem = f"a table has at most {MOST_COLUMNS} columns; {number} are new and {room} still fit"
        raise Forbidden(
            f"Forbidden: {problem}. Nothing was added; remove columns, or add fewer",
            [problem],
        )
