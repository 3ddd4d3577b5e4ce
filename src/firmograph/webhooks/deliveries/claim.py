"""Claims of deliveries: lease, hold of credits, composed body.

See docs/reference/webhooks.md#charges.

Claimable subscriptions are selected outside a transaction. The claims are made in one, in the scopes of their accounts.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import structlog

from firmograph.billing import holds
from firmograph.billing.holds import Hold
from firmograph.billing.plans import Plans
from firmograph.database.connection import Database, Session, account_scope
from firmograph.database.leases import Claim
from firmograph.security.record_ids import Entity
from firmograph.signals.service import PRICE_KEYS
from firmograph.webhooks.deliveries import audit_store, cancel, claim_store, claimable_store
from firmograph.webhooks.deliveries.claim_store import QueueHead
from firmograph.webhooks.deliveries.claimable_store import MAX_PER_ACCOUNT, MAX_PER_ORIGIN
from firmograph.webhooks.deliveries.composer import ComposedBodies, Composer, PricedDelivery
from firmograph.webhooks.sending import payload
from firmograph.webhooks.sending.secrets import Secrets
from firmograph.webhooks.types import Attempt, Status

log = structlog.get_logger("firmograph.webhooks")

_DAY: Final = 86_400.0
POSTPONE_SECONDS: Final = 60.0
"""Delay of a subscription that only an operator can fix."""


class DeliveryPrices(NamedTuple):
    """Prices of deliveries; a signal is charged at most once."""

    plans: Plans

    def of(self, head: QueueHead) -> int | None:
        """Return the price of a delivery; None if the account's plan is unknown."""
        if head.held is not None:
            return head.held
        if head.signal_id is None or head.paid_at is not None:
            return 0
        if head.body is not None:
            # a redelivered dead letter costs the price stated in its body
            return payload.credits_of(head.body)
        plan = self.plans.find(head.plan)
        return plan.price(PRICE_KEYS[Entity(head.entity)]).total(1) if plan else None


class Claimer:
    """Claimer of subscriptions and maker of attempts."""

    def __init__(
        self, database: Database, prices: DeliveryPrices, secrets: Secrets, composer: Composer
    ) -> None:
        self._database = database
        self._prices = prices
        self._secrets = secrets
        self._composer = composer

    def claim(self, limit: int, now: float) -> list[Attempt]:
        """Claim at most `limit` attempts, of at most 16,384. Raises Busy and Unavailable."""
        with self._database.look() as session:
            claimable = claimable_store.find_claimable(session, limit, now)
        if not claimable:
            return []
        accounts = {each.account_id for each in claimable}
        with self._database.write(*map(account_scope, accounts)) as session:
            claims = _claim(session, [each.subscription_id for each in claimable], accounts, now)
            return self._attempts(session, claims, now) if claims else []

    def _attempts(self, session: Session, claims: Mapping[int, Claim[int]], now: float) -> list[Attempt]:
        """Return attempts for the claims; release the claims of which nothing is sent."""
        heads = [head for head in claim_store.read_heads(session, claims.keys()) if head.active]
        secrets = self._secrets.find_all(session, {head.account_id for head in heads})
        priced = self._priced(heads, secrets)
        bodies = self._composer.compose(session, priced, now)
        ready = [one for one in priced if one.head.delivery_id in bodies.composed]
        held, withheld = _hold(session, ready, now)
        _save_held(session, held, bodies)
        _save_withheld(session, withheld, now)
        missing = [head for head in heads if head.delivery_id in bodies.missing]
        claim_store.mark_cancelled(session, [head.delivery_id for head in missing], cancel.CANCELLED)
        stuck = (
            {head.subscription_id for head in heads}
            - _subscription_ids(ready)
            - {head.subscription_id for head in missing}
        )
        claim_store.postpone(session, stuck, now + POSTPONE_SECONDS)
        claim_store.release(
            session, claims.keys() - _subscription_ids(held) - _subscription_ids(withheld) - stuck
        )
        return [
            _attempt(one.head, claims, bodies, secrets)
            for one in sorted(held, key=lambda one: one.head.delivery_id)
        ]

    def _priced(self, heads: Sequence[QueueHead], secrets: Collection[int]) -> list[PricedDelivery]:
        priced = []
        for head in heads:
            price = self._prices.of(head)
            if price is None or head.account_id not in secrets:
                missing = "secret" if price is not None else "plan"
                log.warning("webhooks of an account are postponed", account=head.account_id, missing=missing)
            else:
                priced.append(PricedDelivery(head, price))
        return priced


