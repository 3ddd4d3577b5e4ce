"""`python -m bench`, or `make bench`: measure, print, and write `docs/benchmarks.md`."""

import argparse
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.status import Status
from rich.table import Table as RichTable

from bench import (
    buying_groups,
    collector,
    conversations,
    deliveries,
    document,
    exports,
    imports,
    legacy,
    lookalikes,
    machine,
    nodes,
    pipelining,
    privacy,
    privacy_lists,
    providers,
    record_tables,
    report,
    serving,
    signals,
    steady,
    undo,
    visit_logs,
    visits,
)
from bench.nodes_report import NodesReport
from bench.report import Report
from bench.services import POSTGRESQL_MISSING
from bench.steady_report import SteadyReport
from bench.tables import Table
from bench.workspace import ROOT, Workspace
from firmograph.kit.clock import SystemClock, today

DOCUMENT = ROOT / "docs" / "benchmarks.md"
FULL_CONTACTS, QUICK_CONTACTS = 1_000_000, 50_000
SEARCHED_CONTACTS = 5_000_000
"""Contacts of the figures of prospecting."""
NODES_CONTACTS, QUICK_NODES_CONTACTS = 100_000, 10_000
"""Contacts of the figures of databases and servers, and of the steady load."""
FULL_REPEATS, QUICK_REPEATS = 40, 20
"""Numbers of runs behind a median."""

STEADY_MINUTES = 10.0

SEPARATE = (
    "exports",
    "nodes",
    "pipelining",
    "prospecting",
    "signals",
    "deliveries",
    "lookalikes",
    "buying_groups",
    "record_tables",
    "conversations",
    "providers",
    "legacy",
    "undo",
    "privacy_lists",
    "privacy",
    "visits",
    "visit_logs",
    "collector",
    "steady",
)
"""Parts with rows and databases of their own."""

console = Console()
if not console.is_terminal:
    console = Console(width=120)


