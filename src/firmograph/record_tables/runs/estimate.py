"""Estimate of a run: its cells, and the most that they can cost; nothing is written."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from firmograph.billing.affordable_charge import AffordableCharges
from firmograph.billing.ledger import Cost
from firmograph.caller import Plan
from firmograph.database.connection import AccountSession, Database
from firmograph.record_tables.cells.chunk import RowChunk, indices_of
from firmograph.record_tables.cells.grid import GridEdit
from firmograph.record_tables.cells.store import select_chunks
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.kind import NO_DATA, ColumnKinds
from firmograph.record_tables.types import RecordTable, RunScope, TableColumn
from firmograph.security.record_ids import Entity

_CHUNKS: Final = 8
"""Chunks of a transaction, about a thousand rows."""

ReportProgress = Callable[[int, int], None]
"""Takes the number of cells done and in all."""


class RunEstimate(NamedTuple):
    rows: int
    cells: int
    """Cells that the run would take: those of its scope that no open run has."""
    in_open_runs: int
    """Cells of the column that open runs have."""
    costs: Sequence[Cost]
    """By price key, with unlimited credits."""

    @property
    def credits(self) -> int:
        return sum(cost.credits for cost in self.costs)


def estimate_run(
    database: Database,
    kinds: ColumnKinds,
    charges: AffordableCharges,
    plan: Plan,
    table: RecordTable,
    column: TableColumn,
    scope: RunScope,
    at: float,
    report: ReportProgress,
) -> RunEstimate:
    """Return what a run would take and cost, from what the records hold and the account has paid now.

    It reads the rows in short transactions, so that it never holds up cleaning of the database.
    """
    with database.read() as session:
        own = AccountSession(session, table.account_id)
        edit = GridEdit(own, table, column_store.select_every_column(own, table.id))
        taken = edit.take_cells(column, scope)
    chunks = sorted(taken.bits)
    done = 0
    quantities: Counter[str] = Counter()
    credits: Counter[str] = Counter()
    for start in range(0, len(chunks), _CHUNKS):
        part = {chunk: taken.bits[chunk] for chunk in chunks[start : start + _CHUNKS]}
        with database.read() as session:
            own = AccountSession(session, table.account_id)
            numbers = _numbers(own, table, part)
            loaded = kinds.load(own, Entity(table.entity), [column], numbers, at)
            contents = loaded.get(column.id, {})
            items = [contents.get(number, NO_DATA).groups for number in numbers]
            costs = charges.estimate(own, plan, items, quantities, at)
        for action, cost in costs.items():
            quantities[action] += cost.quantity
            credits[action] += cost.credits
        done += sum(bits.bit_count() for bits in part.values())
        report(done, taken.number)
    return RunEstimate(
        table.entity_count,
        taken.number,
        column.counters.processing,
        [Cost(action, quantity, credits[action]) for action, quantity in sorted(quantities.items())],
    )


def _numbers(session: AccountSession, table: RecordTable, part: Mapping[int, int]) -> list[int]:
    """Return the records at positions of chunks, without rows that were removed."""
    stored = select_chunks(session, table.id, part)
    found: list[int] = []
    for chunk, bits in part.items():
        if chunk in stored:
            rows = dict(RowChunk.decode(stored[chunk]).rows())
            found += (rows[index] for index in indices_of(bits) if index in rows)
    return found
