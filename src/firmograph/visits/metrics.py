"""Metrics of companies over the sessions of a window, as arrays."""

from functools import partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firmograph.visits.score import scores

Ints = NDArray[np.int64]
Figures = NDArray[np.int64] | NDArray[np.float64]

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

_COUNTRY_BITS: Final = 15
"""Bits of a country's number."""
_COUNTRY_MASK: Final = (1 << _COUNTRY_BITS) - 1
_COUNT_BITS: Final = 26
"""Bits of the number of sessions of a company from a country."""
_MOST_COUNT: Final = (1 << _COUNT_BITS) - 1
_MINUTE_DIGITS: Final = 2


class WindowSessions(NamedTuple):
    """Sessions of a window; each field has one value a session."""

    company: NDArray[np.int64]
    """Position of the company; of a session without one, the number of companies."""
    visitor: NDArray[np.uint64]
    """Equal for equal visitors."""
    day: NDArray[np.int32]
    """Day of its start, counted from the first of the window."""
    seconds: NDArray[np.int32]
    intent: NDArray[np.int16]
    """Page views of high intent."""
    country: NDArray[np.int16]
    """`packing.country_number`, in alphabetical order; 0 if it is unknown."""


class CompanyMetrics:
    """Metrics of each company with sessions, ordered by position.

    Distinct visitors and countries take longer than all others together, so that they are computed for the companies
    alone that they are asked for.
    """

    def __init__(self, found: WindowSessions, companies: int, days: int, until: int) -> None:
        """Compute the metrics over a window of at most 255 `days`, for positions of companies below `companies`.

        `until` is the day to which the days since the last visit are counted.
        """
        self._found = found
        self._companies = companies
        total = partial(np.bincount, found.company, minlength=companies + 1)
        counts = total()[:-1]
        self.company: Ints = np.flatnonzero(counts)
        sessions = counts[self.company]
        minutes = np.round(total(weights=found.seconds)[self.company] / 60 / sessions, _MINUTE_DIGITS)
        intent = total(weights=found.intent)[self.company]
        # the last day first, as the first true value is found faster than the last one
        on_day = np.zeros((companies + 1, days), np.bool_)
        on_day.reshape(-1)[found.company * days + (days - 1 - found.day)] = True
        last_day = days - 1 - on_day.argmax(axis=1)[self.company]
        days_visited = on_day.view(np.uint8).sum(axis=1, dtype=np.uint8)[self.company]
        since = np.maximum(until - last_day, 0)
        self._values: dict[str, Figures] = {
            "score": scores(sessions, minutes, intent, since),
            "totalSessions": sessions,
            "avgSessionMinutes": minutes,
            "daysVisited": days_visited.astype(np.int64),
            "highIntentPageviews": intent.astype(np.int64),
            "daysSinceLastVisit": since,
            "lastVisit": last_day,
        }

    def of(self, key: str, places: Ints) -> Figures:
        """Return a metric, one of `SORT_KEYS`, of the companies at some places.

        `lastVisit` is counted in days from the first one of the window; minutes have two decimals.
        """
        if key == "uniqueVisitors":
            return self._visitors(places)
        return self._values[key][places]

    def countries(self, places: Ints) -> Ints:
        """Return the commonest known country of each; of equal ones the first of the alphabet, 0 without any."""
        chosen = self._sessions_of(places)
        chosen &= self._found.country > 0
        pairs = self._found.company[chosen] << _COUNTRY_BITS
        pairs |= self._found.country[chosen]
        pairs.sort()
        starts = np.flatnonzero(_starts(pairs))
        counts = np.diff(np.append(starts, len(pairs)))
        company, country = pairs[starts] >> _COUNTRY_BITS, pairs[starts] & _COUNTRY_MASK
        # one number each, as one array is sorted several times faster than three
        ranked = (((company << _COUNT_BITS) | (_MOST_COUNT - counts)) << _COUNTRY_BITS) | country
        ranked.sort()
        company = ranked >> (_COUNT_BITS + _COUNTRY_BITS)
        firsts = _starts(company)
        commonest = np.zeros(self._companies, np.int64)
        commonest[company[firsts]] = ranked[firsts] & _COUNTRY_MASK
        return commonest[self.company[places]]

    def _visitors(self, places: Ints) -> Ints:
        """Return the number of distinct visitors of each."""
        chosen = self._sessions_of(places)
        # the bits of a digest that are left differ for the visitors of one company
        bits = np.uint64(64 - max(self._companies - 1, 1).bit_length())
        pairs = self._found.company[chosen].astype(np.uint64)
        pairs <<= bits
        pairs |= self._found.visitor[chosen] & ((np.uint64(1) << bits) - np.uint64(1))
        pairs.sort()
        distinct = (pairs[_starts(pairs)] >> bits).astype(np.int64)
        return np.bincount(distinct, minlength=self._companies)[self.company[places]]

    def _sessions_of(self, places: Ints) -> NDArray[np.bool_]:
        wanted = np.zeros(self._companies + 1, np.bool_)
        wanted[self.company[places]] = True
        return wanted[self._found.company]


def _starts(ordered: Ints | NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return where a value differs from the one before."""
    starts = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:])
    return starts
