"""Queries and responses of the delivery audit."""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.directory.previews import ResponsePart
from firmograph.webhooks.subscriptions.shapes import Count, Id, Moment, OffsetPagination
from firmograph.webhooks.types import StatusName

MAX_ACKNOWLEDGEMENT: Final = 1_000
"""Characters of a receiver's response that the audit shows."""

_SubscriptionFilter = Annotated[
    Id, Meta(description="Only attempts of this subscription, which may have been deleted")
]


class _Query(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    subscription_id: _SubscriptionFilter | UnsetType = UNSET


class AuditQuery(_Query):
    status: Annotated[StatusName, Meta(description="Only attempts with this result")] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=100, description="Page size")] = 50
    offset: Annotated[int, Meta(ge=0, le=2**31 - 1, description="Rows to skip")] = 0


class AuditStatsQuery(_Query):
    pass


class AuditLog(ResponsePart, kw_only=True):
    """Attempt, test, or withheld or cancelled delivery without `statusCode`."""

    id: Annotated[str, Meta(description="24 hexadecimal digits")]
    subscription_id: str
    payload_id: Annotated[str, Meta(description="The `id` of the payload")]
    status: Annotated[
        StatusName,
        Meta(description="`failed` if it will be retried, `permanent_failure` if not"),
    ]
    status_code: Annotated[int, Meta(description="Absent if there was no response")] | UnsetType = UNSET
    url: str
    delivered_at: Moment
    response_time: (
        Annotated[
            int, Meta(ge=0, description="Milliseconds until the response began; absent if there was none")
        ]
        | UnsetType
    ) = UNSET
    duration_ms: (
        Annotated[int, Meta(ge=0, description="Milliseconds of the whole attempt; absent if there was none")]
        | UnsetType
    ) = UNSET
    error: Annotated[str | None, Meta(description="Why it failed; null if it succeeded")]
    acknowledgement: (
        Annotated[
            str,
            Meta(
                description=f"First {MAX_ACKNOWLEDGEMENT:,} characters of the receiver's response; absent if it was"
                " empty"
            ),
        ]
        | UnsetType
    ) = UNSET
    is_test: Annotated[bool, Meta(description="Whether it was a requested test; statistics exclude tests")]


class AuditLogs(ResponsePart, kw_only=True):
    data: Annotated[list[AuditLog], Meta(max_length=100)]
    pagination: OffsetPagination


class AuditStats(ResponsePart, kw_only=True):
    """Counts of the stored attempts, tests excluded."""

    total: Annotated[int, Meta(ge=0, description="Sum of `success`, `failed` and `permanentFailure`")]
    success: Count
    failed: Annotated[int, Meta(ge=0, description="Excludes permanent failures")]
    success_rate: Annotated[
        str,
        Meta(
            description="Share of the total with two decimals; `0.00%` if the total is 0",
            pattern=r"^[0-9]{1,3}\.[0-9]{2}%$",
        ),
    ]
    permanent_failure: Count
    dlq: Annotated[int, Meta(ge=0, description="Undelivered deliveries, including those still queued")]
    total_credits_consumed: Count
