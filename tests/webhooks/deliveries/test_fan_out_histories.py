"""Generated histories of the fan-out with crashes and restarts, compared with a model."""

import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from webhook_fixtures import World, headcount, news

from effort import examples
from firmograph.bootstrap.packages import load_plans
from firmograph.database.connection import RECORDS, AccountSession, account_scope
from firmograph.signals import erasure_store
from firmograph.webhooks.deliveries import fan_out_store
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.deliveries.fan_out import FanOut
from firmograph.webhooks.subscriptions import store as subscription_store
from record_factory import DIGESTS

KINDS = {"headcountIncrease3m": headcount, "commercialActivityNews": news}
DAYS = {f"2026-09-{day:02}": True for day in range(1, 22)} | {"2026-08-22": True, "2026-08-21": False}
"""Whether signals of that day are delivered."""

accounts = st.sampled_from(["First", "Second"])
numbers = st.integers(1, 2)
indices = st.integers(0, 3)
crashes = st.sampled_from([None, None, None, "add_deliveries", "add_queued", "save_position"])


class Signal(NamedTuple):
    id: int
    number: int
    type: str
    delivered: bool


class Crash(Exception):
    pass


class FanOuts(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.pending: list[Signal] = []
        self.found: set[tuple[int, str, str]] = set()
        self.subscribed: dict[tuple[str, int], dict] = {}
        self.disabled_accounts: set[str] = set()
        self.expected: Counter[tuple[int, int]] = Counter()

    @initialize()
    def begin(self):
        self.world = World(self.folder)
        self.account_ids = {"First": self.world.first, "Second": self.world.second}
        self.restart()
        for account, number in (("First", 1), ("Second", 1), ("First", 2)):
            self.subscribe(account, number, "allSignals")

    def teardown(self):
        self.world.end()
        shutil.rmtree(self.folder)

    @rule()
    def restart(self):
        world = self.world
        self.fan_out = FanOut(world.database, world.clock, load_plans(), DIGESTS, 30)

    @rule(
        some=st.lists(
            st.tuples(numbers, st.sampled_from(sorted(KINDS)), st.sampled_from(sorted(DAYS))),
            min_size=1,
            max_size=4,
            unique=True,
        ),
        quiet=st.sampled_from([False, False, False, True]),
    )
    def detect(self, some, quiet):
        new = [each for each in some if each not in self.found]
        self.world.detect(*[KINDS[type](number, day) for number, type, day in new], quiet=quiet)
        self.found.update(new)
        # not counted from the previous signal, which may be deleted
        first = self.world.last_signal() - len(new) + 1
        for id, (number, type, day) in enumerate(new, first):
            self.pending.append(Signal(id, number, type, DAYS[day] and not quiet))

    @rule(account=accounts, number=numbers, types=st.sampled_from(["allSignals", *KINDS]))
    def subscribe(self, account, number, types):
        if (account, number) not in self.subscribed:
            subscription = self.world.subscribe(self.account_ids[account], number, [types])
            self.subscribed[account, number] = {"row": subscription, "types": types, "open": True}

    @rule(index=indices, how=st.sampled_from(["deleted", "disabled", "blocked", "reactivated"]))
    def change_subscription(self, index, how):
        if index >= len(self.subscribed):
            return
        key = sorted(self.subscribed)[index]
        id = self.subscribed[key]["row"].id
        with self.world.database.write(account_scope(self.account_ids[key[0]])) as session:
            if how == "deleted":
                subscription_store.delete(AccountSession(session, self.account_ids[key[0]]), [id])
            elif how == "disabled":
                subscription_store.disable(AccountSession(session, self.account_ids[key[0]]), [id], 0.0)
            else:
                subscription_store.reactivate(AccountSession(session, self.account_ids[key[0]]), [id], 0.0)
        if how == "blocked":
            row = self.world.subscription(self.subscribed[key]["row"].token)
            self.world.overwrite(row._replace(active=0, blocked_at=1.0))
        if how == "deleted":
            del self.subscribed[key]
        else:
            self.subscribed[key]["open"] = how != "disabled"

    @rule(account=accounts, active=st.booleans())
    def change_account(self, account, active):
        self.world.accounts.set_active(account, active)
        (self.disabled_accounts.discard if active else self.disabled_accounts.add)(account)

    @rule(index=indices)
    def delete_signal(self, index):
        if index < len(self.pending):
            with self.world.database.write(RECORDS) as session:
                erasure_store.delete_signals(session, [self.pending.pop(index).id])

    @rule(most=st.integers(1, 5), crash=crashes)
    def step_fan_out(self, most, crash):
        """Fan out everything pending, or crash before anything is committed."""
        if crash:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(delivery_store if crash == "add_queued" else fan_out_store, crash, _crash)
                try:
                    self.fan_out.step(most)
                except Crash:
                    return
        while self.fan_out.step(most):
            pass
        for signal in self.pending:
            for (account, number), one in self.subscribed.items():
                if (
                    signal.delivered
                    and signal.number == number
                    and one["types"] in ("allSignals", signal.type)
                    and one["open"]
                    and account not in self.disabled_accounts
                    and signal.id > one["row"].after_signal
                ):
                    self.expected[one["row"].id, signal.id] += 1
        self.pending.clear()

    @invariant()
    def each_signal_is_delivered_once(self):
        rows = [(row["subscription_id"], row["signal_id"]) for row in self.world.deliveries()]
        assert Counter(rows) == self.expected
        for subscription in {id for id, _ in rows}:
            mine = [signal for id, signal in rows if id == subscription]
            assert mine == sorted(mine)

    @invariant()
    def queued_deliveries_are_counted(self):
        waiting = Counter(row["subscription_id"] for row in self.world.deliveries())
        assert {one.id: one.queued for one in self.world.subscriptions()} == {
            one["row"].id: waiting[one["row"].id] for one in self.subscribed.values()
        }


def _crash(*args: object) -> None:
    raise Crash


FanOuts.TestCase.settings = settings(max_examples=examples(20), stateful_step_count=30)
TestFanOuts = FanOuts.TestCase
