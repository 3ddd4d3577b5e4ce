"""Figures of lookalikes, as tables."""

import msgspec

from bench.tables import Table, verdict

FIRST = 50
"""Results of which recall counts the right ones."""
LIMIT = 101
"""Results of a call and the one that tells whether there are more."""
EXCLUDED = 500
NEAR = 2_000
"""Records after those of the session from which half of the exclusions are drawn; the others come from anywhere."""

RECALL_AIM = 0.95
INDEX_AIMS = (10.0, 50.0)
"""Milliseconds of the index, p50 and p99."""
CALL_AIMS = (50.0, 100.0)
BYTES_AIM = 160.0
BUILD_AIM = 300.0
"""Seconds of learning and building for a million records."""
RESTART_AIM = 5.0
FRESH_AIM = 1.0
RATIO_AIM = 1.5


class Recall(msgspec.Struct):
    """Share of the first results that an exact search finds as well."""

    seeds: str
    session: int
    mean: float
    least: float
    lists: int
    """Number of lists of seeds."""


class Latency(msgspec.Struct):
    """Calls of the index in its own process; milliseconds."""

    seeds: int
    excluded: int
    session: int
    calls: int
    p50: float
    p99: float
    results: float
    """Average number of results."""


class Building(msgspec.Struct):
    seconds: float
    cpu_seconds: float


class Restart(msgspec.Struct):
    seconds: float
    memory: int
    """Resident bytes beyond those before the index was loaded."""
    records: int
    bytes: int
    """Size of the checkpoint."""


class Waits(msgspec.Struct):
    """Calls over HTTP, one after another; milliseconds."""

    title: str
    calls: int
    p50: float
    p99: float


class Busy(msgspec.Struct):
    """Calls while an index is built for a new model in another process."""

    before: Waits
    during: Waits
    seconds: float
    """Time of the building."""


class LookalikesReport(msgspec.Struct):
    companies: int
    recall: list[Recall]
    latency: list[Latency]
    calls: list[Waits]
    learning: Building
    building: Building
    restart: Restart
    fresh: list[float]
    """Seconds from the commit of each changed record until a call showed it."""
    busy: Busy | None = None


def lookalikes_tables(report: LookalikesReport) -> list[Table]:
    return [_recall(report), _latency(report), _calls(report), _index(report)]


def _recall(report: LookalikesReport) -> Table:
    rows = [
        (
            one.seeds,
            f"{one.session:,}",
            f"{one.mean:.3f}",
            f"{one.least:.2f}",
            f"{RECALL_AIM:g}",
            verdict((-one.mean, -RECALL_AIM)),
        )
        for one in report.recall
    ]
    heads = ("seeds", "results of the session so far", "recall@50", "worst list", "aim", "")
    return Table("Speed of lookalikes", heads, rows)


def _latency(report: LookalikesReport) -> Table:
    rows = [
        (
            f"{one.seeds} seeds, {one.excluded} exclusions, session of {one.session:,}",
            _ms(one.p50),
            _ms(one.p99),
            f"{INDEX_AIMS[0]:g} and {INDEX_AIMS[1]:g}",
            verdict((one.p50, INDEX_AIMS[0]), (one.p99, INDEX_AIMS[1])),
        )
        for one in report.latency
    ]
    heads = ("call of the index", "p50, ms", "p99, ms", "aims", "")
    return Table("Latency of the similarity index", heads, rows)


def _calls(report: LookalikesReport) -> Table:
    rows = [
        (
            one.title,
            _ms(one.p50),
            _ms(one.p99),
            f"{CALL_AIMS[0]:g} and {CALL_AIMS[1]:g}",
            verdict((one.p50, CALL_AIMS[0]), (one.p99, CALL_AIMS[1])),
        )
        for one in report.calls
    ]
    if busy := report.busy:
        for title, one in (("before a build of the index", busy.before), ("during it", busy.during)):
            rows.append((title, _ms(one.p50), _ms(one.p99), "", ""))
        ratio = busy.during.p99 / busy.before.p99
        rows.append(
            (
                "in parts of before",
                f"{busy.during.p50 / busy.before.p50:.2f}",
                f"{ratio:.2f}",
                f"p99 {RATIO_AIM:g}",
                verdict((ratio, RATIO_AIM)),
            )
        )
    return Table("Lookalike calls over HTTP", ("call", "p50, ms", "p99, ms", "aims", ""), rows)


def _index(report: LookalikesReport) -> Table:
    restart, learning, building = report.restart, report.learning, report.building
    both, millions = learning.seconds + building.seconds, restart.records / 1e6
    each = restart.memory / restart.records
    rows = [
        ("resident, each record", f"{each:,.0f} bytes", f"{BYTES_AIM:g}", verdict((each, BYTES_AIM))),
        ("checkpoint, each record", f"{restart.bytes / restart.records:,.0f} bytes", "", ""),
        ("learning a model", _seconds(learning), "", ""),
        ("building the index", _seconds(building), "", ""),
        (
            "both",
            f"{both:,.0f} s",
            f"{BUILD_AIM * millions:,.0f} s",
            verdict((both, BUILD_AIM * millions)),
        ),
        (
            "restart from the checkpoint",
            f"{restart.seconds:.2f} s",
            f"{RESTART_AIM:g} s",
            verdict((restart.seconds, RESTART_AIM)),
        ),
    ]
    if report.fresh:
        worst = max(report.fresh)
        rows.append(
            (
                f"from commit to result, slowest of {len(report.fresh)}",
                f"{worst:.2f} s",
                f"{FRESH_AIM:g} s",
                verdict((worst, FRESH_AIM)),
            )
        )
    return Table("Memory, building and changes of the similarity index", ("", "figure", "aim", ""), rows)


def _seconds(one: Building) -> str:
    return f"{one.seconds:,.0f} s (processor time: {one.cpu_seconds:,.0f} s)"


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:,.1f}"
