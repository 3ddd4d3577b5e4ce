"""What a filter by signals asks of a record, the same for search and prospecting.

See docs/reference/prospecting.md#signals.

Types are OR-ed, and so are the values of a `filterBy...`, which narrows its own type alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from firmograph.api.suggestions import describe_expected_value
from firmograph.directory.normalise.gazetteer import fold_label
from firmograph.directory.normalise.locations import country_code
from firmograph.security.record_ids import Entity
from firmograph.signals import types
from firmograph.signals.activity import Wanted
from firmograph.signals.activity_shapes import (
    CompanySignalFilter,
    ContactSignalFilter,
    SignalDepartment,
    SignalPlace,
)
from firmograph.signals.filters import (
    DEPARTMENTS_BY_SPELLING,
    POST_DAYS,
    TYPES_BY_SPELLING,
    state_in,
    wrong_day,
)


class Place(NamedTuple):
    """Where in a request something stands, whom problems are told, and which day it is."""

    path: str
    today: date
    tell: Callable[[str], None]
    """Takes a problem with its path; reading goes on, and what is read then does not matter."""

    def at(self, name: str | int) -> "Place":
        return self._replace(path=f"{self.path}.{name}")

    def wanted(self, type: str, detail: str, since: str) -> Wanted:
        return Wanted(type, detail, since, self.today.isoformat())

    def refuse(self, problem: str) -> None:
        self.tell(f"{self.path} {problem}")


def contact_wanted(value: ContactSignalFilter, at: Place) -> tuple[Wanted, ...]:
    """The activities of which a contact must have one."""
    names, since = _types(value.types, Entity.CONTACT, at), _since(value.start_date, at) or ""
    return tuple(_of_types(names, since, at, {}))


def company_wanted(
    value: CompanySignalFilter, at: Place, intent_categories: Sequence[str] = ()
) -> tuple[Wanted, ...]:
    """The same of a company; `intent_categories` are those that stand elsewhere in the request (row 8)."""
    names, since = _types(value.types, Entity.COMPANY, at), _since(value.start_date, at) or ""
    own = [] if value.filter_by_intent_category is UNSET else value.filter_by_intent_category
    if own and intent_categories:
        at.at("filterByIntentCategory").refuse(
            "must not be given twice: it is also given outside the filters"
        )
    narrowed = {
        types.BY_LOCATION: list(_places(value.filter_by_location, since, at.at("filterByLocation"))),
        types.BY_DEPARTMENT: list(
            _departments(value.filter_by_department, since, at.at("filterByDepartment"))
        ),
        types.POSTS: [_post(category, since, at) for category in own or intent_categories],
    }
    return tuple(_of_types(names, since, at, narrowed))


def _types(values: list[str] | UnsetType, entity: Entity, at: Place) -> list[str]:
    """The types that are meant, each once, in the documented order: all that there are, for `allSignals`."""
    if values is UNSET or not values:
        at.at("types").refuse("must have at least 1 element")
        return []
    asked = {
        _known(value, TYPES_BY_SPELLING[entity], at.at("types").at(place))
        for place, value in enumerate(values)
    }
    return [name for name in types.TYPES[entity] if types.ALL_SIGNALS in asked or name in asked]


def _of_types(
    names: Iterable[str], since: str, at: Place, narrowed: Mapping[str, Sequence[Wanted]]
) -> Iterable[Wanted]:
    for name in names:
        if narrowed.get(name):
            yield from dict.fromkeys(narrowed[name])
        else:
            yield at.wanted(name, "", _clamped(since, at) if name == types.POSTS else since)


def _post(category: str, since: str, at: Place) -> Wanted:
    return at.wanted(types.POSTS, category.strip().casefold(), _clamped(since, at))


def _clamped(since: str, at: Place) -> str:
    """Posts are looked at for so many days only, as the signals call shows no older ones.

    See docs/reference/signals.md#answers.
    """
    return max(since, (at.today - timedelta(POST_DAYS)).isoformat())


def _places(values: list[SignalPlace] | UnsetType, since: str, at: Place) -> Iterable[Wanted]:
    for number, one in enumerate([] if values is UNSET else values):
        own = _since(one.start_date, at.at(number))
        detail = _place(one.country, None if one.state is UNSET else one.state)
        yield at.wanted(types.BY_LOCATION, detail, since if own is None else own)


def _place(country: str, state: str | None) -> str:
    """As `activity.activity` names places. A name that nothing has matches nothing."""
    code = country_code(country) or fold_label(country)
    if state is None:
        return code.casefold()
    found = state_in(code, state)
    return f"{code}|{found.code if found else fold_label(state)}".casefold()


def _departments(values: list[SignalDepartment] | UnsetType, since: str, at: Place) -> Iterable[Wanted]:
    for number, one in enumerate([] if values is UNSET else values):
        department = _known(one.department, DEPARTMENTS_BY_SPELLING, at.at(number).at("department")) or ""
        own = _since(one.start_date, at.at(number))
        yield at.wanted(types.BY_DEPARTMENT, department.casefold(), since if own is None else own)


def _known(value: str, vocabulary: Mapping[str, str], at: Place) -> str | None:
    written = vocabulary.get(value.casefold())
    if written is None:
        at.refuse(describe_expected_value(value, vocabulary.values()))
    return written


def _since(text: str | UnsetType, at: Place) -> str | None:
    """The first day that is asked for; None where none is."""
    if text is UNSET:
        return None
    problem = wrong_day(text, at.today)
    if problem:
        at.at("startDate").refuse(problem)
    return text
