"""Rate limits shared by servers in Redis, and during its outages."""

import threading
from contextlib import contextmanager

import pytest
import redis
from limit_fixtures import MIDNIGHT, count_admitted, plan
from structlog.testing import capture_logs

from firmograph.database.connection import COUNTERS
from firmograph.kit.clock import SetClock
from firmograph.rate_limits import redis_counters
from firmograph.rate_limits.local import LocalRateLimiter
from firmograph.rate_limits.redis import RedisRateLimiter
from firmograph.rate_limits.redis_counters import RedisCounters, connect
from firmograph.rate_limits.shared_memory import create_counter_file, open_counter_file, remove_counter_file
from firmograph.rate_limits.windows import DAY
from server_fixtures import eventually

WIDE = plan(minute=10**6, day=10**6)


class Servers:
    """Servers of one installation with one database and one Redis."""

    def __init__(self, world, redis, share=2) -> None:
        self.world = world
        self.redis = redis
        self.share = share
        self.clock = SetClock(MIDNIGHT)
        self.account = world.caller().account_id
        self.limiters: list[RedisRateLimiter] = []

    def start(self, counts=None, **options) -> RedisRateLimiter:
        """Start another server without its retry thread; the test calls `retry`."""
        local = LocalRateLimiter(self.clock, counts, share=self.share)
        limits = RedisRateLimiter(
            RedisCounters(connect(self.redis.url), "test"), self.world.database, self.clock, local, **options
        )
        limits.retry()
        self.limiters.append(limits)
        return limits

    def count_admitted(self, limits, plan, times, path=None) -> int:
        return count_admitted(limits, plan, times, path, self.account)

    @contextmanager
    def memory_full(self):
        """Fill the memory of Redis: it keeps its data and refuses writes."""
        with self.redis.client() as client:
            client.config_set("maxmemory", 1)
            yield
            client.config_set("maxmemory", 0)

    def save(self, limits) -> None:
        with self.world.database.write(COUNTERS) as session:
            limits.save(session)


@pytest.fixture
def servers(world, own_redis):
    servers = Servers(world, own_redis)
    yield servers
    for limits in servers.limiters:
        limits.stop()


