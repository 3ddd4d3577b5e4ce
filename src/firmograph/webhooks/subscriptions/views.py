"""Response views of subscriptions."""

from typing import Final

from msgspec import UNSET

from firmograph.kit.clock import iso
from firmograph.security.record_ids import Entity
from firmograph.webhooks.subscriptions import shapes
from firmograph.webhooks.subscriptions.store import Subscription

KINDS: Final[dict[int, shapes.Kind]] = {Entity.CONTACT: "contact", Entity.COMPANY: "company"}
NOT_FOUND: Final = "There is no such subscription"


def subscription_view(one: Subscription) -> shapes.SubscriptionView:
    """Return a subscription as callers see it."""
    return shapes.SubscriptionView(
        id=one.token,
        entity_type=KINDS[one.entity],
        entity_id=one.named,
        signal_types=one.types.split(","),
        url=one.url,
        name=one.name or UNSET,
        partner_client_id=one.partner or UNSET,
        is_active=bool(one.active),
        block_reason=one.block_reason,
        blocked_at=None if one.blocked_at is None else iso(one.blocked_at),
        created_at=iso(one.created_at),
        updated_at=iso(one.updated_at),
    )


def changed_view(one: Subscription, secret: str | None) -> shapes.ChangedSubscription:
    """Return a changed subscription, with the account's secret if it was regenerated."""
    return shapes.ChangedSubscription(
        **{name: getattr(subscription_view(one), name) for name in shapes.SubscriptionView.__struct_fields__},
        secret=secret or UNSET,
    )


def deletion_view(
    index: int, one: Subscription | None
) -> shapes.DeletedSubscription | shapes.NotDeletedSubscription:
    """Return the result of deleting one subscription; None if it did not exist."""
    if one is None:
        return shapes.NotDeletedSubscription(
            index=index, error=shapes.DeleteError(code="NOT_FOUND", message=NOT_FOUND)
        )
    deleted = shapes.DeletedSubscriptionView(
        id=one.token, entity_type=KINDS[one.entity], entity_id=one.named, name=one.name or UNSET
    )
    return shapes.DeletedSubscription(index=index, subscription=deleted)
