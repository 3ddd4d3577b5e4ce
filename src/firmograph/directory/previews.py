"""Response shapes of record previews in all features (docs/reference/lookups.md#contact-preview).

Responses are joined from stored JSON parts; these structs describe them in the OpenAPI document.
"""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.directory.records import Count


class ResponsePart(msgspec.Struct, omit_defaults=True, rename="camel"):
    """Response, or a part of one; absent values are omitted (docs/reference/requests.md#answers)."""


class Results(ResponsePart):
    """Response with records."""

    request_id: Annotated[str, Meta(description="Also in the header x-request-id and in the ledger")]


class PricedField(ResponsePart):
    field: str
    credits: Annotated[int, Meta(description="Price of revealing it; 0 if this account has already paid")]


CanReveal = Annotated[
    list[str | PricedField],
    Meta(description="What can be revealed: names, or objects with prices if the server is set to `priced`"),
]
Has = Annotated[list[str], Meta(description="Data points that the record has")]
Token = Annotated[str, Meta(description="The record's id, `v{N}.` and opaque text")]


class PreviewLocation(ResponsePart):
    country: str | UnsetType = UNSET
    state: str | UnsetType = UNSET
    city: str | UnsetType = UNSET


class PreviewLinks(ResponsePart):
    linkedin: str | UnsetType = UNSET


class Title(ResponsePart):
    title: str | UnsetType = UNSET
    departments: list[str] | UnsetType = UNSET
    seniority: str | UnsetType = UNSET
    start_date: str | UnsetType = UNSET


class Employer(ResponsePart):
    id: Token
    name: str
    domain: str | UnsetType = UNSET
    industry: str | UnsetType = UNSET


SignalTypes = Annotated[
    list[str],
    Meta(
        description="With a signal filter: the requested types of which the record has a signal in the requested period"
    ),
]


class ContactPreview(ResponsePart):
    id: Token
    has: Has
    can_reveal: CanReveal
    first_name: str | UnsetType = UNSET
    last_name: str | UnsetType = UNSET
    job_title: Title | UnsetType = UNSET
    company: Employer | UnsetType = UNSET
    location: PreviewLocation | UnsetType = UNSET
    social_links: PreviewLinks | UnsetType = UNSET
    signal_types: SignalTypes | UnsetType = UNSET


class CompanyLocation(ResponsePart):
    city: str | UnsetType = UNSET
    state: str | UnsetType = UNSET
    state_code: str | UnsetType = UNSET
    country: str | UnsetType = UNSET
    country_iso2: str | UnsetType = UNSET
    continent: str | UnsetType = UNSET


class CompanyPreview(ResponsePart):
    id: Token
    name: str
    has: Has
    can_reveal: CanReveal
    domain: str | UnsetType = UNSET
    employee_count: Count | UnsetType = UNSET
    industry: str | UnsetType = UNSET
    location: CompanyLocation | UnsetType = UNSET
    social_links: PreviewLinks | UnsetType = UNSET
    signal_types: SignalTypes | UnsetType = UNSET


_json = msgspec.json.Encoder().encode


def with_signal_types(preview: bytes, types: Sequence[str]) -> bytes:
    """Return a preview, a JSON object, with the record's types of requested signals; unchanged without any."""
    return b'%s,"signalTypes":%s}' % (preview[:-1], _json(types)) if types else preview
