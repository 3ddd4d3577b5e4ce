import pytest
from limit_fixtures import MIDNIGHT, count_admitted, plan

from firmograph.database.connection import ACCOUNTS
from firmograph.kit.clock import SetClock
from firmograph.rate_limits.windows import PATH_LIMITS


@pytest.fixture
def clock():
    return SetClock(MIDNIGHT)


@pytest.fixture
def limits(backend, clock):
    with backend.open_limiters(clock) as (limits,):
        yield limits


def hit(limits, plan, path=None):
    return limits.take(1, plan, path)[1]


def test_the_reference_time_is_midnight():
    assert MIDNIGHT % 86_400 == 0


@pytest.mark.parametrize(("name", "length"), [("minute", 60), ("hour", 3_600), ("day", 86_400)])
def test_a_window_admits_its_limit_and_returns_when_it_ends(limits, clock, name, length):
    clock.advance(length / 4)
    narrow = plan(**{name: 3})
    assert count_admitted(limits, narrow, 10) == 3
    assert hit(limits, narrow) == (name, 3, length * 3 / 4)


@pytest.mark.parametrize(("name", "length"), [("minute", 60), ("hour", 3_600), ("day", 86_400)])
def test_windows_begin_with_minutes_hours_and_days_in_utc(limits, clock, name, length):
    narrow = plan(**{name: 3})
    clock.advance(length - 1)
    assert count_admitted(limits, narrow, 10) == 3
    clock.advance(0.5)
    assert count_admitted(limits, narrow, 10) == 0
    clock.advance(0.5)
    assert count_admitted(limits, narrow, 10) == 3


def test_the_second_slides(limits, clock):
    narrow = plan(second=2)
    clock.advance(0.75)
    assert count_admitted(limits, narrow, 1) == 1
    clock.advance(0.5)
    assert count_admitted(limits, narrow, 5) == 1
    assert hit(limits, narrow) == ("second", 2, 0.5)
    clock.advance(0.5)
    assert count_admitted(limits, narrow, 5) == 1


@pytest.mark.parametrize(("later", "admitted"), [(0, 0), (0.75, 0), (0.9990234375, 0), (1, 3), (5, 3)])
def test_a_request_stops_counting_in_the_sliding_second_after_one_second(limits, clock, later, admitted):
    narrow = plan(second=3)
    count_admitted(limits, narrow, 3)
    clock.advance(later)
    assert count_admitted(limits, narrow, 9) == admitted


def test_a_refused_request_is_not_counted(limits):
    narrow = plan(second=2, minute=5)
    assert count_admitted(limits, narrow, 50) == 2
    assert limits.used(1)[:3] == (2, 2, 2)


def test_a_request_refused_for_the_day_does_not_count_in_the_minute(limits):
    narrow = plan(day=2)
    count_admitted(limits, narrow, 10, path="usage")
    assert limits.used(1)[:3] == (2, 2, 2)


def test_windows_are_checked_in_the_order_second_path_minute_hour_day(limits, clock):
    everything = {"second": 5, "minute": 5, "hour": 5, "day": 5}
    assert count_admitted(limits, plan(**everything), 9, path="usage") == 5
    order = []
    for name in ("second", None, "minute", "hour", "day"):
        order.append(hit(limits, plan(**everything), path="usage" if len(order) < 2 else None).window)
        if name:
            everything[name] = 1000
    assert order == ["second", "usage", "minute", "hour", "day"]


def test_usage_paths_share_five_requests_a_minute_apart_from_other_paths(limits, clock):
    wide = plan()
    assert count_admitted(limits, wide, 9, path="usage") == 5
    assert hit(limits, wide, path="usage") == ("usage", 5, 60)
    assert count_admitted(limits, wide, 200, path="webhooks") == 100
    assert count_admitted(limits, wide, 9) == 9
    clock.advance(60)
    assert count_admitted(limits, wide, 9, path="usage") == 5


@pytest.mark.parametrize("path", PATH_LIMITS)
def test_every_backend_applies_each_limit_of_paths(limits, path):
    assert count_admitted(limits, plan(), 300, path=path) == PATH_LIMITS[path]


def test_accounts_do_not_share_windows(limits):
    narrow = plan(minute=3)
    assert count_admitted(limits, narrow, 5, account=1) == 3
    assert count_admitted(limits, narrow, 5, account=2) == 3


