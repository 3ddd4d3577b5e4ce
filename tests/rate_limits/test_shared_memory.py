"""Counters that the processes of one server share."""

import os
import resource
import stat
from collections import Counter
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from call_processes import PROCESSES, admitted_together, requests_until_killed
from limit_fixtures import MIDNIGHT, plan, taken

from firmograph.billing.plans import Plans
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Unavailable
from firmograph.rate_limits.local import LocalRateLimiter
from firmograph.rate_limits.shared_memory import create_counter_file, open_counter_file, remove_counter_file
from firmograph.rate_limits.windows import DAY, HOUR, MINUTE
from server_fixtures import eventually

WIDE = plan(second=None, minute=10**9, day=10**9)


@contextmanager
def shared(second):
    path = create_counter_file(Plans({"test": plan(second=second)}))
    try:
        yield path
    finally:
        remove_counter_file(path)


@pytest.fixture
def path():
    with shared(25) as path:
        yield path


@pytest.fixture
def attached(path):
    with closing(open_counter_file(path)) as counters:
        yield counters


def test_processes_together_admit_the_limit_and_no_more(path):
    assert len(admitted_together(path, plan(minute=20_000, day=10**9), 15_000, [0, 0])) == 20_000


def test_processes_with_clocks_of_their_own_never_admit_more_in_any_window(path):
    narrow = plan(second=25, minute=100, hour=2000, day=10**9)
    admitted = admitted_together(path, narrow, 5000, [1, 2, 3])
    assert all(clock <= at for clock, at in admitted)
    times = sorted(at for _, at in admitted)
    assert all(later >= at + 1 for at, later in zip(times, times[25:], strict=False))
    for length, limit in ((MINUTE, 100), (HOUR, 2000)):
        assert max(Counter(at // length for at in times).values()) == limit


def test_processes_killed_at_any_moment_neither_stop_the_others_nor_lose_counts(path, attached):
    answered = [PROCESSES.RawValue("Q", 0) for _ in range(3)]
    workers = [
        PROCESSES.Process(target=requests_until_killed, args=(path, WIDE, counter)) for counter in answered
    ]
    for worker in workers:
        worker.start()
    for place, worker in enumerate(workers):
        for counter in answered[place:]:
            _wait_for_more(counter, 2000)
        worker.kill()
        worker.join()
    used = LocalRateLimiter(SetClock(), attached).used(1)
    told = sum(counter.value for counter in answered)
    for counted in used[:3]:
        assert told <= counted <= told + len(workers)


def _wait_for_more(counter, more):
    enough = counter.value + more
    eventually(lambda: counter.value >= enough, "a process counts no more")


def test_a_worker_that_takes_the_place_of_another_goes_on_from_its_counts(path):
    narrow = plan(second=25, minute=30)
    for admitted in (20, 5):
        with closing(open_counter_file(path)) as counters:
            limits = LocalRateLimiter(SetClock(MIDNIGHT), counters)
            assert taken(limits, narrow, 20) == admitted
            used = limits.used(1)
    assert used[:3] == (25, 25, 25)


def test_the_file_is_its_owners_alone_and_nothing_of_it_stays(path):
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(Path(path).parent).st_mode) == 0o700
    remove_counter_file(path)
    assert not Path(path).parent.exists()
    remove_counter_file(path)


def test_room_is_taken_only_by_accounts_that_call(path, attached):
    limits = LocalRateLimiter(SetClock(MIDNIGHT), attached)
    for account in (1, 1_000, 1_000_000, 50_000_000):
        assert taken(limits, WIDE, 3, account=account) == 3
    assert [limits.used(account).day for account in (1, 1_000, 1_000_000, 50_000_000)] == [3, 3, 3, 3]
    assert os.stat(path).st_blocks * 512 < 1_000_000


@pytest.mark.parametrize("second", [1, 7, 1_000])
def test_there_is_room_for_as_many_requests_a_second_as_the_largest_plan_allows(second):
    clock, narrow = SetClock(MIDNIGHT), plan(second=second, minute=10**6, day=10**6)
    with shared(second) as path, closing(open_counter_file(path)) as counters:
        limits = LocalRateLimiter(clock, counters)
        for _ in range(3):
            assert taken(limits, narrow, second + 5) == second
            clock.advance(0.5)
            assert taken(limits, narrow, 5) == 0
            clock.advance(0.5)


def test_a_plan_that_allows_more_a_second_than_any_did_at_the_start_gets_what_there_is_room_for():
    with shared(5) as path, closing(open_counter_file(path)) as counters:
        assert taken(LocalRateLimiter(SetClock(MIDNIGHT), counters), plan(second=9), 20) == 5


def test_a_server_with_no_room_left_refuses_instead_of_dying(attached):
    limits = LocalRateLimiter(SetClock(MIDNIGHT), attached)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(Unavailable):
            limits.take(1, WIDE, None)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert limits.take(1, WIDE, None)[1] is None


def test_each_worker_saves_what_it_counted_and_takes_up_what_was_saved(world, path):
    account = world.caller().account_id
    with closing(open_counter_file(path)) as counters:
        first, second = (LocalRateLimiter(world.clock, counters) for _ in range(2))
        taken(first, WIDE, 3, account=account)
        taken(second, WIDE, 2, account=account)
        for limits in (second, first):
            limits.save(world.database.session())
    assert world.clock.seconds() % DAY
    with shared(25) as anew, closing(open_counter_file(anew)) as counters:
        limits = LocalRateLimiter(world.clock, counters)
        for _ in range(2):
            limits.start(world.database.session())
            assert limits.used(account)[:3] == (5, 5, 5)
