"""Filters by signals, generated so that each part of them decides about some record."""

from datetime import timedelta
from typing import Any

from hypothesis import strategies as st
from record_set import TODAY
from sample_signals import CATEGORIES, COMPANY_TYPES, CONTACT_TYPES, DEPARTMENTS, PLACES

Json = dict[str, Any]
Draw = st.SearchStrategy[Any]

_days = st.integers(0, 800).map(lambda days: (TODAY - timedelta(days)).isoformat())
_recent = st.integers(0, 200).map(lambda days: (TODAY - timedelta(days)).isoformat())
_departments = st.sampled_from((*DEPARTMENTS, "sales", "Marketing"))
_categories = st.sampled_from((*CATEGORIES, "technology", "Astrology"))


def _dated(entry: Draw) -> Draw:
    """Add a day of its own to some of them."""
    return st.builds(lambda fields, day: fields | day, entry, st.just({}) | st.builds(_from, _days))


def _from(day: str) -> Json:
    return {"startDate": day}


@st.composite
def _place(draw: st.DrawFn) -> Json:
    countries, states = PLACES[draw(st.sampled_from(tuple(PLACES)))]
    fields = {"country": draw(st.sampled_from((*sorted(countries), "Atlantis")))}
    return fields | (
        {"state": draw(st.sampled_from((*sorted(states), "North")))} if draw(st.booleans()) else {}
    )


def _types(types: tuple[str, ...]) -> Draw:
    return st.lists(st.sampled_from((*types, "allSignals")), min_size=1, max_size=3)


def contact_signals() -> Draw:
    return st.fixed_dictionaries({"types": _types(CONTACT_TYPES)}, optional={"startDate": _days})


def company_signals() -> Draw:
    return st.fixed_dictionaries(
        {"types": _types(COMPANY_TYPES)},
        optional={
            "startDate": _days | _recent,
            "filterByLocation": st.lists(_dated(_place()), max_size=2),
            "filterByDepartment": st.lists(
                _dated(st.fixed_dictionaries({"department": _departments})), max_size=2
            ),
            "filterByIntentCategory": st.lists(_categories, max_size=2),
            "maxResultsPerSignal": st.integers(1, 100),
        },
    )
