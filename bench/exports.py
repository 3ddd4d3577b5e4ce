"""Export speed and memory through the real command line, of a loaded database and of one with a tenth of its records.

Memory is flat if both take as much. Times are those of the whole command, its start included.
"""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from bench.imports import measure_command
from bench.tables import Table
from bench.workspace import Workspace

EXPORTS = (
    ("csv", ()),
    ("jsonl", ()),
    ("parquet", ()),
    ("xlsx", ()),
    ("csv", ("--sources",)),
)
_SHARE = 10


class ExportFigures(msgspec.Struct):
    """One export of all contacts."""

    title: str
    contacts: int
    seconds: float
    cpu_seconds: float
    bytes: int
    memory: int
    """Peak private memory of its processes, in bytes."""
    tenth_memory: int = 0
    """The same for a tenth of the contacts."""


class ExportsReport(msgspec.Struct):
    exports: list[ExportFigures]


def measure(workspace: Workspace, small: Workspace, notify: Callable[[str], object]) -> ExportsReport:
    """Export all contacts of two workspaces with generated rows, in each format."""
    for each in (workspace, small):
        if not each.holds_rows():
            notify(f"loading {each.contacts:,} contacts")
            each.load()
    figures = []
    for format, words in EXPORTS:
        title = " ".join((format, *words))
        notify(title)
        whole = _export(workspace, title, format, words)
        whole.tenth_memory = _export(small, title, format, words).memory
        figures.append(whole)
    return ExportsReport(figures)


def small_workspace(workspace: Workspace) -> Workspace:
    """Return the workspace with a tenth of the contacts."""
    return Workspace(max(1, workspace.contacts // _SHARE))


def _export(workspace: Workspace, title: str, format: str, words: tuple[str, ...]) -> ExportFigures:
    with TemporaryDirectory(dir=workspace.folder) as folder:
        command = workspace.command("export", "contacts", f"{folder}/all.{format}", "--json", *words)
        done = measure_command(f"The export as {title}", command)
        size = Path(done.output["file"]).stat().st_size
    contacts = done.output["contacts"]
    if contacts < 0.98 * workspace.contacts:
        raise RuntimeError(f"The export as {title} has {contacts:,} of {workspace.contacts:,} contacts")
    return ExportFigures(title, contacts, done.seconds, done.cpu, size, done.own)


def exports_tables(report: ExportsReport) -> list[Table]:
    heads = (
        "export as",
        "records",
        "records/s",
        "time",
        "processor time each",
        "bytes each",
        "peak memory",
        "of a tenth",
    )
    rows = [
        (
            one.title,
            f"{one.contacts:,}",
            f"{one.contacts / one.seconds:,.0f}",
            f"{one.seconds:,.1f} s",
            f"{one.cpu_seconds / one.contacts * 1e6:,.0f} µs",
            f"{one.bytes / one.contacts:,.0f}",
            f"{one.memory / 2**20:,.0f} MiB",
            f"{one.tenth_memory / 2**20:,.0f} MiB",
        )
        for one in report.exports
    ]
    return [Table("Export of contacts", heads, rows)]
