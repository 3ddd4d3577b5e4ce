"""Figures of the run of deliveries, as tables."""

from collections.abc import Sequence

import msgspec

from bench.tables import Table, verdict

RATE_AIM = 1_000
"""Deliveries a second of one worker, with the receivers on the same two cores."""
P99_AIM = 500.0
"""Milliseconds from detected to received, below saturation."""
SILENT_AIM = 2.0
"""The p99 of healthy receivers while a tenth never answers, in parts of that of a clean run."""


class Sustained(msgspec.Struct):
    """A backlog, delivered at full speed; medians of the rounds."""

    receivers: str
    per_second: float
    cpu_micros: float
    """Processor time of the worker for each delivery."""
    bare_per_second: float
    bare_cpu_micros: float
    ratio: float
    cpu_ratio: float


class Paced(msgspec.Struct):
    """Signals detected at an even rate, and the delays of their deliveries."""

    receivers: str
    per_second: float
    """Deliveries that were due."""
    counted: int
    """Deliveries to receivers that answer."""
    p50: float
    p99: float
    """Milliseconds from detected to received."""
    most: float


class FannedOut(msgspec.Struct):
    """The step from signals to deliveries by itself."""

    deliveries_per_second: float
    signals_per_second: float
    """Signals that cause ten deliveries each."""
    unmatched_per_second: float
    """Signals without subscriptions."""
    idle_micros: float
    """A step without new signals."""


class OnSite(msgspec.Struct):
    """Figures on one database."""

    name: str
    sustained: list[Sustained]
    paced: list[Paced]
    fanned_out: FannedOut
    memory: int
    """Peak memory of the worker alone, in bytes."""


class DeliveriesReport(msgspec.Struct):
    accounts: int
    subscriptions: int
    origins: int
    backlog: int
    """Deliveries in a round."""
    seconds: float
    """Duration of a paced run."""
    sites: list[OnSite]


def deliveries_tables(report: DeliveriesReport) -> list[Table]:
    return [_sustained(report.sites), _paced(report.sites), _fanned_out(report.sites)]


def _sustained(sites: Sequence[OnSite]) -> Table:
    rows = [
        (
            f"{site.name}: {one.receivers}",
            f"{one.per_second:,.0f}",
            f"{one.bare_per_second:,.0f}",
            f"{one.ratio:.2f}",
            f"{one.cpu_micros:,.0f} µs",
            f"{one.bare_cpu_micros:,.0f} µs",
            f"{one.cpu_ratio:.2f}",
            f"{site.memory / 2**20:,.0f} MiB",
            f"{RATE_AIM:,}",
            verdict((-one.per_second, -RATE_AIM)),
        )
        for site in sites
        for one in site.sustained
    ]
    heads = (
        "receivers answer",
        "deliveries/s",
        "bare client",
        "ratio",
        "processor time",
        "bare",
        "ratio of it",
        "memory",
        "aim a second",
        "",
    )
    return Table("Deliveries", heads, rows)


def _paced(sites: Sequence[OnSite]) -> Table:
    rows = [
        (
            f"{site.name}: {one.receivers}",
            f"{one.per_second:,.0f}",
            f"{one.counted:,}",
            f"{one.p50:,.0f} ms",
            f"{one.p99:,.0f} ms",
            f"{one.most:,.0f} ms",
            f"{aim:,.0f} ms",
            verdict((one.p99, aim)),
        )
        for site in sites
        for one, aim in zip(site.paced, (P99_AIM, SILENT_AIM * site.paced[0].p99), strict=True)
    ]
    heads = ("receivers", "deliveries/s due", "received", "p50", "p99", "longest", "aim for p99", "")
    return Table("From detected to received", heads, rows)


def _fanned_out(sites: Sequence[OnSite]) -> Table:
    rows = [
        (
            site.name,
            f"{one.deliveries_per_second:,.0f}",
            f"{one.signals_per_second:,.0f}",
            f"{one.unmatched_per_second:,.0f}",
            f"{one.idle_micros:,.0f} µs",
        )
        for site in sites
        for one in (site.fanned_out,)
    ]
    heads = (
        "fan-out on",
        "deliveries made/s",
        "signals/s of ten each",
        "signals/s of nobody",
        "a look at nothing new",
    )
    return Table("Fan-out", heads, rows)
