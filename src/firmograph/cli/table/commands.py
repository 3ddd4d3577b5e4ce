"""Commands `firmograph table`.

See docs/tables.md.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.losses import EXIT_CODES, exit_if_lost
from firmograph.cli.output import Ids, hint, note, print_json
from firmograph.cli.prospect.options import Raw
from firmograph.cli.table.columns import column_app
from firmograph.cli.table.options import (
    NOBODY,
    AccountOption,
    Json,
    OpenTable,
    TableArgument,
    open_table,
    open_tables,
)
from firmograph.cli.table.runs import register_runs

if TYPE_CHECKING:
    from firmograph.installation import Installation
    from firmograph.record_tables.answers import TableStatus
    from firmograph.record_tables.export.layout import ExportRow
    from firmograph.record_tables.export.table_export import TableContent
    from firmograph.security.record_ids import Entity

app = typer.Typer(
    no_args_is_help=True, help="Tables of contacts or companies, whose columns are filled and exported."
)
app.add_typer(column_app, name="column")


class EntityType(StrEnum):
    CONTACTS = "contacts"
    COMPANIES = "companies"


class FileFormat(StrEnum):
    CSV = "csv"
    PARQUET = "parquet"
    JSONL = "jsonl"


_CREATE_EXAMPLES = examples(
    'firmograph table create "Spring campaign" --account acme --owner dana@acme.example --entity contacts --shared',
)
_ADD_EXAMPLES = examples(
    "firmograph table add 4710021 people.csv",
    'firmograph table add "Spring campaign" --account acme crm-export.xlsx --rejects not-found.jsonl',
    after=EXIT_CODES,
)
_EXPORT_EXAMPLES = examples(
    "firmograph table export 4710021 campaign.csv --status",
    "firmograph table export 4710021 campaign.parquet",
    "firmograph table export 4710021 - --format jsonl | jq .id",
)


@app.command(epilog=_CREATE_EXAMPLES)
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name, unique among the owner's tables.")],
    account: Annotated[str, typer.Option("--account", metavar="NAME", help="Account, by name or id.")],
    owner: Annotated[str, typer.Option(metavar="EMAIL", help="User of the account who owns the table.")],
    entity: Annotated[EntityType, typer.Option(help="What the rows are.")],
    shared: Annotated[bool, typer.Option("--shared", help="Show it to all users of the account.")] = False,
    json: Json = False,
) -> None:
    """Create an empty table with the default columns."""
    from firmograph.cli.table.output import print_status
    from firmograph.security.record_ids import Entity

    kind = Entity.CONTACT if entity is EntityType.CONTACTS else Entity.COMPANY
    with open_tables() as installation:
        status = _create(installation, account, owner, kind, name, shared=shared)
    if json:
        print_json(status)
    else:
        print_status(status)
        hint(f"Add rows with: firmograph table add {status.table_id} FILE")


def _create(
    installation: "Installation", account: str, email: str, entity: "Entity", name: str, *, shared: bool
) -> "TableStatus":
    """Create a table for a user of the account. Raises Refused, and Forbidden at the account's maximum."""
    from firmograph.cli.context import operator_request
    from firmograph.kit.errors import BadRequest, Refused
    from firmograph.record_tables import shapes
    from firmograph.record_tables.creation import TableCreation

    try:
        trimmed = shapes.trim_name(msgspec.convert(name, shapes.TableName))
    except (msgspec.ValidationError, BadRequest):
        raise Refused("A table's name has 1 to 255 characters once trimmed, and no line break") from None
    visibility: shapes.Visibility = "shared" if shared else "private"
    body = shapes.CreateTable(owner=shapes.ActingUser(email), name=trimmed, visibility=visibility)
    with _refusals(email, entity, lambda: trimmed):
        request = operator_request(installation, account)
        return installation.get(TableCreation).create(request, body, entity).content


