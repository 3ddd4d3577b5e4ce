"""Request and response structures of the signal score (docs/reference/signal-score.md#requests)."""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.api.descriptions import requires_strings
from firmograph.api.envelope import Billing, ErrorDetail, ItemError
from firmograph.directory.previews import ResponsePart, Results, Token
from firmograph.directory.result_slots import ItemErrorCode, item_message
from firmograph.enrichment.shapes import Domain, EmailText, IdentifiedContact, Identifier, Name, Reference
from firmograph.security.record_ids import Entity

_ONE = ("id", "domain", "name", "email")


class ScoreCompanyItem(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """Company by exactly one of `id`, `domain`, `name` and `email` (only its domain counts)."""

    client_reference_id: Reference | UnsetType = UNSET
    id: Identifier | UnsetType = UNSET
    domain: Domain | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    email: EmailText | UnsetType = UNSET


IdentifiedCompany = Annotated[
    ScoreCompanyItem, Meta(extra_json_schema={"oneOf": [requires_strings(name) for name in _ONE]})
]


class CompanyScores(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    companies: Annotated[list[IdentifiedCompany], Meta(min_length=1, max_length=100)]


class ContactScores(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    contacts: Annotated[list[IdentifiedContact], Meta(min_length=1, max_length=100)]


class _Scored(ResponsePart):
    id: Token
    signal_score: Annotated[
        float, Meta(ge=0, le=1, description="The share of the signal types that apply which are active")
    ]
    signal_types: Annotated[list[str], Meta(description="The types of the active signals")]
    no_active_signals: Annotated[
        bool, Meta(description="True for a record without any activity, as opposed to one without data")
    ]
    client_reference_id: str | UnsetType = UNSET


class ScoredCompany(_Scored):
    name: str = ""
    domain: str | UnsetType = UNSET


class ScoredEmployer(ResponsePart):
    id: Token
    name: str
    domain: str | UnsetType = UNSET


class ScoredContact(_Scored):
    full_name: str | UnsetType = UNSET
    company: ScoredEmployer | UnsetType = UNSET


class UnscoredCompany(ItemError):
    """Company without a score, with the requested identifier; for an e-mail its domain."""

    domain: str | UnsetType = UNSET
    name: str | UnsetType = UNSET


UnscoredContact: TypeAlias = ItemError
"""Contact without a score."""


class CompanyScoresAnswer(Results):
    results: list[ScoredCompany | UnscoredCompany]
    billing: Billing


class ContactScoresAnswer(Results):
    results: list[ScoredContact | UnscoredContact]
    billing: Billing


def error_detail(entity: Entity, code: ItemErrorCode) -> ErrorDetail:
    return ErrorDetail(code, item_message(entity, code))
