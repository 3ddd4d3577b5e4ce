"""Request of website visits; unknown properties are refused (docs/reference/website-visits.md#request).

Fixed vocabularies are documented as enumerations but decoded as text: `query.py` refuses unknown values and names the
valid ones.
"""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.api.descriptions import in_any_case
from firmograph.visits.metrics import SORT_KEYS
from firmograph.visits.score import BANDS

MOST_RESULTS: Final = 150
DEFAULT_RESULTS: Final = 25
MOST_SKIPPED: Final = 100_000
ORDERS: Final = ("asc", "desc")
_MOST: Final = 1_000_000_000
_RANGE: Final = Meta(description="Bounds are inclusive, and either may be absent")


class _Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """Request, or part of a request; empty filters count as absent."""


_Day = Annotated[
    str, Meta(min_length=1, max_length=64, examples=["2026-01-31"], extra_json_schema={"format": "date"})
]
_Domain = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=1024,
        description="A tracked domain",
        examples=["example.com"],
        extra_json_schema={"format": "domain"},
    ),
]
_Count = Annotated[int, Meta(ge=0, le=_MOST)]
_Number = Annotated[float, Meta(ge=0, le=_MOST)]
_Score = Annotated[int, Meta(ge=1, le=100)]
_Country = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        description="ISO 3166-1 alpha-2, in any letter case",
        examples=["DE"],
        extra_json_schema={"pattern": "^[A-Za-z]{2}$"},
    ),
]
_Countries = Annotated[list[_Country], Meta(max_length=300)]


class CountRange(_Body):
    min: _Count | UnsetType = UNSET
    max: _Count | UnsetType = UNSET


class NumberRange(_Body):
    min: _Number | UnsetType = UNSET
    max: _Number | UnsetType = UNSET


class ScoreRange(_Body):
    min: _Score | UnsetType = UNSET
    max: _Score | UnsetType = UNSET


class VisitorCountries(_Body):
    """Countries of a company's visitors; a company without a known one is in no list."""

    include: _Countries | UnsetType = UNSET
    exclude: _Countries | UnsetType = UNSET


class VisitFilters(_Body):
    """A company meets all filters; of a list it meets any value."""

    score_bands: Annotated[list[Annotated[str, in_any_case(*BANDS)]], Meta(max_length=100)] | UnsetType = (
        UNSET
    )
    score: Annotated[ScoreRange, _RANGE] | UnsetType = UNSET
    total_sessions: Annotated[CountRange, _RANGE] | UnsetType = UNSET
    unique_visitors: Annotated[CountRange, _RANGE] | UnsetType = UNSET
    avg_session_minutes: Annotated[NumberRange, _RANGE] | UnsetType = UNSET
    days_visited: Annotated[CountRange, _RANGE] | UnsetType = UNSET
    high_intent_pageviews: Annotated[CountRange, _RANGE] | UnsetType = UNSET
    days_since_last_visit: Annotated[CountRange, _RANGE] | UnsetType = UNSET
    visitor_countries: VisitorCountries | UnsetType = UNSET


class VisitSort(_Body):
    by: (
        Annotated[str, in_any_case(*SORT_KEYS), Meta(extra_json_schema={"default": SORT_KEYS[0]})] | UnsetType
    ) = UNSET
    order: Annotated[str, in_any_case(*ORDERS), Meta(extra_json_schema={"default": "desc"})] | UnsetType = (
        UNSET
    )


class VisitPagination(_Body):
    """Either `page` and `size`, or `limit` and `offset`."""

    page: Annotated[int, Meta(ge=0, le=MOST_SKIPPED, extra_json_schema={"default": 0})] | UnsetType = UNSET
    size: (
        Annotated[int, Meta(ge=1, le=MOST_RESULTS, extra_json_schema={"default": DEFAULT_RESULTS})]
        | UnsetType
    ) = UNSET
    limit: Annotated[int, Meta(ge=1, le=MOST_RESULTS, description="The same as `size`")] | UnsetType = UNSET
    offset: (
        Annotated[int, Meta(ge=0, le=MOST_SKIPPED, description="Results before the first one")] | UnsetType
    ) = UNSET


class WebsiteVisitsRequest(_Body):
    start_date: _Day
    end_date: Annotated[_Day, Meta(description="At most three calendar months after `startDate`")]
    domains: (
        Annotated[
            list[_Domain],
            Meta(min_length=1, max_length=1000, description="Without it all tracked domains of the account"),
        ]
        | UnsetType
    ) = UNSET
    filters: VisitFilters | UnsetType = UNSET
    sort: VisitSort | UnsetType = UNSET
    pagination: VisitPagination | UnsetType = UNSET
