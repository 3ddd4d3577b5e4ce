"""Compiler of signal filters, shared by search and prospecting (docs/reference/prospecting.md#signals).

Types are OR-ed, and so are the values of a `filterBy...`, which narrows only its own type.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from firmograph.directory.normalise.gazetteer import fold_label
from firmograph.directory.normalise.locations import country_code
from firmograph.kit.suggestions import describe_expected_value
from firmograph.security.record_ids import Entity
from firmograph.signals import types
from firmograph.signals.activity.record_activity import RequestedSignal
from firmograph.signals.activity.shapes import (
    CompanySignalFilter,
    ContactSignalFilter,
    SignalDepartment,
    SignalPlace,
)
from firmograph.signals.filters import (
    DEPARTMENTS_BY_SPELLING,
    POST_DAYS,
    TYPES_BY_SPELLING,
    describe_date_problem,
    find_state,
)


class FilterPath(NamedTuple):
    """Path in a request, with today and the receiver of problems."""

    path: str
    today: date
    report: Callable[[str], None]
    """Takes a problem with its path. Reading continues; its result is then discarded."""

    def at(self, name: str | int) -> "FilterPath":
        return self._replace(path=f"{self.path}.{name}")

    def request(self, type: str, detail: str, since: str) -> RequestedSignal:
        return RequestedSignal(type, detail, since, self.today.isoformat())

    def refuse(self, problem: str) -> None:
        self.report(f"{self.path} {problem}")


def requested_contact_signals(
    value: ContactSignalFilter, at: FilterPath, types_at: str = "types"
) -> tuple[RequestedSignal, ...]:
    """Return the signals of which a contact must have at least one. `types_at` names the list of types."""
    names, since = (
        _read_types(value.types, Entity.CONTACT, at.at(types_at)),
        _read_start_date(value.start_date, at) or "",
    )
    return tuple(_build_requests(names, since, at, {}))


def requested_company_signals(
    value: CompanySignalFilter,
    at: FilterPath,
    intent_categories: Sequence[str] = (),
    types_at: str = "types",
) -> tuple[RequestedSignal, ...]:
    """Return the signals of which a company must have at least one.

    `intent_categories` are those given outside the filters.
    """
    names, since = (
        _read_types(value.types, Entity.COMPANY, at.at(types_at)),
        _read_start_date(value.start_date, at) or "",
    )
    own = [] if value.filter_by_intent_category is UNSET else value.filter_by_intent_category
    if own and intent_categories:
        at.at("filterByIntentCategory").refuse(
            "must not be given twice: it is also given outside the filters"
        )
    by_type = {
        types.BY_LOCATION: list(_read_locations(value.filter_by_location, since, at.at("filterByLocation"))),
        types.BY_DEPARTMENT: list(
            _read_departments(value.filter_by_department, since, at.at("filterByDepartment"))
        ),
        types.POSTS: [_request_post(category, since, at) for category in own or intent_categories],
    }
    return tuple(_build_requests(names, since, at, by_type))


def _read_types(values: list[str] | UnsetType, entity: Entity, at: FilterPath) -> list[str]:
    """Return the requested types, each once, in documented order; all of them for `allSignals`."""
    if values is UNSET or not values:
        at.refuse("must have at least 1 element")
        return []
    requested = {
        _canonical_value(value, TYPES_BY_SPELLING[entity], at.at(index)) for index, value in enumerate(values)
    }
    return [name for name in types.TYPES[entity] if types.ALL_SIGNALS in requested or name in requested]


def _build_requests(
    names: Iterable[str], since: str, at: FilterPath, by_type: Mapping[str, Sequence[RequestedSignal]]
) -> Iterable[RequestedSignal]:
    for name in names:
        if by_type.get(name):
            yield from dict.fromkeys(by_type[name])
        else:
            yield at.request(name, "", _clamp_to_post_days(since, at) if name == types.POSTS else since)


def _request_post(category: str, since: str, at: FilterPath) -> RequestedSignal:
    return at.request(types.POSTS, category.strip().casefold(), _clamp_to_post_days(since, at))


def _clamp_to_post_days(since: str, at: FilterPath) -> str:
    """Limit a first day to the last 90 days, as the signals call shows no older posts.

    See docs/reference/signals.md#answers.
    """
    return max(since, (at.today - timedelta(POST_DAYS)).isoformat())


def _read_locations(
    values: list[SignalPlace] | UnsetType, since: str, at: FilterPath
) -> Iterable[RequestedSignal]:
    for number, one in enumerate([] if values is UNSET else values):
        own = _read_start_date(one.start_date, at.at(number))
        detail = _location_detail(one.country, None if one.state is UNSET else one.state)
        yield at.request(types.BY_LOCATION, detail, since if own is None else own)


def _location_detail(country: str, state: str | None) -> str:
    """Return the location in the form of `activity.derive_activity`; an unknown name matches nothing."""
    code = country_code(country) or fold_label(country)
    if state is None:
        return code.casefold()
    found = find_state(code, state)
    return f"{code}|{found.code if found else fold_label(state)}".casefold()


def _read_departments(
    values: list[SignalDepartment] | UnsetType, since: str, at: FilterPath
) -> Iterable[RequestedSignal]:
    for number, one in enumerate([] if values is UNSET else values):
        department = (
            _canonical_value(one.department, DEPARTMENTS_BY_SPELLING, at.at(number).at("department")) or ""
        )
        own = _read_start_date(one.start_date, at.at(number))
        yield at.request(types.BY_DEPARTMENT, department.casefold(), since if own is None else own)


def _canonical_value(value: str, vocabulary: Mapping[str, str], at: FilterPath) -> str | None:
    canonical = vocabulary.get(value.casefold())
    if canonical is None:
        at.refuse(describe_expected_value(value, vocabulary.values()))
    return canonical


def _read_start_date(text: str | UnsetType, at: FilterPath) -> str | None:
    """Return the requested first day, None if absent."""
    if text is UNSET:
        return None
    problem = describe_date_problem(text, at.today)
    if problem:
        at.at("startDate").refuse(problem)
    return text
