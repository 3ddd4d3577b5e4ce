"""JSON structures of the filter by signals in search and prospecting (docs/reference/prospecting.md#signals).

Fixed vocabularies are documented as enumerations but decoded as text: `activity_filters.py` refuses unknown values and
suggests the nearest ones.
"""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.api.descriptions import in_any_case
from firmograph.signals import types


class _Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """Part of a request; unknown properties are refused, empty objects and lists count as absent."""


_Text = Annotated[str, Meta(min_length=1, max_length=256)]
_Date = Annotated[str, Meta(max_length=10, examples=["2026-01-31"], extra_json_schema={"format": "date"})]
Since = Annotated[
    _Date,
    Meta(
        description="Signals dated on this day or later; not in the future. Without it all stored signals."
        " `linkedinActivityIntent` looks at the last 90 days in any case"
    ),
]
OwnSince = Annotated[_Date, Meta(description="In place of the filter's `startDate`, for this entry")]
MostResults = Annotated[
    int,
    Meta(ge=1, le=100, description="Accepted for older clients; previews show no signals, only their types"),
]
_ContactTypes = list[Annotated[str, in_any_case(types.ALL_SIGNALS, *types.CONTACT_TYPES)]]
_CompanyTypes = list[Annotated[str, in_any_case(types.ALL_SIGNALS, *types.COMPANY_TYPES)]]
Categories = Annotated[
    list[_Text],
    Meta(description="Narrows only `linkedinActivityIntent`, to posts of any of these categories"),
]


class ContactSignalFilter(_Body):
    """Signal of any of these types."""

    types: _ContactTypes | UnsetType = UNSET
    start_date: Since | UnsetType = UNSET
    max_results_per_signal: MostResults | UnsetType = UNSET


class SignalPlace(_Body):
    """Country including its states, or one state, by name or code."""

    country: _Text
    state: _Text | UnsetType = UNSET
    start_date: OwnSince | UnsetType = UNSET


class SignalDepartment(_Body):
    department: Annotated[str, in_any_case(*types.HIRING_DEPARTMENTS)]
    start_date: OwnSince | UnsetType = UNSET


class CompanySignalFilter(_Body):
    """Signal of any of these types; each `filterBy...` narrows only its own type, to any of its values.

    `filterByLocation` narrows `surgeInHiringByLocation`, `filterByDepartment` narrows `surgeInHiringByDepartment`,
    `filterByIntentCategory` narrows `linkedinActivityIntent`, asked for by name or through `allSignals`.
    """

    types: _CompanyTypes | UnsetType = UNSET
    start_date: Since | UnsetType = UNSET
    filter_by_location: list[SignalPlace] | UnsetType = UNSET
    filter_by_department: list[SignalDepartment] | UnsetType = UNSET
    filter_by_intent_category: Categories | UnsetType = UNSET
    max_results_per_signal: MostResults | UnsetType = UNSET


class ContactSearchSignals(ContactSignalFilter, kw_only=True):
    """Signal of any of these types."""

    types: Annotated[_ContactTypes, Meta(min_length=1)]


class CompanySearchSignals(CompanySignalFilter, kw_only=True):
    """Signal of any of these types; `filterBy...` as in prospecting."""

    types: Annotated[_CompanyTypes, Meta(min_length=1)]
