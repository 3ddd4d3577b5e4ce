"""What operators do once a receiver is well again: send dead letters again, revive what was disabled (decisions G)."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from firmograph.database.connection import Database, Session, account_scope
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.webhooks.deliveries import operator_store as store
from firmograph.webhooks.deliveries.operator_store import DeadLetter, Listed
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.types import State, Status


class Redelivered(NamedTuple):
    """What came of sending one again."""

    payload_id: str
    refusal: str | None
    """Why it is not sent again; None where it is."""


_PARTED: Final = "Its subscription was deleted, and the delivery with it"
_UNKNOWN: Final = (
    "No delivery has this id. Take it from `payloadId` of a permanent_failure in the audit, or from"
    " firmograph webhooks failures"
)
_STATES: Final = {
    State.WAITING: "It is waiting to be sent already",
    State.CANCELLED: "It was cancelled, as what it told of is no longer held",
}


class WebhookOperators:
    """For the command line; accounts are given by number."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def redeliver(self, payload_ids: Sequence[str]) -> list[Redelivered]:
        """Send dead letters again, each the first of its subscription and with all its retries.

        They cost what they did the first time, when they arrive; nothing where they were paid for meanwhile.
        """
        return [Redelivered(one, self._redeliver(one)) for one in dict.fromkeys(payload_ids)]

    def failures(self, account_id: int) -> list[DeadLetter]:
        """Its dead letters, in the order of detection."""
        with self._database.read() as session:
            return store.letters(session, account_id)

    def enable(self, account_id: int, url: str | None = None) -> list[str]:
        """Revive what was disabled by itself, of one URL or of all; the public ids.

        What its owner disabled stays so. Raises Refused for a URL that no subscription has.
        """
        with self._database.write(account_scope(account_id)) as session:
            if url is not None and not store.has_url(session, account_id, url):
                raise Refused(
                    f"No subscription of the account has the URL {url}; see firmograph webhooks list"
                )
            found = [one for one in store.blocked(session, account_id) if url in (None, one[2])]
            subscription_store.revive(session, [id for id, *_ in found], self._clock.seconds())
        return [token for _, token, _ in found]

    def listed(self, account_id: int) -> Sequence[Listed]:
        with self._database.read() as session:
            return store.listed(session, account_id)

    def _redeliver(self, payload_id: str) -> str | None:
        with self._database.look() as session:
            held = store.letter(session, payload_id)
            if held is None:
                return _missing(session, payload_id)
        with self._database.write(account_scope(held.account_id)) as session:
            held = store.letter(session, payload_id)
            refusal = _refusal(held)
            if held is not None and refusal is None:
                store.send_again(session, held, self._clock.seconds())
            return refusal


def _refusal(held: DeadLetter | None) -> str | None:
    if held is None:
        return _PARTED
    if held.state != State.FAILED:
        return _STATES[State(held.state)]
    if not held.active:
        return (
            f"Its subscription {held.subscription} is disabled; enable it first, by firmograph webhooks enable or"
            " PATCH isActive, and redeliver then"
        )
    return None


def _missing(session: Session, payload_id: str) -> str:
    outcomes = store.outcomes(session, payload_id)
    if outcomes is None:
        return _UNKNOWN
    best, worst, was_test = outcomes
    if was_test or (best is worst is Status.FAILED):
        return "It was a test, and tests are not sent again"
    if best is Status.SUCCESS:
        return "It was delivered; there is nothing to send again"
    return "It has ended: it was cancelled, or its subscription was deleted, or 180 days have passed"
