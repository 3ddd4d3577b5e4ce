"""`firmograph signals list|watch`: what was detected, and what is being detected."""

import signal
import sys
import threading
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from firmograph.cli.context import open_database, open_keyring
from firmograph.kit.clock import SystemClock, today
from firmograph.kit.errors import Busy, FirmographError, Refused
from firmograph.security.record_ids import Entity, MalformedId, RecordIds
from firmograph.settings import load_settings
from firmograph.signals.types import NUMBER_OF

if TYPE_CHECKING:
    from firmograph.cli.signals.views import SignalView
    from firmograph.database.connection import Session
    from firmograph.security.keyring import Keyring

app = typer.Typer(no_args_is_help=True, help="Signals: what changed at people and companies.")

_IN_A_TABLE = 50


def _type_named(given: str) -> str:
    found = {name.casefold(): name for name in NUMBER_OF}.get(given.strip().casefold())
    if found is None:
        raise typer.BadParameter(f"{given!r} is none of {', '.join(NUMBER_OF)}.")
    return found


Types = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="TYPE",
        parser=_type_named,
        help="Only signals of this type; several mean any of them.",
    ),
]
Contact = Annotated[str | None, typer.Option(metavar="ID", help="Only of this person.")]
Company = Annotated[
    str | None, typer.Option(metavar="ID|DOMAIN", help="Only of this company; its people aside.")
]
Since = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="Dated this day or later.")
]
Until = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="Dated this day or earlier.")
]
Limit = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help=f"How many; by default {_IN_A_TABLE} in a table and all as JSON."),
]


@app.command("list")
def list_signals(
    types: Types = None,
    contact: Contact = None,
    company: Company = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False,
) -> None:
    """Show signals, newest first."""
    from firmograph.cli.signals.output import write_array, write_table
    from firmograph.cli.signals.views import ViewFactory
    from firmograph.signals import listing_store
    from firmograph.signals.listing_store import NO_LIMIT, ListingFilter

    if contact and company:
        raise typer.BadParameter("Give --contact or --company, not both.", param_hint="--contact")
    settings = load_settings()
    database = open_database(settings)
    try:
        keyring = open_keyring(settings, database)
        showing = ViewFactory(RecordIds(keyring))
        now = f"{today(SystemClock())}"
        with database.read() as session:
            asked = ListingFilter(
                min(f"{until:%Y-%m-%d}", now) if until else now,
                f"{since:%Y-%m-%d}" if since else "",
                types or tuple(NUMBER_OF),
                _record(session, keyring, contact, company),
            )

            def shown(most: int) -> Iterator["SignalView"]:
                for some in listing_store.iterate_newest(session, asked, most):
                    yield from showing.shown(session, some)

            if json:
                write_array(shown(limit or NO_LIMIT), sys.stdout)
            else:
                most = limit or _IN_A_TABLE
                rows = list(shown(most + 1))
                write_table(rows[:most], sys.stdout)
                _tell_rest(len(rows), most)
    finally:
        database.close()


def _tell_rest(found: int, most: int) -> None:
    if not found:
        typer.echo("No signals.", err=True)
    elif found > most:
        typer.echo(f"The newest {most:,}; --limit shows more.", err=True)


def _record(
    session: "Session", keyring: "Keyring", contact: str | None, company: str | None
) -> tuple[Entity, int] | None:
    """The record that is asked for. Raises Refused when there is none."""
    given, entity = (contact, Entity.CONTACT) if contact else (company, Entity.COMPANY)
    if not given:
        return None
    try:
        number = RecordIds(keyring).open(entity, given.strip())
    except MalformedId:
        number = _by_name(session, keyring, given) if entity is Entity.COMPANY else None
    if number is None:
        raise Refused(f"No {entity.name.lower()} that is held is meant by {given!r}")
    return entity, number


def _by_name(session: "Session", keyring: "Keyring", given: str) -> int | None:
    from firmograph.directory.identity import Digests
    from firmograph.ingest.feeds.mentions import parse_mention
    from firmograph.ingest.merging.company_linking import Finder

    ref = parse_mention(given)
    return Finder(Digests(keyring)).find(session, [ref])[0] if ref else None


@app.command("watch")
def watch(
    types: Types = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON Lines.")] = False,
    from_start: Annotated[
        bool, typer.Option("--from-start", help="First those that were detected so far, oldest first.")
    ] = False,
) -> None:
    """Print signals as they are detected, those of a day to come when it begins, until interrupted."""
    from firmograph.cli.signals.output import write_line
    from firmograph.cli.signals.views import ViewFactory
    from firmograph.cli.signals.watch import Watch

    settings = load_settings()
    database = open_database(settings)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    try:
        showing = ViewFactory(RecordIds(open_keyring(settings, database)))
        watching = Watch(database, showing.shown, ended, _tell_lost, SystemClock())
        after = 0 if from_start else watching.now()
        typer.echo("Watching for signals; end it with Ctrl-C", err=True)
        for rows in watching(after, types or NUMBER_OF):
            for row in rows:
                write_line(row, sys.stdout, json=json)
            sys.stdout.flush()
    finally:
        database.close()


def _tell_lost(why: FirmographError | None) -> None:
    if why is None:
        typer.echo("The database is there again", err=True)
    else:
        reason = "is being written by another process" if isinstance(why, Busy) else "cannot be reached"
        typer.echo(f"The database {reason}; waiting for it", err=True)
