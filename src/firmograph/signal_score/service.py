"""Signal scores of a batch of items: lookup, score, charge and response in one transaction.

See docs/reference/signal-score.md#charges.

Each scored record is charged once a call, independent of earlier calls; a replay under an `Idempotency-Key` scores
today's signals, free of charge.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple, Protocol

import msgspec

from firmograph.accounts.caller import Caller
from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.api.envelope import ErrorDetail, item_message
from firmograph.api.envelope import ItemErrorCode as Code
from firmograph.billing import ledger
from firmograph.billing.idempotency import CachedResponse, Idempotency, keyed_call
from firmograph.database.connection import Database, Session, account_scope
from firmograph.kit.clock import Clock, today
from firmograph.kit.whole_numbers import encode
from firmograph.security.record_ids import Entity
from firmograph.signal_score.rules import ACTIVE_DAYS, Score
from firmograph.signals import store as signal_store


def error(entity: Entity, code: Code) -> ErrorDetail:
    return ErrorDetail(code, item_message(entity, code))


class ResolvedItem(NamedTuple):
    """Record of an item, or the code of its error."""

    number: int | None
    record: Any
    error: Code | None = None


class Scoring(Protocol):
    """Operations that differ between contacts and companies."""

    entity: Entity
    price_key: str

    def items(self, body: Any) -> Sequence[Any]: ...

    def find(self, session: Session, items: Sequence[Any]) -> list[ResolvedItem]:
        """Return the record of each item. Raises BadRequest for a malformed one."""

    def scores(
        self,
        session: Session,
        found: Iterable[ResolvedItem],
        newest: Mapping[int, Mapping[str, str]],
        since: str,
    ) -> dict[int, Score | None]: ...

    def result(self, item: Any, found: ResolvedItem, score: Score) -> msgspec.Struct: ...

    def error_result(self, item: Any, code: Code) -> msgspec.Struct: ...


class SignalScore:
    """Service of the signal score endpoints."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        idempotency: Idempotency,
        contacts: Scoring,
        companies: Scoring,
    ) -> None:
        self._database = database
        self._clock = clock
        self._idempotency = idempotency
        self._contacts = contacts
        self._companies = companies

    def contacts(self, call: Call[Any]) -> Deferred:
        return self._answer(call, self._contacts)

    def companies(self, call: Call[Any]) -> Deferred:
        return self._answer(call, self._companies)

    def _answer(self, call: Call[Any], kind: Scoring) -> Deferred:
        if call.idempotency_key is None and not call.caller.plan.is_priced(kind.price_key):
            return Deferred(lambda: self._read(call, kind), writes=False)
        return Deferred(lambda: self._charge(call, kind))

    def _read(self, call: Call[Any], kind: Scoring) -> ChargedResponse:
        with self._database.read() as session:
            return ChargedResponse(_rendered(call.request_id, self._batch(session, call, kind), 0), 0)

    def _charge(self, call: Call[Any], kind: Scoring) -> ChargedResponse:
        keyed = keyed_call(call)
        with (
            self._idempotency.running(keyed),
            self._database.write(account_scope(call.caller.account_id)) as session,
        ):
            cached = self._idempotency.find(session, keyed)
            batch = self._batch(session, call, kind, cached)
            if cached is not None:
                return ChargedResponse(_rendered(cached.request_id, batch, cached.credits_charged), 0)
            credits = self._pay(session, call, kind, batch)
            if keyed is not None:
                cached = CachedResponse(call.request_id, credits, batch.returned, batch.numbers)
                self._idempotency.keep(session, keyed, cached)
            return ChargedResponse(_rendered(call.request_id, batch, credits), credits)

    def _pay(self, session: Session, call: Call[Any], kind: Scoring, batch: "_Batch") -> int:
        scored = len({number for number in batch.numbers if number is not None})
        if not scored:
            return 0
        caller: Caller = call.caller
        quantities = {kind.price_key: scored}
        return ledger.charge(session, caller.account_id, caller.plan, quantities, call.request_id, call.at)

    def _batch(
        self, session: Session, call: Call[Any], kind: Scoring, cached: CachedResponse | None = None
    ) -> "_Batch":
        """Score a batch. A replay shows only records that the first response showed and charged."""
        items = kind.items(call.body)
        found = kind.find(session, items)
        numbers = {one.number for one in found if one.number is not None}
        until = today(self._clock)
        since = (until - timedelta(days=ACTIVE_DAYS)).isoformat()
        newest = signal_store.newest_days(session, kind.entity, numbers, until.isoformat())
        scores = kind.scores(session, found, newest, since)
        batch = _Batch([], [])
        for index, (item, one) in enumerate(zip(items, found, strict=True)):
            score = scores.get(one.number) if one.number is not None else None
            may_show = cached is None or cached.records[index] == one.number
            if score and may_show:
                batch.results.append(kind.result(item, one, score))
            else:
                batch.results.append(
                    kind.error_result(item, one.error or ("NOT_FOUND" if score else "NO_SCORE"))
                )
            batch.numbers.append(one.number if score and may_show else None)
        return batch


class _Batch(NamedTuple):
    results: list[msgspec.Struct]
    numbers: list[int | None]
    """Number of the scored record of each item, None without a score."""

    @property
    def returned(self) -> int:
        return sum(number is not None for number in self.numbers)


def _rendered(request_id: str, batch: _Batch, credits: int) -> bytes:
    return encode(
        {
            "requestId": request_id,
            "results": batch.results,
            "billing": {"creditsCharged": credits, "resultsReturned": batch.returned},
        }
    )
