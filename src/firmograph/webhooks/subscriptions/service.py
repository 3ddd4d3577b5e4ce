"""Subscriptions: which signals an account receives, and where.

See docs/reference/webhooks.md#subscriptions.

Changes run in one transaction of the account's scope, so an account never has two subscriptions to a record nor more
than its maximum. Other accounts' subscriptions do not exist for the caller.
"""

import re
import secrets as random
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import UNSET

from firmograph.database.connection import SUBSCRIPTIONS, AccountSession, Database, account_scope
from firmograph.kit.errors import BadRequest, Forbidden, NotFound
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.settings import Settings
from firmograph.signals import store as signal_store
from firmograph.webhooks import erasure_store
from firmograph.webhooks.deliveries import cancel
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.sending import urls
from firmograph.webhooks.sending.secrets import Secrets
from firmograph.webhooks.subscriptions import creation, shapes, views
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.subscriptions.creation import ValidItem
from firmograph.webhooks.subscriptions.store import NewSubscription, Subscription, SubscriptionChange
from firmograph.webhooks.types import OPT_OUT

DELETED: Final = "The subscription was deleted"
CREATE_SECRET_HINT: Final = "create one with POST /api/account/secret/regenerate"

_TOKEN = re.compile(r"[0-9a-f]{24}\Z")


class Subscriptions:
    """Operations of callers on their subscriptions; times are those of request admission."""

    def __init__(self, database: Database, tokens: RecordIds, secrets: Secrets, settings: Settings) -> None:
        self._database = database
        self._tokens = tokens
        self._secrets = secrets
        self._settings = settings

    def create(
        self, account_id: int, body: shapes.CreateSubscriptions, at: float
    ) -> shapes.CreatedSubscriptions:
        """Create subscriptions; return one result per item.

        Raises BadRequest for the URL, Forbidden without a secret or at the account's maximum.
        """
        url = urls.check_url(body.defaults.url, self._settings)
        items = creation.check_items(body, self._tokens)
        # excludes the fan-out, which would pass signals after `last` before it sees the new subscriptions
        with self._database.write(SUBSCRIPTIONS, account_scope(account_id)) as session:
            own = AccountSession(session, account_id)
            remaining = self._remaining(own)
            last = signal_store.last_signal_id(session)
            checked = creation.admit_items(own, items, remaining)
            new = {
                index: _new(item, url, at, last)
                for index, item in enumerate(checked)
                if isinstance(item, ValidItem)
            }
            subscription_store.add(own, list(new.values()))
            created = {one.token: one for one in _lock(own, new.values())}
        return shapes.CreatedSubscriptions(
            total=len(items),
            successful=len(new),
            failed=len(items) - len(new),
            results=[
                shapes.NotCreatedSubscription(index=index, error=item)
                if isinstance(item, shapes.CreateError)
                else shapes.CreatedSubscription(
                    index=index, subscription=views.subscription_view(created[new[index].token])
                )
                for index, item in enumerate(checked)
            ],
        )

    def create_opt_out(
        self, account_id: int, body: shapes.CreateOptOutSubscription, at: float
    ) -> shapes.SubscriptionView:
        """Create an opt-out subscription.

        Raises BadRequest for the URL, Forbidden without a secret, at the account's maximum, or if one exists already.
        """
        url = urls.check_url(body.url, self._settings)
        partner = body.partner_client_id or ""
        item = ValidItem(Entity.CONTACT, None, str(account_id), [OPT_OUT], body.name or None)
        with self._database.write(account_scope(account_id)) as session:
            own = AccountSession(session, account_id)
            self._remaining(own)
            if subscription_store.has_opt_out(own, partner):
                raise _forbidden(_ONE_OPT_OUT, "opt-out subscription exists")
            new = _new(item, url, at, signal_store.last_signal_id(session), partner)
            subscription_store.add(own, [new])
            return views.subscription_view(find_subscription(own, new.token))

    def page(self, account_id: int, limit: int, offset: int) -> shapes.SubscriptionList:
        """Return one page, newest first."""
        with self._database.read() as session:
            own = AccountSession(session, account_id)
            total = subscription_store.count(own)
            page = subscription_store.read_page(own, limit, offset)
        more = offset + len(page) < total
        return shapes.SubscriptionList(
            data=[views.subscription_view(one) for one in page],
            pagination=shapes.OffsetPagination(total=total, limit=limit, offset=offset, has_more=more),
        )

    def get(self, account_id: int, token: str) -> shapes.SubscriptionView:
        """Return one subscription. Raises NotFound."""
        with self._database.look() as session:
            return views.subscription_view(find_subscription(AccountSession(session, account_id), token))

    def change(
        self, account_id: int, token: str, body: shapes.ChangeSubscription, at: float
    ) -> shapes.ChangedSubscription:
        """Change a subscription. Raises NotFound, or BadRequest for an invalid URL or type.

        Existing deliveries stay queued, even those of types no longer requested. All go to the new URL, where the first
        starts with all its retries.
        """
        url = urls.check_url(body.url, self._settings) if body.url else None
        with self._database.write(account_scope(account_id)) as session:
            own = AccountSession(session, account_id)
            existing = _require(subscription_store.lock(own, [token]))
            _change(own, existing, body, url, at)
            secret = self._secrets.regenerate(session, account_id, at) if body.regenerate_secret else None
            return views.changed_view(find_subscription(own, token), secret)

    def delete(self, account_id: int, ids: Iterable[str], at: float) -> shapes.DeletedSubscriptions:
        """Delete subscriptions and cancel their deliveries; return one result per distinct id, in order.

        Raises BadRequest for more ids than one request may name.
        """
        positions: dict[str, int] = {}
        for position, id in enumerate(ids):
            positions.setdefault(id, position)
        if len(positions) > shapes.MAX_ITEMS:
            problem = f"ids must have at most {shapes.MAX_ITEMS} different elements"
            raise BadRequest(problem, [problem])
        with self._database.write(account_scope(account_id)) as session:
            tokens = [id for id in positions if _TOKEN.match(id)]
            own = AccountSession(session, account_id)
            deleted = {one.token: one for one in subscription_store.lock(own, tokens)}
            numbers = [one.id for one in deleted.values()]
            waiting = [
                delivery
                for number in numbers
                for delivery in delivery_store.find_of_subscription(own, number)
            ]
            cancel.cancel_deliveries(own, waiting, at, DELETED)
            # they may name people, and could not be found for erasure once the subscription is deleted
            erasure_store.erase_acknowledgements_of(own, deleted)
            subscription_store.delete(own, numbers)
        return shapes.DeletedSubscriptions(
            total=len(positions),
            successful=len(deleted),
            failed=len(positions) - len(deleted),
            results=[views.deletion_view(position, deleted.get(id)) for id, position in positions.items()],
        )

    def secret(self, account_id: int) -> shapes.Secret:
        """Return the account's secret. Raises NotFound."""
        with self._database.look() as session:
            secret = self._secrets.find(session, account_id)
        if secret is None:
            raise NotFound(f"The account has no webhook secret; {CREATE_SECRET_HINT}")
        return shapes.Secret(secret=secret)

    def regenerate_secret(self, account_id: int, at: float) -> shapes.Secret:
        """Replace the account's secret; the previous one is invalid at once."""
        with self._database.write(account_scope(account_id)) as session:
            return shapes.Secret(secret=self._secrets.regenerate(session, account_id, at))

    def _remaining(self, session: AccountSession) -> int:
        """Return how many more subscriptions the account may have. Raises Forbidden if none."""
        if self._secrets.find(session.session, session.account_id) is None:
            raise _forbidden(
                f"the account has no webhook secret to sign with; {CREATE_SECRET_HINT}",
                "webhook secret missing",
            )
        maximum = self._settings.webhook_max_subscriptions
        remaining = maximum - subscription_store.count(session)
        if remaining <= 0:
            raise _forbidden(creation.limit_message(maximum), "account maximum reached")
        return remaining


