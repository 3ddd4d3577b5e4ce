"""Command `firmograph status`: records, conversations, indexes, imports, background work and disk."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from firmograph import __version__
from firmograph.cli.context import open_installation
from firmograph.cli.help_texts import examples
from firmograph.cli.output import plural, print_json, write_fields
from firmograph.cli.sentences import stubs_text
from firmograph.kit.clock import iso
from firmograph.security.record_ids import Entity

if TYPE_CHECKING:
    from firmograph.installation import Installation

app = typer.Typer()

_IMPORTS: Final = 5
"""Imports shown, the newest."""
_STATES: Final = {
    "working": "working",
    "idle": "nothing is due",
    "stopped": "no worker runs; start `firmograph serve` or `firmograph worker`",
    "never": "has not run yet; `firmograph serve` and `firmograph worker` do it",
}
_FIELDS: Final = {
    "jobTitle": "job title",
    "linkedin": "LinkedIn",
    "emails": "e-mail",
    "phones": "phone",
    "employeeCount": "employees",
    "revenueRange": "revenue",
}
_UNITS: Final = ("bytes", "kB", "MB", "GB", "TB")


@app.command(epilog=examples("firmograph status", "firmograph status --json | jq .contacts.records"))
def status(
    exact: Annotated[
        bool, typer.Option("--exact", help="Count all records, also where an estimate takes much less time.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show records, conversations, indexes, last imports, background work and disk.

    Of more than 50,000 contacts or companies the numbers and shares are estimated from a sample of that size.
    """
    installation = open_installation()
    try:
        found = _status(installation, exact=exact)
    finally:
        installation.database.close()
    if json:
        print_json(found)
    else:
        write_fields(_lines(found))


def _status(installation: "Installation", *, exact: bool) -> Mapping[str, Any]:
    from firmograph.conversations.administration import ConversationAdministration
    from firmograph.database.schema import held_revision
    from firmograph.directory.survey import survey_records
    from firmograph.indexing.checkpoints import stored_indexes
    from firmograph.ingest.imports.runs import ImportRuns
    from firmograph.jobs.scheduler import work_state

    database, now = installation.database, installation.clock.seconds()
    surveys = [survey_records(database, entity, exact=exact) for entity in Entity]
    work = work_state(database.session(), now)
    conversations, waiting = installation.get(ConversationAdministration).count_all()
    folder = Path(database.path).resolve().parent if database.embedded else None
    return {
        "release": __version__,
        "database": {
            "name": str(Path(database.path).resolve()) if database.embedded else database.name,
            "schema": held_revision(database),
            "bytes": database.size(),
            "freeBytes": shutil.disk_usage(folder).free if folder else None,
        },
        **{
            each.entity.plural: {
                "records": each.records,
                "stubs": each.stubs,
                "estimated": each.is_estimate,
                "bySource": each.by_source,
                "filled": {name: round(share, 4) for name, share in each.filled.items()},
            }
            for each in surveys
        },
        "conversations": {"total": conversations, "waitingForAnalysis": waiting},
        "indexes": [
            {
                "name": each.name,
                "path": str(each.path),
                "bytes": each.bytes,
                "behind": each.behind,
                "writtenAt": iso(each.written_at),
            }
            for each in stored_indexes(database, installation.settings.search_folder)
        ],
        "worker": {"state": work.state, "lastAt": None if work.last_at is None else iso(work.last_at)},
        "imports": [
            {
                "id": each.id,
                "kind": each.kind,
                "source": each.source,
                "file": each.file,
                "state": each.state_at(now),
                "startedAt": iso(each.started_at),
            }
            for each in installation.get(ImportRuns).all()[: -_IMPORTS - 1 : -1]
        ],
    }


def _lines(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    database = found["database"]
    free = database["freeBytes"]
    yield "Release", f"{found['release']}, schema {database['schema']}"
    yield "Database", database["name"]
    yield "Disk", _size(database["bytes"]) + ("" if free is None else f", {_size(free)} free")
    for entity in Entity:
        kind = found[entity.plural]
        about = "about " if kind["estimated"] else ""
        yield entity.plural.capitalize(), f"{about}{kind['records']:,}{stubs_text(kind['stubs'])}"
        yield "  by source", ", ".join(f"{name} {count:,}" for name, count in kind["bySource"].items())
        if kind["records"]:
            yield (
                "  filled",
                ", ".join(f"{_FIELDS.get(name, name)} {share:.0%}" for name, share in kind["filled"].items()),
            )
    if total := found["conversations"]["total"]:
        waiting = found["conversations"]["waitingForAnalysis"]
        yield "Conversations", f"{total:,}" + (f", {waiting:,} wait for an analysis" if waiting else "")
    for index in found["indexes"]:
        behind = index["behind"]
        state = f"{behind:,} {plural(behind, 'change')} behind" if behind else "up to date"
        yield (
            f"Index {index['name']}",
            f"{state}, {_size(index['bytes'])}, written {_minute(index['writtenAt'])}",
        )
    if not found["indexes"]:
        yield "Indexes", "none yet; made by the first search or server, or by `firmograph index`"
    last = found["worker"]["lastAt"]
    yield "Worker", _STATES[found["worker"]["state"]] + (f"; last job done {_minute(last)}" if last else "")
    for each in found["imports"]:
        yield (
            f"Import {each['id']}",
            f"{each['kind']} of {each['source']} from {each['file']}, {each['state']},"
            f" {_minute(each['startedAt'])}",
        )
    if not found["imports"]:
        yield "Imports", "none yet"


def _minute(at: str) -> str:
    return at[:16].replace("T", " ")


def _size(count: float) -> str:
    for unit in _UNITS:
        if count < 1000 or unit == _UNITS[-1]:
            break
        count /= 1000
    return f"{count:.0f} {unit}" if unit == _UNITS[0] else f"{count:.1f} {unit}"
