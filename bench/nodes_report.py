"""Figures of several databases and servers, as tables."""

import operator
from typing import NamedTuple

import msgspec

from bench.latencies import Compared
from bench.tables import Table

SINGLE_AIM, WRITTEN_AIM = 0.5, 1.0
"""PostgreSQL's requests a second, in parts of SQLite's: for one item, and while another process imports."""
CPU_AIM = 1.1
"""Processor time of two servers for each request, in parts of one's."""
ALONE = 2
"""The first contestants of `spread`, which are one process each."""
MANY_CORES = 4
"""With fewer, two servers, the load client and PostgreSQL have no cores of their own."""


class Effort(NamedTuple):
    rounds: int
    seconds: float
    written_rounds: int
    written_seconds: float
    """Rounds during writes, each of which starts an import."""
    sample: int
    """Rows examined to find people to look up."""
    singles: int
    """Requests in a pool of one item each."""
    batches: int
    """Requests in a pool of 100 items each."""


FULL = Effort(5, 2.0, 3, 5.0, 40_000, 4_000, 200)
QUICK = Effort(2, 0.4, 1, 1.0, 2_500, 300, 10)


class Limits(msgspec.Struct):
    """Limits counted by a server itself, then in Redis."""

    database: str
    single: Compared
    """Calls of one caller, whose wait is that for one request."""
    many: Compared
    """Calls of several callers, which keep the server busy."""


class NodesReport(msgspec.Struct):
    contacts: int
    companies: int
    cores: int
    effort: Effort
    releases: dict[str, str] = {}
    """Versions of what the servers use except the packages in `bench.machine`."""
    left_out: list[str] = []
    """Reasons for missing parts, a line each."""
    calls: list[Compared] = []
    """SQLite first, then PostgreSQL where there is one; so in `written`."""
    written: list[Compared] = []
    spread: list[Compared] = []
    """One server, one on all cores, two, two with the callers of one, one of two workers."""
    limits: list[Limits] = []


_COMPARE = {"at least": operator.ge, "at most": operator.le, "over": operator.gt}


class Aim(NamedTuple):
    """A figure with an aim."""

    what: str
    reached: float
    limit: float
    how: str
    """`at least`, `at most` or `over` the limit."""

    @property
    def met(self) -> bool:
        return bool(_COMPARE[self.how](self.reached, self.limit))

    @property
    def shown(self) -> str:
        return f"{self.how} {self.limit:g}"

    @property
    def verdict(self) -> str:
        return "met" if self.met else "missed"


def call_aim(one: Compared) -> Aim | None:
    """Return the aim of calls for one item on both databases."""
    single = len(one.names) > 1 and "of 1," in one.title
    return Aim(one.title, one.ratio("per_second"), SINGLE_AIM, "at least") if single else None


def written_aim(one: Compared) -> Aim:
    return Aim(one.title, one.ratio("per_second"), WRITTEN_AIM, "over")


def spread_aim(one: Compared, contestant: int = 1) -> Aim:
    return Aim(f"{one.title}, {one.names[contestant]}", one.ratio("cpu", contestant), CPU_AIM, "at most")


def spread_aims(report: NodesReport) -> list[Aim]:
    """Return the aims of every contestant with two processes."""
    return [spread_aim(one, place) for one in report.spread for place in range(ALONE, len(one.names))]


def nodes_tables(report: NodesReport) -> list[Table]:
    made = [_calls(report), _costs(report), _written(report), _spread(report), _limits(report)]
    return [table for table in made if table.rows]


def _calls(report: NodesReport) -> Table:
    rows = []
    for one in report.calls:
        aim = call_aim(one)
        both = len(one.names) > 1
        rows.append(
            (
                one.title,
                *(_count(one.median(place, "per_second")) for place in range(len(one.names))),
                *((f"{one.ratio('per_second'):.2f}",) if both else ()),
                *((aim.shown if aim else "", aim.verdict if aim else "") if both else ()),
            )
        )
    names = report.calls[0].names if report.calls else []
    heads = ("call", *(f"{name}, requests/s" for name in names))
    return Table("Databases and servers", heads + (("ratio", "aim", "") if len(names) > 1 else ()), rows)


def _costs(report: NodesReport) -> Table:
    rows = [
        (
            one.title,
            *(_ms(one.median(place, figure)) for figure in ("p50", "p99") for place in range(len(one.names))),
            *(_micros(one.median(place, "cpu")) for place in range(len(one.names))),
            *(_micros(one.median(1, "apart")) for _ in one.names[1:]),
        )
        for one in report.calls
    ]
    names = report.calls[0].names if report.calls else []
    heads = [f"{figure}, {name}" for figure in ("p50", "p99") for name in names]
    heads += [f"server's processor time, {name}" for name in names]
    heads += [f"{name}'s own" for name in names[1:]]
    return Table("Waiting and processor time", ("call", *heads), rows)


def _written(report: NodesReport) -> Table:
    rows = []
    for one in report.written:
        aim = written_aim(one)
        both = range(len(one.names))
        rows.append(
            (
                one.title,
                *(_count(one.median(place, "per_second")) for place in both),
                f"{aim.reached:.2f}",
                aim.shown,
                aim.verdict,
                *(_ms(one.median(place, figure)) for figure in ("p50", "p99") for place in both),
                *(_count(one.median(place, "written")) for place in both),
            )
        )
    names = report.written[0].names if report.written else []
    heads = [f"{name}, requests/s" for name in names] + ["ratio", "aim", ""]
    heads += [f"{figure}, {name}" for figure in ("p50", "p99", "changes/s") for name in names]
    return Table("Requests during an import", ("call", *heads), rows)


def _spread(report: NodesReport) -> Table:
    rows = []
    for one in report.spread:
        for place, name in enumerate(one.names):
            aim = spread_aim(one, place)
            speed = _count(one.median(place, "per_second"))
            ratio = f"{aim.reached:.2f}" if place else ""
            aim_cells = (aim.shown, aim.verdict) if place >= ALONE else ("", "")
            known = place < ALONE or report.cores >= MANY_CORES
            rows.append(
                (
                    f"{one.title}: {name}",
                    _micros(one.median(place, "cpu")),
                    ratio,
                    *aim_cells,
                    speed if known else f"not measurable on {report.cores} cores",
                )
            )
    heads = ("on PostgreSQL", "processor time", "in parts of one server's", "aim", "", "requests/s")
    return Table("Two servers", heads, rows)


def _limits(report: NodesReport) -> Table:
    rows = [
        (
            one.database,
            _micros(one.single.median(0, "p50")),
            _micros(one.single.median(1, "p50")),
            _micros(one.single.added("p50")),
            _micros(one.many.median(0, "cpu")),
            _micros(one.many.median(1, "cpu")),
            _micros(one.many.added("cpu")),
            _micros(one.many.median(1, "apart")),
        )
        for one in report.limits
    ]
    heads = ["p50 without Redis", "with it", "added", "processor time without Redis", "with it", "added"]
    return Table("Limits in Redis", ("database", *heads, "Redis's own"), rows)


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _ms(micros: float) -> str:
    return f"{micros / 1e3:,.2f} ms"


def _micros(value: float) -> str:
    return f"{value:,.0f} µs"
