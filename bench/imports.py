"""Import speed, end to end through the real command line; size of the database; memory.

A second import of the same file measures rows that change nothing. Times are those of the whole command, its start
included; memory is the most that the command and its children had at one moment.
"""

import json
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import msgspec
import psutil

from bench.workspace import Workspace, environment

SAMPLE_SECONDS = 0.25


class ImportFigures(msgspec.Struct):
    """One import of one file."""

    title: str
    summary: dict[str, Any]
    seconds: float
    cpu_seconds: float
    """Of all its processes together."""
    own_memory: int
    """Bytes that its processes had for themselves, at most at one moment."""
    memory: int
    """The same with the pages of the database file that they had mapped, each page counted once."""

    @property
    def per_second(self) -> float:
        return float(self.summary["read"]) / self.seconds


class DatabaseFigures(msgspec.Struct):
    contacts: int
    companies: int
    bytes_companies: int
    """With the companies alone."""
    bytes_all: int

    @property
    def bytes_per_contact(self) -> float:
        return (self.bytes_all - self.bytes_companies) / self.contacts


class ImportReport(msgspec.Struct):
    imports: list[ImportFigures]
    database: DatabaseFigures


def measure(workspace: Workspace, started: Callable[[str], object]) -> ImportReport:
    """Load a fresh database, companies first, each file twice. `started` hears the title of each import."""
    workspace.clear_database()
    figures, sizes = [], {}
    for again in ("", ", unchanged"):
        for entity in ("companies", "contacts"):
            title = f"{entity}{again}"
            started(title)
            figures.append(_import(workspace, title, entity))
            sizes[title] = database_bytes(workspace.database)
    database = DatabaseFigures(
        workspace.contacts, workspace.companies, sizes["companies"], sizes["contacts, unchanged"]
    )
    report = ImportReport(figures, database)
    workspace.loaded(msgspec.to_builtins(report))
    return report


def _import(workspace: Workspace, title: str, entity: str) -> ImportFigures:
    arguments = ("import", entity, str(workspace.rows(entity)), "--json")
    with TemporaryFile() as out, TemporaryFile() as err:
        began = time.perf_counter()
        process = psutil.Popen(workspace.command(*arguments), env=environment(), stdout=out, stderr=err)
        own, memory, cpu = _watch(process)
        seconds = time.perf_counter() - began
        out.seek(0)
        err.seek(0)
        if process.returncode != 0:
            raise RuntimeError(f"The import of {entity} failed: {err.read().decode()[-2000:]}")
        summary = json.loads(out.read())
    figures = ImportFigures(title, summary, seconds, cpu, own, memory)
    _check(figures, workspace)
    return figures


def _watch(process: Any) -> tuple[int, int, float]:
    """The most memory of a running tree of processes, its own and all, and the processor time it took."""
    own = memory = 0
    cpu: dict[int, float] = {}
    while True:
        held = [_usage(one) for one in _tree(process)]
        own = max(own, sum(one[1] for one in held))
        memory = max(memory, sum(one[2] for one in held))
        cpu |= {pid: seconds for pid, _, _, seconds in held if seconds}
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
            held, times = process.memory_full_info(), process.cpu_times()
            return process.pid, held.rss - held.shared, held.pss, times.user + times.system
    except (psutil.Error, AttributeError):
        return process.pid, 0, 0, 0.0


def _check(figures: ImportFigures, workspace: Workspace) -> None:
    """A fast import of the wrong thing is no figure."""
    entity, summary = figures.title.partition(",")[0], figures.summary
    expected = workspace.companies if entity == "companies" else workspace.contacts
    done = summary["unchanged"] if "unchanged" in figures.title else summary["created"]
    # stubs made on the way and rows of one key may be counted as updates
    if summary["read"] != expected or summary["rejected"] or done < 0.98 * expected:
        raise RuntimeError(f"The import of {figures.title} did not do what was expected: {summary}")


def database_bytes(path: Path) -> int:
    """The size of the database, everything in its main file."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        connection.close()
    return sum(other.stat().st_size for other in (path, Path(f"{path}-wal")) if other.exists())
