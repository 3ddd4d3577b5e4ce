"""Detectors of signals in the dated figures of a company: head counts, monthly visits, IT spend.

Each function takes all stored figures of one company, kind and source, ordered by day with each day once, and returns
every signal of every month, so that the order of imports does not matter. Rates are compared exactly and rounded only
in events.
"""

from bisect import bisect_right
from calendar import monthrange
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Final, NamedTuple

from firmograph.directory.money import dollars
from firmograph.security.record_ids import Entity
from firmograph.signals.events import (
    Detected,
    HeadcountChange,
    SpendChange,
    TrafficChange,
    change_rate,
    round_figure,
)
from firmograph.signals.thresholds import HeadcountThresholds, ItSpendThresholds, TrafficThresholds

PERIODS: Final = (1, 3, 6, 12)
"""Periods in months over which head counts are compared."""


class Figure(NamedTuple):
    day: date
    """First of the month for a monthly figure."""
    value: float
    currency: str | None = None


def headcount_signals(company: int, figures: Sequence[Figure], rules: HeadcountThresholds) -> list[Detected]:
    """Return the head count signals of a company.

    Each type has at most one signal a month, that of the earliest figure, which would have been detected first.
    """
    rates = dict(zip(PERIODS, (rules.rate_1m, rules.rate_3m, rules.rate_6m, rules.rate_12m), strict=True))
    days = [one.day for one in figures]
    found: dict[tuple[str, str], Detected] = {}
    for new in figures:
        for months, rate in rates.items():
            old = _baseline(figures, days, months_before(new.day, months), rules.baseline_days)
            if old is None or abs(new.value - old.value) < rules.least_people:
                continue
            if direction := _direction(new.value, old.value, rate):
                event = HeadcountChange(
                    baseline_employees_count=round_figure(old.value),
                    new_employees_count=round_figure(new.value),
                    change_rate_percent=change_rate(new.value, old.value),
                )
                type, month = f"headcount{direction}{months}m", f"{new.day:%Y-%m}"
                one = Detected(Entity.COMPANY, company, type, month, new.day.isoformat(), event)
                found.setdefault((type, month), one)
    return list(found.values())


def traffic_signals(
    company: int, figures: Sequence[Figure], rules: TrafficThresholds, today: date
) -> list[Detected]:
    """Compare the visits of each month with the average of the stored months before it.

    A signal is dated on the last day of its month, or today in the current month.
    """
    visits = {one.day: one.value for one in figures}
    found = []
    for month, new in visits.items():
        before = [months_before(month, months) for months in range(1, rules.history_months + 1)]
        history = [visits[one] for one in before if one in visits]
        if not history or len(history) < rules.least_months:
            continue
        average = sum(history) / len(history)
        direction = _direction(new, average, rules.rate) if average >= rules.least_visits else ""
        if direction:
            event = TrafficChange(
                historical_avg=round_figure(average),
                last_month_visits=round_figure(new),
                change_rate_percent=change_rate(new, average),
            )
            day = min(_last_day(month), today).isoformat()
            found.append(
                Detected(Entity.COMPANY, company, f"websiteTraffic{direction}", f"{month:%Y-%m}", day, event)
            )
    return found


def it_spend_signals(company: int, figures: Sequence[Figure], rules: ItSpendThresholds) -> list[Detected]:
    """Compare each estimate with the one before it, in a common currency or else in dollars; events show dollars.

    Estimates in a currency without an exchange rate are skipped.
    """
    found = []
    for old, new in pairwise(figures):
        amounts = _comparable_amounts(old, new)
        if amounts is None or new.day - old.day > timedelta(days=rules.most_days):
            continue
        before, now = amounts
        if direction := _direction(now, before, rules.rate):
            event = SpendChange(
                estimated_annual_it_spend=round_figure(dollars(new.value, new.currency) or 0),
                change_rate_percent=change_rate(now, before),
            )
            day = new.day.isoformat()
            found.append(Detected(Entity.COMPANY, company, f"itSpend{direction}", day, day, event))
    return found


def months_before(day: date, months: int) -> date:
    """Return the same day of an earlier month, or the last day of that month."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _last_day(month: date) -> date:
    return month.replace(day=monthrange(month.year, month.month)[1])


def _baseline(figures: Sequence[Figure], days: Sequence[date], day: date, most_days: int) -> Figure | None:
    """Return the last figure at or before a day, unless it is more than `most_days` older."""
    index = bisect_right(days, day) - 1
    if index < 0 or days[index] < day - timedelta(days=most_days):
        return None
    return figures[index]


def _direction(new: float, old: float, rate: float) -> str:
    """Return `Increase` or `Decrease` if the change reaches `rate` percent of the old value, else an empty string."""
    if old <= 0 or abs(new - old) * 100 < rate * old:
        return ""
    return "Increase" if new > old else "Decrease"


def _comparable_amounts(old: Figure, new: Figure) -> tuple[float, float] | None:
    in_dollars = dollars(old.value, old.currency), dollars(new.value, new.currency)
    if in_dollars[0] is None or in_dollars[1] is None:
        return None
    if old.currency == new.currency:
        return old.value, new.value
    return in_dollars[0], in_dollars[1]
