"""Commands `firmograph signals list|watch`."""

import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from firmograph.cli.context import open_installation
from firmograph.cli.help_texts import examples
from firmograph.cli.output import Ids, note
from firmograph.cli.stop_signals import stop_event
from firmograph.kit.clock import SystemClock, today
from firmograph.kit.errors import Busy, FirmographError, Refused
from firmograph.security.record_ids import Entity, MalformedId
from firmograph.signals.types import NUMBER_OF

if TYPE_CHECKING:
    from firmograph.cli.signals.views import SignalView
    from firmograph.database.connection import Session
    from firmograph.installation import Installation

app = typer.Typer(no_args_is_help=True, help="List and watch detected changes of people and companies.")

_TABLE_LIMIT = 50


def _parse_type(given: str) -> str:
    found = {name.casefold(): name for name in NUMBER_OF}.get(given.strip().casefold())
    if found is None:
        raise typer.BadParameter(f"{given!r} is not a signal type; choose one of {', '.join(NUMBER_OF)}.")
    return found


Types = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="TYPE",
        parser=_parse_type,
        help="Only signals of this type; several match any of them.",
    ),
]
Contact = Annotated[str | None, typer.Option(metavar="ID", help="Only signals of this person.")]
Company = Annotated[
    str | None, typer.Option(metavar="ID|DOMAIN", help="Only signals of this company, not of its people.")
]
Since = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="First day of the signals.")
]
Until = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="Last day of the signals.")
]
Limit = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help=f"Maximum signals; by default {_TABLE_LIMIT} in a table and all as JSON."
    ),
]


@app.command(
    "list",
    epilog=examples(
        "firmograph signals list --since 2026-01-01 --type promotion",
        "firmograph signals list --company acme.com --json",
    ),
)
def list_signals(
    types: Types = None,
    contact: Contact = None,
    company: Company = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = None,
    ids: Ids = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False,
) -> None:
    """List signals, newest first."""
    from firmograph.cli.signals.output import write_array, write_signals
    from firmograph.cli.signals.views import ViewFactory
    from firmograph.signals import listing_store
    from firmograph.signals.listing_store import NO_LIMIT, ListingFilter

    if contact and company:
        raise typer.BadParameter("Give --contact or --company, not both.", param_hint="--contact")
    installation = open_installation()
    database = installation.database
    try:
        views = ViewFactory(installation.record_ids)
        now = f"{today(SystemClock())}"
        with database.read() as session:
            selection = ListingFilter(
                min(f"{until:%Y-%m-%d}", now) if until else now,
                f"{since:%Y-%m-%d}" if since else "",
                types or tuple(NUMBER_OF),
                _record(session, installation, contact, company),
            )

            def read_views(most: int) -> Iterator["SignalView"]:
                for signals in listing_store.iterate_newest(session, selection, most):
                    yield from views.create(session, signals)

            if json:
                write_array(read_views(limit or NO_LIMIT), sys.stdout)
            else:
                most = limit or _TABLE_LIMIT
                rows = list(read_views(most + 1))
                write_signals(rows[:most], ids=ids)
                if len(rows) > most:
                    note(f"These are the newest {most:,}", "--limit shows more")
    finally:
        database.close()


def _record(
    session: "Session", installation: "Installation", contact: str | None, company: str | None
) -> tuple[Entity, int] | None:
    """Return the requested record, None without one. Raises Refused if it does not exist."""
    given, entity = (contact, Entity.CONTACT) if contact else (company, Entity.COMPANY)
    if not given:
        return None
    try:
        number = installation.record_ids.open(entity, given.strip())
    except MalformedId:
        number = _find_by_reference(session, installation, given) if entity is Entity.COMPANY else None
    if number is None:
        raise Refused(f"No {entity.name.lower()} found for {given!r}")
    return entity, number


def _find_by_reference(session: "Session", installation: "Installation", given: str) -> int | None:
    from firmograph.ingest.feeds.mentions import parse_mention
    from firmograph.ingest.merging.company_linking import Finder

    ref = parse_mention(given)
    return Finder(installation.digests).find(session, [ref])[0] if ref else None


@app.command("watch", epilog=examples("firmograph signals watch --type companyChange --json"))
def watch(
    types: Types = None,
    ids: Ids = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON Lines.")] = False,
    from_start: Annotated[
        bool, typer.Option("--from-start", help="Begin with existing signals, oldest first.")
    ] = False,
) -> None:
    """Print new signals until interrupted; signals of a future day on that day."""
    from firmograph.cli.signals.output import write_json_lines, write_watched
    from firmograph.cli.signals.views import ViewFactory
    from firmograph.cli.signals.watch import Watch

    installation = open_installation()
    with closing(installation.database) as database, stop_event() as stopped:
        views = ViewFactory(installation.record_ids)
        signal_watch = Watch(database, views.create, stopped, _print_connection, SystemClock())
        after = 0 if from_start else signal_watch.newest_id()
        note("Watching for signals", "stop with Ctrl-C")

        def read_signals() -> Iterator["SignalView"]:
            for rows in signal_watch(after, types or NUMBER_OF):
                yield from rows
                sys.stdout.flush()

        if json:
            write_json_lines(read_signals(), sys.stdout)
        else:
            write_watched(read_signals(), ids=ids)


def _print_connection(why: FirmographError | None) -> None:
    if why is None:
        typer.echo("The database is available again", err=True)
    else:
        reason = "is being written by another process" if isinstance(why, Busy) else "cannot be reached"
        typer.echo(f"The database {reason}; waiting", err=True)
