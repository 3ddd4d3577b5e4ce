"""Claims of asks: lease, next provider, and the hold of its price."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec
import structlog

from firmograph.billing import holds, ledger, paid_units
from firmograph.billing.paid_units import PaidUnits
from firmograph.billing.plans import Plans
from firmograph.caller import Plan
from firmograph.database.connection import AccountSession, Database, Session, account_scope
from firmograph.database.leases import Claim
from firmograph.directory import store as directory
from firmograph.security.record_ids import Entity
from firmograph.waterfall.asks import ask_store, money, provider_store, value_store
from firmograph.waterfall.asks.ask_store import AskChange, end
from firmograph.waterfall.asks.choice import Known, Next, Postponed, choose, find_candidates, take_slot
from firmograph.waterfall.asks.contacts import AskedContact, read_contact
from firmograph.waterfall.asks.value_keys import ValueKeys
from firmograph.waterfall.asks.value_store import AskedProvider
from firmograph.waterfall.providers.types import Provider, Providers
from firmograph.waterfall.types import (
    DATA_POINTS,
    JOB_SECONDS,
    MISS_SECONDS,
    VALUE_SECONDS,
    Ask,
    AskState,
    EnabledProvider,
    PaidValue,
    ProviderCall,
    ProviderState,
    Trail,
)

log = structlog.get_logger("firmograph.waterfall")

POSTPONE_SECONDS = 60.0
"""Delay of the asks of an account whose plan is not in the plans file."""

_encode = msgspec.json.encode
_decode_trail = msgspec.json.Decoder(Trail).decode


class AskTask(NamedTuple):
    """Ask of one provider, under the claim of a worker."""

    claim: Claim[int]
    ask: Ask
    contact: AskedContact
    provider: Provider
    starts_at: float
    """When it may begin, as the provider's rate allows."""


class _Read(NamedTuple):
    """What a transaction has read of the asks that it claimed."""

    contacts: Mapping[int, AskedContact]
    enabled: Mapping[int, Sequence[EnabledProvider]]
    plans: Mapping[int, Plan | None]
    known: Mapping[tuple[int, int], Known]
    """By contact and data point."""
    paid: Collection[tuple[int, int, str]]
    """Paid data points, as (account, contact, data point)."""

    def is_settled(self, ask: Ask) -> bool:
        """Return whether own data came, or the data point was paid, since the call."""
        data_point = DATA_POINTS[ask.data_point]
        paid = (ask.account_id, ask.contact_id, data_point) in self.paid
        return paid or data_point in self.contacts[ask.contact_id].has


def known_by_data_point(
    missed: Iterable[tuple[int, int, str]], found: Iterable[PaidValue]
) -> Mapping[tuple[int, int], Known]:
    """Return what is known of data points, by numbers of contact and data point; a provider's newest value counts."""
    known: dict[tuple[int, int], Known] = defaultdict(lambda: Known(set(), {}))
    for contact_id, data_point, name in missed:
        known[contact_id, data_point].missed.add(name)
    for one in sorted(found, key=lambda one: one.found_at):
        known[one.contact_id, one.data_point].found[one.provider] = one
    return known


class AskClaimer:
    """Claimer of asks for one worker."""

    def __init__(
        self, database: Database, plans: Plans, providers: Providers, units: PaidUnits, keys: ValueKeys
    ) -> None:
        self._database = database
        self._plans = plans
        self._providers = providers
        self._paid_units = units
        self._keys = keys

    def claim(self, limit: int, now: float) -> list[AskTask]:
        """Claim at most `limit` asks, and end those for which nothing is to be asked. Raises Busy and Unavailable."""
        with self._database.look() as session:
            found = ask_store.find_claimable(session, limit, now)
        if not found:
            return []
        accounts = {account: plan for _, account, plan in found}
        with self._database.write(*map(account_scope, accounts)) as session:
            numbers = [number for number, _, _ in found]
            claims = ask_store.leases.claim_among(session, numbers, len(numbers), now)
            asks = ask_store.select_claimed(session, claims)
            read = self._read(
                session, asks, {name: self._plans.find(plan) for name, plan in accounts.items()}, now
            )
            by_ask = {claim.key: claim for claim in claims}
            return _Turn(self._providers, self._keys, session, read, by_ask, now).run(asks)

    def _read(
        self, session: Session, asks: Sequence[Ask], plans: Mapping[int, Plan | None], now: float
    ) -> _Read:
        contacts = sorted({ask.contact_id for ask in asks})
        profiles = directory.contact_profiles(session, contacts)
        paid: set[tuple[int, int, str]] = set()
        for account in sorted({ask.account_id for ask in asks}):
            own = AccountSession(session, account)
            asked = sorted({ask.contact_id for ask in asks if ask.account_id == account})
            of_account = self._paid_units.paid(own, Entity.CONTACT, asked, now)
            paid.update((account, number, unit) for number, unit in of_account)
        return _Read(
            {number: read_contact(profile) for number, profile in profiles.items()},
            provider_store.select_enabled_of_accounts(session, {ask.account_id for ask in asks}),
            plans,
            known_by_data_point(
                value_store.select_misses(session, contacts, now - MISS_SECONDS),
                value_store.select_found(session, contacts, now - VALUE_SECONDS),
            ),
            paid,
        )


