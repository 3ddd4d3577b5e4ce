"""Command `firmograph privacy drop` (docs/reference/deletion-lists.md)."""

import csv
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firmograph.cli.losses import EXIT_LOST
from firmograph.kit.errors import Refused

if TYPE_CHECKING:
    from firmograph.ingest.deletion_lists.service import AppliedLists, DeletionLists
    from firmograph.privacy.deletion_lists.list_file import DeletionList, ListedHash

Files = Annotated[
    list[Path], typer.Argument(metavar="FILE...", help="ZIP of lists, or CSV with the columns ID and Hash.")
]
Respond = Annotated[
    Path | None,
    typer.Option("--respond", metavar="FILE", help="New CSV with the ID and the status of each identifier."),
]
Shared = Annotated[
    bool, typer.Option("--shared", help="Also opt out the people of an identifier that more than 10 share.")
]
Lift = Annotated[bool, typer.Option("--lift", help="Take the lists back; the data returns with imports.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def drop(
    files: Files, respond: Respond = None, shared: Shared = False, lift: Lift = False, json: Json = False
) -> None:
    """Remove the people on hashed deletion lists, now and from all later imports.

    Hashes are SHA-256 of e-mail addresses or of the last ten digits of telephone numbers, as Base64 or hex. A person
    found by one is removed as by `firmograph suppress`; a hash that matches nobody is kept and compared with each row
    of later imports. Lists of other identifiers in a ZIP are skipped, and a list of removed ones is taken back.
    Statuses of --respond: 3 removed, 4 several people opted out, 5 nobody found.
    """
    from firmograph.cli.context import clear_remains, open_installation
    from firmograph.cli.import_run import print_waiting
    from firmograph.cli.output import print_json
    from firmograph.cli.progress import count_progress
    from firmograph.cli.sentences import say
    from firmograph.ingest.deletion_lists.service import DeletionLists, Observer
    from firmograph.privacy.deletion_lists.list_file import open_lists

    if respond and lift:
        raise Refused("Give either --respond or --lift: lists that are taken back have no statuses")
    if respond and respond.exists():
        raise Refused(f"{respond} exists; name a new file")
    lists = [each for path in files for each in open_lists(path)]
    for each in lists:
        if not each.is_read:
            say(f"{each.name}: skipped, as no record has identifiers of its kind", err=True)
    if respond:
        _check_ids(lists)
    installation = open_installation(creates=True)
    service = installation.get(DeletionLists)
    try:
        with count_progress("Matching contacts") as report:
            applied = service.apply(lists, shared=shared, lift=lift, observer=Observer(print_waiting, report))
    except KeyboardInterrupt:
        raise Refused("Interrupted; run the same command again to finish it") from None
    if respond:
        _respond(service, lists, respond)
    erased = clear_remains(installation.database)
    if json:
        print_json({**applied._asdict(), **erased})
    else:
        say(_text(applied))
    if applied.shared:
        say(
            f"Nothing was done for {applied.shared:,} identifiers that more than 10 people share, such as the number of"
            " a switchboard; --shared opts all of them out",
            err=True,
        )
        raise typer.Exit(EXIT_LOST)


def _check_ids(lists: "Sequence[DeletionList]") -> None:
    """Raise Refused for a list without ids."""
    for each in lists:
        if each.is_read and not each.is_withdrawn and any(not row.id for row in _first(each)):
            raise Refused(
                f"{each.name} has no column ID, so there is nothing to respond to; leave --respond out"
            )


def _first(each: "DeletionList") -> "Sequence[ListedHash]":
    return list(islice(each.rows(), 1))


def _respond(service: "DeletionLists", lists: "Sequence[DeletionList]", file: Path) -> None:
    """Write the status of each identifier."""
    from firmograph.kit.atomic_files import atomic_write
    from firmograph.kit.machine_errors import refuse_machine_errors

    with (
        refuse_machine_errors(f"{file} cannot be written"),
        atomic_write(file, replace=False) as draft,
        draft.open("w", newline="") as out,
    ):
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("ID", "Status"))
        for each in lists:
            if each.is_read and not each.is_withdrawn:
                writer.writerows((id, int(status)) for id, status in service.answers(each.rows()))


def _text(applied: "AppliedLists") -> str:
    from firmograph.cli.output import plural

    found = f"{applied.hashes:,} {plural(applied.hashes, 'hash', 'hashes')} read; {applied.matched:,} matched"
    removed = f"{applied.records:,} {plural(applied.records, 'record')} removed"
    return f"{found}, {removed}; {applied.lifted:,} taken back."
