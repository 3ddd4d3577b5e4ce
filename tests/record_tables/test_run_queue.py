"""Queue of open runs: whose turn it is, and what is claimed at all."""

import pytest
from run_fixtures import TITLE, Runs

from firmograph.database.leases import LEASE_SECONDS
from firmograph.record_tables.runs.queue import TurnResult


@pytest.fixture
def runs(world):
    return Runs(world, most_chunks=1)


def take_turns(runs, count):
    """Claim this many turns, one after the other, each given back after one part; return them."""
    turns = []
    for _ in range(count):
        (turn,) = runs.claim()
        runs.part(turn)
        runs.world.clock.advance(1)
        runs.queue.record([TurnResult(turn, "continued")])
        turns.append(turn)
    return turns


def title_column(number):
    return TITLE._replace(identity=f"title {number}")


def test_runs_of_two_accounts_progress_in_turn(runs):
    many, one = runs.book("Many", credits=10_000), runs.book("One", credits=10_000)
    columns = [many.column_id, *(many.add_column(title_column(n)) for n in range(3))]
    many.add(*range(1, 1_000))
    one.add(*range(1, 1_000))
    for column in columns:
        many.begin(column_id=column)
    one.begin()
    assert [turn.account_id for turn in take_turns(runs, 8)] == [many.account, one.account] * 4


def test_runs_of_one_account_progress_in_turn(runs):
    book = runs.book(credits=10_000)
    other = book.add_column(title_column(1))
    book.add(*range(1, 1_000))
    first, second = book.begin(), book.begin(column_id=other)
    keys = [turn.claim.key for turn in take_turns(runs, 4)]
    assert keys == [first, second, first, second]


def test_a_worker_with_two_slots_fills_the_runs_of_two_accounts_at_once(runs):
    many, one = runs.book("Many"), runs.book("One")
    columns = [many.column_id, *(many.add_column(title_column(n)) for n in range(3))]
    many.add(1, 2)
    one.add(1, 2)
    for column in columns:
        many.begin(column_id=column)
    one.begin()
    assert {turn.account_id for turn in runs.claim(2)} == {many.account, one.account}


def test_an_account_whose_run_is_in_work_comes_after_the_others(runs):
    many, one = runs.book("Many"), runs.book("One")
    other = many.add_column(title_column(1))
    many.add(1, 2).begin()
    many.begin(column_id=other)
    assert [turn.account_id for turn in runs.claim()] == [many.account]
    one.add(1, 2).begin()
    assert [turn.account_id for turn in runs.claim()] == [one.account]
    assert [turn.account_id for turn in runs.claim()] == [many.account]


def test_runs_of_an_account_that_is_shut_wait_until_it_is_opened(runs):
    book = runs.book("Acme").add(1, 2)
    run = book.begin()
    runs.world.accounts.set_active("Acme", active=False)
    assert runs.claim() == []
    assert runs.queue.backlog() == (0, 0)
    runs.world.accounts.set_active("Acme", active=True)
    assert [turn.claim.key for turn in runs.claim()] == [run]


def test_runs_of_an_account_without_a_known_plan_are_postponed(runs):
    class NoPlans:
        def find(self, name):
            return None

    book = runs.book().add(1, 2)
    plans, runs.plans = runs.plans, NoPlans()
    run = book.begin()
    assert runs.claim() == []
    runs.plans = plans
    assert runs.claim() == []
    runs.world.clock.advance(61)
    assert [turn.claim.key for turn in runs.claim()] == [run]


def test_a_renewed_claim_outlasts_its_first_lease(runs):
    runs.book().add(1, 2).begin()
    turns = runs.claim()
    for _ in range(4):
        runs.world.clock.advance(LEASE_SECONDS * 0.8)
        runs.queue.renew(turns, runs.world.clock.seconds())
        assert runs.claim() == []


def test_the_backlog_is_the_number_of_open_runs_and_the_age_of_the_oldest(runs):
    first, second = runs.book("First"), runs.book("Second")
    first.add(1, 2).begin()
    runs.world.clock.advance(70)
    second.add(1, 2).begin()
    runs.world.clock.advance(5)
    assert runs.queue.backlog() == (2, 75)
    runs.work()
    assert runs.queue.backlog() == (0, 0)
