"""The bodies of calls on subscriptions and secrets, and their answers (wire-b 7.1 to 7.3).

An unknown property is refused. Types of signals are texts here: which ones there are depends on the record's kind, so
they are judged item by item (`subscriptions.py`).
"""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.signals.types import ALL_SIGNALS, COMPANY_TYPES, CONTACT_TYPES
from firmograph.webhooks.types import OPT_OUT

MOST_ITEMS: Final = 25
"""Of one call (specification 8)."""

_TYPES = (
    f"`{ALL_SIGNALS}`, or of contacts {', '.join(CONTACT_TYPES)}; of companies {', '.join(COMPANY_TYPES)}"
)
_HEX = Meta(
    min_length=24, max_length=24, pattern="^[0-9a-fA-F]{24}$", extra={"expects": "24 hexadecimal digits"}
)

Id = Annotated[str, _HEX]
Kind = Literal["contact", "company"]
Url = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=2048,
        description="Where deliveries are sent: https, without user name, not an internal address",
        examples=["https://hooks.example.com/firmograph"],
        extra_json_schema={"format": "webhook-url"},
    ),
]
SignalTypes = Annotated[
    list[Annotated[str, Meta(max_length=64)]],
    Meta(min_length=1, max_length=100, description=_TYPES, examples=[[ALL_SIGNALS]]),
]
Name = Annotated[str, Meta(max_length=100, description="Your own word for it")]
Partner = Annotated[
    str, Meta(min_length=1, max_length=255, description="Whose opt-outs these are, as in `enrich` calls")
]
Moment = Annotated[str, Meta(description="UTC, ISO 8601", extra_json_schema={"format": "date-time"})]
Count = Annotated[int, Meta(ge=0)]


# --- requests ---


class _Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """A request, or a part of one."""


class SubscriptionDefaults(_Body):
    """What holds for items that do not say otherwise."""

    url: Url
    entity_type: Kind | UnsetType = UNSET
    signal_types: SignalTypes | UnsetType = UNSET
    name: Name | UnsetType = UNSET


class SubscriptionItem(_Body):
    entity_id: Annotated[
        str,
        Meta(description="A record id: `v{N}.` and opaque text, or legacy digits", examples=["v1.x"]),
    ]
    entity_type: Kind | UnsetType = UNSET
    signal_types: SignalTypes | UnsetType = UNSET
    name: Name | UnsetType = UNSET


class CreateSubscriptions(_Body):
    defaults: SubscriptionDefaults
    subscriptions: Annotated[list[SubscriptionItem], Meta(min_length=1, max_length=MOST_ITEMS)]
    name: Annotated[str, Meta(max_length=100, description="Of items without one")] | UnsetType = UNSET


class CreateOptOutSubscription(_Body):
    entity_type: Literal["contact"]
    url: Url
    name: Name | UnsetType = UNSET
    partner_client_id: Partner | UnsetType = UNSET


class ChangeSubscription(_Body):
    """What is left out stays as it is."""

    signal_types: SignalTypes | UnsetType = UNSET
    url: Url | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    is_active: (
        Annotated[
            bool, Meta(description="true clears `blockReason` and `blockedAt`, and starts its retries anew")
        ]
        | UnsetType
    ) = UNSET
    regenerate_secret: (
        Annotated[
            bool, Meta(description="Replace the account's secret, for all its subscriptions, and answer it")
        ]
        | UnsetType
    ) = UNSET


class DeleteSubscriptions(_Body):
    ids: Annotated[
        list[str],
        Meta(min_length=1, description=f"At most {MOST_ITEMS} different ones; repetitions count once"),
    ]


class OneSubscription(_Body):
    """The path of one."""

    id: Id


class SubscriptionPage(_Body):
    """The query of the list."""

    limit: Annotated[int, Meta(ge=1, le=100, description="How many")] = 10
    offset: Annotated[int, Meta(ge=0, le=2**31 - 1, description="How many to pass over")] = 0


# --- answers ---


class _Shown(msgspec.Struct, rename="camel"):
    """An answer, or a part of one."""


class SubscriptionShown(_Shown, kw_only=True):
    id: Annotated[str, Meta(description="24 hexadecimal digits")]
    entity_type: Kind
    entity_id: Annotated[str, Meta(description="As it was sent; of opt-outs the account's id")]
    signal_types: Annotated[list[str], Meta(description=f"`{OPT_OUT}` of opt-outs")]
    url: str
    name: str | UnsetType = UNSET
    partner_client_id: Annotated[str, Meta(description="Of opt-outs that have one")] | UnsetType = UNSET
    is_active: bool
    block_reason: Annotated[str | None, Meta(description="Why it was disabled by itself")]
    blocked_at: Annotated[Moment | None, Meta(description="When it was disabled by itself")]
    created_at: Moment
    updated_at: Moment


class ChangedSubscription(SubscriptionShown, kw_only=True):
    secret: Annotated[str, Meta(description="Only where `regenerateSecret` was true")] | UnsetType = UNSET


CreateCode = Literal[
    "VALIDATION_ERROR",
    "DUPLICATE_SUBSCRIPTION",
    "URL_VALIDATION_FAILED",
    "WEBHOOK_VERIFICATION_FAILED",
    "FORBIDDEN",
    "UNKNOWN_ERROR",
]
DeleteCode = Literal["NOT_FOUND", "VALIDATION_ERROR", "FORBIDDEN", "UNKNOWN_ERROR"]
Index = Annotated[int, Meta(ge=0, description="Of the item in the request")]
Succeeded = Annotated[bool, Meta(extra_json_schema={"const": True})]
Failed = Annotated[bool, Meta(extra_json_schema={"const": False})]


class CreateError(_Shown):
    code: CreateCode
    message: str


class CreatedSubscription(_Shown, kw_only=True):
    index: Index
    success: Succeeded = True
    subscription: SubscriptionShown


class NotCreatedSubscription(_Shown, kw_only=True):
    index: Index
    success: Failed = False
    error: CreateError


class _Counted(_Shown):
    total: Count
    successful: Count
    failed: Count


class CreatedSubscriptions(_Counted):
    results: list[CreatedSubscription | NotCreatedSubscription]


class DeleteError(_Shown):
    code: DeleteCode
    message: str


class DeletedOne(_Shown):
    """What is left to say of one that is gone."""

    id: str
    entity_type: Kind
    entity_id: str
    name: str | UnsetType = UNSET


class DeletedSubscription(_Shown, kw_only=True):
    index: Annotated[int, Meta(ge=0, description="Of the id in the request, where it stood first")]
    success: Succeeded = True
    subscription: DeletedOne


class NotDeletedSubscription(_Shown, kw_only=True):
    index: Annotated[int, Meta(ge=0, description="Of the id in the request, where it stood first")]
    success: Failed = False
    error: DeleteError


class DeletedSubscriptions(_Counted):
    """Of the ids without repetitions."""

    results: list[DeletedSubscription | NotDeletedSubscription]


class OffsetPagination(_Shown):
    total: Annotated[int, Meta(ge=0, description="On all pages together")]
    limit: Annotated[int, Meta(ge=1, le=100)]
    offset: Count
    has_more: Annotated[bool, Meta(description="Whether there are some after these")]


class SubscriptionList(_Shown):
    data: Annotated[list[SubscriptionShown], Meta(max_length=100)]
    pagination: OffsetPagination


class Secret(_Shown):
    secret: Annotated[
        str,
        Meta(
            description="`whsec_` and base64; the whole text is the key of `X-{brand}-Signature`",
            extra_json_schema={"pattern": r"^whsec_[A-Za-z0-9+/]{43}=$"},
        ),
    ]
