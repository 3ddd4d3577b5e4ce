"""Figures of imports with what an undo needs, and of undos, as tables."""

import msgspec

from bench.tables import Table, verdict

COST_AIM = 1.1
"""Time of an import in parts of that without what an undo needs."""
HOLD_AIM = 0.1
"""Seconds that an undo may hold the writer."""
WAIT_AIM = 2.0
"""The searches' p99 during an undo in parts of that before it."""


class Kept(msgspec.Struct):
    """An import with what it keeps."""

    title: str
    rows: int
    seconds: float
    writer: float
    """Processor time of the writing process."""
    keeping: float
    """Part of it in the functions that keep what an undo needs."""
    bytes: float
    """What is kept, for each row."""

    @property
    def ratio(self) -> float:
        return self.writer / (self.writer - self.keeping)


class Spent(msgspec.Struct):
    """Seconds that an undo took."""

    seconds: float
    processor: float
    """Processor time."""
    hold: float
    """Longest time that it held the writer."""
    hold_processor: float
    """Most processor time in one hold, which other programs on the machine have little effect on."""


class Undo(msgspec.Struct):
    """An undo of an import, or the removal of a source."""

    title: str
    records: int
    spent: Spent
    calm: float
    """The p99 of searches before, in seconds."""
    p99: float
    """Of all searches at the same time."""


class UndoReport(msgspec.Struct):
    imports: list[Kept]
    undos: list[Undo]


def undo_tables(report: UndoReport) -> list[Table]:
    return [_imports(report), _undos(report)]


def _imports(report: UndoReport) -> Table:
    rows = [
        (
            one.title,
            f"{one.rows:,}",
            f"{one.writer:,.1f} s",
            f"{one.keeping:,.2f} s",
            f"{one.ratio:.2f}",
            f"{COST_AIM:.1f}",
            verdict((one.ratio, COST_AIM)),
            f"{one.bytes:,.0f} bytes",
        )
        for one in report.imports
    ]
    heads = (
        "import of",
        "rows",
        "processor time of the writer",
        "of it for the undo",
        "ratio to an import without",
        "aim",
        "",
        "kept for each row",
    )
    return Table("Cost of former rows", heads, rows)


def _undos(report: UndoReport) -> Table:
    rows = [
        (
            one.title,
            f"{one.records:,}",
            f"{one.records / one.spent.seconds:,.0f}",
            f"{one.spent.processor / one.records * 1e6:,.0f} µs",
            f"{one.spent.hold * 1000:,.0f} ms",
            f"{one.spent.hold_processor * 1000:,.0f} ms",
            verdict((one.spent.hold, HOLD_AIM)),
            f"{one.calm * 1000:,.1f} ms",
            f"{one.p99 * 1000:,.1f} ms",
            f"{one.p99 / one.calm:.2f}",
            verdict((one.p99 / one.calm, WAIT_AIM)),
        )
        for one in report.undos
    ]
    heads = (
        "",
        "records",
        "records/s",
        "processor time each",
        "longest hold of the writer",
        "most processor time in one",
        "",
        "p99 of searches before",
        "during it",
        "ratio",
        "",
    )
    return Table("Undo of an import, removal of a source", heads, rows)
