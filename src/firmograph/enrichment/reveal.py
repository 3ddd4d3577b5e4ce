"""Revealing records: what is wanted, paid, shown, and kept for a replay, the same for contacts and companies.

See docs/reference/account.md#credits.

Charge and effect are one transaction: records are read, paid units checked, credits taken and the
idempotency key kept while the database's writer is held. Where nothing is left to pay, and nothing is to be kept, a
reading transaction is enough.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from msgspec import UnsetType

from firmograph.accounts.caller import Caller
from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.billing import exposure_store, ledger
from firmograph.billing.exposure_store import Exposure
from firmograph.billing.idempotency import CachedResponse, Idempotency
from firmograph.billing.paid_units import PaidUnits
from firmograph.database.connection import Database, Session, account_scope
from firmograph.enrichment import render
from firmograph.security.record_ids import Entity

R = TypeVar("R")

Paid = Collection[tuple[int, str]]
"""(record number, unit) pairs."""


class Place(NamedTuple):
    """One item of the request: the record that it means, or the code of its error."""

    number: int | None
    error: str | None = None
    """None where only the number can tell, once its record turns out to be missing."""


class Item(NamedTuple):
    """How an item is named in its result: by its reference, or, in an error, by the id it was asked by."""

    reference: str | UnsetType
    token: str | None = None


class Revealing(Protocol[R]):
    """What contacts and companies do differently."""

    entity: Entity

    def load(self, session: Session, numbers: Collection[int]) -> Mapping[int, R]:
        """Return the stored records."""
        ...

    def units(self, record: R, reveal: frozenset[str]) -> Sequence[str]:
        """Return the paid units of a record for a requested `reveal`."""
        ...

    def errors(self, session: Session, numbers: Collection[int]) -> Mapping[int, str]:
        """Return the codes of missing records that are not `NOT_FOUND`."""
        ...

    def render(
        self, session: Session, caller: Caller, records: Mapping[int, R], reveal: frozenset[str], paid: Paid
    ) -> Callable[[int, str | UnsetType], bytes]:
        """Render a record under a reference, with what was requested and paid."""
        ...


class Asked(NamedTuple):
    """One charging call."""

    call: Call[Any]
    reveal: frozenset[str]
    items: Sequence[Item]
    search: str | None = None
    """The price key of the search in it, charged by the number of results."""
    partner: str | None = None
    """On whose behalf contacts are revealed, to be noted for opt-outs (docs/reference/webhooks.md#opt-outs)."""

    @property
    def caller(self) -> Caller:
        caller: Caller = self.call.caller
        return caller

    def writes(self) -> bool:
        """Whether there is something to keep or to charge even where every data point is paid."""
        key = self.call.idempotency_key
        return key is not None or self.partner is not None or self.search_is_priced()

    def search_is_priced(self) -> bool:
        return self.search is not None and self.caller.plan.is_priced(self.search)


Resolve = Callable[[Session], Sequence[Place]]


class Batch(NamedTuple, Generic[R]):
    """The records of one call, as one transaction saw them."""

    places: Sequence[Place]
    records: Mapping[int, R]
    errors: Mapping[int, str]
    wanted: set[tuple[int, str]]
    paid: set[tuple[int, str]]

    def error(self, place: Place) -> str:
        held = self.errors.get(place.number) if place.number is not None else None
        return place.error or held or render.NOT_FOUND


class Reveal:
    """Answers charging calls."""

    def __init__(self, database: Database, purchases: PaidUnits, idempotency: Idempotency) -> None:
        self._database = database
        self._purchases = purchases
        self._idempotency = idempotency

    def answer(self, asked: Asked, kind: Revealing[R], resolve: Resolve) -> ChargedResponse | Deferred:
        """Return the answer if nothing has to be written, else one that waits for the writer."""
        if not asked.writes():
            with self._database.read() as session:
                batch = self._batch(session, asked, kind, resolve(session))
                if batch.wanted <= batch.paid:
                    answer = self._render(session, asked, kind, batch, asked.call.request_id, 0)
                    return ChargedResponse(answer, 0)
        return Deferred(lambda: self._charge(asked, kind, resolve))

    def _charge(self, asked: Asked, kind: Revealing[R], resolve: Resolve) -> ChargedResponse:
        call = asked.call
        with self._idempotency.running(asked.caller.account_id, call.path, call.idempotency_key):
            return self._charge_once(asked, kind, resolve)

    def _batch(self, session: Session, asked: Asked, kind: Revealing[R], places: Sequence[Place]) -> Batch[R]:
        asked_for = {place.number for place in places if place.number is not None}
        records = kind.load(session, asked_for)
        gone = asked_for - records.keys()
        errors = kind.errors(session, gone) if gone else {}
        wanted = {
            (number, unit) for number, record in records.items() for unit in kind.units(record, asked.reveal)
        }
        paid = self._purchases.paid(session, asked.caller.account_id, kind.entity, list(records))
        return Batch(places, records, errors, wanted, paid)

    def _charge_once(self, asked: Asked, kind: Revealing[R], resolve: Resolve) -> ChargedResponse:
        call, account, key = asked.call, asked.caller.account_id, asked.call.idempotency_key
        with self._database.write(account_scope(account)) as session:
            kept = self._idempotency.find(session, account, call.path, key, call.raw)
            if kept is not None:
                return ChargedResponse(self._replay(session, asked, kind, resolve, kept), 0)
            batch = self._batch(session, asked, kind, resolve(session))
            shown = [place.number if place.number in batch.records else None for place in batch.places]
            returned = sum(number is not None for number in shown)
            units = [(int(kind.entity), number, unit) for number, unit in batch.wanted]
            bought = self._purchases.pay(session, account, asked.caller.plan, call.request_id, units, call.at)
            credits = bought.credits + self._charge_search(session, asked, returned)
            self._expose(session, asked, batch)
            batch = batch._replace(paid=batch.paid | batch.wanted)
            answer = self._render(session, asked, kind, batch, call.request_id, credits)
            if key is not None:
                kept = CachedResponse(call.request_id, credits, returned, shown)
                self._idempotency.keep(session, account, call.path, key, call.raw, kept)
            return ChargedResponse(answer, credits)

    def _expose(self, session: Session, asked: Asked, batch: Batch[R]) -> None:
        if asked.partner is None:
            return
        account, at = asked.caller.account_id, asked.call.at
        exposure_store.add(
            session, [Exposure(account, number, asked.partner, unit, at) for number, unit in batch.wanted]
        )

    def _charge_search(self, session: Session, asked: Asked, returned: int) -> int:
        if asked.search is None or not returned or not asked.search_is_priced():
            return 0
        caller, call = asked.caller, asked.call
        quantities = {asked.search: returned}
        return ledger.charge(session, caller.account_id, caller.plan, quantities, call.request_id, call.at)

    def _replay(
        self, session: Session, asked: Asked, kind: Revealing[R], resolve: Resolve, kept: CachedResponse
    ) -> bytes:
        """Return the same answer from today's records: nothing unpaid then, nothing suppressed since."""
        today = resolve(session)
        places = [
            Place(number, now.error if number is None or now.number is None else None)
            for number, now in zip(kept.records, today, strict=True)
        ]
        batch = self._batch(session, asked, kind, places)
        return self._render(session, asked, kind, batch, kept.request_id, kept.credits_charged)

    def _render(
        self,
        session: Session,
        asked: Asked,
        kind: Revealing[R],
        batch: Batch[R],
        request_id: str,
        credits: int,
    ) -> bytes:
        one = kind.render(session, asked.caller, batch.records, asked.reveal, batch.paid)
        results, returned = [], 0
        for item, place in zip(asked.items, batch.places, strict=True):
            if place.number is not None and place.number in batch.records:
                results.append(one(place.number, item.reference))
                returned += 1
            else:
                error = batch.error(place)
                results.append(render.item_error(kind.entity, error, item.reference, item.token))
        return render.answer(request_id, results, credits, returned)
