"""Counters in the database, which several processes write in any order."""

import itertools

import pytest

from firmograph.rate_limits import store
from firmograph.rate_limits.windows import DAY, HOUR

START = 1_790_035_200


@pytest.fixture
def account(world):
    return world.caller().account_id


def written(world, account, *rows):
    """What stays of rows of the hour, each a start and a count, written one after the other."""
    session = world.database.session()
    for start, count in rows:
        store.upsert_counters(session, [(account, "hour", start, count)])
    return [row[2:] for row in store.select_counters(session, 0)]


def test_of_one_window_the_greatest_count_stays_in_whatever_order(world, account):
    for rows in itertools.permutations([(START, 3), (START, 9), (START, 5)]):
        assert written(world, account, *rows) == [(START, 9)]


def test_a_later_window_takes_the_place_of_an_earlier_one_though_its_count_is_smaller(world, account):
    assert written(world, account, (START, 9), (START + HOUR, 2)) == [(START + HOUR, 2)]


def test_an_earlier_window_does_not_come_back(world, account):
    assert written(world, account, (START + DAY, 2), (START + HOUR, 9), (START, 50)) == [(START + DAY, 2)]


def test_a_window_of_years_ahead_does_not_stay_for_years(world, account):
    assert written(world, account, (START + 1000 * DAY, 9), (START, 2)) == [(START, 2)]


def test_counters_of_one_account_leave_out_others_and_what_is_over(world, account):
    other = world.caller("Other").account_id
    session = world.database.session()
    rows = [(account, "hour", START, 3), (account, "day", START - DAY, 4), (other, "hour", START, 5)]
    store.upsert_counters(session, rows)
    assert store.select_account_counters(session, account, START - DAY) == [(account, "hour", START, 3)]
