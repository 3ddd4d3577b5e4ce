"""Lookalikes: records that resemble seeds, without those of earlier calls of a session.

See docs/reference/lookalikes.md. A call is a charged call (`billing/charged_call.py`). Its preparation reads session,
seeds and exclusions, and asks the index while no transaction is open. Its transaction shows existing records only, and
moves the session on; if another call has done so since, or a record is gone, it is prepared again.
"""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from firmograph.billing.charged_call import Charged, ChargedCalls, ChargedWork, Outdated, PricedContent
from firmograph.billing.idempotency import Memo
from firmograph.caller import Request
from firmograph.database.connection import AccountSession, Database, Session
from firmograph.indexing.active_index import ActiveIndex
from firmograph.indexing.removed_records import RemovedRecords
from firmograph.kit.clock import Clock
from firmograph.kit.errors import BadRequest, Expired, FirmographError, Loading
from firmograph.lookalikes import sessions
from firmograph.lookalikes.seeds import Identified, SeedReader, find_seeds
from firmograph.lookalikes.sessions import Numbers, Remembered, SessionTurns
from firmograph.security.record_ids import Entity

if TYPE_CHECKING:
    # it loads the library of the index, which a server without lookalikes does not need
    from firmograph.lookalikes.index.similarity_index import SimilarityIndex

FEATURE = "lookalikes"
"""Plan feature of lookalikes."""


class Terms(NamedTuple):
    """Names of the properties of a request that errors speak of."""

    seeds: str = "seeds"
    session: str = "dedupeSessionId"


class Kind(NamedTuple):
    """Differences between the lookalikes of contacts and of companies, and between the generations."""

    entity: Entity
    price_key: str
    reader: SeedReader
    results: Callable[[Session, Collection[int]], Mapping[int, msgspec.Struct]]
    """Returns the results of existing records by number."""
    terms: Terms = Terms()
    """Names of the request's properties, for errors."""


class LookalikeQuery(NamedTuple):
    """What a call asks for."""

    seeds: Identified
    excluded: Identified
    session_id: str | None
    limit: int


class SeedCounts(NamedTuple):
    """Counts of the different seeds of a request."""

    used: int
    """Seeds that name one record alone."""
    unknown: int
    """Other seeds: unknown, ambiguous or suppressed."""


class LookalikeResults(NamedTuple):
    """Content of an answer."""

    results: Mapping[int, msgspec.Struct]
    """By record, in order."""
    session_id: str | None
    has_more: bool
    seeds: SeedCounts


class Lookalikes:
    """Service of the lookalike endpoints of both generations."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        charged_calls: ChargedCalls,
        index: "ActiveIndex[SimilarityIndex]",
    ) -> None:
        self._database = database
        self._clock = clock
        self._charged_calls = charged_calls
        self._index = index
        self._turns = SessionTurns()

    def find(self, request: Request, kind: Kind, query: LookalikeQuery) -> Charged[LookalikeResults]:
        """Answer a call."""
        work = _Work(self._database, self._clock, self._index, request, kind, query)
        with self._turns.take(request.caller.account_id, query.session_id):
            return self._charged_calls.run(request, work)


class _Found(NamedTuple):
    """Prepared call."""

    session: Remembered
    numbers: list[int]
    """Results, and one more if there is one."""
    limit: int
    """Number of results to show at most."""
    seeds: SeedCounts


class LookalikeMemo(Memo, frozen=True):
    """What a replay shows again."""

    records: list[int]
    session_id: str | None
    has_more: bool
    seeds: SeedCounts


class _Work(ChargedWork[_Found | FirmographError, LookalikeResults]):
    """Search for a call."""

    memo = LookalikeMemo

    def __init__(
        self,
        database: Database,
        clock: Clock,
        index: "ActiveIndex[SimilarityIndex]",
        request: Request,
        kind: Kind,
        query: LookalikeQuery,
    ) -> None:
        self._database = database
        self._clock = clock
        self._index = index
        self._account_id = request.caller.account_id
        self._kind = kind
        self._query = query
        self._missing: set[int] = set()
        """Records of the index that were found not to exist."""

    def prepare(self) -> _Found | FirmographError:
        """Return what the index finds, or the refusal that a call without an earlier answer is to have."""
        try:
            return self._find()
        except (Expired, BadRequest, Loading) as refusal:
            return refusal

    def _find(self) -> _Found:
        entity, reader, terms = self._kind.entity, self._kind.reader, self._kind.terms
        query = self._query
        with self._database.read() as session:
            own = AccountSession(session, self._account_id)
            now = self._clock.seconds()
            remembered = sessions.read_session(own, entity, query.session_id, now, terms.session)
            seeds = find_seeds(session, reader, query.seeds, terms.seeds)
            excluded = reader.find_excluded(session, query.excluded).every()
            index, removed = self._index_with_removed(session)
        used = seeds.count_unambiguous()
        counts = SeedCounts(used, query.seeds.total - used)
        limit = min(query.limit, remembered.room)
        if not limit:
            return _Found(remembered, [], 0, counts)
        left_out = _array({*seeds.every(), *excluded, *removed.of(entity), *self._missing})
        left_out = np.concatenate([remembered.numbers, left_out])
        found = index.similar(entity, _array(seeds.unambiguous()), left_out, limit + 1)
        return _Found(remembered, [one.number for one in found], limit, counts)

    def _index_with_removed(self, session: Session) -> "tuple[SimilarityIndex, RemovedRecords]":
        try:
            return self._index.with_removed(session)
        except Loading as refusal:
            raise Loading("similarity", refusal.seconds_left) from refusal

    def compute(
        self, session: Session, prepared: _Found | FirmographError
    ) -> PricedContent[LookalikeResults]:
        if isinstance(prepared, FirmographError):
            raise prepared
        kind, found = self._kind, prepared.numbers
        existing = kind.results(session, found)
        if len(existing) < len(found):
            self._missing.update(number for number in found if number not in existing)
            raise Outdated
        shown = found[: prepared.limit]
        own = AccountSession(session, self._account_id)
        moved = sessions.move_on(own, kind.entity, prepared.session, shown, self._clock.seconds())
        session_id = self._query.session_id or (str(moved) if moved else None)
        has_more = len(found) > len(shown) and prepared.session.room > len(shown)
        results = {number: existing[number] for number in shown}
        content = LookalikeResults(results, session_id, has_more, prepared.seeds)
        memo = LookalikeMemo(shown, session_id, has_more, prepared.seeds)
        return PricedContent(content, memo, quantities={kind.price_key: len(shown)})

    def replay(
        self, session: Session, prepared: _Found | FirmographError, memo: LookalikeMemo
    ) -> LookalikeResults:
        """Return the results of the first response that still exist, with its session."""
        existing = self._kind.results(session, memo.records)
        results = {number: existing[number] for number in memo.records if number in existing}
        return LookalikeResults(results, memo.session_id, memo.has_more, memo.seeds)


def _array(numbers: Collection[int]) -> Numbers:
    """Return record numbers in order, so that the same seeds are the same question."""
    return np.array(sorted(numbers), np.int64)
