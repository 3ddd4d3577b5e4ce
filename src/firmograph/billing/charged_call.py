"""Charged call: key, replay or computation, charge and cached response.

Charge, effects and cached response are one write transaction of the account: after a crash all of them exist or none.
What was prepared before the transaction may be outdated in it; the call is then rolled back and prepared again.
An answer that costs nothing and has no key to keep needs no such transaction; its feature reads and renders it alone.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from firmograph.api.endpoint import Call, ChargedResponse, FirstAnswer
from firmograph.api.table_rows import TableRows
from firmograph.billing import ledger, paid_units
from firmograph.billing.idempotency import CachedResponse, Idempotency, KeyedCall, keyed_call
from firmograph.billing.paid_units import PaidUnits
from firmograph.billing.types import Unit
from firmograph.database.connection import AccountSession, Database, Scope, Session, account_scope
from firmograph.kit.errors import Busy
from firmograph.kit.whole_numbers import encode

P = TypeVar("P")
C = TypeVar("C")


MOST_PREPARATIONS: Final = 8
"""Preparations of a call after which it is refused as Busy."""


class Outdated(Exception):
    """What was prepared does not fit the data any more; `compute` raises it and the call is prepared again."""


class PricedContent(NamedTuple, Generic[C]):
    """Content of an answer with its price."""

    content: C
    memo: Sequence[Any]
    """JSON values that a replay needs; billing only keeps them."""
    units: Collection[Unit] = ()
    """Data points to pay for; those already paid are free."""
    quantities: Mapping[str, int] = {}
    """Quantities by price key, charged each time; without effect where the plan does not price the key."""
    covered: Collection[Unit] = ()
    """Units that the quantities pay for: recorded as paid, at whatever price."""
    subject: str = ""
    """Table that the ledger rows name, as `table:ID`."""
    is_complete: bool = True
    """False for a part of the effects, which is committed before the call is computed again; it has no answer."""


class ChargedWork(Protocol[P, C]):
    """Part of a charged call that its feature supplies."""

    def prepare(self) -> P:
        """Return what the answer needs of an index or of another machine; called outside any transaction."""
        ...

    def compute(self, session: Session, prepared: P) -> PricedContent[C]:
        """Return the content as it is once paid for, and its price; called in the write transaction of the charge.

        Effects written here are rolled back with the charge. Raises Outdated if it has to be prepared again.
        """
        ...

    def replay(self, session: Session, prepared: P, memo: Sequence[Any]) -> C:
        """Return the content of an earlier answer from today's data, with nothing that was not paid then."""
        ...

    def render(self, session: Session, content: C, request_id: str, credits: int) -> bytes:
        """Return the body of the answer."""
        ...


class FreeChange(NamedTuple, Generic[C]):
    """Free call that changes something, in the steps of `ChargedWork`."""

    account_id: int
    change: Callable[[AccountSession], tuple[C, Sequence[Any]]]
    """Returns the content of the answer, and what `repeat` needs."""
    repeat: Callable[[AccountSession, Sequence[Any]], C]
    """Returns the content again; nothing is changed."""
    answer: Callable[[C, str], msgspec.Struct]
    """Returns the answer, given its request id."""

    def prepare(self) -> None:
        return None

    def compute(self, session: Session, prepared: None) -> PricedContent[C]:
        return PricedContent(*self.change(AccountSession(session, self.account_id)))

    def replay(self, session: Session, prepared: None, memo: Sequence[Any]) -> C:
        return self.repeat(AccountSession(session, self.account_id), memo)

    def render(self, session: Session, content: C, request_id: str, credits: int) -> bytes:
        return encode(self.answer(content, request_id))


def show_nothing(session: AccountSession, memo: Sequence[Any]) -> None:
    """Repeat a change whose answer shows nothing of today."""


