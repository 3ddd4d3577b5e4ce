"""Calls on the rows of a table: add, remove and read (docs/reference/tables.md)."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import UNSET

from firmograph.billing.charged_call import (
    Charged,
    ChargedCall,
    ChargedCalls,
    ChargedWork,
    Outdated,
    PricedContent,
)
from firmograph.billing.idempotency import Memo
from firmograph.caller import Request
from firmograph.database.connection import AccountSession, Database, Session
from firmograph.kit.errors import BadRequest
from firmograph.record_tables import shapes
from firmograph.record_tables.access import TableAccess
from firmograph.record_tables.owners import EmailPath, actor_of
from firmograph.record_tables.rows.addition import RowAddition
from firmograph.record_tables.rows.reading import RowPage, RowReader
from firmograph.record_tables.rows.removal import remove_rows
from firmograph.record_tables.rows.sent_ids import SentIds, check_ids, read_ids
from firmograph.record_tables.types import TABLE_SUBJECT, RecordTable
from firmograph.security.record_ids import Entity, RecordIds

READ: Final = "tableRead"
"""Price key of rows read."""


class RowCalls(NamedTuple):
    """Service of the endpoints of rows."""

    database: Database
    charged_calls: ChargedCalls
    record_ids: RecordIds
    access: TableAccess
    addition: RowAddition
    reader: RowReader

    def add(
        self,
        request: Request,
        body: shapes.AddContacts | shapes.AddCompanies,
        entity: Entity,
        table_id: str,
    ) -> "Charged[AddedToTable]":
        """Add records.

        Raises BadRequest, NotFound, PaymentRequired, and Forbidden if they do not fit; nothing is added then.
        """
        sent = read_ids(self.record_ids, entity, body.entity_ids, "entityIds")
        if entity is Entity.CONTACT and body.company_ids is not UNSET:
            check_ids(body.company_ids, "companyIds")
            if len(body.company_ids) != len(body.entity_ids):
                problem = f"companyIds must have as many ids as entityIds: {len(body.entity_ids)}"
                raise BadRequest(problem, [problem])
        addressed = _Addressed(self, request, entity, table_id, body.owner.email, "owner.email")
        return self.charged_calls.run(request, _AddedRows(addressed, sent))

    def remove(
        self, request: Request, body: shapes.RemoveRows, entity: Entity, table_id: str
    ) -> "Charged[RemovedFromTable]":
        """Remove records that are rows. Raises BadRequest and NotFound.

        Rows far apart in a wide table are removed in several transactions, so that no other call waits for long.
        """
        sent = read_ids(self.record_ids, entity, body.entity_ids, "entityIds")
        addressed = _Addressed(self, request, entity, table_id, body.owner.email, "owner.email")
        return self.charged_calls.run(request, _RemovedRows(addressed, sent))

    def read(
        self, request: Request, entity: Entity, table_id: str, query: shapes.RowsQuery
    ) -> ChargedCall[RowPage]:
        """Return the call for a page; without price and key it needs no write transaction."""
        addressed = _Addressed(self, request, entity, table_id, query.email, "email")
        return self.charged_calls.ready(request, _Page(addressed, query))


class _Addressed(NamedTuple):
    """Table that a call addresses, and who acts."""

    service: RowCalls
    request: Request
    entity: Entity
    table_id: str
    email: str
    email_at: EmailPath

    @property
    def subject(self) -> str:
        return TABLE_SUBJECT.format(self.table_id)

    def find(self, session: Session) -> tuple[AccountSession, RecordTable]:
        """Return the account's session and the table. Raises BadRequest for an unknown user, and NotFound."""
        own = AccountSession(session, self.request.caller.account_id)
        actor = actor_of(own, self.request, self.email, self.email_at)
        return own, self.service.access.find(own, actor, self.entity, self.table_id)


class AddedToTable(NamedTuple):
    """Content of the answer to an addition."""

    added: int
    present: int
    invalid_ids: Sequence[str]


class AddedRowsMemo(Memo, frozen=True):
    """What a replay shows again."""

    added: int
    present: int
    invalid: list[int]
    """Places of ids among the different ones."""


