"""The signal filters of contacts and companies (wire-a 4.1 and 4.2, wire-b 1.3)."""

from collections.abc import Mapping, Sequence

from msgspec import UNSET, UnsetType

from firmograph.prospecting import vocabularies as vocabulary
from firmograph.prospecting.criteria import Criterion, Signal
from firmograph.prospecting.criteria_shapes import (
    CompanySignals,
    ContactSignals,
    SignalDepartment,
    SignalPlace,
)
from firmograph.prospecting.place_filters import country_or_text, state_or_text
from firmograph.prospecting.reading import At, day_number, is_absent, known, known_one, or_default

_OF_CONTACTS = vocabulary.by_spelling((vocabulary.ALL_SIGNALS, *vocabulary.CONTACT_SIGNALS))
_OF_COMPANIES = vocabulary.by_spelling((vocabulary.ALL_SIGNALS, *vocabulary.COMPANY_SIGNALS))
_POSTS = "linkedinActivityIntent"
"""The one type that intent categories narrow."""
_DEPARTMENTS = vocabulary.by_spelling(vocabulary.HIRING_DEPARTMENTS)


def contact_signals(value: ContactSignals, at: At) -> Criterion:
    return Signal(_types(value.types, _OF_CONTACTS, at), _day(value.start_date, at.at("startDate")))


def company_signals(value: CompanySignals, at: At, intent_categories: Sequence[str] = ()) -> Criterion:
    """`intent_categories` are those that stand beside the filters instead of in here (row 8 of the decisions)."""
    types = _types(value.types, _OF_COMPANIES, at)
    own = or_default(value.filter_by_intent_category, [])
    if own and intent_categories:
        at.at("filterByIntentCategory").refuse("must not be given twice: it stands beside the filters too")
    places = or_default(value.filter_by_location, [])
    departments = or_default(value.filter_by_department, [])
    return Signal(
        types,
        _day(value.start_date, at.at("startDate")),
        tuple(_place(one, at.at("filterByLocation").at(n)) for n, one in enumerate(places)),
        tuple(_department(one, at.at("filterByDepartment").at(n)) for n, one in enumerate(departments)),
        tuple(own or intent_categories) if _POSTS in types else (),
    )


def _types(values: list[str] | UnsetType, names: Mapping[str, str], at: At) -> tuple[str, ...]:
    """The types that are meant, each once: all that there are, for `allSignals`."""
    if values is UNSET or is_absent(values):
        at.at("types").refuse("must have at least 1 element")
        return ()
    types = dict.fromkeys(known(values, names, at.at("types")))
    if vocabulary.ALL_SIGNALS in types:
        types = dict.fromkeys(name for name in names.values() if name != vocabulary.ALL_SIGNALS)
    return tuple(types)


def _day(value: str | UnsetType, at: At) -> str | None:
    if value is UNSET:
        return None
    day_number(value, at)
    return value


def _place(value: SignalPlace, at: At) -> tuple[str, str | None, str | None]:
    country = country_or_text(value.country)
    state = None if value.state is UNSET else state_or_text(country, value.state)
    return country, state, _day(value.start_date, at.at("startDate"))


def _department(value: SignalDepartment, at: At) -> tuple[str, str | None]:
    department = known_one(value.department, _DEPARTMENTS, at.at("department"))
    return department or "", _day(value.start_date, at.at("startDate"))
