"""Signal scores of a batch of items: lookup, score, charge and response in one transaction.

See docs/reference/signal-score.md#charges.

Each scored record is charged once a call, independent of earlier calls; a replay under an `Idempotency-Key` scores
today's signals, free of charge.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple, Protocol

import msgspec

from firmograph.billing.charged_call import ChargedCall, ChargedCalls, ChargedWork, PricedContent
from firmograph.billing.idempotency import Memo
from firmograph.caller import Request
from firmograph.database.connection import Database, Session
from firmograph.directory.result_slots import ItemErrorCode as Code
from firmograph.kit.clock import Clock, today
from firmograph.security.record_ids import Entity
from firmograph.signal_score.rules import ACTIVE_DAYS, Score
from firmograph.signals import store as signal_store


class Activity(NamedTuple):
    """Newest signals of records."""

    newest: Mapping[int, Mapping[str, str]]
    """Day by record and type."""
    since: str
    """First day from which a signal counts as activity."""


def find_activity(session: Session, entity: Entity, numbers: Collection[int], until: date) -> Activity:
    """Return what the scores of records are computed from, without signals after `until`. One statement."""
    newest = signal_store.newest_days(session, entity, numbers, until.isoformat())
    return Activity(newest, (until - timedelta(days=ACTIVE_DAYS)).isoformat())


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


class ScoredBatch(NamedTuple):
    """Content of an answer."""

    results: list[msgspec.Struct]
    numbers: list[int | None]
    """Number of the scored record of each item, None without a score."""

    @property
    def returned(self) -> int:
        return sum(number is not None for number in self.numbers)


class SignalScore:
    """Service of the signal score endpoints."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        charged_calls: ChargedCalls,
        contacts: Scoring,
        companies: Scoring,
    ) -> None:
        self._database = database
        self._clock = clock
        self._charged_calls = charged_calls
        self._contacts = contacts
        self._companies = companies

    def contacts(self, request: Request, body: Any) -> ChargedCall[ScoredBatch]:
        return self._ready(request, body, self._contacts)

    def companies(self, request: Request, body: Any) -> ChargedCall[ScoredBatch]:
        return self._ready(request, body, self._companies)

    def _ready(self, request: Request, body: Any, kind: Scoring) -> ChargedCall[ScoredBatch]:
        return self._charged_calls.ready(request, _Scored(self._database, self._clock, body, kind))


class ScoreMemo(Memo, frozen=True):
    """What a replay shows again."""

    records: list[int | None]
    """Scored record of each item."""


class _Scored(ChargedWork[None, ScoredBatch]):
    """Scores of the items of a call."""

    memo = ScoreMemo
    reads = True

    def __init__(self, database: Database, clock: Clock, body: Any, kind: Scoring) -> None:
        self._database = database
        self._clock = clock
        self._body = body
        self._kind = kind
        self.price_key = kind.price_key

    def read(self) -> ScoredBatch:
        with self._database.read() as session:
            return self._score(session)

    def compute(self, session: Session, prepared: None) -> PricedContent[ScoredBatch]:
        batch = self._score(session)
        scored = {number for number in batch.numbers if number is not None}
        return PricedContent(batch, ScoreMemo(batch.numbers), quantities={self._kind.price_key: len(scored)})

    def replay(self, session: Session, prepared: None, memo: ScoreMemo) -> ScoredBatch:
        return self._score(session, memo.records)

    def _score(self, session: Session, shown: Sequence[int | None] | None = None) -> ScoredBatch:
        """Score a batch. `shown` are the records that the first response showed and charged; no other is shown."""
        kind = self._kind
        items = kind.items(self._body)
        found = kind.find(session, items)
        numbers = {one.number for one in found if one.number is not None}
        newest, since = find_activity(session, kind.entity, numbers, today(self._clock))
        scores = kind.scores(session, found, newest, since)
        batch = ScoredBatch([], [])
        for index, (item, one) in enumerate(zip(items, found, strict=True)):
            score = scores.get(one.number) if one.number is not None else None
            may_show = shown is None or shown[index] == one.number
            if score and may_show:
                batch.results.append(kind.result(item, one, score))
            else:
                batch.results.append(
                    kind.error_result(item, one.error or ("NOT_FOUND" if score else "NO_SCORE"))
                )
            batch.numbers.append(one.number if score and may_show else None)
        return batch
