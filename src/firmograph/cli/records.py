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
    from firmograph.installation import Installation
    from firmograph.record_export.native import RecordValue

app = typer.Typer(
    no_args_is_help=True, help="Show a record with the source of each value; split wrongly merged ones."
)

Id = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="Record id, or an e-mail, LinkedIn URL or domain of the contact or company.",
    ),
]
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
    from firmograph.record_export.origins import RecordOrigins

    installation = open_installation()
    record, values = installation.get(RecordOrigins).show(_find_id(installation, id))
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

    installation = open_installation()
    done = installation.get(RecordSplitter).split(_find_id(installation, id), rows)
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


def _find_id(installation: "Installation", text: str) -> str:
    """Return the id of the record with an e-mail, LinkedIn URL or domain; an id as it is.

    Raises Refused if no record, or no single one, has it.
    """
    from firmograph.directory.lookup.record_lookup import RecordLookup
    from firmograph.kit.errors import BadRequest
    from firmograph.security.record_ids import Entity, is_record_token

    if is_record_token(text) or text.isdigit():
        return text
    lookup = installation.get(RecordLookup)
    queries = lookup.queries
    is_page = "linkedin.com/" in text.lower()
    is_person = "/in/" in text.lower() if is_page else "@" in text
    entity = Entity.CONTACT if is_person else Entity.COMPANY
    number = None
    try:
        with installation.database.read() as session:
            if is_person:
                query = queries.contact((), linkedin_url=text) if is_page else queries.contact((), email=text)
                hit = lookup.contacts(session, [query])[0]
                if hit.restricted:
                    raise Refused(f"The person with {text} is suppressed, so there is no record")
                number = hit.contact.number if hit.contact else None
            else:
                named = (
                    queries.company((), linkedin_url=text) if is_page else queries.company((), domain=text)
                )
                company = lookup.companies(session, [named])[0]
                number = company.number if company else None
    except BadRequest:
        raise Refused(f"{text!r} is no record id, e-mail, LinkedIn URL or domain") from None
    if number is None:
        raise Refused(
            f"No single {entity.singular} has {text!r}; find it with `firmograph prospect {entity.plural} --ids`, and"
            " give its id"
        )
    return installation.record_ids.seal(entity, number)


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
    Column("FIELD", lambda each: each.path, least=20, ends=True),
    Column("VALUE", _value_text, least=20),
    Column("SOURCE", lambda each: each.origin and (each.origin.source or "other records"), least=9),
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
