"""Lookalikes: records that resemble seeds, without those of earlier calls of a session.

See docs/reference/lookalikes.md. A call is a charged call (`billing/charged_call.py`). Its preparation reads session,
seeds and exclusions, and asks the index while no transaction is open. Its transaction shows existing records only, and
moves the session on; if another call has done so since, or a record is gone, it is prepared again.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.api.envelope import render_answer
from firmograph.api.table_rows import TableRows, requested_rows
from firmograph.billing.charged_call import ChargedCalls, Outdated, PricedContent
from firmograph.database.connection import AccountSession, Database, Session
from firmograph.indexing.active_index import ActiveIndex
from firmograph.kit.clock import Clock
from firmograph.kit.errors import BadRequest, Expired, FirmographError, Loading
from firmograph.kit.whole_numbers import encode
from firmograph.lookalikes import sessions
from firmograph.lookalikes.seeds import Identified, SeedReader, find_seeds, read_exclusions, read_seeds
from firmograph.lookalikes.sessions import Numbers, Remembered, SessionTurns
from firmograph.security.record_ids import Entity

if TYPE_CHECKING:
    # it loads the library of the index, which a server without lookalikes does not need
    from firmograph.lookalikes.index.similarity_index import SimilarityIndex

FEATURE = "lookalikes"
"""Plan feature of lookalikes."""


class Kind(NamedTuple):
    """Differences between the lookalikes of contacts and of companies, and between the paths."""

    entity: Entity
    price_key: str
    reader: SeedReader
    results: Callable[[Session, Collection[int]], Mapping[int, msgspec.Struct]]
    """Returns the results of existing records by number."""
    earlier: bool
    """Whether the answer has the further members of the earlier path."""


class Kinds(NamedTuple):
    """Kind of each path."""

    contacts: Kind
    companies: Kind
    earlier_contacts: Kind
    earlier_companies: Kind


class Lookalikes:
    """Service of the lookalike endpoints."""

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

    def answer(self, call: Call[Any], kind: Kind) -> Deferred:
        return Deferred(lambda: self._run(call, kind))

    def _run(self, call: Call[Any], kind: Kind) -> ChargedResponse:
        body = call.body
        seeds = read_seeds(kind.reader, body.seeds)
        excluded = read_exclusions(kind.reader, body.exclude)
        work = _Work(self._database, self._clock, self._index, call, kind, seeds, excluded)
        with self._turns.take(call.account.account_id, work.session_id):
            return self._charged_calls.run(call, work, work.table_rows)


class _Found(NamedTuple):
    """Prepared call."""

    session: Remembered
    numbers: list[int]
    """Results, and one more if there is one."""
    limit: int
    """Number of results to show at most."""


class _Content(NamedTuple):
    results: Mapping[int, msgspec.Struct]
    """By record, in order."""
    session_id: str | None
    has_more: bool


class _Work:
    """Call in the steps of `charged_call.ChargedWork`."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        index: "ActiveIndex[SimilarityIndex]",
        call: Call[Any],
        kind: Kind,
        seeds: Identified,
        excluded: Identified,
    ) -> None:
        self.session_id: str | None = call.body.dedupe_session_id or None
        self._database = database
        self._clock = clock
        self._index = index
        self._call = call
        self._kind = kind
        self._seeds = seeds
        self._excluded = excluded
        self._table_rows = None if kind.earlier else requested_rows(call, kind.entity)
        self._missing: set[int] = set()
        """Records of the index that were found not to exist."""

    def prepare(self) -> _Found | FirmographError:
        """Return what the index finds, or the refusal that a call without an earlier answer is to have."""
        try:
            return self._find()
        except (Expired, BadRequest, Loading) as refusal:
            return refusal

    def _find(self) -> _Found:
        entity, reader = self._kind.entity, self._kind.reader
        with self._database.read() as session:
            own = AccountSession(session, self._call.account.account_id)
            remembered = sessions.read_session(own, entity, self.session_id, self._clock.seconds())
            seeds = find_seeds(session, reader, self._seeds)
            excluded = reader.find(session, self._excluded).every()
            index, removed = self._index_with_removed(session)
        limit = min(self._call.body.limit, remembered.room)
        if not limit:
            return _Found(remembered, [], 0)
        left_out = _array({*seeds.every(), *excluded, *removed, *self._missing})
        left_out = np.concatenate([remembered.numbers, left_out])
        found = index.similar(entity, _array(seeds.unambiguous()), left_out, limit + 1)
        return _Found(remembered, [one.number for one in found], limit)

    def _index_with_removed(self, session: Session) -> "tuple[SimilarityIndex, Collection[int]]":
        try:
            index, removed = self._index.with_removed(session)
        except Loading as refusal:
            raise Loading(
                "The similarity index is being prepared; everything else works. Try again shortly"
            ) from refusal
        # only contacts are deleted, and their numbers are companies' as well
        return index, removed if self._kind.entity is Entity.CONTACT else ()

    def compute(self, session: Session, prepared: _Found | FirmographError) -> PricedContent[_Content]:
        if isinstance(prepared, FirmographError):
            raise prepared
        kind, found = self._kind, prepared.numbers
        existing = kind.results(session, found)
        if len(existing) < len(found):
            self._missing.update(number for number in found if number not in existing)
            raise Outdated
        shown = found[: prepared.limit]
        own = AccountSession(session, self._call.account.account_id)
        moved = sessions.move_on(own, kind.entity, prepared.session, shown, self._clock.seconds())
        session_id = self.session_id or (str(moved) if moved else None)
        has_more = len(found) > len(shown) and prepared.session.room > len(shown)
        content = _Content({number: existing[number] for number in shown}, session_id, has_more)
        memo = (len(shown), shown, session_id, has_more)
        return PricedContent(content, memo, quantities={kind.price_key: len(shown)})

    def replay(self, session: Session, prepared: _Found | FirmographError, memo: Sequence[Any]) -> _Content:
        """Return the results of the first response that still exist, with its session."""
        _, numbers, session_id, has_more, *_ = memo
        existing = self._kind.results(session, numbers)
        results = {number: existing[number] for number in numbers if number in existing}
        return _Content(results, session_id, has_more)

    def render(self, session: Session, content: _Content, request_id: str, credits: int) -> bytes:
        returned = len(content.results)
        members = b'"dedupeSessionId":%s,"meta":{"returned":%d,"hasMore":%s},' % (
            encode(content.session_id),
            returned,
            encode(content.has_more),
        )
        if self._kind.earlier:
            members += b'"creditsCharged":%d,' % credits
        return render_answer(
            request_id, list(map(encode, content.results.values())), credits, returned, members
        )

    def table_rows(self, content: _Content) -> TableRows | None:
        """Return the rows of the results for a table, if the call names one."""
        rows = self._table_rows
        return None if rows is None else rows._replace(numbers=list(content.results))


def _array(numbers: Collection[int]) -> Numbers:
    """Return record numbers in order, so that the same seeds are the same question."""
    return np.array(sorted(numbers), np.int64)