@contextmanager
def _refusals(email: str, entity: "Entity", name_of: "Callable[[], str]") -> "Iterator[None]":
    """Refuse an unknown owner, and a name that the owner's tables have already, as commands do."""
    from firmograph.kit.errors import BadRequest, Conflict, Refused
    from firmograph.record_tables.types import ENTITY_TYPES

    try:
        yield
    except BadRequest:
        raise Refused(
            f"{email} is no user of the account; see `firmograph user list`, or add it with `firmograph user add`"
        ) from None
    except Conflict:
        owner, kind = email.strip().lower(), ENTITY_TYPES[entity]
        raise Refused(
            f"{owner} has another table of {kind} named {name_of()!r}; rename one of them"
        ) from None


@app.command("list", epilog=examples("firmograph table list --account acme"))
def list_tables(
    account: Annotated[str, typer.Option("--account", metavar="NAME", help="Account, by name or id.")],
    json: Json = False,
) -> None:
    """List all tables of an account, newest first, private and archived ones too."""
    from firmograph.cli.context import operator_request
    from firmograph.cli.table.output import print_tables
    from firmograph.record_tables.service import Tables

    with open_tables() as installation:
        tables = installation.get(Tables).every_table(operator_request(installation, account))
    if json:
        print_json({"tables": tables})
        return
    print_tables(tables)
    if not tables:
        hint(
            "Create one with: firmograph table create NAME --account ACCOUNT --owner EMAIL --entity contacts"
        )


@app.command(
    epilog=examples(
        "firmograph table show 4710021 --rows 50", 'firmograph table show "Spring campaign" --account acme'
    )
)
def show(
    table: TableArgument,
    account: AccountOption = None,
    rows: Annotated[
        int, typer.Option(min=0, max=50_000, metavar="N", help="Rows to show, from the first.")
    ] = 10,
    ids: Ids = False,
    json: Json = False,
) -> None:
    """Show a table with its columns and first rows. Free. On a pipe, the rows alone."""
    from firmograph.cli.table.output import print_content, print_status, rows_json

    with open_table(table, account) as opened:
        status = opened.status()
        content = _content(opened)
        first = list(islice(content.rows, rows))
    if json:
        print_json({"table": status, "rows": rows_json(content.columns, first)})
        return
    if sys.stdout.isatty():
        print_status(status, ids=ids)
        typer.echo()
    print_content([column.name for column in content.columns], first, ids=ids)
    if status.entity_count > len(first):
        note(
            f"{len(first):,} of {status.entity_count:,} rows",
            f"--rows shows more, and all are written by: firmograph table export {status.table_id} FILE",
        )


