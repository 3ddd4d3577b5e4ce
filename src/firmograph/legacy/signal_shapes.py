"""Requests of the legacy signal endpoints; unknown properties are refused.

See docs/reference/legacy.md#signals-calls.

Types shared with the current endpoints are imported from them.
"""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.api.descriptions import NOT_BLANK, in_any_case, requires_strings
from firmograph.enrichment.shapes import Domain, EmailText, Name, Url
from firmograph.kit.body_types import ANY_LENGTH
from firmograph.lookalikes.shapes import Id
from firmograph.security.record_ids import RECORD_ID
from firmograph.signals import types
from firmograph.signals.shapes import ContactTypes, Day, Exclude, LegacyInclude

LEGACY_TYPES = tuple(name for name in types.COMPANY_TYPES if name != types.POSTS)
"""Company signal types of the legacy endpoints."""

LegacyIds = Annotated[
    list[Id],
    Meta(
        min_length=1, max_length=100, description="Ids of any older call, such as `personId` and `companyId`"
    ),
]
Key = Annotated[str, Meta(min_length=1, max_length=256, description="Your own key of the result")]
FullName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=256,
        description="First and last name",
        examples=["Jane Doe"],
        extra_json_schema={"format": "full-name"},
    ),
]
CompanyTypes = Annotated[
    list[Annotated[str, in_any_case(types.ALL_SIGNALS, *LEGACY_TYPES)]],
    Meta(min_length=1, max_length=100),
]
MaxResults = Annotated[
    int,
    Meta(
        ge=1,
        le=2**31 - 1,
        description="Maximum number of signals per type and record, newest first; never more than 1,000",
    ),
]


def any_of(*forms: dict[str, Any]) -> Meta:
    """Document that objects have at least one of these forms."""
    return Meta(extra_json_schema={"anyOf": list(forms)})


def requires_id(name: str) -> dict[str, Any]:
    """Return the schema of objects in which this id, a number or text, is present: neither null nor blank."""
    return {"required": [name], "properties": {name: {"type": ["integer", "string"], "pattern": NOT_BLANK}}}


class _Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Request, or a part of one."""


class LegacyEmployer(_Body):
    """Current or former employer, by name, domain or both."""

    name: Name | UnsetType = UNSET
    domain: Domain | UnsetType = UNSET
    is_current: bool = True


class LegacyContactItem(_Body):
    """Contact by `social_link`, else `email`, else `full_name` at its companies."""

    id: Key
    social_link: Url | UnsetType = UNSET
    full_name: FullName | UnsetType = UNSET
    email: EmailText | UnsetType = UNSET
    companies: Annotated[
        list[Annotated[LegacyEmployer, any_of(requires_strings("name"), requires_strings("domain"))]],
        Meta(max_length=20),
    ] = []


class LegacyCompanyItem(_Body):
    """Company by `domain`, else `name`; without both, `id` is a company id."""

    id: (
        Annotated[int, Meta(ge=0, description="A company id, or your own key", extra=ANY_LENGTH)]
        | Annotated[str, Meta(min_length=1, max_length=256, description="Your own key, or a company id")]
    )
    name: Name | UnsetType = UNSET
    domain: Domain | UnsetType = UNSET


EMPLOYED = {"required": ["companies"], "properties": {"companies": {"type": "array", "minItems": 1}}}
IdentifiedContact = Annotated[
    LegacyContactItem,
    any_of(
        requires_strings("social_link"),
        requires_strings("email"),
        {"allOf": [requires_strings("full_name"), EMPLOYED]},
    ),
]
IdentifiedCompany = Annotated[
    LegacyCompanyItem,
    any_of(
        requires_strings("name"),
        requires_strings("domain"),
        {"properties": {"id": {"pattern": f"^{RECORD_ID}$"}}},
    ),
]


class LegacyFilters(_Body):
    include: LegacyInclude | UnsetType = UNSET
    exclude: Exclude | UnsetType = UNSET


class _Signals(_Body, rename="camel", kw_only=True):
    start_date: Day | UnsetType = UNSET
    max_results_per_signal: MaxResults | UnsetType = UNSET


class LegacyContactSignalsRequest(_Signals, kw_only=True):
    contact_ids: LegacyIds
    signals: ContactTypes


class LegacyContactSignalsSearch(_Signals, kw_only=True):
    contacts: Annotated[list[IdentifiedContact], Meta(min_length=1, max_length=100)]
    signals: ContactTypes


class LegacyCompanySignalsRequest(_Signals, kw_only=True):
    company_ids: LegacyIds
    signals: CompanyTypes
    filters: LegacyFilters | UnsetType = UNSET


class LegacyCompanySignalsSearch(_Signals, kw_only=True):
    companies: Annotated[list[IdentifiedCompany], Meta(min_length=1, max_length=100)]
    signals: CompanyTypes
    filters: LegacyFilters | UnsetType = UNSET
