"""The queries and answers of the audit (wire-b 7.3, decisions G)."""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.directory.previews import Shown
from firmograph.webhooks.subscriptions.shapes import Count, Id, Moment, OffsetPagination
from firmograph.webhooks.types import StatusName

MOST_ACKNOWLEDGED: Final = 1_000
"""Characters that are shown of what a receiver answered."""

_Of = Annotated[Id, Meta(description="Only of this subscription, which may be gone by now")]


class _Query(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    subscription_id: _Of | UnsetType = UNSET


class AuditQuery(_Query):
    status: Annotated[StatusName, Meta(description="Only those with this outcome")] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=100, description="How many")] = 50
    offset: Annotated[int, Meta(ge=0, le=2**31 - 1, description="How many to pass over")] = 0


class AuditStatsQuery(_Query):
    pass


class AuditLog(Shown, kw_only=True):
    """One attempt or test, or one delivery that was withheld or cancelled: these have no `statusCode`."""

    id: Annotated[str, Meta(description="24 hexadecimal digits")]
    subscription_id: str
    payload_id: Annotated[str, Meta(description="The `id` of the payload")]
    status: Annotated[
        StatusName,
        Meta(description="`failed` while it will be tried again, `permanent_failure` when it will not"),
    ]
    status_code: Annotated[int, Meta(description="Left out where no answer came")] | UnsetType = UNSET
    url: str
    delivered_at: Moment
    response_time: (
        Annotated[
            int, Meta(ge=0, description="Milliseconds until the answer began; left out where nobody answered")
        ]
        | UnsetType
    ) = UNSET
    duration_ms: (
        Annotated[
            int, Meta(ge=0, description="Milliseconds of the whole attempt; left out where there was none")
        ]
        | UnsetType
    ) = UNSET
    error: Annotated[str | None, Meta(description="Why it failed; null where it did not")]
    acknowledgement: (
        Annotated[
            str,
            Meta(
                description=f"What the receiver answered, the first {MOST_ACKNOWLEDGED:,} characters; left out where"
                " that was nothing"
            ),
        ]
        | UnsetType
    ) = UNSET
    is_test: Annotated[bool, Meta(description="Whether a caller asked for it; tests count in no figure")]


class AuditLogs(Shown, kw_only=True):
    data: Annotated[list[AuditLog], Meta(max_length=100)]
    pagination: OffsetPagination


class AuditStats(Shown, kw_only=True):
    """Of the attempts that the audit still holds, without tests."""

    total: Annotated[int, Meta(ge=0, description="`success`, `failed` and `permanentFailure` together")]
    success: Count
    failed: Annotated[int, Meta(ge=0, description="Without permanent failures")]
    success_rate: Annotated[
        str,
        Meta(
            description="Of the total, with two decimals; `0.00%` where there is none",
            pattern=r"^[0-9]{1,3}\.[0-9]{2}%$",
        ),
    ]
    permanent_failure: Count
    dlq: Annotated[
        int, Meta(ge=0, description="Deliveries that have not arrived, those that still wait included")
    ]
    total_credits_consumed: Count
