"""The endpoints of the audit of deliveries (specification 4.8, wire-b 7.3)."""

from firmograph.api.endpoint import Call, Deferred, Endpoint, endpoint
from firmograph.kit.errors import Busy
from firmograph.webhooks.audit.service import Audit
from firmograph.webhooks.audit.shapes import AuditLogs, AuditQuery, AuditStats, AuditStatsQuery
from firmograph.webhooks.subscriptions.routes import LIMIT, TAG, WINDOW

_KEPT = f" Successes are kept for 90 days, failures for 180, also of subscriptions that are gone.{LIMIT}"


def routes(audit: Audit) -> list[Endpoint]:
    @endpoint(
        "GET",
        "/api/audit-logs",
        query=AuditQuery,
        answer=AuditLogs,
        tags=[TAG],
        summary="What became of deliveries",
        description="Every attempt at a delivery and every test, by `deliveredAt` with the newest first; and deliveries"
        " that were withheld for want of credits, or ended without an attempt." + _KEPT,
        window=WINDOW,
        errors=[Busy],
    )
    def get_audit_logs(call: Call[None]) -> Deferred:
        return Deferred(lambda: audit.page(call.caller.account_id, call.query), writes=False)

    @endpoint(
        "GET",
        "/api/audit-logs/stats",
        query=AuditStatsQuery,
        answer=AuditStats,
        tags=[TAG],
        summary="How many deliveries succeeded",
        description="Counts of all attempts that are held, without tests, and of the deliveries that have not arrived."
        + _KEPT,
        window=WINDOW,
        errors=[Busy],
    )
    def get_audit_stats(call: Call[None]) -> Deferred:
        return Deferred(lambda: audit.stats(call.caller.account_id, call.query), writes=False)

    return [get_audit_logs, get_audit_stats]
