"""Responses of lookalikes (docs/reference/lookalikes.md#answers), and their results from stored records."""

from collections.abc import Collection
from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.api.envelope import Billing
from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.previews import PreviewLinks, PreviewLocation, ResponsePart, Results, Token
from firmograph.directory.records import Count
from firmograph.directory.store import LookupCompany, LookupContact
from firmograph.directory.stored_views import view_summary
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.table_rows import TableWrite

P = TypeVar("P", bound=msgspec.Struct)


class LookalikeTitle(ResponsePart):
    title: str | UnsetType = UNSET
    departments: list[str] | UnsetType = UNSET
    seniority: str | UnsetType = UNSET


class LookalikeEmployer(ResponsePart):
    id: Token
    company_id: Annotated[str, Meta(description="The same as `id`")]
    name: str
    domain: str | UnsetType = UNSET


class LookalikeContact(ResponsePart):
    id: Token
    contact_id: Annotated[str, Meta(description="The same as `id`")]
    first_name: str | UnsetType = UNSET
    last_name: str | UnsetType = UNSET
    social_links: PreviewLinks | UnsetType = UNSET
    company: LookalikeEmployer | UnsetType = UNSET
    job_title: LookalikeTitle | UnsetType = UNSET
    location: PreviewLocation | UnsetType = UNSET


class _Company(ResponsePart):
    id: Token
    company_id: Annotated[str, Meta(description="The same as `id`")]
    name: str
    domain: str | UnsetType = UNSET
    linkedin_url: Annotated[str, Meta(description="The same as `socialLinks.linkedin`")] | UnsetType = UNSET


class LookalikeCompany(_Company):
    employee_count: Count | UnsetType = UNSET
    industry: str | UnsetType = UNSET
    location: PreviewLocation | UnsetType = UNSET
    social_links: PreviewLinks | UnsetType = UNSET


class EarlierLookalikeCompany(_Company):
    """Company as the earlier path answers it, with one number of employees."""

    employee_count: (
        Annotated[int, Meta(description="The exact figure, else the lower bound of its range")] | UnsetType
    ) = UNSET
    industry: str | UnsetType = UNSET
    location: PreviewLocation | UnsetType = UNSET
    social_links: PreviewLinks | UnsetType = UNSET


class SeedsMeta(ResponsePart):
    """What became of the different seeds of the call."""

    seeds_used: Annotated[int, Meta(ge=0, description="Seeds that name one record")]
    seeds_unknown: Annotated[
        int, Meta(ge=0, description="Seeds that were passed over: unknown, ambiguous or suppressed")
    ]


class LookalikeMeta(SeedsMeta):
    returned: Annotated[int, Meta(ge=0, description="Number of results")]
    has_more: Annotated[
        bool, Meta(description="Whether the same call with this session would return further results")
    ]


class _Answer(Results):
    dedupe_session_id: Annotated[
        str | None,
        Meta(
            description="The session to send with the next call; null where none was given and nothing was found"
        ),
    ]


class ContactLookalikesAnswer(_Answer, kw_only=True):
    results: list[LookalikeContact]
    meta: LookalikeMeta
    table_write: TableWrite | UnsetType = UNSET
    billing: Billing


class CompanyLookalikesAnswer(_Answer, kw_only=True):
    results: list[LookalikeCompany]
    meta: LookalikeMeta
    table_write: TableWrite | UnsetType = UNSET
    billing: Billing


_CreditsCharged = Annotated[int, Meta(ge=0, description="The same as `billing.creditsCharged`")]


class EarlierContactLookalikesAnswer(_Answer, kw_only=True):
    results: list[LookalikeContact]
    meta: LookalikeMeta
    credits_charged: _CreditsCharged
    table_write: TableWrite | UnsetType = UNSET
    billing: Billing


class EarlierCompanyLookalikesAnswer(_Answer, kw_only=True):
    results: list[EarlierLookalikeCompany]
    meta: LookalikeMeta
    credits_charged: _CreditsCharged
    table_write: TableWrite | UnsetType = UNSET
    billing: Billing


