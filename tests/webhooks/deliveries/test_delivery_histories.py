"""Generated histories of two workers and concurrent changes of their queues.

Workers claim, send, record, crash and are suspended, receivers fail, leases expire and accounts change. In any order
nothing is charged twice, nothing is lost, and the tables agree.
"""

import shutil
import tempfile
from collections import Counter, defaultdict
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import NamedTuple

import sqlalchemy as sa
from hypothesis import note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from queue_fixtures import FAILED, GONE, OK, SILENT, QueueWorld
from webhook_fixtures import COMPANY, CONTACT, World, headcount, move, news

from effort import examples
from firmograph.database.connection import RECORDS, AccountSession, account_scope
from firmograph.database.leases import LEASE_SECONDS
from firmograph.kit.clock import midnight
from firmograph.kit.errors import PaymentRequired
from firmograph.signals import erasure_store
from firmograph.signals import store as signal_store
from firmograph.signals.tables import signals
from firmograph.webhooks import erasure_store as webhook_erase_store
from firmograph.webhooks.deliveries import cancel, scheduled_store
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.types import Attempt, AttemptResult, State, Status

URLS = ["https://one.example.com/a", "https://one.example.com/b", "https://two.example.com/"]
RECORDS_OF = [(COMPANY, 1), (COMPANY, 2), (CONTACT, 1)]
DAYS = [f"2026-09-{day:02}" for day in range(5, 21)]
TOMORROW, DAY = "2026-09-22", 86_400.0

names = st.sampled_from(["First", "Second"])
STEPS = {
    "claim": 6,
    "send": 6,
    "record": 5,
    "record_again": 1,
    "give_back": 1,
    "die": 1,
    "finish_cancelled": 1,
}
"""Steps of workers and their weights."""
CHANGES = {
    "detect_signals": 2,
    "detect_signal_of_tomorrow": 1,
    "grant_credits": 2,
    "pay_by_call": 1,
    "delete_signal": 1,
    "disable": 1,
    "reactivate": 3,
    "delete_subscription": 1,
}
TIMES = {0.5: 1, 2.0: 2, 7.0: 1, 32.0: 1}
EVENTS = STEPS | CHANGES | TIMES
SENTS = [OK, OK, OK, FAILED, FAILED, SILENT, GONE]
_signals = sa.select(signals.c.id).order_by(signals.c.id)


class Claimed(NamedTuple):
    attempt: Attempt
    at: float
    result: AttemptResult | None = None


class Worker:
    def __init__(self, queue) -> None:
        self.queue = queue
        self.claimed: list[Claimed] = []
        self.sent: list[Claimed] = []

    def leased_subscriptions(self, now: float) -> set[int]:
        """Return the subscriptions leased by this worker."""
        return {each.attempt.claim.key for each in self.claimed + self.sent if now < each.at + LEASE_SECONDS}


