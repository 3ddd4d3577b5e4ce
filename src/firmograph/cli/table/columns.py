"""Commands `firmograph table column add|remove`."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.table.options import (
    NOBODY,
    AccountOption,
    ColumnArgument,
    Json,
    TableArgument,
    open_table,
)

if TYPE_CHECKING:
    from firmograph.record_tables.columns.store import NewColumn
    from firmograph.security.record_ids import Entity

column_app = typer.Typer(no_args_is_help=True, help="Add and remove columns of a table.")

_ADD_EXAMPLES = examples(
    "firmograph table column add 4710021 workEmail seniority",
    "firmograph table column add 4710021 --signals promotion,companyChange --since 2026-01-01",
    "firmograph table column add 4710021 --score",
)


@column_app.command(epilog=_ADD_EXAMPLES)
def add(
    table: TableArgument,
    keys: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY", help="Keys of the catalog (docs/reference/tables.md)."),
    ] = None,
    account: AccountOption = None,
    signals: Annotated[
        str | None,
        typer.Option(
            metavar="TYPES", help="Add one column of signals of these types, by commas; allSignals for all."
        ),
    ] = None,
    since: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], metavar="DAY", help="First day of the signals.")
    ] = None,
    score: Annotated[bool, typer.Option("--score", help="Add a column of signal scores.")] = False,
    json: Json = False,
) -> None:
    """Add columns; a worker fills them for all rows, for credits. A column that is there stays as it is."""
    from firmograph.cli.output import note, print_json
    from firmograph.cli.table.output import print_columns
    from firmograph.record_tables.column_calls.calls import AskedColumn, ColumnCalls

    if not (keys or signals or score):
        raise typer.BadParameter("give keys of the catalog, --signals TYPES or --score", param_hint="KEY")
    if since is not None and not signals:
        raise typer.BadParameter("is for --signals", param_hint="--since")
    start = None if since is None else f"{since:%Y-%m-%d}"
    with open_table(table, account) as opened:
        entity, table_id = opened.table.entity, opened.table.table_id
        news = [*_catalog_columns(entity, keys or ()), *_other_columns(entity, signals, start, score=score)]
        asked = [AskedColumn(str(place), new) for place, new in enumerate(news)]
        calls = opened.installation.get(ColumnCalls)
        added = calls.add(opened.request, asked, entity, table_id, NOBODY).content
        status = opened.status()
        ids = {column.column_id for column in added}
    views = [view for view in status.columns if view.column_id in ids]
    if json:
        print_json({"columns": views})
    else:
        print_columns(views)
        if status.is_processing:
            note("A worker fills them", f"see how far it is with: firmograph table runs {status.table_id}")


def _catalog_columns(entity: "Entity", keys: Sequence[str]) -> "Iterator[NewColumn]":
    """Yield the columns of keys, letter case aside. Raises Refused with the nearest key for an unknown one."""
    from difflib import get_close_matches

    from firmograph.kit.errors import Refused
    from firmograph.record_tables.columns.catalog import DEFAULTS, catalog, new_column

    known = [entry.key for entry in catalog(entity)]
    known += [column.key for column in DEFAULTS[entity] if column.key and column.key not in known]
    by_name = {key.casefold(): key for key in known}
    for given in dict.fromkeys(keys):
        key = by_name.get(given.casefold())
        if key is None:
            near = get_close_matches(given.casefold(), by_name, 1)
            hint = f"did you mean {by_name[near[0]]!r}?" if near else f"choose some of {', '.join(known)}"
            raise Refused(f"The catalog of {entity.plural} has no column {given!r}: {hint}")
        yield new_column(entity, key)


def _other_columns(
    entity: "Entity", signals: str | None, start: str | None, *, score: bool
) -> "Iterator[NewColumn]":
    if signals:
        from firmograph.record_tables.columns.signal_kind import signal_column

        yield signal_column(entity, _signal_types(entity, signals), start)
    if score:
        from firmograph.record_tables.columns.score_kind import score_column

        yield score_column()


def _signal_types(entity: "Entity", given: str) -> list[str]:
    """Return the signal types of a list by commas, letter case aside, all of them for `allSignals`.

    Raises Refused for an unknown one.
    """
    from firmograph.kit.errors import Refused
    from firmograph.signals.filters import TYPES_BY_SPELLING
    from firmograph.signals.types import ALL_SIGNALS, TYPES

    by_name = TYPES_BY_SPELLING[entity]
    found = []
    for text in filter(None, map(str.strip, given.split(","))):
        if text.casefold() not in by_name:
            raise Refused(
                f"No signal type {text!r} of {entity.plural}; choose some of {', '.join(by_name.values())}"
            )
        found.append(by_name[text.casefold()])
    if not found:
        raise typer.BadParameter("names no signal type", param_hint="--signals")
    return list(TYPES[entity]) if ALL_SIGNALS in found else found


@column_app.command(epilog=examples("firmograph table column remove 4710021 seniority"))
def remove(
    table: TableArgument, column: ColumnArgument, account: AccountOption = None, json: Json = False
) -> None:
    """Remove a column with its cells, and end its runs. Default columns stay."""
    from firmograph.cli.output import print_json
    from firmograph.kit.errors import Refused
    from firmograph.record_tables.column_calls.calls import ColumnCalls

    with open_table(table, account) as opened:
        removed, given = opened.column(column), opened.table
        if removed.is_default:
            raise Refused(f"The column {removed.name!r} is a default one, which every table keeps")
        column_id = opened.column_id(removed.id)
        opened.installation.get(ColumnCalls).remove(
            opened.request, given.entity, given.table_id, column_id, NOBODY
        )
    if json:
        print_json({"columnId": column_id, "removed": True})
    else:
        typer.echo(f"Removed {removed.name!r}")