class SimilarityHealth(msgspec.Struct):
    state: Literal["loading", "rebuilding", "ready", "off"]
    """State of the similarity index; lookalikes respond 503 until it is `ready`, and 403 where it is `off`."""
    applied: int
    """Position in the change sequence up to which changes are in the index."""
    head: int
    """End of the change sequence."""


# --- results from stored records ---


class _ContactPreview(msgspec.Struct, rename="camel"):
    first_name: str | UnsetType = UNSET
    last_name: str | UnsetType = UNSET
    social_links: PreviewLinks | UnsetType = UNSET
    job_title: LookalikeTitle | UnsetType = UNSET
    location: PreviewLocation | UnsetType = UNSET


class _CompanyPreview(msgspec.Struct, rename="camel"):
    name: str = ""
    domain: str | UnsetType = UNSET
    employee_count: Count | UnsetType = UNSET
    industry: str | UnsetType = UNSET
    location: PreviewLocation | UnsetType = UNSET
    social_links: PreviewLinks | UnsetType = UNSET


_decode_contact = msgspec.json.Decoder(_ContactPreview).decode
_decode_company = msgspec.json.Decoder(_CompanyPreview).decode


class ResultReader:
    """Reader of results by number; of records that do not exist there are none."""

    def __init__(self, record_ids: RecordIds) -> None:
        self._record_ids = record_ids

    def contacts(self, session: Session, numbers: Collection[int]) -> dict[int, LookalikeContact]:
        records = store.contacts_by_number(session, numbers)
        return {number: _contact_result(self._record_ids, record) for number, record in records.items()}

    def companies(self, session: Session, numbers: Collection[int]) -> dict[int, LookalikeCompany]:
        records = store.companies_by_number(session, numbers)
        return {number: _company_result(self._record_ids, record) for number, record in records.items()}

    def earlier_companies(
        self, session: Session, numbers: Collection[int]
    ) -> dict[int, EarlierLookalikeCompany]:
        found = self.companies(session, numbers)
        return {number: _earlier_company_result(company) for number, company in found.items()}


def _contact_result(record_ids: RecordIds, record: LookupContact) -> LookalikeContact:
    preview = _decode_contact(record.preview)
    id = record_ids.seal(Entity.CONTACT, record.number)
    return LookalikeContact(
        id,
        id,
        preview.first_name,
        preview.last_name,
        _unless_empty(preview.social_links),
        _employer(record_ids, record),
        _unless_empty(preview.job_title),
        _unless_empty(preview.location),
    )


def _company_result(record_ids: RecordIds, record: LookupCompany) -> LookalikeCompany:
    preview = _decode_company(record.preview)
    id = record_ids.seal(Entity.COMPANY, record.number)
    links = preview.social_links
    return LookalikeCompany(
        id,
        id,
        preview.name,
        preview.domain,
        links.linkedin if links else UNSET,
        preview.employee_count,
        preview.industry,
        _unless_empty(preview.location),
        _unless_empty(links),
    )


def _earlier_company_result(company: LookalikeCompany) -> EarlierLookalikeCompany:
    count = company.employee_count
    employees = None if count is UNSET else count.min if count.exact is None else count.exact
    return EarlierLookalikeCompany(
        company.id,
        company.company_id,
        company.name,
        company.domain,
        company.linkedin_url,
        UNSET if employees is None else employees,
        company.industry,
        company.location,
        company.social_links,
    )


def _employer(record_ids: RecordIds, record: LookupContact) -> LookalikeEmployer | UnsetType:
    if record.company_id is None or record.company_summary is None:
        return UNSET
    summary = view_summary(record.company_summary)
    id = record_ids.seal(Entity.COMPANY, record.company_id)
    return LookalikeEmployer(id, id, summary.name, summary.domain)


def _unless_empty(part: P | UnsetType) -> P | UnsetType:
    """Return a part of an answer, unset without any value."""
    if part is UNSET or all(getattr(part, name) is UNSET for name in part.__struct_fields__):
        return UNSET
    return part
