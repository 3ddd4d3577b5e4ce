"""Endpoints of the delivery audit."""

from firmograph.api.endpoint import Call, Deferred, Endpoint
from firmograph.kit.errors import Busy
from firmograph.webhooks.audit.service import Audit
from firmograph.webhooks.audit.shapes import AuditLogs, AuditQuery, AuditStats, AuditStatsQuery
from firmograph.webhooks.subscriptions.routes import LIMIT, TAG, WINDOW

_RETENTION = (
    f" Successes are kept for 90 days and failures for 180, including those of deleted subscriptions.{LIMIT}"
)


def routes(audit: Audit) -> list[Endpoint]:
    def get_audit_logs(call: Call[None]) -> Deferred:
        return Deferred(lambda: audit.page(call.request, call.query), writes=False)

    def get_audit_stats(call: Call[None]) -> Deferred:
        return Deferred(lambda: audit.stats(call.request, call.query), writes=False)

    return [
        Endpoint(
            name="get_audit_logs",
            method="GET",
            path="/api/audit-logs",
            function=get_audit_logs,
            query=AuditQuery,
            answer=AuditLogs,
            tags=[TAG],
            summary="List delivery attempts",
            description="Every delivery attempt and test, newest `deliveredAt` first, and deliveries"
            " that were withheld for lack of credits or cancelled without an attempt." + _RETENTION,
            window=WINDOW,
            errors=[Busy],
        ),
        Endpoint(
            name="get_audit_stats",
            method="GET",
            path="/api/audit-logs/stats",
            function=get_audit_stats,
            query=AuditStatsQuery,
            answer=AuditStats,
            tags=[TAG],
            summary="Count deliveries by result",
            description="Counts of all stored attempts except tests, and of deliveries that have not arrived."
            + _RETENTION,
            window=WINDOW,
            errors=[Busy],
        ),
    ]
