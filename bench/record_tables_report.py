"""Figures of tables of records, as tables."""

from collections.abc import Callable, Sequence

import msgspec

from bench.tables import Table, verdict

ADD_AIM, HOLD_AIM, RUN_AIM = 5.0, 100.0, 10.0
"""Seconds, milliseconds, seconds."""
ACCEPT_AIM, STATUS_AIM, DELETE_AIM = 50.0, 10.0, 50.0
"""Milliseconds, p99."""
PAGE_AIMS = (10.0, 30.0)
"""Milliseconds, p50 and p99."""
LAST_AIM = 2.0
"""The last page's median in parts of the first one's."""
BYTES_AIM = 80.0
RATIO_AIM = 2.0


class Page(msgspec.Struct):
    """Reads of one page, in milliseconds."""

    p50: float
    p99: float


class Pages(msgspec.Struct):
    first: Page
    last: Page


class Export(msgspec.Struct):
    """Export by the command."""

    format: str
    rows: int
    seconds: float
    memory: int
    """Private memory of the process at its peak, in bytes."""


class OnTable(msgspec.Struct):
    """Figures of the tables of one kind."""

    kind: str
    add_seconds: float
    """All calls that add the rows, with the time between them."""
    add_longest: float
    hold: float | None
    """Longest hold of the embedded writer in milliseconds."""
    run_seconds: float
    accepted: float
    status: float
    pages: Pages
    pages_removed: Pages
    """After removals."""
    page_bytes: int
    remove_longest: float
    removal_hold: float | None
    exports: list[Export]
    bytes_a_cell: float
    deleted: float = 0.0
    purge_seconds: float = 0.0
    purge_hold: float | None = None


class During(msgspec.Struct):
    """Calls without a run and during runs; p99 in milliseconds."""

    title: str
    before: float
    during: float
    calls: int

    @property
    def ratio(self) -> float:
        return self.during / self.before


class OnDatabase(msgspec.Struct):
    name: str
    tables: list[OnTable]
    during: list[During]


class RecordTablesReport(msgspec.Struct):
    contacts: int
    companies: int
    rows: int
    columns: int
    removed: int
    accepted: int
    """Accepted runs of each kind of table; as many looks at a page."""
    databases: list[OnDatabase]


_Figure = Callable[[OnTable], float | None]


def record_tables_tables(report: RecordTablesReport) -> list[Table]:
    return [_figures(report), _during(report), _exports(report)]


def _figures(report: RecordTablesReport) -> Table:
    named = [(f"{on.name}, {one.kind}", one) for on in report.databases for one in on.tables]
    lines: Sequence[tuple[str, str, _Figure, float | None]] = (
        ("all rows added, s", ",.2f", lambda one: one.add_seconds, ADD_AIM),
        ("longest call that adds, ms", ",.0f", lambda one: one.add_longest, None),
        ("longest hold of the writer by calls that add, ms", ",.0f", lambda one: one.hold, HOLD_AIM),
        ("one column run over all rows, s", ",.2f", lambda one: one.run_seconds, RUN_AIM),
        ("run accepted, p99, ms", ",.1f", lambda one: one.accepted, ACCEPT_AIM),
        ("status during runs, p99, ms", ",.1f", lambda one: one.status, STATUS_AIM),
        ("first page, p50, ms", ",.1f", lambda one: one.pages.first.p50, PAGE_AIMS[0]),
        ("first page, p99, ms", ",.1f", lambda one: one.pages.first.p99, PAGE_AIMS[1]),
        ("last page, p50, ms", ",.1f", lambda one: one.pages.last.p50, PAGE_AIMS[0]),
        ("last page, p99, ms", ",.1f", lambda one: one.pages.last.p99, PAGE_AIMS[1]),
        ("last page in parts of the first, p50", ".2f", lambda one: _last(one.pages), LAST_AIM),
        ("first page after removals, p50, ms", ",.1f", lambda one: one.pages_removed.first.p50, PAGE_AIMS[0]),
        ("last page after removals, p50, ms", ",.1f", lambda one: one.pages_removed.last.p50, PAGE_AIMS[0]),
        ("last page after removals, p99, ms", ",.1f", lambda one: one.pages_removed.last.p99, PAGE_AIMS[1]),
        ("the same in parts of the first, p50", ".2f", lambda one: _last(one.pages_removed), LAST_AIM),
        ("bytes of a page", ",.0f", lambda one: one.page_bytes, None),
        ("longest call that removes 500 rows, ms", ",.0f", lambda one: one.remove_longest, None),
        ("longest hold of the writer by calls that remove, ms", ",.0f", lambda one: one.removal_hold, None),
        ("table deleted, slowest, ms", ",.1f", lambda one: one.deleted, DELETE_AIM),
        ("the rest of the deletions, s", ",.1f", lambda one: one.purge_seconds, None),
        ("longest hold of the writer by the rest, ms", ",.0f", lambda one: one.purge_hold, None),
        ("bytes of a cell in the database", ",.1f", lambda one: one.bytes_a_cell, BYTES_AIM),
    )
    rows = []
    for title, form, figure, aim in lines:
        found = [figure(one) for _, one in named]
        known = [one for one in found if one is not None]
        reached = verdict(*((one, aim) for one in known)) if aim is not None and known else ""
        shown = [f"{one:{form}}" if one is not None else "" for one in found]
        rows.append((title, *shown, f"{aim:g}" if aim is not None else "", reached))
    return Table("Speed of tables", ("", *(name for name, _ in named), "aim", ""), rows)


def _last(pages: Pages) -> float:
    return pages.last.p50 / pages.first.p50


def _during(report: RecordTablesReport) -> Table:
    rows = [
        (
            f"{on.name}: {one.title}",
            f"{one.calls:,}",
            f"{one.before:,.2f}",
            f"{one.during:,.2f}",
            f"{one.ratio:.2f}",
            f"{RATIO_AIM:g}",
            verdict((one.ratio, RATIO_AIM)),
        )
        for on in report.databases
        for one in on.during
    ]
    heads = ("", "calls during runs", "p99 without a run, ms", "p99 during runs, ms", "ratio", "aim", "")
    return Table("Calls during runs", heads, rows)


def _exports(report: RecordTablesReport) -> Table:
    rows = [
        (
            f"{on.name}, {one.kind}: {made.format}",
            f"{made.rows:,}",
            f"{made.seconds:,.2f}",
            f"{made.rows / made.seconds:,.0f}",
            f"{made.memory / 2**20:,.0f} MiB",
        )
        for on in report.databases
        for one in on.tables
        for made in one.exports
    ]
    return Table("Exports of tables", ("", "rows", "s", "rows/s", "peak memory"), rows)
