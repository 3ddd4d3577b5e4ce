"""Response views of subscriptions."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import UNSET

from firmograph.kit.clock import iso
from firmograph.security.record_ids import Entity
from firmograph.webhooks.subscriptions import shapes
from firmograph.webhooks.subscriptions.store import NewSubscription, Subscription

KINDS: Final[dict[int, shapes.Kind]] = {Entity.CONTACT: "contact", Entity.COMPANY: "company"}
NOT_FOUND: Final = "There is no such subscription"


def subscription_view(one: Subscription) -> shapes.SubscriptionView:
    """Return a subscription as callers see it."""
    blocked_at = None if one.blocked_at is None else iso(one.blocked_at)
    return _view(one, bool(one.active), one.block_reason, blocked_at, one.updated_at)


def created(one: NewSubscription) -> shapes.SubscriptionView:
    """Return a subscription as it was created."""
    return _view(one, True, None, None, one.created_at)


def _view(
    one: Subscription | NewSubscription,
    is_active: bool,
    block_reason: str | None,
    blocked_at: str | None,
    updated_at: float,
) -> shapes.SubscriptionView:
    return shapes.SubscriptionView(
        id=one.token,
        entity_type=KINDS[one.entity],
        entity_id=one.named,
        signal_types=one.types.split(","),
        url=one.url,
        name=one.name or UNSET,
        partner_client_id=one.partner or UNSET,
        is_active=is_active,
        block_reason=block_reason,
        blocked_at=blocked_at,
        created_at=iso(one.created_at),
        updated_at=iso(updated_at),
    )


def changed_view(one: Subscription, secret: str | None) -> shapes.ChangedSubscription:
    """Return a changed subscription, with the account's secret if it was regenerated."""
    return shapes.ChangedSubscription(
        **{name: getattr(subscription_view(one), name) for name in shapes.SubscriptionView.__struct_fields__},
        secret=secret or UNSET,
    )


class DeletedOne(NamedTuple):
    """What is shown of a deleted subscription."""

    token: str
    entity: int
    named: str
    name: str | None = None


def deleted(one: Subscription) -> DeletedOne:
    return DeletedOne(one.token, one.entity, one.named, one.name)


def deletions_view(ids: Sequence[str], results: Sequence[DeletedOne | None]) -> shapes.DeletedSubscriptions:
    """Return the results of deleting the different ones of `ids`, each with its first position there."""
    positions: dict[str, int] = {}
    for position, id in enumerate(ids):
        positions.setdefault(id, position)
    successful = sum(one is not None for one in results)
    return shapes.DeletedSubscriptions(
        total=len(results),
        successful=successful,
        failed=len(results) - successful,
        results=[_deletion_view(index, one) for index, one in zip(positions.values(), results, strict=True)],
    )


def _deletion_view(
    index: int, one: DeletedOne | None
) -> shapes.DeletedSubscription | shapes.NotDeletedSubscription:
    if one is None:
        return shapes.NotDeletedSubscription(
            index=index, error=shapes.DeleteError(code="NOT_FOUND", message=NOT_FOUND)
        )
    view = shapes.DeletedSubscriptionView(
        id=one.token, entity_type=KINDS[one.entity], entity_id=one.named, name=one.name or UNSET
    )
    return shapes.DeletedSubscription(index=index, subscription=view)


def creation_view(
    outcomes: Sequence[shapes.SubscriptionView | shapes.CreateError],
) -> shapes.CreatedSubscriptions:
    """Return the results of creating subscriptions."""
    failed = sum(isinstance(one, shapes.CreateError) for one in outcomes)
    return shapes.CreatedSubscriptions(
        total=len(outcomes),
        successful=len(outcomes) - failed,
        failed=failed,
        results=[
            shapes.NotCreatedSubscription(index=index, error=one)
            if isinstance(one, shapes.CreateError)
            else shapes.CreatedSubscription(index=index, subscription=one)
            for index, one in enumerate(outcomes)
        ],
    )
