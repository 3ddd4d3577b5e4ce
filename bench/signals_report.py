"""Figures of the run of signals, as tables."""

import msgspec

from bench.job_signals import Detection
from bench.rounds import Compared
from bench.tables import Table, verdict

SHARE_AIM = 0.15
"""Share of a second import with a tenth of the jobs changed; detection should take less."""


class SignalsReport(msgspec.Struct):
    companies: int
    events: float
    """Average number for one company."""
    bytes: int
    """Average size of one answer."""
    calls: list[Compared]
    waits: list[float]
    """Median wait of a single caller in each of the calls, in milliseconds."""
    detection: list[tuple[str, Detection]]


def signals_tables(report: SignalsReport) -> list[Table]:
    return [_calls(report), _detection(report)]


def _calls(report: SignalsReport) -> Table:
    rows = []
    for one, wait in zip(report.calls, report.waits, strict=True):
        ours, bare = one.speeds
        rows.append(
            (
                one.title,
                f"{ours.per_second:,.0f}",
                f"{bare.per_second:,.0f}",
                f"{one.ratio:.2f}",
                f"{ours.cpu_micros:,.0f} µs",
                f"{bare.cpu_micros:,.0f} µs",
                f"{one.cpu_ratio:.2f}",
                f"{wait:.1f} ms",
            )
        )
    heads = (
        "call",
        "requests/s",
        "bare handler",
        "ratio",
        "processor time",
        "bare",
        "ratio of it",
        "wait of one caller",
    )
    return Table("Signals", heads, rows)


def _detection(report: SignalsReport) -> Table:
    rows = [
        (
            what,
            f"{one.rows:,}",
            f"{one.signals:,}",
            f"{one.seconds:,.1f} s",
            f"{one.writer:,.1f} s",
            f"{one.noticing:,.2f} s",
            f"{one.share:.1%}",
            f"{SHARE_AIM:.0%}",
            verdict((one.share, SHARE_AIM)),
            f"{one.scan:,.2f} s",
        )
        for what, one in report.detection
    ]
    heads = (
        "a tenth of the rows has",
        "rows",
        "signals",
        "time",
        "processor time of the writer",
        "of it for signals",
        "share",
        "aim",
        "",
        "pass for the order",
    )
    return Table("Cost of detecting job moves", heads, rows)
