"""Requests and answers of the legacy calls for companies (docs/reference/legacy.md#companies).

Unknown properties are refused.
"""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.api.descriptions import requires_strings
from firmograph.directory.previews import ResponsePart
from firmograph.enrichment.shapes import Domain, Identifier, Name
from firmograph.legacy.people.shapes import NoEffect
from firmograph.legacy.records.company_shapes import LegacyBulkCompany, LegacyCompany
from firmograph.legacy.requested_signals import Day, LegacySignalsFilters
from firmograph.legacy.signal_shapes import CompanyTypes, Key, any_of, requires_id
from firmograph.lookalikes.shapes import Id


class _Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """Request, or a part of one."""


Partial = Annotated[
    bool,
    Meta(
        description="`false` finds no company without domain and LinkedIn URL",
        extra_json_schema={"default": True},
    ),
]


class LegacyCompanyQuery(_Body):
    """Company by `companyId`, `domain`, or a unique name."""

    company_id: Identifier | UnsetType = UNSET
    domain: Domain | UnsetType = UNSET
    company: Annotated[Name, Meta(description="Its name")] | UnsetType = UNSET
    signals: CompanyTypes | UnsetType = UNSET
    signals_start_date: Day | UnsetType = UNSET
    partial_company: Partial | UnsetType = UNSET


class LegacyCompanyKey(_Body):
    """Company by `companyId`, `domain`, or a unique `name`."""

    id: Key
    company_id: Id | UnsetType = UNSET
    domain: Domain | UnsetType = UNSET
    fqdn: Annotated[Domain, Meta(description="The same as `domain`")] | UnsetType = UNSET
    name: Name | UnsetType = UNSET


_IdentifiedCompany = Annotated[
    LegacyCompanyKey,
    any_of(requires_id("companyId"), *(requires_strings(name) for name in ("domain", "fqdn", "name"))),
]


class LegacyCompaniesMetadata(_Body):
    """Accepted from clients that send it as for people."""

    signals: CompanyTypes | UnsetType = UNSET
    signals_start_date: Day | UnsetType = UNSET
    partial_company: Partial | UnsetType = UNSET
    partial_profile: NoEffect | UnsetType = UNSET
    refresh_job_info: NoEffect | UnsetType = UNSET
    filter_by: NoEffect | UnsetType = UNSET
    reveal_emails: NoEffect | UnsetType = UNSET
    reveal_phones: NoEffect | UnsetType = UNSET


class LegacyCompaniesRequest(_Body):
    companies: Annotated[list[_IdentifiedCompany], Meta(min_length=1, max_length=100)]
    signals: CompanyTypes | UnsetType = UNSET
    signals_start_date: Day | UnsetType = UNSET
    signals_filters: LegacySignalsFilters | UnsetType = UNSET
    partial_company: Partial | UnsetType = UNSET
    metadata: LegacyCompaniesMetadata | UnsetType = UNSET


class LegacyErrorText(ResponsePart):
    message: str


class LegacyNoMeta(ResponsePart):
    """Always empty."""


class LegacyCompanyAnswer(ResponsePart, kw_only=True):
    data: LegacyCompany
    errors: LegacyErrorText | UnsetType = UNSET
    meta: LegacyNoMeta


LegacyCompaniesAnswer = dict[str, LegacyBulkCompany]
"""Companies by your keys; what is not found has no entry."""
