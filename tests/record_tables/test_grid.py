from itertools import count

import pytest

from firmograph.database.connection import AccountSession, account_scope
from firmograph.record_tables import store
from firmograph.record_tables.cells.chunk import CellChunk, RowChunk
from firmograph.record_tables.cells.grid import GridEdit, NewRow, end_run
from firmograph.record_tables.cells.store import (
    select_all_chunks,
    select_cells,
    select_next_parts,
    select_positions,
)
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.store import NewColumn
from firmograph.record_tables.runs import store as run_store
from firmograph.record_tables.runs.acceptance import begin_run
from firmograph.record_tables.store import NewTable
from firmograph.record_tables.types import Cell, Counters, RunState

_serials = count(1)


class Grid:
    """One table of contacts with a default column and another one."""

    def __init__(self, world):
        self.world = world
        self.account = world.caller(f"Grid {next(_serials)}").account_id
        with self.write() as own:
            self.table_id = store.insert_table(own, NewTable(1, "People", 1, "api", False), 1.0)
            self.name = column_store.insert_column(
                own,
                self.table_id,
                NewColumn("lusha", "fullName", "fullName", "Full name", is_default=True),
                0,
                1.0,
            )
            self.email = column_store.insert_column(
                own, self.table_id, NewColumn("lusha", "workEmail", "workEmail", "Work email"), 0, 1.0
            )

    def write(self):
        return _Written(self.world.database, self.account)

    def edit(self, own):
        return GridEdit(own, self.table(own), column_store.select_every_column(own, self.table_id))

    def table(self, own):
        return store.find_table(own, self.table_id)

    def column(self, own, column):
        return column_store.find_column(own, self.table_id, column)

    def add(self, *numbers):
        with self.write() as own:
            edit = self.edit(own)
            edit.add_rows([NewRow(n, {self.name: Cell("success", b'"N%d"' % n)}) for n in numbers])
            edit.write(1.0)

    def remove(self, *numbers):
        with self.write() as own:
            edit = self.edit(own)
            edit.remove_rows(select_positions(own, self.table_id, numbers))
            edit.write(2.0)

    def run(self, scope="all", positions=()):
        with self.write() as own:
            columns = column_store.select_every_column(own, self.table_id)
            return begin_run(
                own,
                self.table(own),
                columns,
                self.column(own, self.email),
                scope,
                user_id=1,
                request_id="r",
                at=3.0,
                positions=positions,
            )

    def fill(self, cells):
        with self.write() as own:
            edit = self.edit(own)
            edit.set_cells(self.email, cells)
            edit.write(4.0)

    def counters(self):
        with self.write() as own:
            return self.column(own, self.email).counters

    def found_run(self, run):
        with self.write() as own:
            return run_store.find_run(own, run)

    def numbers(self):
        with self.write() as own:
            return [
                n
                for chunk in select_all_chunks(own, self.table_id).values()
                for _, n in RowChunk.decode(chunk).rows()
            ]

    def totals(self):
        with self.write() as own:
            table = self.table(own)
            return table.entity_count, table.open_runs


class _Written:
    def __init__(self, database, account):
        self._transaction = database.write(account_scope(account))
        self._account = account

    def __enter__(self):
        return AccountSession(self._transaction.__enter__(), self._account)

    def __exit__(self, *error):
        return self._transaction.__exit__(*error)


@pytest.fixture
def grid(shared_world):
    return Grid(shared_world)


def test_rows_keep_the_order_of_adding_across_chunks(grid):
    grid.add(*range(300, 0, -1))
    grid.add(1000)
    assert grid.numbers() == [*range(300, 0, -1), 1000]
    assert grid.totals() == (301, 0)


def test_a_removed_row_leaves_the_counters_and_its_cells(grid):
    grid.add(*range(1, 201))
    grid.fill({0: Cell("success", b'"a"'), 1: Cell("no_data")})
    grid.remove(1, 2, 150)
    assert grid.totals() == (197, 0)
    assert grid.counters() == Counters(not_run=197)
    with grid.write() as own:
        cells = select_cells(own, [grid.email, grid.name], [0])
    assert not any(b'"a"' in one.contents or b'"N1"' in one.contents for one in cells)


