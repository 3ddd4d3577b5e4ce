"""Accounts on a real database, with a fixed clock."""

from pathlib import Path

import pytest

import database_fixtures
from firmograph.accounts.authentication import ApiKeyAuthenticator
from firmograph.accounts.service import Accounts
from firmograph.billing import ledger_store
from firmograph.billing.charged_call import ChargedCalls
from firmograph.billing.idempotency import Idempotency
from firmograph.billing.paid_units import PaidUnits
from firmograph.billing.plans import Plans
from firmograph.billing.types import Balance, LedgerEntry
from firmograph.bootstrap.packages import load_plans
from firmograph.caller import NOBODY, ApiKeyCaller, Spender
from firmograph.database.connection import ACCOUNTS, AccountSession, Database
from firmograph.kit.clock import SetClock
from firmograph.rate_limits.local import LocalRateLimiter

PLANS = load_plans()


class World:
    """All billing and account services over one database; `reopen` gives what a new process sees."""

    def __init__(self, folder: Path, *, repeat_reveal_days: int = 0, plans: Plans = PLANS) -> None:
        self.url = database_fixtures.fresh(folder, "accounts")
        self.clock = SetClock()
        self.plans = plans
        self._days = repeat_reveal_days
        self._open()

    def _open(self) -> None:
        self.database = Database(self.url)
        self.accounts = Accounts(self.database, self.plans, self.clock)
        self.purchases = PaidUnits(self.clock, self._days)
        self.idempotency = Idempotency(self.clock)
        self.charged_calls = ChargedCalls(self.database, self.idempotency, self.purchases)
        self.limits = LocalRateLimiter(self.clock)
        self.gate = ApiKeyAuthenticator(self.database, self.plans, self.limits, self.clock)

    def reopen(self) -> None:
        self.database.close()
        self._open()

    def end(self) -> None:
        self.database.close()
        database_fixtures.drop(self.url)

    def caller(
        self,
        name: str = "Acme",
        *,
        plan: str = "unlimited",
        credits: int = 0,
        spender: Spender = NOBODY,
    ) -> ApiKeyCaller:
        """Return a new account with credits, as a caller."""
        account = self.accounts.create(name, plan, credits)
        return ApiKeyCaller(account.id, self.plans.named(plan), "names", spender)

    def buy(self, caller: ApiKeyCaller, units, request_id: str = "request"):
        with self.database.write(ACCOUNTS) as session:
            return self.purchases.pay(
                AccountSession(session, caller.account_id),
                caller.plan,
                request_id,
                units,
                self.clock.seconds(),
                spender=caller.spender,
            )

    def entries(self, account_id: int) -> list[LedgerEntry]:
        with self.database.read() as session:
            return [entry for _, entry in ledger_store.select_entries(AccountSession(session, account_id))]

    def balance(self, account_id: int) -> Balance:
        with self.database.read() as session:
            return ledger_store.select_balance(AccountSession(session, account_id))


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path)
    yield world
    world.end()
