"""Counters shared by the processes of one server."""

import os
import resource
import stat
from collections import Counter
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from call_processes import PROCESSES, admitted_together, make_requests_until_killed
from limit_fixtures import MIDNIGHT, count_admitted, plan

from firmograph.billing.plans import Plans
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Unavailable
from firmograph.rate_limits.local import LocalRateLimiter
from firmograph.rate_limits.shared_memory import create_counter_file, open_counter_file, remove_counter_file
from firmograph.rate_limits.windows import DAY, HOUR, MINUTE, OPERATOR_KEYS
from server_fixtures import eventually

pytestmark = pytest.mark.any_database

WIDE = plan(second=None, minute=10**9, day=10**9)


@contextmanager
def counter_file(second):
    path = create_counter_file(Plans({"test": plan(second=second)}))
    try:
        yield path
    finally:
        remove_counter_file(path)


@pytest.fixture
def path():
    with counter_file(25) as path:
        yield path


@pytest.fixture
def open_counters(path):
    with closing(open_counter_file(path)) as counters:
        yield counters


def test_parallel_processes_together_admit_exactly_the_limit(path):
    assert len(admitted_together(path, plan(minute=8_000, day=10**9), 6_000, [0, 0])) == 8_000


def test_processes_with_different_clocks_never_exceed_a_limit(path):
    narrow = plan(second=25, minute=100, hour=2000, day=10**9)
    admitted = admitted_together(path, narrow, 5000, [1, 2, 3])
    assert all(clock <= at for clock, at in admitted)
    times = sorted(at for _, at in admitted)
    assert all(later >= at + 1 for at, later in zip(times, times[25:], strict=False))
    for length, limit in ((MINUTE, 100), (HOUR, 2000)):
        assert max(Counter(at // length for at in times).values()) == limit


def test_killed_processes_neither_block_the_others_nor_lose_counts(path, open_counters):
    answered = [PROCESSES.RawValue("Q", 0) for _ in range(3)]
    workers = [
        PROCESSES.Process(target=make_requests_until_killed, args=(path, WIDE, counter))
        for counter in answered
    ]
    for worker in workers:
        worker.start()
    for index, worker in enumerate(workers):
        for counter in answered[index:]:
            _wait_for_more(counter, 500)
        worker.kill()
        worker.join()
    used = LocalRateLimiter(SetClock(), open_counters).used(1)
    total = sum(counter.value for counter in answered)
    for counted in used[:3]:
        assert total <= counted <= total + len(workers)


def _wait_for_more(counter, more):
    enough = counter.value + more
    eventually(lambda: counter.value >= enough, "a process stopped counting")


def test_a_replacement_worker_continues_with_the_counts_of_the_former_one(path):
    narrow = plan(second=25, minute=30)
    for admitted in (20, 5):
        with closing(open_counter_file(path)) as counters:
            limits = LocalRateLimiter(SetClock(MIDNIGHT), counters)
            assert count_admitted(limits, narrow, 20) == admitted
            used = limits.used(1)
    assert used[:3] == (25, 25, 25)


def test_the_counter_file_is_private_and_removed_with_its_folder(path):
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(Path(path).parent).st_mode) == 0o700
    remove_counter_file(path)
    assert not Path(path).parent.exists()
    remove_counter_file(path)


def test_only_accounts_with_requests_take_disk_space(path, open_counters):
    limits = LocalRateLimiter(SetClock(MIDNIGHT), open_counters)
    accounts = (1, 1_000, 1_000_000, 50_000_000, OPERATOR_KEYS + 1)
    for account in accounts:
        assert count_admitted(limits, WIDE, 3, account=account) == 3
    assert [limits.used(account).day for account in accounts] == [3] * 5
    assert os.stat(path).st_blocks * 512 < 1_000_000


@pytest.mark.parametrize("second", [1, 7, 1_000])
def test_the_file_has_room_for_the_requests_a_second_of_the_largest_plan(second):
    clock, narrow = SetClock(MIDNIGHT), plan(second=second, minute=10**6, day=10**6)
    with counter_file(second) as path, closing(open_counter_file(path)) as counters:
        limits = LocalRateLimiter(clock, counters)
        for _ in range(3):
            assert count_admitted(limits, narrow, second + 5) == second
            clock.advance(0.5)
            assert count_admitted(limits, narrow, 5) == 0
            clock.advance(0.5)


def test_a_plan_raised_after_startup_is_limited_to_the_room_of_the_file():
    with counter_file(25) as path, closing(open_counter_file(path)) as counters:
        assert count_admitted(LocalRateLimiter(SetClock(MIDNIGHT), counters), plan(second=29), 40) == 25


def test_a_full_disk_causes_a_refusal_instead_of_a_crash(open_counters):
    limits = LocalRateLimiter(SetClock(MIDNIGHT), open_counters)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(Unavailable):
            limits.take(1, WIDE, None)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert limits.take(1, WIDE, None)[1] is None


def test_workers_save_their_counts_and_load_the_saved_ones(world, path):
    account = world.caller().account_id
    with closing(open_counter_file(path)) as counters:
        first, second = (LocalRateLimiter(world.clock, counters) for _ in range(2))
        count_admitted(first, WIDE, 3, account=account)
        count_admitted(second, WIDE, 2, account=account)
        for limits in (second, first):
            limits.save(world.database.session())
    assert world.clock.seconds() % DAY
    with counter_file(25) as new_path, closing(open_counter_file(new_path)) as counters:
        limits = LocalRateLimiter(world.clock, counters)
        for _ in range(2):
            limits.start(world.database.session())
            assert limits.used(account)[:3] == (5, 5, 5)
