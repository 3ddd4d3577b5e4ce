"""Signals that the dated figures of one company show: head counts, monthly visits, IT spend.

Each function gets all figures of one company, kind and source that are held, and returns every signal that they show,
for every month: nothing depends on the order in which they came. Figures stand by day, each day once. A rate is
compared as it is, and only rounded to be shown.
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
    figure,
)
from firmograph.signals.thresholds import Headcount, ItSpend, Traffic

PERIODS: Final = (1, 3, 6, 12)
"""Months over which head counts are compared."""


class Figure(NamedTuple):
    day: date
    """The first of its month where the figure is a month's."""
    value: float
    currency: str | None = None


def headcount_signals(company: int, figures: Sequence[Figure], rules: Headcount) -> list[Detected]:
    """Of several figures of one month that show a signal of one type the earliest tells it: it would have been
    detected first."""
    rates = dict(zip(PERIODS, (rules.rate_1m, rules.rate_3m, rules.rate_6m, rules.rate_12m), strict=True))
    days = [one.day for one in figures]
    found: dict[tuple[str, str], Detected] = {}
    for new in figures:
        for months, rate in rates.items():
            old = _baseline(figures, days, months_before(new.day, months), rules.baseline_days)
            if old is None or abs(new.value - old.value) < rules.least_people:
                continue
            if way := _way(new.value, old.value, rate):
                event = HeadcountChange(
                    baseline_employees_count=figure(old.value),
                    new_employees_count=figure(new.value),
                    change_rate_percent=change_rate(new.value, old.value),
                )
                type, month = f"headcount{way}{months}m", f"{new.day:%Y-%m}"
                one = Detected(Entity.COMPANY, company, type, month, new.day.isoformat(), event)
                found.setdefault((type, month), one)
    return list(found.values())


def traffic_signals(company: int, figures: Sequence[Figure], rules: Traffic, today: date) -> list[Detected]:
    """A month's visits against the average of the months before it that are held. Dated the last day of the month,
    or today while it has not ended."""
    visits = {one.day: one.value for one in figures}
    found = []
    for month, new in visits.items():
        before = [months_before(month, months) for months in range(1, rules.history_months + 1)]
        history = [visits[one] for one in before if one in visits]
        if not history or len(history) < rules.least_months:
            continue
        average = sum(history) / len(history)
        way = _way(new, average, rules.rate) if average >= rules.least_visits else ""
        if way:
            event = TrafficChange(
                historical_avg=figure(average),
                last_month_visits=figure(new),
                change_rate_percent=change_rate(new, average),
            )
            day = min(_last_day(month), today).isoformat()
            found.append(
                Detected(Entity.COMPANY, company, f"websiteTraffic{way}", f"{month:%Y-%m}", day, event)
            )
    return found


def it_spend_signals(company: int, figures: Sequence[Figure], rules: ItSpend) -> list[Detected]:
    """An estimate against the one before it, in their currency if they have the same, else in dollars; shown in
    dollars. Estimates in a currency without a rate compare with nothing."""
    found = []
    for old, new in pairwise(figures):
        amounts = _comparable(old, new)
        if amounts is None or new.day - old.day > timedelta(days=rules.most_days):
            continue
        before, now = amounts
        if way := _way(now, before, rules.rate):
            event = SpendChange(
                estimated_annual_it_spend=figure(dollars(new.value, new.currency) or 0),
                change_rate_percent=change_rate(now, before),
            )
            day = new.day.isoformat()
            found.append(Detected(Entity.COMPANY, company, f"itSpend{way}", day, day, event))
    return found


def months_before(day: date, months: int) -> date:
    """The same day of an earlier month, or its last day where it has no such day."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _last_day(month: date) -> date:
    return month.replace(day=monthrange(month.year, month.month)[1])


def _baseline(figures: Sequence[Figure], days: Sequence[date], day: date, most_days: int) -> Figure | None:
    """The last figure at or before a day, if it is not older than that many days before it."""
    place = bisect_right(days, day) - 1
    if place < 0 or days[place] < day - timedelta(days=most_days):
        return None
    return figures[place]


def _way(new: float, old: float, rate: float) -> str:
    """`Increase` or `Decrease` where the change is that many percent of the old one; 0 has no rate."""
    if old <= 0 or abs(new - old) * 100 < rate * old:
        return ""
    return "Increase" if new > old else "Decrease"


def _comparable(old: Figure, new: Figure) -> tuple[float, float] | None:
    in_dollars = dollars(old.value, old.currency), dollars(new.value, new.currency)
    if in_dollars[0] is None or in_dollars[1] is None:
        return None
    if old.currency == new.currency:
        return old.value, new.value
    return in_dollars[0], in_dollars[1]
