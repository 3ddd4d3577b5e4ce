"""Counters in the database, counters_after by several processes in any order."""

import itertools

import pytest

from firmograph.database.connection import AccountSession
from firmograph.rate_limits import store
from firmograph.rate_limits.windows import DAY, HOUR

START = 1_790_035_200


@pytest.fixture
def account(world):
    return world.caller().account_id


def counters_after(world, account, *rows):
    """Write hourly counters one after another, each a start and a count; return the stored ones."""
    session = world.database.session()
    for start, count in rows:
        store.upsert_counters(session, [(account, "hour", start, count)])
    return [row[2:] for row in store.select_counters(session, 0)]


def test_the_greatest_count_of_a_window_remains_in_any_order_of_writes(world, account):
    for rows in itertools.permutations([(START, 3), (START, 9), (START, 5)]):
        assert counters_after(world, account, *rows) == [(START, 9)]


def test_a_later_window_replaces_an_earlier_one_with_a_greater_count(world, account):
    assert counters_after(world, account, (START, 9), (START + HOUR, 2)) == [(START + HOUR, 2)]


def test_an_earlier_window_does_not_replace_a_later_one(world, account):
    assert counters_after(world, account, (START + DAY, 2), (START + HOUR, 9), (START, 50)) == [
        (START + DAY, 2)
    ]


def test_a_window_years_ahead_is_replaced_by_a_current_one(world, account):
    assert counters_after(world, account, (START + 1000 * DAY, 9), (START, 2)) == [(START, 2)]


def test_counters_of_an_account_exclude_other_accounts_and_ended_windows(world, account):
    other = world.caller("Other").account_id
    session = world.database.session()
    rows = [(account, "hour", START, 3), (account, "day", START - DAY, 4), (other, "hour", START, 5)]
    store.upsert_counters(session, rows)
    assert store.select_account_counters(AccountSession(session, account), START - DAY) == [
        (account, "hour", START, 3)
    ]
