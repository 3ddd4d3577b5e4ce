"""What became of deliveries, as accounts read it (specification 2.12 and 4.8, wire-b 7.3, decisions G)."""

from collections.abc import Mapping
from decimal import ROUND_DOWN, Decimal
from typing import Final

from msgspec import UNSET, UnsetType

from firmograph.database.connection import Database
from firmograph.directory.identity import Digests
from firmograph.kit.clock import iso
from firmograph.webhooks.audit.shapes import (
    MOST_ACKNOWLEDGED,
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
_NONE: Final = Total(0, 0, 0)


class Audit:
    """Reads what was noted of an account's deliveries; of another account's subscription it finds nothing."""

    def __init__(self, database: Database, digests: Digests) -> None:
        self._database = database
        self._digests = digests

    def page(self, account_id: int, query: AuditQuery) -> AuditLogs:
        """The newest first. The total is not counted but held, so it takes the same time at any number."""
        subscription = _given(query.subscription_id)
        status = None if query.status is UNSET else _STATUSES[query.status]
        with self._database.read() as session:
            totals = audit_store.totals(session, account_id, subscription)
            rows = audit_store.page(
                session,
                account_id,
                subscription=subscription,
                status=status,
                limit=query.limit,
                offset=query.offset,
            )
        total = sum(held.rows for of, held in totals.items() if status in (None, of))
        return AuditLogs(
            data=[self._shown(row) for row in rows],
            pagination=OffsetPagination(
                total=total,
                limit=query.limit,
                offset=query.offset,
                has_more=query.offset + len(rows) < total,
            ),
        )

    def stats(self, account_id: int, query: AuditStatsQuery) -> AuditStats:
        subscription = _given(query.subscription_id)
        with self._database.read() as session:
            totals = audit_store.totals(session, account_id, subscription)
            undelivered = delivery_store.undelivered(session, account_id, subscription)
        return _stats(totals, undelivered)

    def _shown(self, row: Row) -> AuditLog:
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
    counts = (totals.get(status, _NONE) for status in Status)
    success, failed, ended = (held.rows - held.tests for held in counts)
    total = success + failed + ended
    return AuditStats(
        total=total,
        success=success,
        failed=failed,
        success_rate=_rate(success, total),
        permanent_failure=ended,
        dlq=undelivered,
        total_credits_consumed=sum(held.credits for held in totals.values()),
    )


def _rate(success: int, total: int) -> str:
    """Rounded down, so that 100.00% is said of nothing but all."""
    if not total:
        return "0.00%"
    return f"{(Decimal(100 * success) / total).quantize(Decimal('0.01'), ROUND_DOWN)}%"


def _given(text: str | UnsetType) -> str | None:
    return None if text is UNSET else text


def _text(answered: bytes | None) -> str | UnsetType:
    # a character takes four bytes at most
    text = (answered or b"")[: 4 * MOST_ACKNOWLEDGED].decode(errors="replace")[:MOST_ACKNOWLEDGED]
    return text or UNSET
