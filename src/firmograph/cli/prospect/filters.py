"""Table of the filter options of `firmograph prospect`, with the conversion of their values.

Each filter's `--exclude-...` counterpart follows from the same entry.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from firmograph.directory.industries import MAIN_INDUSTRIES, SUB_INDUSTRIES
from firmograph.directory.vocabulary import SENIORITIES
from firmograph.security.record_ids import Entity

CONTACTS, COMPANIES = "contacts", "companies"


def _keep_text(value: str) -> str:
    return value


_AMOUNT = r"(\d+(?:\.\d+)?)([kmb]?)"
_RANGE = re.compile(rf"(?:{_AMOUNT})?(?:(-|\+)(?:{_AMOUNT})?)?", re.IGNORECASE)
_UNITS: Final = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9}


def _parse_range(value: str) -> dict[str, float]:
    """Parse `51-200`, `10M-`, `-50`, `100001+` or one figure; both bounds are inclusive."""
    match = _RANGE.fullmatch(value.strip())
    if match is None or not (match[1] or match[4]) or (match[3] == "+" and match[4]):
        raise ValueError("write MIN-MAX such as 51-200, or 1001- or -50, with K, M or B for large figures")
    low, high = _parse_amount(match[1], match[2] or ""), _parse_amount(match[4], match[5] or "")
    if match[3] is None:
        high = low
    return {name: bound for name, bound in (("min", low), ("max", high)) if bound is not None}


def _parse_amount(digits: str | None, unit: str) -> float | None:
    if digits is None:
        return None
    amount = float(digits) * _UNITS[unit.lower()]
    return int(amount) if amount.is_integer() else amount


_SENIORITY_IDS: Final = {
    **{name.casefold(): number for number, name in SENIORITIES.items()},
    "entry": 3,
    "vp": 8,
}


def _parse_seniority(value: str) -> int:
    name = value.strip().casefold()
    number = int(name) if name.isdecimal() else _SENIORITY_IDS.get(name)
    if number is None:
        raise ValueError(
            f"{value!r} is not a seniority; choose one of {', '.join(SENIORITIES.values())}, or its id"
        )
    return number


def _parse_industry(value: str) -> str:
    """Return a label, which the filter looks up; for a number, the label of the main industry."""
    if not value.isdecimal():
        return value
    names = {main.id: main.name for main in MAIN_INDUSTRIES}
    if int(value) not in names:
        raise ValueError(f"no main industry has the id {value}; sub-industries have --sub-industry")
    return names[int(value)]


def _parse_sub_industry(value: str) -> int:
    if value.isdecimal():
        return int(value)
    ids = [
        number for number, (_, name) in SUB_INDUSTRIES.items() if name and name.casefold() == value.casefold()
    ]
    if len(ids) != 1:
        problem = "belongs to several main industries; give its id" if ids else "is not a sub-industry"
        raise ValueError(f"{value!r} {problem}")
    return ids[0]


@dataclass(frozen=True, slots=True)
class Filter:
    """Filter of the request as an option."""

    option: str
    """Name without dashes."""
    side: str
    """Part of `filters` with the filter: `contacts` or `companies`."""
    name: str
    """Name in the request."""
    metavar: str
    help: str
    parse: Callable[[str], Any] = _keep_text
    """Converts a value for the API. Raises ValueError with the accepted forms."""
    many: bool = True


_EMPLOYEE: Final = (
    Filter("title", CONTACTS, "jobTitles", "TEXT", "Job title with all these words, in any order."),
    Filter("department", CONTACTS, "departments", "NAME", "Department, such as Sales."),
    Filter(
        "seniority",
        CONTACTS,
        "seniorityIds",
        "NAME|ID",
        "Seniority, such as Director or 6.",
        _parse_seniority,
    ),
    Filter("skill", CONTACTS, "skills", "TEXT", "A skill with all these words."),
    Filter("has", CONTACTS, "existingDataPoints", "KIND", "phone, work_email, mobile_phone or direct_phone."),
)
_PERSON: Final = (
    Filter("name", CONTACTS, "names", "TEXT", "Name of the person with all these words."),
    Filter("exact-title", CONTACTS, "jobTitlesExactMatch", "TEXT", "Exact job title."),
    Filter(
        "normal-title",
        CONTACTS,
        "normalizedJobTitles",
        "TEXT",
        "Like --title, with abbreviations such as VP resolved.",
    ),
    Filter("previous-title", CONTACTS, "previousJobTitle", "TEXT", "Earlier job title with all these words."),
)
_COMPANY: Final = (
    Filter("company", COMPANIES, "names", "TEXT", "Company name or alias, without legal form."),
    Filter("domain", COMPANIES, "domains", "HOST", "Company domain, such as example.com."),
    Filter("size", COMPANIES, "sizes", "MIN-MAX", "Number of employees: 51-200, 1001-, -50.", _parse_range),
    Filter("revenue", COMPANIES, "revenues", "MIN-MAX", "Yearly revenue in USD: 10M-50M, 1B-.", _parse_range),
    Filter("founded", COMPANIES, "foundedYear", "MIN-MAX", "Year founded: 2015-2020.", _parse_range),
    Filter(
        "industry",
        COMPANIES,
        "industriesLabels",
        "LABEL|ID",
        "Industry, or id of a main industry.",
        _parse_industry,
    ),
    Filter("sub-industry", COMPANIES, "subIndustriesIds", "LABEL|ID", "Sub-industry.", _parse_sub_industry),
    Filter("technology", COMPANIES, "technologies", "NAME", "Technology used by the company."),
    Filter("keyword", COMPANIES, "keywords", "TEXT", "All these words in name, description or keywords."),
    Filter(
        "previous-company",
        COMPANIES,
        "previousCompanyNames",
        "TEXT",
        "Former employer of the person or of any employee.",
    ),
)


def _search(side: str) -> Filter:
    where = "name, title, company or skills" if side == CONTACTS else "name, domain, industry, or description"
    return Filter("search", side, "searchText", "TEXT", f"All these words anywhere in {where}.", many=False)


FILTERS: Final[Mapping[Entity, tuple[Filter, ...]]] = {
    Entity.CONTACT: (_search(CONTACTS), *_EMPLOYEE, *_PERSON, *_COMPANY),
    Entity.COMPANY: (_search(COMPANIES), *_COMPANY, *_EMPLOYEE),
}
LOCATION_OPTIONS: Final = {
    "country": ("country", "TEXT", "Country by code or name; for companies, of the headquarters."),
    "grouping": ("countryGrouping", "NAME", "Group of countries, such as EMEA, DACH or Nordics."),
    "state": ("state", "TEXT", "State or province, by code or name."),
    "city": ("city", "TEXT", "City."),
}
"""Options of the filter `locations`: field of a location, metavar and help."""

SIGNAL: Final = Filter("signal", "", "types", "TYPE", "Type of signal, or allSignals.")
SIGNAL_SINCE: Final = Filter(
    "signal-since", "", "startDate", "DATE", "First day of the --signal.", many=False
)
"""Options of the filter `signals` of the requested records."""

CONDITIONS: Final = {
    "all-technologies": (COMPANIES, "technologiesCondition", "Require all --technology values."),
    "all-has": (CONTACTS, "existingDataPointsCondition", "Require all --has values."),
}
"""Options that require all values of a filter: side, name and help."""


def python_name(option: str) -> str:
    """Return the parameter name of an option."""
    return option.replace("-", "_")
