"""Charged call: key, replay or computation, charge and cached response.

Charge, effects and cached response are one write transaction of the account: after a crash all of them exist or none.
What was prepared before the transaction may be outdated in it; the call is then rolled back and prepared again.
An answer that costs nothing and has no key to keep needs no such transaction; its feature reads it alone.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeVar

from firmograph.billing import ledger, paid_units
from firmograph.billing.idempotency import CachedResponse, Idempotency, Memo
from firmograph.billing.paid_units import PaidUnits
from firmograph.billing.types import Unit
from firmograph.caller import Request
from firmograph.database.connection import AccountSession, Database, Scope, Session, account_scope
from firmograph.kit.errors import Busy

P = TypeVar("P")
C = TypeVar("C")
M = TypeVar("M", bound=Memo)

MOST_PREPARATIONS: Final = 8
"""Preparations of a call after which it is refused as Busy."""


class Outdated(Exception):
    """What was prepared does not fit the data any more; `compute` raises it and the call is prepared again."""


class Charged(NamedTuple, Generic[C]):
    """Content of an answer, with what it cost."""

    content: C
    credits: int
    """Credits of the answer; of a replay those of the first one."""
    request_id: str
    """Id of the request that was answered; of a replay that of the first one."""
    is_replay: bool = False
    followed: bytes | None = None
    """What is kept of the work that followed the first answer."""


class PricedContent(NamedTuple, Generic[C]):
    """Content of an answer with its price."""

    content: C
    memo: Memo = Memo()
    """What a replay needs; billing only keeps it."""
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


class ChargedWork(Generic[P, C]):
    """Part of a charged call that its feature supplies, for one call."""

    memo: ClassVar[type[Memo]] = Memo
    """Form of what a replay needs."""
    price_key: str | None = None
    """Price key by which it charges each time, if the plan prices that; reading does not suffice then."""
    keeps_key: bool = True
    """Whether an `Idempotency-Key` is kept, even if the answer costs nothing."""
    reads: bool = False
    """Whether `read` may answer it."""
    is_short: bool = False
    """Whether reading takes less time than a change of threads."""

    def read(self) -> C | None:
        """Return the content in a transaction of its own, None if something is to be paid or written."""
        return None

    def prepare(self) -> P:
        """Return what the answer needs of an index or of another machine; called outside any transaction."""
        return None  # type: ignore[return-value]

    def compute(self, session: Session, prepared: P) -> PricedContent[C]:
        """Return the content as it is once paid for, and its price; called in the write transaction of the charge.

        Effects written here are rolled back with the charge. Raises Outdated if it has to be prepared again.
        """
        raise NotImplementedError

    def replay(self, session: Session, prepared: P, memo: Any) -> C:
        """Return the content of an earlier answer from today's data, with nothing that was not paid then."""
        raise NotImplementedError


class FreeReading(ChargedWork[None, C]):
    """Reading that costs nothing, under a key too."""

    keeps_key = False
    reads = True

    def __init__(self, read: Callable[[], C], *, is_short: bool = False) -> None:
        self._read = read
        self.is_short = is_short

    def read(self) -> C:
        return self._read()


class FreeChange(ChargedWork[None, C], Generic[C, M]):
    """Free call that changes something."""

    def __init__(
        self,
        request: Request,
        memo: type[M],
        change: Callable[[AccountSession], tuple[C, M]],
        repeat: Callable[[AccountSession, M], C],
    ) -> None:
        self._account_id = request.caller.account_id
        self._memo = memo
        self._change = change
        self._repeat = repeat

    @property
    def memo(self) -> type[M]:  # type: ignore[override]
        return self._memo

    def compute(self, session: Session, prepared: None) -> PricedContent[C]:
        return PricedContent(*self._change(AccountSession(session, self._account_id)))

    def replay(self, session: Session, prepared: None, memo: M) -> C:
        return self._repeat(AccountSession(session, self._account_id), memo)


def show_nothing(session: AccountSession, memo: Memo) -> None:
    """Repeat a change whose answer shows nothing of today."""


