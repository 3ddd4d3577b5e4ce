"""Forecast of the deliveries and credits that signals would cause."""

from collections import Counter, defaultdict
from collections.abc import Iterator

import msgspec

from firmograph.accounts.lookup import find_account
from firmograph.database.connection import AccountSession, Session
from firmograph.security.record_ids import Entity
from firmograph.signals import paid_store
from firmograph.signals import store as signal_store
from firmograph.signals.service import PRICE_KEYS
from firmograph.signals.types import Signal
from firmograph.webhooks.deliveries.claim import DeliveryPrices
from firmograph.webhooks.deliveries.fan_out import FanOut
from firmograph.webhooks.deliveries.matching import Match

_PAGE = 1000


class AccountForecast(msgspec.Struct, rename="camel"):
    """Deliveries and credits of one account."""

    account: str
    """Account name."""
    deliveries: int
    credits: int
    remaining: int
    missing: int
    """Credits beyond the remaining ones; deliveries worth as much are withheld until more are granted."""


class Forecast(msgspec.Struct, rename="camel"):
    """Deliveries and credits of all accounts."""

    signals: dict[str, int]
    """Number of signals by type, including those without deliveries."""
    deliveries: int
    credits: int
    accounts: list[AccountForecast]
    """Accounts with deliveries, by name."""


class Forecaster:
    """Calculator of the deliveries and credits of signals."""

    def __init__(self, fan_out: FanOut, prices: DeliveryPrices) -> None:
        self._fan_out = fan_out
        self._prices = prices

    def since(self, session: Session, signal: int) -> Forecast:
        """Forecast all signals after this one, regardless of what is already queued. Reads only."""
        types: Counter[str] = Counter()
        deliveries: Counter[int] = Counter()
        credits: Counter[int] = Counter()
        for signals in _pages(session, signal):
            types.update(one.type for one in signals)
            matches = self._fan_out.matches(session, signals)
            deliveries.update(one.watcher.account_id for one in matches)
            for account, cost in self._costs(session, matches):
                credits[account] += cost
        accounts = [_account(session, id, deliveries[id], credits[id]) for id in deliveries]
        return Forecast(
            signals=dict(sorted(types.items())),
            deliveries=deliveries.total(),
            credits=credits.total(),
            accounts=sorted(accounts, key=lambda one: one.account),
        )

    def _costs(self, session: Session, matches: list[Match]) -> Iterator[tuple[int, int]]:
        """Yield (account, credits) of each delivery; events the account has paid for are free."""
        of_accounts: dict[int, list[Match]] = defaultdict(list)
        for one in matches:
            of_accounts[one.watcher.account_id].append(one)
        for account, owned in of_accounts.items():
            paid = paid_store.paid_at(AccountSession(session, account), {one.signal.id for one in owned})
            for watcher, signal in owned:
                if signal.identity not in paid:
                    key = PRICE_KEYS[Entity(signal.entity)]
                    yield account, self._prices.plans.named(watcher.plan).price(key).total(1)


def _pages(session: Session, signal: int) -> Iterator[list[Signal]]:
    while signals := signal_store.signals_after(session, signal, _PAGE):
        yield signals
        signal = signals[-1].id


def _account(session: Session, id: int, deliveries: int, credits: int) -> AccountForecast:
    account = find_account(session, str(id))
    missing = max(0, credits - account.remaining)
    return AccountForecast(account.name, deliveries, credits, account.remaining, missing)
