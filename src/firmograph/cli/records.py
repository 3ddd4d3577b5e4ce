"""Command group `firmograph record`: a record with its sources and rows, and splitting wrong merges."""

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from firmograph.cli.context import open_installation
from firmograph.cli.help_texts import examples
from firmograph.cli.output import Column, Details, json_text, note, plural, print_json, write_table
from firmograph.kit.errors import Refused

if TYPE_CHECKING:
    from firmograph.ingest.merging.split import RowView
    from firmograph.record_export.native import RecordValue

app = typer.Typer(
    no_args_is_help=True, help="Show a record with the source of each value; split wrongly merged ones."
)

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
    """Show a merged record with the source and day of each value, and the rows that it was merged from.

    The rows come with their matching keys. A key shared by rows of different people or companies explains why they
    became one record; `record split` separates them. On a pipe, the rows alone are printed.
    """
    from firmograph.ingest.merging.split import RecordSplitter
    from firmograph.record_export.native import record_values
    from firmograph.record_export.service import RecordExport

    installation = open_installation()
    record = installation.get(RecordSplitter).show(id)
    exported = installation.get(RecordExport).one(record.entity, record.number)
    if exported is None:
        raise Refused("The record was deleted just now")
    values = list(record_values(exported))
    if as_json:
        print_json(
            {
                "id": record.id,
                "kind": record.entity.singular,
                "values": [_value_json(each) for each in values],
                "rows": [_row_json(each) for each in record.rows],
            }
        )
        return
    count = len(record.rows)
    note(f"{record.entity.singular.capitalize()} {record.id}: {count} {plural(count, 'row')}")
    if sys.stdout.isatty():
        write_table(values, _VALUES)
        typer.echo()
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
    from firmograph.ingest.merging.split import RecordSplitter

    done = open_installation().get(RecordSplitter).split(id, rows)
    if as_json:
        print_json(
            {
                "kind": done.entity.singular,
                "old": {"id": done.old_id, "rows": done.kept},
                "new": {"id": done.new_id, "rows": done.moved},
                "contacts": done.contacts,
            }
        )
        return
    typer.echo(f"Moved {', '.join(done.moved)} to the new {done.entity.singular} {done.new_id}")
    typer.echo(f"{done.old_id} keeps {', '.join(done.kept)}")
    if done.contacts:
        typer.echo(f"{done.contacts} {plural(done.contacts, 'contact')} moved to the new company")


def _row_json(row: "RowView") -> Mapping[str, object]:
    return {
        "row": row.name(),
        "source": row.source,
        "sourceId": row.source_id,
        "day": row.day,
        "keys": [{"kind": key.kind, "value": key.value} for key in row.keys],
        "versions": row.versions,
    }


def _value_json(each: "RecordValue") -> Mapping[str, object]:
    origin = each.origin
    return {
        "path": each.path,
        "value": each.value,
        "source": origin and origin.source,
        "day": origin and origin.day,
    }


def _value_text(each: "RecordValue") -> str:
    value = each.value
    if isinstance(value, list):
        return "; ".join(map(str, value))
    return value if isinstance(value, str) else json_text(value)


_VALUES: Final[Sequence[Column["RecordValue"]]] = (
    Column("FIELD", lambda each: each.path, whole=True),
    Column("VALUE", _value_text),
    Column("SOURCE", lambda each: each.origin and (each.origin.source or "other records")),
    Column("DAY", lambda each: each.origin and each.origin.day, 1, whole=True),
)
_COLUMNS: Final[Sequence[Column["RowView"]]] = (
    Column("ROW", lambda row: row.name() if row.source else f"{row.name()} (from other records)", whole=True),
    Column("DAY", lambda row: row.day, 1, whole=True),
    Column("VERSIONS", lambda row: row.versions, 2),
)
_KEYS: Final[Details["RowView"]] = Details(
    "KEYS", lambda row: [f"{key.kind} {key.value}" for key in row.keys] or ["no keys"]
)