def test_a_plan_without_an_hourly_window_has_none(limits):
    assert count_admitted(limits, plan(hour=None, minute=500), 400) == 400


def test_requests_under_a_larger_plan_count_in_a_smaller_one(limits):
    count_admitted(limits, plan(minute=50), 40)
    assert hit(limits, plan(minute=30)).window == "minute"


def test_setting_the_clock_back_does_not_reopen_a_window(limits, clock):
    narrow = plan(second=3, minute=3, day=6)
    clock.advance(90)
    assert count_admitted(limits, narrow, 9) == 3
    clock.advance(-80)
    assert count_admitted(limits, narrow, 9) == 0
    clock.advance(80)
    assert count_admitted(limits, narrow, 9) == 0
    clock.advance(60)
    assert count_admitted(limits, narrow, 9) == 3


def test_a_clock_that_was_years_ahead_blocks_nobody(limits, clock):
    narrow = plan(day=3)
    clock.advance(1000 * 86_400)
    assert count_admitted(limits, narrow, 9) == 3
    clock.advance(-1000 * 86_400)
    assert count_admitted(limits, narrow, 9) == 3


def _restart(world):
    with world.database.write(ACCOUNTS) as session:
        world.limits.save(session)
    world.reopen()
    with world.database.read() as session:
        world.limits.start(session)


def test_a_restart_keeps_the_counts(world):
    account = world.caller().account_id
    narrow = plan(minute=20, hour=30, day=40)
    count_admitted(world.limits, narrow, 4, path="usage", account=account)
    count_admitted(world.limits, narrow, 3, account=account)
    used = world.limits.used(account)
    _restart(world)
    assert world.limits.used(account) == used
    assert count_admitted(world.limits, narrow, 9, path="usage", account=account) == 1
    assert count_admitted(world.limits, narrow, 99, account=account) == 12


def test_a_window_that_ended_during_a_restart_starts_empty(world):
    account = world.caller().account_id
    narrow = plan(minute=5, hour=8)
    count_admitted(world.limits, narrow, 5, account=account)
    _restart(world)
    world.clock.advance(60)
    assert count_admitted(world.limits, narrow, 9, account=account) == 3


def test_a_clock_set_back_during_a_restart_does_not_reopen_a_window(world):
    account = world.caller().account_id
    narrow = plan(minute=5)
    count_admitted(world.limits, narrow, 5, account=account)
    with world.database.write(ACCOUNTS) as session:
        world.limits.save(session)
    world.clock.advance(-300)
    _restart(world)
    assert count_admitted(world.limits, narrow, 9, account=account) == 0


def test_saving_writes_only_accounts_with_requests_since_the_last_save(world):
    first, second = world.caller("First").account_id, world.caller("Second").account_id
    session = world.database.session()
    count_admitted(world.limits, plan(), 1, account=first)
    world.limits.save(session)
    assert not world.limits.unsaved()
    before = session.statements
    world.limits.save(session)
    assert session.statements == before
    session.raw.execute("DELETE FROM rate_counters")
    count_admitted(world.limits, plan(), 1, account=second)
    world.limits.save(session)
    rows = session.raw.execute("SELECT DISTINCT account_id FROM rate_counters").fetchall()
    assert rows == [(second,)]


def test_a_failed_save_is_repeated_by_the_next_one(world):
    account = world.caller().account_id
    count_admitted(world.limits, plan(), 2, account=account)
    session = world.database.session()
    session.raw.execute("ALTER TABLE rate_counters RENAME TO away")
    with pytest.raises(Exception, match="rate_counters"):
        world.limits.save(session)
    session.raw.execute("ALTER TABLE away RENAME TO rate_counters")
    assert world.limits.unsaved()
    world.limits.save(session)
    rows = session.raw.execute('SELECT "window", count FROM rate_counters ORDER BY 1').fetchall()
    assert rows == [("day", 2), ("hour", 2), ("minute", 2)]


def test_counts_of_an_account_missing_from_a_restored_backup_do_not_prevent_saving_others(world):
    account = world.caller().account_id
    count_admitted(world.limits, plan(), 2, account=account)
    count_admitted(world.limits, plan(), 1, account=account + 1)
    with world.database.write(ACCOUNTS) as session:
        world.limits.save(session)
    rows = session.raw.execute("SELECT DISTINCT account_id FROM rate_counters").fetchall()
    assert rows == [(account,)]
    assert not world.limits.unsaved()
