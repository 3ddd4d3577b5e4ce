"""Histories of monthly credits on two servers that are cut off between statements, compared with a model."""

from calendar import monthrange
from collections import Counter
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import count

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from test_credit_histories import check_histories

from firmograph.accounts.service import Accounts
from firmograph.accounts.worker_wiring import renewal_job
from firmograph.billing import holds, ledger
from firmograph.billing.holds import Hold, Settlement
from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.kit.errors import PaymentRequired, Refused

DAY = 86_400
MONTH = 100
SIGNS = {"grant": 1, "renewal": 1, "release": 1, "capture": 0}
serials = count(1)
servers = st.sampled_from([0, 1])
cuts = st.sampled_from([None, None, *range(1, 12)])
"""Number of the statement after which a process ends; most transactions take fewer than the highest."""


class Cut(BaseException):
    """A simulated end of the process, as far as the transaction can tell."""


@contextmanager
def cut_off(database: Database, after: int | None):
    """Raise Cut in place of this thread's statement of that number; yield an object that says whether it came."""
    session, left = database.session(), after
    run, run_many, ended = session.run, session.run_many, []

    def counted(real):
        def statement(*given):
            nonlocal left
            if left is not None:
                left -= 1
                if left < 0:
                    ended.append(True)
                    raise Cut
            return real(*given)

        return statement

    session.run, session.run_many = counted(run), counted(run_many)
    try:
        yield ended
    except Cut:
        pass
    finally:
        del session.run, session.run_many


@dataclass
class Model:
    """Account in plain Python, whose months are found day by day."""

    plan: str
    at: float
    active: bool = True
    total: int = 0
    used: int = 0
    held: int = 0
    month: int | None = None
    """Credits of the current month; None where the plan has none."""
    spent: int = 0
    """Credits charged or captured in the current month."""
    day: int = 0
    checked: float = 0.0
    """Time up to which months have been paid."""
    paid: list[float] = field(default_factory=list)

    def __post_init__(self):
        self.begin(self.at)

    @property
    def remaining(self):
        return self.total - self.used - self.held

    def begin(self, at):
        if self.plan in ("expiring", "staying"):
            self.day, self.checked = datetime.fromtimestamp(at, UTC).day, at
            self.pay(at)

    def pay(self, at):
        self.total += MONTH
        self.month, self.spent = MONTH, 0
        self.paid.append(at)

    def expire(self):
        if self.plan == "expiring" and self.month is not None:
            unused = max(0, min(self.month - self.spent - self.held, self.remaining))
            self.total -= unused
        self.month = None

    def settle(self, now):
        starts = [] if self.month is None else list(self.starts(now))
        if not starts:
            return
        self.expire()
        self.checked, self.month, self.spent = now, 0, 0
        if self.active:
            for start in starts if self.plan == "staying" else starts[-1:]:
                self.pay(start)

    def starts(self, now):
        day = datetime.fromtimestamp(self.checked, UTC).date() + timedelta(1)
        while (start := datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) <= now:
            if day.day == min(self.day, last_day(day)):
                yield start
            day += timedelta(1)

    def spend(self, credits):
        self.used += credits
        self.spent += credits


def last_day(day: date) -> int:
    return monthrange(day.year, day.month)[1]


