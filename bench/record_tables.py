"""Tables of records over HTTP: adding, running, reading, deleting and exporting them, on both databases."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryFile
from typing import NamedTuple

import psutil
from pyarrow import parquet

from bench import mixes, services
from bench.client import load
from bench.deliveries_world import working
from bench.imports import watch_memory
from bench.latencies import part
from bench.mixes import Mix
from bench.record_tables_calls import COLUMNS, CalledTable, Caller, make_table
from bench.record_tables_report import (
    During,
    Export,
    OnDatabase,
    OnTable,
    Page,
    Pages,
    RecordTablesReport,
)
from bench.record_tables_store import Records
from bench.servers import Server, cores, on_core
from bench.sites import Site
from bench.workspace import Workspace, environment

KINDS = ("contacts", "companies")
PAGE = 100
_FORMATS = ("csv", "jsonl", "parquet")
_PERSONS, _PERSONS_ASKED = 15_000, 2_000
"""Rows that are examined to find people to search for, and rows that are asked for."""
_ROUND_SECONDS = 0.25
"""Calls between two times that runs are begun."""
_PURGE_SECONDS = 300.0

Notify = Callable[[str], object]


class Effort(NamedTuple):
    rows: int
    removed: int
    times: int
    """Accepted runs, and reads of a page."""
    deleted: int
    """Tables deleted of each kind, each with all rows."""
    seconds: float
    """Of searching and of enriching, without a run and during runs."""


FULL, QUICK = Effort(50_000, 5_000, 300, 5, 15.0), Effort(4_000, 500, 100, 2, 3.0)


def measure(workspace: Workspace, quick: bool, notify: Notify) -> RecordTablesReport:
    effort, folder = QUICK if quick else FULL, workspace.folder / "tables"
    with ExitStack() as stack:
        sites = [Site("SQLite", f"sqlite:///{folder / 'sqlite' / 'bench.db'}", folder / "sqlite")]
        for path in sites[0].folder.iterdir():
            path.unlink()
        if services.has_postgresql():
            server = stack.enter_context(services.running_postgresql())
            sites.append(Site("PostgreSQL", server.create("tables"), folder / "postgresql", (server.pid,)))
        else:
            notify(f"left out: {services.POSTGRESQL_MISSING}")
        measured = []
        for site in sites:
            notify(f"{site.name}: import")
            site.load(workspace)
            measured.append(_OnSite(workspace, site, effort, notify).measure())
        return RecordTablesReport(
            workspace.contacts,
            workspace.companies,
            effort.rows,
            COLUMNS,
            effort.removed,
            effort.times,
            measured,
        )


class _OnSite:
    """Measurement on one database."""

    def __init__(self, workspace: Workspace, site: Site, effort: Effort, notify: Notify) -> None:
        self._workspace = workspace
        self._site = site
        self._effort = effort
        self._records = Records(site)
        self._notified = notify

    def _notify(self, what: str) -> None:
        self._notified(f"{self._site.name}: {what}")

    def measure(self) -> OnDatabase:
        with self._served() as caller:
            tables = [self._table(caller, kind) for kind in KINDS]
        during = [
            one
            for in_server in (False, True)
            for one in self._during(tables[0].tables[-1], in_server=in_server)
        ]
        with self._served() as caller:
            for kind, made in zip(KINDS, tables, strict=True):
                self._delete(caller, kind, made)
        self._records.close()
        return OnDatabase(self._site.name, [one.figures for one in tables], during)

    @contextmanager
    def _served(self) -> Iterator[Caller]:
        """Run a server without a worker on one core, and this process on another."""
        with on_core(cores()[1]), self._site.served({cores()[0]}, "--no-worker") as server:
            caller = Caller(server.port, self._site.key)
            yield caller
            caller.close()

    # --- tables of one kind ---

    def _table(self, caller: Caller, kind: str) -> "_Made":
        effort, before = self._effort, self._records.bytes_of_cells()
        ids = self._records.ids(kind, effort.rows)
        small = self._filled(caller, kind, ids[: effort.rows // 4])
        self._notify(f"{kind}: adding")
        table = make_table(caller, kind, "all")
        table.add_columns()
        with self._records.longest_hold() as hold:
            began = time.perf_counter()
            added = table.add(ids)
            add_seconds = time.perf_counter() - began
        run_seconds, statuses = self._run(table)
        table.check_filled(effort.rows)
        size = (self._records.bytes_of_cells() - before) / (effort.rows + effort.rows // 4) / COLUMNS
        self._notify(f"{kind}: exports")
        exports = [
            self._export(one, rows, format)
            for format in _FORMATS
            for one, rows in ((small, effort.rows // 4), (table, effort.rows))
        ]
        accepted = self._accept(table)
        self._notify(f"{kind}: pages")
        pages, page_bytes = self._pages(table, effort.rows)
        with self._records.longest_hold() as removal_hold:
            removed = table.remove(Random("removed").sample(ids, effort.removed))
        pages_removed, _ = self._pages(table, effort.rows - effort.removed)
        figures = OnTable(
            kind,
            add_seconds,
            max(added),
            max(hold, default=None),
            run_seconds,
            _p99(accepted),
            _p99(statuses),
            pages,
            pages_removed,
            page_bytes,
            max(removed),
            max(removal_hold, default=None),
            exports,
            size,
        )
        return _Made(figures, ids, [small.id, table.id])

    def _filled(self, caller: Caller, kind: str, ids: Sequence[str]) -> CalledTable:
        """Make a table whose columns have been run."""
        self._notify(f"{kind}: {len(ids):,} rows")
        table = make_table(caller, kind, "some")
        table.add(ids)
        table.add_columns()
        with working(self._site):
            table.wait()
        table.check_filled(len(ids))
        return table

    def _run(self, table: CalledTable) -> tuple[float, list[float]]:
        """Return the seconds of a run of one column, and the waits for the status during runs of the others."""
        first, *others = table.run_columns()
        with working(self._site):
            # a run that is not measured, as the worker is not ready at once
            table.start(first)
            table.wait()
            self._notify(f"{table.kind}: one column")
            began = time.perf_counter()
            table.start(first)
            table.wait()
            seconds = time.perf_counter() - began
            self._notify(f"{table.kind}: status")
            for column in others:
                table.start(column)
            return seconds, table.wait(pause=0.002)

    def _accept(self, table: CalledTable) -> list[float]:
        self._notify(f"{table.kind}: accepting runs")
        columns, waits = table.run_columns(), []
        for turn in range(self._effort.times):
            waits.append(table.start(columns[turn % len(columns)]))
            self._records.stop_runs(table.id)
        return waits

    def _pages(self, table: CalledTable, rows: int) -> tuple[Pages, int]:
        read = [table.read(page, PAGE, self._effort.times) for page in (0, rows // PAGE - 1)]
        first, last = (Page(part(sorted(waits), 0.5), _p99(waits)) for waits, _ in read)
        return Pages(first, last), read[0][1]

    def _export(self, table: CalledTable, rows: int, format: str) -> Export:
        path = self._site.folder / f"export.{format}"
        path.unlink(missing_ok=True)
        command = self._site.command("table", "export", table.id, str(path))
        with TemporaryFile() as out, TemporaryFile() as err:
            began = time.perf_counter()
            process = psutil.Popen(command, env=environment(**self._site.settings), stdout=out, stderr=err)
            memory, _, _ = watch_memory(process)
            seconds = time.perf_counter() - began
            err.seek(0)
            if process.returncode != 0:
                raise RuntimeError(f"The export failed: {err.read().decode()[-2000:]}")
        _check_export(path, rows)
        path.unlink()
        return Export(format, rows, seconds, memory)

    def _delete(self, caller: Caller, kind: str, made: "_Made") -> None:
        """Delete tables with all rows and an open run, and then the others; watch a worker delete the rest."""
        self._notify(f"{kind}: deletion")
        waits = []
        for number in range(self._effort.deleted):
            table = make_table(caller, kind, f"deleted {number}")
            table.add(made.ids)
            table.add_columns()
            waits.append(table.delete())
        waits += [caller.call("DELETE", f"/v3/{kind}/tables/{id}")[0] for id in made.tables]
        made.figures.deleted = max(waits)
        with self._records.longest_hold() as hold, working(self._site):
            began = time.perf_counter()
            while self._records.has_deleted_tables():
                if time.perf_counter() > began + _PURGE_SECONDS:
                    raise RuntimeError("The rest of the deleted tables is still there")
                time.sleep(0.05)
            made.figures.purge_seconds = time.perf_counter() - began
        made.figures.purge_hold = max(hold, default=None)

    # --- other calls ---

    def _during(self, table_id: str, *, in_server: bool) -> list[During]:
        where = "worker in the server" if in_server else "worker of its own"
        self._notify(f"searches and enrichments during runs, {where}")
        options = () if in_server else ("--no-worker",)
        with self._site.served(set(cores()), *options) as server, ExitStack() as stack:
            if not in_server:
                stack.enter_context(working(self._site))
            caller = Caller(server.port, self._site.key)
            stack.callback(caller.close)
            table = CalledTable(caller, KINDS[0], table_id)
            measured = []
            for mix in self._mixes(server):
                before = self._waits(server, mix)
                during = self._waits(server, mix, table)
                measured.append(During(f"{mix.title}, {where}", _p99(before), _p99(during), len(during)))
            self._records.stop_runs(table.id)
            return measured

    def _mixes(self, server: Server) -> list[Mix]:
        rows = mixes.sample(self._workspace.rows("contacts"), self._workspace.contacts, _PERSONS)
        persons = self._site.people(rows[:_PERSONS_ASKED], server)
        enriched = mixes.enrich_mix(persons, 1, len(persons))
        self._site.pay(enriched, server)
        return [mixes.search_mix(persons, 1, len(persons)), enriched]

    def _waits(self, server: Server, mix: Mix, table: CalledTable | None = None) -> list[float]:
        """Return the milliseconds of calls; with a table while all its columns are run."""
        requests, waits, sent = mix.requests(self._site.key), list[float](), 0
        until = time.monotonic() + self._effort.seconds
        while time.monotonic() < until:
            if table is not None:
                for column in table.run_columns():
                    table.start(column)
            done = load([server.port], requests, _ROUND_SECONDS, sent, callers=1)
            mixes.check(mix, done.samples)
            waits += [one * 1e3 for one in done.waits]
            sent += done.answered
            if table is not None and not table.status()["isProcessing"]:
                raise RuntimeError("The runs ended before the calls")
        return waits


class _Made(NamedTuple):
    """Tables of one kind."""

    figures: OnTable
    ids: list[str]
    tables: list[str]
    """Ids, that of the one with all rows last."""


def _p99(waits: Sequence[float]) -> float:
    return part(sorted(waits), 0.99)


def _check_export(path: Path, rows: int) -> None:
    """Raise unless an export has all rows."""
    if path.suffix == ".parquet":
        found = parquet.read_metadata(path).num_rows
    else:
        with path.open("rb") as file:
            found = sum(1 for _ in file) - (path.suffix == ".csv")
    if found != rows:
        raise RuntimeError(f"{path.name} has {found:,} rows")
