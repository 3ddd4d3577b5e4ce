"""`python -m bench`, or `make bench`: measure, print, and write `docs/benchmarks.md`."""

import argparse

import msgspec
from rich.console import Console
from rich.progress import Progress
from rich.table import Table as Shown

from bench import document, imports, machine, report, serving
from bench.report import Report, Table
from bench.workspace import ROOT, Workspace
from firmograph.kit.clock import SystemClock, today

DOCUMENT = ROOT / "docs" / "benchmarks.md"
FULL_CONTACTS, QUICK_CONTACTS = 1_000_000, 50_000

console = Console()
if not console.is_terminal:
    console = Console(width=120)


def main() -> None:
    options = _options()
    contacts = options.contacts or (QUICK_CONTACTS if options.quick else FULL_CONTACTS)
    workspace = Workspace(contacts)
    made = Report(
        day=today(SystemClock()).isoformat(),
        contacts=contacts,
        companies=workspace.companies,
        machine=machine.describe(),
        busy=machine.other_work(),
        effort=serving.QUICK if options.quick else serving.FULL,
    )
    _measure(workspace, made, options.only)
    for table in report.tables(made):
        console.print(_shown(table))
    if options.write or not (options.quick or options.only or options.contacts):
        document.write(made, DOCUMENT)
        console.print(f"Written to {DOCUMENT.relative_to(ROOT)}")
    if not options.keep:
        workspace.clear_database()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m bench", description=__doc__)
    parser.add_argument(
        "--contacts", type=int, metavar="N", help=f"how many contacts; {FULL_CONTACTS:,} by default"
    )
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_CONTACTS:,} contacts and short rounds")
    parser.add_argument("--only", choices=("import", "serving"), help="measure one of the two")
    parser.add_argument("--keep", action="store_true", help="keep the loaded database for `--only serving`")
    parser.add_argument("--write", action="store_true", help="write the document after a smaller run too")
    return parser.parse_args()


def _measure(workspace: Workspace, made: Report, only: str | None) -> None:
    _generate(workspace)
    held = workspace.loaded_report() if only == "serving" else None
    if held is None:
        with console.status("Import") as status:
            made.imports = imports.measure(workspace, lambda what: status.update(f"Import: {what}"))
    else:
        made.imports = msgspec.convert(held, imports.ImportReport)
    if only != "import":
        with console.status("Serving") as status:
            made.serving = serving.measure(
                workspace, made.effort, lambda what: status.update(f"Serving: {what}")
            )


def _generate(workspace: Workspace) -> None:
    with Progress(console=console, transient=True) as progress:
        totals = {"companies": workspace.companies, "contacts": workspace.contacts}
        tasks = {}

        def advance(entity: str, rows: int) -> None:
            if entity not in tasks:
                tasks[entity] = progress.add_task(f"Generating {entity}", total=totals[entity])
            progress.advance(tasks[entity], rows)

        workspace.generate(advance)


def _shown(table: Table) -> Shown:
    shown = Shown(title=table.title, title_justify="left")
    for place, column in enumerate(table.columns):
        shown.add_column(column, justify="left" if place == 0 else "right")
    for row in table.rows:
        shown.add_row(*(cell.strip("`") for cell in row))
    return shown


if __name__ == "__main__":
    main()
