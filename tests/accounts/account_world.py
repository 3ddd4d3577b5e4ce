"""Accounts on a real database file, with a clock that stands still."""

import shutil
import tempfile
from functools import cache
from pathlib import Path

from firmograph.accounts import ledger_store
from firmograph.accounts.callers import Caller
from firmograph.accounts.gate import Gate
from firmograph.accounts.idempotency import Idempotency
from firmograph.accounts.local_limits import LocalLimits
from firmograph.accounts.plans import load_plans
from firmograph.accounts.purchases import Purchases
from firmograph.accounts.service import Accounts
from firmograph.kit.clock import SetClock
from firmograph.kit.database import ACCOUNTS, Database
from firmograph.schema import prepare

PLANS = load_plans()


@cache
def _empty_file() -> bytes:
    """The bytes of an empty database: migrating once is enough."""
    folder = Path(tempfile.mkdtemp())
    database = Database(f"sqlite:///{folder / 'empty.db'}")
    prepare(database)
    database.session().raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    content = (folder / "empty.db").read_bytes()
    shutil.rmtree(folder)
    return content


class World:
    """Everything of the room over one file; `reopen` is what a new process sees."""

    def __init__(self, folder: Path, *, repeat_reveal_days: int = 0) -> None:
        self.path = folder / "accounts.db"
        self.path.write_bytes(_empty_file())
        self.clock = SetClock()
        self.plans = PLANS
        self._days = repeat_reveal_days
        self._open()

    def _open(self) -> None:
        self.database = Database(f"sqlite:///{self.path}")
        self.accounts = Accounts(self.database, self.plans, self.clock)
        self.purchases = Purchases(self.clock, self._days)
        self.idempotency = Idempotency(self.clock)
        self.limits = LocalLimits(self.clock)
        self.gate = Gate(self.database, self.plans, self.limits)

    def reopen(self) -> None:
        self.database.close()
        self._open()

    def caller(self, name: str = "Acme", *, plan: str = "unlimited", credits: int = 0) -> Caller:
        """A new account with credits, as a caller."""
        account = self.accounts.create(name, plan, credits)
        return Caller(account.id, self.plans.named(plan), "names")

    def buy(self, caller: Caller, units, request_id: str = "request"):
        with self.database.write(ACCOUNTS) as session:
            return self.purchases.buy(session, caller, request_id, units, self.clock.seconds())

    def entries(self, account_id: int) -> list[ledger_store.Entry]:
        with self.database.read() as session:
            return [entry for _, entry in ledger_store.entries_of(session, account_id)]

    def balance(self, account_id: int) -> ledger_store.Balance:
        with self.database.read() as session:
            return ledger_store.balance_of(session, account_id)
