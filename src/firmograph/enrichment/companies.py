"""Companies in search, enrich, and search-and-enrich."""

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import UNSET, UnsetType

from firmograph.caller import AccountCaller, PreviewCaller, Request
from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.company_json import is_bare
from firmograph.directory.data_points import COMPANY_BASE
from firmograph.directory.lookup.queries import CompanyQuery
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.result_slots import ItemErrorCode
from firmograph.directory.store import CompanyProfile, LookupCompany
from firmograph.enrichment import ownership
from firmograph.enrichment.calls import FoundRecord
from firmograph.enrichment.item_queries import company_queries
from firmograph.enrichment.record_renderer import RecordRenderer, company_tokens
from firmograph.enrichment.reveal import Paid
from firmograph.enrichment.shapes import CompanyEnrich, CompanyItem, CompanySearch, CompanySearchAndEnrich
from firmograph.enrichment.signal_filter import ActivityFilter, company_activity_filter
from firmograph.security.record_ids import Entity

PREVIEW = "preview"
"""Value in `reveal` for the preview fields alone, which are free."""


class CompanyRecords:
    """Record kind (`reveal.RecordKind`) of companies."""

    entity = Entity.COMPANY

    def load(self, session: Session, numbers: Collection[int]) -> Mapping[int, CompanyProfile]:
        return store.company_profiles(session, numbers)

    def units(self, record: CompanyProfile, reveal: frozenset[str]) -> Sequence[str]:
        base = () if is_bare(record.profile) else (COMPANY_BASE,)
        return [unit for unit in (*base, *company_tokens(record.tokens)) if unit in reveal]

    def errors(self, session: Session, numbers: Collection[int]) -> Mapping[int, ItemErrorCode]:
        return {}


class EnrichedCompanies(CompanyRecords):
    """Companies as the calls of search and enrich need them (`calls.EnrichedKind`)."""

    search_price = "companySearch"

    def __init__(self, lookup: RecordLookup, renderer: RecordRenderer) -> None:
        self._lookup = lookup
        self._renderer = renderer

    def items(self, body: CompanySearch | CompanySearchAndEnrich) -> Sequence[CompanyItem]:
        return body.companies

    def queries(self, body: CompanySearch | CompanySearchAndEnrich) -> list[CompanyQuery]:
        return company_queries(self._lookup.queries, body.companies)

    def activity_filter(self, request: Request, body: CompanySearch) -> ActivityFilter:
        return company_activity_filter(request, body)

    def find(self, session: Session, queries: Sequence[CompanyQuery]) -> list[FoundRecord[LookupCompany]]:
        return [FoundRecord(company) for company in self._lookup.companies(session, queries)]

    def is_partial(self, record: LookupCompany) -> bool:
        return bool(record.partial)

    def found(self, session: Session, numbers: Collection[int]) -> Mapping[int, LookupCompany]:
        return store.companies_by_number(session, numbers)

    def preview(
        self, caller: PreviewCaller, record: LookupCompany, reference: str | UnsetType, paid: Paid
    ) -> bytes:
        units = company_tokens(record.tokens)
        can_reveal = self._renderer.can_reveal(caller, self.entity, record.number, units, paid)
        return self._renderer.company_preview(record, reference, can_reveal)

    def asked(self, body: CompanyEnrich | CompanySearchAndEnrich) -> Sequence[str]:
        return () if body.reveal is UNSET else body.reveal

    def reveal(self, body: CompanyEnrich | CompanySearchAndEnrich) -> frozenset[str]:
        if body.reveal is not UNSET and not body.reveal:
            return frozenset([PREVIEW])
        return frozenset([COMPANY_BASE, *self.asked(body)])

    def partner(self, body: CompanyEnrich | CompanySearchAndEnrich) -> None:
        return None

    def render(
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
            unpaid = {unit for unit in self.units(record, reveal) if (number, unit) not in paid}
            return self._renderer.enriched_company(
                record, reference, reveal - unpaid if unpaid else reveal, can_reveal, related
            )

        return one