@app.command(epilog=_ADD_EXAMPLES)
def add(
    table: TableArgument,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV, JSON Lines, Parquet or Excel; gzip and ZIP too.")
    ],
    account: AccountOption = None,
    rejects: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Lines without a record, with the reason.  [default: FILE.rejects.jsonl]"
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Add records by id, domain, LinkedIn URL, e-mail, or name and company, as search finds them.

    Companies cost their base price once; contacts are free. The same file can be added again after an interruption.
    """
    from firmograph.cli.import_run import (
        FileForm,
        form_json,
        print_changed_lines,
        print_unknown,
        print_unread,
    )
    from firmograph.cli.progress import byte_progress
    from firmograph.cli.table.addition import add_file
    from firmograph.ingest.rejects import RejectsFile, default_rejects_path

    with open_table(table, account) as opened, byte_progress() as begin:
        rejects_file = RejectsFile(rejects or default_rejects_path(file))
        total = add_file(opened, file, rejects_file, begin(file.name))
    where = rejects_file.path if rejects_file.written else None
    unread = total.counts.unread
    changed = {"repaired": total.counts.repaired, "skipped": total.counts.skipped}
    if json:
        print_json(
            {
                "added": total.added,
                "alreadyPresent": total.present,
                "rejected": total.rejected,
                "rejects": str(where) if where else None,
                "creditsCharged": total.credits,
                "unread": msgspec.to_builtins(unread),
                **{name: msgspec.to_builtins(lines) for name, lines in changed.items()},
                "unknown": total.counts.unknown,
                **form_json([FileForm(total.encoding, total.delimiter)]),
            }
        )
    else:
        not_found = f", {total.rejected:,} not found (see {where})" if total.rejected else ""
        typer.echo(
            f"{total.added:,} rows added, {total.present:,} already there{not_found}; {total.credits:,} credits"
        )
        print_unread(unread)
        print_changed_lines(changed)
        print_unknown(total.counts.unknown)
    exit_if_lost(total.lost, total.counts.count_unread())


@app.command(epilog=examples("firmograph table give 4710021 erin@acme.example"))
def give(
    table: TableArgument,
    email: Annotated[str, typer.Argument(metavar="EMAIL", help="User of the account who becomes the owner.")],
    account: AccountOption = None,
    json: Json = False,
) -> None:
    """Make another user of the account the owner of a table."""
    from firmograph.record_tables.service import Tables

    with open_table(table, account) as opened:
        given = opened.table
        with _refusals(email, given.entity, lambda: opened.status().name):
            status = opened.installation.get(Tables).give(opened.request, given.entity, given.table_id, email)
    if json:
        print_json(status)
    else:
        typer.echo(f"{status.owner.email} now owns the table {status.name!r}")


@app.command(epilog=examples("firmograph table delete 4710021 --yes"))
def delete(
    table: TableArgument,
    account: AccountOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Delete a table with its rows and cells, and end its runs. Records and ledger stay."""
    from firmograph.record_tables.service import Tables

    with open_table(table, account) as opened:
        status = opened.status()
        if not yes:
            typer.confirm(
                f"Delete {status.name!r} with {status.entity_count:,} rows and {status.column_count} columns?",
                abort=True,
                err=True,
            )
        given = opened.table
        opened.installation.get(Tables).delete(opened.request, given.entity, given.table_id, NOBODY)
    if json:
        print_json({"tableId": status.table_id, "status": "deleted"})
    else:
        typer.echo(f"Deleted {status.name!r}; a worker frees its space")


@app.command(epilog=_EXPORT_EXAMPLES)
def export(
    table: TableArgument,
    file: Annotated[str, typer.Argument(metavar="FILE", help="File to write; - for standard output.")],
    account: AccountOption = None,
    format: Annotated[
        FileFormat | None, typer.Option("--format", help="Format; by default that of the file's name.")
    ] = None,
    status: Annotated[
        bool, typer.Option("--status", help="Add a column with the status of each cell.")
    ] = False,
    raw: Raw = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Write every row of a table to a file. Free; the file is there only once it is whole."""
    from firmograph.cli.table.output import choose_format, open_file
    from firmograph.record_tables.export.formats import ExportFormat, write_rows
    from firmograph.record_tables.export.layout import ExportLayout

    chosen = choose_format(file, None if format is None else ExportFormat(format.value))
    with open_table(table, account) as opened:
        content = _content(opened)
        counted = _Counted(content.rows, content.row_count)
        with open_file(file, replace=force) as out:
            layout = ExportLayout(content.columns, with_status=status)
            write_rows(out, chosen, layout, counted, raw=raw)
    typer.echo(f"{counted.number:,} rows written{'' if file == '-' else f' to {file}'}", err=True)


class _Counted:
    """Rows, counted and shown by a progress bar as they go."""

    def __init__(self, rows: "Iterator[ExportRow]", total: int) -> None:
        self._rows = rows
        self._total = total
        self.number = 0

    def __iter__(self) -> "Iterator[ExportRow]":
        from firmograph.cli.progress import count_progress

        with count_progress("Rows") as report:
            for row in self._rows:
                self.number += 1
                if self.number % 100 == 0 or self.number >= self._total:
                    report(self.number, max(self._total, self.number))
                yield row


def _content(opened: OpenTable) -> "TableContent":
    from firmograph.record_tables.export.table_export import TableExport

    return opened.installation.get(TableExport).open(opened.table.account_id, opened.table.number)


register_runs(app)
