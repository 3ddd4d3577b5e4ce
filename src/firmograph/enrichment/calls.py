"""Search, enrich, and search-and-enrich, the same for contacts and companies (docs/reference/lookups.md)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from msgspec import UNSET, UnsetType

from firmograph.billing.charged_call import ChargedCall
from firmograph.billing.paid_units import PaidUnits
from firmograph.caller import AccountCaller, InstallationOperator, PreviewCaller, Request
from firmograph.database.connection import AccountSession, Database, Session
from firmograph.directory.lookup.queries import QueryReader
from firmograph.directory.previews import with_signal_types
from firmograph.directory.result_slots import NOT_FOUND, ItemErrorCode, ResultSlot
from firmograph.directory.store import LookupCompany, LookupContact
from firmograph.enrichment.priced_previews import PricedPreviews
from firmograph.enrichment.record_renderer import render_item_error
from firmograph.enrichment.result_list import ResultList, ResultName, ShownResults
from firmograph.enrichment.reveal import Paid, RecordKind, Resolve, Revealer, RevealRequest
from firmograph.enrichment.shapes import (
    CompanyEnrich,
    CompanyItem,
    CompanySearch,
    CompanySearchAndEnrich,
    ContactEnrich,
    ContactItem,
    ContactSearch,
    ContactSearchAndEnrich,
)
from firmograph.enrichment.signal_filter import NO_TYPES, ActivityFilter, Types

Q = TypeVar("Q")
F = TypeVar("F", bound=LookupContact | LookupCompany)
R = TypeVar("R")


class FoundRecord(NamedTuple, Generic[F]):
    """Result of a query: the record, or the reason for its absence."""

    record: F | None
    error: ItemErrorCode = NOT_FOUND


class EnrichedKind(RecordKind[R], Protocol[Q, F, R]):
    """Operations that differ between contacts and companies: on queries, found records, and records to reveal."""

    search_price: str
    """Price key of search."""

    def items(self, body: Any) -> Sequence[ContactItem | CompanyItem]: ...

    def queries(self, body: Any) -> list[Q]:
        """Read the identifiers of each item. Raises BadRequest."""
        ...

    def activity_filter(self, request: Request, body: Any) -> ActivityFilter:
        """Read the filter of a search. Raises Forbidden or BadRequest."""
        ...

    def find(self, session: Session, queries: Sequence[Q]) -> list[FoundRecord[F]]:
        """Return the record of each query."""
        ...

    def is_partial(self, record: F) -> bool: ...

    def found(self, session: Session, numbers: Collection[int]) -> Mapping[int, F]:
        """Return existing records as a search finds them. One statement."""
        ...

    def preview(self, caller: PreviewCaller, record: F, reference: str | UnsetType, paid: Paid) -> bytes: ...

    def asked(self, body: Any) -> Sequence[str]:
        """Return the data points that a call names, or that one without `reveal` asks for."""
        ...

    def reveal(self, body: Any) -> frozenset[str]:
        """Return the view of each record that a call shows."""
        ...

    def partner(self, body: Any) -> str | None:
        """Return the partner on whose behalf a call reveals."""
        ...

    def render(
        self,
        session: Session,
        caller: AccountCaller,
        records: Mapping[int, R],
        reveal: frozenset[str],
        paid: Paid,
    ) -> Callable[[int, str | UnsetType], bytes]:
        """Return the renderer of revealed records (`result_list.RenderRecords`)."""
        ...


class EnrichmentCalls(Generic[Q, F, R]):
    """The three calls of one kind of records, and its previews."""

    def __init__(
        self,
        database: Database,
        reader: QueryReader,
        paid_units: PaidUnits,
        revealer: Revealer,
        kind: EnrichedKind[Q, F, R],
    ) -> None:
        self._database = database
        self._reader = reader
        self._paid_units = paid_units
        self._revealer = revealer
        self._kind = kind
        self.entity = kind.entity
        self.asked = kind.asked

    def search(self, request: Request, body: ContactSearch | CompanySearch) -> ChargedCall[ShownResults]:
        kind, caller = self._kind, request.caller
        items, activity = kind.items(body), kind.activity_filter(request, body)
        queries, partial = kind.queries(body), body.options.include_partial_profiles
        if caller.plan.is_priced(kind.search_price):
            priced = PricedPreviews(activity, kind.found, kind.errors, self._preview)
            listed = ResultList(self.entity, caller, frozenset(), _names(items), priced.render)
            asked = RevealRequest(request, frozenset(), listed.show, kind.search_price)
            return self._revealer.ready(asked, priced, self._resolve(queries, partial, activity))

        def read() -> ShownResults:
            with self._database.look() as session:
                found, types = self._resolve_queries(session, queries, partial, activity)
                numbers = [one.record.number for one in found if one.record]
                paid = self._paid(session, caller, set(numbers))
            results = [
                self._preview(caller, one.record, item.client_reference_id, paid, types)
                if one.record
                else render_item_error(self.entity, one.error, item.client_reference_id)
                for item, one in zip(items, found, strict=True)
            ]
            return ShownResults(results, numbers)

        return self._revealer.free(request, read)

    def enrich(self, request: Request, body: ContactEnrich | CompanyEnrich) -> ChargedCall[ShownResults]:
        slots = [ResultSlot(number) for number in self._reader.numbers(self.entity, body.ids)]
        named = [ResultName(UNSET, token) for token in body.ids]
        return self._answer(request, body, named, lambda session: slots)

    def search_and_enrich(
        self, request: Request, body: ContactSearchAndEnrich | CompanySearchAndEnrich
    ) -> ChargedCall[ShownResults]:
        kind, partial = self._kind, body.options.include_partial_profiles
        resolve = self._resolve(kind.queries(body), partial, ActivityFilter(self.entity))
        return self._answer(request, body, _names(kind.items(body)), resolve, kind.search_price)

    def previews(self, session: Session, caller: PreviewCaller, numbers: Collection[int]) -> dict[int, bytes]:
        """Return the previews of existing records by number, for other features such as prospecting.

        One statement, and one more if prices are shown.
        """
        records = self._kind.found(session, numbers)
        paid = self._paid(session, caller, records)
        return {number: self._preview(caller, record, UNSET, paid) for number, record in records.items()}

    def _answer(
        self,
        request: Request,
        body: ContactEnrich | ContactSearchAndEnrich | CompanyEnrich | CompanySearchAndEnrich,
        named: Sequence[ResultName],
        resolve: Resolve,
        search: str | None = None,
    ) -> ChargedCall[ShownResults]:
        kind, reveal = self._kind, self._kind.reveal(body)
        results = ResultList(self.entity, request.caller, reveal, named, kind.render)
        asked = RevealRequest(request, reveal, results.show, search, kind.partner(body))
        return self._revealer.ready(asked, kind, resolve)

    def _resolve(self, queries: Sequence[Q], partial: bool, activity: ActivityFilter) -> Resolve:
        def resolve(session: Session) -> list[ResultSlot]:
            found, _ = self._resolve_queries(session, queries, partial, activity)
            return [
                ResultSlot(one.record.number) if one.record else ResultSlot(None, one.error) for one in found
            ]

        return resolve

    def _resolve_queries(
        self, session: Session, queries: Sequence[Q], partial: bool, activity: ActivityFilter
    ) -> tuple[list[FoundRecord[F]], Types]:
        """Resolve the queries, and return the requested signal types of the results."""
        found = self._kind.find(session, queries)
        types = activity.types(session, {one.record.number for one in found if one.record})

        def is_excluded(record: F) -> bool:
            return (not partial and self._kind.is_partial(record)) or activity.excludes(record.number, types)

        return [FoundRecord(None) if one.record and is_excluded(one.record) else one for one in found], types

    def _paid(self, session: Session, caller: PreviewCaller, numbers: Collection[int]) -> Paid:
        """Return the paid units of the account, if prices are shown."""
        if isinstance(caller, InstallationOperator) or caller.can_reveal != "priced":
            return ()
        return self._paid_units.paid(AccountSession(session, caller.account_id), self.entity, sorted(numbers))

    def _preview(
        self,
        caller: PreviewCaller,
        record: F,
        reference: str | UnsetType,
        paid: Paid,
        types: Types = NO_TYPES,
    ) -> bytes:
        preview = self._kind.preview(caller, record, reference, paid)
        return with_signal_types(preview, types.get(record.number, ()))


def _names(items: Sequence[ContactItem | CompanyItem]) -> list[ResultName]:
    return [ResultName(item.client_reference_id) for item in items]