class ChargedCalls:
    """Runner of calls that charge credits or keep an `Idempotency-Key`."""

    def __init__(self, database: Database, idempotency: Idempotency, paid_units: PaidUnits) -> None:
        self._database = database
        self._idempotency = idempotency
        self._paid_units = paid_units

    def run(
        self,
        call: Call[Any],
        work: ChargedWork[P, C],
        table_rows: Callable[[C], TableRows | None] | None = None,
        scopes: Sequence[Scope] = (),
    ) -> ChargedResponse:
        """Answer a call, or its replay, whose caller has an `account_id` and a `plan`.

        `table_rows` returns the rows of an answer that a body with `tableId` adds to a table; `scopes` are what the
        transaction holds besides that of the account.

        Raises PaymentRequired, Conflict if the key belongs to another request or to one that is still running, and
        Busy if everything that was prepared was outdated.
        """
        keyed = keyed_call(call)
        with self._idempotency.running(keyed):
            outdated = 0
            while outdated < MOST_PREPARATIONS:
                try:
                    response = self._answer(call, keyed, work, work.prepare(), table_rows, scopes)
                except Outdated:
                    outdated += 1
                    continue
                if response is not None:
                    return response
        raise Busy

    def change(
        self,
        call: Call[Any],
        change: Callable[[AccountSession], tuple[C, Sequence[Any]]],
        repeat: Callable[[AccountSession, Sequence[Any]], C],
        answer: Callable[[C, str], msgspec.Struct],
        *scopes: Scope,
    ) -> ChargedResponse:
        """Answer a free call that changes something, or its replay.

        `change` returns content with the JSON values that `repeat` needs to return it again. They hold no text of
        the request and no data of a record, which erasure could not reach there.
        """
        work = FreeChange(call.account.account_id, change, repeat, answer)
        return self.run(call, work, scopes=scopes)

    def _answer(
        self,
        call: Call[Any],
        keyed: KeyedCall | None,
        work: ChargedWork[P, C],
        prepared: P,
        table_rows: Callable[[C], TableRows | None] | None,
        scopes: Sequence[Scope],
    ) -> ChargedResponse | None:
        """Answer the call in a transaction, or commit a part of its effects."""
        with self._database.write(*scopes, account_scope(call.account.account_id)) as session:
            cached = self._idempotency.find(session, keyed)
            if cached is not None:
                content = work.replay(session, prepared, cached.memo)
                first = FirstAnswer(cached.request_id, cached.credits_charged, cached.table_write)
                body = work.render(session, content, first.request_id, first.credits)
                return ChargedResponse(body, 0, _keyed_rows(keyed, table_rows, content), first)
            priced = work.compute(session, prepared)
            credits = self._charge(session, call, priced)
            if not priced.is_complete:
                return None
            body = work.render(session, priced.content, call.request_id, credits)
            if keyed is not None:
                self._idempotency.keep(session, keyed, CachedResponse(call.request_id, credits, priced.memo))
            return ChargedResponse(body, credits, _keyed_rows(keyed, table_rows, priced.content))

    def _charge(self, session: Session, call: Call[Any], priced: PricedContent[C]) -> int:
        own, plan = AccountSession(session, call.account.account_id), call.account.plan
        bought = self._paid_units.pay(own, plan, call.request_id, priced.units, call.at, priced.subject)
        if priced.covered:
            paid_units.record_paid(own, priced.covered, call.request_id, call.at)
        quantities = {
            key: quantity for key, quantity in priced.quantities.items() if quantity and plan.is_priced(key)
        }
        if not quantities:
            return bought.credits
        return bought.credits + ledger.charge(own, plan, quantities, call.request_id, call.at, priced.subject)


def _keyed_rows(
    keyed: KeyedCall | None, table_rows: Callable[[C], TableRows | None] | None, content: C
) -> TableRows | None:
    """Return the rows of an answer for a table, with the key that their write is kept under."""
    rows = table_rows(content) if table_rows else None
    return rows if rows is None or keyed is None else rows._replace(key=(keyed.target, keyed.key))
