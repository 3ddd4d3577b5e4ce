"""Legacy searches over prospecting (docs/reference/legacy.md#search)."""

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw, UnsetType

from firmograph.billing.charged_call import ChargedCall
from firmograph.billing.paid_units import PaidUnits
from firmograph.caller import AccountCaller, Request
from firmograph.database.connection import AccountSession, Session
from firmograph.directory import store
from firmograph.directory.company_json import TOKEN_BIT
from firmograph.directory.store import CompanyProfile, ContactProfile
from firmograph.legacy.prospecting import filters
from firmograph.legacy.prospecting.answers import LegacyFoundCompany, LegacyFoundContact
from firmograph.legacy.prospecting.search_shapes import (
    LegacyCompanySearch,
    LegacyContactSearch,
    LegacyPagesQuery,
)
from firmograph.legacy.records.people import employer_summary
from firmograph.prospecting.service import (
    EXCLUDE_DNC,
    SIGNALS,
    FoundPage,
    Prospecting,
    SearchRequest,
)
from firmograph.security.record_ids import Entity, RecordIds

_json = msgspec.json.Encoder().encode


class _HeldTitle(msgspec.Struct):
    title: str | UnsetType = UNSET
    departments: Raw | UnsetType = UNSET
    seniority: Raw | UnsetType = UNSET


class _HeldContact(msgspec.Struct, rename="camel"):
    """Fields of a stored contact that the flags need."""

    full_name: str | UnsetType = UNSET
    job_title: _HeldTitle | UnsetType = UNSET
    location: Raw | UnsetType = UNSET
    social_links: Raw | UnsetType = UNSET


class _HeldLocation(msgspec.Struct):
    city: Raw | UnsetType = UNSET
    country: Raw | UnsetType = UNSET


class _HeldCompany(msgspec.Struct, rename="camel"):
    """Fields of a stored company that the flags need."""

    name: str = ""
    domain: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    logo_url: str | UnsetType = UNSET
    employee_count: Raw | UnsetType = UNSET
    revenue_range: Raw | UnsetType = UNSET
    industry: Raw | UnsetType = UNSET
    sub_industry: Raw | UnsetType = UNSET
    funding: Raw | UnsetType = UNSET
    technologies: Raw | UnsetType = UNSET
    location: _HeldLocation | UnsetType = UNSET


_decode_contact = msgspec.json.Decoder(_HeldContact).decode
_decode_company = msgspec.json.Decoder(_HeldCompany).decode
_INTENT: Final = TOKEN_BIT["intent"]
_NO_TITLE: Final = _HeldTitle()

_Flags = dict[str, Any]
_NOTHING_HELD: Final[_Flags] = {
    "has_company_employees_count": False,
    "has_company_revenue": False,
    "has_company_main_industry": False,
    "has_company_sub_industry": False,
    "has_company_funding": False,
    "has_company_intent": False,
    "has_company_technologies": False,
    "has_company_city": False,
    "has_company_country": False,
}


