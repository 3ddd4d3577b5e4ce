"""Arguments and options that commands of tables share, and what they open."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

if TYPE_CHECKING:
    from firmograph.installation import Installation
    from firmograph.record_tables.operator_actions.column_actions import ColumnActions
    from firmograph.record_tables.operator_actions.table_actions import TableActions, TableRef

TableArgument = Annotated[
    str, typer.Argument(metavar="TABLE", help="Id of the table; with --account its name will do.")
]
AccountOption = Annotated[
    str | None, typer.Option("--account", metavar="NAME", help="Account of the table, by name or id.")
]
ColumnArgument = Annotated[
    str, typer.Argument(metavar="COLUMN", help="Key, name or id of the column, as `table show` lists them.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


class OpenTable(NamedTuple):
    """Table that a command was given, with what changes and reads it."""

    installation: "Installation"
    actions: "TableActions"
    ref: "TableRef"

    @property
    def columns(self) -> "ColumnActions":
        from firmograph.record_tables.operator_actions.column_actions import ColumnActions

        return self.installation.get(ColumnActions)


@contextmanager
def open_actions() -> "Iterator[tuple[Installation, TableActions]]":
    """Yield the installation and its operator actions; an interrupt is refused in one line."""
    from firmograph.cli.context import open_installation
    from firmograph.kit.errors import Refused
    from firmograph.record_tables.operator_actions.table_actions import TableActions

    installation = open_installation()
    try:
        yield installation, installation.get(TableActions)
    except KeyboardInterrupt:
        raise Refused("Interrupted; what was done before stays") from None
    finally:
        installation.database.close()


@contextmanager
def open_table(table: str, account: str | None) -> Iterator[OpenTable]:
    """Yield a table by id, or by name with its account. Raises Refused if there is no such table."""
    with open_actions() as (installation, actions):
        yield OpenTable(installation, actions, actions.find(table, account))
