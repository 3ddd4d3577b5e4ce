"""The end of deliveries that will not arrive: cancelled, out of time, or their subscription deleted (decisions G).

Whatever the reason, it is the same: what was held for them is given back, the audit tells why, and they are deleted.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from firmograph.billing import holds
from firmograph.billing.holds import Hold, Settled
from firmograph.database.connection import Session
from firmograph.security.record_ids import Entity
from firmograph.signals.service import PRICE_KEYS
from firmograph.webhooks.deliveries import audit_store
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.deliveries.store import Delivery
from firmograph.webhooks.types import State, Status

CANCELLED: Final = "Cancelled: what it told of is no longer held"


def end(
    session: Session, account_id: int, ended: Sequence[Delivery], at: float, reason: str | None = None
) -> None:
    """End deliveries of one account, for their own `reason` or this one.

    Part of the caller's transaction, of the account's scope; before the subscription goes. A dead letter has its row in
    the audit already.
    """
    if not ended:
        return
    held = [Settled(hold_of(each, each.held), captured=False) for each in ended if each.held]
    holds.settle(session, account_id, held, at)
    audit_store.add(
        session,
        [
            audit_store.Entry(
                account_id,
                each.subscription,
                each.payload_id,
                Status.PERMANENT_FAILURE,
                None,
                each.url,
                at,
                None,
                reason or each.reason or CANCELLED,
            )
            for each in ended
            if each.state != State.FAILED
        ],
    )
    delivery_store.delete(session, account_id, [each.id for each in ended])
    waited = Counter(each.subscription_id for each in ended if delivery_store.counted(each))
    delivery_store.dequeue(session, list(waited.items()))


def hold_of(delivery: Delivery, credits: int) -> Hold:
    return Hold(delivery.payload_id, PRICE_KEYS[Entity(delivery.entity)], credits)
