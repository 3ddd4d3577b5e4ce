"""Figures of prospecting, as tables."""

import msgspec

from bench.tables import Table

CAP_AIM, HTTP_AIM = 30.0, 1.5
MEMORY_AIMS = {"shapes": 60.0, "all": 200.0}
RESTART_AIM, REBUILD_AIM = 5.0, 600.0
CHURN_AIMS = (20.0, 50.0)


class ShapeFigures(msgspec.Struct):
    """One query shape at the full size. All times are medians, in milliseconds."""

    name: str
    aim: float
    against: float
    total: int
    ours: float
    others: dict[str, float]

    @property
    def ratio(self) -> float:
        """Return how many times as long the best other engine takes."""
        return min(self.others.values()) / self.ours


class Variant(msgspec.Struct):
    """The shapes in another way: milliseconds by shape."""

    title: str
    times: list[float]


class Memory(msgspec.Struct):
    """Resident bytes of the process beyond those before the engine was loaded."""

    shapes: int | None
    """Memory of the fields and the order of the seven shapes alone; None if they cannot be loaded alone."""
    all: int
    parts: dict[str, int]
    """Sizes of single fields, as counted by the engine."""


class Churn(msgspec.Struct):
    """Queries while changes are applied; milliseconds."""

    changes: int
    seconds: float
    queries: int
    p50: float
    p99: float
    worst: float


class Size(msgspec.Struct):
    """The engine alone at one number of contacts."""

    contacts: int
    times: list[float]
    memory: Memory
    checkpoint_bytes: int
    restart_seconds: float
    rebuild_seconds: float | None


class Http(msgspec.Struct):
    """Calls over HTTP, one after another, and the engine's call in a process of the same kind."""

    contacts: int
    http: list[float]
    engine: list[float]


class Changed(msgspec.Struct):
    """Figures after applied changes, without a rebuild."""

    changes: int
    seconds: float
    times: list[float]


class ProspectingReport(msgspec.Struct):
    contacts: int
    companies: int
    repeats: int
    """Number of runs behind each median."""
    shapes: list[ShapeFigures]
    sizes: list[Size]
    """Sizes, the full one last."""
    kept_bytes: dict[str, int]
    """Size on disk, by engine."""
    releases: dict[str, str]
    """Versions of the other engines."""
    capped: Variant | None = None
    http: Http | None = None
    churn: Churn | None = None
    changed: Changed | None = None


def prospecting_tables(report: ProspectingReport) -> list[Table]:
    made = [_shapes(report), _variants(report), _growth(report), _memory(report), _times(report)]
    return [table for table in made if table.rows]


def _shapes(report: ProspectingReport) -> Table:
    engines = list(report.shapes[0].others)
    rows = [
        (
            one.name,
            f"{one.total:,}",
            _ms(one.ours),
            f"{one.aim:g}",
            *(_ms(one.others[name]) for name in engines),
            f"{one.ratio:,.1f}",
            f"{one.against:g}",
        )
        for one in report.shapes
    ]
    size_on_disk = ("on disk, MiB", "", _mebibytes(report.kept_bytes.get("ours", 0)), "")
    rows.append((*size_on_disk, *(_mebibytes(report.kept_bytes[name]) for name in engines), "", ""))
    heads = ("shape", "total", "Firmograph, ms", "aim", *(f"{name}, ms" for name in engines))
    return Table("Prospecting", (*heads, "best other / ours", "aim"), rows)


def _variants(report: ProspectingReport) -> Table:
    found: list[tuple[str, list[float]]] = []
    if report.capped:
        found.append((report.capped.title, report.capped.times))
    if report.http:
        added = [http - engine for http, engine in zip(report.http.http, report.http.engine, strict=True)]
        found.append((f"engine at {_short(report.http.contacts)}", report.http.engine))
        found.append((f"over HTTP at {_short(report.http.contacts)}", report.http.http))
        found.append((f"added (aim: {HTTP_AIM:g})", added))
    if report.changed:
        found.append((f"after {report.changed.changes:,} changes", report.changed.times))
    rows = [
        (shape.name, *(_ms(times[place]) for _, times in found)) for place, shape in enumerate(report.shapes)
    ]
    return Table("Variants of the shapes", ("shape", *(name for name, _ in found)), rows if found else [])


def _growth(report: ProspectingReport) -> Table:
    rows = [
        (shape.name, *(_ms(size.times[place]) for size in report.sizes))
        for place, shape in enumerate(report.shapes)
    ]
    heads = (f"{size.contacts:,} contacts, ms" for size in report.sizes)
    return Table("Growth", ("shape", *heads), rows)


def _memory(report: ProspectingReport) -> Table:
    rows = []
    for size in report.sizes:
        memory, count = size.memory, size.contacts
        rows.append(
            (
                f"{count:,}",
                "not apart" if memory.shapes is None else f"{memory.shapes / count:,.0f}",
                f"{MEMORY_AIMS['shapes']:g}",
                f"{memory.all / count:,.0f}",
                f"{MEMORY_AIMS['all']:g}",
                _mebibytes(memory.all),
                _mebibytes(size.checkpoint_bytes),
            )
        )
    heads = (
        "contacts",
        "bytes a contact, the shapes' fields",
        "aim",
        "bytes a contact, every filter",
        "aim",
        "in all, MiB",
        "checkpoint, MiB",
    )
    return Table("Memory after a restart", heads, rows)


def _times(report: ProspectingReport) -> Table:
    full, rows = report.sizes[-1], []
    rows.append(("restart from the checkpoint", f"{full.restart_seconds:.1f} s", f"{RESTART_AIM:g} s"))
    if full.rebuild_seconds is not None:
        rows.append(("rebuild from the records", f"{full.rebuild_seconds:,.0f} s", f"{REBUILD_AIM:g} s"))
    if churn := report.churn:
        p50, p99 = CHURN_AIMS
        what = f"queries while {churn.changes:,} changes are applied"
        rows.append((f"{what}, p50", f"{churn.p50:.1f} ms", f"{p50:g} ms"))
        rows.append((f"{what}, p99", f"{churn.p99:.1f} ms", f"{p99:g} ms"))
        rows.append((f"{what}, the worst of {churn.queries:,}", f"{churn.worst:.1f} ms", ""))
        rows.append((f"applying these {churn.changes:,} changes", f"{churn.seconds:.1f} s", ""))
    if changed := report.changed:
        rows.append((f"following {changed.changes:,} changes", f"{changed.seconds:,.0f} s", ""))
    if report.capped:
        worst = max(report.capped.times)
        rows.append(
            (f"first page, {report.capped.title}, slowest shape", f"{worst:.1f} ms", f"{CAP_AIM:g} ms")
        )
    return Table("Restart, rebuild and changes", (f"at {full.contacts:,} contacts", "measured", "aim"), rows)


def _ms(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}"


def _mebibytes(number: int) -> str:
    return f"{number / 2**20:,.0f}"


def _short(count: int) -> str:
    return f"{count / 1e6:g} M"
