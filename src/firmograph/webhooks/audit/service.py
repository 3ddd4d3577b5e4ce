"""Audit of delivery attempts, as accounts read it (docs/reference/webhooks.md#audit)."""

from collections.abc import Mapping
from decimal import ROUND_DOWN, Decimal
from typing import Final

from msgspec import UNSET, UnsetType

from firmograph.caller import Request
from firmograph.database.connection import AccountSession, Database
from firmograph.directory.identity import Digests
from firmograph.kit.clock import iso
from firmograph.webhooks.audit.shapes import (
    MAX_ACKNOWLEDGEMENT,
    AuditLog,
    AuditLogs,
    AuditQuery,
    AuditStats,
    AuditStatsQuery,
)
from firmograph.webhooks.deliveries import audit_store
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.deliveries.audit_store import Row, Total
from firmograph.webhooks.subscriptions.shapes import OffsetPagination
from firmograph.webhooks.types import STATUS_NAMES, Status

_STATUSES: Final = {name: status for status, name in STATUS_NAMES.items()}
_ID_BYTES: Final = 12
_EMPTY: Final = Total(0, 0, 0)


class Audit:
    """Reader of an account's audit rows; other accounts' subscriptions yield nothing."""

    def __init__(self, database: Database, digests: Digests) -> None:
        self._database = database
        self._digests = digests

    def page(self, request: Request, query: AuditQuery) -> AuditLogs:
        """Return one page of the audit, newest first.

        The total comes from stored counters, so its cost does not grow with the audit.
        """
        subscription = _optional(query.subscription_id)
        status = None if query.status is UNSET else _STATUSES[query.status]
        with self._database.read() as session:
            own = AccountSession(session, request.caller.account_id)
            totals = audit_store.read_totals(own, subscription)
            rows = audit_store.read_page(
                own,
                subscription=subscription,
                status=status,
                limit=query.limit,
                offset=query.offset,
            )
        total = sum(amounts.rows for key, amounts in totals.items() if status in (None, key))
        return AuditLogs(
            data=[self._view(row) for row in rows],
            pagination=OffsetPagination(
                total=total,
                limit=query.limit,
                offset=query.offset,
                has_more=query.offset + len(rows) < total,
            ),
        )

    def stats(self, request: Request, query: AuditStatsQuery) -> AuditStats:
        """Return the counters of an account, or of one of its subscriptions."""
        subscription = _optional(query.subscription_id)
        with self._database.read() as session:
            own = AccountSession(session, request.caller.account_id)
            totals = audit_store.read_totals(own, subscription)
            undelivered = delivery_store.count_undelivered(own, subscription)
        return _stats(totals, undelivered)

    def _view(self, row: Row) -> AuditLog:
        return AuditLog(
            id=self._digests.audit_log(row.id)[:_ID_BYTES].hex(),
            subscription_id=row.subscription,
            payload_id=row.payload_id,
            status=STATUS_NAMES[Status(row.status)],
            status_code=UNSET if row.status_code is None else row.status_code,
            url=row.url,
            delivered_at=iso(row.at),
            response_time=UNSET if row.response_ms is None else row.response_ms,
            duration_ms=UNSET if row.duration_ms is None else row.duration_ms,
            error=row.error,
            acknowledgement=_text(row.acknowledgement),
            is_test=bool(row.is_test),
        )


def _stats(totals: Mapping[Status, Total], undelivered: int) -> AuditStats:
    counts = (totals.get(status, _EMPTY) for status in Status)
    success, failed, permanent = (amounts.rows - amounts.tests for amounts in counts)
    total = success + failed + permanent
    return AuditStats(
        total=total,
        success=success,
        failed=failed,
        success_rate=_rate(success, total),
        permanent_failure=permanent,
        dlq=undelivered,
        total_credits_consumed=sum(amounts.credits for amounts in totals.values()),
    )


def _rate(success: int, total: int) -> str:
    """Format a success rate, rounded down so that only a complete success reads 100.00%."""
    if not total:
        return "0.00%"
    return f"{(Decimal(100 * success) / total).quantize(Decimal('0.01'), ROUND_DOWN)}%"


def _optional(text: str | UnsetType) -> str | None:
    return None if text is UNSET else text


def _text(response: bytes | None) -> str | UnsetType:
    # UTF-8 takes at most four bytes a character
    text = (response or b"")[: 4 * MAX_ACKNOWLEDGEMENT].decode(errors="replace")[:MAX_ACKNOWLEDGEMENT]
    return text or UNSET
