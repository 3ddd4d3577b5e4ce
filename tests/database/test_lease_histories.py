from collections.abc import Callable

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)
from lease_fixtures import leases, make_table, replace_rows, rows

from effort import examples
from firmograph.database.connection import Database
from firmograph.database.leases import LEASE_SECONDS, Claim
from firmograph.kit.clock import SetClock

START = 1_000.0
NUMBERS = range(1, 7)
delays = st.sampled_from([0.0, 1.0, 29.0, LEASE_SECONDS, 45.0])


class History(RuleBasedStateMachine):
    """Several workers on a few rows, each at any step of its work and paused as long as the clock says."""

    claims = Bundle("claims")

    def __init__(self, database: Database) -> None:
        super().__init__()
        self.database = database
        self.clock = SetClock(START)
        self.due: dict[int, float] = {}
        self.fences = dict.fromkeys(NUMBERS, 0)
        self.running: dict[int, float] = {}
        """The rows that someone has, and until when nobody else may."""

    @initialize(late=st.lists(delays, min_size=len(NUMBERS), max_size=len(NUMBERS)))
    def begin(self, late):
        self.due = {number: START + delay for number, delay in zip(NUMBERS, late, strict=True)}
        replace_rows(self.database, self.due)

    @rule(seconds=delays)
    def time_passes(self, seconds):
        self.clock.advance(seconds)

    @rule(target=claims, most=st.integers(1, 4))
    def a_worker_claims(self, most):
        with self.database.write(None) as session:
            granted = leases.claim(session, most, self.clock.seconds())
        return self.check_claims(granted, most, lambda number: True)

    @rule(target=claims, among=st.sets(st.sampled_from(NUMBERS), min_size=1), most=st.integers(1, 4))
    def a_worker_claims_among_some(self, among, most):
        with self.database.write(None) as session:
            granted = leases.claim_among(session, sorted(among), most, self.clock.seconds())
        return self.check_claims(granted, most, among.__contains__)

    def check_claims(self, granted: list[Claim[int]], most: int, is_requested: Callable[[int], bool]):
        now = self.clock.seconds()
        free = [
            n for n in NUMBERS if is_requested(n) and self.due[n] <= now and self.running.get(n, 0) <= now
        ]
        assert {claim.key for claim in granted} <= set(free)
        longest = sorted(self.due[number] for number in free)[:most]
        assert sorted(self.due[claim.key] for claim in granted) == longest
        for claim in granted:
            assert claim.fence == self.fences[claim.key] + 1
            self.fences[claim.key] = claim.fence
            self.running[claim.key] = now + LEASE_SECONDS
        return multiple(*granted)

    def owns(self, claim: Claim[int]) -> bool:
        return claim.key in self.running and claim.fence == self.fences[claim.key]

    @rule(claim=claims)
    def a_worker_checks_its_lease(self, claim):
        now = self.clock.seconds()
        may = leases.still_claimed(self.database.session(), [claim], now)
        assert bool(may) == (self.owns(claim) and self.running[claim.key] > now)

    @rule(claim=claims)
    def a_worker_renews(self, claim):
        with self.database.write(None) as session:
            renewed = leases.renew(session, claim, self.clock.seconds())
        assert renewed == self.owns(claim)
        if renewed:
            self.running[claim.key] = self.clock.seconds() + LEASE_SECONDS

    @rule(claim=claims, delay=delays)
    def a_worker_completes(self, claim, delay):
        due_at = self.clock.seconds() + delay
        with self.database.write(None) as session:
            completed = leases.complete(session, claim, due_at)
        assert completed == self.owns(claim)
        if completed:
            del self.running[claim.key]
            self.due[claim.key] = due_at

    @rule(claim=claims)
    def a_worker_releases(self, claim):
        with self.database.write(None) as session:
            released = leases.release(session, claim)
        assert released == self.owns(claim)
        if released:
            del self.running[claim.key]

    @invariant()
    def the_rows_match_the_model(self):
        expected = {n: (self.due[n], self.running.get(n, 0.0), self.fences[n]) for n in self.due}
        assert rows(self.database) == expected


def test_claims_never_overlap_fences_never_decrease_and_old_claims_change_nothing(database):
    make_table(database)
    run_state_machine_as_test(
        lambda: History(database), settings=settings(max_examples=examples(40), stateful_step_count=30)
    )
