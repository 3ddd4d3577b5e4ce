"""The answers of the legacy signals calls (wire-b 2), as the OpenAPI document describes them."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.directory.previews import Shown
from firmograph.signals.answers import JobMoved, Number, Truncated, TypesOfCompany

_Credits = Annotated[int, Meta(ge=0, description="What this call cost")]
_Start = Annotated[
    str, Meta(description="As asked for; otherwise the day of the oldest signal that is shown, or `endDate`")
]
_End = Annotated[str, Meta(description="Today, in UTC")]


class LegacySignalsOfContact(Shown):
    """A type is there exactly when it was asked for, `[]` without any signal; newest first."""

    person_id: Number
    company_change: list[JobMoved] | UnsetType = UNSET
    promotion: list[JobMoved] | UnsetType = UNSET
    truncated: Truncated | UnsetType = UNSET


class LegacySignalsOfCompany(TypesOfCompany, kw_only=True):
    """A type is there exactly when it was asked for and has signals; newest first, then by `signalId`."""

    company_id: Number
    company_name: str
    domain: str


class LegacyContactSignals(Shown):
    """By id asked for, or by the caller's own key; what means no contact that is held has no entry."""

    contacts: dict[str, LegacySignalsOfContact]
    start_date: _Start
    end_date: _End
    credit_charged: _Credits


class LegacyCompanySignals(Shown):
    """By id asked for, or by the caller's own key; what means no company that is held has no entry."""

    companies: dict[str, LegacySignalsOfCompany]
    start_date: _Start
    end_date: _End
    credit_charged: _Credits


class FilterOptions(msgspec.Struct, rename="camel", frozen=True):
    news_event_types: tuple[str, ...]
    hiring_by_departments: tuple[str, ...]


class LegacySignalFilters(msgspec.Struct, rename="camel", frozen=True):
    """What the signals calls may name."""

    signals: tuple[str, ...]
    object_type: Literal["contact", "company"]
    filter_options: FilterOptions | UnsetType = UNSET
