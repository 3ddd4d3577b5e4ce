"""Metrics of companies over the sessions of a window, as arrays."""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firmograph.visits.score import scores

Ints = NDArray[np.int64]

SORT_KEYS: Final = (
    "score",
    "totalSessions",
    "uniqueVisitors",
    "avgSessionMinutes",
    "daysVisited",
    "highIntentPageviews",
    "daysSinceLastVisit",
    "lastVisit",
)
"""Metrics as answers name them, without those that have no order."""

_COUNTRIES: Final = 1 << 15
"""Above every number of a country."""
_MINUTE_DIGITS: Final = 2


class WindowSessions(NamedTuple):
    """Sessions of a window whose companies are known; each field has one value a session."""

    company: NDArray[np.int32]
    """Position of the company."""
    visitor: NDArray[np.uint64]
    """Equal for equal visitors."""
    day: NDArray[np.int32]
    """Day of its start, counted from the first of the window."""
    seconds: NDArray[np.int32]
    intent: NDArray[np.int16]
    """Page views of high intent."""
    country: NDArray[np.int16]
    """`columns.country_number`, in alphabetical order; 0 if it is unknown."""


@dataclass(frozen=True)
class CompanyMetrics:
    """Metrics of each company with sessions; each field has one value a company."""

    company: Ints
    """Position of the company, ascending."""
    sessions: Ints
    visitors: Ints
    minutes: NDArray[np.float64]
    """Mean of a session, to two decimals."""
    days: Ints
    intent: Ints
    last_day: Ints
    """Counted from the first day of the window."""
    days_since_last: Ints
    country: Ints
    """Commonest known one, of equal ones the first of the alphabet; 0 without any."""
    score: Ints

    def by_key(self, key: str) -> NDArray[np.int64] | NDArray[np.float64]:
        """Return the metric of this name, one of `SORT_KEYS`."""
        return dict(
            zip(
                SORT_KEYS,
                (
                    self.score,
                    self.sessions,
                    self.visitors,
                    self.minutes,
                    self.days,
                    self.intent,
                    self.days_since_last,
                    self.last_day,
                ),
                strict=True,
            )
        )[key]


def company_metrics(found: WindowSessions, companies: int, days: int, until: int) -> CompanyMetrics:
    """Return the metrics over a window of `days` days, for positions of companies below `companies`.

    `until` is the day to which the days since the last visit are counted.
    """
    counts = np.bincount(found.company, minlength=companies)
    visited = np.flatnonzero(counts)
    sessions = counts[visited]
    minutes = np.round(_totals(found.company, found.seconds, companies)[visited] / 60 / sessions, _MINUTE_DIGITS)
    intent = _totals(found.company, found.intent, companies)[visited].astype(np.int64)
    on_day = np.zeros((companies, days), np.bool_)
    on_day[found.company, found.day] = True
    on_day = on_day[visited]
    last_day = days - 1 - on_day[:, ::-1].argmax(axis=1)
    since = np.maximum(until - last_day, 0)
    return CompanyMetrics(
        company=visited,
        sessions=sessions,
        visitors=_distinct_visitors(found, companies)[visited],
        minutes=minutes,
        days=on_day.sum(axis=1),
        intent=intent,
        last_day=last_day,
        days_since_last=since,
        country=_commonest_countries(found, companies)[visited],
        score=scores(sessions.astype(np.float64), minutes, intent.astype(np.float64), since.astype(np.float64)),
    )


def _totals(company: NDArray[np.int32], values: NDArray[np.generic], companies: int) -> NDArray[np.float64]:
    return np.bincount(company, weights=values, minlength=companies)


def _distinct_visitors(found: WindowSessions, companies: int) -> Ints:
    # company and visitor in one number, which sorts several times faster than two; the bits of a digest that are left
    # differ for the visitors of one company
    bits = 64 - max(companies - 1, 1).bit_length()
    visitor = found.visitor & np.uint64((1 << bits) - 1)
    pairs = np.sort(visitor | (found.company.astype(np.uint64) << np.uint64(bits)))
    distinct = pairs[_starts(pairs)] >> np.uint64(bits)
    return np.bincount(distinct.astype(np.int64), minlength=companies)


def _commonest_countries(found: WindowSessions, companies: int) -> Ints:
    known = found.country > 0
    pairs = np.sort(found.company[known].astype(np.int64) * _COUNTRIES + found.country[known])
    starts = np.flatnonzero(_starts(pairs))
    counts = np.diff(np.append(starts, len(pairs)))
    company, country = np.divmod(pairs[starts], _COUNTRIES)
    order = np.lexsort((country, -counts, company))
    firsts = order[_starts(company[order])]
    commonest = np.zeros(companies, np.int64)
    commonest[company[firsts]] = country[firsts]
    return commonest


def _starts(ordered: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Return where a value differs from the one before."""
    starts = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:])
    return starts
