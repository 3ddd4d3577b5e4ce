"""Request and response bodies of the subscription and secret endpoints.

Unknown properties are refused. Signal types are plain strings here: the valid ones depend on the kind of record, so
they are checked per item.
"""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.kit.validation_errors import TAKES_BLANK
from firmograph.signals.types import ALL_SIGNALS, COMPANY_TYPES, CONTACT_TYPES
from firmograph.webhooks.types import OPT_OUT

MAX_ITEMS: Final = 25
"""Items of one request."""

_TYPES = (
    f"`{ALL_SIGNALS}`; for contacts {', '.join(CONTACT_TYPES)}; for companies {', '.join(COMPANY_TYPES)};"
    " in any letter case"
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
        description="Target of deliveries: https, without user name, not an internal address",
        examples=["https://hooks.example.com/firmograph"],
        extra_json_schema={"format": "webhook-url"},
    ),
]
SignalTypes = Annotated[
    list[Annotated[str, Meta(max_length=64)]],
    Meta(min_length=1, max_length=100, description=_TYPES, examples=[[ALL_SIGNALS]]),
]
Name = Annotated[str, Meta(max_length=100, description="Free-form label", extra={TAKES_BLANK: True})]
Partner = Annotated[
    str,
    Meta(
        min_length=1, max_length=255, description="Partner whose opt-outs are delivered, as in `enrich` calls"
    ),
]
Moment = Annotated[str, Meta(description="UTC, ISO 8601", extra_json_schema={"format": "date-time"})]
Count = Annotated[int, Meta(ge=0)]


# --- requests ---


class _Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """Request, or a part of one."""


class SubscriptionDefaults(_Body):
    """Values of items that do not set their own."""

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
    subscriptions: Annotated[list[SubscriptionItem], Meta(min_length=1, max_length=MAX_ITEMS)]
    name: Annotated[str, Meta(max_length=100, description="Name of items without one")] | UnsetType = UNSET


class CreateOptOutSubscription(_Body):
    entity_type: Literal["contact"]
    url: Url
    name: Name | UnsetType = UNSET
    partner_client_id: Partner | UnsetType = UNSET


class ChangeSubscription(_Body):
    """Changes of a subscription; omitted fields keep their values."""

    signal_types: SignalTypes | UnsetType = UNSET
    url: Url | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    is_active: (
        Annotated[bool, Meta(description="true clears `blockReason` and `blockedAt`, and resets its retries")]
        | UnsetType
    ) = UNSET
    regenerate_secret: (
        Annotated[
            bool,
            Meta(description="Replace the secret of the account and all its subscriptions, and return it"),
        ]
        | UnsetType
    ) = UNSET


class DeleteSubscriptions(_Body):
    ids: Annotated[
        list[str],
        Meta(min_length=1, description=f"At most {MAX_ITEMS} distinct ids; repetitions count once"),
    ]


class SubscriptionPath(_Body):
    """Path parameters of one subscription."""

    id: Id


class SubscriptionPage(_Body):
    """Query parameters of the list."""

    limit: Annotated[int, Meta(ge=1, le=100, description="Page size")] = 10
    offset: Annotated[int, Meta(ge=0, le=2**31 - 1, description="Subscriptions to skip")] = 0


# --- responses ---


class _Response(msgspec.Struct, rename="camel"):
    """Response, or a part of one."""


class SubscriptionView(_Response, kw_only=True):
    id: Annotated[str, Meta(description="24 hexadecimal digits")]
    entity_type: Kind
    entity_id: Annotated[str, Meta(description="As it was sent; the account id for opt-outs")]
    signal_types: Annotated[list[str], Meta(description=f"`{OPT_OUT}` for opt-outs")]
    url: str
    name: str | UnsetType = UNSET
    partner_client_id: Annotated[str, Meta(description="Only for opt-outs with a partner")] | UnsetType = (
        UNSET
    )
    is_active: bool
    block_reason: Annotated[str | None, Meta(description="Why failures disabled it")]
    blocked_at: Annotated[Moment | None, Meta(description="When failures disabled it")]
    created_at: Moment
    updated_at: Moment


class ChangedSubscription(SubscriptionView, kw_only=True):
    secret: Annotated[str, Meta(description="Only if `regenerateSecret` was true")] | UnsetType = UNSET


CreateCode = Literal[
    "VALIDATION_ERROR",
    "DUPLICATE_SUBSCRIPTION",
    "URL_VALIDATION_FAILED",
    "WEBHOOK_VERIFICATION_FAILED",
    "FORBIDDEN",
    "UNKNOWN_ERROR",
]
DeleteCode = Literal["NOT_FOUND", "VALIDATION_ERROR", "FORBIDDEN", "UNKNOWN_ERROR"]
Index = Annotated[int, Meta(ge=0, description="Position of the item in the request")]
Succeeded = Annotated[bool, Meta(extra_json_schema={"const": True})]
Failed = Annotated[bool, Meta(extra_json_schema={"const": False})]


class CreateError(_Response):
    code: CreateCode
    message: str


class CreatedSubscription(_Response, kw_only=True):
    index: Index
    success: Succeeded = True
    subscription: SubscriptionView


class NotCreatedSubscription(_Response, kw_only=True):
    index: Index
    success: Failed = False
    error: CreateError


class _Counts(_Response):
    total: Count
    successful: Count
    failed: Count


class CreatedSubscriptions(_Counts):
    results: list[CreatedSubscription | NotCreatedSubscription]


class DeleteError(_Response):
    code: DeleteCode
    message: str


class DeletedSubscriptionView(_Response):
    """Remaining description of a deleted subscription."""

    id: str
    entity_type: Kind
    entity_id: str
    name: str | UnsetType = UNSET


class DeletedSubscription(_Response, kw_only=True):
    index: Annotated[int, Meta(ge=0, description="First position of the id in the request")]
    success: Succeeded = True
    subscription: DeletedSubscriptionView


class NotDeletedSubscription(_Response, kw_only=True):
    index: Annotated[int, Meta(ge=0, description="First position of the id in the request")]
    success: Failed = False
    error: DeleteError


class DeletedSubscriptions(_Counts):
    """Results per distinct id."""

    results: list[DeletedSubscription | NotDeletedSubscription]


class OffsetPagination(_Response):
    total: Annotated[int, Meta(ge=0, description="Over all pages")]
    limit: Annotated[int, Meta(ge=1, le=100)]
    offset: Count
    has_more: Annotated[bool, Meta(description="Whether more rows follow")]


class SubscriptionList(_Response):
    data: Annotated[list[SubscriptionView], Meta(max_length=100)]
    pagination: OffsetPagination


class Secret(_Response):
    secret: Annotated[
        str,
        Meta(
            description="`whsec_` and base64; the whole string is the key of `X-{brand}-Signature`",
            extra_json_schema={"pattern": r"^whsec_[A-Za-z0-9+/]{43}=$"},
        ),
    ]