class LegacySearch:
    """The two searches."""

    def __init__(self, prospecting: Prospecting, record_ids: RecordIds, paid_units: PaidUnits) -> None:
        self._prospecting = prospecting
        self._record_ids = record_ids
        self._paid_units = paid_units

    def contacts(
        self, request: Request, body: LegacyContactSearch, pages: LegacyPagesQuery
    ) -> ChargedCall[FoundPage]:
        compile = partial(filters.contact_query, body, pages)
        features = list(_needed_features(body))
        return self._prospecting.ready(
            SearchRequest(request, Entity.CONTACT, compile, self._contact_results, features)
        )

    def companies(
        self, request: Request, body: LegacyCompanySearch, pages: LegacyPagesQuery
    ) -> ChargedCall[FoundPage]:
        compile = partial(filters.company_query, body, pages)
        features = list(_needed_features(body))
        return self._prospecting.ready(
            SearchRequest(request, Entity.COMPANY, compile, self._company_results, features)
        )

    def _contact_results(
        self, session: Session, caller: AccountCaller, numbers: Collection[int]
    ) -> Mapping[int, bytes]:
        """Render contacts. Three statements."""
        contacts = store.contact_profiles(session, numbers)
        employers = {one.company_id for one in contacts.values() if one.company_id is not None}
        companies = store.company_profiles(session, employers) if employers else {}
        held = {number: _held_of_company(company) for number, company in companies.items()}
        own = AccountSession(session, caller.account_id)
        shown = {number for number, _ in self._paid_units.paid(own, Entity.CONTACT, sorted(contacts))}
        return {
            number: _json(self._contact(contact, held.get(contact.company_id or 0), number in shown))
            for number, contact in contacts.items()
        }

    def _contact(self, record: ContactProfile, employer: _Flags | None, is_shown: bool) -> LegacyFoundContact:
        contact, summary = _decode_contact(record.profile), employer_summary(record)
        title = _NO_TITLE if contact.job_title is UNSET else contact.job_title
        emails, phones = record.emails or b"", record.phones or b""
        return LegacyFoundContact(
            contact_id=self._record_ids.seal(Entity.CONTACT, record.number),
            is_shown=is_shown,
            name=contact.full_name,
            job_title=title.title,
            company_id=UNSET if record.company_id is None else self._company_id(record.company_id),
            company_name=summary.name if summary else UNSET,
            fqdn=summary.domain if summary else UNSET,
            has_department=title.departments is not UNSET,
            has_seniority=title.seniority is not UNSET,
            has_contact_location=contact.location is not UNSET,
            has_social_link=contact.social_links is not UNSET,
            has_emails=bool(emails),
            # a quote inside a text is escaped, so this is a member
            has_work_email=b'"type":"work"' in emails,
            has_private_email=b'"type":"private"' in emails,
            has_phones=bool(phones),
            has_mobile_phone=b'"type":"mobile"' in phones,
            has_direct_phone=b'"type":"direct"' in phones,
            **(employer or _NOTHING_HELD),
        )

    def _company_results(
        self, session: Session, caller: AccountCaller, numbers: Collection[int]
    ) -> Mapping[int, bytes]:
        """Render companies. One statement."""
        companies = store.company_profiles(session, numbers)
        return {number: _json(self._company(record)) for number, record in companies.items()}

    def _company(self, record: CompanyProfile) -> LegacyFoundCompany:
        company = _decode_company(record.profile)
        return LegacyFoundCompany(
            id=self._company_id(record.number),
            name=company.name,
            fqdn=company.domain,
            description=company.description,
            logo_url=company.logo_url,
            **_flags_of(company, record),
        )

    def _company_id(self, number: int) -> str:
        return str(self._record_ids.legacy(Entity.COMPANY, number))


def _held_of_company(record: CompanyProfile) -> _Flags:
    return _flags_of(_decode_company(record.profile), record)


def _flags_of(company: _HeldCompany, record: CompanyProfile) -> _Flags:
    location = company.location
    return {
        "has_company_employees_count": company.employee_count is not UNSET,
        "has_company_revenue": company.revenue_range is not UNSET,
        "has_company_main_industry": company.industry is not UNSET,
        "has_company_sub_industry": company.sub_industry is not UNSET,
        "has_company_funding": company.funding is not UNSET,
        "has_company_intent": bool(record.tokens & _INTENT),
        "has_company_technologies": company.technologies is not UNSET,
        "has_company_city": location is not UNSET and location.city is not UNSET,
        "has_company_country": location is not UNSET and location.country is not UNSET,
    }


def _needed_features(body: Any) -> Iterator[str]:
    if isinstance(body, LegacyContactSearch) and body.exclude_dnc is True:
        yield EXCLUDE_DNC
    if filters.filters_by_signals(body):
        yield SIGNALS
