"""Arguments and options that commands of tables share, and what they open."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

if TYPE_CHECKING:
    from firmograph.caller import Request
    from firmograph.installation import Installation
    from firmograph.record_tables.access import GivenTable
    from firmograph.record_tables.answers import TableStatus
    from firmograph.record_tables.runs.service import TableRuns
    from firmograph.record_tables.types import TableColumn

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


NOBODY: Final = ""
"""Address of no user: the operator acts."""


class OpenTable(NamedTuple):
    """Table that a command was given, and the operator's request to its services."""

    installation: "Installation"
    request: "Request"
    table: "GivenTable"

    def status(self) -> "TableStatus":
        from firmograph.record_tables.service import Tables

        table = self.table
        return self.installation.get(Tables).get_status(self.request, table.entity, table.table_id, NOBODY)

    def column(self, text: str) -> "TableColumn":
        """Return the column of an id, key or name. Raises Refused."""
        from firmograph.record_tables.given_names import GivenNames

        return self.installation.get(GivenNames).find_column(self.table, text)

    def column_id(self, number: int) -> str:
        """Return the public id of a column."""
        from firmograph.record_tables.ids import TableIds

        return self.installation.get(TableIds).column_id(number)

    @property
    def runs(self) -> "TableRuns":
        from firmograph.record_tables.runs.service import TableRuns

        return self.installation.get(TableRuns)


@contextmanager
def open_tables() -> "Iterator[Installation]":
    """Yield the installation; an interrupt is refused in one line."""
    from firmograph.cli.context import open_installation
    from firmograph.kit.errors import Refused

    installation = open_installation()
    try:
        yield installation
    except KeyboardInterrupt:
        raise Refused("Interrupted; what was done before stays") from None
    finally:
        installation.database.close()


@contextmanager
def open_table(table: str, account: str | None) -> Iterator[OpenTable]:
    """Yield a table by id, or by name with its account. Raises Refused if there is no such table."""
    from firmograph.cli.context import operator_request
    from firmograph.record_tables.given_names import GivenNames

    with open_tables() as installation:
        given = installation.get(GivenNames).find_table(table, account)
        yield OpenTable(installation, operator_request(installation, str(given.account_id)), given)
