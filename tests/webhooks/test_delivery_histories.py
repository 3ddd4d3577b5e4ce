"""Histories of two workers that take, send, record, crash and are suspended, beside all that else changes a queue.

What receivers answer, when leases run out, what accounts do meanwhile: whatever the order, nothing is charged twice,
nothing is lost, and the tables agree with each other.
"""

import shutil
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import sqlalchemy as sa
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from queue_world import FAILED, GONE, OK, SILENT, QueueWorld
from webhook_world import COMPANY, CONTACT, World, headcount, move, news

from firmograph.kit.database import RECORDS, account_scope
from firmograph.kit.errors import PaymentRequired
from firmograph.kit.leases import LEASE_SECONDS
from firmograph.signals import erase_store
from firmograph.signals.tables import signals
from firmograph.webhooks import delivery_store, ending, subscription_store
from firmograph.webhooks import erase_store as webhook_erase_store
from firmograph.webhooks.types import Outcome, State, Status

URLS = ["https://one.example.com/a", "https://one.example.com/b", "https://two.example.com/"]
RECORDS_OF = [(COMPANY, 1), (COMPANY, 2), (CONTACT, 1)]
DAYS = [f"2026-09-{day:02}" for day in range(5, 21)]

workers = st.sampled_from([0, 1])
names = st.sampled_from(["First", "Second"])
places = st.integers(0, 5)
sents = st.sampled_from([OK, OK, OK, FAILED, FAILED, SILENT, GONE])
_signals = sa.select(signals.c.id).order_by(signals.c.id)


class Worker:
    def __init__(self, queue) -> None:
        self.queue = queue
        self.taken = []
        self.ended = []

    def dies(self) -> None:
        self.taken, self.ended = [], []


class Deliveries(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.days = iter(DAYS * 100)
        self.received: Counter[str] = Counter()
        self.recorded = 0
        self.arrived: dict[str, list[int]] = defaultdict(list)

    @initialize(credits=st.integers(0, 12))
    def begin(self, credits):
        self.world = World(self.folder, credits=1)
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

    def teardown(self):
        if hasattr(self, "queues"):
            self.everything_goes_out_in_the_end()
            self.world.end()
        shutil.rmtree(self.folder)

    # --- what happens ---

    @rule(number=st.integers(1, 2), count=st.integers(1, 3))
    def are_detected(self, number, count):
        days = [next(self.days) for _ in range(count)]
        self.queues.tell(*[(headcount, news)[count % 2](number, day) for day in days], move(1, days[0]))

    @rule(worker=workers, most=st.integers(1, 6))
    def a_worker_takes(self, worker, most):
        now = self.world.clock.seconds()
        taken = self.queues.take(most, queue=self.workers[worker].queue)
        assert len(taken) <= most
        lanes = [each.claim.key for each in taken]
        assert len(set(lanes)) == len(lanes)
        for other in self.workers:
            # one at a time of each subscription, but for those of the dead
            alive = [each.claim for each, at in other.taken if now < at + LEASE_SECONDS]
            assert not {claim.key for claim in alive} & set(lanes)
        self.workers[worker].taken += [(each, now) for each in taken]

    @rule(worker=workers, place=places, sent=sents)
    def it_sends_one(self, worker, place, sent):
        worker = self.workers[worker]
        if place < len(worker.taken):
            attempt, _ = worker.taken.pop(place)
            self.received[attempt.payload_id] += sent is OK
            worker.ended.append(Outcome(attempt, sent, self.world.clock.seconds()))

    @rule(worker=workers, sent=sents)
    def it_sends_all(self, worker, sent):
        while self.workers[worker].taken:
            self.it_sends_one(self.workers.index(self.workers[worker]), 0, sent)

    @rule(worker=workers, twice=st.booleans())
    def it_records(self, worker, twice):
        worker = self.workers[worker]
        recorded = worker.queue.record(worker.ended)
        if twice:
            # as it does when it was not told whether the commit succeeded
            assert worker.queue.record(worker.ended) == []
        worker.ended = []
        self.recorded += len(recorded)
        for each in recorded:
            if each.status is Status.SUCCESS:
                self.arrived[each.outcome.attempt.subscription].append(each.outcome.attempt.delivery_id)

    @rule(worker=workers)
    def it_could_not_send(self, worker):
        worker = self.workers[worker]
        worker.queue.give_back([attempt for attempt, _ in worker.taken])
        worker.taken = []

    @rule(worker=workers)
    def it_dies(self, worker):
        self.workers[worker].dies()

    @rule(seconds=st.sampled_from([0.5, 2.0, 7.0, LEASE_SECONDS + 1]))
    def time_passes(self, seconds):
        self.world.clock.advance(seconds)

    @rule(name=names, credits=st.integers(1, 3))
    def are_granted(self, name, credits):
        self.world.accounts.grant(name, credits)

    @rule(name=names, place=places)
    def a_call_pays(self, name, place):
        with self.world.database.read() as session:
            ids = [row[0] for row in session.all(_signals)]
        try:
            if place < len(ids):
                self.queues.pay(self.accounts[name], ids[-1 - place])
        except PaymentRequired:
            pass

    @rule(place=places, how=st.sampled_from(["disabled", "revived", "revived", "deleted"]))
    def its_owner_changes_a_subscription(self, place, how):
        found = {each.token: each for each in self.world.subscriptions()}.get(self.tokens[place])
        if found is None:
            return
        now = self.world.clock.seconds()
        with self.world.database.write(account_scope(found.account_id)) as session:
            if how == "disabled":
                subscription_store.disable(session, [found.id], now)
            elif how == "revived":
                subscription_store.revive(session, [found.id], now)
            else:
                those = delivery_store.of_subscription(session, found.account_id, found.id)
                ending.end(session, found.account_id, those, now, "Deleted")
                subscription_store.delete(session, [found.id])

    @rule(place=places)
    def a_signal_goes(self, place):
        with self.world.database.write(RECORDS) as session:
            ids = [row[0] for row in session.all(_signals)]
            if place < len(ids):
                webhook_erase_store.cancel(session, [ids[-1 - place]], "Gone")
                erase_store.drop(session, [ids[-1 - place]])

    @rule(worker=workers)
    def it_ends_what_was_cancelled(self, worker):
        self.workers[worker].queue.end_cancelled()

    # --- what always holds ---

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
                subscription_store.revive(session, [each.id], self.world.clock.seconds())
        waiting = {row["payload_id"] for row in self.world.deliveries() if row["state"] == State.WAITING}
        for worker in self.workers:
            worker.dies()
        while any(row["state"] == State.WAITING for row in self.world.deliveries()):
            self.world.clock.advance(LEASE_SECONDS + 1)
            self.a_worker_takes(0, 6)
            assert self.workers[0].taken
            self.it_sends_all(0, OK)
            self.it_records(0, False)
        self.workers[0].queue.end_cancelled()
        assert all(self.received[id] for id in waiting)
        self.balances_are_those_of_the_ledger_and_of_the_deliveries()
        self.what_is_queued_is_counted()
        assert all(each.queued == 0 for each in self.world.subscriptions())


Deliveries.TestCase.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
TestDeliveryHistories = Deliveries.TestCase
