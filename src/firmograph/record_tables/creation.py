"""Creation of tables, as the work of a charged call: companies among the first rows may cost credits."""

from collections.abc import Collection
from typing import NamedTuple

from msgspec import UNSET

from firmograph.accounts.types import User
from firmograph.billing.charged_call import Charged, ChargedCalls, ChargedWork, PricedContent
from firmograph.billing.idempotency import Memo
from firmograph.billing.types import Unit
from firmograph.caller import OperatorCaller, Request
from firmograph.database.connection import AccountSession, Session
from firmograph.kit.errors import Forbidden
from firmograph.record_tables import shapes, store
from firmograph.record_tables.access import Actor, TableAccess
from firmograph.record_tables.answers import TableStatus
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.catalog import DEFAULTS
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.owners import user_of
from firmograph.record_tables.rows.addition import RowAddition
from firmograph.record_tables.rows.sent_ids import SentIds, read_ids
from firmograph.record_tables.service import check_name_is_free
from firmograph.record_tables.store import NewTable
from firmograph.record_tables.types import MOST_TABLES, TABLE_SUBJECT, RecordTable, Surface
from firmograph.record_tables.views import TableViews
from firmograph.security.record_ids import Entity, RecordIds


class TableCreation(NamedTuple):
    """Service of the endpoint that creates tables."""

    charged_calls: ChargedCalls
    record_ids: RecordIds
    access: TableAccess
    ids: TableIds
    addition: RowAddition
    views: TableViews

    def create(self, request: Request, body: shapes.CreateTable, entity: Entity) -> Charged[TableStatus]:
        """Create a table with its first rows.

        Raises BadRequest for a malformed id, Conflict for a taken name, Forbidden at the account's maximum, and
        PaymentRequired for too few credits.
        """
        sent = None if body.ids is UNSET else read_ids(self.record_ids, entity, body.ids, "ids")
        return self.charged_calls.run(request, _NewTable(self, request, body, entity, sent))


class TableMemo(Memo, frozen=True):
    """What a replay shows again."""

    table: int
    invalid: list[int] | None
    """Places of invalid ids, None if the call named no ids."""


class _NewTable(ChargedWork[None, TableStatus]):
    """Creation of a table."""

    memo = TableMemo

    def __init__(
        self,
        service: TableCreation,
        request: Request,
        body: shapes.CreateTable,
        entity: Entity,
        sent: SentIds | None,
    ) -> None:
        """Take the call; `sent` are the first rows, None if the call names none."""
        self._service = service
        self._request = request
        self._body = body
        self._entity = entity
        self._sent = sent

    def compute(self, session: Session, prepared: None) -> PricedContent[TableStatus]:
        own = AccountSession(session, self._request.caller.account_id)
        owner = user_of(own, self._body.owner.email, "owner.email")
        table = self._insert(own, owner)
        units, invalid = self._add_rows(own, table)
        status = self._status(own, owner, table.id, invalid)
        subject = TABLE_SUBJECT.format(status.table_id)
        return PricedContent(status, TableMemo(table.id, invalid), units=units, subject=subject)

    def replay(self, session: Session, prepared: None, memo: TableMemo) -> TableStatus:
        """Return the table as it is now, with the ids that were invalid then.

        Raises NotFound if it is not there for the user any more.
        """
        own = AccountSession(session, self._request.caller.account_id)
        owner = user_of(own, self._body.owner.email, "owner.email")
        return self._status(own, owner, memo.table, memo.invalid)

    def _insert(self, session: AccountSession, owner: User) -> RecordTable:
        """Insert the table with its default columns."""
        body = self._body
        name, shared = shapes.trim_name(body.name), body.visibility == "shared"
        surface: Surface = "workspace" if isinstance(self._request.caller, OperatorCaller) else "api"
        new = NewTable(int(self._entity), name, owner.id, surface, shared)
        number = create_table(session, new, self._request.at)
        return self._find(session, owner, number)

    def _add_rows(
        self, session: AccountSession, table: RecordTable
    ) -> tuple[Collection[Unit], list[int] | None]:
        """Add the first rows; return their price, and the places of invalid ids, None if the call names no ids."""
        if self._sent is None:
            return (), None
        addition = self._service.addition.add(session, table, self._sent.numbers, self._request.at)
        return addition.units, self._sent.find_invalid(addition.missing)

    def _status(
        self, session: AccountSession, owner: User, number: int, invalid: list[int] | None
    ) -> TableStatus:
        status = self._service.views.status(session, self._find(session, owner, number))
        if invalid is not None and self._sent is not None:
            status.invalid_ids = self._sent.at(invalid)
        return status

    def _find(self, session: AccountSession, owner: User, number: int) -> RecordTable:
        actor = Actor(session.account_id, owner.id)
        return self._service.access.find(session, actor, self._entity, self._service.ids.table_id(number))


def create_table(session: AccountSession, new: NewTable, at: float) -> int:
    """Insert a table with its default columns and return its number.

    Raises Conflict for a taken name, and Forbidden at the account's maximum.
    """
    entity = Entity(new.entity)
    check_name_is_free(session, new.owner_id, entity, new.name)
    if len(store.select_tables(session)) >= MOST_TABLES:
        problem = f"an account has at most {MOST_TABLES} tables, archived ones included; 0 still fit"
        raise Forbidden(f"Forbidden: {problem}. Delete one first", [problem])
    number = store.insert_table(session, new, at)
    for column in DEFAULTS[entity]:
        column_store.insert_column(session, number, column, 0, at)
    return number
