"""Command `firmograph privacy retention` (docs/reference/retention.md)."""

from typing import Annotated

import typer

from firmograph.kit.errors import Refused

DryRun = Annotated[bool, typer.Option("--dry-run", help="Change nothing; count the contacts by source.")]
Days = Annotated[
    int, typer.Option("--days", metavar="N", min=0, help="With --dry-run: other days than the setting.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def retention(dry_run: DryRun = False, days: Days = 0, json: Json = False) -> None:
    """Remove contacts that all their sources have left unseen for the days of the setting.

    A source leaves unseen what an import with --complete lacks. The worker does the same every day. Contacts go as by
    the removal of a source: a later import brings them back as new records.
    """
    from firmograph.cli.context import clear_remains, open_installation
    from firmograph.cli.import_run import print_waiting
    from firmograph.cli.output import Column, plural, print_json, write_table
    from firmograph.cli.sentences import say
    from firmograph.ingest.retention import Retention

    if days and not dry_run:
        raise Refused("--days goes with --dry-run; set FIRMOGRAPH_RETENTION_CONTACT_DAYS to remove contacts")
    installation = open_installation()
    service = installation.get(Retention)
    if dry_run:
        found = service.preview(days)
        if json:
            print_json(found._asdict())
            return
        say(f"{found.contacts:,} {plural(found.contacts, 'contact')} would be removed.")
        columns: list[Column[tuple[str, int]]] = [
            Column("SOURCE", lambda one: one[0]),
            Column("CONTACTS", lambda one: one[1]),
        ]
        if found.sources:
            write_table(list(found.sources.items()), columns)
        return
    removed = service.remove(print_waiting)
    erased = clear_remains(installation.database)
    if json:
        print_json({"contactsRemoved": removed, **erased})
    else:
        say(f"{removed:,} {plural(removed, 'contact')} removed.")
