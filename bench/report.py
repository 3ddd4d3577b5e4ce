"""The figures of a run as tables, for the terminal and for the document."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from bench.buying_groups_report import BuyingGroupsReport, buying_groups_tables
from bench.collector_report import CollectorReport, collector_tables
from bench.company_names_report import CompanyNamesReport, company_names_tables
from bench.conversations import ConversationsReport, conversations_tables
from bench.deliveries_report import DeliveriesReport, deliveries_tables
from bench.exports import ExportsReport, exports_tables
from bench.imports import ImportReport
from bench.legacy_report import LegacyReport, legacy_tables
from bench.lookalikes_report import LookalikesReport, lookalikes_tables
from bench.nodes_report import NodesReport, nodes_tables
from bench.pipelining_report import PipeliningReport, pipelining_tables
from bench.privacy_lists_report import PrivacyListsReport, privacy_lists_tables
from bench.privacy_report import PrivacyReport, privacy_tables
from bench.prospecting_report import ProspectingReport, prospecting_tables
from bench.providers import ProvidersReport, providers_tables
from bench.record_tables_report import RecordTablesReport, record_tables_tables
from bench.rounds import Compared
from bench.serving import Effort, Profile, ServingReport
from bench.signals_report import SignalsReport, signals_tables
from bench.steady_report import SteadyReport, steady_tables
from bench.tables import Table
from bench.undo_report import UndoReport, undo_tables
from bench.visit_logs import VisitLogsReport, visit_logs_tables
from bench.visits_report import VisitsReport, visits_tables
from bench.waterfall_report import WaterfallReport, waterfall_tables

AIMS = {1: 0.40, 100: 0.30}
"""Aims as parts of the bare handler's requests a second, by items in a request."""
IMPORT_AIM = 15_000


class Report(msgspec.Struct):
    """The figures of a run, or of an earlier run of the same size."""

    day: str
    contacts: int
    companies: int
    machine: dict[str, str]
    busy: float
    """Share of all cores that other programs used before the run."""
    effort: Effort
    imports: ImportReport | None = None
    exports: ExportsReport | None = None
    serving: ServingReport | None = None
    nodes: NodesReport | None = None
    pipelining: PipeliningReport | None = None
    prospecting: ProspectingReport | None = None
    signals: SignalsReport | None = None
    deliveries: DeliveriesReport | None = None
    lookalikes: LookalikesReport | None = None
    buying_groups: BuyingGroupsReport | None = None
    company_names: CompanyNamesReport | None = None
    record_tables: RecordTablesReport | None = None
    conversations: ConversationsReport | None = None
    providers: ProvidersReport | None = None
    waterfall: WaterfallReport | None = None
    legacy: LegacyReport | None = None
    undo: UndoReport | None = None
    privacy_lists: PrivacyListsReport | None = None
    privacy: PrivacyReport | None = None
    visits: VisitsReport | None = None
    visit_logs: VisitLogsReport | None = None
    collector: CollectorReport | None = None
    steady: SteadyReport | None = None


def tables(report: Report) -> list[Table]:
    """Return the tables of all that was measured, for the terminal and the document."""
    return [
        table
        for name, tables_of in PARTS.items()
        if getattr(report, name) is not None
        for table in tables_of(getattr(report, name))
    ]


def _import_tables(report: ImportReport) -> list[Table]:
    return [_imports(report), *_imports_compared(report), _database(report)]


def _serving_tables(report: ServingReport) -> list[Table]:
    return [
        _against_bare(report),
        _gate(report.gate),
        _threads(report.threads),
        *(table for profile in report.profiles for table in _profile(profile)),
    ]


def _imports(report: ImportReport) -> Table:
    rows = [
        (
            one.title,
            f"{one.summary['read']:,}",
            f"{one.per_second:,.0f}",
            f"{one.seconds:,.1f} s",
            f"{one.cpu_seconds / one.summary['read'] * 1e6:,.0f} µs",
            _mebibytes(one.own_memory),
            _mebibytes(one.memory),
        )
        for one in report.imports
    ]
    heads = (
        "import of",
        "records",
        "records/s",
        "time",
        "processor time each",
        "peak memory",
        "with file pages",
    )
    return Table("Import", heads, rows)


