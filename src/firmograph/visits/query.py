"""Query of website visits, read from the request and applied to metrics.

All problems of a request are found here, with their paths.
"""

import calendar
import math
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from typing import Final, NamedTuple

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from firmograph.directory.lookup.identifiers import DOMAIN
from firmograph.directory.normalise.gazetteer import countries
from firmograph.directory.normalise.locations import country_code
from firmograph.kit.errors import BadRequest
from firmograph.kit.suggestions import describe_expected_value, index_by_casefold
from firmograph.signals.filters import describe_date_problem
from firmograph.visits.metrics import SORT_KEYS, CompanyMetrics
from firmograph.visits.packing import country_number
from firmograph.visits.score import BANDS, BandLimits
from firmograph.visits.shapes import (
    DEFAULT_RESULTS,
    MOST_SKIPPED,
    ORDERS,
    CountRange,
    NumberRange,
    ScoreRange,
    VisitFilters,
    VisitorCountries,
    VisitPagination,
    VisitSort,
    WebsiteVisitsRequest,
)

MOST_MONTHS: Final = 3
_MOST_PROBLEMS: Final = 10
_BANDS: Final = index_by_casefold(BANDS)
_SORT_KEYS: Final = index_by_casefold(SORT_KEYS)
_ORDERS: Final = index_by_casefold(ORDERS)
Problems = list[str]


class VisitWindow(NamedTuple):
    """Days of a query."""

    start: date
    end: date

    @property
    def days(self) -> int:
        return (self.end - self.start).days + 1

    def until(self, today: date) -> int:
        """Return the day to which days since a visit count, counted from the first one."""
        return (min(self.end, today) - self.start).days


class MetricBounds(NamedTuple):
    """Inclusive bounds of a metric."""

    metric: str
    low: float
    high: float


class VisitCriteria(NamedTuple):
    """Conditions that a company meets, all of them."""

    bounds: Sequence[MetricBounds] = ()
    bands: Collection[str] = ()
    """Any of these; empty for every band."""
    include: Collection[str] = ()
    """Countries of which one is required; empty for every company."""
    exclude: Collection[str] = ()

    def matching(self, metrics: CompanyMetrics, limits: BandLimits) -> NDArray[np.int64]:
        """Return the places of the companies that meet them, ascending."""
        places = np.arange(len(metrics.company))
        # cheap ones first
        if self.bands:
            bands = limits.bands(metrics.of("score", places))
            places = places[np.isin(bands, [BANDS.index(band) for band in self.bands])]
        for metric, low, high in self.bounds:
            values = metrics.of(metric, places)
            places = places[(values >= low) & (values <= high)]
        if self.include or self.exclude:
            found = metrics.countries(places)
            kept = np.isin(found, list(map(country_number, self.exclude)), invert=True)
            if self.include:
                kept &= np.isin(found, list(map(country_number, self.include)))
            places = places[kept]
        return places


