"""Subscriptions and deliveries of accounts that are closed."""

from typing import Final

from firmograph.database.connection import AccountSession
from firmograph.installation import AccountWiring
from firmograph.webhooks.deliveries import cancel
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.sending import secrets
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.subscriptions.service import delete_subscriptions

_CLOSED: Final = "Cancelled: the account was closed"
_PART: Final = 100
"""Subscriptions that are deleted in one transaction."""


def _close(session: AccountSession, at: float) -> None:
    """Disable all subscriptions and release all holds; other deliveries expire."""
    cancel.cancel_deliveries(session, delivery_store.find_with_hold(session), at, _CLOSED)
    every = subscription_store.read_page(session, subscription_store.count(session), 0)
    subscription_store.disable(session, [one.id for one in every], at)


def _erase(session: AccountSession, at: float) -> int:
    """Delete a part of the subscriptions and then the secret; return the amount."""
    subscriptions = subscription_store.read_page(session, _PART, 0)
    delete_subscriptions(session, subscriptions, at)
    return len(subscriptions) or secrets.delete(session)


ACCOUNTS: Final = AccountWiring(close=_close, erase=_erase)