def _claim(
    session: Session, subscription_ids: Sequence[int], accounts: Collection[int], now: float
) -> dict[int, Claim[int]]:
    """Claim subscriptions, and release those over the limits because of other workers' claims."""
    claimed = claim_store.leases.claim_among(session, subscription_ids, len(subscription_ids), now)
    claims = {claim.key: claim for claim in claimed}
    excess = _over_limit(claim_store.find_claimed(session, accounts, now), claims)
    claim_store.release(session, excess)
    return {
        subscription_id: claim for subscription_id, claim in claims.items() if subscription_id not in excess
    }


def _over_limit(claimed: Iterable[tuple[int, int, str]], own: Collection[int]) -> set[int]:
    """Return those of the worker's claims that exceed the limits of an account or origin.

    Claims of other workers take precedence.
    """
    of_origin: Counter[tuple[int, str]] = Counter()
    of_account: Counter[int] = Counter()
    excess = set()
    for subscription_id, account, origin in sorted(claimed, key=lambda each: each[0] in own):
        if subscription_id in own and (
            of_origin[account, origin] >= MAX_PER_ORIGIN or of_account[account] >= MAX_PER_ACCOUNT
        ):
            excess.add(subscription_id)
        else:
            of_origin[account, origin] += 1
            of_account[account] += 1
    return excess


def _hold(
    session: Session, ready: Sequence[PricedDelivery], now: float
) -> tuple[list[PricedDelivery], list[PricedDelivery]]:
    """Place holds for first attempts; return the deliveries to send and those that lack credits."""
    held = [one for one in ready if not one.is_first]
    withheld: list[PricedDelivery] = []
    first: dict[int, list[PricedDelivery]] = defaultdict(list)
    # credits go to the earliest detected first
    for one in sorted(ready, key=lambda one: one.head.delivery_id):
        if one.is_first:
            first[one.head.account_id].append(one)
    requested = {account: [_hold_of(one) for one in those] for account, those in first.items()}
    covered = holds.place_holds_of_accounts(session, requested, now)
    for account, those in first.items():
        for one, enough in zip(those, covered[account], strict=True):
            (held if enough else withheld).append(one)
    return held, withheld


def _hold_of(priced: PricedDelivery) -> Hold:
    return Hold(priced.head.payload_id, PRICE_KEYS[Entity(priced.head.entity)], priced.price)


def _save_held(session: Session, held: Sequence[PricedDelivery], bodies: ComposedBodies) -> None:
    claim_store.save_prepared(
        session,
        # an existing body stays: it was sent before, or is encrypted
        [
            (one.price, one.head.body or bodies.composed[one.head.delivery_id], one.head.delivery_id)
            for one in held
            if one.is_first or one.head.body is None
        ],
    )
    first = [one for one in held if one.is_first]
    # left over from a previous head that was deleted without an attempt
    claim_store.reset_attempts(
        session, {one.head.subscription_id for one in first if one.head.attempts or one.head.needs}
    )


def _save_withheld(session: Session, withheld: Sequence[PricedDelivery], now: float) -> None:
    claim_store.withhold(
        session, [(one.price, one.head.subscription_id, one.head.delivery_id) for one in withheld], now
    )
    newly_withheld = [one for one in withheld if one.head.withheld_at is None]
    audit_store.add(session, [_withheld_entry(one, now) for one in newly_withheld])
    for one in newly_withheld:
        log.info("delivery is waiting for credits", payload=one.head.payload_id, subscription=one.head.token)


def _withheld_entry(priced: PricedDelivery, now: float) -> audit_store.AuditEntry:
    head = priced.head
    return audit_store.AuditEntry(
        head.account_id,
        head.token,
        head.payload_id,
        Status.FAILED,
        None,
        head.url,
        now,
        None,
        f"Insufficient credits: this delivery needs {priced.price}."
        " It will be sent if that many are available within 72 hours",
    )


def _attempt(
    head: QueueHead, claims: Mapping[int, Claim[int]], bodies: ComposedBodies, secrets: Mapping[int, str]
) -> Attempt:
    return Attempt(
        claims[head.subscription_id],
        head.account_id,
        head.token,
        head.url,
        head.delivery_id,
        head.payload_id,
        bodies.composed[head.delivery_id],
        secrets[head.account_id],
        0 if head.held is None else head.attempts,
    )


def _subscription_ids(priced: Iterable[PricedDelivery]) -> set[int]:
    return {one.head.subscription_id for one in priced}
