"""Request structures of search, enrich, and search-and-enrich; unknown properties are refused.

See docs/reference/lookups.md#requests.
"""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.api.descriptions import requires_strings
from firmograph.directory.data_points import CompanyToken, ContactUnit
from firmograph.security.record_ids import RECORD_ID
from firmograph.signals.activity.shapes import CompanySearchSignals, ContactSearchSignals
from firmograph.table_rows import TableId

Reference = Annotated[str, Meta(max_length=256, description="Your own reference, echoed on the result")]
Identifier = Annotated[
    str,
    Meta(
        description="A record id: `v{N}.` and opaque text, or legacy digits",
        examples=["v1.x"],
        extra_json_schema={"pattern": f"^{RECORD_ID}$"},
    ),
]
Name = Annotated[str, Meta(min_length=1, max_length=256)]
Url = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=1024,
        description="The URL of a LinkedIn profile",
        examples=["https://www.linkedin.com/in/jane-doe"],
        extra_json_schema={"format": "linkedin-url"},
    ),
]
CompanyUrl = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=1024,
        description="The LinkedIn URL of a company",
        examples=["https://www.linkedin.com/company/acme"],
        extra_json_schema={"format": "linkedin-company-url"},
    ),
]
EmailText = Annotated[str, Meta(min_length=3, max_length=320, extra_json_schema={"format": "email"})]
Domain = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=1024,
        description="A domain or the URL of a web site",
        examples=["example.com"],
        extra_json_schema={"format": "domain"},
    ),
]


class _Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """Request, or part of a request."""


class ContactItem(_Body):
    """Contact by `id`, `linkedinUrl`, `email`, or name and company; the first that resolves decides."""

    client_reference_id: Reference | UnsetType = UNSET
    id: Identifier | UnsetType = UNSET
    linkedin_url: Url | UnsetType = UNSET
    email: EmailText | UnsetType = UNSET
    first_name: Name | UnsetType = UNSET
    last_name: Name | UnsetType = UNSET
    company_name: Name | UnsetType = UNSET
    company_domain: Domain | UnsetType = UNSET


class CompanyItem(_Body):
    """Company by `id`, `domain`, `linkedinUrl` or a unique `name`, in this order."""

    client_reference_id: Reference | UnsetType = UNSET
    id: Identifier | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    domain: Domain | UnsetType = UNSET
    linkedin_url: CompanyUrl | UnsetType = UNSET


class Options(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel", frozen=True):
    include_partial_profiles: Annotated[
        bool,
        Meta(
            description="Whether contacts without e-mail and phone, and companies without domain and LinkedIn"
            " URL, are results; `false` makes them `NOT_FOUND`"
        ),
    ] = True


def _one_of(*combinations: list[str]) -> Meta:
    return Meta(extra_json_schema={"anyOf": [requires_strings(*names) for names in combinations]})


IdentifiedContact = Annotated[
    ContactItem,
    _one_of(["id"], ["linkedinUrl"], ["email"], ["firstName", "companyName"], ["firstName", "companyDomain"]),
]
IdentifiedCompany = Annotated[CompanyItem, _one_of(["id"], ["domain"], ["linkedinUrl"], ["name"])]
Contacts = Annotated[list[IdentifiedContact], Meta(min_length=1, max_length=100)]
Companies = Annotated[list[IdentifiedCompany], Meta(min_length=1, max_length=100)]
Ids = Annotated[list[Identifier], Meta(min_length=1, max_length=100)]
_SIGNALS = Meta(
    description="Only records with such a signal are results, the others are `NOT_FOUND`; results carry `signalTypes`."
    " Free; not on every plan"
)
PartnerClientId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=255,
        description="Your partner on whose behalf this is revealed. Should the person opt out, the opt-out"
        " subscription of this partner is notified, or else the one without a partner, with this text in its payload",
    ),
]
_FILTER_BY = Meta(description="Accepted for older clients; has no effect")


class ContactSearch(_Body):
    contacts: Contacts
    options: Options = Options()
    signals: Annotated[ContactSearchSignals, _SIGNALS] | UnsetType = UNSET


class ContactEnrich(_Body):
    ids: Ids
    reveal: Annotated[list[ContactUnit], Meta(min_length=1, max_length=100)] | UnsetType = UNSET
    waterfall_enabled: (
        Annotated[
            bool,
            Meta(
                description="Whether other providers are asked for data points without a value, where the operator has"
                " enabled any for the account; `false` does without them"
            ),
        ]
        | UnsetType
    ) = UNSET
    partner_client_id: PartnerClientId | UnsetType = UNSET
    table_id: TableId | UnsetType = UNSET


class ContactSearchAndEnrich(_Body):
    contacts: Contacts
    reveal: Annotated[list[ContactUnit], Meta(max_length=100)] | UnsetType = UNSET
    options: Options = Options()
    filter_by: Annotated[str, Meta(max_length=256), _FILTER_BY] | UnsetType = UNSET
    partner_client_id: PartnerClientId | UnsetType = UNSET


class CompanySearch(_Body):
    companies: Companies
    options: Options = Options()
    signals: Annotated[CompanySearchSignals, _SIGNALS] | UnsetType = UNSET


class CompanyEnrich(_Body):
    ids: Ids
    reveal: Annotated[list[CompanyToken], Meta(min_length=1, max_length=100)] | UnsetType = UNSET
    table_id: TableId | UnsetType = UNSET


class CompanySearchAndEnrich(_Body):
    companies: Companies
    reveal: Annotated[list[CompanyToken], Meta(max_length=100)] | UnsetType = UNSET
    options: Options = Options()
    filter_by: Annotated[str, Meta(max_length=256), _FILTER_BY] | UnsetType = UNSET
