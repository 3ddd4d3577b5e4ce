"""Subscriptions: which signals an account receives, and where.

See docs/reference/webhooks.md#subscriptions.

Changes run in one transaction of the account's scope, so an account never has two subscriptions to a record nor more
than its maximum. Other accounts' subscriptions do not exist for the caller.
"""

import re
import secrets as random
from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from firmograph.billing.charged_call import Charged, ChargedCalls
from firmograph.billing.idempotency import Memo
from firmograph.caller import Request
from firmograph.database.connection import SUBSCRIPTIONS, AccountSession, Database
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


class SubscriptionsMemo(Memo, frozen=True):
    """What a replay shows again."""

    created_at: float
    results: list[tuple[bool, str]]
    """Whether each was created, with its id or the code of its error."""


class OptOutMemo(Memo, frozen=True):
    """What a replay shows again."""

    created_at: float
    token: str


class DeletionMemo(Memo, frozen=True):
    """What a replay shows again."""

    subscriptions: list[tuple[int, str] | None]
    """Entity and record of each, None for one that did not exist."""


class Subscriptions:
    """Operations of callers on their subscriptions; times are those of request admission.

    What is kept under an `Idempotency-Key` has neither names nor secrets, which erasure and replacement could not reach
    there.
    """

    def __init__(
        self,
        database: Database,
        charged_calls: ChargedCalls,
        tokens: RecordIds,
        secrets: Secrets,
        settings: Settings,
    ) -> None:
        self._database = database
        self._charged_calls = charged_calls
        self._tokens = tokens
        self._secrets = secrets
        self._settings = settings

    def create(self, request: Request, body: shapes.CreateSubscriptions) -> Charged[creation.Outcomes]:
        """Create subscriptions; answer one result per item. A replay answers them as they were created.

        Raises BadRequest for the URL, Forbidden without a secret or at the account's maximum.
        """
        at = request.at
        url = urls.check_url(body.defaults.url, self._settings)
        items = creation.check_items(body, self._tokens)

        def change(session: AccountSession) -> tuple[creation.Outcomes, SubscriptionsMemo]:
            remaining = self._remaining(session)
            last = signal_store.last_signal_id(session.session)
            admitted = creation.admit_items(session, items, remaining)
            new = [_new(item, url, at, last) if isinstance(item, ValidItem) else item for item in admitted]
            subscription_store.add(session, [one for one in new if isinstance(one, NewSubscription)])
            outcomes = [views.created(one) if isinstance(one, NewSubscription) else one for one in new]
            return outcomes, SubscriptionsMemo(at, creation.memo_of(outcomes))

        def repeat(session: AccountSession, memo: SubscriptionsMemo) -> creation.Outcomes:
            return creation.outcomes_of(
                memo.results,
                items,
                lambda item, token: views.created(_new(item, url, memo.created_at, 0, token=token)),
            )

        # excludes the fan-out, which would pass signals after `last` before it sees the new subscriptions
        return self._charged_calls.change(request, change, repeat, SubscriptionsMemo, SUBSCRIPTIONS)

    def create_opt_out(
        self, request: Request, body: shapes.CreateOptOutSubscription
    ) -> Charged[shapes.SubscriptionView]:
        """Create an opt-out subscription. A replay answers it as it was created.

        Raises BadRequest for the URL, Forbidden without a secret, at the account's maximum, or if one exists already.
        """
        account_id = request.caller.account_id
        url = urls.check_url(body.url, self._settings)
        partner = body.partner_client_id or ""
        item = ValidItem(Entity.CONTACT, None, str(account_id), [OPT_OUT], body.name or None)

        def change(session: AccountSession) -> tuple[shapes.SubscriptionView, OptOutMemo]:
            self._remaining(session)
            if subscription_store.has_opt_out(session, partner):
                raise _forbidden(_ONE_OPT_OUT, "opt-out subscription exists")
            last = signal_store.last_signal_id(session.session)
            new = _new(item, url, request.at, last, partner)
            subscription_store.add(session, [new])
            return views.created(new), OptOutMemo(request.at, new.token)

        def repeat(session: AccountSession, memo: OptOutMemo) -> shapes.SubscriptionView:
            return views.created(_new(item, url, memo.created_at, 0, partner, token=memo.token))

        return self._charged_calls.change(request, change, repeat, OptOutMemo)

    def page(self, request: Request, limit: int, offset: int) -> shapes.SubscriptionList:
        """Return one page, newest first."""
        with self._database.read() as session:
            own = AccountSession(session, request.caller.account_id)
            total = subscription_store.count(own)
            page = subscription_store.read_page(own, limit, offset)
        more = offset + len(page) < total
        return shapes.SubscriptionList(
            data=[views.subscription_view(one) for one in page],
            pagination=shapes.OffsetPagination(total=total, limit=limit, offset=offset, has_more=more),
        )

    def get(self, request: Request, token: str) -> shapes.SubscriptionView:
        """Return one subscription. Raises NotFound."""
        with self._database.look() as session:
            own = AccountSession(session, request.caller.account_id)
            return views.subscription_view(find_subscription(own, token))

    def change(
        self, request: Request, body: shapes.ChangeSubscription, token: str
    ) -> Charged[shapes.ChangedSubscription]:
        """Change a subscription. A replay answers the subscription and the secret of today.

        Raises NotFound, or BadRequest for an invalid URL or type. Existing deliveries stay queued, even those of types
        no longer requested. All go to the new URL, where the first starts with all its retries.
        """
        url = urls.check_url(body.url, self._settings) if body.url else None

        def change(session: AccountSession) -> tuple[shapes.ChangedSubscription, Memo]:
            existing = _require(subscription_store.lock(session, [token]))
            _change(session, existing, body, url, request.at)
            secret = self._regenerate(session, request.at) if body.regenerate_secret else None
            return views.changed_view(find_subscription(session, token), secret), Memo()

        def repeat(session: AccountSession, memo: Memo) -> shapes.ChangedSubscription:
            secret = self._secret_now(session) if body.regenerate_secret else None
            return views.changed_view(find_subscription(session, token), secret)

        return self._charged_calls.change(request, change, repeat, Memo)

    def delete(
        self, request: Request, body: shapes.DeleteSubscriptions
    ) -> Charged[list[views.DeletedOne | None]]:
        """Delete subscriptions and cancel their deliveries; answer one result per distinct id, in order.

        A replay answers the same without names. Raises BadRequest for more ids than one request may name.
        """
        ids = list(dict.fromkeys(body.ids))
        if len(ids) > shapes.MAX_ITEMS:
            problem = f"ids must have at most {shapes.MAX_ITEMS} different elements"
            raise BadRequest(problem, [problem])

        def change(
            session: AccountSession,
        ) -> tuple[list[views.DeletedOne | None], DeletionMemo]:
            tokens = [id for id in ids if _TOKEN.match(id)]
            found = {one.token: one for one in subscription_store.lock(session, tokens)}
            delete_subscriptions(session, list(found.values()), request.at)
            deleted = [views.deleted(found[id]) if id in found else None for id in ids]
            # the name is what the owner wrote about a record, perhaps a person
            return deleted, DeletionMemo([one and (one.entity, one.named) for one in deleted])

        def repeat(session: AccountSession, memo: DeletionMemo) -> list[views.DeletedOne | None]:
            kept = memo.subscriptions
            return [views.DeletedOne(id, *one) if one else None for id, one in zip(ids, kept, strict=True)]

        return self._charged_calls.change(request, change, repeat, DeletionMemo)

    def secret(self, request: Request) -> shapes.Secret:
        """Return the account's secret. Raises NotFound."""
        with self._database.look() as session:
            own = AccountSession(session, request.caller.account_id)
            return shapes.Secret(secret=self._secret_now(own))

    def regenerate_secret(self, request: Request) -> Charged[shapes.Secret]:
        """Replace the account's secret; the previous one is invalid at once. A replay answers the secret of today."""

        def change(session: AccountSession) -> tuple[shapes.Secret, Memo]:
            return shapes.Secret(secret=self._regenerate(session, request.at)), Memo()

        def repeat(session: AccountSession, memo: Memo) -> shapes.Secret:
            return shapes.Secret(secret=self._secret_now(session))

        return self._charged_calls.change(request, change, repeat, Memo)

    def _regenerate(self, session: AccountSession, at: float) -> str:
        return self._secrets.regenerate(session.session, session.account_id, at)

    def _secret_now(self, session: AccountSession) -> str:
        """Return the account's secret. Raises NotFound."""
        secret = self._secrets.find(session.session, session.account_id)
        if secret is None:
            raise NotFound(f"The account has no webhook secret; {CREATE_SECRET_HINT}")
        return secret

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


def delete_subscriptions(session: AccountSession, subscriptions: Sequence[Subscription], at: float) -> None:
    """Delete subscriptions, and cancel their deliveries."""
    numbers = [one.id for one in subscriptions]
    waiting = [
        delivery for number in numbers for delivery in delivery_store.find_of_subscription(session, number)
    ]
    cancel.cancel_deliveries(session, waiting, at, DELETED)
    # they may name people, and could not be found for erasure once the subscription is deleted
    erasure_store.erase_acknowledgements_of(session, [one.token for one in subscriptions])
    subscription_store.delete(session, numbers)


def _new(
    item: ValidItem, url: str, at: float, last: int, partner: str = "", *, token: str | None = None
) -> NewSubscription:
    return NewSubscription(
        token=token or random.token_hex(12),
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
