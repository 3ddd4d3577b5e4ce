"""Runs on a real database: accounts with tables of made-up records, a small kind of column, workers of this process."""

import asyncio
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import sqlalchemy as sa

from firmograph.billing.affordable_charge import AffordableCharges, PricedGroup
from firmograph.billing.types import Unit, UnitKind
from firmograph.database.connection import RECORDS, AccountSession, account_scope
from firmograph.directory.tables import contacts
from firmograph.record_tables import store
from firmograph.record_tables.cells.chunk import CellChunk, RowChunk
from firmograph.record_tables.cells.grid import GridEdit, NewRow
from firmograph.record_tables.cells.store import select_all_chunks, select_cells, select_positions
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.kind import NO_DATA, CellContent, ColumnKinds
from firmograph.record_tables.columns.store import NewColumn
from firmograph.record_tables.deletion.purge import Purge
from firmograph.record_tables.runs import store as run_store
from firmograph.record_tables.runs.acceptance import begin_run
from firmograph.record_tables.runs.cancel import stop_run, stop_runs_of
from firmograph.record_tables.runs.filling import RunFilling
from firmograph.record_tables.runs.queue import RunQueue
from firmograph.record_tables.runs.worker import RunTurns, create_run_worker
from firmograph.record_tables.store import NewTable
from firmograph.record_tables.tables import (
    record_table_cells,
    record_table_chunks,
    record_table_columns,
    record_table_rows,
    record_table_run_parts,
    record_table_runs,
    record_tables,
)
from firmograph.record_tables.types import RUN_SUBJECT, Counters

EMAIL = NewColumn("lusha", "workEmail", "workEmail", "Work email")
TITLE = NewColumn("lusha", "jobTitle", "jobTitle", "Job title")
SIGNALS = NewColumn("signal", None, "signal:news", "Signals: news", b"{}")

PRICE_KEY = "revealEmail"
STORED = (
    record_table_cells,
    record_table_chunks,
    record_table_columns,
    record_table_rows,
    record_table_run_parts,
    record_table_runs,
    record_tables,
)


def has_email(number):
    """Return whether a made-up record has an e-mail: two of three do."""
    return number % 3 != 0


def email_unit(number):
    return Unit(UnitKind.CONTACT_DATA, number, "emails")


def insert_people(database, numbers):
    """Insert contacts that hold what the made-up kind shows, for workers with the kinds of an installation."""
    with database.write(RECORDS) as session:
        session.load(contacts, [_person(number) for number in numbers])


def _person(number):
    emails = b'[{"email":"p%d.1@example.com","type":"work"}]' % number if has_email(number) else None
    title = b'{"jobTitle":{"title":"Title %d"}}' % number
    return number, None, b'{"firstName":"P%d"}' % number, title, emails, None, None


class MadeUpKind:
    """Kind of columns whose contents follow from record numbers; an e-mail costs, a job title is free."""

    def __init__(self):
        self.version = 1
        self.failing = set()
        """Records with which nothing can be loaded."""
        self.on_load = lambda numbers: None
        """Called before contents are returned, as by another process."""
        self.loaded = []

    def value_type(self, column, entity):
        return "string"

    def load(self, session, entity, columns, numbers, at):
        assert isinstance(session, AccountSession)
        if self.failing & set(numbers):
            raise ValueError("it does not load")
        self.loaded.append(sorted(numbers))
        found = {column.id: {n: self._content(column, n) for n in numbers} for column in columns}
        # a thread has its own session, as this one is in a transaction
        with ThreadPoolExecutor(1) as pool:
            pool.submit(self.on_load, numbers).result()
        return found

    def _content(self, column, number):
        if column.key != "workEmail":
            return CellContent(b'"Title %d"' % number)
        if not has_email(number):
            return NO_DATA
        groups = (PricedGroup(PRICE_KEY, (email_unit(number),)),)
        return CellContent(b'"p%d.%d@example.com"' % (number, self.version), groups)


class Figures:
    """Observer that keeps counts by outcome, and times from beginning to end."""

    def __init__(self):
        self.counts = Counter()
        self.seconds = []
        self.backlog = ()
        self.cells = Counter()

    def count_attempts(self, outcome, count):
        self.counts[outcome] += count

    def observe_seconds(self, seconds):
        self.seconds.append(seconds)

    def set_backlog(self, *figures):
        self.backlog = figures

    def count_cells(self, filled):
        for status in ("success", "no_data", "failed"):
            self.cells[status] += getattr(filled, status)


class ShownCell(NamedTuple):
    status: str
    value: bytes | None
    error: str | None