_ONE_OPT_OUT: Final = "an opt-out subscription exists already; change or delete it"


def find_subscription(session: AccountSession, token: str) -> Subscription:
    """Return an account's own subscription. Raises NotFound, also for one of another account."""
    one = subscription_store.find(session, token)
    return _require([one] if one else [])


def _require(found: Sequence[Subscription]) -> Subscription:
    if not found:
        raise NotFound(views.NOT_FOUND)
    return found[0]


def _lock(session: AccountSession, new: Iterable[NewSubscription]) -> list[Subscription]:
    return subscription_store.lock(session, [one.token for one in new])


def _new(item: ValidItem, url: str, at: float, last: int, partner: str = "") -> NewSubscription:
    return NewSubscription(
        token=random.token_hex(12),
        entity=int(item.entity),
        entity_id=item.number,
        named=item.named,
        types=",".join(item.types),
        partner=partner,
        name=item.name,
        url=url,
        origin=urls.origin(url),
        created_at=at,
        after_signal=last,
    )


def _change(
    session: AccountSession,
    existing: Subscription,
    body: shapes.ChangeSubscription,
    url: str | None,
    at: float,
) -> None:
    """Apply all changes but the secret."""
    types = existing.types if body.signal_types is UNSET else ",".join(_types(existing, body.signal_types))
    name = existing.name if body.name is UNSET else body.name or None
    changed = SubscriptionChange(
        types, name, url or existing.url, urls.origin(url) if url else existing.origin, at
    )
    if (body.signal_types, body.name, url) != (UNSET, UNSET, None):
        subscription_store.change(session, existing.id, changed)
    if changed.url != existing.url:
        subscription_store.reset_retries(session, [existing.id], at)
    if body.is_active is True:
        subscription_store.reactivate(session, [existing.id], at)
    elif body.is_active is False:
        subscription_store.disable(session, [existing.id], at)


def _types(existing: Subscription, names: Sequence[str]) -> list[str]:
    """Return the new types. Raises BadRequest for types the subscription cannot have."""
    if existing.entity_id is not None:
        return creation.check_types(Entity(existing.entity), names)
    if {name.casefold() for name in names} != {OPT_OUT.casefold()}:
        problem = f"signalTypes of an opt-out subscription are always {OPT_OUT}"
        raise BadRequest(problem, [problem])
    return [OPT_OUT]


def _forbidden(why: str, restriction: str) -> Forbidden:
    return Forbidden(f"Forbidden: {why}", [restriction])
