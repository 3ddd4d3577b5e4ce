"""Parts of a run: the cells of a few chunks, filled and charged in one transaction under the claim of the run.

Contents are read before the transaction. It writes only what is still to be filled then: a stopped run, a removed or
suppressed row, a deleted column or table gets nothing and costs nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import structlog
from msgspec import json

from firmograph.billing.affordable_charge import UNLIMITED, AffordableCharges, ChargedItems
from firmograph.caller import Spender
from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Busy, Unavailable
from firmograph.record_tables import store as table_store
from firmograph.record_tables.cells import store as cell_store
from firmograph.record_tables.cells.chunk import CHUNK, RowChunk, decode_bits, indices_of
from firmograph.record_tables.cells.grid import GridEdit, end_run
from firmograph.record_tables.cells.store import StoredPart
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.kind import NO_DATA, CellContent, ColumnKinds
from firmograph.record_tables.runs import claim_store
from firmograph.record_tables.runs import store as run_store
from firmograph.record_tables.runs.queue import Turn
from firmograph.record_tables.runs.store import Filled
from firmograph.record_tables.types import (
    INSUFFICIENT_CREDITS,
    OF_SIGNALS,
    RUN_SUBJECT,
    Cell,
    RecordTable,
    Run,
    RunState,
    TableColumn,
)
from firmograph.security.record_ids import Entity
from firmograph.signals.types import FEATURE

log = structlog.get_logger("firmograph.tables")

PART_CHUNKS: Final = 4
"""Chunks of a part: about ten milliseconds of the embedded database's writer."""

TRIES: Final = 3
"""Tries of a part before its cells are failed."""

ENRICH_FAILED: Final = "ENRICH_FAILED"
"""`error` of cells whose part failed each time; the log tells why."""
SIGNALS_NOT_IN_PLAN: Final = "SIGNALS_NOT_IN_PLAN"
"""`error` of cells of signals or scores, while the account's plan is without the feature `signals`."""


class ClaimLost(Exception):
    """Another worker has claimed the run; the part in progress is rolled back."""


class FilledPart(NamedTuple):
    """Part that is committed."""

    run: Run | None
    """The run after it; None if it is gone with its table or column."""
    filled: Filled = Filled()


class _Loaded(NamedTuple):
    """Contents for a part, read before its transaction."""

    chunks: Sequence[int]
    contents: Mapping[int, CellContent]
    """By record."""


class _Open(NamedTuple):
    """Open run with what it fills."""

    run: Run
    table: RecordTable
    column: TableColumn


