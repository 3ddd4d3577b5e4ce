"""Subscriptions as callers see them (wire-b 7.1)."""

from typing import Final

from msgspec import UNSET

from firmograph.kit.clock import iso
from firmograph.security.record_ids import Entity
from firmograph.webhooks.subscriptions import shapes
from firmograph.webhooks.subscriptions.store import Subscription

KINDS: Final[dict[int, shapes.Kind]] = {Entity.CONTACT: "contact", Entity.COMPANY: "company"}
GONE: Final = "There is no such subscription"


def shown(one: Subscription) -> shapes.SubscriptionShown:
    return shapes.SubscriptionShown(
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


def changed(one: Subscription, secret: str | None) -> shapes.ChangedSubscription:
    """With the account's secret where it was made anew."""
    return shapes.ChangedSubscription(
        **{name: getattr(shown(one), name) for name in shapes.SubscriptionShown.__struct_fields__},
        secret=secret or UNSET,
    )


def deleted(
    index: int, one: Subscription | None
) -> shapes.DeletedSubscription | shapes.NotDeletedSubscription:
    if one is None:
        return shapes.NotDeletedSubscription(
            index=index, error=shapes.DeleteError(code="NOT_FOUND", message=GONE)
        )
    gone = shapes.DeletedOne(
        id=one.token, entity_type=KINDS[one.entity], entity_id=one.named, name=one.name or UNSET
    )
    return shapes.DeletedSubscription(index=index, subscription=gone)