def main() -> None:
    options = _options()
    chosen = options.contacts or (QUICK_CONTACTS if options.quick else None)
    contacts = chosen or (SEARCHED_CONTACTS if options.only == "prospecting" else FULL_CONTACTS)
    if options.only in ("nodes", "steady"):
        contacts = _nodes_contacts(options)
    workspace = Workspace(contacts)
    made = Report(
        day=today(SystemClock()).isoformat(),
        contacts=contacts,
        companies=workspace.companies,
        machine=machine.describe(),
        busy=machine.other_work(),
        effort=serving.QUICK if options.quick else serving.FULL,
    )
    failed: list[str] = []
    if options.only not in SEPARATE:
        _measure(workspace, made, options.only, failed)
    if options.only in (None, "exports"):
        with _part("exports", failed):
            small = exports.small_workspace(workspace)
            for each in (workspace, small):
                _generate(each)
            with console.status("Exports") as status:
                made.exports = exports.measure(workspace, small, _notify(status, "Exports"))
    if options.only in (None, "nodes"):
        with _part("nodes", failed):
            made.nodes = _nodes(options)
    if options.only in (None, "pipelining"):
        with _part("pipelining", failed), console.status("Pipelining") as status:
            seconds = 1.0 if options.quick else 4.0
            made.pipelining = pipelining.measure(
                Workspace(QUICK_NODES_CONTACTS), seconds, options.before, _notify(status, "Pipelining")
            )
    if options.only in (None, "prospecting"):
        with _part("prospecting", failed), _progress_bars() as notify:
            # the other engines need packages of their own (`make .venv/.bench`), which no other part does
            from bench import prospecting

            repeats = QUICK_REPEATS if options.quick else FULL_REPEATS
            searched = chosen or SEARCHED_CONTACTS
            made.prospecting = prospecting.measure(searched, repeats, options.reuse, notify)
    if options.only in (None, "signals"):
        with _part("signals", failed), console.status("Signals") as status:
            made.signals = signals.measure(made.effort, lambda what: status.update(f"Signals: {what}"))
    if options.only in (None, "deliveries"):
        with _part("deliveries", failed), console.status("Deliveries") as status:
            made.deliveries = deliveries.measure(
                made.effort, lambda what: status.update(f"Deliveries: {what}")
            )
    if options.only in (None, "lookalikes"):
        with _part("lookalikes", failed), console.status("Lookalikes") as status:
            made.lookalikes = lookalikes.measure(contacts, options.quick, _notify(status, "Lookalikes"))
    if options.only in (None, "buying_groups"):
        with _part("buying_groups", failed), console.status("Buying groups") as status:
            made.buying_groups = buying_groups.measure(
                contacts, options.quick, _notify(status, "Buying groups")
            )
    if options.only in (None, "record_tables"):
        with _part("record_tables", failed):
            _generate(workspace)
            with console.status("Tables") as status:
                made.record_tables = record_tables.measure(
                    workspace, options.quick, _notify(status, "Tables")
                )
    if options.only in (None, "conversations"):
        with _part("conversations", failed), console.status("Conversations") as status:
            made.conversations = conversations.measure(options.quick, _notify(status, "Conversations"))
    if options.only in (None, "providers"):
        with _part("providers", failed), console.status("Providers") as status:
            made.providers = providers.measure(options.quick, _notify(status, "Providers"))
    if options.only in (None, "legacy"):
        with _part("legacy", failed):
            _generate(workspace)
            with console.status("Older generation") as status:
                made.legacy = legacy.measure(workspace, made.effort, _notify(status, "Older generation"))
    if options.only in (None, "undo"):
        with _part("undo", failed):
            _generate(workspace)
            with console.status("Undo") as status:
                made.undo = undo.measure(workspace, _notify(status, "Undo"))
    if options.only in (None, "privacy_lists"):
        with _part("privacy_lists", failed):
            _generate(workspace)
            entries = privacy_lists.QUICK if options.quick else privacy_lists.FULL
            with console.status("Lists") as status:
                made.privacy_lists = privacy_lists.measure(workspace, entries, _notify(status, "Lists"))
    if options.only in (None, "privacy"):
        with _part("privacy", failed):
            _generate(workspace)
            with console.status("Requests of people") as status:
                made.privacy = privacy.measure(workspace, _notify(status, "Requests of people"))
    if options.only in (None, "visits"):
        with _part("visits", failed), console.status("Website visits") as status:
            made.visits = visits.measure(options.quick, _notify(status, "Website visits"))
    if options.only in (None, "visit_logs"):
        with _part("visit_logs", failed), console.status("Visit logs") as status:
            made.visit_logs = visit_logs.measure(options.quick, _notify(status, "Visit logs"))
    if options.only in (None, "collector"):
        with _part("collector", failed), console.status("Collector") as status:
            made.collector = collector.measure(options.quick, _notify(status, "Collector"))
    # a short one has no value, so quick runs of everything leave it out
    if options.only == "steady" or not (options.only or options.quick):
        with _part("steady", failed):
            made.steady = _steady(options)
    for table in report.tables(made):
        console.print(_rich_table(table))
    if options.write or not (options.quick or options.only or options.contacts):
        unplaced = document.write(made, DOCUMENT)
        console.print(f"Written to {DOCUMENT.relative_to(ROOT)}")
        if unplaced:
            console.print("The document has no place for:", *unplaced, sep="\n- ")
    if not options.keep and options.only not in SEPARATE:
        workspace.clear_database()
    if failed:
        console.print("Not measured, and left in the document as it was:", *failed, sep="\n")
        sys.exit(1)


@contextmanager
def _part(name: str, failed: list[str]) -> Iterator[None]:
    """Record the failure of a part, so that the others are still measured and written."""
    try:
        yield
    except Exception as error:
        traceback.print_exc()
        failed.append(f"- {name}: {error}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m bench", description=__doc__)
    parser.add_argument(
        "--contacts",
        type=int,
        metavar="N",
        help=f"how many contacts, and companies of lookalikes; {FULL_CONTACTS:,} by default,"
        f" {SEARCHED_CONTACTS:,} for prospecting",
    )
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_CONTACTS:,} contacts and short rounds")
    parser.add_argument("--only", choices=("import", "serving", *SEPARATE), help="measure one of them")
    parser.add_argument(
        "--minutes",
        type=float,
        default=STEADY_MINUTES,
        metavar="N",
        help=f"how long the steady load lasts; {STEADY_MINUTES:g} by default",
    )
    parser.add_argument(
        "--keep",
        action="store_true",
        help="keep the loaded database for `--only serving`; what prospecting made under .bench/ is always kept",
    )
    parser.add_argument(
        "--reuse", action="store_true", help="prospecting: take the last rebuild's figures for this run's"
    )
    parser.add_argument(
        "--before",
        type=Path,
        metavar="FOLDER",
        help="pipelining: measure these sources of an earlier state in turn with the current ones",
    )
    parser.add_argument(
        "--write", action="store_true", help="write the document after a smaller or partial run too"
    )
    return parser.parse_args()


