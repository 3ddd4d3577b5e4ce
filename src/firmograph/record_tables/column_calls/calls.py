"""Calls on columns: list, add, remove and run, and the catalogs (docs/reference/tables.md#requests)."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import UNSET

from firmograph.billing.charged_call import (
    Charged,
    ChargedCalls,
    ChargedWork,
    PricedContent,
    show_nothing,
)
from firmograph.billing.idempotency import Memo
from firmograph.caller import Request
from firmograph.database.connection import AccountSession, Database, Session
from firmograph.directory.lookup.queries import QueryReader
from firmograph.kit.errors import BadRequest
from firmograph.record_tables import shapes
from firmograph.record_tables.access import Actor, TableAccess
from firmograph.record_tables.answers import AddedColumn, CatalogEntry, ColumnView
from firmograph.record_tables.cells.store import select_positions
from firmograph.record_tables.column_calls.service import Columns
from firmograph.record_tables.columns import store
from firmograph.record_tables.columns.catalog import catalog, find_entry, new_column
from firmograph.record_tables.columns.store import NewColumn
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.owners import actor_of
from firmograph.record_tables.types import ENTITY_TYPES, OF_SIGNALS, RecordTable, RunScope
from firmograph.record_tables.views import TableViews
from firmograph.security.record_ids import Entity
from firmograph.signals.types import FEATURE as SIGNALS


class AskedColumn(NamedTuple):
    """Column that a call asks for."""

    key: str
    new: NewColumn | None
    """None for a key that the catalog does not have."""


def asked_columns(entity: Entity, body: shapes.AddColumns) -> list[AskedColumn]:
    """Return the columns of either form of a body. Raises BadRequest for neither and for both."""
    if (body.columns is UNSET) == (body.column_key is UNSET):
        problem = "the body must have exactly one of columns, columnKey"
        raise BadRequest(problem, [problem])
    keys = [] if body.column_key is UNSET else [body.column_key]
    if body.columns is not UNSET:
        keys = [column.column_key for column in body.columns]
    return [AskedColumn(key, new_column(entity, key) if find_entry(entity, key) else None) for key in keys]


class ColumnCalls(NamedTuple):
    """Service of the endpoints of columns."""

    database: Database
    charged_calls: ChargedCalls
    access: TableAccess
    ids: TableIds
    views: TableViews
    queries: QueryReader
    columns: Columns

    def list_catalog(self, entity: Entity) -> list[CatalogEntry]:
        return [
            CatalogEntry(
                category=one.category, display_name=one.display_name, column_key=one.key, type=one.type
            )
            for one in catalog(entity)
        ]

    def list_columns(self, request: Request, entity: Entity, table_id: str, email: str) -> list[ColumnView]:
        """Return the columns of a table, default ones first. Raises NotFound."""
        with self.database.read() as session:
            own = AccountSession(session, request.caller.account_id)
            table = self.access.find(own, actor_of(own, request, email, "email"), entity, table_id)
            return [self.views.column(column) for column in store.select_columns(own, table.id)]

    def add(
        self, request: Request, asked: Sequence[AskedColumn], entity: Entity, table_id: str, email: str
    ) -> Charged[list[AddedColumn]]:
        """Add columns and run them. Raises NotFound, Forbidden at the maximum or for data that the plan lacks."""
        addressed = _Addressed(self, request, entity, table_id, email)
        return self.charged_calls.run(request, _Addition(addressed, asked))

    def remove(
        self, request: Request, entity: Entity, table_id: str, column_id: str, email: str
    ) -> Charged[None]:
        """Remove a column. Raises NotFound, and BadRequest for a default one."""

        def change(session: AccountSession) -> tuple[None, Memo]:
            table = self.access.find(session, actor_of(session, request, email, "email"), entity, table_id)
            column = self.access.find_column(session, table, column_id)
            self.columns.remove(session, table, column, request.at)
            return None, Memo()

        return self.charged_calls.change(request, change, show_nothing, Memo)

    def run(
        self,
        request: Request,
        body: shapes.RunColumn,
        entity: Entity,
        table_id: str,
        column_id: str,
        most_credits: int | None = None,
    ) -> Charged[int | None]:
        """Begin a run and return its number, None if no cell of the scope is free, or if it was begun before.

        Raises BadRequest, NotFound, Forbidden for data that the plan does not include.
        """
        if (body.run_scope == "specific") == (body.entity_ids is UNSET):
            needed = "must be given" if body.entity_ids is UNSET else "must not be given"
            problem = f"entityIds {needed} with runScope {body.run_scope}"
            raise BadRequest(problem, [problem])
        ids = [] if body.entity_ids is UNSET else body.entity_ids
        numbers = self.queries.numbers(entity, ids, "entityIds")
        addressed = _Addressed(self, request, entity, table_id, body.owner.email)
        return self.charged_calls.run(
            request, _Start(addressed, body.run_scope, column_id, numbers, most_credits)
        )


class _Addressed(NamedTuple):
    """Table that a call addresses, and who acts."""

    service: ColumnCalls
    request: Request
    entity: Entity
    table_id: str
    email: str

    def find(self, session: Session) -> tuple[AccountSession, Actor, RecordTable]:
        """Return the account's session, who acts, and the table. Raises BadRequest and NotFound."""
        own = AccountSession(session, self.request.caller.account_id)
        actor = actor_of(own, self.request, self.email, "owner.email")
        return own, actor, self.service.access.find(own, actor, self.entity, self.table_id)


