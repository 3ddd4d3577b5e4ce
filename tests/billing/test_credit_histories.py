"""Histories of grants, charged calls, replays, refusals and crashes, compared with a model in plain Python."""

from collections import defaultdict
from itertools import count

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from account_fixtures import World
from effort import examples
from firmograph.accounts.usage_report import Month, UsageReports
from firmograph.billing.idempotency import CachedResponse, Memo
from firmograph.caller import CallKey, Request, Spender
from firmograph.database.connection import ACCOUNTS, AccountSession
from firmograph.kit.clock import day_number
from firmograph.kit.errors import Conflict, DailyCapReached, PaymentRequired
from firmograph.security.record_ids import Entity

PATH = "/v3/contacts/enrich"
DAY = 86_400
DAYS = 30
CAP = 8
COSTS = {"emails": 1, "phones": 5, "company": 1, "intent": 1, "directParent": 1}

contact_units = st.tuples(
    st.just(int(Entity.CONTACT)), st.integers(1, 4), st.sampled_from(["emails", "phones"])
)
company_units = st.tuples(
    st.just(int(Entity.COMPANY)), st.integers(1, 3), st.sampled_from(["company", "intent", "directParent"])
)
bodies = st.frozensets(contact_units | company_units, max_size=6)
_ALL_TIME = Month(0, 100_000)
names = st.sampled_from(["First", "Second"])
keys = st.none() | st.sampled_from(["one", "two"])
crashes = st.sampled_from([None, None, None, "before buying", "after buying", "after keeping"])
serials = count(1)


class Crash(BaseException):
    """A simulated end of the process, as far as the transaction can tell."""


class Numbers(Memo, frozen=True):
    """Numbers of the units of an answer."""

    numbers: list[int]


