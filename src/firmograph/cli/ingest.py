"""Import commands for contacts and companies (docs/reference/import.md)."""

from collections.abc import Mapping as Counts
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from firmograph.cli import feeds, import_conversations, import_history, import_visits
from firmograph.cli.help_texts import examples
from firmograph.cli.import_people import (
    Complete,
    Merged,
    OptedOutPeople,
    SuppressOptedOut,
    check_merged_file,
    merged_file,
)
from firmograph.cli.import_run import (
    DEFAULT_SOURCE,
    DryRun,
    Encoding,
    Files,
    ImportHooks,
    ImportRequest,
    Json,
    NoDeliver,
    Rejects,
    RejectsWithValues,
    Sheet,
    Source,
    check_source,
    make_read_options,
    print_other_lists,
    print_other_sheets,
    print_unused_columns,
    print_waiting,
    run_import,
    suggest_country,
    suggest_date_order,
    suggest_other_kind,
)
from firmograph.cli.import_summary import FileForm
from firmograph.cli.kind_group import KindGroup
from firmograph.cli.losses import EXIT_CODES
from firmograph.cli.sentences import say
from firmograph.kit.clock import SystemClock
from firmograph.security.record_ids import Entity
from firmograph.settings import load_settings

if TYPE_CHECKING:
    from firmograph.ingest.reading.mapping import ColumnMapping
    from firmograph.ingest.reading.readers import ReadOptions
    from firmograph.ingest.summary import Summary
    from firmograph.installation import Installation

_MAX_HOSTS = 10
"""Shared hosts that are listed after an import."""

app = typer.Typer(
    cls=KindGroup, no_args_is_help=True, help="Load records, or dated facts about companies, from files."
)

Dates = Annotated[
    Literal["dmy", "mdy"] | None,
    typer.Option(help="Order of dates such as 03/04/2024; detected for each column by default."),
]
Country = Annotated[
    str,
    typer.Option(
        metavar="COUNTRY",
        help="Country, by code or name, of telephone numbers without one in rows without a country.",
    ),
]
MappingFile = Annotated[
    Path | None,
    typer.Option(
        "--mapping", metavar="FILE", help='TOML: \\[columns] with lines "Column" = "path.of.field".'
    ),
]
PreviewOnly = Annotated[
    bool,
    typer.Option(
        "--preview", help="Import nothing; show how the columns are interpreted. Needs no database."
    ),
]
WriteMapping = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the result of --preview as a file for --mapping."),
]


_CONTACT_EXAMPLES = examples(
    "firmograph import contacts people.csv --preview",
    "firmograph import contacts people.csv --source crm --dry-run",
    "firmograph import contacts people.csv --source crm",
    after=EXIT_CODES,
)
_COMPANY_EXAMPLES = examples(
    "firmograph import companies companies.xlsx --sheet Accounts --preview",
    "firmograph import companies companies.xlsx --sheet Accounts --source crm",
    after=EXIT_CODES,
)


class _Form(NamedTuple):
    """ReadOptions options of the files, and whether only a preview is requested."""

    mapping: Path | None
    read_options: "ReadOptions"
    preview: bool
    write_mapping: Path | None


