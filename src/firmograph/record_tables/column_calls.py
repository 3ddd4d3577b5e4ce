"""Calls on columns: list, add, remove and run, and the catalogs (docs/reference/tables.md#requests)."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from firmograph.api.endpoint import Call, ChargedResponse
from firmograph.api.envelope import Billing
from firmograph.billing.charged_call import ChargedCalls, PricedContent, show_nothing
from firmograph.database.connection import AccountSession, Database, Session
from firmograph.directory.lookup.queries import QueryReader
from firmograph.kit.errors import BadRequest
from firmograph.record_tables import shapes
from firmograph.record_tables.access import Actor, TableAccess
from firmograph.record_tables.answers import (
    AddedColumn,
    CatalogAnswer,
    CatalogEntry,
    ColumnListAnswer,
    ColumnRemovedAnswer,
    ColumnsAddedAnswer,
    RunAnswer,
    StartedRun,
)
from firmograph.record_tables.cells.store import select_positions
from firmograph.record_tables.column_service import Columns
from firmograph.record_tables.columns import store
from firmograph.record_tables.columns.catalog import catalog, find_entry, new_column
from firmograph.record_tables.declaration import ENTITY_TYPES
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.owners import actor_of
from firmograph.record_tables.types import RecordTable
from firmograph.record_tables.views import TableViews
from firmograph.security.record_ids import Entity

_encode = msgspec.json.Encoder().encode


class ColumnCalls(NamedTuple):
    """Service of the endpoints of columns."""

    database: Database
    charged_calls: ChargedCalls
    access: TableAccess
    ids: TableIds
    views: TableViews
    queries: QueryReader
    columns: Columns

    def list_catalog(self, call: Call[None], entity: Entity) -> CatalogAnswer:
        entries = [
            CatalogEntry(
                category=one.category, display_name=one.display_name, column_key=one.key, type=one.type
            )
            for one in catalog(entity)
        ]
        return CatalogAnswer(request_id=call.request_id, data=entries, billing=Billing(0, len(entries)))

    def list_columns(self, call: Call[None], entity: Entity) -> ColumnListAnswer:
        """Return the columns of a table, default ones first. Raises NotFound."""
        with self.database.read() as session:
            own = AccountSession(session, call.account.account_id)
            actor = actor_of(own, call.query.email, "email")
            table = self.access.find(own, actor, entity, call.segments.table_id)
            columns = [self.views.column(column) for column in store.select_columns(own, table.id)]
        return ColumnListAnswer(request_id=call.request_id, data=columns, billing=Billing(0, len(columns)))

    def add(self, call: Call[shapes.AddColumns], entity: Entity) -> ChargedResponse:
        """Add columns of the catalog and run them. Raises BadRequest, NotFound, Forbidden at the maximum."""
        return self.charged_calls.run(call, _Addition(self, call, entity, _requested_keys(call.body)))

    def remove(self, call: Call[None], entity: Entity) -> ChargedResponse:
        """Remove a column. Raises NotFound, and BadRequest for a default one."""
        table_id, column_id = call.segments.table_id, call.segments.column_id

        def change(session: AccountSession) -> tuple[None, Sequence[Any]]:
            actor = actor_of(session, call.query.email, "email")
            table = self.access.find(session, actor, entity, table_id)
            column = self.access.find_column(session, table, column_id)
            self.columns.remove(session, table, column, call.at)
            return None, ()

        def answer(content: None, request_id: str) -> ColumnRemovedAnswer:
            return ColumnRemovedAnswer(
                request_id=request_id,
                table_id=table_id,
                column_id=column_id,
                removed=True,
                billing=Billing(0, 0),
            )

        return self.charged_calls.change(call, change, show_nothing, answer)

    def run(self, call: Call[shapes.RunColumn], entity: Entity) -> ChargedResponse:
        """Begin a run. Raises BadRequest, NotFound, Forbidden for data that the plan does not include."""
        body = call.body
        if (body.run_scope == "specific") == (body.entity_ids is UNSET):
            needed = "must be given" if body.entity_ids is UNSET else "must not be given"
            problem = f"entityIds {needed} with runScope {body.run_scope}"
            raise BadRequest(problem, [problem])
        ids = [] if body.entity_ids is UNSET else body.entity_ids
        numbers = self.queries.numbers(entity, ids, "entityIds")
        return self.charged_calls.run(call, _Start(self, call, entity, numbers))

    def find_table(
        self, session: AccountSession, call: Call[Any], entity: Entity
    ) -> tuple[Actor, RecordTable]:
        """Return who acts by a body, and the table of the path. Raises BadRequest and NotFound."""
        actor = actor_of(session, call.body.owner.email, "owner.email")
        return actor, self.access.find(session, actor, entity, call.segments.table_id)


def _requested_keys(body: shapes.AddColumns) -> list[str]:
    """Return the keys of either form. Raises BadRequest for neither and for both."""
    if (body.columns is UNSET) == (body.column_key is UNSET):
        problem = "the body must have exactly one of columns, columnKey"
        raise BadRequest(problem, [problem])
    if body.columns is not UNSET:
        return [column.column_key for column in body.columns]
    return [] if body.column_key is UNSET else [body.column_key]


class _Addition(NamedTuple):
    """Call in the steps of `charged_call.ChargedWork`, as are the others."""

    service: ColumnCalls
    call: Call[shapes.AddColumns]
    entity: Entity
    keys: list[str]

    def prepare(self) -> None:
        return None

    def compute(self, session: Session, prepared: None) -> PricedContent[list[int | None]]:
        call, known = self.call, [key for key in self.keys if find_entry(self.entity, key)]
        own = AccountSession(session, call.account.account_id)
        actor, table = self.service.find_table(own, call, self.entity)
        added = self.service.columns.add_all(
            own,
            table,
            [new_column(self.entity, key) for key in known],
            run=True,
            user_id=actor.user_id,
            request_id=call.request_id,
            at=call.at,
        )
        numbers = dict(zip(known, added, strict=True))
        found = [numbers.get(key) for key in self.keys]
        return PricedContent(found, found)

    def replay(self, session: Session, prepared: None, memo: Sequence[Any]) -> list[int | None]:
        """Return what was added then; nothing is added or run again. Raises NotFound without the table."""
        own = AccountSession(session, self.call.account.account_id)
        self.service.find_table(own, self.call, self.entity)
        return list(memo)

    def render(self, session: Session, content: list[int | None], request_id: str, credits: int) -> bytes:
        entries = [self._entry(key, number) for key, number in zip(self.keys, content, strict=True)]
        return _encode(
            ColumnsAddedAnswer(request_id=request_id, data=entries, billing=Billing(credits, len(entries)))
        )

    def _entry(self, key: str, number: int | None) -> AddedColumn:
        if number is not None:
            return AddedColumn(column_key=key, status="added", column_id=self.service.ids.column_id(number))
        kind = ENTITY_TYPES[self.entity]
        return AddedColumn(
            column_key=key,
            status="failed",
            message=f"no column of {kind} has this key; GET /v3/{kind}/tables/columns lists them",
        )


class _Start(NamedTuple):
    service: ColumnCalls
    call: Call[shapes.RunColumn]
    entity: Entity
    numbers: list[int]

    def prepare(self) -> None:
        return None

    def compute(self, session: Session, prepared: None) -> PricedContent[None]:
        call, service = self.call, self.service
        own = AccountSession(session, call.account.account_id)
        actor, table = service.find_table(own, call, self.entity)
        column = service.access.find_column(own, table, call.segments.column_id)
        service.columns.start(
            own,
            table,
            column,
            call.body.run_scope,
            plan=call.account.plan,
            user_id=actor.user_id,
            request_id=call.request_id,
            at=call.at,
            positions=select_positions(own, table.id, set(self.numbers)).values(),
        )
        return PricedContent(None, ())

    def replay(self, session: Session, prepared: None, memo: Sequence[Any]) -> None:
        """Begin nothing. Raises NotFound without the column."""
        own = AccountSession(session, self.call.account.account_id)
        _, table = self.service.find_table(own, self.call, self.entity)
        self.service.access.find_column(own, table, self.call.segments.column_id)

    def render(self, session: Session, content: None, request_id: str, credits: int) -> bytes:
        run = StartedRun(
            column_id=self.call.segments.column_id,
            run_scope=self.call.body.run_scope,
            status="processing",
        )
        return _encode(RunAnswer(request_id=request_id, data=run, billing=Billing(credits, 1)))
