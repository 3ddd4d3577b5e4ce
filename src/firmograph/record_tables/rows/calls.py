"""Calls on the rows of a table: add, remove and read (docs/reference/tables.md)."""

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

import msgspec
from msgspec import UNSET

from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.api.envelope import Billing
from firmograph.billing.charged_call import ChargedCalls, Outdated, PricedContent
from firmograph.database.connection import AccountSession, Database, Session
from firmograph.kit.errors import BadRequest
from firmograph.record_tables import shapes
from firmograph.record_tables.access import TableAccess
from firmograph.record_tables.answers import (
    AddedBy,
    AddedRows,
    RemovedRows,
    RowsAddedAnswer,
    RowsRemovedAnswer,
)
from firmograph.record_tables.owners import actor_of
from firmograph.record_tables.rows.addition import RowAddition
from firmograph.record_tables.rows.reading import RowPage, RowReader
from firmograph.record_tables.rows.removal import remove_rows
from firmograph.record_tables.rows.sent_ids import SentIds, check_ids, read_ids
from firmograph.record_tables.types import TABLE_SUBJECT, RecordTable
from firmograph.security.record_ids import Entity, RecordIds

EmailPath = Literal["owner.email", "email"]

READ: Final = "tableRead"
"""Price key of rows read."""

_encode = msgspec.json.Encoder().encode


class RowCalls(NamedTuple):
    """Service of the endpoints of rows."""

    database: Database
    charged_calls: ChargedCalls
    record_ids: RecordIds
    access: TableAccess
    addition: RowAddition
    reader: RowReader

    def add(self, call: Call[Any], entity: Entity) -> ChargedResponse:
        """Add records.

        Raises BadRequest, NotFound, PaymentRequired, and Forbidden if they do not fit; nothing is added then.
        """
        body = call.body
        sent = read_ids(self.record_ids, entity, body.entity_ids, "entityIds")
        if entity is Entity.CONTACT and body.company_ids is not UNSET:
            check_ids(body.company_ids, "companyIds")
            if len(body.company_ids) != len(body.entity_ids):
                problem = f"companyIds must have as many ids as entityIds: {len(body.entity_ids)}"
                raise BadRequest(problem, [problem])
        return self.charged_calls.run(call, _AddedRows(self, call, entity, sent))

    def remove(self, call: Call[shapes.RemoveRows], entity: Entity) -> ChargedResponse:
        """Remove records that are rows. Raises BadRequest and NotFound.

        Rows far apart in a wide table are removed in several transactions, so that no other call waits for long.
        """
        sent = read_ids(self.record_ids, entity, call.body.entity_ids, "entityIds")
        return self.charged_calls.run(call, _RemovedRows(self, call, entity, sent))

    def read(self, call: Call[None], entity: Entity) -> Deferred:
        """Return the work of a page; without price and key it needs no write transaction."""
        page = _Page(self, call, entity)
        if call.idempotency_key is None and not call.account.plan.is_priced(READ):
            return Deferred(page.answer, writes=False)
        return Deferred(lambda: self.charged_calls.run(call, page))

    def find(
        self, session: AccountSession, call: Call[Any], entity: Entity, email: str, path: EmailPath
    ) -> RecordTable:
        """Return the table of the path. Raises BadRequest for an unknown user, and NotFound."""
        return self.access.find(session, actor_of(session, email, path), entity, call.segments.table_id)


class _Counts(NamedTuple):
    added: int
    present: int
    invalid: list[int]
    """Places of ids among the different ones."""


class _AddedRows(NamedTuple):
    """Addition in the steps of `charged_call.ChargedWork`."""

    service: RowCalls
    call: Call[Any]
    entity: Entity
    sent: SentIds

    def prepare(self) -> None:
        return None

    def compute(self, session: Session, prepared: None) -> PricedContent[_Counts]:
        own, table = self._find(session)
        addition = self.service.addition.add(own, table, self.sent.numbers, self.call.at)
        invalid = self.sent.find_invalid(addition.missing)
        # a second spelling of a record finds it present, so that the counts add up to the different ids
        counts = _Counts(
            len(addition.added), len(self.sent.by_id) - len(addition.added) - len(invalid), invalid
        )
        return PricedContent(counts, counts, units=addition.units, subject=_subject(self.call))

    def replay(self, session: Session, prepared: None, memo: Sequence[Any]) -> _Counts:
        """Return the first answer's counts. Raises NotFound if the table is not there for the user any more."""
        self._find(session)
        added, present, invalid = memo
        return _Counts(added, present, invalid)

    def render(self, session: Session, content: _Counts, request_id: str, credits: int) -> bytes:
        return _encode(
            RowsAddedAnswer(
                request_id=request_id,
                data=AddedRows(
                    added=content.added,
                    already_present=content.present,
                    invalid_ids=self.sent.at(content.invalid),
                    added_by=AddedBy("api"),
                ),
                billing=Billing(credits, content.added + content.present),
            )
        )

    def _find(self, session: Session) -> tuple[AccountSession, RecordTable]:
        own = AccountSession(session, self.call.account.account_id)
        email = self.call.body.owner.email
        return own, self.service.find(own, self.call, self.entity, email, "owner.email")