def _imports_compared(report: ImportReport) -> list[Table]:
    if report.postgresql is None:
        return []
    rows = [
        (
            one.title,
            f"{one.per_second:,.0f}",
            f"{one.per_second / embedded.per_second:.2f}",
            f"{one.seconds:,.1f} s",
            f"{one.cpu_seconds / one.summary['read'] * 1e6:,.0f} µs",
            f"{one.server_seconds / one.summary['read'] * 1e6:,.0f} µs",
            _mebibytes(one.own_memory),
        )
        for one, embedded in zip(report.postgresql.imports, report.imports, strict=True)
    ]
    heads = (
        "import of",
        "records/s",
        "in parts of SQLite's",
        "time",
        "processor time each",
        "the server's",
        "peak memory",
    )
    return [Table("Import into PostgreSQL", heads, rows)]


def _database(report: ImportReport) -> Table:
    rows = []
    for loaded, where in ((report, ""), (report.postgresql, " in PostgreSQL")):
        if loaded is not None:
            database = loaded.database
            contact, company = database.bytes_per_contact, database.bytes_companies / database.companies
            rows += [
                (f"contacts{where}", f"{database.contacts:,}", f"{contact:,.0f} bytes"),
                (f"companies{where}", f"{database.companies:,}", f"{company:,.0f} bytes"),
                (f"everything{where}", "", _mebibytes(database.bytes_all)),
            ]
    return Table("Database", ("", "records", "size each"), rows)


def _against_bare(report: ServingReport) -> Table:
    rows = []
    for one in report.mixes:
        ours, bare = one.speeds
        aim = AIMS[1 if "1 item" in one.title else 100]
        rows.append(
            (
                one.title,
                f"{ours.per_second:,.0f}",
                f"{bare.per_second:,.0f}",
                f"{one.ratio:.2f}",
                f"{aim:.2f}",
                f"{ours.cpu_micros:,.0f} µs",
                f"{bare.cpu_micros:,.0f} µs",
                f"{one.cpu_ratio:.2f}",
            )
        )
    heads = ("mix", "requests/s", "bare handler", "ratio", "aim", "processor time", "bare", "ratio of it")
    return Table("Serving", heads, rows)


def _gate(gate: Compared) -> Table:
    gated, unlocked, bare = gate.speeds
    cost = gated.cpu_micros - unlocked.cpu_micros
    rows = [(one.name, f"{one.per_second:,.0f}", f"{one.cpu_micros:,.0f} µs") for one in gate.speeds]
    rows.append(("authentication itself: the first without the second", "", f"{cost:,.0f} µs"))
    rows.append(("in parts of the bare handler (aim: under 1)", "", f"{cost / bare.cpu_micros:.2f}"))
    return Table("Authentication, limits and headers", ("", "requests/s", "processor time"), rows)


def _threads(compared: Sequence[Compared]) -> Table:
    rows = []
    for one in compared:
        thread, loop = one.speeds
        rows.append(
            (
                one.title.partition(":")[0],
                f"{loop.per_second:,.0f}",
                f"{thread.per_second:,.0f}",
                f"{loop.cpu_micros:,.0f} µs",
                f"{thread.cpu_micros:,.0f} µs",
            )
        )
    heads = ("mix", "on the loop, requests/s", "in a thread", "processor time on the loop", "in a thread")
    return Table("Event loop or worker thread", heads, rows)


def _profile(profile: Profile) -> list[Table]:
    if profile.hotspots is None:
        return []
    made = []
    for what, shares in (("function", profile.hotspots.functions), ("part", profile.hotspots.parts)):
        rows = [
            (
                f"`{name}`" if what == "function" else name,
                f"{share:.1%}",
                f"{share * profile.cpu_micros:,.1f} µs",
            )
            for name, share in shares
            if share >= 0.005
        ]
        made.append(Table(f"{profile.title}, by {what}", (what, "share", "for each request"), rows))
    return made


def _mebibytes(number: int) -> str:
    return f"{number / 2**20:,.0f} MiB"


PARTS: Final[dict[str, Callable[[Any], list[Table]]]] = {
    "imports": _import_tables,
    "exports": exports_tables,
    "serving": _serving_tables,
    "nodes": nodes_tables,
    "pipelining": pipelining_tables,
    "prospecting": prospecting_tables,
    "signals": signals_tables,
    "deliveries": deliveries_tables,
    "lookalikes": lookalikes_tables,
    "buying_groups": buying_groups_tables,
    "company_names": company_names_tables,
    "record_tables": record_tables_tables,
    "conversations": conversations_tables,
    "providers": providers_tables,
    "waterfall": waterfall_tables,
    "legacy": legacy_tables,
    "undo": undo_tables,
    "privacy_lists": privacy_lists_tables,
    "privacy": privacy_tables,
    "visits": visits_tables,
    "visit_logs": visit_logs_tables,
    "collector": collector_tables,
    "steady": steady_tables,
}
"""The parts of a report, and the functions that make tables of them."""
