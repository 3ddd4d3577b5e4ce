"""What a signals call asks for: which types, since when, how many, narrowed by what; the same for every generation.

Everything that is wrong with a request is found here, with its path; what is let through can be answered.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Final, NamedTuple, Protocol

from msgspec import UNSET, UnsetType

from firmograph.api.suggestions import describe_expected_value, index_by_casefold
from firmograph.directory.normalise.gazetteer import Subdivision, fold_label, subdivisions
from firmograph.directory.normalise.locations import country_code
from firmograph.kit.errors import BadRequest
from firmograph.security.record_ids import Entity
from firmograph.signals import types
from firmograph.signals.shapes import HiringPlace, LegacyInclude, SignalInclude

MOST_OF_A_TYPE: Final = 1_000
"""Events of one type and record (docs/reference/signals.md#answers)."""
MOST_POSTS: Final = 50
"""Of one company, whatever is asked for."""
POST_DAYS: Final = 90

_MOST_PROBLEMS: Final = 10
_ISO_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
TYPES_BY_SPELLING: Final = {
    entity: index_by_casefold((types.ALL_SIGNALS, *known)) for entity, known in types.TYPES.items()
}
_NEWS_EVENTS: Final = index_by_casefold(types.NEWS_EVENT_TYPES)
DEPARTMENTS_BY_SPELLING: Final = index_by_casefold(types.HIRING_DEPARTMENTS)

Fits = Callable[[str], bool]
"""Whether a signal's `detail` is what a filter asks for."""


class Question(NamedTuple):
    """What is asked of each record."""

    entity: Entity
    types: tuple[str, ...]
    """Concrete ones, each once, in the documented order."""
    start: str | None
    """The first day that is asked for; None for everything that is held."""
    today: str
    most: int | None
    """Of each type and record; None where the caller sets no bound."""
    narrowed: Mapping[str, Fits]
    """Types of which only some are asked for."""

    def since(self, type: str) -> str:
        """The first day of which signals of a type are shown."""
        start = self.start or ""
        return max(start, _days_before(self.today, POST_DAYS)) if type == types.POSTS else start

    def limit(self, type: str) -> int:
        """How many signals of a type are shown of one record."""
        most = self.most or MOST_OF_A_TYPE
        return min(most, MOST_POSTS) if type == types.POSTS else most


class Asked(Protocol):
    """The parts of a request that are the same for contacts, companies and both generations."""

    start_date: str | UnsetType
    max_results_per_signal: int | UnsetType


def question(
    entity: Entity,
    body: Asked,
    today: date,
    *,
    names: Sequence[str],
    names_at: str = "signalTypes",
    include: LegacyInclude | UnsetType = UNSET,
) -> Question:
    """Raises BadRequest, naming up to ten problems with their paths."""
    problems: list[str] = []
    asked = set(_known(names, TYPES_BY_SPELLING[entity], names_at, problems))
    every = types.ALL_SIGNALS in asked
    start = None if body.start_date is UNSET else body.start_date
    if start is not None:
        problem = wrong_day(start, today)
        problems += [f"startDate {problem}"] if problem else []
    narrowed = {} if include is UNSET else _narrowed(include, problems)
    if problems:
        raise BadRequest(problems[0], problems[:_MOST_PROBLEMS])
    return Question(
        entity,
        tuple(name for name in types.TYPES[entity] if every or name in asked),
        start,
        today.isoformat(),
        None if body.max_results_per_signal is UNSET else body.max_results_per_signal,
        narrowed,
    )


def _known(
    values: Sequence[str], vocabulary: Mapping[str, str], path: str, problems: list[str]
) -> Iterable[str]:
    """The values as the vocabulary writes them."""
    for place, value in enumerate(values):
        written = vocabulary.get(value.casefold())
        if written is None:
            problems.append(f"{path}.{place} {describe_expected_value(value, vocabulary.values())}")
        else:
            yield written


def wrong_day(text: str, today: date) -> str | None:
    """What is wrong with a first day, to be said behind its path; None when nothing is."""
    try:
        day = date.fromisoformat(text) if _ISO_DAY.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None:
        return "must be a date that exists, YYYY-MM-DD"
    return f"must not be in the future; today is {today} in UTC" if day > today else None


def state_in(code: str, state: str) -> Subdivision | None:
    """The state of a country by this name, or by its ISO 3166-2 code with or without the country's."""
    held = subdivisions(code)
    return held.named(state) or held.by_code.get(state.strip().upper().removeprefix(f"{code}-"))


def _days_before(day: str, days: int) -> str:
    return (date.fromisoformat(day) - timedelta(days)).isoformat()


# --- filters ---


def _narrowed(include: LegacyInclude, problems: list[str]) -> dict[str, Fits]:
    """What each list asks of its types. An empty list asks nothing."""
    path = "filters.include"
    narrowed: dict[str, Fits] = {}
    if include.news_event_types:
        events = set(_known(include.news_event_types, _NEWS_EVENTS, f"{path}.newsEventTypes", problems))
        narrowed |= dict.fromkeys(types.NEWS_EVENTS, partial(_is_event, {one.casefold() for one in events}))
    if include.hiring_by_departments:
        at = f"{path}.hiringByDepartments"
        departments = set(_known(include.hiring_by_departments, DEPARTMENTS_BY_SPELLING, at, problems))
        narrowed[types.BY_DEPARTMENT] = departments.__contains__
    if include.hiring_by_locations:
        narrowed[types.BY_LOCATION] = partial(_is_at, [_place(one) for one in include.hiring_by_locations])
    if isinstance(include, SignalInclude) and include.intent_categories:
        categories = {category.casefold() for category in include.intent_categories}
        narrowed[types.POSTS] = partial(_is_about, categories)
    return narrowed


class _Place(NamedTuple):
    countries: frozenset[str]
    """Code and name, casefolded, as a detail may have either."""
    states: frozenset[str] | None
    """None for anywhere in the country."""


def _place(asked: HiringPlace) -> _Place:
    code = country_code(asked.country)
    countries = frozenset((code or asked.country, fold_label(asked.country)))
    if asked.state is UNSET:
        return _Place(frozenset(map(str.casefold, countries)), None)
    states = {asked.state.strip(), fold_label(asked.state)}
    found = state_in(code, asked.state) if code else None
    if found:
        states = {found.code, fold_label(found.name)}
    return _Place(frozenset(map(str.casefold, countries)), frozenset(map(str.casefold, states)))


def _is_at(places: Iterable[_Place], detail: str) -> bool:
    country, _, state = detail.casefold().partition("|")
    return any(
        country in place.countries and (place.states is None or state in place.states) for place in places
    )


def _is_event(events: set[str], detail: str) -> bool:
    return detail.casefold() in events


def _is_about(categories: set[str], detail: str) -> bool:
    return not categories.isdisjoint(detail.casefold().split("|"))