class ColumnsMemo(Memo, frozen=True):
    """What a replay shows again."""

    columns: list[int | None]
    """Number of the column of each key, None for a key that the catalog does not have."""


class _Addition(ChargedWork[None, list[AddedColumn]]):
    """Addition of columns."""

    memo = ColumnsMemo

    def __init__(self, addressed: _Addressed, asked: Sequence[AskedColumn]) -> None:
        self._addressed = addressed
        self._asked = asked

    def compute(self, session: Session, prepared: None) -> PricedContent[list[AddedColumn]]:
        service, request = self._addressed.service, self._addressed.request
        known = [(key, new) for key, new in self._asked if new is not None]
        own, actor, table = self._addressed.find(session)
        if any(new.kind in OF_SIGNALS for _, new in known):
            request.caller.plan.check(SIGNALS)
        added = service.columns.add_all(
            own,
            table,
            [new for _, new in known],
            run=True,
            user_id=actor.user_id,
            request_id=request.id,
            at=request.at,
            actor=request.caller.spender.actor,
        )
        numbers = dict(zip([key for key, _ in known], added, strict=True))
        found = [numbers.get(key) for key, _ in self._asked]
        return PricedContent(self._entries(found), ColumnsMemo(found))

    def replay(self, session: Session, prepared: None, memo: ColumnsMemo) -> list[AddedColumn]:
        """Return what was added then; nothing is added or run again. Raises NotFound without the table."""
        self._addressed.find(session)
        return self._entries(memo.columns)

    def _entries(self, columns: Sequence[int | None]) -> list[AddedColumn]:
        return [self._entry(key, number) for (key, _), number in zip(self._asked, columns, strict=True)]

    def _entry(self, key: str, number: int | None) -> AddedColumn:
        if number is not None:
            id = self._addressed.service.ids.column_id(number)
            return AddedColumn(column_key=key, status="added", column_id=id)
        kind = ENTITY_TYPES[self._addressed.entity]
        return AddedColumn(
            column_key=key,
            status="failed",
            message=f"no column of {kind} has this key; GET /v3/{kind}/tables/columns lists them",
        )


class _Start(ChargedWork[None, int | None]):
    """Begin of a run."""

    def __init__(
        self,
        addressed: _Addressed,
        scope: RunScope,
        column_id: str,
        numbers: Sequence[int],
        most_credits: int | None,
    ) -> None:
        self._addressed = addressed
        self._scope = scope
        self._column_id = column_id
        self._numbers = numbers
        self._most_credits = most_credits

    def compute(self, session: Session, prepared: None) -> PricedContent[int | None]:
        service, request = self._addressed.service, self._addressed.request
        own, actor, table = self._addressed.find(session)
        column = service.access.find_column(own, table, self._column_id)
        run = service.columns.start(
            own,
            table,
            column,
            self._scope,
            plan=request.caller.plan,
            user_id=actor.user_id,
            request_id=request.id,
            at=request.at,
            positions=select_positions(own, table.id, set(self._numbers)).values(),
            most_credits=self._most_credits,
            actor=request.caller.spender.actor,
        )
        return PricedContent(run)

    def replay(self, session: Session, prepared: None, memo: Memo) -> int | None:
        """Begin nothing. Raises NotFound without the column."""
        own, _, table = self._addressed.find(session)
        self._addressed.service.access.find_column(own, table, self._column_id)
        return None
