"""Recovery from receivers that failed: dead letters sent again, subscriptions enabled again.

See docs/reference/webhooks.md#retries.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from firmograph.caller import Request
from firmograph.database.connection import AccountSession, Database, Session, account_scope
from firmograph.kit.errors import Refused
from firmograph.webhooks.deliveries import operator_store as store
from firmograph.webhooks.sending.urls import called_url
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.types import DeadLetter, State, Status, SubscriptionStatus


class Redelivery(NamedTuple):
    """Result of one redelivery request."""

    payload_id: str
    refusal: str | None
    """Why the delivery is not sent again; None if it is."""


_SUBSCRIPTION_DELETED: Final = "Its subscription was deleted together with the delivery"
_UNKNOWN: Final = (
    "No delivery has this id. Use the `payloadId` of a permanent_failure in the audit, or list failures with"
    " firmograph webhooks failures"
)
_STATES: Final = {
    State.WAITING: "It is already queued",
    State.CANCELLED: "It was cancelled because its signal or record no longer exists",
}


class Recovery(NamedTuple):
    """Service of what an account's operator does about failed deliveries."""

    database: Database

    def redeliver(self, payload_ids: Sequence[str], at: float) -> list[Redelivery]:
        """Queue dead letters again, each as the first of its subscription and with all its retries.

        Each costs its original price when it arrives, or nothing if it has been paid for since.
        """
        return [Redelivery(one, self._redeliver(one, at)) for one in dict.fromkeys(payload_ids)]

    def failures(self, request: Request) -> list[DeadLetter]:
        """Return the account's dead letters, in the order of detection."""
        with self.database.read() as session:
            return store.dead_letters(AccountSession(session, request.caller.account_id))

    def enable(self, request: Request, url: str | None = None) -> list[str]:
        """Enable subscriptions disabled by failures, of one URL or all; return their public ids.

        Subscriptions disabled by their owner stay disabled. Raises Refused for a URL without subscriptions.
        """
        account_id = request.caller.account_id
        with self.database.write(account_scope(account_id)) as session:
            own = AccountSession(session, account_id)
            called = None if url is None else called_url(url)
            if called is not None and not store.has_url(own, called):
                raise Refused(
                    f"The account has no subscription with the URL {url}; see firmograph webhooks list"
                )
            found = [one for one in store.blocked_subscriptions(own) if called in (None, one[2])]
            subscription_store.reactivate(own, [id for id, *_ in found], request.at)
        return [token for _, token, _ in found]

    def subscriptions(self, request: Request) -> Sequence[SubscriptionStatus]:
        with self.database.read() as session:
            return store.list_subscriptions(AccountSession(session, request.caller.account_id))

    def _redeliver(self, payload_id: str, at: float) -> str | None:
        with self.database.look() as session:
            delivery = store.find_delivery(session, payload_id)
            if delivery is None:
                return _missing(session, payload_id)
        with self.database.write(account_scope(delivery.account_id)) as session:
            delivery = store.find_delivery(session, payload_id)
            refusal = _refusal(delivery)
            if delivery is not None and refusal is None:
                store.requeue(AccountSession(session, delivery.account_id), delivery, at)
            return refusal


def _refusal(delivery: DeadLetter | None) -> str | None:
    if delivery is None:
        return _SUBSCRIPTION_DELETED
    if delivery.state != State.FAILED:
        return _STATES[State(delivery.state)]
    if not delivery.active:
        return (
            f"Its subscription {delivery.subscription} is disabled; enable it with firmograph webhooks enable or"
            " PATCH isActive first"
        )
    return None


def _missing(session: Session, payload_id: str) -> str:
    statuses = store.status_range(session, payload_id)
    if statuses is None:
        return _UNKNOWN
    best, worst, was_test = statuses
    if was_test or (best is worst is Status.FAILED):
        return "It was a test; tests are not sent again"
    if best is Status.SUCCESS:
        return "It was delivered; there is nothing to send again"
    return "It no longer exists: it was cancelled, its subscription was deleted, or it is older than 180 days"
