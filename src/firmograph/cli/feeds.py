"""Import commands for files of facts (docs/reference/import.md#files-of-facts)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Final

import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.import_run import (
    DEFAULT_SOURCE,
    DryRun,
    Encoding,
    FileForm,
    Files,
    ImportHooks,
    ImportRequest,
    Json,
    NoDeliver,
    Rejects,
    Sheet,
    check_source,
    make_read_options,
    print_other_lists,
    print_other_sheets,
    print_unused_columns,
    print_waiting,
    run_import,
)
from firmograph.cli.losses import EXIT_CODES
from firmograph.kit.clock import SystemClock, today
from firmograph.settings import load_settings

if TYPE_CHECKING:
    from firmograph.database.connection import Database
    from firmograph.ingest.reading.readers import ReadOptions
    from firmograph.ingest.summary import Summary
    from firmograph.security.keyring import Keyring

Source = Annotated[
    str,
    typer.Option(
        help="Source of the facts. Facts of different sources are never compared.",
        metavar="NAME",
    ),
]
AsOf = Annotated[
    datetime | None,
    typer.Option(
        formats=["%Y-%m-%d"],
        metavar="DATE",
        help="Reference day for hiring signals; the newest opening date by default.",
    ),
]
Snapshot = Annotated[
    bool,
    typer.Option("--snapshot", help="The files contain all open postings; others are closed."),
]


_SIMPLE_KINDS: Final = {
    "headcounts": "Load headcounts of companies: company, date, count.",
    "traffic": "Load visits to companies' web sites: company, month, visits.",
    "it-spend": "Load estimates of companies' yearly IT spend: company, date, value, currency.",
    "news": "Load articles: url, date, title, text.",
    "posts": "Load posts: url, date, author, text, summary, likes, comments, shares, type. Texts are not stored.",
}
"""Help of the kinds without options of their own."""


def _simple_command(kind: str) -> Callable[..., None]:
    def command(
        files: Files,
        source: Source = DEFAULT_SOURCE,
        encoding: Encoding = "",
        sheet: Sheet = "",
        rejects: Rejects = None,
        no_deliver: NoDeliver = False,
        dry_run: DryRun = False,
        json: Json = False,
    ) -> None:
        request = ImportRequest(files, source, rejects, no_deliver, dry_run, json)
        _import(kind, request, make_read_options(encoding, sheet))

    return command


def jobs(
    files: Files,
    source: Source = DEFAULT_SOURCE,
    encoding: Encoding = "",
    sheet: Sheet = "",
    as_of: AsOf = None,
    snapshot: Snapshot = False,
    rejects: Rejects = None,
    no_deliver: NoDeliver = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Load job postings: company, postingId, title, department, country, state, city, openDate, closeDate."""
    request = ImportRequest(files, source, rejects, no_deliver, dry_run, json)
    _import("jobs", request, make_read_options(encoding, sheet), as_of=_day(as_of), snapshot=snapshot)


def _day(as_of: datetime | None) -> str | None:
    """Return the day; raise BadParameter for a future one, because a source never returns to an earlier day."""
    if as_of is None:
        return None
    day, latest = as_of.replace(tzinfo=UTC).date(), today(SystemClock()) + timedelta(days=1)
    if day > latest:
        raise typer.BadParameter(f"{day} is in the future; the latest is {latest}.", param_hint="--as-of")
    return day.isoformat()


def add_to(app: typer.Typer) -> None:
    """Add the command of each kind."""
    app.command("jobs", epilog=_examples("jobs", " --source board --snapshot"))(jobs)
    for kind, help in _SIMPLE_KINDS.items():
        app.command(kind, help=help, epilog=_examples(kind))(_simple_command(kind))


def _examples(kind: str, options: str = "") -> str:
    return examples(f"firmograph import {kind} {kind}.csv{options}", after=EXIT_CODES)


def _import(
    kind: str,
    request: ImportRequest,
    read_options: "ReadOptions",
    as_of: str | None = None,
    snapshot: bool = False,
) -> None:
    from firmograph.directory.identity import Digests
    from firmograph.ingest.feeds.feed import FeedDependencies
    from firmograph.ingest.feeds.feed_rows import check_file
    from firmograph.ingest.feeds.kinds import KINDS
    from firmograph.ingest.feeds.service import import_feed
    from firmograph.security.keyring import new_keyring
    from firmograph.signals.thresholds import load_thresholds

    source = check_source(request.source)
    settings = load_settings()
    # provisional keys, so that a mistyped file name creates no empty database
    dependencies = FeedDependencies(
        Digests(new_keyring()),
        load_thresholds(settings.thresholds_file),
        settings.topics_file,
        as_of,
        snapshot,
    )
    file_options, forms = [], []
    for path in request.files:
        checked = check_file(path, KINDS[kind](dependencies), read_options)
        if not read_options.sheet:
            print_other_sheets(path, checked.options.sheet, checked.other_sheets)
        print_other_lists(path, checked.list_read, checked.other_lists)
        print_unused_columns(path, checked.unused)
        file_options.append(checked.options)
        forms.append(FileForm(checked.options.encoding, checked.delimiter))

    def import_(database: "Database", keyring: "Keyring", hooks: ImportHooks) -> "Summary":
        feed = KINDS[kind](dependencies._replace(digests=Digests(keyring)))
        paths = [str(path) for path in request.files]
        return import_feed(
            database,
            SystemClock(),
            feed,
            paths,
            source,
            *hooks,
            print_waiting,
            quiet=request.no_deliver,
            read_options=file_options,
        )

    run_import(settings, request, import_, forms)