@pytest.mark.any_database
def test_parallel_servers_together_admit_exactly_the_limit(servers):
    narrow = plan(second=25, minute=40, day=10**6)
    limiters = [servers.start() for _ in range(4)]

    def count_admitted_in_parallel():
        admitted = []
        threads = [
            threading.Thread(target=lambda one=one: admitted.append(servers.count_admitted(one, narrow, 30)))
            for one in limiters
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(admitted)

    assert count_admitted_in_parallel() == 25
    servers.clock.advance(0.75)
    assert count_admitted_in_parallel() == 0
    servers.clock.advance(0.25)
    assert count_admitted_in_parallel() == 15
    servers.clock.advance(60)
    assert count_admitted_in_parallel() == 25


@pytest.mark.any_database
def test_installations_in_one_redis_count_separately(servers):
    other = RedisRateLimiter(
        RedisCounters(connect(servers.redis.url), "other"),
        servers.world.database,
        servers.clock,
        LocalRateLimiter(servers.clock),
    )
    assert other.retry()
    assert servers.count_admitted(servers.start(), plan(minute=3), 5) == 3
    assert servers.count_admitted(other, plan(minute=3), 5) == 3
    other.stop()


@pytest.mark.any_database
def test_a_request_costs_one_round_trip(servers):
    limits = servers.start()
    servers.count_admitted(limits, WIDE, 1)
    with servers.redis.client() as client:
        before = client.info("commandstats")
        servers.count_admitted(limits, WIDE, 10)
        after = client.info("commandstats")
    calls = {name: after[name]["calls"] - before.get(name, {"calls": 0})["calls"] for name in after}
    assert calls["cmdstat_evalsha"] == 10
    allowed = {"cmdstat_evalsha", "cmdstat_get", "cmdstat_set", "cmdstat_info"}
    assert not any(count for name, count in calls.items() if name not in allowed)


@pytest.mark.any_database
def test_keys_of_an_account_in_redis_expire(servers):
    servers.count_admitted(servers.start(), WIDE, 3)
    with servers.redis.client() as client:
        keys = client.keys("*")
        assert keys
        assert all(0 < client.ttl(key) <= 2 * DAY for key in keys)


@pytest.mark.any_database
def test_a_server_without_redis_admits_its_share_of_every_limit(servers):
    limits = servers.start()
    servers.redis.stop()
    assert servers.count_admitted(limits, plan(second=7), 20) == 3
    servers.clock.advance(1)
    assert limits.take(servers.account, plan(minute=6), None)[1] == ("minute", 3, 59)
    assert servers.count_admitted(limits, plan(hour=10), 20) == 2
    assert servers.count_admitted(limits, plan(day=12), 20) == 1
    servers.clock.advance(60)
    assert servers.count_admitted(limits, WIDE, 20, path="usage") == 2
    assert not limits.shared


@pytest.mark.any_database
def test_a_share_is_at_least_one_request(world, own_redis):
    servers = Servers(world, own_redis, share=100)
    limits = servers.start()
    servers.redis.stop()
    assert servers.count_admitted(limits, plan(second=7, minute=6), 20, path="usage") == 1
    limits.stop()


def _recording(requests):
    get_connection = redis.ConnectionPool.get_connection

    def recording(pool, *arguments, **options):
        requests.append(pool)
        return get_connection(pool, *arguments, **options)

    return recording


@pytest.mark.any_database
def test_no_request_is_sent_to_an_unavailable_redis(servers, monkeypatch):
    monkeypatch.setattr(redis_counters, "TIMEOUT_SECONDS", 0.3)
    limits = servers.start()
    eventually(limits.retry, "Redis is not used")
    requests = []
    monkeypatch.setattr(redis.ConnectionPool, "get_connection", _recording(requests))
    servers.redis.pause()
    try:
        assert servers.count_admitted(limits, WIDE, 1) == 1
        assert not limits.shared
        assert len(requests) == 1
        assert servers.count_admitted(limits, WIDE, 500) == 500
        assert len(requests) == 1
        assert not limits.retry()
    finally:
        servers.redis.resume()
    eventually(limits.retry, "Redis is not used again")
    # Redis may have counted the one unanswered request
    assert limits.used(servers.account).day in (501, 502)


@pytest.mark.any_database
def test_local_counts_are_added_after_redis_recovers(servers):
    first, second = servers.start(), servers.start()
    servers.count_admitted(first, WIDE, 5)
    servers.count_admitted(second, WIDE, 5, path="webhooks")
    with servers.memory_full():
        assert servers.count_admitted(first, WIDE, 20) == 20
        assert servers.count_admitted(second, WIDE, 30, path="webhooks") == 30
    assert first.retry()
    assert first.used(servers.account)[:3] == (30, 30, 30)
    assert second.retry()
    assert first.used(servers.account)[:3] == (60, 60, 60)
    assert servers.count_admitted(first, WIDE, 100, path="webhooks") == 65


@pytest.mark.any_database
def test_requests_of_the_last_second_count_after_redis_recovers(servers):
    narrow = plan(second=20)
    first, second = servers.start(), servers.start()
    with servers.memory_full():
        assert servers.count_admitted(first, narrow, 30) == 10
        servers.clock.advance(0.5)
        assert servers.count_admitted(second, narrow, 30) == 10
    assert first.retry()
    assert second.retry()
    assert servers.count_admitted(first, narrow, 5) == 0
    servers.clock.advance(0.5)
    assert servers.count_admitted(second, narrow, 30) == 10


@pytest.mark.any_database
def test_an_outage_over_midnight_adds_only_to_current_windows(servers):
    limits = servers.start()
    servers.clock.advance(-5)
    servers.count_admitted(limits, WIDE, 3)
    with servers.memory_full():
        servers.count_admitted(limits, WIDE, 4)
        servers.clock.advance(10)
        servers.count_admitted(limits, WIDE, 2)
    assert limits.retry()
    assert limits.used(servers.account)[:3] == (2, 2, 2)


@pytest.mark.any_database
def test_workers_of_one_server_share_its_local_counts_and_add_them_once(servers):
    path = create_counter_file(servers.world.plans)
    first, second = (servers.start(open_counter_file(path)) for _ in range(2))
    remove_counter_file(path)
    with servers.memory_full():
        assert servers.count_admitted(first, plan(minute=20), 6) == 6
        assert servers.count_admitted(second, plan(minute=20), 6) == 4
        assert servers.count_admitted(first, plan(minute=20), 6) == 0
    assert first.retry()
    assert second.retry()
    assert second.used(servers.account)[:3] == (10, 10, 10)


@pytest.mark.any_database
def test_local_counters_start_empty_at_each_outage(servers):
    limits, narrow = servers.start(), plan(minute=20)
    for admitted in (10, 5):
        with servers.memory_full():
            assert servers.count_admitted(limits, narrow, admitted) == admitted
        assert limits.retry()
    assert servers.count_admitted(limits, narrow, 20) == 5


def test_lost_counts_of_hours_and_days_are_restored_from_the_database(servers):
    limits = servers.start()
    servers.count_admitted(limits, WIDE, 8)
    servers.save(limits)
    with servers.redis.client() as client:
        client.flushall()
    assert limits.used(servers.account)[1:3] == (8, 8)
    assert servers.count_admitted(limits, plan(day=10), 5) == 2


def test_a_restarted_redis_gets_the_counts_of_hours_and_days(servers):
    limits = servers.start()
    servers.count_admitted(limits, WIDE, 8)
    servers.save(limits)
    servers.redis.kill()
    servers.count_admitted(limits, WIDE, 2)
    servers.redis.start()
    assert limits.retry()
    assert limits.used(servers.account)[1:3] == (10, 10)
    another = servers.start()
    assert another.used(servers.account)[1:3] == (10, 10)


def test_a_server_restores_its_unsaved_counts(servers):
    limits = servers.start()
    servers.count_admitted(limits, WIDE, 8)
    servers.redis.restart()
    servers.count_admitted(limits, WIDE, 1)
    assert limits.retry()
    assert limits.used(servers.account)[1:3] == (9, 9)


def test_older_counts_in_redis_are_raised_to_the_saved_ones(servers):
    limits = servers.start()
    servers.count_admitted(limits, WIDE, 3)
    with servers.redis.client() as client:
        older = {key: client.dump(key) for key in client.keys("*")}
        servers.count_admitted(limits, WIDE, 5)
        servers.save(limits)
        servers.redis.kill()
        assert count_admitted(limits, WIDE, 1, account=servers.world.caller("Other").account_id) == 1
        servers.redis.start()
        for key, dumped in older.items():
            client.restore(key, 0, dumped)
    assert limits.retry()
    assert limits.used(servers.account)[1:3] == (8, 8)


@pytest.mark.any_database
def test_a_script_missing_from_redis_is_loaded_again(servers):
    limits = servers.start()
    servers.count_admitted(limits, WIDE, 3)
    with servers.redis.client() as client:
        client.script_flush()
    assert servers.count_admitted(limits, WIDE, 2) == 2
    assert limits.shared
    assert limits.used(servers.account).minute == 5


@pytest.mark.any_database
def test_a_redis_that_refuses_writes_counts_as_unavailable(servers):
    limits = servers.start()
    with servers.memory_full():
        assert servers.count_admitted(limits, plan(minute=8), 10) == 4
        assert not limits.retry()
    assert limits.retry()
    assert limits.used(servers.account).minute == 4


@pytest.mark.any_database
def test_a_server_started_without_redis_shares_counts_once_redis_is_available(servers):
    servers.redis.stop()
    limits = servers.start()
    assert servers.count_admitted(limits, plan(minute=8), 10) == 4
    servers.redis.start()
    assert limits.retry()
    assert servers.count_admitted(servers.start(), plan(minute=8), 10) == 4


def test_a_server_reconnects_to_redis_by_itself(servers):
    limits = servers.start(retry_seconds=0.01)
    with servers.world.database.read() as session:
        limits.start(session)
    servers.redis.stop()
    eventually(lambda: not limits.shared, "Redis is still used")
    assert servers.count_admitted(limits, WIDE, 3) == 3
    servers.redis.start()
    eventually(lambda: limits.shared, "Redis is not used again")
    assert limits.used(servers.account).day == 3


@pytest.mark.any_database
def test_an_outage_and_a_recovery_are_logged_once_each(servers):
    limits = servers.start()
    with capture_logs() as logs:
        servers.redis.stop()
        servers.count_admitted(limits, WIDE, 5)
        for _ in range(3):
            limits.retry()
        servers.redis.start()
        for _ in range(3):
            limits.retry()
    assert [entry["log_level"] for entry in logs] == ["warning", "info"]
    assert logs[0]["reason"] == "ConnectionError"


@pytest.mark.any_database
def test_locally_counted_requests_appear_in_the_metric(servers):
    local_calls = []
    limits = servers.start(count_local_call=lambda: local_calls.append(1))
    servers.count_admitted(limits, WIDE, 2)
    with servers.memory_full():
        servers.count_admitted(limits, plan(minute=8), 6)
    limits.retry()
    servers.count_admitted(limits, WIDE, 2)
    assert len(local_calls) == 6


def test_saving_writes_hours_and_days_of_accounts_with_new_requests(servers):
    limits = servers.start()
    assert not limits.unsaved()
    servers.count_admitted(limits, plan(minute=3), 5)
    assert limits.unsaved()
    servers.save(limits)
    assert not limits.unsaved()
    with servers.world.database.read() as session:
        rows = session.raw.execute('SELECT "window", start, count FROM rate_counters ORDER BY 1').fetchall()
    assert [tuple(row) for row in rows] == [("day", MIDNIGHT, 3), ("hour", MIDNIGHT, 3)]


def test_a_failed_save_is_repeated_by_the_next_one(servers):
    limits = servers.start()
    servers.count_admitted(limits, WIDE, 2)
    with pytest.raises(AttributeError):
        limits.save(None)
    assert limits.unsaved()
    servers.save(limits)
    assert not limits.unsaved()