class _AddedRows(ChargedWork[None, AddedToTable]):
    """Addition of rows."""

    memo = AddedRowsMemo

    def __init__(self, addressed: _Addressed, sent: SentIds) -> None:
        self._addressed = addressed
        self._sent = sent

    def compute(self, session: Session, prepared: None) -> PricedContent[AddedToTable]:
        own, table = self._addressed.find(session)
        at, sent = self._addressed.request.at, self._sent
        addition = self._addressed.service.addition.add(own, table, sent.numbers, at)
        invalid = sent.find_invalid(addition.missing)
        # a second spelling of a record finds it present, so that the counts add up to the different ids
        present = len(sent.by_id) - len(addition.added) - len(invalid)
        memo = AddedRowsMemo(len(addition.added), present, invalid)
        return PricedContent(self._shown(memo), memo, units=addition.units, subject=self._addressed.subject)

    def replay(self, session: Session, prepared: None, memo: AddedRowsMemo) -> AddedToTable:
        """Return the first answer's counts. Raises NotFound if the table is not there for the user any more."""
        self._addressed.find(session)
        return self._shown(memo)

    def _shown(self, memo: AddedRowsMemo) -> AddedToTable:
        return AddedToTable(memo.added, memo.present, self._sent.at(memo.invalid))


class RemovedFromTable(NamedTuple):
    """Content of the answer to a removal."""

    removed: int
    invalid_ids: Sequence[str]


class RemovedRowsMemo(Memo, frozen=True):
    """What a replay shows again."""

    removed: int
    invalid: list[int]
    """Places of ids among the different ones."""


class _RemovedRows(ChargedWork[None, RemovedFromTable]):
    """Removal of rows, in parts."""

    memo = RemovedRowsMemo

    def __init__(self, addressed: _Addressed, sent: SentIds) -> None:
        self._addressed = addressed
        self._sent = sent
        self._left: Sequence[int] = sent.numbers
        self._done = RemovedRowsMemo(0, [])

    def compute(self, session: Session, prepared: None) -> PricedContent[RemovedFromTable]:
        own, table = self._addressed.find(session)
        part = remove_rows(own, table, self._left, self._addressed.request.at)
        # what is missing is left out of the parts that follow
        invalid = self._done.invalid or self._sent.find_invalid(part.missing)
        self._done, self._left = RemovedRowsMemo(self._done.removed + part.removed, invalid), part.left
        return PricedContent(self._shown(self._done), self._done, is_complete=not part.left)

    def replay(self, session: Session, prepared: None, memo: RemovedRowsMemo) -> RemovedFromTable:
        """Return the first answer's count. Raises NotFound if the table is not there for the user any more."""
        self._addressed.find(session)
        return self._shown(memo)

    def _shown(self, memo: RemovedRowsMemo) -> RemovedFromTable:
        return RemovedFromTable(memo.removed, self._sent.at(memo.invalid))


class _PreparedPage(NamedTuple):
    """Page as read before the transaction of its charge."""

    page: RowPage
    removals: int
    """Removals of rows until then."""


class RowsMemo(Memo, frozen=True):
    """What a replay shows again."""

    records: list[int]


class _Page(ChargedWork[_PreparedPage, RowPage]):
    """Page of rows.

    It is read and rendered before the write transaction, which only checks that no row was removed since.
    """

    memo = RowsMemo
    price_key = READ
    reads = True

    def __init__(self, addressed: _Addressed, query: shapes.RowsQuery) -> None:
        self._addressed = addressed
        self._query = query

    def read(self) -> RowPage:
        return self.prepare().page

    def prepare(self) -> _PreparedPage:
        service = self._addressed.service
        with service.database.read() as session:
            own, table = self._addressed.find(session)
            page = service.reader.page(own, table, self._query.page, self._query.size)
        return _PreparedPage(page, table.removals)

    def compute(self, session: Session, prepared: _PreparedPage) -> PricedContent[RowPage]:
        _, table = self._addressed.find(session)
        if table.removals != prepared.removals:
            raise Outdated
        page = prepared.page
        return PricedContent(
            page,
            RowsMemo(page.numbers),
            quantities={READ: len(page.numbers)},
            subject=self._addressed.subject,
        )

    def replay(self, session: Session, prepared: _PreparedPage, memo: RowsMemo) -> RowPage:
        """Return the rows of the first answer that are still rows, as they are now."""
        own, table = self._addressed.find(session)
        if table.removals == prepared.removals and memo.records == prepared.page.numbers:
            return prepared.page
        return self._addressed.service.reader.of_records(own, table, memo.records)
