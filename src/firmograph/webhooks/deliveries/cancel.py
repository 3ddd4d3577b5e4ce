"""Cancellation of deliveries that will not arrive: cancelled, expired, or subscription deleted.

See docs/reference/webhooks.md#charges.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from firmograph.billing import holds
from firmograph.billing.holds import Hold, Settlement
from firmograph.database.connection import AccountSession
from firmograph.security.record_ids import Entity
from firmograph.signals.service import PRICE_KEYS
from firmograph.webhooks.deliveries import audit_store
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.deliveries.store import Delivery
from firmograph.webhooks.types import State, Status

CANCELLED: Final = "Cancelled: the signal or its record no longer exists"


def cancel_deliveries(
    session: AccountSession, cancelled: Sequence[Delivery], at: float, reason: str | None = None
) -> None:
    """Cancel deliveries of one account: release their holds, audit the reason, delete them.

    The audit's reason is `reason`, or else that of the delivery. Runs in the caller's transaction, which holds the
    account's scope, before the subscription is deleted. A dead letter has its audit row already.
    """
    if not cancelled:
        return
    released = [Settlement(_hold_of(each, each.held), captured=0) for each in cancelled if each.held]
    holds.settle_holds(session, released, at)
    audit_store.add(
        session.session,
        [
            audit_store.AuditEntry(
                session.account_id,
                each.subscription,
                each.payload_id,
                Status.PERMANENT_FAILURE,
                None,
                each.url,
                at,
                None,
                reason or each.reason or CANCELLED,
            )
            for each in cancelled
            if each.state != State.FAILED
        ],
    )
    delivery_store.delete(session, [each.id for each in cancelled])
    queued = Counter(each.subscription_id for each in cancelled if delivery_store.is_queued(each))
    delivery_store.remove_queued(session.session, list(queued.items()))


def _hold_of(delivery: Delivery, credits: int) -> Hold:
    return Hold(delivery.payload_id, PRICE_KEYS[Entity(delivery.entity)], credits)