class Book:
    """Table of an account with one column to run."""

    def __init__(self, runs, account, column=EMAIL):
        self.runs = runs
        self.world = runs.world
        self.account = account
        with self.write() as own:
            self.table_id = store.insert_table(own, NewTable(1, f"People of {account}", 1, "api", False), 1.0)
        self.column_id = self.add_column(column)

    def write(self):
        return _Own(self.world.database.write(account_scope(self.account)), self.account)

    def read(self):
        return _Own(self.world.database.read(), self.account)

    def add_column(self, new):
        with self.write() as own:
            rows = store.find_table(own, self.table_id).entity_count
            return column_store.insert_column(own, self.table_id, new, rows, 1.0)

    def edit(self, own):
        columns = column_store.select_every_column(own, self.table_id)
        return GridEdit(own, store.find_table(own, self.table_id), columns)

    def add(self, *numbers):
        with self.write() as own:
            edit = self.edit(own)
            edit.add_rows([NewRow(number, {}) for number in numbers])
            edit.write(1.0)
        return self

    def remove(self, *numbers):
        with self.write() as own:
            edit = self.edit(own)
            edit.remove_rows(select_positions(own, self.table_id, numbers))
            edit.write(2.0)

    def begin(self, scope="all", numbers=(), *, column_id=None, most_credits=None, actor=""):
        with self.write() as own:
            columns = column_store.select_every_column(own, self.table_id)
            return begin_run(
                own,
                store.find_table(own, self.table_id),
                columns,
                column_store.find_column(own, self.table_id, column_id or self.column_id),
                scope,
                user_id=1,
                request_id=f"request-{self.table_id}",
                at=self.world.clock.seconds(),
                positions=select_positions(own, self.table_id, numbers).values(),
                most_credits=most_credits,
                actor=actor,
            )

    def stop(self, run_id):
        with self.write() as own:
            return stop_run(own, run_store.find_run(own, run_id), self.world.clock.seconds())

    def delete_column(self):
        with self.write() as own:
            stop_runs_of(own, store.find_table(own, self.table_id), self.column_id, 5.0)
            column_store.mark_deleted(own, self.table_id, self.column_id)

    def delete(self):
        with self.write() as own:
            stop_runs_of(own, store.find_table(own, self.table_id), None, 5.0)
            store.mark_deleted(own, self.table_id)

    def run(self, run_id):
        with self.read() as own:
            return run_store.find_run(own, run_id)

    def counters(self, column_id=None):
        with self.read() as own:
            return column_store.find_column(own, self.table_id, column_id or self.column_id).counters

    def updated_at(self):
        with self.read() as own:
            return column_store.find_column(own, self.table_id, self.column_id).updated_at

    def cells(self, column_id=None):
        """Return the stored cells of the column by record."""
        with self.read() as own:
            chunks = select_all_chunks(own, self.table_id)
            stored = {
                one.chunk: one for one in select_cells(own, [column_id or self.column_id], list(chunks))
            }
            found = {}
            for chunk, numbers in chunks.items():
                cells = CellChunk(*stored[chunk][2:]) if chunk in stored else CellChunk()
                for index, number in RowChunk.decode(numbers).rows():
                    error = cells.note(index).get("error")
                    found[number] = ShownCell(cells.status(index), cells.content(index), error)
        return found

    def charged(self, run_id):
        """Return the quantities and credits that the ledger has of a run."""
        entries = [e for e in self.world.entries(self.account) if e.subject == RUN_SUBJECT.format(run_id)]
        return sum(entry.quantity for entry in entries), sum(entry.credits for entry in entries)

    def check(self):
        """Check that counters are those of the cells, and that no run is open; return the cells."""
        cells = self.cells()
        counts = Counter(cell.status for cell in cells.values())
        expected = Counters(counts["not_run"], 0, counts["success"], counts["no_data"], counts["failed"])
        assert self.counters() == expected
        with self.read() as own:
            table = store.find_table(own, self.table_id)
        assert (table.entity_count, table.open_runs) == (len(cells), 0)
        return cells


class _Own:
    """Transaction of an account."""

    def __init__(self, transaction, account):
        self._transaction = transaction
        self._account = account

    def __enter__(self):
        return AccountSession(self._transaction.__enter__(), self._account)

    def __exit__(self, *error):
        return self._transaction.__exit__(*error)


class Runs:
    """World with workers of runs over a made-up kind."""

    def __init__(self, world, *, most_chunks=2):
        self.world = world
        self.kind = MadeUpKind()
        self.figures = Figures()
        self.plans = world.plans
        self.queue = RunQueue(world.database, world.clock, self)
        self._most_chunks = most_chunks

    def book(self, name="Acme", *, plan="unlimited", credits=0, column=EMAIL):
        return Book(self, self.world.caller(name, plan=plan, credits=credits).account_id, column)

    def find(self, name):
        """Return a plan, as the queue asks for them; tests replace `plans`."""
        return self.plans.find(name)

    def filling(self):
        kinds = ColumnKinds({"lusha": self.kind, "signal": self.kind, "score": self.kind})
        charges = AffordableCharges(self.world.purchases)
        return RunFilling(
            self.world.database, self.world.clock, kinds, charges, most_chunks=self._most_chunks
        )

    def claim(self, limit=1):
        return self.queue.claim(limit, self.world.clock.seconds())

    def part(self, turn=None):
        """Do one part of a run; return it."""
        return self.filling().fill_next(turn or self.claim()[0])

    def turns(self):
        return RunTurns(self.filling(), self.figures.count_cells, rest=lambda seconds: None)

    def work(self):
        """Do all that is due, as a worker with `--once`."""
        purge = Purge(self.world.database)
        worker = create_run_worker(
            self.queue, self.turns(), self.world.clock, self.figures, steps={"purge": purge.step}
        )
        return asyncio.run(worker.run_until_idle())

    def stored(self):
        """Return the number of rows of each table of the package."""
        session = self.world.database.session()
        return {table.name: session.one(sa.select(sa.func.count()).select_from(table))[0] for table in STORED}
