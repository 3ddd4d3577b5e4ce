"""Histories of two workers that take, send, record, crash and are suspended, beside all that else changes a queue.

What receivers answer, when leases run out, what accounts do meanwhile: whatever the order, nothing is charged twice,
nothing is lost, and the tables agree with each other.
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

from firmograph.database.connection import RECORDS, account_scope
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
    "takes": 6,
    "sends": 6,
    "records": 5,
    "records_again": 1,
    "cannot_send": 1,
    "dies": 1,
    "ends_what_was_cancelled": 1,
}
"""What workers do, and how often."""
CHANGES = {
    "are_detected": 2,
    "are_detected_ahead": 1,
    "are_granted": 2,
    "a_call_pays": 1,
    "a_signal_goes": 1,
    "is_disabled": 1,
    "is_revived": 3,
    "is_deleted": 1,
}
TIMES = {0.5: 1, 2.0: 2, 7.0: 1, 32.0: 1}
EVENTS = STEPS | CHANGES | TIMES
SENTS = [OK, OK, OK, FAILED, FAILED, SILENT, GONE]
_signals = sa.select(signals.c.id).order_by(signals.c.id)


class Taken(NamedTuple):
    attempt: Attempt
    at: float
    outcome: AttemptResult | None = None


class Worker:
    def __init__(self, queue) -> None:
        self.queue = queue
        self.taken: list[Taken] = []
        self.ended: list[Taken] = []

    def lanes(self, now: float) -> set[int]:
        """That are its own."""
        return {each.attempt.claim.key for each in self.taken + self.ended if now < each.at + LEASE_SECONDS}


class Deliveries(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.days = iter(DAYS * 100)
        self.received: Counter[str] = Counter()
        self.recorded = 0
        self.arrived: dict[str, list[int]] = defaultdict(list)

    @initialize(credits=st.sampled_from([0, 5, 10, 20]))
    def begin(self, credits):
        self.world = World(self.folder, credits=1)
        # a day begins on the way
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
        self.are_detected("First", 0)
        self.are_detected("First", 1)

    def teardown(self):
        if hasattr(self, "queues"):
            self.everything_goes_out_in_the_end()
            self.world.end()
        shutil.rmtree(self.folder)

    # --- what happens ---

    @rule(seed=st.integers(0, 2**32))
    def some_time_goes_by(self, seed):
        """By a seed: drawn one by one, most events of a history would be of few kinds, and little would happen."""
        random = Random(seed)
        for _ in range(8):
            (what,) = random.choices(list(EVENTS), EVENTS.values())
            worker, place, sent = random.randrange(2), random.randrange(6), random.choice(SENTS)
            note(f"{what} {worker} {place} {sent.status_code}")
            if what in STEPS:
                getattr(self, f"it_{what}")(self.workers[worker], place + 1, sent)
            elif what in CHANGES:
                getattr(self, what)(list(self.accounts)[worker], place)
            else:
                self.world.clock.advance(what)

    def it_takes(self, worker, count, sent):
        now = self.world.clock.seconds()
        taken = self.queues.take(count, queue=worker.queue)
        assert len(taken) <= count
        lanes = [each.claim.key for each in taken]
        assert len(set(lanes)) == len(lanes)
        for each in self.workers:
            # one at a time of each subscription, but for those of the dead
            assert not each.lanes(now) & set(lanes)
        worker.taken += [Taken(each, now) for each in taken]

    def it_sends(self, worker, count, sent):
        now = self.world.clock.seconds()
        some, worker.taken = worker.taken[:count], worker.taken[count:]
        worker.ended += [each._replace(outcome=AttemptResult(each.attempt, sent, now)) for each in some]
        self.received.update(each.attempt.payload_id for each in some if sent is OK)

    def it_records(self, worker, count, sent):
        recorded = self.record(worker)
        worker.ended = []
        self.recorded += len(recorded)
        for each in recorded:
            if each.status is Status.SUCCESS:
                self.arrived[each.result.attempt.subscription].append(each.result.attempt.delivery_id)

    def record(self, worker):
        """What this one sent; without a retry where the receiver was gone."""
        outcomes = [each.outcome for each in worker.ended]
        given_up = [each for each in outcomes if each.send_result is GONE]
        others = [each for each in outcomes if each.send_result is not GONE]
        return worker.queue.record(others) + self.queues.hasty.record(given_up)

    def it_records_again(self, worker, count, sent):
        """As when it was not told whether the commit succeeded."""
        ended = worker.ended
        self.it_records(worker, count, sent)
        worker.ended = ended
        assert self.record(worker) == []
        worker.ended = []

    def it_cannot_send(self, worker, count, sent):
        worker.queue.give_back([each.attempt for each in worker.taken])
        worker.taken = []

    def it_dies(self, worker, count, sent):
        worker.taken, worker.ended = [], []

    def it_ends_what_was_cancelled(self, worker, count, sent):
        worker.queue.finish_cancelled()

    def are_detected(self, name, place):
        days = [next(self.days) for _ in range(1 + place % 3)]
        told = [(headcount, news)[place % 2](1 + place % 2, day) for day in days]
        self.queues.tell(*told, move(1, days[0]))

    def are_detected_ahead(self, name, place):
        """Of tomorrow, until that begins."""
        self.queues.tell((headcount, news)[place % 2](1 + place // 3, TOMORROW))

    def are_granted(self, name, place):
        self.world.accounts.grant(name, 1 + place)

    def a_call_pays(self, name, place):
        with self.world.database.read() as session:
            ids = [row[0] for row in session.all(_signals)]
        if place < len(ids):
            with suppress(PaymentRequired):
                self.queues.pay(self.accounts[name], ids[-1 - place])

    def is_disabled(self, name, place):
        with self.changing(place) as (session, found):
            subscription_store.disable(session, [found.id], self.world.clock.seconds())

    def is_revived(self, name, place):
        with self.changing(place) as (session, found):
            subscription_store.reactivate(session, [found.id], self.world.clock.seconds())

    def is_deleted(self, name, place):
        if len(self.tokens) > 3:
            with self.changing(place) as (session, found):
                those = delivery_store.find_of_subscription(session, found.account_id, found.id)
                cancel.cancel_deliveries(
                    session, found.account_id, those, self.world.clock.seconds(), "Deleted"
                )
                subscription_store.delete(session, [found.id])
            self.tokens.remove(found.token)

    @contextmanager
    def changing(self, place):
        found = self.world.subscription(self.tokens[place % len(self.tokens)])
        with self.world.database.write(account_scope(found.account_id)) as session:
            yield session, found

    def a_signal_goes(self, name, place):
        with self.world.database.write(RECORDS) as session:
            ids = [row[0] for row in session.all(_signals)]
            if place < len(ids):
                webhook_erase_store.mark_cancelled(session, [ids[-1 - place]], "Gone")
                erasure_store.drop(session, [ids[-1 - place]])

    # --- what always holds ---

    def coming(self):
        with self.world.database.read() as session:
            return sum(scheduled_store.count(session, account, None) for account in self.accounts.values())

    @invariant()
    def what_is_of_tomorrow_is_not_delivered_before_its_day(self):
        if hasattr(self, "queues") and self.world.clock.seconds() < midnight(TOMORROW):
            ids = [row["signal_id"] for row in self.world.deliveries()]
            with self.world.database.read() as session:
                told = signal_store.of_ids(session, ids)
            assert all(signal.day < TOMORROW for signal in told.values())

    @invariant()
    def balances_are_those_of_the_ledger_and_of_the_deliveries(self):
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
    def nothing_is_charged_twice_or_without_being_received(self):
        if not hasattr(self, "queues"):
            return
        captured = Counter(
            entry.request_id
            for account in self.accounts.values()
            for entry in self.world.entries(account)
            if entry.kind == "capture"
        )
        assert all(count == 1 for count in captured.values())
        told = Counter()
        for row in self.world.audit():
            if row["status"] == Status.SUCCESS:
                told[row["payload_id"]] += 1
                assert row["credits"] == captured[row["payload_id"]]
            else:
                assert row["credits"] == 0
        assert all(self.received[id] >= count == 1 for id, count in told.items())
        assert captured.keys() <= told.keys()

    @invariant()
    def what_is_queued_is_counted(self):
        if not hasattr(self, "queues"):
            return
        counts = Counter(
            row["subscription_id"] for row in self.world.deliveries() if row["state"] != State.FAILED
        )
        for each in self.world.subscriptions():
            assert each.queued == counts.pop(each.id, 0)
        assert not counts, "deliveries of a subscription that is gone"

    @invariant()
    def every_attempt_that_counts_is_audited_once(self):
        if hasattr(self, "queues"):
            assert sum(row["duration_ms"] is not None for row in self.world.audit()) == self.recorded

    @invariant()
    def deliveries_arrive_in_the_order_of_detection(self):
        assert all(ids == sorted(ids) for ids in self.arrived.values())

    def everything_goes_out_in_the_end(self):
        for name in self.accounts:
            self.world.accounts.grant(name, 1_000)
        for each in self.world.subscriptions():
            with self.world.database.write(account_scope(each.account_id)) as session:
                subscription_store.reactivate(session, [each.id], self.world.clock.seconds())
        waiting = {row["payload_id"] for row in self.world.deliveries() if row["state"] == State.WAITING}
        for worker in self.workers:
            self.it_dies(worker, 0, OK)
        self.world.clock.advance(DAY)
        self.queues.tell()
        assert self.coming() == 0
        while any(row["state"] == State.WAITING for row in self.world.deliveries()):
            self.world.clock.advance(LEASE_SECONDS + 1)
            self.it_takes(self.workers[0], 6, OK)
            assert self.workers[0].taken
            self.it_sends(self.workers[0], 6, OK)
            self.it_records(self.workers[0], 6, OK)
        self.workers[0].queue.finish_cancelled()
        assert all(self.received[id] for id in waiting)
        self.balances_are_those_of_the_ledger_and_of_the_deliveries()
        self.what_is_queued_is_counted()
        assert all(each.queued == 0 for each in self.world.subscriptions())


Deliveries.TestCase.settings = settings(max_examples=30, stateful_step_count=20)
TestDeliveryHistories = Deliveries.TestCase