class VisitQuery(NamedTuple):
    """Query of one call."""

    window: VisitWindow
    today: date
    """Latest current day in the zones of the sites."""
    sites: Sequence[int]
    """Positions of the chosen sites."""
    criteria: VisitCriteria
    sort: str
    ascending: bool
    offset: int
    limit: int

    def order(self, metrics: CompanyMetrics, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return chosen places of the metrics, given in ascending order, in that of the query; equal ones stay so."""
        values = metrics.of(self.sort, chosen)
        return chosen[np.argsort(values if self.ascending else -values, kind="stable")]


def read_query(body: WebsiteVisitsRequest, tracked: Mapping[str, tzinfo], at: float) -> VisitQuery:
    """Read a request for the account's tracked domains, given with their zones in order.

    Raises BadRequest with up to ten problems and their paths.
    """
    problems: Problems = []
    sites = _sites(body, tracked, problems)
    zones = list(tracked.values())
    today = max((datetime.fromtimestamp(at, zones[site]).date() for site in sites), default=_utc_day(at))
    window = _window(body, today, problems)
    criteria = VisitCriteria() if body.filters is UNSET else _criteria(body.filters, problems)
    sort, ascending = _sort(VisitSort() if body.sort is UNSET else body.sort, problems)
    offset, limit = _page(VisitPagination() if body.pagination is UNSET else body.pagination, problems)
    if problems:
        raise BadRequest(problems[0], problems[:_MOST_PROBLEMS])
    return VisitQuery(window, today, sites, criteria, sort, ascending, offset, limit)


def _utc_day(at: float) -> date:
    return datetime.fromtimestamp(at, UTC).date()


def _sites(body: WebsiteVisitsRequest, tracked: Mapping[str, tzinfo], problems: Problems) -> list[int]:
    """Return the positions of the chosen sites, each once."""
    positions = {domain: position for position, domain in enumerate(tracked)}
    if body.domains is UNSET:
        return list(positions.values())
    chosen: dict[int, None] = {}
    for index, text in enumerate(body.domains):
        host = DOMAIN.normalise(text)
        if host is None:
            problems.append(f"domains.{index} {DOMAIN.expected}")
        elif host not in positions:
            known = describe_expected_value(host, positions) if positions else "is none: no domain is tracked"
            problems.append(f"domains.{index} {known}")
        else:
            chosen[positions[host]] = None
    return list(chosen)


def _window(body: WebsiteVisitsRequest, today: date, problems: Problems) -> VisitWindow:
    malformed = [
        f"{path} {problem}"
        for path, text in (("startDate", body.start_date), ("endDate", body.end_date))
        if (problem := describe_date_problem(text, date.max))
    ]
    if malformed:
        problems += malformed
        return VisitWindow(today, today)
    window = VisitWindow(date.fromisoformat(body.start_date), date.fromisoformat(body.end_date))
    last = _months_after(window.start, MOST_MONTHS)
    if window.start > today:
        problems.append(f"startDate must not be in the future; today is {today}")
    if window.end < window.start:
        problems.append("endDate must not be before startDate")
    elif window.end > last:
        problems.append(f"endDate must be at most {MOST_MONTHS} months after startDate, on {last} or before")
    return window


def _months_after(day: date, months: int) -> date:
    """Return the same day of a later month, or its last one."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if year > date.max.year:
        return date.max
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


# --- filters ---


def _criteria(filters: VisitFilters, problems: Problems) -> VisitCriteria:
    bounds = [
        _bounds(metric, value, problems)
        for metric, value in (
            ("score", filters.score),
            ("totalSessions", filters.total_sessions),
            ("avgSessionMinutes", filters.avg_session_minutes),
            ("daysVisited", filters.days_visited),
            ("highIntentPageviews", filters.high_intent_pageviews),
            ("daysSinceLastVisit", filters.days_since_last_visit),
            ("uniqueVisitors", filters.unique_visitors),
        )
        if value is not UNSET
    ]
    named = VisitorCountries() if filters.visitor_countries is UNSET else filters.visitor_countries
    return VisitCriteria(
        bounds,
        [] if filters.score_bands is UNSET else _values(filters.score_bands, _BANDS, "scoreBands", problems),
        *(
            [] if given is UNSET else _countries(given, f"filters.visitorCountries.{name}", problems)
            for name, given in (("include", named.include), ("exclude", named.exclude))
        ),
    )


def _bounds(metric: str, value: CountRange | NumberRange | ScoreRange, problems: Problems) -> MetricBounds:
    low = 0 if value.min is UNSET else value.min
    high = math.inf if value.max is UNSET else value.max
    if low > high:
        problems.append(f"filters.{metric}.min must not be above max")
    return MetricBounds(metric, low, high)


def _values(given: Sequence[str], vocabulary: Mapping[str, str], name: str, problems: Problems) -> list[str]:
    return [
        value
        for index, text in enumerate(given)
        if (value := _value(text, vocabulary, f"filters.{name}.{index}", problems))
    ]


def _value(text: str, vocabulary: Mapping[str, str], path: str, problems: Problems) -> str:
    """Return a value in the vocabulary's spelling; add a problem for an unknown one."""
    value = vocabulary.get(text.casefold(), "")
    if not value:
        problems.append(f"{path} {describe_expected_value(text, vocabulary.values())}")
    return value


def _countries(given: Sequence[str], path: str, problems: Problems) -> list[str]:
    known = countries().names
    for index, text in enumerate(given):
        if text.upper() not in known:
            meant = country_code(text)
            nearest = f"; the nearest is {meant}" if meant else ""
            problems.append(f"{path}.{index} must be a two-letter country code{nearest}")
    return [text.upper() for text in given]


# --- order and page ---


def _sort(sort: VisitSort, problems: Problems) -> tuple[str, bool]:
    """Return the key, and whether the least comes first."""
    by = SORT_KEYS[0] if sort.by is UNSET else _value(sort.by, _SORT_KEYS, "sort.by", problems)
    order = "desc" if sort.order is UNSET else _value(sort.order, _ORDERS, "sort.order", problems)
    return by, order == "asc"


def _page(given: VisitPagination, problems: Problems) -> tuple[int, int]:
    """Return how many results are skipped, and how many are shown at most."""
    numbered = not (given.page is given.size is UNSET)
    if numbered and not (given.limit is given.offset is UNSET):
        problems.append("pagination must have either page and size, or limit and offset")
    if numbered:
        size = DEFAULT_RESULTS if given.size is UNSET else given.size
        offset = (0 if given.page is UNSET else given.page) * size
        if offset > MOST_SKIPPED:
            problems.append(f"pagination.page must be at most {MOST_SKIPPED // size} for pages of {size}")
        return offset, size
    return (
        0 if given.offset is UNSET else given.offset,
        DEFAULT_RESULTS if given.limit is UNSET else given.limit,
    )
