"""Histories of rows, cells and runs of one table, compared with a model in plain Python after every step."""

import ast
from itertools import count
from typing import NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from account_fixtures import World
from effort import examples
from firmograph.database.connection import AccountSession, account_scope
from firmograph.record_tables import store
from firmograph.record_tables.cells import store as cell_store
from firmograph.record_tables.cells.chunk import CHUNK, CellChunk, RowChunk, decode_bits, indices_of
from firmograph.record_tables.cells.grid import GridEdit, NewRow, end_run
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.store import NewColumn
from firmograph.record_tables.runs import store as run_store
from firmograph.record_tables.runs.acceptance import begin_run
from firmograph.record_tables.store import NewTable
from firmograph.record_tables.types import INSUFFICIENT_CREDITS, Cell, Counters, RunState

MISSING = {"not_run", "failed"}
_serials = count(1)


class Crash(BaseException):
    """A simulated end of the process, as far as the transaction can tell."""


class Shown(NamedTuple):
    status: str = "not_run"
    value: bytes | None = None
    note: str = "{}"


def shown(cell):
    return Shown(cell.status, cell.value, repr(cell.note or {}))


class ModelRun:
    def __init__(self, column, positions):
        self.column = column
        self.left = set(positions)
        self.state = RunState.OPEN


cells = st.sampled_from(
    [
        Cell("success", b'"short"'),
        Cell("success", b'{"long": [1, 2, "\\u00e4"]}'),
        Cell("success", b'"+4930"', {"doNotCall": True}),
        Cell("no_data"),
        Cell("failed", note={"error": "LATER"}),
        Cell("not_run"),
    ]
)
scopes = st.sampled_from(["all", "missing", "specific"])
seeds = st.randoms(use_true_random=False)
crashes = st.sampled_from([False, False, False, True])


