"""Requests of legacy enrich (docs/reference/legacy.md#enrich). Unknown properties are refused."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.legacy.people.shapes import Reveal
from firmograph.legacy.requested_signals import Day, LegacySignalsFilters
from firmograph.legacy.signal_shapes import CompanyTypes
from firmograph.lookalikes.shapes import AnyId, SessionId


class _Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """Request, or a part of one."""


_RequestId = Annotated[
    SessionId, Meta(description="That of a search, or any other UUID; echoed and not looked up")
]
_Ids = Annotated[
    list[AnyId],
    Meta(
        max_length=100,
        description="Ids of any older call: opaque tokens, digits or numbers; others name no record. May be empty",
    ),
]


class LegacyRevealMetadata(_Body):
    reveal_emails: Reveal | UnsetType = UNSET
    reveal_phones: Reveal | UnsetType = UNSET


class LegacyContactEnrichRequest(_Body):
    request_id: _RequestId
    contact_ids: _Ids
    reveal_emails: Reveal | UnsetType = UNSET
    reveal_phones: Reveal | UnsetType = UNSET
    metadata: LegacyRevealMetadata | UnsetType = UNSET


class LegacyCompanyEnrichRequest(_Body):
    request_id: _RequestId
    companies_ids: _Ids
    signals: CompanyTypes | UnsetType = UNSET
    signals_start_date: Day | UnsetType = UNSET
    signals_filters: LegacySignalsFilters | UnsetType = UNSET