class ChargedCall(Generic[C]):
    """Call that is ready to be answered, by reading where that suffices."""

    def __init__(
        self, calls: "ChargedCalls", request: Request, work: ChargedWork[Any, C], scopes: Sequence[Scope]
    ) -> None:
        self.may_read = _may_read(request, work)
        self.is_short = work.is_short
        self._calls = calls
        self._request = request
        self._work = work
        self._scopes = scopes

    def read(self) -> Charged[C] | None:
        """Return the answer if nothing is to be paid and kept; it waits for no writer."""
        content = self._work.read() if self.may_read else None
        return None if content is None else Charged(content, 0, self._request.id)

    def charge(self) -> Charged[C]:
        """Return the answer, paid for; raises as `ChargedCalls.run`."""
        return self._calls.charge(self._request, self._work, self._scopes)


def _may_read(request: Request, work: ChargedWork[Any, Any]) -> bool:
    """Return whether a call may be answered without a write transaction."""
    if not work.reads or (request.key is not None and work.keeps_key):
        return False
    return work.price_key is None or not request.caller.plan.is_priced(work.price_key)


class ChargedCalls:
    """Runner of calls that charge credits or keep an `Idempotency-Key`."""

    def __init__(self, database: Database, idempotency: Idempotency, paid_units: PaidUnits) -> None:
        self._database = database
        self._idempotency = idempotency
        self._paid_units = paid_units

    def ready(self, request: Request, work: ChargedWork[P, C], *scopes: Scope) -> ChargedCall[C]:
        """Return a call for its caller to answer; `scopes` are what its transaction holds besides the account's."""
        return ChargedCall(self, request, work, scopes)

    def run(self, request: Request, work: ChargedWork[P, C], *scopes: Scope) -> Charged[C]:
        """Answer a call, or its replay.

        Raises PaymentRequired, Conflict if the key belongs to another request or to one that is still running, and
        Busy if everything that was prepared was outdated.
        """
        call = self.ready(request, work, *scopes)
        return call.read() or call.charge()

    def change(
        self,
        request: Request,
        change: Callable[[AccountSession], tuple[C, M]],
        repeat: Callable[[AccountSession, M], C],
        memo: type[M],
        *scopes: Scope,
    ) -> Charged[C]:
        """Answer a free call that changes something, or its replay.

        `change` returns content with what `repeat` needs to return it again. That holds no text of the request and no
        data of a record, which erasure could not reach there.
        """
        return self.charge(request, FreeChange(request, memo, change, repeat), scopes)

    def charge(self, request: Request, work: ChargedWork[P, C], scopes: Sequence[Scope]) -> Charged[C]:
        """Answer a call in a write transaction; raises as `run`."""
        with self._idempotency.running(request):
            outdated = 0
            while outdated < MOST_PREPARATIONS:
                try:
                    charged = self._answer(request, work, work.prepare(), scopes)
                except Outdated:
                    outdated += 1
                    continue
                if charged is not None:
                    return charged
        raise Busy

    def _answer(
        self, request: Request, work: ChargedWork[P, C], prepared: P, scopes: Sequence[Scope]
    ) -> Charged[C] | None:
        """Answer the call in a transaction, or commit a part of its effects."""
        with self._database.write(*scopes, account_scope(request.caller.account_id)) as session:
            cached = self._idempotency.find(session, request, work.memo)
            if cached is not None:
                content = work.replay(session, prepared, cached.memo)
                return Charged(content, cached.credits, cached.request_id, True, cached.followed)
            priced = work.compute(session, prepared)
            credits = self._charge(session, request, priced)
            if not priced.is_complete:
                return None
            self._idempotency.keep(session, request, CachedResponse(request.id, credits, priced.memo))
            return Charged(priced.content, credits, request.id)

    def _charge(self, session: Session, request: Request, priced: PricedContent[C]) -> int:
        caller = request.caller
        own, plan, spender = AccountSession(session, caller.account_id), caller.plan, caller.spender
        bought = self._paid_units.pay(
            own, plan, request.id, priced.units, request.at, priced.subject, spender
        )
        if priced.covered:
            paid_units.record_paid(own, priced.covered, request.id, request.at)
        quantities = {
            key: quantity for key, quantity in priced.quantities.items() if quantity and plan.is_priced(key)
        }
        if not quantities:
            return bought.credits
        charged = ledger.charge(own, plan, quantities, request.id, request.at, priced.subject, spender)
        return bought.credits + charged
