"""What signals would cause if they were told now: deliveries, and what these would cost (decisions G, What fires)."""

from collections import Counter, defaultdict
from collections.abc import Iterator

import msgspec

from firmograph.accounts import store as account_store
from firmograph.database.connection import Session
from firmograph.security.record_ids import Entity
from firmograph.signals import paid_store
from firmograph.signals import store as signal_store
from firmograph.signals.service import PRICE_KEYS
from firmograph.signals.store import Signal
from firmograph.webhooks.deliveries.claim import Prices
from firmograph.webhooks.deliveries.fan_out import FanOut
from firmograph.webhooks.deliveries.matching import Told

_PAGE = 1000


class AccountForecast(msgspec.Struct, rename="camel"):
    account: str
    """Its name."""
    deliveries: int
    credits: int
    remaining: int
    missing: int
    """Credits that it would need beyond those; so many are withheld until more are granted."""


class Forecast(msgspec.Struct, rename="camel"):
    signals: dict[str, int]
    """How many of each type, those of which no webhook tells included."""
    deliveries: int
    credits: int
    accounts: list[AccountForecast]
    """Those that something would be delivered to, by name."""


class Forecaster:
    def __init__(self, fan_out: FanOut, prices: Prices) -> None:
        self._fan_out = fan_out
        self._prices = prices

    def since(self, session: Session, signal: int) -> Forecast:
        """Of all signals after this one, beside nothing else that waits. Reads only."""
        types: Counter[str] = Counter()
        deliveries: Counter[int] = Counter()
        credits: Counter[int] = Counter()
        for signals in _pages(session, signal):
            types.update(one.type for one in signals)
            told = self._fan_out.told(session, signals)
            deliveries.update(one.watcher.account_id for one in told)
            for account, cost in self._costs(session, told):
                credits[account] += cost
        accounts = [_account(session, id, deliveries[id], credits[id]) for id in deliveries]
        return Forecast(
            signals=dict(sorted(types.items())),
            deliveries=deliveries.total(),
            credits=credits.total(),
            accounts=sorted(accounts, key=lambda one: one.account),
        )

    def _costs(self, session: Session, told: list[Told]) -> Iterator[tuple[int, int]]:
        """What the deliveries cost each account; those of events that it has paid for cost nothing."""
        of_accounts: dict[int, list[Told]] = defaultdict(list)
        for one in told:
            of_accounts[one.watcher.account_id].append(one)
        for account, some in of_accounts.items():
            paid = paid_store.paid_at(session, account, [one.signal.identity for one in some])
            for watcher, signal in some:
                if signal.identity not in paid:
                    key = PRICE_KEYS[Entity(signal.entity)]
                    yield account, self._prices.plans.named(watcher.plan).price(key).of(1)


def _pages(session: Session, signal: int) -> Iterator[list[Signal]]:
    while signals := signal_store.after(session, signal, _PAGE):
        yield signals
        signal = signals[-1].id


def _account(session: Session, id: int, deliveries: int, credits: int) -> AccountForecast:
    account = account_store.account_of_id(session, id)
    assert account is not None
    missing = max(0, credits - account.remaining)
    return AccountForecast(account.name, deliveries, credits, account.remaining, missing)
