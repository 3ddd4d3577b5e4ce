"""Search, enrich, and search-and-enrich of companies (docs/reference/lookups.md)."""

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import UNSET, UnsetType

from firmograph.billing.charged_call import ChargedCall
from firmograph.caller import AccountCaller, Request
from firmograph.database.connection import AccountSession, Session
from firmograph.directory import store
from firmograph.directory.data_points import COMPANY_BASE
from firmograph.directory.lookup.queries import CompanyQuery
from firmograph.directory.previews import with_signal_types
from firmograph.directory.result_slots import NOT_FOUND, ResultSlot
from firmograph.directory.store import CompanyProfile, LookupCompany
from firmograph.enrichment import ownership, record_renderer
from firmograph.enrichment.company_records import CompanyRecords
from firmograph.enrichment.dependencies import Dependencies
from firmograph.enrichment.item_queries import company_queries
from firmograph.enrichment.priced_previews import PricedPreviews
from firmograph.enrichment.record_renderer import company_tokens
from firmograph.enrichment.result_list import ResultList, ResultName, ShownResults
from firmograph.enrichment.reveal import Paid, Resolve, RevealRequest
from firmograph.enrichment.shapes import CompanyEnrich, CompanySearch, CompanySearchAndEnrich
from firmograph.enrichment.signal_filter import NO_TYPES, ActivityFilter, Types, company_activity_filter
from firmograph.security.record_ids import Entity

SEARCH = "companySearch"
"""Price key of search."""
PREVIEW = "preview"
"""Value in `reveal` for the preview fields alone, which are free."""


class CompanyEnrichment:
    """Service of the companies endpoints."""

    entity = Entity.COMPANY

    def __init__(self, dependencies: Dependencies) -> None:
        self._database = dependencies.database
        self._lookup = dependencies.lookup
        self._renderer = dependencies.renderer
        self._paid_units = dependencies.paid_units
        self._revealer = dependencies.revealer
        self._records = CompanyRecords()

    def search(self, request: Request, body: CompanySearch) -> ChargedCall[ShownResults]:
        items, caller, activity = body.companies, request.caller, company_activity_filter(request, body)
        queries, partial = company_queries(self._lookup.queries, items), body.options.include_partial_profiles
        if caller.plan.is_priced(SEARCH):
            priced = PricedPreviews(activity, store.companies_by_number, self._records.errors, self._preview)
            named = [ResultName(item.client_reference_id) for item in items]
            listed = ResultList(self.entity, caller, frozenset(), named, priced.render)
            asked = RevealRequest(request, frozenset(), listed.show, SEARCH)
            return self._revealer.ready(asked, priced, self._resolve(queries, partial, activity))

        def read() -> ShownResults:
            with self._database.look() as session:
                found, types = self._resolve_queries(session, queries, partial, activity)
                paid = self._paid(session, caller, {company.number for company in found if company})
            results = [
                self._preview(caller, company, item.client_reference_id, paid, types)
                if company
                else record_renderer.render_item_error(self.entity, NOT_FOUND, item.client_reference_id)
                for item, company in zip(items, found, strict=True)
            ]
            return ShownResults(results, [company.number for company in found if company])

        return self._revealer.free(request, read)

    def previews(self, session: Session, caller: AccountCaller, numbers: Collection[int]) -> dict[int, bytes]:
        """Return the previews of existing records by number, for other features such as prospecting.

        One statement, and one more if prices are shown.
        """
        companies = store.companies_by_number(session, numbers)
        paid = self._paid(session, caller, companies)
        return {number: self._preview(caller, company, UNSET, paid) for number, company in companies.items()}

    def _paid(self, session: Session, caller: AccountCaller, numbers: Collection[int]) -> Paid:
        """Return the paid units of the account, if prices are shown."""
        if caller.can_reveal != "priced":
            return ()
        return self._paid_units.paid(AccountSession(session, caller.account_id), self.entity, sorted(numbers))

    def _resolve_queries(
        self, session: Session, queries: Sequence[CompanyQuery], partial: bool, activity: ActivityFilter
    ) -> tuple[list[LookupCompany | None], Types]:
        """Resolve the queries, and return the requested signal types of the results."""
        found = self._lookup.companies(session, queries)
        types = activity.types(session, {company.number for company in found if company})

        def is_excluded(company: LookupCompany) -> bool:
            return bool(company.partial and not partial) or activity.excludes(company.number, types)

        return [None if company and is_excluded(company) else company for company in found], types

    def _preview(
        self,
        caller: AccountCaller,
        company: LookupCompany,
        reference: str | UnsetType,
        paid: Paid,
        types: Types = NO_TYPES,
    ) -> bytes:
        units = company_tokens(company.tokens)
        can_reveal = self._renderer.can_reveal(caller, self.entity, company.number, units, paid)
        preview = self._renderer.company_preview(company, reference, can_reveal)
        return with_signal_types(preview, types.get(company.number, ()))

    def enrich(self, request: Request, body: CompanyEnrich) -> ChargedCall[ShownResults]:
        numbers = self._lookup.queries.numbers(self.entity, body.ids)
        items = [ResultName(UNSET, token) for token in body.ids]
        slots = [ResultSlot(number) for number in numbers]
        return self._answer(request, body, items, lambda session: slots)

    def search_and_enrich(self, request: Request, body: CompanySearchAndEnrich) -> ChargedCall[ShownResults]:
        items = body.companies
        queries = company_queries(self._lookup.queries, items)
        partial = body.options.include_partial_profiles
        resolve = self._resolve(queries, partial, ActivityFilter(self.entity))
        named = [ResultName(item.client_reference_id) for item in items]
        return self._answer(request, body, named, resolve, SEARCH)

    def _resolve(self, queries: Sequence[CompanyQuery], partial: bool, activity: ActivityFilter) -> Resolve:
        def resolve(session: Session) -> list[ResultSlot]:
            found, _ = self._resolve_queries(session, queries, partial, activity)
            return [ResultSlot(company.number if company else None) for company in found]

        return resolve

    def _answer(
        self,
        request: Request,
        body: CompanyEnrich | CompanySearchAndEnrich,
        items: list[ResultName],
        resolve: Resolve,
        search: str | None = None,
    ) -> ChargedCall[ShownResults]:
        reveal = body.reveal
        shown = [COMPANY_BASE] if reveal is UNSET else [COMPANY_BASE, *reveal] if reveal else [PREVIEW]
        reveals = frozenset(shown)
        results = ResultList(self.entity, request.caller, reveals, items, self._render)
        asked = RevealRequest(request, reveals, results.show, search)
        return self._revealer.ready(asked, self._records, resolve)

    def _render(
        self,
        session: Session,
        caller: AccountCaller,
        records: Mapping[int, CompanyProfile],
        reveal: frozenset[str],
        paid: Paid,
    ) -> Callable[[int, str | UnsetType], bytes]:
        related = ownership.find_related(session, list(records.values()), reveal)

        def one(number: int, reference: str | UnsetType) -> bytes:
            record = records[number]
            units = company_tokens(record.tokens)
            can_reveal = self._renderer.can_reveal(caller, self.entity, number, units, paid)
            if PREVIEW in reveal:
                found = LookupCompany(number, record.preview, 0, record.tokens)
                return self._renderer.company_preview(found, reference, can_reveal)
            unpaid = {unit for unit in self._records.units(record, reveal) if (number, unit) not in paid}
            return self._renderer.enriched_company(
                record, reference, reveal - unpaid if unpaid else reveal, can_reveal, related
            )

        return one
