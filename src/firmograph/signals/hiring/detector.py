"""Detector of hiring surges: recent openings of a company against its own history.

See docs/reference/signals.md#hiring-surges.

Only weeks covered by an import count: a gap in coverage is neither a zero nor a rise. Departments and locations are
evaluated over the last four covered weeks, which must be consecutive. A company's history begins with the week of its
first opening, since nothing is known before.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from firmograph.security.record_ids import Entity
from firmograph.signals.events import (
    DepartmentSurge,
    Detected,
    HiringSurge,
    LocationSurge,
    change_rate,
    round_figure,
)
from firmograph.signals.thresholds import HiringThresholds
from firmograph.signals.types import BY_DEPARTMENT, BY_LOCATION

SURGE = "surgeInHiring"

_BLOCK = 4
"""Weeks over which departments and locations are counted (docs/reference/signals.md#events)."""


class Openings(NamedTuple):
    """Number of postings opened on a day in a department and location."""

    day: str
    department: str
    country_code: str | None
    state_code: str | None
    country: str | None
    """English name, as that of the state."""
    state: str | None
    postings: int


def week_end(day: str) -> str:
    """Return the Sunday of a day's ISO week."""
    at = date.fromisoformat(day)
    # the calendar of `date` ends before the last Sunday
    return (at + timedelta(days=min(6 - at.weekday(), (date.max - at).days))).isoformat()


def week_before(week: str) -> str:
    """Return the Sunday before."""
    at = date.fromisoformat(week)
    return (at - timedelta(days=min(7, at.toordinal() - 1))).isoformat()


def weeks_needed(limits: HiringThresholds) -> int:
    """Return how many covered weeks the detector needs, including the evaluated ones."""
    return _BLOCK + limits.history_weeks


def detect_surges(
    company: int, first: str, weeks: Sequence[str], openings: Iterable[Openings], limits: HiringThresholds
) -> list[Detected]:
    """Return the surges of a company in the newest weeks.

    `first` is the day of its first opening; `weeks` are the Sundays of the covered complete weeks up to the day of
    evaluation, newest first; openings of other weeks are ignored. Without an average above zero there is no surge.
    """
    begin = week_end(first)
    weeks = [week for week in weeks if week >= begin]
    if len(weeks) <= limits.least_weeks:
        return []
    counts = _Counts()
    for one in openings:
        counts.add(one)
    found = [_last_week(company, weeks, counts.all, limits)]
    found += _last_four_weeks(company, weeks, counts, limits) if _without_gap(weeks[:_BLOCK]) else []
    return [one for one in found if one is not None]


def _without_gap(weeks: Sequence[str]) -> bool:
    """Return whether weeks, newest first, are consecutive."""
    newest, oldest = date.fromisoformat(weeks[0]), date.fromisoformat(weeks[-1])
    return newest - oldest == timedelta(weeks=len(weeks) - 1)


def _last_four_weeks(
    company: int, weeks: Sequence[str], counts: "_Counts", limits: HiringThresholds
) -> list[Detected | None]:
    """Return the surges of departments and locations over the last four weeks."""
    found = [
        _of_department(company, weeks, department, counted, limits)
        for department, counted in sorted(counts.departments.items())
    ]
    found += [
        _of_place(company, weeks, location, counted, counts.names[location], limits)
        for location, counted in sorted(counts.locations.items())
    ]
    return found


_Weekly = Counter[str]


class _Counts:
    """Openings by week: total, by department, by country and by state."""

    def __init__(self) -> None:
        self.all: _Weekly = Counter()
        self.departments: dict[str, _Weekly] = {}
        self.locations: dict[str, _Weekly] = {}
        """Keys such as `US` and `US|CA`."""
        self.names: dict[str, tuple[str, str | None]] = {}

    def add(self, one: Openings) -> None:
        week = week_end(one.day)
        self.all[week] += one.postings
        self.departments.setdefault(one.department, Counter())[week] += one.postings
        if not one.country_code:
            return
        self._at(one.country_code, week, one, None)
        if one.state_code:
            self._at(f"{one.country_code}|{one.state_code}", week, one, one.state)

    def _at(self, location: str, week: str, one: Openings, state: str | None) -> None:
        self.locations.setdefault(location, Counter())[week] += one.postings
        self.names[location] = (one.country or one.country_code or "", state)


class _Rise(NamedTuple):
    new: int
    average: float

    @property
    def values(self) -> tuple[int, float, int]:
        return self.new, round_figure(self.average), change_rate(self.new, self.average)


def _rise(new: int, average: float, least: int, rate: float) -> _Rise | None:
    if new < least or average <= 0 or (new / average - 1) * 100 < rate:
        return None
    return _Rise(new, average)


def _last_week(
    company: int, weeks: Sequence[str], counted: _Weekly, limits: HiringThresholds
) -> Detected | None:
    history = weeks[1 : 1 + limits.history_weeks]
    average = _sum(counted, history) / max(len(history), 1)
    rise = _rise(counted[weeks[0]], average, limits.least_jobs, limits.rate)
    if rise is None:
        return None
    return Detected(Entity.COMPANY, company, SURGE, weeks[0], weeks[0], HiringSurge(*rise.values))


def _last_weeks(weeks: Sequence[str], counted: _Weekly, limits: HiringThresholds) -> _Rise | None:
    """Compare the last four weeks with the average of the whole blocks of four weeks before them."""
    history = weeks[_BLOCK : _BLOCK + limits.history_weeks]
    blocks = len(history) // _BLOCK
    if not blocks or len(history) < limits.least_weeks:
        return None
    average = _sum(counted, history[: blocks * _BLOCK]) / blocks
    return _rise(_sum(counted, weeks[:_BLOCK]), average, limits.least_jobs_4w, limits.rate_4w)


def _sum(counted: Mapping[str, int], weeks: Sequence[str]) -> int:
    return sum(counted.get(week, 0) for week in weeks)


def _of_department(
    company: int, weeks: Sequence[str], department: str, counted: _Weekly, limits: HiringThresholds
) -> Detected | None:
    rise = _last_weeks(weeks, counted, limits)
    if rise is None:
        return None
    event = DepartmentSurge(department, *rise.values)
    key = f"{weeks[0]}|{department}"
    return Detected(Entity.COMPANY, company, BY_DEPARTMENT, key, weeks[0], event, department)


def _of_place(
    company: int,
    weeks: Sequence[str],
    location: str,
    counted: _Weekly,
    names: tuple[str, str | None],
    limits: HiringThresholds,
) -> Detected | None:
    rise = _last_weeks(weeks, counted, limits)
    if rise is None:
        return None
    event = LocationSurge(*names, *rise.values)
    key = f"{weeks[0]}|{location}"
    return Detected(Entity.COMPANY, company, BY_LOCATION, key, weeks[0], event, location)