class RunFilling:
    """Filling of claimed runs, part by part."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        kinds: ColumnKinds,
        charges: AffordableCharges,
        *,
        most_chunks: int = PART_CHUNKS,
    ) -> None:
        self._database = database
        self._clock = clock
        self._kinds = kinds
        self._charges = charges
        self._most_chunks = most_chunks

    def fill_next(self, turn: Turn) -> FilledPart:
        """Do the next part of a claimed run. Raises ClaimLost, Busy and Unavailable.

        After another failure the same chunks are tried again one by one, at the next call; what fails for the last time
        gets failed cells, so that the run goes on.
        """
        try:
            loaded = self._load(turn)
            with self._database.write(account_scope(turn.account_id)) as session:
                return self._write(AccountSession(session, turn.account_id), turn, loaded)
        except (Busy, Unavailable, ClaimLost):
            raise
        except Exception as error:
            with self._database.write(account_scope(turn.account_id)) as session:
                return self._count_failure(AccountSession(session, turn.account_id), turn, error)

    def _load(self, turn: Turn) -> _Loaded:
        with self._database.read() as session:
            own = AccountSession(session, turn.account_id)
            found = _find_open(own, turn)
            if found is None:
                return _Loaded((), {})
            run, table, column = found
            parts = cell_store.select_next_parts(own, run.id, 1 if run.failures else self._most_chunks)
            chunks = [part.chunk for part in parts]
            if _lacks_signals(turn, column):
                return _Loaded(chunks, {})
            numbers = list(_rows(own, table, parts).values())
            loaded = self._kinds.load(own, Entity(table.entity), [column], numbers, self._clock.seconds())
            return _Loaded(chunks, loaded.get(column.id, {}))

    def _write(self, session: AccountSession, turn: Turn, loaded: _Loaded) -> FilledPart:
        found, now = self._renewed(session, turn), self._clock.seconds()
        if found is None:
            return FilledPart(run_store.find_run(session, turn.claim.key))
        run, table, column = found
        rows = _rows(session, table, _parts_in(session, run, loaded.chunks))
        if _lacks_signals(turn, column):
            return self._fill(session, found, {}, dict.fromkeys(rows, SIGNALS_NOT_IN_PLAN), Filled(), now)
        contents = {position: loaded.contents.get(number, NO_DATA) for position, number in rows.items()}
        charged = self._charge(session, turn, run, list(contents.values()), now)
        cells: dict[int, Cell] = {}
        errors: dict[int, str] = {}
        judged = zip(contents.items(), charged.covered[: charged.within_bound], strict=False)
        for (position, content), is_covered in judged:
            if is_covered:
                cells[position] = content.cell
            else:
                errors[position] = INSUFFICIENT_CREDITS
        filled = Filled(credits=charged.credits, quantities=charged.quantities)
        part = self._fill(session, found, cells, errors, filled, now)
        if charged.within_bound == len(contents) or part.run is None:
            return part
        end_run(session, table.id, column.id, run.id, part.run.left, RunState.BOUND_REACHED, now)
        return part._replace(run=run_store.find_run(session, run.id))

    def _charge(
        self, session: AccountSession, turn: Turn, run: Run, contents: Sequence[CellContent], at: float
    ) -> ChargedItems:
        return self._charges.charge(
            session,
            turn.plan,
            [content.groups for content in contents],
            earlier=json.decode(run.quantities, type=dict[str, int]),
            bound=UNLIMITED if run.most_credits is None else run.most_credits - run.credits,
            request_id=run.request_id,
            at=at,
            subject=RUN_SUBJECT.format(run.id),
            spender=Spender(run.actor, turn.daily_credits),
        )

    def _fill(
        self,
        session: AccountSession,
        found: _Open,
        cells: Mapping[int, Cell],
        errors: Mapping[int, str],
        charged: Filled,
        now: float,
    ) -> FilledPart:
        """Write cells and failures with all counters; return the run after them."""
        run, table, column = found
        # no row is added or removed, which would need all columns
        edit = GridEdit(session, table, [column])
        edit.set_cells(column.id, cells)
        for error in set(errors.values()):
            edit.fail_cells(column.id, [place for place, each in errors.items() if each == error], error)
        edit.write(now)
        success = sum(cell.status == "success" for cell in cells.values())
        filled = charged._replace(success=success, no_data=len(cells) - success, failed=len(errors))
        run_store.add_filled(session, run, filled)
        if cells or errors:
            column_store.touch_column(session, column.id, now)
        elif not cell_store.select_next_parts(session, run.id, 1):
            # an open run always has parts; without any it would be claimed forever
            end_run(session, table.id, column.id, run.id, run.left, RunState.DONE, now)
        return FilledPart(run_store.find_run(session, run.id), filled)

    def _count_failure(self, session: AccountSession, turn: Turn, error: Exception) -> FilledPart:
        """Count a failure of the next part; after the last try, fail the cells of its first chunk."""
        found = self._renewed(session, turn)
        if found is None:
            return FilledPart(run_store.find_run(session, turn.claim.key))
        run, failures = found.run, found.run.failures + 1
        if failures < TRIES:
            log.warning("part of a run failed and is tried again", run=run.id, reason=type(error).__name__)
            run_store.set_failures(session, run.id, failures)
            return FilledPart(run)
        log.error("part of a run failed; its cells are failed", run=run.id, exc_info=error)
        (part,) = cell_store.select_next_parts(session, run.id, 1)
        errors = dict.fromkeys(_positions(part), ENRICH_FAILED)
        return self._fill(session, found, {}, errors, Filled(), self._clock.seconds())

    def _renewed(self, session: AccountSession, turn: Turn) -> _Open | None:
        """Renew the claim, which no other worker gets until the commit; return the run if it is open.

        Raises ClaimLost.
        """
        if not claim_store.leases.renew(session.session, turn.claim, self._clock.seconds()):
            raise ClaimLost
        return _find_open(session, turn)


def _find_open(session: AccountSession, turn: Turn) -> _Open | None:
    run = run_store.find_run(session, turn.claim.key)
    if run is None or run.state is not RunState.OPEN:
        return None
    table = table_store.find_table(session, run.table_id)
    column = column_store.find_column(session, run.table_id, run.column_id)
    return _Open(run, table, column) if table and column else None


def _lacks_signals(turn: Turn, column: TableColumn) -> bool:
    return column.kind in OF_SIGNALS and not turn.plan.features[FEATURE]


def _parts_in(session: AccountSession, run: Run, chunks: Sequence[int]) -> list[StoredPart]:
    """Return what a run has yet to fill in chunks."""
    parts = cell_store.select_parts(session, [run.column_id], chunks)
    return sorted(part for part in parts if part.run_id == run.id)


def _positions(part: StoredPart) -> list[int]:
    return [part.chunk * CHUNK + index for index in indices_of(decode_bits(part.taken))]


def _rows(session: AccountSession, table: RecordTable, parts: Sequence[StoredPart]) -> dict[int, int]:
    """Return the record numbers of parts by position, in the order of rows."""
    stored = cell_store.select_chunks(session, table.id, [part.chunk for part in parts])
    numbers = {
        chunk * CHUNK + index: number
        for chunk, each in stored.items()
        for index, number in RowChunk.decode(each).rows()
    }
    return {position: numbers[position] for part in parts for position in _positions(part)}