@app.command("contacts", epilog=_CONTACT_EXAMPLES)
def contacts(
    files: Files,
    source: Source = DEFAULT_SOURCE,
    mapping: MappingFile = None,
    encoding: Encoding = "",
    sheet: Sheet = "",
    preview: PreviewOnly = False,
    write_mapping: WriteMapping = None,
    dates: Dates = None,
    country: Country = "",
    rejects: Rejects = None,
    rejects_with_values: RejectsWithValues = None,
    merged: Merged = None,
    suppress_opted_out: SuppressOptedOut = False,
    complete: Complete = False,
    no_deliver: NoDeliver = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Load people. Importing the same file again changes nothing."""
    form = _Form(mapping, make_read_options(encoding, sheet, dates, country), preview, write_mapping)
    request = ImportRequest(files, source, rejects, no_deliver, dry_run, json, rejects_with_values)
    _import(
        Entity.CONTACT,
        request._replace(merged=merged, suppress_opted_out=suppress_opted_out, complete=complete),
        form,
    )


@app.command("companies", epilog=_COMPANY_EXAMPLES)
def companies(
    files: Files,
    source: Source = DEFAULT_SOURCE,
    mapping: MappingFile = None,
    encoding: Encoding = "",
    sheet: Sheet = "",
    preview: PreviewOnly = False,
    write_mapping: WriteMapping = None,
    dates: Dates = None,
    country: Country = "",
    rejects: Rejects = None,
    rejects_with_values: RejectsWithValues = None,
    merged: Merged = None,
    no_deliver: NoDeliver = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Load companies. Importing the same file again changes nothing."""
    form = _Form(mapping, make_read_options(encoding, sheet, dates, country), preview, write_mapping)
    request = ImportRequest(files, source, rejects, no_deliver, dry_run, json, rejects_with_values)
    _import(Entity.COMPANY, request._replace(merged=merged), form)


feeds.add_to(app)
import_conversations.add_to(app)
import_visits.add_to(app)
import_history.add_to(app)


def _import(entity: Entity, request: ImportRequest, form: _Form) -> None:
    from firmograph.cli.preview import show_preview
    from firmograph.ingest.preparation_process import ImportTask
    from firmograph.ingest.reading.mapping import NO_MAPPING, load_mapping
    from firmograph.ingest.service import import_files
    from firmograph.signals.thresholds import load_thresholds

    source = check_source(request.source)
    mapping = load_mapping(form.mapping, entity) if form.mapping else NO_MAPPING
    if request.merged:
        check_merged_file(request.merged)
    if form.preview or form.write_mapping:
        show_preview(entity, request, mapping, form.read_options, form.write_mapping)
        return
    # before the database is opened, so that a mistyped file name creates no empty one
    checked = [_check_file(path, form.read_options, mapping, entity) for path in request.files]
    file_options = [one.read_options for one in checked]
    settings = load_settings()
    thresholds = load_thresholds(settings.thresholds_file)

    def import_(installation: "Installation", hooks: ImportHooks) -> "Summary":
        opt_outs = OptedOutPeople(installation, suppresses=request.suppress_opted_out and not request.dry_run)
        signals: list[int] = []
        paths = [str(path) for path in request.files]
        task = ImportTask(
            entity=entity,
            paths=paths,
            source=source,
            keyring=installation.keyring,
            mapping=mapping,
            read_options=file_options,
            keeps_rejected=request.with_values is not None,
            complete=request.complete,
        )
        with opt_outs, merged_file(request.merged, entity, installation) as on_join:
            summary = import_files(
                installation.database,
                task,
                SystemClock(),
                *hooks,
                print_waiting,
                signals.append,
                thresholds,
                quiet=request.no_deliver,
                on_shared_hosts=_show_shared_hosts,
                on_join=on_join,
                on_opted_out=opt_outs.suppress,
            )
        summary.opted_out_suppressed = opt_outs.suppressed
        if not form.read_options.dates:
            suggest_date_order(summary.values.unread, {name for one in checked for name in one.dates})
        suggest_country(summary.values.local_numbers)
        if signals:
            say(f"Signals detected: {sum(signals):,}", err=True)
        if summary.employers:
            say(f"Rows that created or changed their employer's record: {summary.employers:,}", err=True)
        return summary

    run_import(settings, request, import_, [one.form for one in checked])


def _show_shared_hosts(hosts: Counts[str, int]) -> None:
    """Print the most frequent hosts that companies may share."""
    for host, names in list(hosts.items())[:_MAX_HOSTS]:
        say(
            f"{host} is the domain of {names:,} companies with different names, which were merged to one record; if"
            " it is a shared host, remove it from the file",
            err=True,
        )
    if len(hosts) > _MAX_HOSTS:
        say(f"and {len(hosts) - _MAX_HOSTS:,} more such hosts", err=True)


class _CheckedFile(NamedTuple):
    """Properties of a file, detected before the import."""

    read_options: "ReadOptions"
    form: FileForm
    dates: set[str]
    """Headers of its date columns."""


def _check_file(
    path: Path, read_options: "ReadOptions", mapping: "ColumnMapping", entity: Entity
) -> _CheckedFile:
    """Detect how to read a file, and print its unused columns. Raises Refused if it cannot be imported."""
    from firmograph.ingest.reading.mapping import build_table_layout, fits_table, unused_columns
    from firmograph.ingest.reading.readers import open_rows
    from firmograph.ingest.reading.record_kind import detect_other_kind, first_keys

    with open_rows(path, read_options, fits_table(mapping, entity, path)) as rows:
        if not read_options.sheet:
            print_other_sheets(path, rows.options.sheet, rows.other_sheets)
        print_other_lists(path, rows.list_read, rows.other_lists)
        form = FileForm(rows.options.encoding, rows.delimiter, rows.columns)
        names = rows.columns if rows.columns is not None else first_keys(rows)
        if not mapping.columns and (other := detect_other_kind(names, entity)):
            suggest_other_kind(path, other.plural)
        if rows.columns is None:
            return _CheckedFile(rows.options, form, set())
        layout = build_table_layout(rows.columns, mapping, entity, path)
        print_unused_columns(path, unused_columns(layout))
        return _CheckedFile(rows.options, form, layout.date_columns())