def test_a_chunk_without_rows_is_deleted_with_its_cells(grid):
    grid.add(*range(1, 201))
    grid.remove(*range(1, 129))
    with grid.write() as own:
        assert list(select_all_chunks(own, grid.table_id)) == [1]
        assert {one.chunk for one in select_cells(own, [grid.name], [0, 1])} == {1}


def test_a_run_takes_every_cell_and_shows_it_as_processing(grid):
    grid.add(*range(1, 201))
    run = grid.run()
    assert grid.counters() == Counters(processing=200)
    assert grid.found_run(run).left == Counters(not_run=200)
    assert grid.totals() == (200, 1)


def test_a_second_run_takes_only_what_no_open_run_has(grid):
    grid.add(*range(1, 201))
    first = grid.run("specific", [0, 1, 130])
    second = grid.run("missing")
    assert grid.found_run(first).taken == 3
    assert grid.found_run(second).taken == 197
    assert grid.run() is None
    assert grid.counters() == Counters(processing=200)


def test_a_run_of_what_is_missing_leaves_what_was_found(grid):
    grid.add(*range(1, 6))
    grid.fill({0: Cell("success", b"1"), 1: Cell("no_data"), 2: Cell("failed", note={"error": "E"})})
    run = grid.run("missing")
    assert grid.found_run(run).left == Counters(not_run=2, failed=1)
    assert grid.counters() == Counters(processing=3, success=1, no_data=1)


def test_a_run_ends_with_its_last_cell(grid):
    grid.add(1, 2)
    run = grid.run()
    grid.fill({0: Cell("success", b"1")})
    assert grid.totals() == (2, 1)
    grid.fill({1: Cell("no_data")})
    assert grid.found_run(run).state is RunState.DONE
    assert grid.totals() == (2, 0)
    assert grid.counters() == Counters(success=1, no_data=1)


def test_removing_the_last_row_of_a_run_ends_it(grid):
    grid.add(1, 2)
    grid.fill({1: Cell("success", b"1")})
    run = grid.run("specific", [1])
    grid.remove(2)
    assert grid.found_run(run).state is RunState.DONE
    assert grid.counters() == Counters(not_run=1)


def test_a_stopped_run_leaves_the_rest_as_it_was(grid):
    grid.add(1, 2, 3)
    grid.fill({0: Cell("success", b"1"), 1: Cell("failed")})
    run = grid.run()
    grid.fill({2: Cell("no_data")})
    with grid.write() as own:
        stored = run_store.find_run(own, run)
        assert end_run(own, grid.table_id, grid.email, run, stored.left, RunState.STOPPED, 5.0)
        assert select_next_parts(own, run, 10) == []
    assert grid.counters() == Counters(success=1, no_data=1, failed=1)
    assert grid.totals() == (3, 0)


def test_a_failed_cell_keeps_its_value(grid):
    grid.add(1)
    grid.fill({0: Cell("success", b'"kept"', {"doNotCall": True})})
    with grid.write() as own:
        edit = grid.edit(own)
        edit.fail_cells(grid.email, [0], "INSUFFICIENT_CREDITS")
        edit.write(5.0)
        (stored,) = select_cells(own, [grid.email], [0])
    chunk = CellChunk(*stored[2:])
    assert (chunk.status(0), chunk.content(0)) == ("failed", b'"kept"')
    assert chunk.note(0) == {"doNotCall": True, "error": "INSUFFICIENT_CREDITS"}


def test_rows_added_during_a_run_are_not_part_of_it(grid):
    grid.add(1)
    run = grid.run()
    grid.add(2)
    assert grid.counters() == Counters(not_run=1, processing=1)
    assert grid.found_run(run).taken == 1


def test_adding_many_rows_takes_few_statements(grid):
    with grid.write() as own:
        edit = grid.edit(own)
        before = own.session.statements
        edit.add_rows([NewRow(n, {grid.name: Cell("success", b"1")}) for n in range(500)])
        edit.write(1.0)
        # chunks and cells read; rows, chunks, cells, columns' and table's counters written
        assert own.session.statements - before == 7


def test_filling_many_chunks_takes_few_statements(grid):
    grid.add(*range(1000))
    grid.run()
    with grid.write() as own:
        edit = grid.edit(own)
        before = own.session.statements
        edit.set_cells(grid.email, dict.fromkeys(range(1000), Cell("no_data")))
        edit.write(1.0)
        # cells and parts read; cells, parts, counters of column and run written; the run's and the table's end
        assert own.session.statements - before == 9
