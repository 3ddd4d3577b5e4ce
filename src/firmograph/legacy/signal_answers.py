"""Responses of the legacy signal endpoints, as the OpenAPI document describes them."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.directory.previews import ResponsePart
from firmograph.signals.answers import JobMoved, Number, Truncated, TypesOfCompany

_Credits = Annotated[int, Meta(ge=0, description="Price of this call")]
_Start = Annotated[
    str, Meta(description="The requested date, or else the day of the oldest returned signal, or `endDate`")
]
_End = Annotated[str, Meta(description="Today, in UTC")]


class LegacySignalsOfContact(ResponsePart):
    """Signals by requested type, newest first; `[]` for a type without any."""

    person_id: Number
    company_change: list[JobMoved] | UnsetType = UNSET
    promotion: list[JobMoved] | UnsetType = UNSET
    truncated: Truncated | UnsetType = UNSET


class LegacySignalsOfCompany(TypesOfCompany, kw_only=True):
    """Signals by requested type that has any, newest first, then by `signalId`."""

    company_id: Number
    company_name: str
    domain: str


class LegacyContactSignals(ResponsePart):
    """Signals by requested id or own key; unknown contacts have no entry."""

    contacts: dict[str, LegacySignalsOfContact]
    start_date: _Start
    end_date: _End
    credit_charged: _Credits


class LegacyCompanySignals(ResponsePart):
    """Signals by requested id or own key; unknown companies have no entry."""

    companies: dict[str, LegacySignalsOfCompany]
    start_date: _Start
    end_date: _End
    credit_charged: _Credits


class FilterOptions(msgspec.Struct, rename="camel", frozen=True):
    news_event_types: tuple[str, ...]
    hiring_by_departments: tuple[str, ...]


class LegacySignalFilters(msgspec.Struct, rename="camel", frozen=True):
    """Values that the signal endpoints accept."""

    signals: tuple[str, ...]
    object_type: Literal["contact", "company"]
    filter_options: FilterOptions | UnsetType = UNSET