class _Turn:
    """Decisions on the asks that one transaction has claimed."""

    def __init__(
        self,
        providers: Providers,
        keys: ValueKeys,
        session: Session,
        read: _Read,
        claims: Mapping[int, Claim[int]],
        now: float,
    ) -> None:
        self._providers = providers
        self._keys = keys
        self._session = session
        self._read = read
        self._claims = claims
        self._now = now
        self._states: dict[str, ProviderState] = {}
        self._changes: list[AskChange] = []
        self._released: list[Ask] = []
        self._tasks: list[AskTask] = []
        self._renewed: set[int] = set()
        self._starts: dict[int, float] = {}

    def run(self, asks: Sequence[Ask]) -> list[AskTask]:
        """Decide on the asks, store what was decided, and return what is to be asked."""
        self._states = self._take_states()
        waiting = [ask for ask in asks if not self._settle(ask)]
        while waiting:
            # an ask whose price is not covered comes back for the next provider
            waiting = self._hold([each for ask in waiting if (each := self._choose(ask)) is not None])
        money.settle(self._session, [], self._released, self._now)
        ask_store.change_asks(self._session, self._changes)
        recipients = {(task.ask.contact_id, task.ask.provider) for task in self._tasks}
        value_store.put_recipients(
            self._session, [AskedProvider(*each, self._now, self._now) for each in recipients]
        )
        limited = {task.ask.provider for task in self._tasks if task.provider.rate_per_second}
        provider_store.put_states(self._session, {name: self._states[name] for name in limited})
        return self._tasks

    def _take_states(self) -> dict[str, ProviderState]:
        """Return the states of the providers; those of a limited rate are locked, as this turn takes slots of them."""
        names = {one.name for enabled in self._read.enabled.values() for one in enabled}
        providers = {name: provider for name in names if (provider := self._providers.get(name)) is not None}
        limited = {name for name, provider in providers.items() if provider.rate_per_second}
        states = provider_store.select_states(self._session, names - limited)
        return states | (provider_store.lock_states(self._session, limited) if limited else {})

    def _settle(self, ask: Ask) -> bool:
        """End, postpone or resume an ask whose next provider needs no choice; return whether that was so."""
        if self._read.plans[ask.account_id] is None:
            log.warning("asks of an account are postponed", account=ask.account_id, missing="plan")
            self._changes.append(AskChange(ask, self._now + POSTPONE_SECONDS, 0.0))
        elif ask.contact_id not in self._read.contacts:
            self._end(ask, AskState.NOT_FOUND)
        elif self._read.is_settled(ask):
            self._end(ask, AskState.OWN)
        elif ask.created_at + JOB_SECONDS <= self._now:
            self._end(ask, AskState.HALTED)
        elif ask.provider and (provider := self._providers.get(ask.provider)) is not None:
            # its worker was lost: the same provider is asked again, under the same hold
            self._take_slot(ask, provider)
            self._ask(ask, provider)
        else:
            return False
        return True

    def _choose(self, ask: Ask) -> tuple[Ask, Next] | None:
        """Return an ask with the hold that its next provider needs; None if it ends or waits."""
        ask = self._without_hold(ask)
        contact, data_point = self._read.contacts[ask.contact_id], DATA_POINTS[ask.data_point]
        plan, enabled = self._read.plans[ask.account_id], self._read.enabled[ask.account_id]
        assert plan is not None
        candidates = find_candidates(enabled, self._providers, plan, contact, data_point)
        known = self._read.known[ask.contact_id, ask.data_point]
        trail = _decode_trail(ask.trail)
        while True:
            choice = choose(candidates, trail, known, self._states, self._now)
            if isinstance(choice, AskState):
                self._end(ask, choice)
                return None
            if isinstance(choice, Postponed):
                self._changes.append(AskChange(ask._replace(trail=_encode(trail)), choice.at, 0.0))
                return None
            candidate = choice.candidate
            held = ask._replace(
                provider=candidate.name, held=candidate.credits, held_at=self._now, trail=_encode(trail)
            )
            own = AccountSession(self._session, ask.account_id)
            if money.count_towards_caps(own, held, candidate.enabled):
                if choice.reused is None:
                    self._take_slot(held, candidate.provider)
                return held, choice
            trail.unpaid.append(candidate.name)

    def _without_hold(self, ask: Ask) -> Ask:
        """Release what an ask holds for a provider that is in the file no longer."""
        if ask.held:
            self._released.append(ask)
        return ask._replace(provider="", held=0)

    def _hold(self, chosen: Sequence[tuple[Ask, Next]]) -> list[Ask]:
        """Hold the prices, and take up what is covered; return the asks that are not."""
        covered = self._place(chosen)
        unpaid = []
        for ask, choice in chosen:
            if ask.id not in covered:
                money.give_back_caps(AccountSession(self._session, ask.account_id), ask)
                trail = _decode_trail(ask.trail)
                trail.unpaid.append(ask.provider)
                unpaid.append(ask._replace(provider="", held=0, trail=_encode(trail)))
            elif choice.reused is not None:
                self._reuse(ask, choice.reused)
            else:
                self._ask(ask, choice.candidate.provider)
        return unpaid

    def _place(self, chosen: Sequence[tuple[Ask, Next]]) -> set[int]:
        """Place holds and return the asks that the credits cover; monthly credits that are due are paid first."""
        covered: set[int] = set()
        rest = [ask for ask, _ in chosen]
        while rest:
            by_account: dict[int, list[Ask]] = defaultdict(list)
            for ask in rest:
                by_account[ask.account_id].append(ask)
            requested = {
                account: [money.hold_of(ask) for ask in asks] for account, asks in by_account.items()
            }
            placed = holds.place_holds_of_accounts(self._session, requested, self._now)
            for account, asks in by_account.items():
                covered |= {ask.id for ask, enough in zip(asks, placed[account], strict=True) if enough}
            rest = [ask for ask in rest if ask.id not in covered and self._renew(ask.account_id)]
        return covered

    def _renew(self, account: int) -> bool:
        """Pay monthly credits that are due, once; return whether any were."""
        plan = self._read.plans[account]
        if account in self._renewed or plan is None:
            return False
        self._renewed.add(account)
        return ledger.renew(AccountSession(self._session, account), plan, self._now)

    def _take_slot(self, ask: Ask, provider: Provider) -> None:
        state = self._states.get(ask.provider, ProviderState())
        self._states[ask.provider], self._starts[ask.id] = take_slot(state, provider, self._now)

    def _ask(self, ask: Ask, provider: Provider) -> None:
        ask = ask._replace(has_begun=1)
        # the claim stays, as it is
        lease_until = self._now + ask_store.leases.seconds
        self._changes.append(AskChange(ask, self._now, lease_until))
        contact = self._read.contacts[ask.contact_id]
        self._tasks.append(AskTask(self._claims[ask.id], ask, contact, provider, self._starts[ask.id]))

    def _reuse(self, ask: Ask, value: PaidValue) -> None:
        ask = ask._replace(has_begun=1)
        pay(self._session, self._keys, ask, value.contents, value.found_at, self._now)
        call = ProviderCall(ask.account_id, ask.provider, ask.data_point, "reused", 1, 0, ask.held, self._now)
        value_store.add_calls(self._session, [call])
        self._changes.append(end(ask, AskState.MATCHED, self._now))

    def _end(self, ask: Ask, state: AskState) -> None:
        if ask.held:
            self._released.append(ask)
        self._changes.append(end(ask._replace(provider="", held=0), state, self._now))


def pay(session: Session, keys: ValueKeys, ask: Ask, contents: bytes, found_at: float, now: float) -> None:
    """Capture the hold of an ask for values, and store them for the account."""
    own = AccountSession(session, ask.account_id)
    money.settle(session, [ask], [], now)
    if not ask.held:
        paid_units.record_paid(own, [ask.unit], ask.token, now)
    value = PaidValue(ask.contact_id, ask.data_point, ask.provider, contents, found_at, now, ask.held)
    value_store.put_value(own, value, keys.of_contents(ask.data_point, contents))
