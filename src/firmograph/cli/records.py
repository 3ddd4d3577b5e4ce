"""Command group `firmograph record`: rows of a record, and splitting wrong merges."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from firmograph.cli.context import open_installation
from firmograph.cli.help_texts import examples
from firmograph.cli.output import Column, Details, note, plural, write_table
from firmograph.settings import load_settings

if TYPE_CHECKING:
    from firmograph.ingest.merging.split import RecordSplitter, RowView

app = typer.Typer(no_args_is_help=True, help="Show a record's rows; split wrongly merged records.")

Id = Annotated[str, typer.Argument(metavar="ID", help="Record id of a contact or company in API responses.")]
Moved = Annotated[
    list[str],
    typer.Option(
        "--row",
        metavar="SOURCE/SOURCEID",
        help="A row to move, as shown by `record show`; repeatable. A row without a sourceId is `SOURCE/`.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command(epilog=examples("firmograph record show v1.aW7V1e0LcKfGrXFlfjOyGEDe_6t-e5Sk"))
def show(id: Id, as_json: Json = False) -> None:
    """List the rows that a record was merged from, with their matching keys.

    A key shared by rows of different people or companies explains why they became one record; `record split` separates
    them.
    """
    record = _records().show(id)
    if as_json:
        rows = [
            {
                "row": row.name(),
                "source": row.source,
                "sourceId": row.source_id,
                "day": row.day,
                "keys": [{"kind": key.kind, "value": key.value} for key in row.keys],
                "versions": row.versions,
            }
            for row in record.rows
        ]
        typer.echo(msgspec.json.encode({"id": record.id, "kind": record.entity.name.lower(), "rows": rows}))
        return
    count = len(record.rows)
    note(f"{record.entity.name.capitalize()} {record.id}: {count} {plural(count, 'row')}")
    write_table(record.rows, _COLUMNS, details=_KEYS)


@app.command(
    epilog=examples("firmograph record split v1.aW7V1e0LcKfGrXFlfjOyGEDe_6t-e5Sk --row crm/17 --row fair/")
)
def split(id: Id, rows: Moved, as_json: Json = False) -> None:
    """Move wrongly merged rows of a record to a new record.

    Their keys move along, and so do contacts that refer to a company by these keys. Payments, signals, subscriptions
    and suppression stay with the old record. The split is permanent: importing the same files again keeps the two
    records apart.
    """
    done = _records().split(id, rows)
    if as_json:
        typer.echo(
            msgspec.json.encode(
                {
                    "kind": done.entity.name.lower(),
                    "old": {"id": done.old_id, "rows": done.kept},
                    "new": {"id": done.new_id, "rows": done.moved},
                    "contacts": done.contacts,
                }
            )
        )
        return
    typer.echo(f"Moved {', '.join(done.moved)} to the new {done.entity.name.lower()} {done.new_id}")
    typer.echo(f"{done.old_id} keeps {', '.join(done.kept)}")
    if done.contacts:
        typer.echo(f"{done.contacts} {plural(done.contacts, 'contact')} moved to the new company")


def _records() -> "RecordSplitter":
    from firmograph.ingest.merging.split import RecordSplitter
    from firmograph.kit.logs import set_up_logs

    settings = load_settings()
    set_up_logs(settings.log_level)
    return open_installation(settings).get(RecordSplitter)


_COLUMNS: Final[Sequence[Column["RowView"]]] = (
    Column("ROW", lambda row: row.name() if row.source else f"{row.name()} (from other records)", whole=True),
    Column("DAY", lambda row: row.day, 1, whole=True),
    Column("VERSIONS", lambda row: row.versions, 2),
)
_KEYS: Final[Details["RowView"]] = Details(
    "KEYS", lambda row: [f"{key.kind} {key.value}" for key in row.keys] or ["no keys"]
)