class _Removed(NamedTuple):
    removed: int
    invalid: list[int]
    """Places of ids among the different ones."""


class _RemovedRows:
    """Removal in the steps of `charged_call.ChargedWork`."""

    def __init__(
        self, service: RowCalls, call: Call[shapes.RemoveRows], entity: Entity, sent: SentIds
    ) -> None:
        self._service = service
        self._call = call
        self._entity = entity
        self._sent = sent
        self._left: Sequence[int] = sent.numbers
        self._done = _Removed(0, [])

    def prepare(self) -> None:
        return None

    def compute(self, session: Session, prepared: None) -> PricedContent[_Removed]:
        own, table = self._find(session)
        part = remove_rows(own, table, self._left, self._call.at)
        # what is missing is left out of the parts that follow
        invalid = self._done.invalid or self._sent.find_invalid(part.missing)
        self._done, self._left = _Removed(self._done.removed + part.removed, invalid), part.left
        return PricedContent(self._done, self._done, is_complete=not part.left)

    def replay(self, session: Session, prepared: None, memo: Sequence[Any]) -> _Removed:
        """Return the first answer's count. Raises NotFound if the table is not there for the user any more."""
        self._find(session)
        return _Removed(*memo)

    def render(self, session: Session, content: _Removed, request_id: str, credits: int) -> bytes:
        return _encode(
            RowsRemovedAnswer(
                request_id=request_id,
                data=RemovedRows(removed=content.removed, invalid_ids=self._sent.at(content.invalid)),
                billing=Billing(credits, content.removed),
            )
        )

    def _find(self, session: Session) -> tuple[AccountSession, RecordTable]:
        own = AccountSession(session, self._call.account.account_id)
        email = self._call.body.owner.email
        return own, self._service.find(own, self._call, self._entity, email, "owner.email")


class _PreparedPage(NamedTuple):
    """Page as read before the transaction of its charge."""

    page: RowPage
    removals: int
    """Removals of rows until then."""


class _Page(NamedTuple):
    """Page in the steps of `charged_call.ChargedWork`.

    It is read and rendered before the write transaction, which only checks that no row was removed since.
    """

    service: RowCalls
    call: Call[None]
    entity: Entity

    def answer(self) -> ChargedResponse:
        """Return the page free of charge."""
        content = self.prepare().page
        return ChargedResponse(_render(self.call, content, self.call.request_id, 0), 0)

    def prepare(self) -> _PreparedPage:
        with self.service.database.read() as session:
            own, table = self._find(session)
            page = self.service.reader.page(own, table, self.call.query.page, self.call.query.size)
        return _PreparedPage(page, table.removals)

    def compute(self, session: Session, prepared: _PreparedPage) -> PricedContent[RowPage]:
        _, table = self._find(session)
        if table.removals != prepared.removals:
            raise Outdated
        page = prepared.page
        return PricedContent(
            page, (page.numbers,), quantities={READ: len(page.numbers)}, subject=_subject(self.call)
        )

    def replay(self, session: Session, prepared: _PreparedPage, memo: Sequence[Any]) -> RowPage:
        """Return the rows of the first answer that are still rows, as they are now."""
        (numbers,) = memo
        own, table = self._find(session)
        if table.removals == prepared.removals and numbers == prepared.page.numbers:
            return prepared.page
        return self.service.reader.of_records(own, table, numbers)

    def render(self, session: Session, content: RowPage, request_id: str, credits: int) -> bytes:
        return _render(self.call, content, request_id, credits)

    def _find(self, session: Session) -> tuple[AccountSession, RecordTable]:
        own = AccountSession(session, self.call.account.account_id)
        return own, self.service.find(own, self.call, self.entity, self.call.query.email, "email")


def _render(call: Call[None], page: RowPage, request_id: str, credits: int) -> bytes:
    return (
        b'{"requestId":"%b","data":[%b],"pagination":{"page":%d,"size":%d,"total":%d},'
        b'"billing":{"creditsCharged":%d,"resultsReturned":%d}}'
        % (
            request_id.encode(),
            b",".join(page.rows),
            call.query.page,
            call.query.size,
            page.total,
            credits,
            len(page.rows),
        )
    )


def _subject(call: Call[Any]) -> str:
    return TABLE_SUBJECT.format(call.segments.table_id)
