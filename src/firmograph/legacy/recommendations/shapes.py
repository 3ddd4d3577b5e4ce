"""Requests and answers of recommendations (docs/reference/legacy.md#recommendations).

Unknown properties are refused.
"""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.directory.previews import ResponsePart
from firmograph.lookalikes.answers import SeedsMeta
from firmograph.lookalikes.shapes import MOST_EXCLUDED, MOST_SEEDS, AnyId, Id, SessionId


class _Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """Request, or a part of one."""


class RecommendedByPerson(_Body):
    """Person by id; their company has no effect."""

    person_id: Id
    company_id: AnyId | UnsetType = UNSET


class RecommendedByCompany(_Body):
    """Company by id."""

    company_id: Id


_SEEDS = Meta(min_length=1, max_length=MOST_SEEDS)
_EXCLUDED = Meta(max_length=MOST_EXCLUDED, description="Records that are no results")
_Session = Annotated[
    SessionId, Meta(description="The `requestId` of an earlier answer, for further results without repeats")
]
_Limit = Annotated[int, Meta(ge=5, le=25, description="Number of results at most")]


class ContactRecommendationsRequest(_Body, kw_only=True):
    contacts: Annotated[list[RecommendedByPerson], _SEEDS]
    exclude: Annotated[list[RecommendedByPerson], _EXCLUDED] | UnsetType = UNSET
    request_id: _Session | UnsetType = UNSET
    limit: _Limit = 25


class CompanyRecommendationsRequest(_Body, kw_only=True):
    companies: Annotated[list[RecommendedByCompany], _SEEDS]
    exclude: Annotated[list[RecommendedByCompany], _EXCLUDED] | UnsetType = UNSET
    request_id: _Session | UnsetType = UNSET
    limit: _Limit = 25


class RecommendedContact(ResponsePart):
    person_id: int
    company_id: int | UnsetType = UNSET
    name: str | UnsetType = UNSET
    job_title: str | UnsetType = UNSET
    company_name: str | UnsetType = UNSET


class RecommendedCompany(ResponsePart):
    company_id: int
    name: str
    fqdn: str | UnsetType = UNSET
    description: str | UnsetType = UNSET


class _Recommendations(ResponsePart, kw_only=True):
    request_id: Annotated[
        str | None,
        Meta(description="To be sent with the next call; null where none was given and nothing was found"),
    ]
    count: Annotated[int, Meta(ge=0, description="Number of results")]
    credits_charged: Annotated[int, Meta(ge=0)]
    meta: SeedsMeta


class ContactRecommendations(_Recommendations, kw_only=True):
    contacts: list[RecommendedContact]


class CompanyRecommendations(_Recommendations, kw_only=True):
    companies: list[RecommendedCompany]
