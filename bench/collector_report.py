"""Figures of the collector of page views, as a table."""

import msgspec

from bench.tables import Table, verdict


class CollectorReport(msgspec.Struct):
    """Page views sent by one client to one server process."""

    sites: int
    sent: int
    """Page views answered."""
    per_second: float
    p50: float
    """Seconds from a page view to its answer."""
    p99: float
    cpu: float
    """Processor time of the server for each page view, with its storage, in microseconds."""
    stored: int
    behind: float
    """Seconds from the last answer until all were stored."""

    @property
    def size(self) -> str:
        return f"{self.sent:,} page views of {self.sites} sites"

    @property
    def lost(self) -> int:
        return self.sent - self.stored


def collector_tables(report: CollectorReport) -> list[Table]:
    rows = [
        (
            f"{report.sites}",
            f"{report.per_second:,.0f}",
            f"{report.p50 * 1000:,.2f} ms",
            f"{report.p99 * 1000:,.2f} ms",
            f"{report.cpu:,.0f} µs",
            f"{report.sent:,}",
            f"{report.lost:,}",
            verdict((report.lost, 0)),
            f"{report.behind:,.1f} s",
        )
    ]
    heads = (
        "sites",
        "page views/s",
        "p50",
        "p99",
        "processor time",
        "page views",
        "lost",
        "",
        "stored after",
    )
    return [Table("Collector of page views", heads, rows)]
