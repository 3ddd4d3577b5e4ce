"""Figures of a steady load, as tables."""

from collections.abc import Sequence

import msgspec

from bench.steady_episodes import Episode
from bench.tables import Table

LISTED = 10
"""Number of longest episodes in the table."""
_PLACES = 3


class Waits(msgspec.Struct):
    """Waits of callers from the due time of the call, in seconds."""

    name: str
    calls: int
    p50: float
    p99: float
    p999: float
    longest: float


class SteadyReport(msgspec.Struct):
    contacts: int
    seconds: float
    share: float
    """Share of the peak."""
    every: int
    """Seconds from one import to the next."""
    peak: float
    """Calls answered in a second at full speed."""
    per_second: float
    """Calls answered in a second at the fixed rate."""
    waits: list[Waits]
    """Waits of all calls, and of each kind."""
    refused: dict[str, int]
    """Calls that were not answered with 200, by the answer."""
    silence: float
    """The longest time without any answer, in seconds."""
    episodes: list[Episode]
    late: float
    """Longest pause of the watching process."""
    flushes: list[float]
    """Seconds to flush 4 KiB to the disk: median, 99th percentile, longest."""
    pauses: list[float]
    """Garbage collections: number, total, longest."""
    frames: int
    """Most frames in the write-ahead log."""
    checkpoints: int
    """Number of times that frames were moved into the database."""
    stolen: float
    queued: float
    faults: int
    imports: int
    begun: str
    """Start of the load."""


def steady_tables(report: SteadyReport) -> list[Table]:
    return [_waits(report), _episodes(report.episodes), _machine(report)]


def _waits(report: SteadyReport) -> Table:
    rows = [
        (one.name, f"{one.calls:,}", *(_millis(each) for each in (one.p50, one.p99, one.p999, one.longest)))
        for one in report.waits
    ]
    return Table("Steady load", ("call", "calls", "p50", "p99", "p99.9", "longest"), rows)


def _episodes(found: Sequence[Episode]) -> Table:
    longest = sorted(found, key=lambda one: one.seconds, reverse=True)[:LISTED]
    rows = [
        (
            _time(one.begin),
            f"{one.seconds:.2f} s" if one.silent else "",
            f"{one.slowest:.2f} s" if one.calls else "",
            f"{one.calls:,}" + (f", most {one.kinds[0][0]}" if one.kinds else ""),
            f"{one.until_over:.2f} s",
            one.cause + (", while an import ran" if one.evidence.importing else ""),
            "; ".join(f"{count}x {place}" for place, count in one.evidence.places[:_PLACES]),
        )
        for one in longest
    ]
    heads = (
        "after",
        "no answer for",
        "slowest call",
        "late calls",
        "until over",
        "cause",
        "where the server was",
    )
    return Table("Stalls", heads, rows or [("none", "", "", "", "", "", "")])


def _machine(report: SteadyReport) -> Table:
    median, p99, longest = report.flushes
    count, total, pause = report.pauses
    refused = ", ".join(f"{count:,} {answer}" for answer, count in report.refused.items())
    rows = [
        ("length, and begin", f"{report.seconds / 60:g} minutes, {report.begun} UTC"),
        (
            "calls a second, and at full speed",
            f"{report.per_second:,.0f} ({report.share:.0%}) / {report.peak:,.0f}",
        ),
        ("calls not answered with 200", refused or "none"),
        ("longest time without any answer", _millis(report.silence)),
        ("longest pause of the process that watches", _millis(report.late)),
        ("4 KiB on the disk: median, p99, longest", " / ".join(map(_millis, (median, p99, longest)))),
        (
            "collections of garbage of 2 ms and more: number, together, longest",
            f"{count:.0f} / {_millis(total)} / {_millis(pause)}",
        ),
        ("most frames in the write-ahead log", f"{report.frames:,} ({report.frames * 4096 / 2**20:.0f} MiB)"),
        ("times that frames were moved into the database", f"{report.checkpoints:,}"),
        ("time taken by the host of the machine", f"{report.stolen:.1f} s"),
        ("the server's main thread had no core", f"{report.queued:.1f} s"),
        ("pages that the server read from the disk and waited for", f"{report.faults:,}"),
        ("imports of changed contacts in that time", f"{report.imports}, one every {report.every} s"),
    ]
    return Table("Machine during the load", ("", "measured"), rows)


def _millis(seconds: float) -> str:
    return f"{seconds * 1e3:,.1f} ms"


def _time(seconds: float) -> str:
    return f"{int(seconds) // 60}:{seconds % 60:04.1f}"
