"""Taking deliveries to send: lanes are claimed, credits held, bodies composed (decisions G, Money and Bounds).

Which lanes may go is asked outside a transaction. What is claimed of them is decided in one, of the scopes of their
accounts.
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
from firmograph.webhooks.deliveries.claim_store import Head
from firmograph.webhooks.deliveries.claimable_store import MOST_OF_ACCOUNT, MOST_OF_ORIGIN
from firmograph.webhooks.deliveries.composer import Bodies, Composer, Priced
from firmograph.webhooks.sending import payload
from firmograph.webhooks.sending.secrets import Secrets
from firmograph.webhooks.types import Attempt, Status

log = structlog.get_logger("firmograph.webhooks")

_DAY: Final = 86_400.0
POSTPONED_SECONDS: Final = 60.0
"""How long a lane waits when what keeps it is for an operator to mend."""


class Prices(NamedTuple):
    """What deliveries cost. A signal that was ever paid for costs nothing: each is charged once (specification 6.4)."""

    plans: Plans

    def of(self, head: Head) -> int | None:
        """None where the account's plan is not set up here."""
        if head.held is not None:
            return head.held
        if head.signal_id is None or head.paid_at is not None:
            return 0
        if head.body is not None:
            # sent again after it had failed for good: it costs what it says, whatever the price is by now
            return payload.credits_of(head.body)
        plan = self.plans.find(head.plan)
        return plan.price(PRICE_KEYS[Entity(head.entity)]).of(1) if plan else None


class Taking:
    """Claims lanes, and makes attempts of their first deliveries."""

    def __init__(self, database: Database, prices: Prices, secrets: Secrets, composer: Composer) -> None:
        self._database = database
        self._prices = prices
        self._secrets = secrets
        self._composer = composer

    def take(self, most: int, now: float) -> list[Attempt]:
        """At most `most`, which is at most 16,384. Raises Busy and Unavailable."""
        with self._database.look() as session:
            candidates = claimable_store.candidates(session, most, now)
        if not candidates:
            return []
        accounts = {each.account_id for each in candidates}
        with self._database.write(*map(account_scope, accounts)) as session:
            claims = _claim(session, [each.lane for each in candidates], accounts, now)
            return self._attempts(session, claims, now) if claims else []

    def _attempts(self, session: Session, claims: Mapping[int, Claim[int]], now: float) -> list[Attempt]:
        """Of claimed lanes; those of which nothing is sent now are let go."""
        heads = [head for head in claim_store.heads(session, claims.keys()) if head.active]
        secrets = self._secrets.of(session, {head.account_id for head in heads})
        priced = self._priced(heads, secrets)
        bodies = self._composer.bodies(session, priced, now)
        able = [one for one in priced if one.head.delivery_id in bodies.sent]
        going, withheld = _hold(session, able, now)
        _note_going(session, going, bodies)
        _note_withheld(session, withheld, now)
        gone = [head for head in heads if head.delivery_id in bodies.gone]
        claim_store.cancel(session, [head.delivery_id for head in gone], cancel.CANCELLED)
        stuck = {head.lane for head in heads} - _lanes(able) - {head.lane for head in gone}
        claim_store.postpone(session, stuck, now + POSTPONED_SECONDS)
        claim_store.release(session, claims.keys() - _lanes(going) - _lanes(withheld) - stuck)
        return [
            _attempt(one.head, claims, bodies, secrets)
            for one in sorted(going, key=lambda one: one.head.delivery_id)
        ]

    def _priced(self, heads: Sequence[Head], secrets: Collection[int]) -> list[Priced]:
        priced = []
        for head in heads:
            price = self._prices.of(head)
            if price is None or head.account_id not in secrets:
                missing = "secret" if price is not None else "plan"
                log.warning("webhooks of an account wait", account=head.account_id, missing=missing)
            else:
                priced.append(Priced(head, price))
        return priced


