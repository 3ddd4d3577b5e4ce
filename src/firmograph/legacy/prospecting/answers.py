"""Answers of legacy prospecting (docs/reference/legacy.md#prospecting)."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from firmograph.api.envelope import Billing
from firmograph.directory.previews import ResponsePart, SignalTypes, Token
from firmograph.legacy.records.company_shapes import LegacyProspectedCompany
from firmograph.legacy.records.person_shapes import LegacyItemError, LegacyProspectedPerson


class _HeldOfCompany(ResponsePart, kw_only=True):
    """Flags of what is held of a company."""

    has_company_employees_count: bool
    has_company_revenue: bool
    has_company_main_industry: bool
    has_company_sub_industry: bool
    has_company_funding: bool
    has_company_intent: bool
    has_company_technologies: bool
    has_company_city: bool
    has_company_country: bool


class LegacyFoundContact(_HeldOfCompany, kw_only=True):
    """Contact of a search, with flags of what is held of the contact and of the employer."""

    contact_id: Token
    is_shown: Annotated[bool, Meta(description="Whether this account has paid for a data point of theirs")]
    name: str | UnsetType = UNSET
    job_title: str | UnsetType = UNSET
    company_id: Annotated[str, Meta(description="Legacy id of the employer, as text")] | UnsetType = UNSET
    company_name: str | UnsetType = UNSET
    fqdn: str | UnsetType = UNSET
    has_department: bool
    has_seniority: bool
    has_contact_location: bool
    has_social_link: bool
    has_emails: bool
    has_work_email: bool
    has_private_email: bool
    has_phones: bool
    has_mobile_phone: bool
    has_direct_phone: bool
    signal_types: SignalTypes | UnsetType = UNSET


class LegacyFoundCompany(_HeldOfCompany, kw_only=True):
    """Company of a search, with flags of what is held."""

    id: Annotated[str, Meta(description="Legacy id, as text")]
    name: str
    fqdn: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    logo_url: str | UnsetType = UNSET
    signal_types: SignalTypes | UnsetType = UNSET


RequestId = Annotated[str, Meta(description="UUID of the request; enrich takes any")]


class _SearchAnswer(ResponsePart, kw_only=True):
    request_id: RequestId
    current_page: int
    page_length: Annotated[int, Meta(description="Number of results on this page")]
    total_results: Annotated[int, Meta(description="Exact number of matching records")]


class LegacyContactSearchAnswer(_SearchAnswer, kw_only=True):
    data: list[LegacyFoundContact]
    contacts: Annotated[list[LegacyFoundContact], Meta(description="The same as `data`")]
    billing: Billing


class LegacyCompanySearchAnswer(_SearchAnswer, kw_only=True):
    data: list[LegacyFoundCompany]
    companies: Annotated[list[LegacyFoundCompany], Meta(description="The same as `data`")]
    billing: Billing


class LegacyEnrichedContact(ResponsePart, kw_only=True):
    id: Annotated[str, Meta(description="As sent")]
    is_success: Annotated[bool, Meta(description="False exactly where there is an `error`")]
    error: LegacyItemError | UnsetType = UNSET
    data: LegacyProspectedPerson | None


_CreditsCharged = Annotated[int, Meta(ge=0, description="The same as `billing.creditsCharged`")]


class LegacyContactEnrichAnswer(ResponsePart, kw_only=True):
    request_id: Annotated[str, Meta(description="As sent")]
    contacts: list[LegacyEnrichedContact]
    credits_charged: _CreditsCharged
    billing: Billing


class LegacyCompanyEnrichAnswer(ResponsePart, kw_only=True):
    """Companies that were found."""

    request_id: Annotated[str, Meta(description="As sent")]
    companies: list[LegacyProspectedCompany]
    credits_charged: _CreditsCharged
    billing: Billing
