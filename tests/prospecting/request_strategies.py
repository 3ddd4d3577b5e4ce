"""Requests generated over the values of records."""

from typing import Any

import oracle_companies
import oracle_contacts
from hypothesis import strategies as st
from value_strategies import Values, each, some

Json = dict[str, Any]
Draw = st.SearchStrategy[Any]

_SEARCH_FIELDS = ("name", "description", "specialities", "keywords", "industryTags")

MODIFIERS: dict[str, dict[str, Draw]] = {
    "existingDataPoints": {"existingDataPointsCondition": st.sampled_from(("or", "and"))},
    "keywords": {"keywordsSearchFields": some(each(_SEARCH_FIELDS))},
    "technologies": {"technologiesCondition": st.sampled_from(("or", "and"))},
    "intentTopics": {
        "intentTopicsCondition": st.sampled_from(("or", "and")),
        "intentTopicsOperator": st.sampled_from(("or", "and", "any", "all")),
        "intentMinScore": st.integers(1, 50),
        "intentMaxScore": st.integers(50, 100),
    },
}


@st.composite
def criteria(draw: st.DrawFn, values: dict[str, Draw], names: list[str]) -> Json:
    """Generate one include or exclude of these filters, in the form of a request."""
    made: Json = {}
    for name in names:
        value = draw(values[name])
        outer, dot, part = name.partition(".")
        if name == "intentScore":
            made |= value
        elif dot:
            made.setdefault(outer, {})[part] = value
        else:
            made[name] = value
        modifiers = MODIFIERS.get(name, {})
        made |= {one: draw(modifiers[one]) for one in modifiers if draw(st.booleans())}
    if {"intentTopicsCondition", "intentTopicsOperator"} <= made.keys():
        del made["intentTopicsOperator"]
    if made.get("intentMinScore", 0) > made.get("intentMaxScore", 100):
        # one of them came with the topics, and the other by itself
        del made["intentMaxScore"]
    return made


CONTACT_FILTERS = ("ids", *oracle_contacts.FILTERS)
COMPANY_FILTERS = ("ids", *oracle_companies.FILTERS, "previousCompanyNames", "previousCompanyDomains")
EMPLOYEE_FILTERS = (
    "jobTitles",
    "departments",
    "seniorityIds",
    "skills",
    "locations",
    "countries",
    "existingDataPoints",
)
FILTERS = {
    ("contacts", "contacts"): CONTACT_FILTERS,
    ("contacts", "companies"): COMPANY_FILTERS,
    ("companies", "companies"): COMPANY_FILTERS,
    ("companies", "contacts"): EMPLOYEE_FILTERS,
}
"""By endpoint and side."""

_NOT_WITH_EMPLOYEES = {
    "searchText",
    "signals",
    "technologies",
    "intentTopics",
    "intentScore",
    "topicCountThreshold",
}
_REFINEMENTS = {"jobChangedAfterDate", "jobChangedLastViewDate", "score"}


def is_refinement(name: str) -> bool:
    """Return whether the filter needs another one."""
    return name in _REFINEMENTS or name.startswith("education.")


@st.composite
def of_one_filter(draw: st.DrawFn, values: Values, side: str, clause: str, name: str) -> Json:
    """Generate requests of one filter, with one that matches nobody where it must not stand alone."""
    filters = {"companies": {"exclude": {"domains": ["nobody.test"]}}} if is_refinement(name) else {}
    made = draw(criteria(getattr(values, side), [name]))
    return {"filters": {**filters, side: {clause: made}}, "options": {"includePartialProfiles": True}}


_ABSENT: dict[str, tuple[Json, ...]] = {
    "contacts": ({"jobTitles": []}, {"locations": [{}]}, {"skills": []}),
    "companies": ({"sizes": [{}]}, {"locations": [{}]}, {"funding": {"rounds": []}}, {"domains": []}),
}
"""Filters that ask for nothing."""


@st.composite
def requests(draw: st.DrawFn, endpoint: str, values: Values, circles: bool = True) -> Json:
    """Generate whole requests: filters on both sides and in both clauses, options, any page.

    Without circles no request is refused for an unknown postcode.
    """
    filters: Json = {}
    for side in ("contacts", "companies"):
        names = [name for name in FILTERS[endpoint, side] if _may_stand(endpoint, side, name)]
        names = [name for name in names if circles or name != "geographicDetails"]
        for clause, most in (("include", 2), ("exclude", 1)):
            some_names = draw(st.lists(st.sampled_from(names), max_size=most, unique_by=_property))
            clause_filters = draw(criteria(getattr(values, side), some_names))
            if draw(st.integers(0, 4)) == 0:
                clause_filters = draw(st.sampled_from(_ABSENT[side])) | clause_filters
            if clause_filters or draw(st.booleans()):
                filters.setdefault(side, {})[clause] = clause_filters
    own = "companies" if endpoint == "companies" else draw(st.sampled_from(("contacts", "companies")))
    filters.setdefault(own, {}).setdefault("exclude", {}).setdefault("names", ["nobody is called this"])
    request: Json = {"filters": filters, "options": draw(_options(endpoint))}
    request["pagination"] = {"page": draw(st.integers(0, 2)), "size": draw(st.sampled_from((10, 25, 100)))}
    if endpoint == "contacts" and draw(st.integers(0, 9)) == 0:
        request["excludeDnc"] = True
    return request


def _property(name: str) -> str:
    """Return the property that may occur once in a request; `sicsCodes` is another name of `sicCodes`."""
    return "sicCodes" if name == "sicsCodes" else name


def _may_stand(endpoint: str, side: str, name: str) -> bool:
    """Return whether a filter is allowed with contact filters on company prospecting."""
    return not (endpoint == "companies" and side == "companies" and name in _NOT_WITH_EMPLOYEES)


@st.composite
def _options(draw: st.DrawFn, endpoint: str) -> Json:
    made: Json = {"includePartialProfiles": draw(st.booleans())} if draw(st.booleans()) else {}
    if endpoint == "contacts":
        if draw(st.booleans()):
            made["maxContactsPerCompany"] = draw(st.sampled_from((1, 1, 2, 3, 20)))
        if draw(st.integers(0, 3)) == 0:
            made["excludeDnc"] = True
    return made
