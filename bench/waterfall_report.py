"""Figures of the data waterfall, as tables."""

import msgspec

from bench.rounds import Compared
from bench.tables import Table, verdict

ON_AIM = 0.8
"""Of the calls a second of an account with a provider and nothing to ask, to those of one without."""
WITHOUT_AIM = 0.95
"""Of an account without a provider at a server that has some, to a server without; the rest is noise."""
ASKS_AIM = 500.0
"""Asks a second of one worker."""
CALL_AIM = 1.0
"""Seconds of an enrich of 100 contacts that asks for each."""
HANG_AIM = 2.0
"""Of the p99 of others while a tenth of the providers hangs, to that while all answer."""


class Waits(msgspec.Struct):
    """Calls that wait for their asks; times in seconds."""

    title: str
    calls: int
    p50: float
    p99: float


class WaterfallReport(msgspec.Struct):
    providers: int
    delay: float
    """Seconds before a provider answers."""
    on: Compared
    without: Compared
    asks: int
    asks_per_second: float
    worker_micros: float
    """Processor time of the worker for an ask."""
    whole: Waits
    """Enrich of 100 contacts with 100 asks."""
    paced: list[Waits]
    """While all answer, and while a tenth hangs."""

    @property
    def size(self) -> str:
        return f"{self.providers} providers on loopback that answer after {self.delay * 1000:g} ms"


def waterfall_tables(report: WaterfallReport) -> list[Table]:
    return [_nothing_to_ask(report), _worker(report), _waiting(report)]


def _nothing_to_ask(report: WaterfallReport) -> Table:
    rows = []
    for compared, aim in ((report.on, ON_AIM), (report.without, WITHOUT_AIM)):
        first, last = (f"{one.per_second:,.0f}" for one in (compared.speeds[0], compared.speeds[-1]))
        reached = verdict((-compared.ratio, -aim))
        rows.append((compared.title, first, last, f"{compared.ratio:.2f}", f"{aim:g}", reached))
    columns = ("enrich of 100 paid ids", "calls a second", "without", "ratio", "aim", "")
    return Table("Enrich with nothing to ask", columns, rows)


def _worker(report: WaterfallReport) -> Table:
    row = (
        f"{report.asks:,}",
        f"{report.asks_per_second:,.0f}",
        f"{ASKS_AIM:,.0f}",
        verdict((-report.asks_per_second, -ASKS_AIM)),
        f"{report.worker_micros:,.0f} µs",
    )
    columns = ("asks", "a second", "aim", "", "processor time of the worker for each")
    return Table("Asks of a worker", columns, [row])


def _waiting(report: WaterfallReport) -> Table:
    whole, (first, second) = report.whole, report.paced
    columns = ("calls", "number", "p50", "p99", "aim", "")
    rows = [
        (*_row(whole), f"p99 {CALL_AIM:g} s", verdict((whole.p99, CALL_AIM))),
        (*_row(first), "", ""),
        (*_row(second), f"p99 {HANG_AIM:g} times", verdict((second.p99, HANG_AIM * first.p99))),
    ]
    return Table("Enrich that waits for its asks", columns, rows)


def _row(one: Waits) -> tuple[str, ...]:
    return (one.title, f"{one.calls:,}", f"{one.p50 * 1000:,.0f} ms", f"{one.p99 * 1000:,.0f} ms")
