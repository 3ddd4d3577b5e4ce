"""Figures of do-not-call numbers, deletion lists and seen days, as tables."""

import msgspec

from bench.tables import Table, verdict

DROP_AIM = 60.0
"""Seconds of a deletion list of 5,000,000 hashes with 1,000,000 contacts."""
ASK_AIM, SEEN_AIM = 1.1, 1.05
"""Time of an import in parts of that without the registry or lists, and without seen days."""


class Stored(msgspec.Struct):
    """Entries that a command stored."""

    title: str
    entries: int
    seconds: float
    processor: float
    """Seconds of processor time."""


class Asked(msgspec.Struct):
    """An import that asks entries."""

    title: str
    entries: int
    """0 for seen days."""
    rows: int
    writer: float
    """Processor time of the writing process."""
    asking: float
    """Part of it in the functions that ask."""

    @property
    def ratio(self) -> float:
        return self.writer / (self.writer - self.asking)

    @property
    def aim(self) -> float:
        return ASK_AIM if self.entries else SEEN_AIM


class PrivacyListsReport(msgspec.Struct):
    contacts: int
    stored: list[Stored]
    asked: list[Asked]


def privacy_lists_tables(report: PrivacyListsReport) -> list[Table]:
    return [_stored(report), _asked(report)]


def _stored(report: PrivacyListsReport) -> Table:
    rows = [
        (one.title, f"{one.entries:,}", f"{one.seconds:,.1f} s", f"{one.processor:,.1f} s")
        for one in report.stored
    ]
    heads = ("", "entries", f"with {report.contacts:,} contacts", "processor time")
    return Table("Do-not-call numbers and deletion lists", heads, rows)


def _asked(report: PrivacyListsReport) -> Table:
    rows = [
        (
            one.title,
            f"{one.entries:,}" if one.entries else "",
            f"{one.rows:,}",
            f"{one.writer:,.1f} s",
            f"{one.asking:,.2f} s",
            f"{one.ratio:.2f}",
            f"{one.aim:g}",
            verdict((one.ratio, one.aim)),
        )
        for one in report.asked
    ]
    heads = (
        "import with",
        "entries",
        "rows",
        "processor time of the writer",
        "of it asking",
        "ratio to an import without",
        "aim",
        "",
    )
    return Table("Cost of do-not-call numbers, deletion lists and seen days in imports", heads, rows)
