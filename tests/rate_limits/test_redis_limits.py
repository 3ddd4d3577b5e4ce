"""Servers that count rate limits together in a real Redis, and what happens when it goes away."""

import threading
from contextlib import contextmanager

import pytest
import redis
from limit_fixtures import MIDNIGHT, plan, taken
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
    """Servers of one installation on one database and one Redis."""

    def __init__(self, world, redis, share=2) -> None:
        self.world = world
        self.redis = redis
        self.share = share
        self.clock = SetClock(MIDNIGHT)
        self.account = world.caller().account_id
        self.made: list[RedisRateLimiter] = []

    def start(self, counts=None, **options) -> RedisRateLimiter:
        """Another server, whose thread does not run: the test says when to try again."""
        local = LocalRateLimiter(self.clock, counts, share=self.share)
        limits = RedisRateLimiter(
            RedisCounters(connect(self.redis.url), "test"), self.world.database, self.clock, local, **options
        )
        limits.retry()
        self.made.append(limits)
        return limits

    def taken(self, limits, plan, times, path=None) -> int:
        return taken(limits, plan, times, path, self.account)

    @contextmanager
    def memory_full(self):
        """Redis keeps what it holds and can be used for nothing."""
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
    for limits in servers.made:
        limits.stop()


def test_threads_of_several_servers_together_admit_the_limit_and_no_more(servers):
    narrow = plan(second=25, minute=40, day=10**6)
    running = [servers.start() for _ in range(4)]

    def all_at_once():
        admitted = []
        threads = [
            threading.Thread(target=lambda one=one: admitted.append(servers.taken(one, narrow, 30)))
            for one in running
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(admitted)

    assert all_at_once() == 25
    servers.clock.advance(0.75)
    assert all_at_once() == 0
    servers.clock.advance(0.25)
    assert all_at_once() == 15
    servers.clock.advance(60)
    assert all_at_once() == 25


def test_installations_in_one_redis_do_not_share(servers):
    other = RedisRateLimiter(
        RedisCounters(connect(servers.redis.url), "other"),
        servers.world.database,
        servers.clock,
        LocalRateLimiter(servers.clock),
    )
    assert other.retry()
    assert servers.taken(servers.start(), plan(minute=3), 5) == 3
    assert servers.taken(other, plan(minute=3), 5) == 3
    other.stop()


def test_a_request_is_one_round_trip(servers):
    limits = servers.start()
    servers.taken(limits, WIDE, 1)
    with servers.redis.client() as client:
        before = client.info("commandstats")
        servers.taken(limits, WIDE, 10)
        after = client.info("commandstats")
    called = {name: after[name]["calls"] - before.get(name, {"calls": 0})["calls"] for name in after}
    assert called["cmdstat_evalsha"] == 10
    outside = {"cmdstat_evalsha", "cmdstat_get", "cmdstat_set", "cmdstat_info"}
    assert not any(calls for name, calls in called.items() if name not in outside)


def test_what_redis_holds_of_an_account_expires_by_itself(servers):
    servers.taken(servers.start(), WIDE, 3)
    with servers.redis.client() as client:
        keys = client.keys("*")
        assert keys
        assert all(0 < client.ttl(key) <= 2 * DAY for key in keys)


def test_without_redis_a_server_admits_its_share_of_every_limit(servers):
    limits = servers.start()
    servers.redis.stop()
    assert servers.taken(limits, plan(second=7), 20) == 3
    servers.clock.advance(1)
    assert limits.take(servers.account, plan(minute=6), None)[1] == ("minute", 3, 59)
    assert servers.taken(limits, plan(hour=10), 20) == 2
    assert servers.taken(limits, plan(day=12), 20) == 1
    servers.clock.advance(60)
    assert servers.taken(limits, WIDE, 20, path="usage") == 2
    assert not limits.shared


def test_a_share_is_never_less_than_one_request(world, own_redis):
    servers = Servers(world, own_redis, share=100)
    limits = servers.start()
    servers.redis.stop()
    assert servers.taken(limits, plan(second=7, minute=6), 20, path="usage") == 1
    limits.stop()


def _noted(asked):
    get_connection = redis.ConnectionPool.get_connection

    def noted(pool, *arguments, **options):
        asked.append(pool)
        return get_connection(pool, *arguments, **options)

    return noted


def test_while_redis_is_away_no_request_goes_to_it(servers, monkeypatch):
    monkeypatch.setattr(redis_counters, "TIMEOUT_SECONDS", 1.0)
    limits = servers.start()
    eventually(limits.retry, "Redis is not used")
    asked = []
    monkeypatch.setattr(redis.ConnectionPool, "get_connection", _noted(asked))
    servers.redis.pause()
    try:
        assert servers.taken(limits, WIDE, 1) == 1
        assert not limits.shared
        assert len(asked) == 1
        assert servers.taken(limits, WIDE, 500) == 500
        assert len(asked) == 1
        assert not limits.retry()
    finally:
        servers.redis.resume()
    eventually(limits.retry, "Redis is not used again")
    # the one request that got no answer may have been counted there all the same
    assert limits.used(servers.account).day in (501, 502)


def test_what_was_counted_locally_is_added_when_redis_is_back(servers):
    first, second = servers.start(), servers.start()
    servers.taken(first, WIDE, 5)
    servers.taken(second, WIDE, 5, path="webhooks")
    with servers.memory_full():
        assert servers.taken(first, WIDE, 20) == 20
        assert servers.taken(second, WIDE, 30, path="webhooks") == 30
    assert first.retry()
    assert first.used(servers.account)[:3] == (30, 30, 30)
    assert second.retry()
    assert first.used(servers.account)[:3] == (60, 60, 60)
    assert servers.taken(first, WIDE, 100, path="webhooks") == 65


def test_requests_of_the_last_second_count_when_redis_is_back(servers):
    narrow = plan(second=20)
    first, second = servers.start(), servers.start()
    with servers.memory_full():
        assert servers.taken(first, narrow, 30) == 10
        servers.clock.advance(0.5)
        assert servers.taken(second, narrow, 30) == 10
    assert first.retry()
    assert second.retry()
    assert servers.taken(first, narrow, 5) == 0
    servers.clock.advance(0.5)
    assert servers.taken(second, narrow, 30) == 10


def test_an_outage_over_midnight_adds_only_to_the_windows_that_run(servers):
    limits = servers.start()
    servers.clock.advance(-5)
    servers.taken(limits, WIDE, 3)
    with servers.memory_full():
        servers.taken(limits, WIDE, 4)
        servers.clock.advance(10)
        servers.taken(limits, WIDE, 2)
    assert limits.retry()
    assert limits.used(servers.account)[:3] == (2, 2, 2)


def test_workers_of_one_server_have_one_share_and_add_it_once(servers):
    path = create_counter_file(servers.world.plans)
    first, second = (servers.start(open_counter_file(path)) for _ in range(2))
    remove_counter_file(path)
    with servers.memory_full():
        assert servers.taken(first, plan(minute=20), 6) == 6
        assert servers.taken(second, plan(minute=20), 6) == 4
        assert servers.taken(first, plan(minute=20), 6) == 0
    assert first.retry()
    assert second.retry()
    assert second.used(servers.account)[:3] == (10, 10, 10)


def test_local_counters_begin_when_redis_goes_away(servers):
    limits, narrow = servers.start(), plan(minute=20)
    for admitted in (10, 5):
        with servers.memory_full():
            assert servers.taken(limits, narrow, admitted) == admitted
        assert limits.retry()
    assert servers.taken(limits, narrow, 20) == 5


def test_hours_and_days_that_redis_forgot_come_back_from_the_database(servers):
    limits = servers.start()
    servers.taken(limits, WIDE, 8)
    servers.save(limits)
    with servers.redis.client() as client:
        client.flushall()
    assert limits.used(servers.account)[1:3] == (8, 8)
    assert servers.taken(limits, plan(day=10), 5) == 2


def test_a_redis_that_lost_its_memory_at_a_restart_is_told_of_hours_and_days(servers):
    limits = servers.start()
    servers.taken(limits, WIDE, 8)
    servers.save(limits)
    servers.redis.kill()
    servers.taken(limits, WIDE, 2)
    servers.redis.start()
    assert limits.retry()
    assert limits.used(servers.account)[1:3] == (10, 10)
    another = servers.start()
    assert another.used(servers.account)[1:3] == (10, 10)


def test_counts_not_yet_saved_are_remembered_by_the_server_that_saw_them(servers):
    limits = servers.start()
    servers.taken(limits, WIDE, 8)
    servers.redis.restart()
    servers.taken(limits, WIDE, 1)
    assert limits.retry()
    assert limits.used(servers.account)[1:3] == (9, 9)


def test_an_older_state_of_redis_is_raised_to_what_was_saved(servers):
    limits = servers.start()
    servers.taken(limits, WIDE, 3)
    with servers.redis.client() as client:
        older = {key: client.dump(key) for key in client.keys("*")}
        servers.taken(limits, WIDE, 5)
        servers.save(limits)
        servers.redis.kill()
        assert taken(limits, WIDE, 1, account=servers.world.caller("Other").account_id) == 1
        servers.redis.start()
        for key, dumped in older.items():
            client.restore(key, 0, dumped)
    assert limits.retry()
    assert limits.used(servers.account)[1:3] == (8, 8)


def test_a_script_that_redis_forgot_is_told_again(servers):
    limits = servers.start()
    servers.taken(limits, WIDE, 3)
    with servers.redis.client() as client:
        client.script_flush()
    assert servers.taken(limits, WIDE, 2) == 2
    assert limits.shared
    assert limits.used(servers.account).minute == 5


def test_a_redis_that_takes_no_writes_is_away_until_it_does(servers):
    limits = servers.start()
    with servers.memory_full():
        assert servers.taken(limits, plan(minute=8), 10) == 4
        assert not limits.retry()
    assert limits.retry()
    assert limits.used(servers.account).minute == 4


def test_a_server_starts_without_redis_and_counts_together_once_it_is_there(servers):
    servers.redis.stop()
    limits = servers.start()
    assert servers.taken(limits, plan(minute=8), 10) == 4
    servers.redis.start()
    assert limits.retry()
    assert servers.taken(servers.start(), plan(minute=8), 10) == 4


def test_redis_is_tried_again_by_itself(servers):
    limits = servers.start(retry_seconds=0.01)
    with servers.world.database.read() as session:
        limits.start(session)
    servers.redis.stop()
    eventually(lambda: not limits.shared, "Redis is still used")
    assert servers.taken(limits, WIDE, 3) == 3
    servers.redis.start()
    eventually(lambda: limits.shared, "Redis is not used again")
    assert limits.used(servers.account).day == 3


def test_going_away_and_coming_back_is_told_once_each(servers):
    limits = servers.start()
    with capture_logs() as logs:
        servers.redis.stop()
        servers.taken(limits, WIDE, 5)
        for _ in range(3):
            limits.retry()
        servers.redis.start()
        for _ in range(3):
            limits.retry()
    assert [entry["log_level"] for entry in logs] == ["warning", "info"]
    assert logs[0]["reason"] == "ConnectionError"


def test_each_request_that_is_judged_locally_is_counted(servers):
    judged = []
    limits = servers.start(count_local_call=lambda: judged.append(1))
    servers.taken(limits, WIDE, 2)
    with servers.memory_full():
        servers.taken(limits, plan(minute=8), 6)
    limits.retry()
    servers.taken(limits, WIDE, 2)
    assert len(judged) == 6


def test_saving_writes_hours_and_days_of_accounts_that_called_since(servers):
    limits = servers.start()
    assert not limits.unsaved()
    servers.taken(limits, plan(minute=3), 5)
    assert limits.unsaved()
    servers.save(limits)
    assert not limits.unsaved()
    with servers.world.database.read() as session:
        rows = session.raw.execute('SELECT "window", start, count FROM rate_counters ORDER BY 1').fetchall()
    assert [tuple(row) for row in rows] == [("day", MIDNIGHT, 3), ("hour", MIDNIGHT, 3)]


def test_what_could_not_be_saved_is_saved_the_next_time(servers):
    limits = servers.start()
    servers.taken(limits, WIDE, 2)
    with pytest.raises(AttributeError):
        limits.save(None)
    assert limits.unsaved()
    servers.save(limits)
    assert not limits.unsaved()
