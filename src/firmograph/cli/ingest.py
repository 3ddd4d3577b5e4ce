"""`firmograph import companies|contacts FILE...` (docs/reference/import.md); feeds in `cli/feeds.py`."""

from collections.abc import Mapping as Counts
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from firmograph.cli import feeds
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
    Sheet,
    Source,
    check_source,
    make_reading,
    print_unused_columns,
    print_waiting,
    run_import,
    suggest_date_order,
    suggest_other_kind,
)
from firmograph.kit.clock import SystemClock
from firmograph.security.record_ids import Entity
from firmograph.settings import load_settings

if TYPE_CHECKING:
    from firmograph.database.connection import Database
    from firmograph.ingest.reading.mapping import ColumnMapping
    from firmograph.ingest.reading.readers import ReadOptions
    from firmograph.ingest.summary import Summary
    from firmograph.security.keyring import Keyring

_MOST_HOSTS = 10
"""Named one by one after an import."""

app = typer.Typer(no_args_is_help=True, help="Load records, or dated facts about companies, from files.")

Dates = Annotated[
    Literal["dmy", "mdy"] | None,
    typer.Option(help="What dates such as 03/04/2024 have first; otherwise found out for each column."),
]
MappingFile = Annotated[
    Path | None,
    typer.Option(
        "--mapping", metavar="FILE", help='TOML: \\[columns] with lines "Column" = "path.of.field".'
    ),
]
PreviewOnly = Annotated[
    bool,
    typer.Option("--preview", help="Import nothing: show what the columns are taken for. Needs no database."),
]
WriteMapping = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write what --preview shows as a file for --mapping."),
]


class _Form(NamedTuple):
    """How the files are to be read, and whether only a preview is asked for."""

    mapping: Path | None
    reading: "ReadOptions"
    preview: bool
    write_mapping: Path | None


@app.command("contacts")
def contacts(
    files: Files,
    source: Source = DEFAULT_SOURCE,
    mapping: MappingFile = None,
    encoding: Encoding = "",
    sheet: Sheet = "",
    preview: PreviewOnly = False,
    write_mapping: WriteMapping = None,
    dates: Dates = None,
    rejects: Rejects = None,
    no_deliver: NoDeliver = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Load people. The same file again changes nothing."""
    form = _Form(mapping, make_reading(encoding, sheet, dates), preview, write_mapping)
    _import(Entity.CONTACT, ImportRequest(files, source, rejects, no_deliver, dry_run, json), form)


@app.command("companies")
def companies(
    files: Files,
    source: Source = DEFAULT_SOURCE,
    mapping: MappingFile = None,
    encoding: Encoding = "",
    sheet: Sheet = "",
    preview: PreviewOnly = False,
    write_mapping: WriteMapping = None,
    dates: Dates = None,
    rejects: Rejects = None,
    no_deliver: NoDeliver = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Load companies. The same file again changes nothing."""
    form = _Form(mapping, make_reading(encoding, sheet, dates), preview, write_mapping)
    _import(Entity.COMPANY, ImportRequest(files, source, rejects, no_deliver, dry_run, json), form)


feeds.add_to(app)


def _import(entity: Entity, asked: ImportRequest, form: _Form) -> None:
    from firmograph.cli.preview import show_preview
    from firmograph.ingest.preparation_process import ImportTask
    from firmograph.ingest.reading.mapping import NO_MAPPING, load_mapping
    from firmograph.ingest.service import import_files
    from firmograph.signals.thresholds import load_thresholds

    source = check_source(asked.source)
    mapping = load_mapping(form.mapping, entity) if form.mapping else NO_MAPPING
    if form.preview or form.write_mapping:
        show_preview(entity, asked, mapping, form.reading, form.write_mapping)
        return
    # before anything is made: a mistyped name must not leave an empty database behind
    checked = [_checked(path, form.reading, mapping, entity) for path in asked.files]
    readings = [one.reading for one in checked]
    settings = load_settings()
    thresholds = load_thresholds(settings.thresholds_file)

    def importing(database: "Database", keyring: "Keyring", hooks: ImportHooks) -> "Summary":
        signals: list[int] = []
        paths = [str(path) for path in asked.files]
        job = ImportTask(
            entity=entity, paths=paths, source=source, keyring=keyring, mapping=mapping, read_options=readings
        )
        summary = import_files(
            database,
            job,
            SystemClock(),
            *hooks,
            print_waiting,
            signals.append,
            thresholds,
            quiet=asked.no_deliver,
            on_shared_hosts=_show_shared_hosts,
        )
        if not form.reading.dates:
            suggest_date_order(summary.values.unread, {name for one in checked for name in one.dates})
        if signals:
            typer.echo(f"Signals detected: {sum(signals):,}", err=True)
        if summary.employers:
            typer.echo(f"Rows that made or changed their employer's record: {summary.employers:,}", err=True)
        return summary

    run_import(settings, asked, importing, [reading.encoding for reading in readings])


def _show_shared_hosts(hosts: Counts[str, int]) -> None:
    """Name the hosts that may belong to nobody alone, the commonest ones."""
    for host, names in list(hosts.items())[:_MOST_HOSTS]:
        typer.echo(
            f"{host} came as the domain of {names:,} companies with different names, which are one record now; if many"
            " share this host, leave it out of the file",
            err=True,
        )
    if len(hosts) > _MOST_HOSTS:
        typer.echo(f"and {len(hosts) - _MOST_HOSTS:,} more such hosts", err=True)


class _Checked(NamedTuple):
    """What was found out about a file before anything of it is imported."""

    reading: "ReadOptions"
    dates: set[str]
    """The headers of its columns of dates."""


def _checked(path: Path, reading: "ReadOptions", mapping: "ColumnMapping", entity: Entity) -> _Checked:
    """Find out how a file is read, and name what is not used of it. Raises Refused when it cannot be imported."""
    from firmograph.ingest.preview import KIND_NAMES, detect_other_kind
    from firmograph.ingest.reading.mapping import build_table_layout, unused_columns
    from firmograph.ingest.reading.readers import open_rows

    with open_rows(path, reading) as rows:
        if rows.columns is None:
            return _Checked(rows.options, set())
        if not mapping.columns and (other := detect_other_kind(rows.columns, entity)):
            suggest_other_kind(path, KIND_NAMES[other])
        layout = build_table_layout(rows.columns, mapping, entity, path)
        print_unused_columns(path, unused_columns(layout))
        return _Checked(rows.options, layout.date_columns())
