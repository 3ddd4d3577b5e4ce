"""The filter by signals as JSON has it, in search and in prospecting (docs/reference/prospecting.md#signals).

Fixed vocabularies are described as enumerations but decoded as text: what is not in one is refused where the filter is
read (`activity_filters.py`), with the nearest values.
"""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.signals import types


class _Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """A part of a request; an unknown property is refused, empty objects and lists count as absent."""


def _one_of(*values: str) -> Meta:
    return Meta(max_length=64, extra_json_schema={"enum": list(values)})


_Text = Annotated[str, Meta(min_length=1, max_length=256)]
_Date = Annotated[str, Meta(max_length=10, examples=["2026-01-31"], extra_json_schema={"format": "date"})]
Since = Annotated[
    _Date,
    Meta(
        description="Signals dated on this day or later; not in the future. Without it every signal that is held."
        " `linkedinActivityIntent` looks at the last 90 days in any case"
    ),
]
OwnSince = Annotated[_Date, Meta(description="In place of the filter's `startDate`, for this entry")]
MostResults = Annotated[
    int,
    Meta(ge=1, le=100, description="Accepted for older clients; previews show no signals, only their types"),
]
_ContactTypes = list[Annotated[str, _one_of(types.ALL_SIGNALS, *types.CONTACT_TYPES)]]
_CompanyTypes = list[Annotated[str, _one_of(types.ALL_SIGNALS, *types.COMPANY_TYPES)]]
Categories = Annotated[
    list[_Text],
    Meta(
        description="Narrows `linkedinActivityIntent` to posts of any of these categories, and nothing else"
    ),
]


class ContactSignalFilter(_Body):
    """A signal of any of these types."""

    types: _ContactTypes | UnsetType = UNSET
    start_date: Since | UnsetType = UNSET
    max_results_per_signal: MostResults | UnsetType = UNSET


class SignalPlace(_Body):
    """A country, or a state of it, by name or code; of a country, its states too."""

    country: _Text
    state: _Text | UnsetType = UNSET
    start_date: OwnSince | UnsetType = UNSET


class SignalDepartment(_Body):
    department: Annotated[str, _one_of(*types.HIRING_DEPARTMENTS)]
    start_date: OwnSince | UnsetType = UNSET


class CompanySignalFilter(_Body):
    """A signal of any of these types. Each `filterBy...` narrows its own type and no other; any of its values suffices.

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
    """A signal of any of these types."""

    types: Annotated[_ContactTypes, Meta(min_length=1)]


class CompanySearchSignals(CompanySignalFilter, kw_only=True):
    """A signal of any of these types; `filterBy...` as in prospecting."""

    types: Annotated[_CompanyTypes, Meta(min_length=1)]
