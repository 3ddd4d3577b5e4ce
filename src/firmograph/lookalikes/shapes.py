"""Request structures of lookalikes (docs/reference/lookalikes.md#requests); unknown properties are refused."""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.api.descriptions import requires_strings
from firmograph.enrichment.shapes import CompanyUrl, Domain, EmailText, Identifier, Name, Url
from firmograph.kit.body_types import ANY_LENGTH
from firmograph.table_rows import TableId

LEAST_SEEDS: Final = 5
MOST_SEEDS: Final = 100
MOST_EXCLUDED: Final = 500
DEFAULT_LIMIT: Final = 25


class _Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """Request, or part of a request."""


class NamedContact(_Body):
    """Contact by name and company."""

    first_name: Name
    last_name: Name | UnsetType = UNSET
    company_domain: Domain | UnsetType = UNSET
    company_name: Name | UnsetType = UNSET


Id = Annotated[int, Meta(ge=0, description="Legacy numeric id", extra=ANY_LENGTH)] | Identifier
AnyId = Annotated[int, Meta(description="Legacy numeric id", extra=ANY_LENGTH)] | str
"""Id that need not be one, so text of any form."""
_Named = Annotated[
    NamedContact,
    Meta(extra_json_schema={"anyOf": [requires_strings("companyDomain"), requires_strings("companyName")]}),
]
_SEEDS = Meta(max_length=MOST_SEEDS)
_EXCLUDED = Meta(max_length=MOST_EXCLUDED)


class ContactSeeds(_Body):
    """Contacts by identifiers of any kind."""

    ids: Annotated[list[Id], _SEEDS] | UnsetType = UNSET
    contact_ids: Annotated[list[Id], _SEEDS] | UnsetType = UNSET
    emails: Annotated[list[EmailText], _SEEDS] | UnsetType = UNSET
    linkedin_urls: Annotated[list[Url], _SEEDS] | UnsetType = UNSET
    contacts: Annotated[list[_Named], _SEEDS] | UnsetType = UNSET


class ContactExclusions(_Body):
    """Contacts by identifiers of any kind."""

    ids: Annotated[list[Id], _EXCLUDED] | UnsetType = UNSET
    contact_ids: Annotated[list[Id], _EXCLUDED] | UnsetType = UNSET
    emails: Annotated[list[EmailText], _EXCLUDED] | UnsetType = UNSET
    linkedin_urls: Annotated[list[Url], _EXCLUDED] | UnsetType = UNSET
    contacts: Annotated[list[_Named], _EXCLUDED] | UnsetType = UNSET


class CompanySeeds(_Body):
    """Companies by identifiers of any kind."""

    ids: Annotated[list[Id], _SEEDS] | UnsetType = UNSET
    domains: Annotated[list[Domain], _SEEDS] | UnsetType = UNSET
    linkedin_urls: Annotated[list[CompanyUrl], _SEEDS] | UnsetType = UNSET


class CompanyExclusions(_Body):
    """Companies by identifiers of any kind."""

    ids: Annotated[list[Id], _EXCLUDED] | UnsetType = UNSET
    domains: Annotated[list[Domain], _EXCLUDED] | UnsetType = UNSET
    linkedin_urls: Annotated[list[CompanyUrl], _EXCLUDED] | UnsetType = UNSET


_GIVEN_SEEDS = Meta(
    description=f"{LEAST_SEEDS} to {MOST_SEEDS} different identifiers in all lists together; unknown ones are passed"
    " over, and none is a result",
    extra_json_schema={"minProperties": 1},
)
_GIVEN_EXCLUSIONS = Meta(
    description=f"Records that are no results, by at most {MOST_EXCLUDED} different identifiers in all lists together"
)
SessionId = Annotated[
    str,
    Meta(
        pattern="^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
        max_length=36,
        description="The session of earlier answers, whose results are left out. Without it a new one begins",
        examples=["2f0c1f6e-5a0f-4f0e-9d0b-3f1d6a6e7c11"],
        extra={"expects": "a UUID"},
    ),
]
Limit = Annotated[int, Meta(ge=1, le=100, description="Number of results at most")]


class ContactLookalikes(_Body):
    seeds: Annotated[ContactSeeds, _GIVEN_SEEDS]
    exclude: Annotated[ContactExclusions, _GIVEN_EXCLUSIONS] | UnsetType = UNSET
    dedupe_session_id: SessionId | UnsetType = UNSET
    limit: Limit = DEFAULT_LIMIT
    table_id: TableId | UnsetType = UNSET


class CompanyLookalikes(_Body):
    seeds: Annotated[CompanySeeds, _GIVEN_SEEDS]
    exclude: Annotated[CompanyExclusions, _GIVEN_EXCLUSIONS] | UnsetType = UNSET
    dedupe_session_id: SessionId | UnsetType = UNSET
    limit: Limit = DEFAULT_LIMIT
    table_id: TableId | UnsetType = UNSET
