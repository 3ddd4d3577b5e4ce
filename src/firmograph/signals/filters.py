"""Query of a signals call, read from the request; shared by the V3 and legacy endpoints.

All problems of a request are found here, with their paths.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Final, NamedTuple, Protocol

from msgspec import UNSET, UnsetType

from firmograph.directory.normalise.gazetteer import Subdivision, fold_label, subdivisions
from firmograph.directory.normalise.locations import country_code
from firmograph.kit.errors import BadRequest
from firmograph.kit.suggestions import describe_expected_value, index_by_casefold
from firmograph.security.record_ids import Entity
from firmograph.signals import types
from firmograph.signals.shapes import HiringPlace, LegacyInclude, SignalInclude

MOST_OF_A_TYPE: Final = 1_000
"""Limit of events of one type and record (docs/reference/signals.md#answers)."""
MOST_POSTS: Final = 50
"""Limit of posts of one company."""
POST_DAYS: Final = 90

_MOST_PROBLEMS: Final = 10
_ISO_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
TYPES_BY_SPELLING: Final = {
    entity: index_by_casefold((types.ALL_SIGNALS, *known)) for entity, known in types.TYPES.items()
}
_NEWS_EVENTS: Final = index_by_casefold(types.NEWS_EVENT_TYPES)
DEPARTMENTS_BY_SPELLING: Final = index_by_casefold(types.HIRING_DEPARTMENTS)

DetailFilter = Callable[[str], bool]
"""Predicate on the `detail` of a signal."""


class SignalQuery(NamedTuple):
    """Conditions of the requested signals of each record."""

    entity: Entity
    types: tuple[str, ...]
    """Types without `allSignals`, each once, in documented order."""
    start: str | None
    """Requested first day; None for all stored signals."""
    today: str
    most: int | None
    """Limit for each type and record; None without a requested limit."""
    detail_filters: Mapping[str, DetailFilter]
    """Filters by type; types without one are not narrowed."""

    def since(self, type: str) -> str:
        """Return the first day of the signals shown of a type."""
        start = self.start or ""
        return max(start, _days_before(self.today, POST_DAYS)) if type == types.POSTS else start

    def limit(self, type: str) -> int:
        """Return the limit of signals shown of one type and record."""
        most = self.most or MOST_OF_A_TYPE
        return min(most, MOST_POSTS) if type == types.POSTS else most


class RequestFields(Protocol):
    """Request fields shared by contacts, companies and both generations."""

    start_date: str | UnsetType
    max_results_per_signal: int | UnsetType


def read_query(
    entity: Entity,
    body: RequestFields,
    today: date,
    *,
    names: Sequence[str],
    names_at: str = "signalTypes",
    start_at: str = "startDate",
    include: LegacyInclude | UnsetType = UNSET,
    include_at: str = "filters.include",
) -> SignalQuery:
    """Read the query of a request. Raises BadRequest with up to ten problems and their paths."""
    problems: list[str] = []
    requested = set(_canonical_values(names, TYPES_BY_SPELLING[entity], names_at, problems))
    every = types.ALL_SIGNALS in requested
    start = None if body.start_date is UNSET else body.start_date
    if start is not None:
        problem = describe_date_problem(start, today)
        problems += [f"{start_at} {problem}"] if problem else []
    detail_filters = {} if include is UNSET else _detail_filters(include, include_at, problems)
    if problems:
        raise BadRequest(problems[0], problems[:_MOST_PROBLEMS])
    return SignalQuery(
        entity,
        tuple(name for name in types.TYPES[entity] if every or name in requested),
        start,
        today.isoformat(),
        None if body.max_results_per_signal is UNSET else body.max_results_per_signal,
        detail_filters,
    )


def _canonical_values(
    values: Sequence[str], vocabulary: Mapping[str, str], path: str, problems: list[str]
) -> Iterable[str]:
    """Yield the values in the vocabulary's spelling, and add a problem for each unknown one."""
    for index, value in enumerate(values):
        canonical = vocabulary.get(value.casefold())
        if canonical is None:
            problems.append(f"{path}.{index} {describe_expected_value(value, vocabulary.values())}")
        else:
            yield canonical


def describe_date_problem(text: str, today: date) -> str | None:
    """Return the problem of a first day, to follow its path; None for a valid day."""
    try:
        day = date.fromisoformat(text) if _ISO_DAY.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None:
        return "must be a date that exists, YYYY-MM-DD"
    return f"must not be in the future; today is {today} in UTC" if day > today else None


def find_state(code: str, state: str) -> Subdivision | None:
    """Return the state by name, or by ISO 3166-2 code with or without the country code."""
    states = subdivisions(code)
    return states.named(state) or states.by_code.get(state.strip().upper().removeprefix(f"{code}-"))


def _days_before(day: str, days: int) -> str:
    return (date.fromisoformat(day) - timedelta(days)).isoformat()


# --- filters ---


def _detail_filters(include: LegacyInclude, path: str, problems: list[str]) -> dict[str, DetailFilter]:
    """Return the filters of the types that the lists narrow. An empty list narrows nothing."""
    filters: dict[str, DetailFilter] = {}
    if include.news_event_types:
        events = set(
            _canonical_values(include.news_event_types, _NEWS_EVENTS, f"{path}.newsEventTypes", problems)
        )
        filters |= dict.fromkeys(
            types.NEWS_EVENTS, partial(_matches_event, {one.casefold() for one in events})
        )
    if include.hiring_by_departments:
        at = f"{path}.hiringByDepartments"
        departments = set(
            _canonical_values(include.hiring_by_departments, DEPARTMENTS_BY_SPELLING, at, problems)
        )
        filters[types.BY_DEPARTMENT] = departments.__contains__
    if include.hiring_by_locations:
        filters[types.BY_LOCATION] = partial(
            _matches_location, [_location_filter(one) for one in include.hiring_by_locations]
        )
    if isinstance(include, SignalInclude) and include.intent_categories:
        categories = {category.casefold() for category in include.intent_categories}
        filters[types.POSTS] = partial(_matches_category, categories)
    return filters


class _LocationFilter(NamedTuple):
    countries: frozenset[str]
    """Code and name, casefolded: a detail may have either."""
    states: frozenset[str] | None
    """None for the whole country."""


def _location_filter(place: HiringPlace) -> _LocationFilter:
    code = country_code(place.country)
    countries = frozenset((code or place.country, fold_label(place.country)))
    if place.state is UNSET:
        return _LocationFilter(frozenset(map(str.casefold, countries)), None)
    states = {place.state.strip(), fold_label(place.state)}
    found = find_state(code, place.state) if code else None
    if found:
        states = {found.code, fold_label(found.name)}
    return _LocationFilter(frozenset(map(str.casefold, countries)), frozenset(map(str.casefold, states)))


def _matches_location(filters: Iterable[_LocationFilter], detail: str) -> bool:
    country, _, state = detail.casefold().partition("|")
    return any(country in one.countries and (one.states is None or state in one.states) for one in filters)


def _matches_event(events: set[str], detail: str) -> bool:
    return detail.casefold() in events


def _matches_category(categories: set[str], detail: str) -> bool:
    return not categories.isdisjoint(detail.casefold().split("|"))
