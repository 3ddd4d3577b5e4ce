"""Creation of tables, as the work of a charged call: companies among the first rows may cost credits."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from firmograph.api.endpoint import Call, ChargedResponse
from firmograph.api.envelope import Billing
from firmograph.billing.charged_call import ChargedCalls, PricedContent
from firmograph.database.connection import AccountSession, Session
from firmograph.kit.errors import Forbidden
from firmograph.record_tables import shapes, store
from firmograph.record_tables.access import TableAccess
from firmograph.record_tables.answers import TableStatus, TableStatusAnswer
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.catalog import DEFAULTS
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.owners import actor_of
from firmograph.record_tables.service import check_name_is_free
from firmograph.record_tables.store import NewTable
from firmograph.record_tables.types import MOST_TABLES, TABLE_SUBJECT, RecordTable
from firmograph.record_tables.views import TableViews
from firmograph.security.record_ids import Entity

_encode = msgspec.json.Encoder().encode


class TableCreation(NamedTuple):
    """Service of the endpoint that creates tables."""

    charged_calls: ChargedCalls
    access: TableAccess
    ids: TableIds
    views: TableViews

    def create(self, call: Call[shapes.CreateTable], entity: Entity) -> ChargedResponse:
        """Create a table with its first rows.

        Raises Conflict for a taken name, Forbidden at the account's maximum, PaymentRequired for too few credits.
        """
        return self.charged_calls.run(call, _NewTable(self, call, entity))


class _NewTable(NamedTuple):
    """Call in the steps of `charged_call.ChargedWork`."""

    service: TableCreation
    call: Call[shapes.CreateTable]
    entity: Entity

    def prepare(self) -> None:
        return None

    def compute(self, session: Session, prepared: None) -> PricedContent[TableStatus]:
        own = AccountSession(session, self.call.account.account_id)
        table = self._insert(own)
        status = self.service.views.status(own, table)
        memo = (table.id,)
        return PricedContent(status, memo, subject=TABLE_SUBJECT.format(status.table_id))

    def replay(self, session: Session, prepared: None, memo: Sequence[Any]) -> TableStatus:
        """Return the table as it is now. Raises NotFound if it is not there for the user any more."""
        number, *_ = memo
        own = AccountSession(session, self.call.account.account_id)
        actor = actor_of(own, self.call.body.owner.email, "owner.email")
        table_id = self.service.ids.table_id(number)
        return self.service.views.status(own, self.service.access.find(own, actor, self.entity, table_id))

    def render(self, session: Session, content: TableStatus, request_id: str, credits: int) -> bytes:
        return _encode(TableStatusAnswer(request_id=request_id, data=content, billing=Billing(credits, 1)))

    def _insert(self, session: AccountSession) -> RecordTable:
        """Insert the table with its default columns."""
        body = self.call.body
        actor = actor_of(session, body.owner.email, "owner.email")
        name, shared = shapes.trim_name(body.name), body.visibility == "shared"
        number = create_table(
            session, NewTable(int(self.entity), name, actor.user_id, "api", shared), self.call.at
        )
        return self.service.access.find(session, actor, self.entity, self.service.ids.table_id(number))


def create_table(session: AccountSession, new: NewTable, at: float) -> int:
    """Insert a table with its default columns and return its number.

    Raises Conflict for a taken name, and Forbidden at the account's maximum.
    """
    entity = Entity(new.entity)
    check_name_is_free(session, new.owner_id, entity, new.name)
    if len(store.select_tables(session)) >= MOST_TABLES:
        problem = f"an account has at most {MOST_TABLES} tables, archived ones included; 0 more fit"
        raise Forbidden(f"Forbidden: {problem}. Delete one first", [problem])
    number = store.insert_table(session, new, at)
    for column in DEFAULTS[entity]:
        column_store.insert_column(session, number, column, 0, at)
    return number
