"""What search and enrich do with companies."""

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import UNSET, UnsetType

from firmograph.accounts.caller import Caller
from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.company_json import is_bare
from firmograph.directory.data_points import COMPANY_BASE
from firmograph.directory.previews import with_signal_types
from firmograph.directory.store import CompanyProfile, LookupCompany
from firmograph.enrichment import ownership, render
from firmograph.enrichment.dependencies import Parts
from firmograph.enrichment.identify import CompanyQuery
from firmograph.enrichment.priced_previews import PricedPreviews
from firmograph.enrichment.render import company_tokens
from firmograph.enrichment.reveal import Asked, Item, Paid, Place, Resolve
from firmograph.enrichment.shapes import CompanyEnrich, CompanySearch, CompanySearchAndEnrich
from firmograph.enrichment.signal_filter import NO_TYPES, Active, Types, active_companies
from firmograph.security.record_ids import Entity

SEARCH = "companySearch"
"""The price key of search."""
PREVIEW = "preview"
"""Stands in `reveal` for the preview fields alone, which cost nothing."""


class CompanyEnrichment:
    """Search, enrich, search-and-enrich of companies (docs/reference/lookups.md)."""

    entity = Entity.COMPANY

    def __init__(self, parts: Parts) -> None:
        self._database = parts.database
        self._identifier = parts.identifier
        self._lookup = parts.lookup
        self._renderer = parts.renderer
        self._purchases = parts.purchases
        self._reveal = parts.reveal

    def search(self, call: Call[CompanySearch]) -> bytes | ChargedResponse | Deferred:
        items, caller, active = call.body.companies, call.caller, active_companies(call)
        queries = self._identifier.companies(items)
        if caller.plan.is_priced(SEARCH):
            resolve = self._resolve(queries, call.body.options.include_partial_profiles, active)
            asked = Asked(call, frozenset(), [Item(item.client_reference_id) for item in items], SEARCH)
            priced = PricedPreviews(active, store.companies_by_number, self.errors, self._preview)
            return self._reveal.answer(asked, priced, resolve)
        with self._database.look() as session:
            found, types = self._found(session, queries, call.body.options.include_partial_profiles, active)
            paid = self._paid(session, caller, {company.number for company in found if company})
        results = [
            self._preview(caller, company, item.client_reference_id, paid, types)
            if company
            else render.item_error(self.entity, render.NOT_FOUND, item.client_reference_id)
            for item, company in zip(items, found, strict=True)
        ]
        return render.answer(call.request_id, results, 0, sum(company is not None for company in found))

    def previews(self, session: Session, caller: Caller, numbers: Collection[int]) -> dict[int, bytes]:
        """Those of the records that are held, as search shows them; for capabilities that find by other means.

        One statement, and one more if prices are shown.
        """
        held = store.companies_by_number(session, numbers)
        paid = self._paid(session, caller, held)
        return {number: self._preview(caller, company, UNSET, paid) for number, company in held.items()}

    def _paid(self, session: Session, caller: Caller, numbers: Collection[int]) -> Paid:
        """Return what the account has paid for, if prices are shown."""
        if caller.can_reveal != "priced":
            return ()
        return self._purchases.paid(session, caller.account_id, self.entity, sorted(numbers))

    def _found(
        self, session: Session, queries: Sequence[CompanyQuery], partial: bool, active: Active
    ) -> tuple[list[LookupCompany | None], Types]:
        """Resolve the queries, and return the activities of the results."""
        found = self._lookup.companies(session, queries)
        types = active.types(session, {company.number for company in found if company})

        def is_left_out(company: LookupCompany) -> bool:
            return bool(company.partial and not partial) or active.leaves_out(company.number, types)

        return [None if company and is_left_out(company) else company for company in found], types

    def _preview(
        self,
        caller: Caller,
        company: LookupCompany,
        reference: str | UnsetType,
        paid: Paid,
        types: Types = NO_TYPES,
    ) -> bytes:
        held = company_tokens(company.tokens)
        can_reveal = self._renderer.can_reveal(caller, self.entity, company.number, held, paid)
        preview = self._renderer.company_preview(company, reference, can_reveal)
        return with_signal_types(preview, types.get(company.number, ()))

    def enrich(self, call: Call[CompanyEnrich]) -> ChargedResponse | Deferred:
        numbers = self._identifier.numbers(self.entity, call.body.ids)
        items = [Item(UNSET, token) for token in call.body.ids]
        return self._answer(
            call, call.body.reveal, items, lambda session: [Place(number) for number in numbers]
        )

    def search_and_enrich(self, call: Call[CompanySearchAndEnrich]) -> ChargedResponse | Deferred:
        items = call.body.companies
        queries = self._identifier.companies(items)
        partial = call.body.options.include_partial_profiles
        resolve = self._resolve(queries, partial, Active(self.entity))
        named = [Item(item.client_reference_id) for item in items]
        return self._answer(call, call.body.reveal, named, resolve, SEARCH)

    def _resolve(self, queries: Sequence[CompanyQuery], partial: bool, active: Active) -> Resolve:
        def resolve(session: Session) -> list[Place]:
            found, _ = self._found(session, queries, partial, active)
            return [Place(company.number if company else None) for company in found]

        return resolve

    def _answer(
        self,
        call: Call[CompanyEnrich] | Call[CompanySearchAndEnrich],
        reveal: Sequence[str] | UnsetType,
        items: list[Item],
        resolve: Resolve,
        search: str | None = None,
    ) -> ChargedResponse | Deferred:
        shown = [COMPANY_BASE] if reveal is UNSET else [COMPANY_BASE, *reveal] if reveal else [PREVIEW]
        asked = Asked(call, frozenset(shown), items, search)
        return self._reveal.answer(asked, self, resolve)

    # --- Revealing ---

    def load(self, session: Session, numbers: Collection[int]) -> Mapping[int, CompanyProfile]:
        return store.company_profiles(session, numbers)

    def units(self, record: CompanyProfile, reveal: frozenset[str]) -> Sequence[str]:
        base = () if is_bare(record.profile) else (COMPANY_BASE,)
        return [unit for unit in (*base, *company_tokens(record.tokens)) if unit in reveal]

    def errors(self, session: Session, numbers: Collection[int]) -> Mapping[int, str]:
        return {}

    def render(
        self,
        session: Session,
        caller: Caller,
        records: Mapping[int, CompanyProfile],
        reveal: frozenset[str],
        paid: Paid,
    ) -> Callable[[int, str | UnsetType], bytes]:
        related = ownership.related(session, list(records.values()), reveal)

        def one(number: int, reference: str | UnsetType) -> bytes:
            record = records[number]
            held = company_tokens(record.tokens)
            can_reveal = self._renderer.can_reveal(caller, self.entity, number, held, paid)
            if PREVIEW in reveal:
                found = LookupCompany(number, record.preview, 0, record.tokens)
                return self._renderer.company_preview(found, reference, can_reveal)
            unpaid = {unit for unit in self.units(record, reveal) if (number, unit) not in paid}
            return self._renderer.enriched_company(
                record, reference, reveal - unpaid if unpaid else reveal, can_reveal, related
            )

        return one
