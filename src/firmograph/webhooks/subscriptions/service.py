"""Subscriptions: who is told of what, where (specification 2.11, 3.1 and 4.8; wire-b 7.1 to 7.3; decisions G).

What is changed is changed in one transaction of the account's scope, so an account has no two subscriptions to a
record, nor more than it may. What belongs to another account is, for this one, not there.
"""

import re
import secrets as random
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import UNSET

from firmograph.database.connection import SUBSCRIPTIONS, Database, Session, account_scope
from firmograph.kit.errors import BadRequest, Forbidden, NotFound
from firmograph.security.record_ids import Entity, Tokens
from firmograph.settings import Settings
from firmograph.signals import store as signal_store
from firmograph.webhooks import erasure_store
from firmograph.webhooks.deliveries import cancel
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.sending import urls
from firmograph.webhooks.sending.secrets import Secrets
from firmograph.webhooks.subscriptions import creation, shapes, views
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.subscriptions.creation import Wanted
from firmograph.webhooks.subscriptions.store import Changed, New, Subscription
from firmograph.webhooks.types import OPT_OUT

DELETED: Final = "The subscription was deleted"
MAKE_A_SECRET: Final = "make one with POST /api/account/secret/regenerate"

_TOKEN = re.compile(r"[0-9a-f]{24}\Z")


class Subscriptions:
    """What callers may do with their subscriptions. Times are those at which a request was admitted."""

    def __init__(self, database: Database, tokens: Tokens, secrets: Secrets, settings: Settings) -> None:
        self._database = database
        self._tokens = tokens
        self._secrets = secrets
        self._settings = settings

    def create(
        self, account_id: int, body: shapes.CreateSubscriptions, at: float
    ) -> shapes.CreatedSubscriptions:
        """One result for each item. Raises BadRequest for the URL, Forbidden without a secret or room."""
        url = urls.checked(body.defaults.url, self._settings)
        items = creation.wanted(body, self._tokens)
        # alone with the fan-out too: it would pass the signals after the last one, not knowing whom to tell yet
        with self._database.write(SUBSCRIPTIONS, account_scope(account_id)) as session:
            room = self._room(session, account_id)
            last = signal_store.last(session)
            judged = creation.judge(session, account_id, items, room)
            new = {
                index: _new(account_id, item, url, at, last)
                for index, item in enumerate(judged)
                if isinstance(item, Wanted)
            }
            subscription_store.add(session, list(new.values()))
            made = {one.token: one for one in _locked(session, account_id, new.values())}
        return shapes.CreatedSubscriptions(
            total=len(items),
            successful=len(new),
            failed=len(items) - len(new),
            results=[
                shapes.NotCreatedSubscription(index=index, error=item)
                if isinstance(item, shapes.CreateError)
                else shapes.CreatedSubscription(index=index, subscription=views.shown(made[new[index].token]))
                for index, item in enumerate(judged)
            ],
        )

    def create_opt_out(
        self, account_id: int, body: shapes.CreateOptOutSubscription, at: float
    ) -> shapes.SubscriptionShown:
        """Raises BadRequest for the URL, Forbidden without a secret or room, or where there is one already."""
        url = urls.checked(body.url, self._settings)
        partner = body.partner_client_id or ""
        item = Wanted(Entity.CONTACT, None, str(account_id), [OPT_OUT], body.name or None)
        with self._database.write(account_scope(account_id)) as session:
            self._room(session, account_id)
            if subscription_store.of_partner(session, account_id, partner):
                raise _forbidden(_ONE_OPT_OUT, "opt-out subscription exists")
            new = _new(account_id, item, url, at, signal_store.last(session), partner)
            subscription_store.add(session, [new])
            return views.shown(found(session, account_id, new.token))

    def page(self, account_id: int, limit: int, offset: int) -> shapes.SubscriptionList:
        """The newest first."""
        with self._database.read() as session:
            total = subscription_store.count(session, account_id)
            page = subscription_store.page(session, account_id, limit, offset)
        more = offset + len(page) < total
        return shapes.SubscriptionList(
            data=[views.shown(one) for one in page],
            pagination=shapes.OffsetPagination(total=total, limit=limit, offset=offset, has_more=more),
        )

    def get(self, account_id: int, token: str) -> shapes.SubscriptionShown:
        """Raises NotFound."""
        with self._database.look() as session:
            return views.shown(found(session, account_id, token))

    def change(
        self, account_id: int, token: str, body: shapes.ChangeSubscription, at: float
    ) -> shapes.ChangedSubscription:
        """Raises NotFound, or BadRequest for a URL or types that cannot be.

        Deliveries that were made before keep going: those of types that are no longer asked for too, and all to the
        new URL, where the retries of the first begin anew.
        """
        url = urls.checked(body.url, self._settings) if body.url else None
        with self._database.write(account_scope(account_id)) as session:
            held = _the_one(subscription_store.locked(session, account_id, [token]))
            _change(session, held, body, url, at)
            secret = self._secrets.regenerate(session, account_id, at) if body.regenerate_secret else None
            return views.changed(found(session, account_id, token), secret)

    def delete(self, account_id: int, ids: Iterable[str], at: float) -> shapes.DeletedSubscriptions:
        """Delete some for good, and end what waits for them; one result for each id, at the place where it stood first.

        Raises BadRequest for more than one call may name.
        """
        places: dict[str, int] = {}
        for place, id in enumerate(ids):
            places.setdefault(id, place)
        if len(places) > shapes.MOST_ITEMS:
            problem = f"ids must have at most {shapes.MOST_ITEMS} different elements"
            raise BadRequest(problem, [problem])
        with self._database.write(account_scope(account_id)) as session:
            tokens = [id for id in places if _TOKEN.match(id)]
            gone = {one.token: one for one in subscription_store.locked(session, account_id, tokens)}
            numbers = [one.id for one in gone.values()]
            waiting = [
                delivery
                for number in numbers
                for delivery in delivery_store.of_subscription(session, account_id, number)
            ]
            cancel.end(session, account_id, waiting, at, DELETED)
            # it may tell of people, and by a subscription that is gone nobody would find it to erase it
            erasure_store.unacknowledge_of(session, [(account_id, token) for token in gone])
            subscription_store.delete(session, numbers)
        return shapes.DeletedSubscriptions(
            total=len(places),
            successful=len(gone),
            failed=len(places) - len(gone),
            results=[views.deleted(place, gone.get(id)) for id, place in places.items()],
        )

    def secret(self, account_id: int) -> shapes.Secret:
        """Raises NotFound."""
        with self._database.look() as session:
            secret = self._secrets.held(session, account_id)
        if secret is None:
            raise NotFound(f"The account has no webhook secret; {MAKE_A_SECRET}")
        return shapes.Secret(secret=secret)

    def regenerate_secret(self, account_id: int, at: float) -> shapes.Secret:
        """The one before is invalid at once; nothing else changes."""
        with self._database.write(account_scope(account_id)) as session:
            return shapes.Secret(secret=self._secrets.regenerate(session, account_id, at))

    def _room(self, session: Session, account_id: int) -> int:
        """How many more subscriptions the account may make. Raises Forbidden where it may not make any."""
        if self._secrets.held(session, account_id) is None:
            raise _forbidden(
                f"the account has no webhook secret to sign with; {MAKE_A_SECRET}", "webhook secret missing"
            )
        most = self._settings.webhook_max_subscriptions
        room = most - subscription_store.count(session, account_id)
        if room <= 0:
            raise _forbidden(creation.full(most), "account maximum reached")
        return room