class Credits(RuleBasedStateMachine):
    """History of two new accounts of a world."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.calls = 0
        self.granted: dict[int, int] = defaultdict(int)
        self.used: dict[int, int] = defaultdict(int)
        self.paid: dict[int, dict] = defaultdict(dict)
        self.cached: dict[tuple, tuple] = {}
        self.billed: dict[str, int] = {}
        self.spent: dict[tuple[int, int], int] = defaultdict(int)
        """Credits by account and day of those callers whose key has a cap."""

    @initialize()
    def two_accounts(self):
        serial = next(serials)
        spenders = {"First": Spender("fg_first"), "Second": Spender("fg_second", CAP)}
        self.callers = {
            name: self.world.caller(f"{name} {serial}", spender=spender) for name, spender in spenders.items()
        }

    @rule(name=names, credits=st.integers(1, 25))
    def grant(self, name, credits):
        self.world.accounts.grant(str(self.callers[name].account_id), credits)
        self.granted[self.callers[name].account_id] += credits

    @rule(days=st.sampled_from([0.25, 1, DAYS - 1, DAYS]))
    def time_passes(self, days):
        self.world.clock.advance(days * DAY)

    @rule()
    def the_process_restarts(self):
        self.world.reopen()

    @rule(name=names, units=bodies, key=keys, crash=crashes)
    def call(self, name, units, key, crash):
        """Make one charging call as an endpoint does, and the same on the model."""
        account = self.callers[name].account_id
        self.calls += 1
        request_id = f"request {self.calls}"
        body = repr(sorted(units)).encode()
        now = self.world.clock.seconds()
        replay = self.cached.get((account, key)) if key else None
        if replay and replay[2] <= now:
            replay = None
        new = {unit for unit in units if self.paid[account].get(unit, -1e18) <= now - DAYS * DAY}
        cost = sum(COSTS[unit[2]] for unit in new)
        short = cost > self.granted[account] - self.used[account]
        day = (account, day_number(now))
        is_capped = name == "Second" and cost + self.spent[day] > CAP

        try:
            outcome = self.answer(self.callers[name], request_id, units, key, body, crash)
        except DailyCapReached:
            assert is_capped
            assert not replay
            return
        except PaymentRequired:
            assert short
            assert not is_capped
            assert not replay
            return
        except Conflict:
            assert replay
            assert replay[0] != body
            return
        except Crash:
            assert not replay
            return
        if replay:
            assert outcome == replay[1]
            return
        assert not short
        assert not is_capped
        self.spent[day] += cost
        assert (outcome.request_id, outcome.credits) == (request_id, cost)
        self.used[account] += cost
        self.paid[account].update(dict.fromkeys(new, now))
        self.billed[request_id] = cost
        if key:
            self.cached[account, key] = (body, outcome, now + DAY)

    def answer(self, caller, request_id, units, key, body, crash):
        world = self.world
        request = Request(request_id, caller, 0.0, CallKey(PATH, key, body) if key else None)
        with world.database.write(ACCOUNTS) as session:
            if cached := world.idempotency.find(session, request, Numbers):
                return cached
            if crash == "before buying":
                raise Crash
            bought = world.purchases.pay(
                AccountSession(session, caller.account_id),
                caller.plan,
                request_id,
                units,
                world.clock.seconds(),
                spender=caller.spender,
            )
            if crash == "after buying":
                raise Crash
            outcome = CachedResponse(request_id, bought.credits, Numbers([unit[1] for unit in sorted(units)]))
            world.idempotency.keep(session, request, outcome)
            if crash == "after keeping":
                raise Crash
            return outcome

    @invariant()
    def balances_are_those_of_the_model_and_of_the_ledger(self):
        for caller in getattr(self, "callers", {}).values():
            account = caller.account_id
            balance = self.world.balance(account)
            assert balance == (self.granted[account], self.used[account], 0)
            assert 0 <= balance.used <= balance.granted
            running = 0
            for entry in self.world.entries(account):
                assert entry.credits >= 0
                running += entry.credits if entry.kind == "grant" else -entry.credits
                assert entry.balance == running >= 0
            assert running == balance.remaining

    @invariant()
    def no_cap_is_passed_and_every_charge_knows_its_key(self):
        for caller in getattr(self, "callers", {}).values():
            spent: dict[int, int] = defaultdict(int)
            for entry in self.world.entries(caller.account_id):
                if entry.kind == "charge":
                    assert entry.actor == caller.spender.actor
                    spent[day_number(entry.at)] += entry.credits
            assert all(credits <= CAP for credits in spent.values()) or caller.spender.daily_credits is None

    @invariant()
    def the_bill_of_every_answer_is_the_sum_of_its_ledger_rows(self):
        charged: dict[str, int] = defaultdict(int)
        for caller in getattr(self, "callers", {}).values():
            for entry in self.world.entries(caller.account_id):
                if entry.kind == "charge":
                    charged[entry.request_id] += entry.credits
        assert charged == {request: cost for request, cost in self.billed.items() if cost}

    def teardown(self):
        """Compare the reports of all time with the model, which the ledger equals."""
        reports = UsageReports(self.world.database)
        for caller in getattr(self, "callers", {}).values():
            number, used = caller.account_id, self.used[caller.account_id]
            rows = reports.report(_ALL_TIME, "key", str(number))
            assert [(row.group, row.credits) for row in rows] == (
                [(caller.spender.actor, used)] if used else []
            )
            by_day = reports.report(_ALL_TIME, "day", str(number))
            spent = {row.group: row.credits for row in by_day}
            assert sum(spent.values()) == used
            if caller.spender.daily_credits is not None:
                assert all(credits <= CAP for credits in spent.values())

    @invariant()
    def exactly_the_paid_units_are_paid(self):
        now = self.world.clock.seconds()
        for caller in getattr(self, "callers", {}).values():
            with self.world.database.read() as session:
                found = {
                    (int(entity), *unit)
                    for entity in Entity
                    for unit in self.world.purchases.paid(
                        AccountSession(session, caller.account_id), entity, range(6)
                    )
                }
            expected = {unit for unit, at in self.paid[caller.account_id].items() if at > now - DAYS * DAY}
            assert found == expected


def check_histories(make_machine) -> None:
    run_state_machine_as_test(
        make_machine, settings=settings(max_examples=examples(40), stateful_step_count=25)
    )


def test_credits_and_paid_units_are_those_of_a_model_after_every_event(thirty_days):
    check_histories(lambda: Credits(thirty_days))
