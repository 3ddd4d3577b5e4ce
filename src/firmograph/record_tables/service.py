"""Tables of an account, as their users list, change and delete them (docs/reference/tables.md)."""

from typing import Final, NamedTuple

from msgspec import UNSET

from firmograph.billing.charged_call import Charged, ChargedCalls, show_nothing
from firmograph.billing.idempotency import Memo
from firmograph.caller import Request
from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.kit.errors import Conflict
from firmograph.kit.name_keys import name_key
from firmograph.record_tables import shapes, store
from firmograph.record_tables.access import Actor, TableAccess, is_visible
from firmograph.record_tables.answers import TableStatus, TableView
from firmograph.record_tables.owners import actor_of, user_of
from firmograph.record_tables.runs.cancel import stop_runs_of
from firmograph.record_tables.types import RecordTable
from firmograph.record_tables.views import TableViews
from firmograph.security.record_ids import Entity

NO_MEMO: Final = Memo()


class TablesPage(NamedTuple):
    """One page of tables."""

    tables: list[TableView]
    total: int


class Tables(NamedTuple):
    """Service of the endpoints of tables; `creation.py` has the one that may charge."""

    database: Database
    charged_calls: ChargedCalls
    access: TableAccess
    views: TableViews

    def list_tables(self, request: Request, body: shapes.ListTables, entity: Entity) -> TablesPage:
        """Return one page of the tables that the user may see, newest first."""
        with self.database.read() as session:
            own = AccountSession(session, request.caller.account_id)
            actor = actor_of(own, request, body.owner.email, "owner.email")
            found = [table for table in store.select_tables(own) if _is_listed(table, actor, entity, body)]
            page = found[body.page * body.size : (body.page + 1) * body.size]
            return TablesPage(self.views.tables(own, page), len(found))

    def every_table(self, request: Request) -> list[TableView]:
        """Return all tables of an account for its operator, newest first, archived ones too."""
        with self.database.read() as session:
            own = AccountSession(session, request.caller.account_id)
            return self.views.tables(own, store.select_tables(own))

    def get_status(self, request: Request, entity: Entity, table_id: str, email: str) -> TableStatus:
        """Return a table with its columns. Raises NotFound."""
        with self.database.read() as session:
            own = AccountSession(session, request.caller.account_id)
            table = self.access.find(own, actor_of(own, request, email, "email"), entity, table_id)
            return self.views.status(own, table)

    def change(
        self, request: Request, body: shapes.ChangeTable, entity: Entity, table_id: str
    ) -> Charged[TableStatus]:
        """Change name, visibility or archive state; a replay answers the table of today.

        Raises NotFound, Forbidden, and Conflict for a taken name.
        """

        def change(session: AccountSession) -> tuple[TableStatus, Memo]:
            actor = actor_of(session, request, body.owner.email, "owner.email")
            # all who see a table may ask for no change of it
            find = self.access.find_owned if _asks_for_change(body) else self.access.find
            table = find(session, actor, entity, table_id)
            changed = _changed(table, body)
            if changed != table:
                check_name_is_free(session, table.owner_id, entity, changed.name, besides=table.id)
                store.update_table(session, changed)
            return self.views.status(session, changed), NO_MEMO

        def repeat(session: AccountSession, memo: Memo) -> TableStatus:
            actor = actor_of(session, request, body.owner.email, "owner.email")
            return self.views.status(session, self.access.find(session, actor, entity, table_id))

        return self.charged_calls.change(request, change, repeat, Memo)

    def give(self, request: Request, entity: Entity, table_id: str, email: str) -> TableStatus:
        """Make another user of the account the owner of a table.

        Raises NotFound, BadRequest for an unknown user, and Conflict if that user has a table of the name.
        """
        with self.database.write(account_scope(request.caller.account_id)) as session:
            own = AccountSession(session, request.caller.account_id)
            table = self.access.find_owned(own, actor_of(own, request, "", "email"), entity, table_id)
            owner = user_of(own, email, "email")
            check_name_is_free(own, owner.id, entity, table.name, besides=table.id)
            given = table._replace(owner_id=owner.id)
            store.update_table(own, given)
            return self.views.status(own, given)

    def delete(self, request: Request, entity: Entity, table_id: str, email: str) -> Charged[None]:
        """Delete a table and end its runs. Raises NotFound and Forbidden."""

        def change(session: AccountSession) -> tuple[None, Memo]:
            actor = actor_of(session, request, email, "email")
            delete_table(session, self.access.find_owned(session, actor, entity, table_id), request.at)
            return None, NO_MEMO

        return self.charged_calls.change(request, change, show_nothing, Memo)


def check_name_is_free(
    session: AccountSession, owner_id: int, entity: Entity, name: str, *, besides: int | None = None
) -> None:
    """Raise Conflict if another table of the owner and kind has the name, case aside."""
    holder = store.find_named(session, owner_id, entity, name)
    if holder is not None and holder != besides:
        raise Conflict(
            "TABLE_NAME_CONFLICT: the owner has another table of this kind with this name; choose another name"
        )


def delete_table(session: AccountSession, table: RecordTable, at: float) -> None:
    """Delete a table and end its runs; a worker deletes its rows and cells later."""
    stop_runs_of(session, table, None, at)
    store.mark_deleted(session, table.id)


def _is_listed(table: RecordTable, actor: Actor, entity: Entity, body: shapes.ListTables) -> bool:
    """Return whether the user may see a table that fits the request."""
    archived = body.status == "archived"
    return (
        table.entity == entity
        and is_visible(table, actor)
        and bool(table.is_archived) == archived
        and (body.name is UNSET or name_key(body.name) in name_key(table.name))
    )


def _asks_for_change(body: shapes.ChangeTable) -> bool:
    return any(value is not UNSET for value in (body.name, body.visibility, body.archived))


def _changed(table: RecordTable, body: shapes.ChangeTable) -> RecordTable:
    return table._replace(
        name=table.name if body.name is UNSET else shapes.trim_name(body.name),
        is_shared=table.is_shared if body.visibility is UNSET else int(body.visibility == "shared"),
        is_archived=table.is_archived if body.archived is UNSET else int(body.archived),
    )
