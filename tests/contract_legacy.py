"""Legacy calls in contract tests: operations, and hooks that put stored records into requests.

Requests that fit the document are adjusted to what it cannot express: which identifiers are given, properties with two
names, and keys of the caller.
"""

import re
from typing import Any
from zlib import crc32

ALIASES = """
    get_person_legacy_alias
    get_people_legacy_alias
    get_people_legacy_bulk_alias
    get_company_legacy_alias
    get_companies_legacy_alias
    get_companies_legacy_bulk_alias
""".split()
"""Those that are others by another path."""
FILTERS = """
    get_contacts_filter_departments_legacy
    get_contacts_filter_seniority_legacy
    get_contacts_filter_existing_data_points_legacy
    get_contacts_filter_locations_legacy
    get_companies_filter_industries_labels_legacy
    get_companies_filter_sizes_legacy
    get_companies_filter_revenues_legacy
    get_companies_filter_sics_legacy
    get_companies_filter_naics_legacy
    get_companies_filter_intent_topics_legacy
    get_companies_filter_names_legacy
    get_companies_filter_technologies_legacy
    get_companies_filter_locations_legacy
""".split()
OPERATIONS = [
    *"""
    get_person_legacy
    get_people_legacy
    get_company_legacy
    get_companies_legacy
    search_contacts_legacy
    search_companies_legacy
    enrich_contacts_legacy
    enrich_companies_legacy
    recommend_contacts
    recommend_companies
    """.split(),
    *ALIASES,
    *FILTERS,
]
"""Without those of signals."""
PATHS = r"^/(v2|person|company|bulk|api/recommendations)(/|$)|^/prospecting/(contact|company)/"
"""Paths of these operations, without those of filter values."""

CHARGED = {
    "get_people_legacy": "revealEmail",
    "get_companies_legacy": "revealCompany",
    "enrich_contacts_legacy": "revealEmail",
    "enrich_companies_legacy": "revealCompany",
    "recommend_contacts": "contactRecommendationsReveal",
    "recommend_companies": "companyRecommendationsReveal",
}
"""What must have been charged for after a test of an operation."""

_IS_COMPANY = re.compile("/compan(y|ies)")
_LISTS = ("newsEventTypes", "hiringByDepartments", "hiringByLocations")
_SIGNALS = ("signals", "signalsStartDate", "partialCompany")
"""Properties of a body that `metadata` has too."""


def adjust(case: Any, stored: dict[str, list[Any]]) -> None:
    """Make a request that fits the document one that is accepted, and let it find stored records."""
    if not re.search(PATHS, case.path):
        return
    kind = "company" if _IS_COMPANY.search(case.path) else "contact"
    if case.method == "GET":
        case.query = (_find_company if kind == "company" else _find_person)(dict(case.query or {}), stored)
    elif case.path.startswith("/api/recommendations"):
        _recommend(case.body, kind, stored)
    elif case.path.endswith("/search"):
        _search(case.body, kind)
    elif case.path.endswith("/enrich"):
        name = "companiesIds" if kind == "company" else "contactIds"
        case.body[name] = [*stored[f"{kind}Ids"], *case.body[name]][:100]
        _leave_one_of_each(case.body)
    elif kind == "company":
        items = case.body["companies"]
        items[:] = [{"id": "", "companyId": id} for id in stored["legacy companyIds"]] + items[:90]
        _key_items(items, "id")
        for item in items:
            _leave_first(item, "domain", "fqdn")
        _leave_one_of_each(case.body)
    else:
        items = case.body["contacts"]
        items[:] = [{"contactId": "", "personId": id} for id in stored["legacy contactIds"]] + items[:90]
        _key_items(items, "contactId")
        for employer in (one for item in items for one in item.get("companies") or ()):
            _leave_first(employer, "domain", "fqdn")


def _has(value: dict[str, Any], *names: str) -> bool:
    """Return whether all of these are present and not null."""
    return all(value.get(name) is not None for name in names)


def _leave_first(value: dict[str, Any], *names: str) -> None:
    """Leave the first of the properties that are given."""
    for name in [name for name in names if _has(value, name)][1:]:
        del value[name]


def _find_person(query: dict[str, Any], stored: dict[str, list[Any]]) -> dict[str, Any]:
    _leave_first(query, "companyName", "company")
    employed = any(name in query for name in ("companyName", "company", "companyDomain"))
    named = _has(query, "firstName", "lastName") and employed
    if "personId" in query or not (named or any(name in query for name in ("linkedinUrl", "email"))):
        query["personId"] = _chosen(stored["contactIds"], query)
    return query


def _find_company(query: dict[str, Any], stored: dict[str, list[Any]]) -> dict[str, Any]:
    if "companyId" in query or not any(name in query for name in ("domain", "company")):
        query["companyId"] = _chosen(stored["companyIds"], query)
    return query


def _chosen(values: list[Any], by: object) -> Any:
    return values[crc32(repr(by).encode("utf-8", "surrogatepass")) % len(values)]


def _key_items(items: list[dict[str, Any]], name: str) -> None:
    """Give every item a key of its own."""
    keys: set[str] = set()
    for place, item in enumerate(items):
        if item[name] in keys or not item[name]:
            item[name] = f"{place} of the items"
        keys.add(item[name])


def _leave_one_of_each(body: dict[str, Any]) -> None:
    """Leave one of the properties that may stand at two places."""
    metadata = body.get("metadata") or {}
    for name in _SIGNALS:
        if _has(body, name):
            metadata.pop(name, None)
    filters = body.get("signalsFilters") or {}
    for name in _LISTS:
        if _has(filters, name):
            (filters.get("include") or {}).pop(name, None)


def _recommend(body: dict[str, Any], kind: str, stored: dict[str, list[Any]]) -> None:
    """Add a stored seed. Sessions are left out: no unknown one is accepted."""
    items, id = ("companies", "companyId") if kind == "company" else ("contacts", "personId")
    body[items] = [{id: stored[f"seed {kind}Ids"][0]}, *body[items]][:100]
    body["requestId"] = None


def _search(body: dict[str, Any], kind: str) -> None:
    """Leave one of properties with two names, name signals, and search for something."""
    side = "contacts" if kind == "contact" else "companies"
    filters = body["filters"] = body.get("filters") or {}
    for clauses in (filters.get("contacts"), filters.get("companies")):
        for criteria in (clauses or {}).values():
            _make_consistent(criteria or {})
    filters[side] = filters.get(side) or {}
    include = filters[side]["include"] = filters[side].get("include") or {}
    include["names"] = [*(include.get("names") or ()), "Ann" if kind == "contact" else "Plain"]
    if kind == "company" and _has(filters, "contacts"):
        for criteria in filters["companies"].values():
            for name in ("searchText", "signals", "technologies", "intentTopics"):
                (criteria or {}).pop(name, None)


def _make_consistent(criteria: dict[str, Any]) -> None:
    for names in (
        ("existing_data_points", "existingDataPoints"),
        ("sicCodes", "sics"),
        ("naicsCodes", "naics"),
    ):
        _leave_first(criteria, *names)
    if isinstance(signals := criteria.get("signals"), dict):
        signals.pop("types", None)
        signals["names"] = signals.get("names") or ["allSignals"]