def _claim(
    session: Session, lanes: Sequence[int], accounts: Collection[int], now: float
) -> dict[int, Claim[int]]:
    """Others may have claimed since the lanes were chosen: what is beyond the bounds by that goes back."""
    claimed = claim_store.leases.claim_among(session, lanes, len(lanes), now)
    claims = {claim.key: claim for claim in claimed}
    excess = _beyond_bounds(claim_store.busy(session, accounts, now), claims)
    claim_store.release(session, excess)
    return {lane: claim for lane, claim in claims.items() if lane not in excess}


def _beyond_bounds(busy: Iterable[tuple[int, int, str]], mine: Collection[int]) -> set[int]:
    """Those of my lanes that are more than an account, or an origin of it, may have; others' come first."""
    of_origin: Counter[tuple[int, str]] = Counter()
    of_account: Counter[int] = Counter()
    excess = set()
    for lane, account, origin in sorted(busy, key=lambda each: each[0] in mine):
        if lane in mine and (
            of_origin[account, origin] >= MOST_OF_ORIGIN or of_account[account] >= MOST_OF_ACCOUNT
        ):
            excess.add(lane)
        else:
            of_origin[account, origin] += 1
            of_account[account] += 1
    return excess


def _hold(session: Session, able: Sequence[Priced], now: float) -> tuple[list[Priced], list[Priced]]:
    """Set credits aside for first attempts: those that go, and those that have to wait for credits."""
    going = [one for one in able if not one.is_first]
    withheld: list[Priced] = []
    first: dict[int, list[Priced]] = defaultdict(list)
    # the credits go to what was detected first
    for one in sorted(able, key=lambda one: one.head.delivery_id):
        if one.is_first:
            first[one.head.account_id].append(one)
    wanted = {account: [_hold_of(one) for one in those] for account, those in first.items()}
    covered = holds.place_all(session, wanted, now)
    for account, those in first.items():
        for one, enough in zip(those, covered[account], strict=True):
            (going if enough else withheld).append(one)
    return going, withheld


def _hold_of(priced: Priced) -> Hold:
    return Hold(priced.head.payload_id, PRICE_KEYS[Entity(priced.head.entity)], priced.price)


def _note_going(session: Session, going: Sequence[Priced], bodies: Bodies) -> None:
    claim_store.prepare(
        session,
        # a body that is there stays: it was sent before, or is sealed
        [
            (one.price, one.head.body or bodies.sent[one.head.delivery_id], one.head.delivery_id)
            for one in going
            if one.is_first or one.head.body is None
        ],
    )
    first = [one for one in going if one.is_first]
    # of one before it that ended otherwise than by an attempt
    claim_store.renew(session, {one.head.lane for one in first if one.head.attempts or one.head.needs})


def _note_withheld(session: Session, withheld: Sequence[Priced], now: float) -> None:
    claim_store.withhold(session, [(one.price, one.head.lane, one.head.delivery_id) for one in withheld], now)
    told = [one for one in withheld if one.head.withheld_at is None]
    audit_store.add(session, [_withheld_entry(one, now) for one in told])
    for one in told:
        log.info("a delivery waits for credits", payload=one.head.payload_id, subscription=one.head.token)


def _withheld_entry(priced: Priced, now: float) -> audit_store.Entry:
    head = priced.head
    return audit_store.Entry(
        head.account_id,
        head.token,
        head.payload_id,
        Status.FAILED,
        None,
        head.url,
        now,
        None,
        f"Insufficient credits: this delivery needs {priced.price}. It is sent when so many remain within 72 hours",
    )


def _attempt(
    head: Head, claims: Mapping[int, Claim[int]], bodies: Bodies, secrets: Mapping[int, str]
) -> Attempt:
    return Attempt(
        claims[head.lane],
        head.account_id,
        head.token,
        head.url,
        head.delivery_id,
        head.payload_id,
        bodies.sent[head.delivery_id],
        secrets[head.account_id],
        0 if head.held is None else head.attempts,
    )


def _lanes(priced: Iterable[Priced]) -> set[int]:
    return {one.head.lane for one in priced}