class Grids(RuleBasedStateMachine):
    """Histories of a table of a new account in this world."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.rows: dict[int, int] = {}
        self.next_position = 0
        self.next_number = 1
        self.cells: dict[int, dict[int, Shown]] = {}
        self.deleted: set[int] = set()
        self.runs: dict[int, ModelRun] = {}
        self.removals = 0

    @initialize()
    def a_table(self):
        self.account = self.world.caller(f"Account {next(_serials)}").account_id
        self.name = None

        def create(own):
            self.table_id = store.insert_table(own, NewTable(1, "People", 1, "api", False), 1.0)
            self.name = self.insert(own, "fullName")

        self.write(create)
        self.cells[self.name] = {}

    # --- helpers ---

    def insert(self, own, key):
        return column_store.insert_column(
            own, self.table_id, NewColumn("lusha", key, key, key, is_default=key == "fullName"), 0, 1.0
        )

    def write(self, change, crash=False):
        """Make a change in one transaction; return its result, None if it was rolled back."""
        try:
            with self.world.database.write(account_scope(self.account)) as session:
                result = change(AccountSession(session, self.account))
                if crash:
                    raise Crash
                return result
        except Crash:
            return None

    def edit(self, own):
        every = column_store.select_every_column(own, self.table_id)
        return GridEdit(own, store.find_table(own, self.table_id), every)

    def live(self):
        return sorted(self.cells.keys() - self.deleted)

    def open_runs(self):
        return [number for number, run in self.runs.items() if run.state is RunState.OPEN]

    def some(self, random, most=40):
        """Return positions of some rows."""
        positions = sorted(self.rows)
        return random.sample(positions, min(len(positions), random.randint(0, most)))

    def model_release(self, column, position):
        for number in self.open_runs():
            run = self.runs[number]
            if run.column == column and position in run.left:
                run.left.remove(position)
                if not run.left:
                    run.state = RunState.DONE

    def model_set(self, column, position, cell):
        self.model_release(column, position)
        self.cells[column][position] = cell

    def model_add(self, numbers, cell):
        for number in numbers:
            self.rows[self.next_position] = number
            self.cells[self.name][self.next_position] = shown(cell)
            self.next_position += 1

    def model_remove(self, positions):
        for position in positions:
            del self.rows[position]
            for column in self.cells:
                self.model_release(column, position)
                self.cells[column].pop(position, None)
        self.removals += len(positions)

    # --- steps ---

    @rule(count=st.integers(1, 150), cell=cells, crash=crashes)
    def add(self, count, cell, crash):
        numbers = list(range(self.next_number, self.next_number + count))
        self.next_number += count
        numbers.reverse()

        def change(own):
            edit = self.edit(own)
            edit.add_rows([NewRow(number, {self.name: cell}) for number in numbers])
            edit.write(2.0)

        self.write(change, crash)
        if not crash:
            self.model_add(numbers, cell)

    @rule(random=seeds, whole_chunk=st.booleans(), crash=crashes)
    def remove(self, random, whole_chunk, crash):
        positions = self.some(random)
        if whole_chunk and positions:
            positions = [one for one in self.rows if one // CHUNK == positions[0] // CHUNK]
        numbers = {self.rows[position]: position for position in positions}

        def change(own):
            assert cell_store.select_positions(own, self.table_id, list(numbers)) == numbers
            edit = self.edit(own)
            edit.remove_rows(numbers)
            edit.write(3.0)

        self.write(change, crash)
        if not crash:
            self.model_remove(positions)

    @rule(random=seeds, count=st.integers(1, 20), cell=cells)
    def remove_and_add_in_one_edit(self, random, count, cell):
        positions = self.some(random)
        numbers = list(range(self.next_number, self.next_number + count))
        self.next_number += count

        def change(own):
            edit = self.edit(own)
            edit.remove_rows({self.rows[position]: position for position in positions})
            edit.add_rows([NewRow(number, {self.name: cell}) for number in numbers])
            edit.write(3.0)

        self.write(change)
        self.model_remove(positions)
        self.model_add(numbers, cell)

    @rule()
    def add_column(self):
        if len(self.cells) < 6:

            def change(own):
                new = NewColumn("lusha", "k", f"k{len(self.cells)}", "K")
                return column_store.insert_column(own, self.table_id, new, len(self.rows), 1.0)

            self.cells[self.write(change)] = {}

    @precondition(lambda self: len(self.live()) > 1)
    @rule(random=seeds)
    def remove_column(self, random):
        column = random.choice([one for one in self.live() if one != self.name])

        def change(own):
            for run in run_store.select_open_runs(own, self.table_id):
                if run.column_id == column:
                    assert end_run(own, self.table_id, column, run.id, run.left, RunState.STOPPED, 5.0)
            column_store.mark_deleted(own, self.table_id, column)

        self.write(change)
        self.deleted.add(column)
        for number in self.open_runs():
            if self.runs[number].column == column:
                self.model_stop(number)

    @rule(random=seeds, cell=cells, crash=crashes)
    def set_cells(self, random, cell, crash):
        column, positions = random.choice(self.live()), self.some(random)

        def change(own):
            edit = self.edit(own)
            edit.set_cells(column, dict.fromkeys(positions, cell))
            edit.write(4.0)

        self.write(change, crash)
        if not crash:
            for position in positions:
                self.model_set(column, position, shown(cell))

    @rule(random=seeds)
    def fail_cells(self, random):
        column, positions = random.choice(self.live()), self.some(random)

        def change(own):
            edit = self.edit(own)
            edit.fail_cells(column, positions, INSUFFICIENT_CREDITS)
            edit.write(4.0)

        self.write(change)
        for position in positions:
            self.model_fail(column, position)

    def model_fail(self, column, position):
        before = self.cells[column].get(position, Shown())
        note = {**ast.literal_eval(before.note), "error": INSUFFICIENT_CREDITS}
        self.model_set(column, position, shown(Cell("failed", before.value, note)))

    @rule(random=seeds, scope=scopes, crash=crashes)
    def begin(self, random, scope, crash):
        column, chosen = random.choice(self.live()), self.some(random, 200)

        def change(own):
            table = store.find_table(own, self.table_id)
            every = column_store.select_every_column(own, self.table_id)
            one = column_store.find_column(own, self.table_id, column)
            return begin_run(
                own,
                table,
                every,
                one,
                scope,
                user_id=1,
                request_id="r",
                at=6.0,
                positions=chosen if scope == "specific" else (),
            )

        taken = set(chosen) if scope == "specific" else set(self.rows)
        for number in self.open_runs():
            if self.runs[number].column == column:
                taken -= self.runs[number].left
        if scope == "missing":
            taken = {one for one in taken if self.cells[column].get(one, Shown()).status in MISSING}
        number = self.write(change, crash)
        if crash:
            return
        assert (number is None) == (not taken)
        if number is not None:
            self.runs[number] = ModelRun(column, taken)

    @precondition(lambda self: self.open_runs())
    @rule(
        random=seeds,
        most=st.integers(1, 3),
        cell=cells.filter(lambda c: c.status != "not_run"),
        crash=crashes,
    )
    def fill_a_part(self, random, most, cell, crash):
        """Fill the next chunks of a run; some of their cells fail."""
        number = random.choice(self.open_runs())
        run = self.runs[number]
        share = random.random()
        order = sorted({position // CHUNK for position in run.left})[:most]
        positions = [position for position in sorted(run.left) if position // CHUNK in order]
        failed = [position for position in positions if random.random() < share]
        filled = [position for position in positions if position not in failed]

        def change(own):
            parts = cell_store.select_next_parts(own, number, most)
            found = [
                part.chunk * CHUNK + index for part in parts for index in indices_of(decode_bits(part.taken))
            ]
            assert found == positions
            edit = self.edit(own)
            edit.set_cells(run.column, dict.fromkeys(filled, cell))
            edit.fail_cells(run.column, failed, INSUFFICIENT_CREDITS)
            edit.write(7.0)

        self.write(change, crash)
        if crash:
            return
        for position in filled:
            self.model_set(run.column, position, shown(cell))
        for position in failed:
            self.model_fail(run.column, position)

    @precondition(lambda self: self.runs)
    @rule(random=seeds)
    def stop(self, random):
        number = random.choice(sorted(self.runs))
        is_open = self.runs[number].state is RunState.OPEN

        def change(own):
            run = run_store.find_run(own, number)
            return end_run(own, self.table_id, run.column_id, number, run.left, RunState.STOPPED, 8.0)

        assert self.write(change) == is_open
        if is_open:
            self.model_stop(number)

    def model_stop(self, number):
        self.runs[number].left.clear()
        self.runs[number].state = RunState.STOPPED

    # --- comparison ---

    def expected_counters(self, column):
        processing = self.processing(column)
        counts = dict.fromkeys(Counters._fields, 0)
        for position in self.rows:
            status = self.cells[column].get(position, Shown()).status
            counts["processing" if position in processing else status] += 1
        return Counters(**counts)

    def processing(self, column):
        return {
            position
            for number in self.open_runs()
            for position in self.runs[number].left
            if self.runs[number].column == column
        }

    @invariant()
    def rows_and_totals_are_those_of_the_model(self):
        def look(own):
            stored = cell_store.select_all_chunks(own, self.table_id)
            counts = dict(cell_store.select_counts(own, self.table_id))
            return store.find_table(own, self.table_id), stored, counts

        if not self.cells:
            return
        table, stored, counts = self.write(look)
        found = {
            chunk * CHUNK + index: number
            for chunk, numbers in stored.items()
            for index, number in RowChunk.decode(numbers).rows()
        }
        assert list(found.items()) == list(self.rows.items())
        assert counts == {chunk: RowChunk.decode(numbers).count for chunk, numbers in stored.items()}
        assert 0 not in counts.values()
        assert (table.entity_count, table.next_position) == (len(self.rows), self.next_position)
        assert (table.open_runs, table.removals) == (len(self.open_runs()), self.removals)
        assert table.column_count == len(self.live())

    @invariant()
    def counters_of_every_column_are_those_of_the_model(self):
        if self.cells:
            columns = self.write(lambda own: column_store.select_every_column(own, self.table_id))
            assert {one.id: one.counters for one in columns} == {
                column: self.expected_counters(column) for column in self.cells
            }

    @invariant()
    def every_cell_is_that_of_the_model_and_empty_positions_have_no_content(self):
        chunks = range(self.next_position // CHUNK + 1)
        if not self.cells:
            return
        stored = self.write(lambda own: cell_store.select_cells(own, list(self.cells), chunks))
        found: dict[int, dict[int, Shown]] = {column: {} for column in self.cells}
        for one in stored:
            assert any(position // CHUNK == one.chunk for position in self.rows)
            chunk = CellChunk(*one[2:])
            for index in range(CHUNK):
                cell = Cell(chunk.status(index), chunk.content(index), dict(chunk.note(index)))
                if shown(cell) != Shown():
                    found[one.column_id][one.chunk * CHUNK + index] = shown(cell)
        assert found == {
            column: {position: cell for position, cell in held.items() if cell != Shown()}
            for column, held in self.cells.items()
        }

    @invariant()
    def runs_and_their_parts_are_those_of_the_model(self):
        chunks = range(self.next_position // CHUNK + 1)
        if not self.cells:
            return

        def look(own):
            runs = {number: run_store.find_run(own, number) for number in self.runs}
            return runs, cell_store.select_parts(own, list(self.cells), chunks)

        runs, parts = self.write(look)
        taken: dict[int, set[int]] = {number: set() for number in self.runs}
        for part in parts:
            assert decode_bits(part.taken)
            assert part.column_id == self.runs[part.run_id].column
            taken[part.run_id] |= {part.chunk * CHUNK + one for one in indices_of(decode_bits(part.taken))}
        for number, run in self.runs.items():
            left = dict.fromkeys(Counters._fields, 0)
            for position in run.left:
                left[self.cells[run.column].get(position, Shown()).status] += 1
            assert taken[number] == run.left
            assert (runs[number].state, runs[number].left) == (run.state, Counters(**left))


def test_grids_are_those_of_a_model_after_every_step(world):
    run_state_machine_as_test(
        lambda: Grids(world),
        settings=settings(max_examples=examples(40), stateful_step_count=30),
    )
