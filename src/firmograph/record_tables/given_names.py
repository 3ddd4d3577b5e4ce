"""Tables and columns as an operator names them: by id, name or key."""

from typing import NamedTuple

from firmograph.accounts.lookup import find_account
from firmograph.database.connection import AccountSession, Database
from firmograph.kit.errors import Refused
from firmograph.kit.name_keys import name_key
from firmograph.record_tables import store
from firmograph.record_tables.access import GivenTable
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.types import TableColumn
from firmograph.security.record_ids import Entity


class GivenNames(NamedTuple):
    """Finder of what an operator has named; it sees every table of every account."""

    database: Database
    ids: TableIds

    def find_table(self, table: str, account: str | None = None) -> GivenTable:
        """Return the table of an id, or of a name that only one table of the account has. Raises Refused."""
        text = table.strip()
        with self.database.read() as session:
            account_id = None if account is None else find_account(session, account).id
            number = self.ids.open_table(text)
            holder = None if number is None else store.find_account(session, number)
            if number is not None and holder is not None and account_id in (None, holder):
                return self._given(AccountSession(session, holder), number)
            if account_id is None:
                raise Refused(
                    f"No table {text!r}; give an id as `firmograph table list --account NAME` shows it, or a name"
                    " with --account"
                )
            own = AccountSession(session, account_id)
            named = [each for each in store.select_tables(own) if name_key(each.name) == name_key(text)]
            if len(named) == 1:
                return self._given(own, named[0].id)
        if not named:
            raise Refused(
                f"The account {account!r} has no table {text!r}; list its tables with `firmograph table list`"
            )
        ids = ", ".join(self.ids.table_id(each.id) for each in named)
        raise Refused(f"{len(named)} tables are named {text!r}; give one of the ids {ids}")

    def _given(self, session: AccountSession, number: int) -> GivenTable:
        table = store.find_table(session, number)
        if table is None:
            raise Refused(
                "The table was deleted; list the tables with `firmograph table list --account NAME`"
            )
        return GivenTable(session.account_id, number, self.ids.table_id(number), Entity(table.entity))

    def find_column(self, given: GivenTable, text: str) -> TableColumn:
        """Return the column of an id, key or name. Raises Refused."""
        with self.database.read() as session:
            columns = column_store.select_columns(AccountSession(session, given.account_id), given.number)
        wanted, number = name_key(text), self.ids.open_column(text.strip())
        found = [
            [column for column in columns if column.id == number],
            [column for column in columns if name_key(column.key or column.kind) == wanted],
            [column for column in columns if name_key(column.name) == wanted],
        ]
        matching = next(filter(None, found), [])
        if len(matching) == 1:
            return matching[0]
        choices = ", ".join(column.key or self.ids.column_id(column.id) for column in (matching or columns))
        problem = f"{len(matching)} columns are" if matching else "The table has no column"
        further = "" if matching else ", or add it with `firmograph table column add`"
        raise Refused(f"{problem} {text!r}; choose one of: {choices}{further}")