_ONE_OPT_OUT: Final = "there is an opt-out subscription already; PATCH or delete that one"


def found(session: Session, account_id: int, token: str) -> Subscription:
    """An account's own. Raises NotFound, the same whether there is none or it is another's."""
    one = subscription_store.of_token(session, account_id, token)
    return _the_one([one] if one else [])


def _the_one(held: Sequence[Subscription]) -> Subscription:
    if not held:
        raise NotFound(views.GONE)
    return held[0]


def _locked(session: Session, account_id: int, new: Iterable[New]) -> list[Subscription]:
    return subscription_store.locked(session, account_id, [one.token for one in new])


def _new(account_id: int, item: Wanted, url: str, at: float, last: int, partner: str = "") -> New:
    return New(
        token=random.token_hex(12),
        account_id=account_id,
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
    session: Session, held: Subscription, body: shapes.ChangeSubscription, url: str | None, at: float
) -> None:
    """All but the secret."""
    types = held.types if body.signal_types is UNSET else ",".join(_types(held, body.signal_types))
    name = held.name if body.name is UNSET else body.name or None
    changed = Changed(types, name, url or held.url, urls.origin(url) if url else held.origin, at)
    if (body.signal_types, body.name, url) != (UNSET, UNSET, None):
        subscription_store.change(session, held.id, changed)
    if changed.url != held.url:
        subscription_store.retry(session, [held.id], at)
    if body.is_active is True:
        subscription_store.revive(session, [held.id], at)
    elif body.is_active is False:
        subscription_store.disable(session, [held.id], at)


def _types(held: Subscription, names: Sequence[str]) -> list[str]:
    """Raises BadRequest for those that it cannot have."""
    if held.entity_id is not None:
        return creation.types_of(Entity(held.entity), names)
    if {name.casefold() for name in names} != {OPT_OUT.casefold()}:
        problem = f"signalTypes of an opt-out subscription are always {OPT_OUT}"
        raise BadRequest(problem, [problem])
    return [OPT_OUT]


def _forbidden(why: str, restriction: str) -> Forbidden:
    return Forbidden(f"Forbidden: {why}", [restriction])
