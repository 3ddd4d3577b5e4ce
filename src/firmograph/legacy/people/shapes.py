"""Requests and answers of the legacy calls for people (docs/reference/legacy.md#people).

Unknown properties are refused.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.api.descriptions import requires_strings
from firmograph.directory.previews import ResponsePart
from firmograph.enrichment.shapes import Domain, EmailText, Identifier, Name, Url
from firmograph.legacy.records.company_shapes import LegacyPersonCompany
from firmograph.legacy.records.person_shapes import LegacyItemError, LegacyPerson
from firmograph.legacy.signal_shapes import EMPLOYED, FullName, Key, any_of, requires_id
from firmograph.lookalikes.shapes import Id
from firmograph.signals.shapes import ContactTypes, Day


class _Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """Request, or a part of one."""


NoEffect = Annotated[Any, Meta(description="Accepted; has no effect")]
FilterBy = Annotated[
    Literal["phoneNumbers", "emailAddresses"],
    Meta(description="Who lacks these is answered as `EMPTY_DATA`, for nothing"),
]
Reveal = Annotated[
    bool,
    Meta(
        description="Only `true` counts: it asks for these alone, or for both if the other flag is `true` too. Needs"
        " the plan feature `unifiedCredits`"
    ),
]
Partial = Annotated[
    bool,
    Meta(
        description="`false` finds nobody without e-mail and phone",
        extra_json_schema={"default": True},
    ),
]
StartDate = Annotated[Day, Meta(description="Signals dated on this day or later, all without it")]


class RevealFlags(_Body):
    """Flags in the query of a call with a body."""

    reveal_emails: Reveal | UnsetType = UNSET
    reveal_phones: Reveal | UnsetType = UNSET


class LegacyPersonQuery(_Body):
    """Person by `personId`, `linkedinUrl`, `email`, or first name, and last name if there is one, with a company."""

    person_id: Identifier | UnsetType = UNSET
    linkedin_url: Url | UnsetType = UNSET
    email: EmailText | UnsetType = UNSET
    first_name: Name | UnsetType = UNSET
    last_name: Name | UnsetType = UNSET
    company_name: Name | UnsetType = UNSET
    company: Annotated[Name, Meta(description="The same as `companyName`")] | UnsetType = UNSET
    company_domain: Domain | UnsetType = UNSET
    refresh_job_info: Annotated[bool, Meta(description="Accepted; has no effect")] | UnsetType = UNSET
    filter_by: FilterBy | UnsetType = UNSET
    reveal_emails: Reveal | UnsetType = UNSET
    reveal_phones: Reveal | UnsetType = UNSET
    signals: ContactTypes | UnsetType = UNSET
    signals_start_date: StartDate | UnsetType = UNSET
    partial_profile: Partial | UnsetType = UNSET


class LegacyItemEmployer(_Body):
    """Present or former employer, by name or domain."""

    name: Name | UnsetType = UNSET
    domain: Domain | UnsetType = UNSET
    fqdn: Annotated[Domain, Meta(description="The same as `domain`")] | UnsetType = UNSET
    is_current: bool = True
    job_title: NoEffect | UnsetType = UNSET
    company_social_id: NoEffect | UnsetType = UNSET


_IdentifiedEmployer = Annotated[
    LegacyItemEmployer,
    any_of(requires_strings("name"), requires_strings("domain"), requires_strings("fqdn")),
]


class LegacyPersonItem(_Body):
    """Person by `personId`, `linkedinUrl`, `email`, or `fullName` at one of the companies, current ones first."""

    contact_id: Key
    person_id: Id | UnsetType = UNSET
    linkedin_url: Url | UnsetType = UNSET
    email: EmailText | UnsetType = UNSET
    full_name: FullName | UnsetType = UNSET
    location: NoEffect | UnsetType = UNSET
    companies: Annotated[list[_IdentifiedEmployer], Meta(max_length=20)] = []


_IdentifiedPerson = Annotated[
    LegacyPersonItem,
    any_of(
        requires_id("personId"),
        requires_strings("linkedinUrl"),
        requires_strings("email"),
        {"allOf": [requires_strings("fullName"), EMPLOYED]},
    ),
]


class LegacyPeopleMetadata(_Body):
    reveal_emails: Reveal | UnsetType = UNSET
    reveal_phones: Reveal | UnsetType = UNSET
    filter_by: FilterBy | UnsetType = UNSET
    refresh_job_info: NoEffect | UnsetType = UNSET
    signals: ContactTypes | UnsetType = UNSET
    signals_start_date: StartDate | UnsetType = UNSET
    partial_profile: Partial | UnsetType = UNSET


class LegacyPeopleRequest(_Body):
    contacts: Annotated[list[_IdentifiedPerson], Meta(min_length=1, max_length=100)]
    metadata: LegacyPeopleMetadata | UnsetType = UNSET
    reveal_emails: Reveal | UnsetType = UNSET
    reveal_phones: Reveal | UnsetType = UNSET


IsCharged = Annotated[bool, Meta(description="Whether this call paid something for this person")]


class LegacyPersonResult(ResponsePart, kw_only=True):
    error: LegacyItemError | None
    is_credit_charged: IsCharged
    data: LegacyPerson | None


class LegacyPersonAnswer(ResponsePart):
    contact: LegacyPersonResult


class LegacyPeopleAnswer(ResponsePart):
    """People by your keys, and their employers by id."""

    contacts: dict[str, LegacyPersonResult]
    companies: dict[str, LegacyPersonCompany]
