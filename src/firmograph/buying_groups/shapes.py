"""Request and response structures of buying groups (docs/reference/buying-groups.md)."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.api.descriptions import requires_strings
from firmograph.api.envelope import Billing, ItemError
from firmograph.buying_groups.roles.personas import Persona
from firmograph.directory.previews import ContactPreview, ResponsePart, Results, Token
from firmograph.enrichment.shapes import Domain, Identifier, Reference

DEFAULT_LIMIT = 60
DEFAULT_SIZE = 100


class _Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """Request, or part of a request."""


class BuyingGroupCompany(_Body):
    """Company by exactly one of `domain` and `id`."""

    client_reference_id: Reference | UnsetType = UNSET
    domain: Domain | UnsetType = UNSET
    id: Identifier | UnsetType = UNSET


IdentifiedCompany = Annotated[
    BuyingGroupCompany,
    Meta(extra_json_schema={"oneOf": [requires_strings(name) for name in ("domain", "id")]}),
]


class BuyingGroupPagination(_Body):
    page: Annotated[int, Meta(ge=0, le=1000, extra_json_schema={"default": 0})] | UnsetType = UNSET
    size: Annotated[int, Meta(ge=10, le=100, extra_json_schema={"default": DEFAULT_SIZE})] | UnsetType = UNSET


class BuyingGroupRequest(_Body):
    companies: Annotated[list[IdentifiedCompany], Meta(min_length=1, max_length=25)]
    personas: (
        Annotated[list[Persona], Meta(description="Roles of which a contact must have one; all by default")]
        | UnsetType
    ) = UNSET
    contacts_limit: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=1000,
                description="Maximum number of contacts per company, over all pages",
                extra_json_schema={"default": DEFAULT_LIMIT},
            ),
        ]
        | UnsetType
    ) = UNSET
    pagination: Annotated[BuyingGroupPagination, Meta(description="Pages of contacts")] | UnsetType = UNSET


class BuyingGroupContact(ContactPreview, kw_only=True):
    """Preview of search, with the contact's roles."""

    roles: Annotated[list[Persona], Meta(description="All roles of the contact, the strongest first")]
    score: Annotated[
        float, Meta(ge=0, le=1, description="Fit to the strongest requested role, then recency and reach")
    ]


class BuyingGroup(ResponsePart):
    company_id: Token
    contacts: Annotated[list[BuyingGroupContact], Meta(description="Those on this page, by `score`")]
    client_reference_id: str | UnsetType = UNSET


class MissingBuyingGroup(ItemError, kw_only=True):
    """Company that is not found, with the requested identifier."""

    domain: str | UnsetType = UNSET
    contacts: Annotated[list[BuyingGroupContact], Meta(max_length=0)]


class BuyingGroupPage(ResponsePart):
    """Page number, page size and total of contacts."""

    page: int
    size: int
    total: Annotated[int, Meta(description="Contacts on all pages, after `contactsLimit`")]


class BuyingGroupAnswer(Results):
    results: list[BuyingGroup | MissingBuyingGroup]
    pagination: BuyingGroupPage
    billing: Billing
