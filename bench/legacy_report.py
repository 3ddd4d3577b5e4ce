"""Figures of the older generation's calls, as a table."""

import msgspec

from bench.tables import Table, verdict


class Speed(msgspec.Struct):
    """Medians of the rounds of one call."""

    per_second: float
    cpu_micros: float
    """Processor time of the server for each request."""
    p50: float
    """Wait of a single caller, in milliseconds."""


class LegacyCall(msgspec.Struct):
    """A call of the older generation and the current one that answers the same."""

    title: str
    current_title: str
    aim: float
    """Least part of the current call's requests a second."""
    legacy: Speed
    current: Speed
    ratio: float
    """Requests a second in parts of the current call's, within rounds."""


class LegacyReport(msgspec.Struct):
    contacts: int
    companies: int
    calls: list[LegacyCall]


def legacy_tables(report: LegacyReport) -> list[Table]:
    rows = [
        (
            one.title,
            one.current_title,
            f"{one.legacy.per_second:,.0f}",
            f"{one.current.per_second:,.0f}",
            f"{one.ratio:.2f}",
            f"{one.aim:.2f}",
            verdict((-one.ratio, -one.aim)),
            f"{one.legacy.p50:,.2f}",
            f"{one.current.p50:,.2f}",
            f"{one.legacy.cpu_micros:,.0f} µs",
            f"{one.current.cpu_micros:,.0f} µs",
        )
        for one in report.calls
    ]
    heads = (
        "older call",
        "current call",
        "requests/s, older",
        "current",
        "ratio",
        "aim",
        "",
        "p50, ms, older",
        "current",
        "processor time, older",
        "current",
    )
    return [Table("Speed of the older generation", heads, rows)]
