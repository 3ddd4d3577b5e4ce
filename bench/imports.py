"""Import speed through the real command line, size of the database, memory.

A second import of the same file measures rows that change nothing. Times are those of the whole command, its start
included; memory is the peak of the command and its children together. The same files are then imported into a
PostgreSQL server of the bench, where one can be started.
"""

import json
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import psutil

from bench.servers import cpu_seconds
from bench.services import has_postgresql, running_postgresql
from bench.workspace import SUCCEEDED, Workspace, environment

if TYPE_CHECKING:
    from services.postgresql import PostgreSQL

SAMPLE_SECONDS = 0.25


class ImportFigures(msgspec.Struct):
    """One import of one file."""

    title: str
    summary: dict[str, Any]
    seconds: float
    cpu_seconds: float
    """Processor time of all its processes together."""
    own_memory: int
    """Peak private memory of its processes, in bytes."""
    memory: int
    """The same with mapped pages of the database file, each counted once."""
    server_seconds: float = 0.0
    """Processor time of the database server at the same time."""

    @property
    def per_second(self) -> float:
        return float(self.summary["read"]) / self.seconds


class DatabaseFigures(msgspec.Struct):
    contacts: int
    companies: int
    bytes_companies: int
    """Size with the companies alone."""
    bytes_all: int

    @property
    def bytes_per_contact(self) -> float:
        return (self.bytes_all - self.bytes_companies) / self.contacts


class Loaded(msgspec.Struct):
    """One database, filled twice with the same files."""

    imports: list[ImportFigures]
    database: DatabaseFigures


class ImportReport(Loaded):
    """The embedded database; and PostgreSQL, where it is installed."""

    postgresql: Loaded | None = None


class _Target(NamedTuple):
    """A database to fill."""

    url: str
    bytes: Callable[[], int]
    server: "PostgreSQL | None" = None


def measure(workspace: Workspace, started: Callable[[str], object]) -> ImportReport:
    """Load fresh databases, companies first, each file twice. `started` gets the title of each import."""
    workspace.clear_database()
    embedded = _Target(workspace.url, lambda: database_bytes(workspace.database))
    loaded = _load(workspace, embedded, started)
    report = ImportReport(loaded.imports, loaded.database, _on_server(workspace, started))
    workspace.record_load(msgspec.to_builtins(report))
    return report


def _on_server(workspace: Workspace, started: Callable[[str], object]) -> Loaded | None:
    if not has_postgresql():
        return None
    with running_postgresql() as server:
        target = _Target(server.create("imports"), lambda: tables_bytes(server, "imports"), server)
        return _load(workspace, target, lambda title: started(f"{title}, into PostgreSQL"))


def _load(workspace: Workspace, target: _Target, started: Callable[[str], object]) -> Loaded:
    figures, sizes = [], {}
    for again in ("", ", unchanged"):
        for entity in ("companies", "contacts"):
            title = f"{entity}{again}"
            started(title)
            figures.append(_import(workspace, target, title, entity))
            sizes[title] = target.bytes()
    database = DatabaseFigures(
        workspace.contacts, workspace.companies, sizes["companies"], sizes["contacts, unchanged"]
    )
    return Loaded(figures, database)


def _import(workspace: Workspace, target: _Target, title: str, entity: str) -> ImportFigures:
    program = workspace.command()[0]
    command = [program, "--database", target.url, "import", entity, str(workspace.rows(entity)), "--json"]
    keys = str(workspace.database) + ".keys"
    served = cpu_seconds(target.server.pid) if target.server else 0.0
    done = measure_command(f"The import of {entity}", command, keys_file=keys)
    served = cpu_seconds(target.server.pid) - served if target.server else 0.0
    figures = ImportFigures(title, done.output, done.seconds, done.cpu, done.own, done.memory, served)
    _check(figures, workspace)
    return figures


class MeasuredCommand(NamedTuple):
    """Command of the service that has run with `--json`."""

    output: Any
    seconds: float
    cpu: float
    """Processor time of its processes, in seconds."""
    own: int
    """Peak of private memory, in bytes."""
    memory: int
    """Peak of all memory, file pages included."""


def measure_command(title: str, command: Sequence[str], **settings: str) -> MeasuredCommand:
    """Run a command that prints JSON. Raises RuntimeError, with what it wrote to standard error, if it fails."""
    with TemporaryFile() as out, TemporaryFile() as err:
        began = time.perf_counter()
        process = psutil.Popen(command, env=environment(**settings), stdout=out, stderr=err)
        own, memory, cpu = watch_memory(process)
        seconds = time.perf_counter() - began
        out.seek(0)
        err.seek(0)
        if process.returncode not in SUCCEEDED:
            raise RuntimeError(f"{title} failed: {err.read().decode()[-2000:]}")
        return MeasuredCommand(json.loads(out.read()), seconds, cpu, own, memory)


def watch_memory(process: Any) -> tuple[int, int, float]:
    """Return the peak memory of a process tree, private and total, and the processor time it took."""
    own = memory = 0
    cpu: dict[int, float] = {}
    while True:
        usages = [_usage(one) for one in _tree(process)]
        own = max(own, sum(one[1] for one in usages))
        memory = max(memory, sum(one[2] for one in usages))
        cpu |= {pid: seconds for pid, _, _, seconds in usages if seconds}
        try:
            process.wait(SAMPLE_SECONDS)
        except (subprocess.TimeoutExpired, psutil.TimeoutExpired):
            continue
        return own, memory, sum(cpu.values())


def _tree(process: Any) -> Iterator[Any]:
    yield process
    try:
        yield from process.children(recursive=True)
    except psutil.Error:
        return


def _usage(process: Any) -> tuple[int, int, int, float]:
    try:
        with process.oneshot():
            memory, times = process.memory_full_info(), process.cpu_times()
            return process.pid, memory.rss - memory.shared, memory.pss, times.user + times.system
    except (psutil.Error, AttributeError):
        return process.pid, 0, 0, 0.0


def _check(figures: ImportFigures, workspace: Workspace) -> None:
    """Check the counts: a fast import of wrong data is no figure."""
    entity, summary = figures.title.partition(",")[0], figures.summary
    expected = workspace.companies if entity == "companies" else workspace.contacts
    done = summary["unchanged"] if "unchanged" in figures.title else summary["created"]
    # stubs created earlier and rows of one key may be counted as updates
    if summary["read"] != expected or summary["rejected"] or done < 0.98 * expected:
        raise RuntimeError(f"The import of {figures.title} did not do what was expected: {summary}")


def database_bytes(path: Path) -> int:
    """Return the size of the database, everything in its main file."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        connection.close()
    return sum(other.stat().st_size for other in (path, Path(f"{path}-wal")) if other.exists())


def tables_bytes(server: "PostgreSQL", name: str) -> int:
    """Return the size of all tables of a server's database, with their indexes."""
    with server.connect(name) as connection:
        found = connection.execute(
            "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class"
            " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )
        return int(found.fetchall()[0][0])
