import pytest
from idempotency_fixtures import counters, keys, new_account, put_counter, put_keys

from firmograph.jobs.scheduler import JobWorker
from firmograph.kit.clock import SetClock
from installation_factory import jobs_of

DAY = 86_400


@pytest.fixture
def account_id(database, clock):
    return new_account(database, clock)


def work(database, clock):
    worker = JobWorker(database, clock, jobs_of(database, clock))
    while worker.step():
        pass


def test_expired_idempotency_keys_are_deleted(database, clock, account_id):
    put_keys(database, account_id, clock.seconds(), ["expired"])
    put_keys(database, account_id, clock.seconds() + 1, ["unexpired"])
    work(database, clock)
    assert keys(database) == ["unexpired"]


def test_all_expired_keys_are_deleted_even_if_one_transaction_does_not_suffice(database, clock, account_id):
    put_keys(database, account_id, clock.seconds() - 1, [f"{number:05}" for number in range(2_500)])
    work(database, clock)
    assert keys(database) == []


def test_counters_of_windows_that_ended_over_two_days_ago_are_deleted(database, account_id):
    clock = SetClock(1_000 * DAY)
    put_counter(database, account_id, "day", clock.seconds())
    put_counter(database, account_id, "hour", clock.seconds() - 3 * DAY)
    put_counter(database, account_id, "minute", clock.seconds() - 3 * DAY - 60)
    work(database, clock)
    assert counters(database) == ["day", "hour"]


def test_duties_have_unique_names_and_periods_of_at_least_a_minute(database):
    jobs = jobs_of(database)
    assert len({job.name for job in jobs}) == len(jobs)
    assert all(job.period >= 60 for job in jobs)
