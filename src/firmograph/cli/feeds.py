"""`firmograph import headcounts|jobs|traffic|it-spend|news|posts FILE...` (docs/reference/import.md#files-of-facts)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Final

import typer

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
    check_source,
    make_reading,
    print_unused_columns,
    print_waiting,
    run_import,
)
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
        help="Where the facts come from. Those of one source are never compared with another's.",
        metavar="NAME",
    ),
]
AsOf = Annotated[
    datetime | None,
    typer.Option(
        formats=["%Y-%m-%d"],
        metavar="DATE",
        help="The day as of which hiring is judged; by default the newest opening date.",
    ),
]
Snapshot = Annotated[
    bool,
    typer.Option("--snapshot", help="The files hold all postings that are open: those left out are closed."),
]


_PLAIN: Final = {
    "headcounts": "Load how many people companies had: company, date, count.",
    "traffic": "Load visits of companies' web sites: company, month, visits.",
    "it-spend": "Load estimates of companies' IT spend in a year: company, date, value, currency.",
    "news": "Load articles: url, date, title, text.",
    "posts": "Load posts: url, date, author, text, summary, likes, comments, shares, type. The text is not kept.",
}
"""The kinds that have no options of their own, and their help."""


def _plain(kind: str) -> Callable[..., None]:
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
        asked = ImportRequest(files, source, rejects, no_deliver, dry_run, json)
        _import(kind, asked, make_reading(encoding, sheet))

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
    asked = ImportRequest(files, source, rejects, no_deliver, dry_run, json)
    _import("jobs", asked, make_reading(encoding, sheet), as_of=_day(as_of), snapshot=snapshot)


def _day(as_of: datetime | None) -> str | None:
    """Raises BadParameter for a day that is still to come: a source never goes back to a day before its newest."""
    if as_of is None:
        return None
    day, latest = as_of.replace(tzinfo=UTC).date(), today(SystemClock()) + timedelta(days=1)
    if day > latest:
        raise typer.BadParameter(f"{day} is still to come; the latest is {latest}.", param_hint="--as-of")
    return day.isoformat()


def add_to(app: typer.Typer) -> None:
    """Add the command of each kind."""
    app.command("jobs")(jobs)
    for kind, told in _PLAIN.items():
        app.command(kind, help=told)(_plain(kind))


def _import(
    kind: str, asked: ImportRequest, reading: "ReadOptions", as_of: str | None = None, snapshot: bool = False
) -> None:
    from firmograph.directory.identity import Digests
    from firmograph.ingest.feeds.feed import FeedDependencies
    from firmograph.ingest.feeds.feed_rows import check_file
    from firmograph.ingest.feeds.kinds import KINDS
    from firmograph.ingest.feeds.service import import_feed
    from firmograph.security.keyring import new_keyring
    from firmograph.signals.thresholds import load_thresholds

    source = check_source(asked.source)
    settings = load_settings()
    # keys stand in until there is a database: a mistyped name must not leave an empty one behind
    parts = FeedDependencies(
        Digests(new_keyring()),
        load_thresholds(settings.thresholds_file),
        settings.topics_file,
        as_of,
        snapshot,
    )
    readings = []
    for path in asked.files:
        checked = check_file(path, KINDS[kind](parts), reading)
        print_unused_columns(path, checked.unused)
        readings.append(checked.options)

    def importing(database: "Database", keyring: "Keyring", hooks: ImportHooks) -> "Summary":
        feed = KINDS[kind](parts._replace(digests=Digests(keyring)))
        paths = [str(path) for path in asked.files]
        return import_feed(
            database,
            SystemClock(),
            feed,
            paths,
            source,
            *hooks,
            print_waiting,
            quiet=asked.no_deliver,
            read_options=readings,
        )

    run_import(settings, asked, importing, [reading.encoding for reading in readings])