class MonthlyCredits(RuleBasedStateMachine):
    """History of a new account, changed by two servers over one database."""

    def __init__(self, world) -> None:
        super().__init__()
        self.world = world
        self.other = Database(world.url)
        self.servers = [(world.database, world.accounts), (self.other, self._accounts(self.other))]
        self.serial = next(serials)
        self.requests = count(1)
        self.open: list[Hold] = []

    def _accounts(self, database):
        return Accounts(database, self.world.plans, self.world.clock)

    def teardown(self):
        if hasattr(self, "account"):
            self.world.accounts.set_active(self.account, False)
        self.other.close()

    @initialize(plan=st.sampled_from(["expiring", "staying", "free"]))
    def account_exists(self, plan):
        self.account = str(self.world.accounts.create(f"Account {self.serial}", plan).id)
        self.model = Model(plan, self.now)

    @property
    def now(self):
        return self.world.clock.seconds()

    def change(self, server, cut, real, model):
        """Run a change on a server and, unless it was cut off or refused, on the model."""
        database, accounts = self.servers[server]
        with cut_off(database, cut) as ended:
            try:
                real(database, accounts)
            except (Refused, PaymentRequired):
                return False
        if ended:
            return False
        model()
        return True

    @rule(days=st.sampled_from([0.1, 1, 13, 27, 31, 45, 100]))
    def time_passes(self, days):
        self.world.clock.advance(days * DAY)

    @rule(server=servers, cut=cuts, credits=st.integers(1, 120))
    def credits_are_granted(self, server, cut, credits):
        def model():
            self.model.total += credits

        self.change(server, cut, lambda _, accounts: accounts.grant(self.account, credits), model)

    @rule(server=servers, cut=cuts, credits=st.integers(1, 150))
    def a_call_is_charged(self, server, cut, credits):
        def real(database, _):
            with database.write(account_scope(int(self.account))) as session:
                plan = self.world.plans.named(self.model.plan)
                own = AccountSession(session, int(self.account))
                ledger.charge(own, plan, {"revealEmail": credits}, f"r{next(self.requests)}", self.now)

        def model():
            if self.model.remaining < credits:
                self.model.settle(self.now)
            assert self.model.remaining >= credits
            self.model.spend(credits)

        if self.model.active and not self.change(server, cut, real, model) and cut is None:
            self.check_refusal(credits)

    def check_refusal(self, credits):
        """Check that a call was refused for lack of credits, those of a month that is due included."""
        after = deepcopy(self.model)
        after.settle(self.now)
        assert after.remaining < credits

    @rule(server=servers, cut=cuts, credits=st.integers(1, 60))
    def credits_are_held(self, server, cut, credits):
        hold = Hold(f"h{next(self.requests)}", "revealEmail", credits)

        def real(database, _):
            with database.write(account_scope(int(self.account))) as session:
                covered = holds.place_holds(AccountSession(session, int(self.account)), [hold], self.now)
                assert covered == [credits <= self.model.remaining]

        def model():
            if credits <= self.model.remaining:
                self.model.held += credits
                self.open.append(hold)

        self.change(server, cut, real, model)

    @precondition(lambda self: self.open)
    @rule(server=servers, cut=cuts, captured=st.integers(0, 60))
    def a_hold_is_settled(self, server, cut, captured):
        hold = self.open[0]
        captured = min(captured, hold.credits)

        def real(database, _):
            with database.write(account_scope(int(self.account))) as session:
                own = AccountSession(session, int(self.account))
                holds.settle_holds(own, [Settlement(hold, captured)], self.now)

        def model():
            self.model.held -= hold.credits
            self.model.spend(captured)
            self.open.pop(0)

        self.change(server, cut, real, model)

    @rule(server=servers, cut=cuts, plan=st.sampled_from(["expiring", "staying", "free"]))
    def the_plan_changes(self, server, cut, plan):
        def model():
            if plan != self.model.plan:
                self.model.settle(self.now)
                self.model.expire()
                self.model.plan = plan
                self.model.begin(self.now)

        self.change(server, cut, lambda _, accounts: accounts.set_plan(self.account, plan), model)

    @rule(server=servers, cut=cuts, active=st.booleans())
    def the_account_is_switched(self, server, cut, active):
        def model():
            self.model.settle(self.now)
            self.model.active = active

        self.change(server, cut, lambda _, accounts: accounts.set_active(self.account, active), model)

    @rule(cut=cuts)
    def both_schedulers_run_at_once(self, cut):
        """Let both find what is due before either pays it; the first may be cut off."""
        now = self.now
        parts = [
            renewal_job(self.world.plans).next_part(database.session(), now) for database, _ in self.servers
        ]
        for part, (database, _), after in zip(parts, self.servers, (cut, None), strict=True):
            with cut_off(database, after), database.write(*part.scopes) as session:
                part.do(session, now)
        if self.model.active:
            self.model.settle(now)

    @invariant()
    def balance_ledger_and_months_are_those_of_the_model(self):
        if not hasattr(self, "model"):
            return
        model, account = self.model, int(self.account)
        assert self.world.balance(account) == (model.total, model.used, model.held)
        entries = self.world.entries(account)
        running = 0
        for entry in entries:
            running += SIGNS.get(entry.kind, -1) * entry.credits
            assert entry.balance == running >= 0
        assert running == model.remaining
        renewals = [entry for entry in entries if entry.kind == "renewal"]
        assert [entry.at for entry in renewals] == model.paid
        assert set(Counter(entry.request_id for entry in renewals).values()) <= {1}


def test_no_month_is_paid_twice_and_the_balance_is_that_of_a_model_after_every_event(monthly):
    check_histories(lambda: MonthlyCredits(monthly))