class Deliveries(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.days = iter(DAYS * 100)
        self.received: Counter[str] = Counter()
        self.recorded = 0
        self.delivered: dict[str, list[int]] = defaultdict(list)

    @initialize(credits=st.sampled_from([0, 5, 10, 20]))
    def begin(self, credits):
        self.world = World(self.folder, credits=1)
        # midnight comes during the history
        self.world.clock.advance(35_180)
        self.queues = QueueWorld(self.world)
        self.workers = [Worker(self.queues.first), Worker(self.queues.second)]
        self.accounts = {"First": self.world.first, "Second": self.world.second}
        for name in self.accounts if credits else ():
            self.world.accounts.grant(name, credits)
        self.tokens = [
            self.world.subscribe(account, number, entity=entity, url=URLS[place]).token
            for account in self.accounts.values()
            for place, (entity, number) in enumerate(RECORDS_OF)
        ]
        self.detect_signals("First", 0)
        self.detect_signals("First", 1)

    def teardown(self):
        if hasattr(self, "queues"):
            self.check_everything_is_delivered_in_the_end()
            self.world.end()
        shutil.rmtree(self.folder)

    # --- events ---

    @rule(seed=st.integers(0, 2**32))
    def run_events(self, seed):
        """Run eight events by a seed: drawn one by one, most of them would be of few kinds."""
        random = Random(seed)
        for _ in range(8):
            (event,) = random.choices(list(EVENTS), EVENTS.values())
            worker, index, answer = random.randrange(2), random.randrange(6), random.choice(SENTS)
            note(f"{event} {worker} {index} {answer.status_code}")
            if event in STEPS:
                getattr(self, f"worker_{event}")(self.workers[worker], index + 1, answer)
            elif event in CHANGES:
                getattr(self, event)(list(self.accounts)[worker], index)
            else:
                self.world.clock.advance(event)

    def worker_claim(self, worker, count, answer):
        now = self.world.clock.seconds()
        attempts = self.queues.claim(count, queue=worker.queue)
        assert len(attempts) <= count
        claimed = [each.claim.key for each in attempts]
        assert len(set(claimed)) == len(claimed)
        for each in self.workers:
            # one at a time of each subscription, except those of dead workers
            assert not each.leased_subscriptions(now) & set(claimed)
        worker.claimed += [Claimed(each, now) for each in attempts]

    def worker_send(self, worker, count, answer):
        now = self.world.clock.seconds()
        some, worker.claimed = worker.claimed[:count], worker.claimed[count:]
        worker.sent += [each._replace(result=AttemptResult(each.attempt, answer, now)) for each in some]
        self.received.update(each.attempt.payload_id for each in some if answer is OK)

    def worker_record(self, worker, count, answer):
        recorded = self.record(worker)
        worker.sent = []
        self.recorded += len(recorded)
        for each in recorded:
            if each.status is Status.SUCCESS:
                self.delivered[each.result.attempt.subscription].append(each.result.attempt.delivery_id)

    def record(self, worker):
        """Record what a worker sent, without retries after 410."""
        results = [each.result for each in worker.sent]
        given_up = [each for each in results if each.send_result is GONE]
        others = [each for each in results if each.send_result is not GONE]
        return worker.queue.record(others) + self.queues.without_retries.record(given_up)

    def worker_record_again(self, worker, count, answer):
        """Record twice, as after a commit with an unknown outcome."""
        sent = worker.sent
        self.worker_record(worker, count, answer)
        worker.sent = sent
        assert self.record(worker) == []
        worker.sent = []

    def worker_give_back(self, worker, count, answer):
        worker.queue.give_back([each.attempt for each in worker.claimed])
        worker.claimed = []

    def worker_die(self, worker, count, answer):
        worker.claimed, worker.sent = [], []

    def worker_finish_cancelled(self, worker, count, answer):
        worker.queue.finish_cancelled()

    def detect_signals(self, name, index):
        days = [next(self.days) for _ in range(1 + index % 3)]
        signals = [(headcount, news)[index % 2](1 + index % 2, day) for day in days]
        self.queues.fan_out_signals(*signals, move(1, days[0]))

    def detect_signal_of_tomorrow(self, name, index):
        self.queues.fan_out_signals((headcount, news)[index % 2](1 + index // 3, TOMORROW))

    def grant_credits(self, name, index):
        self.world.accounts.grant(name, 1 + index)

    def pay_by_call(self, name, index):
        with self.world.database.read() as session:
            ids = [row[0] for row in session.all(_signals)]
        if index < len(ids):
            with suppress(PaymentRequired):
                self.queues.pay(self.accounts[name], ids[-1 - index])

    def disable(self, name, index):
        with self.changing(index) as (session, found):
            subscription_store.disable(
                AccountSession(session, found.account_id), [found.id], self.world.clock.seconds()
            )

    def reactivate(self, name, index):
        with self.changing(index) as (session, found):
            subscription_store.reactivate(
                AccountSession(session, found.account_id), [found.id], self.world.clock.seconds()
            )

    def delete_subscription(self, name, index):
        if len(self.tokens) > 3:
            with self.changing(index) as (session, found):
                queued = delivery_store.find_of_subscription(
                    AccountSession(session, found.account_id), found.id
                )
                cancel.cancel_deliveries(
                    AccountSession(session, found.account_id), queued, self.world.clock.seconds(), "Deleted"
                )
                subscription_store.delete(AccountSession(session, found.account_id), [found.id])
            self.tokens.remove(found.token)

    @contextmanager
    def changing(self, index):
        found = self.world.subscription(self.tokens[index % len(self.tokens)])
        with self.world.database.write(account_scope(found.account_id)) as session:
            yield session, found

    def delete_signal(self, name, index):
        with self.world.database.write(RECORDS) as session:
            ids = [row[0] for row in session.all(_signals)]
            if index < len(ids):
                webhook_erase_store.mark_cancelled(session, [ids[-1 - index]], "Gone")
                erasure_store.delete_signals(session, [ids[-1 - index]])

    # --- invariants ---

    def count_scheduled(self):
        with self.world.database.read() as session:
            return sum(
                scheduled_store.count(AccountSession(session, account), None)
                for account in self.accounts.values()
            )

    @invariant()
    def signals_of_tomorrow_are_not_delivered_before_their_day(self):
        if hasattr(self, "queues") and self.world.clock.seconds() < midnight(TOMORROW):
            ids = [row["signal_id"] for row in self.world.deliveries()]
            with self.world.database.read() as session:
                delivered = signal_store.signals_by_id(session, ids)
            assert all(signal.day < TOMORROW for signal in delivered.values())

    @invariant()
    def balances_agree_with_the_ledger_and_the_deliveries(self):
        if not hasattr(self, "queues"):
            return
        rows = self.world.deliveries()
        for account in self.accounts.values():
            sums = Counter()
            holds = Counter()
            for entry in self.world.entries(account):
                sums[entry.kind] += entry.credits
                if entry.kind in ("hold", "capture", "release"):
                    holds[entry.request_id] += entry.credits if entry.kind == "hold" else -entry.credits
            balance = self.world.balance(account)
            held = sums["hold"] - sums["capture"] - sums["release"]
            assert balance == (sums["grant"], sums["charge"] + sums["capture"], held)
            mine = {row["payload_id"]: row["held"] for row in rows if row["account_id"] == account}
            assert +holds == Counter({id: credits for id, credits in mine.items() if credits})
            assert min(holds.values(), default=0) >= 0

    @invariant()
    def deliveries_are_charged_once_and_only_if_received(self):
        if not hasattr(self, "queues"):
            return
        captured = Counter(
            entry.request_id
            for account in self.accounts.values()
            for entry in self.world.entries(account)
            if entry.kind == "capture"
        )
        assert all(count == 1 for count in captured.values())
        successes = Counter()
        for row in self.world.audit():
            if row["status"] == Status.SUCCESS:
                successes[row["payload_id"]] += 1
                assert row["credits"] == captured[row["payload_id"]]
            else:
                assert row["credits"] == 0
        assert all(self.received[id] >= count == 1 for id, count in successes.items())
        assert captured.keys() <= successes.keys()

    @invariant()
    def queued_deliveries_are_counted(self):
        if not hasattr(self, "queues"):
            return
        counts = Counter(
            row["subscription_id"] for row in self.world.deliveries() if row["state"] != State.FAILED
        )
        for each in self.world.subscriptions():
            assert each.queued == counts.pop(each.id, 0)
        assert not counts, "deliveries of a deleted subscription"

    @invariant()
    def every_recorded_attempt_is_audited_once(self):
        if hasattr(self, "queues"):
            assert sum(row["duration_ms"] is not None for row in self.world.audit()) == self.recorded

    @invariant()
    def deliveries_arrive_in_the_order_of_detection(self):
        assert all(ids == sorted(ids) for ids in self.delivered.values())

    def check_everything_is_delivered_in_the_end(self):
        for name in self.accounts:
            self.world.accounts.grant(name, 1_000)
        for each in self.world.subscriptions():
            with self.world.database.write(account_scope(each.account_id)) as session:
                subscription_store.reactivate(
                    AccountSession(session, each.account_id), [each.id], self.world.clock.seconds()
                )
        waiting = {row["payload_id"] for row in self.world.deliveries() if row["state"] == State.WAITING}
        for worker in self.workers:
            self.worker_die(worker, 0, OK)
        self.world.clock.advance(DAY)
        self.queues.fan_out_signals()
        assert self.count_scheduled() == 0
        while any(row["state"] == State.WAITING for row in self.world.deliveries()):
            self.world.clock.advance(LEASE_SECONDS + 1)
            self.worker_claim(self.workers[0], 6, OK)
            assert self.workers[0].claimed
            self.worker_send(self.workers[0], 6, OK)
            self.worker_record(self.workers[0], 6, OK)
        self.workers[0].queue.finish_cancelled()
        assert all(self.received[id] for id in waiting)
        self.balances_agree_with_the_ledger_and_the_deliveries()
        self.queued_deliveries_are_counted()
        assert all(each.queued == 0 for each in self.world.subscriptions())


Deliveries.TestCase.settings = settings(max_examples=examples(30), stateful_step_count=20)
TestDeliveryHistories = Deliveries.TestCase
