"""The preview of a record as every capability answers it (docs/reference/lookups.md#contact-preview).

Answers are put together from stored fragments; the structs here describe them in the OpenAPI document.
"""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.directory.records import Count


class ResponsePart(msgspec.Struct, omit_defaults=True, rename="camel"):
    """An answer, or a part of one; absent values are left out (docs/reference/requests.md#answers)."""


class Results(ResponsePart):
    """An answer with records in it."""

    request_id: Annotated[str, Meta(description="Also in the header x-request-id and in the ledger")]


class PricedField(ResponsePart):
    field: str
    credits: Annotated[int, Meta(description="What revealing it costs; 0 when this account paid it already")]


CanReveal = Annotated[
    list[str | PricedField],
    Meta(
        description="What can be revealed: names, or objects with prices where the server is set to `priced`"
    ),
]
Has = Annotated[list[str], Meta(description="The data points that the record holds")]
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
        description="With a filter by signals: the types asked for of which the record has a signal in the time asked"
        " for"
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
    """A preview, a JSON object, with the signals that it was asked for by; as it is where it has none of them."""
    return b'%s,"signalTypes":%s}' % (preview[:-1], _json(types)) if types else preview
