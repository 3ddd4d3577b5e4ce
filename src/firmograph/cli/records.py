"""Command group `firmograph record`: rows of a record, and splitting wrong merges."""

from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from firmograph.cli.context import open_installation
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


@app.command()
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
    typer.echo(f"{record.entity.name.capitalize()} {record.id}: {count} row{'' if count == 1 else 's'}")
    for line in _table(record.rows):
        typer.echo(line)


@app.command()
def split(id: Id, rows: Moved, as_json: Json = False) -> None:
    """Move wrongly merged rows of a record to a new record.

    Their keys move along, and so do contacts that refer to a company by these keys. Payments, signals, subscriptions
    and suppression stay with the old record. The split is permanent: importing the same files again keeps the two
    records apart. To split two people of one record:

      firmograph record show v1.AbC...

      firmograph record split v1.AbC... --row crm/17 --row fair/
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
        typer.echo(f"{done.contacts} contact{'' if done.contacts == 1 else 's'} moved to the new company")


def _records() -> "RecordSplitter":
    from firmograph.ingest.merging.split import RecordSplitter
    from firmograph.kit.logs import set_up_logs

    settings = load_settings()
    set_up_logs(settings.log_level)
    return open_installation(settings).get(RecordSplitter)


def _table(rows: "list[RowView]") -> list[str]:
    """Return the rows as columns, each further key on a line of its own."""
    lines = [("row", "day", "versions", "keys")]
    for row in rows:
        keys = [f"{key.kind} {key.value}" for key in row.keys] or ["none"]
        name = row.name() if row.source else f"{row.name()} (from other records)"
        lines.append((name, row.day, str(row.versions), keys[0]))
        lines += [("", "", "", key) for key in keys[1:]]
    widths = [max(len(line[column]) for line in lines) for column in range(3)]
    return [
        "  ".join([*(cell.ljust(width) for cell, width in zip(line, widths, strict=False)), line[3]])
        for line in lines
    ]
