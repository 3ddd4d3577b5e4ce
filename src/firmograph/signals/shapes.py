"""Request structures of the signals calls (docs/reference/signals.md#requests); unknown properties are refused.

Fixed vocabularies are documented as enumerations but decoded as text: `filters.py` refuses unknown values and suggests
the nearest ones.
"""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.api.descriptions import in_any_case
from firmograph.security.record_ids import RECORD_ID
from firmograph.signals import types
from firmograph.table_rows import TableId


class _Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """Request, or part of a request."""


MOST_VALUES = 1000
"""Limit of a list of filter values."""

Ids = Annotated[
    list[
        Annotated[
            str,
            Meta(
                description="A record id: `v{N}.` and opaque text, or legacy digits",
                examples=["v1.x"],
                extra_json_schema={"pattern": f"^{RECORD_ID}$"},
            ),
        ]
    ],
    Meta(min_length=1, max_length=100),
]
ContactTypes = Annotated[
    list[Annotated[str, in_any_case(types.ALL_SIGNALS, *types.CONTACT_TYPES)]],
    Meta(min_length=1, max_length=100),
]
CompanyTypes = Annotated[
    list[Annotated[str, in_any_case(types.ALL_SIGNALS, *types.COMPANY_TYPES)]],
    Meta(min_length=1, max_length=100),
]
Day = Annotated[
    str,
    Meta(
        max_length=10,
        description="Signals dated on this day or later; not in the future. Without it all stored signals",
        examples=["2026-01-31"],
        extra_json_schema={"format": "date"},
    ),
]
MostResults = Annotated[
    int, Meta(ge=1, le=100, description="Limit for each type and record; the newest are returned")
]
Text = Annotated[str, Meta(min_length=1, max_length=256)]
NewsEvents = Annotated[
    list[Annotated[str, in_any_case(*types.NEWS_EVENT_TYPES)]],
    Meta(max_length=MOST_VALUES, description="Narrow the seven types of news"),
]
Departments = Annotated[
    list[Annotated[str, in_any_case(*types.HIRING_DEPARTMENTS)]],
    Meta(max_length=MOST_VALUES, description="Narrow `surgeInHiringByDepartment`"),
]
Categories = Annotated[
    list[Text], Meta(max_length=MOST_VALUES, description="Narrow `linkedinActivityIntent`")
]


class HiringPlace(_Body):
    """Country, or state of a country, by name or code."""

    country: Text
    state: Text | UnsetType = UNSET


Places = Annotated[
    list[HiringPlace], Meta(max_length=MOST_VALUES, description="Narrow `surgeInHiringByLocation`")
]


class Exclude(_Body):
    """Empty object: signals are narrowed only by `include`."""


class LegacyInclude(_Body):
    """Filter values, of which any one suffices, in any letter case; each list narrows only its own types."""

    news_event_types: NewsEvents | UnsetType = UNSET
    hiring_by_departments: Departments | UnsetType = UNSET
    hiring_by_locations: Places | UnsetType = UNSET


class SignalInclude(LegacyInclude):
    """Filter values, of which any one suffices, in any letter case; each list narrows only its own types."""

    intent_categories: Categories | UnsetType = UNSET


class SignalFilters(_Body):
    include: SignalInclude | UnsetType = UNSET
    exclude: Exclude | UnsetType = UNSET


class ContactSignalsRequest(_Body):
    ids: Ids
    signal_types: ContactTypes
    start_date: Day | UnsetType = UNSET
    max_results_per_signal: MostResults | UnsetType = UNSET
    table_id: TableId | UnsetType = UNSET


class CompanySignalsRequest(_Body):
    ids: Ids
    signal_types: CompanyTypes
    start_date: Day | UnsetType = UNSET
    max_results_per_signal: MostResults | UnsetType = UNSET
    filters: SignalFilters | UnsetType = UNSET
    table_id: TableId | UnsetType = UNSET
