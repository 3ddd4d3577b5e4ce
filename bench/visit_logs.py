"""Speed and memory of imports of access logs, through the real command line.

The log is that of the demonstration, replayed: each copy is four days later, so that all page views are new. Times are
those of the whole command, its start included; memory is flat if a tenth of the lines takes as much.
"""

import gzip
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.imports import measure_command
from bench.tables import Table, verdict
from bench.workspace import ROOT, Workspace

COPIES, QUICK_COPIES = 200, 20
AIM: Final = 50_000.0
"""Lines a second on two cores."""
_DEMO: Final = ROOT / "demo"
_ACCOUNT, _DOMAIN = "bench", "semicomplete.com"
_DAYS: Final = 4
"""Days of the log."""
_DATE: Final = re.compile(rb"\d\d/[A-Z][a-z]{2}/\d{4}")
_SHARE: Final = 10


class LogFigures(msgspec.Struct):
    """One import of a replayed log."""

    title: str
    summary: dict[str, Any]
    seconds: float
    cpu_seconds: float
    memory: int
    """Peak private memory of its processes, in bytes."""
    tenth_memory: int = 0
    """The same for a tenth of the lines."""

    @property
    def per_second(self) -> float:
        return float(self.summary["read"]) / self.seconds


class VisitLogsReport(msgspec.Struct):
    logs: list[LogFigures]

    @property
    def size(self) -> str:
        return f"{max(one.summary['read'] for one in self.logs):,} lines"


def measure(quick: bool, notify: Callable[[str], object]) -> VisitLogsReport:
    copies = QUICK_COPIES if quick else COPIES
    space = Workspace(1, ROOT / ".bench" / "visit_logs")
    notify(f"replaying the log {copies} times")
    log = _replay(space.folder / "access.log", copies)
    tenth = _replay(space.folder / "tenth.log", copies // _SHARE)
    packed = space.folder / "access.log.gz"
    with log.open("rb") as text, gzip.open(packed, "wb", 6) as file:
        file.writelines(text)
    figures = []
    for title, path in (("plain", log), ("gzipped", packed)):
        notify(title)
        small = _import(space, "", tenth)
        whole = _import(space, title, path)
        whole.tenth_memory = small.memory
        figures.append(whole)
    notify("unchanged")
    figures.append(_import(space, "plain, again", log, fresh=False))
    for path in (log, tenth, packed):
        path.unlink()
    return VisitLogsReport(figures)


def _replay(path: Path, copies: int) -> Path:
    """Write copies of the log, each some days later."""
    lines = gzip.decompress((_DEMO / "visits.log.gz").read_bytes()).splitlines(keepends=True)
    days = {found[0] for line in lines if (found := _DATE.search(line))}
    with path.open("wb") as file:
        for copy in range(copies):
            later = {day: _later(day, copy * _DAYS) for day in days}
            file.writelines(
                _DATE.sub(lambda found, later=later: later[found[0]], line, count=1)  # type: ignore[misc]
                for line in lines
            )
    return path


def _later(day: bytes, days: int) -> bytes:
    moment = datetime.strptime(day.decode(), "%d/%b/%Y") + timedelta(days)  # noqa: DTZ007 - a date without a zone
    return moment.strftime("%d/%b/%Y").encode()


def _import(space: Workspace, title: str, path: Path, *, fresh: bool = True) -> LogFigures:
    """Import a file, by default into a fresh database with the owners of networks."""
    if fresh:
        space.clear_database()
        space.run("account", "create", _ACCOUNT)
        space.run("networks", "load", str(_DEMO / "made-up-networks.csv"), "--source", "made-up")
        space.run("visits", "track", _DOMAIN, "--account", _ACCOUNT, "--intent", "/projects/*")
    command = space.command(
        "import", "visits", "--account", _ACCOUNT, "--domain", _DOMAIN, str(path), "--json"
    )
    done = measure_command("The import of visits", command)
    return LogFigures(title, done.output, done.seconds, done.cpu, done.own)


def visit_logs_tables(report: VisitLogsReport) -> list[Table]:
    rows = [
        (
            one.title,
            f"{one.summary['read']:,}",
            f"{(one.summary['pageViews'] + one.summary['known']) / one.summary['read']:.0%}",
            f"{one.summary['sessions']:,}",
            f"{one.seconds:,.1f} s",
            f"{one.cpu_seconds:,.1f} s",
            f"{one.per_second:,.0f}",
            f"{AIM:,.0f}",
            verdict((AIM, one.per_second)),
            f"{one.memory / 2**20:,.0f} MiB",
            f"{one.tenth_memory / 2**20:,.0f} MiB" if one.tenth_memory else "",
        )
        for one in report.logs
    ]
    heads = (
        "log", "lines", "page views", "sessions, new", "time", "processor time", "lines/s", "aim", "", "memory",
        "memory of a tenth",
    )  # fmt: skip
    return [Table("Import of access logs", heads, rows)]
