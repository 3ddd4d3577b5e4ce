"""Signals of dated figures under the packaged thresholds."""

from datetime import date

import msgspec
import pytest

from firmograph.signals.figures.detectors import (
    Figure,
    headcount_signals,
    it_spend_signals,
    months_before,
    traffic_signals,
)
from firmograph.signals.thresholds import load_thresholds

pytestmark = pytest.mark.no_database

RULES = load_thresholds()
COMPANY = 7


def figures(*given):
    """Parse figures such as `"2025-01-31 100"` or `"2025-01-31 100 EUR"`; a month means its first day."""
    found = []
    for one in given:
        day, value, *currency = one.split()
        found.append(
            Figure(
                date.fromisoformat(day if len(day) > 7 else f"{day}-01"),
                float(value),
                currency[0] if currency else None,
            )
        )
    return found


def months(first, *values):
    """Return one figure for each month; None is a month without a figure."""
    start = int(first[:4]) * 12 + int(first[5:]) - 1
    return [
        Figure(date((start + number) // 12, (start + number) % 12 + 1, 1), value)
        for number, value in enumerate(values)
        if value is not None
    ]


def summarised(detected):
    """Return type, key, day and figures of each signal."""
    return [
        (one.type, one.key, one.day, *msgspec.to_builtins(one.event).values())
        for one in sorted(detected, key=lambda one: (one.day, one.type))
    ]


def up(period, day, old, new, rate):
    return f"headcountIncrease{period}", day[:7], day, old, new, rate


def down(period, day, old, new, rate):
    return f"headcountDecrease{period}", day[:7], day, old, new, rate


HEADCOUNTS = {
    "one figure has nothing to compare with": (figures("2025-01-01 100"), []),
    "growth over a month": (
        figures("2025-01-01 100", "2025-02-01 105"),
        [up("1m", "2025-02-01", 100, 105, 5)],
    ),
    "just under the rate": (figures("2025-01-01 1000", "2025-02-01 1049"), []),
    "the rate but too few people": (figures("2025-01-01 20", "2025-02-01 24"), []),
    "exactly the least number of people": (
        figures("2025-01-01 20", "2025-02-01 25"),
        [up("1m", "2025-02-01", 20, 25, 25)],
    ),
    "a rate that floating point puts below itself": (
        figures("2024-01-01 100", "2025-01-01 120"),
        [up("12m", "2025-01-01", 100, 120, 20)],
    ),
    "people leave": (
        figures("2025-01-01 100", "2025-02-01 90"),
        [down("1m", "2025-02-01", 100, 90, -10)],
    ),
    "everyone leaves": (
        figures("2025-01-01 10", "2025-02-01 0"),
        [down("1m", "2025-02-01", 10, 0, -100)],
    ),
    "a rise from zero people has no rate": (figures("2025-01-01 0", "2025-02-01 50"), []),
    "the same growth over several periods": (
        figures("2024-11-01 100", "2025-01-01 100", "2025-02-01 120"),
        [up("1m", "2025-02-01", 100, 120, 20), up("3m", "2025-02-01", 100, 120, 20)],
    ),
    "slow growth shows over the long periods only": (
        months("2024-01", *range(100, 126, 2)),
        [up("12m", "2025-01-01", 100, 124, 24)],
    ),
    "a baseline may be a month old": (
        figures("2025-01-01 100", "2025-03-01 120"),
        [up("1m", "2025-03-01", 100, 120, 20)],
    ),
    "an older figure is no baseline": (figures("2025-01-01 100", "2025-03-05 120"), []),
    "a figure after the baseline's day is no baseline": (figures("2025-01-02 100", "2025-02-01 120"), []),
    "the last figure before the baseline's day counts": (
        figures("2025-01-01 100", "2025-01-15 118", "2025-02-15 121"),
        [],
    ),
    "the end of a month has its day in a shorter one": (
        figures("2025-02-28 100", "2025-03-31 120"),
        [up("1m", "2025-03-31", 100, 120, 20)],
    ),
    "the first of several figures of a month counts": (
        figures("2025-01-01 100", "2025-02-10 110", "2025-02-20 130"),
        [up("1m", "2025-02-10", 100, 110, 10)],
    ),
    "a rise and a fall in one month are two signals": (
        figures("2025-01-01 100", "2025-02-05 120", "2025-02-20 80"),
        [up("1m", "2025-02-05", 100, 120, 20), down("1m", "2025-02-20", 100, 80, -20)],
    ),
    "every month has its own signal": (
        figures("2025-01-01 100", "2025-02-01 110", "2025-03-01 121"),
        [up("1m", "2025-02-01", 100, 110, 10), up("1m", "2025-03-01", 110, 121, 10)],
    ),
}


@pytest.mark.parametrize("case", HEADCOUNTS)
def test_head_counts(case):
    given, expected = HEADCOUNTS[case]
    assert summarised(headcount_signals(COMPANY, given, RULES.headcount)) == expected


def traffic(way, month, day, average, visits, rate):
    return f"websiteTraffic{way}", month, day, average, visits, rate


TRAFFIC = {
    "two months are no history": (months("2025-01", 5000, 5000, 9000), []),
    "three months are one": (
        months("2025-01", 5000, 5000, 5000, 6000),
        [traffic("Increase", "2025-04", "2025-04-30", 5000, 6000, 20)],
    ),
    "just under the rate": (months("2025-01", 5000, 5000, 5000, 5999), []),
    "fewer visits": (
        months("2025-01", 5000, 5000, 5000, 4000),
        [traffic("Decrease", "2025-04", "2025-04-30", 5000, 4000, -20)],
    ),
    "an average that is no whole number": (
        months("2025-01", 5000, 5000, 5001, 9000),
        [traffic("Increase", "2025-04", "2025-04-30", 5000.33, 9000, 80)],
    ),
    "too few visits": (months("2025-01", 999, 999, 999, 9000), []),
    "months without a figure are left out of the average": (
        months("2025-01", 5000, None, 4000, 6000, None, None, 8000),
        [traffic("Increase", "2025-07", "2025-07-31", 5000, 8000, 60)],
    ),
    "a gap in coverage is no history": (
        months("2025-01", 5000, 5000, 5000, None, None, None, None, None, 9000),
        [],
    ),
    "months before the look-back do not count": (
        months("2025-01", 90000, *[5000] * 6, 5100),
        [
            traffic("Decrease", "2025-04", "2025-04-30", 33333.33, 5000, -85),
            traffic("Decrease", "2025-05", "2025-05-31", 26250, 5000, -81),
            traffic("Decrease", "2025-06", "2025-06-30", 22000, 5000, -77),
            traffic("Decrease", "2025-07", "2025-07-31", 19166.67, 5000, -74),
        ],
    ),
    "a month that has not ended is dated today": (
        months("2025-09", 5000, 5000, 5000, 9000),
        [traffic("Increase", "2025-12", "2025-12-10", 5000, 9000, 80)],
    ),
}


@pytest.mark.parametrize("case", TRAFFIC)
def test_traffic(case):
    given, expected = TRAFFIC[case]
    assert summarised(traffic_signals(COMPANY, given, RULES.traffic, date(2025, 12, 10))) == expected


def spend(way, day, value, rate):
    return f"itSpend{way}", day, day, value, rate


SPEND = {
    "one estimate has nothing to compare with": (figures("2025-01-01 100 USD"), []),
    "a tenth more": (
        figures("2024-01-01 100000 USD", "2025-01-01 110000 USD"),
        [spend("Increase", "2025-01-01", 110000, 10)],
    ),
    "just under the rate": (figures("2024-01-01 100000 USD", "2025-01-01 109999 USD"), []),
    "a tenth less": (
        figures("2024-01-01 100000 USD", "2025-01-01 90000 USD"),
        [spend("Decrease", "2025-01-01", 90000, -10)],
    ),
    "only the estimate before counts": (
        figures("2023-06-01 50000 USD", "2024-01-01 100000 USD", "2025-01-01 101000 USD"),
        [spend("Increase", "2024-01-01", 100000, 100)],
    ),
    "an estimate of two years ago": (
        figures("2023-01-01 100000 USD", "2024-12-31 200000 USD"),
        [spend("Increase", "2024-12-31", 200000, 100)],
    ),
    "an older estimate is no baseline": (
        figures("2023-01-01 100000 USD", "2025-01-02 200000 USD"),
        [],
    ),
    "two estimates in one currency compare in it and are shown in dollars": (
        figures("2024-01-01 100000 EUR", "2025-01-01 120000 EUR"),
        [spend("Increase", "2025-01-01", 128460, 20)],
    ),
    "estimates in two currencies compare in dollars": (
        figures("2024-01-01 100000 EUR", "2025-01-01 107050 USD"),
        [],
    ),
    "a smaller number in another currency can be a rise": (
        figures("2024-01-01 100000 USD", "2025-01-01 99000 GBP"),
        [spend("Increase", "2025-01-01", 125215, 25)],
    ),
    "a currency without a rate has no signals": (
        figures("2024-01-01 100 XXX", "2024-06-01 300 XXX", "2025-01-01 900 USD"),
        [],
    ),
    "a rise from zero has no rate": (figures("2024-01-01 0 USD", "2025-01-01 90 USD"), []),
}


@pytest.mark.parametrize("case", SPEND)
def test_it_spend(case):
    given, expected = SPEND[case]
    assert summarised(it_spend_signals(COMPANY, given, RULES.it_spend)) == expected


@pytest.mark.parametrize(
    ("day", "count", "expected"),
    [
        ("2025-03-31", 1, "2025-02-28"),
        ("2024-03-31", 1, "2024-02-29"),
        ("2025-01-15", 1, "2024-12-15"),
        ("2025-05-31", 12, "2024-05-31"),
        ("2024-02-29", 12, "2023-02-28"),
        ("2025-01-31", 6, "2024-07-31"),
    ],
)
def test_months_before(day, count, expected):
    assert months_before(date.fromisoformat(day), count).isoformat() == expected