def _measure(workspace: Workspace, made: Report, only: str | None, failed: list[str]) -> None:
    """Measure import and serving, which are one part of the document: if one fails, neither is written."""
    with _part("import", failed):
        made.imports = _imports(workspace, only)
    if made.imports is None or only == "import":
        return
    with _part("serving", failed), console.status("Serving") as status:
        made.serving = serving.measure(workspace, made.effort, lambda what: status.update(f"Serving: {what}"))
    if made.serving is None:
        made.imports = None


def _imports(workspace: Workspace, only: str | None) -> imports.ImportReport:
    _generate(workspace)
    loaded = workspace.loaded_report() if only == "serving" else None
    if loaded is not None:
        return msgspec.convert(loaded, imports.ImportReport)
    with console.status("Import") as status:
        measured = imports.measure(workspace, lambda what: status.update(f"Import: {what}"))
    if measured.postgresql is None:
        console.print(POSTGRESQL_MISSING)
    return measured


def _nodes_contacts(options: argparse.Namespace) -> int:
    return options.contacts or (QUICK_NODES_CONTACTS if options.quick else NODES_CONTACTS)


def _nodes(options: argparse.Namespace) -> NodesReport:
    workspace = Workspace(_nodes_contacts(options))
    _generate(workspace)
    with console.status("Databases and servers") as status:

        def notify(what: str) -> None:
            if what.startswith("left out"):
                console.print(what)
            status.update(f"Databases and servers: {what}")

        return nodes.measure(workspace, nodes.QUICK if options.quick else nodes.FULL, notify)


def _steady(options: argparse.Namespace) -> SteadyReport:
    workspace = Workspace(_nodes_contacts(options))
    _generate(workspace)
    with console.status("Steady load") as status:

        def progress(what: str) -> None:
            status.update(f"Steady load: {what}")
            if not console.is_terminal:
                console.print(f"Steady load: {what}")

        return steady.measure(workspace, options.minutes * 60, progress)


def _notify(status: Status, part: str) -> Callable[[str], object]:
    """Return a function that shows the step of a part, as a line of its own where the output is no terminal."""

    def notify(what: str) -> None:
        status.update(f"{part}: {what}")
        if not console.is_terminal:
            console.print(f"{part}: {what}")

    return notify


@contextmanager
def _progress_bars() -> Iterator[Callable[[str, int, int], None]]:
    """Show a line for each step, with a bar if its progress is known."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        tasks: dict[str, TaskID] = {}

        def notify(what: str, done: int, total: int) -> None:
            if what not in tasks:
                for task in tasks.values():
                    progress.update(task, total=1, completed=1)
                tasks[what] = progress.add_task(what, total=total or None)
            progress.update(tasks[what], completed=done)

        yield notify
        for task in tasks.values():
            progress.update(task, total=1, completed=1)


def _generate(workspace: Workspace) -> None:
    with Progress(console=console, transient=True) as progress:
        totals = {"companies": workspace.companies, "contacts": workspace.contacts}
        tasks = {}

        def advance(entity: str, rows: int) -> None:
            if entity not in tasks:
                tasks[entity] = progress.add_task(f"Generating {entity}", total=totals[entity])
            progress.advance(tasks[entity], rows)

        workspace.generate(advance)


def _rich_table(table: Table) -> RichTable:
    rich_table = RichTable(title=table.title, title_justify="left")
    for place, column in enumerate(table.columns):
        rich_table.add_column(column, justify="left" if place == 0 else "right")
    for row in table.rows:
        rich_table.add_row(*(cell.strip("`") for cell in row))
    return rich_table


if __name__ == "__main__":
    main()
