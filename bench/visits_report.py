"""Figures of website visits, as tables."""

import msgspec

from bench.lookalikes_report import Waits
from bench.tables import Table, verdict

AIMS = (50.0, 120.0)
"""Milliseconds, p50 and p99."""


class WindowCalls(msgspec.Struct):
    """Calls for one window."""

    waits: Waits
    companies: int
    """Companies of the answer without filters."""
    first: float
    """Milliseconds of the first call after the start of the server, which reads the sessions."""
    cpu: float
    """Milliseconds of the server's processor time of a call."""


class VisitsReport(msgspec.Struct):
    companies: int
    sessions: int
    queries: list[WindowCalls]

    @property
    def size(self) -> str:
        return f"{self.sessions:,} sessions of {self.companies:,} generated companies"


def visits_tables(report: VisitsReport) -> list[Table]:
    rows = [
        (
            one.waits.title,
            f"{one.companies:,}",
            f"{one.waits.p50:,.1f}",
            f"{one.waits.p99:,.1f}",
            f"{AIMS[0]:g} and {AIMS[1]:g}",
            verdict((one.waits.p50, AIMS[0]), (one.waits.p99, AIMS[1])),
            f"{one.cpu:,.1f} ms",
            f"{one.first:,.0f} ms",
        )
        for one in report.queries
    ]
    heads = ("window", "companies", "p50, ms", "p99, ms", "aims", "", "processor time", "first call")
    return [Table("Speed of the query of website visits", heads, rows)]
