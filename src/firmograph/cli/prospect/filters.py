"""The options of `firmograph prospect` that are filters of the API: one table, and how a value is written on the wire.

Each filter's `--exclude-...` twin is made of the same line.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from firmograph.directory.industries import MAIN_INDUSTRIES, SUB_INDUSTRIES
from firmograph.directory.vocabulary import SENIORITIES
from firmograph.security.record_ids import Entity

CONTACTS, COMPANIES = "contacts", "companies"


def _text(value: str) -> str:
    return value


_AMOUNT = r"(\d+(?:\.\d+)?)([kmb]?)"
_RANGE = re.compile(rf"(?:{_AMOUNT})?(?:(-|\+)(?:{_AMOUNT})?)?", re.IGNORECASE)
_UNITS: Final = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9}


def _range(value: str) -> dict[str, float]:
    """`51-200`, `10M-`, `-50`, `100001+`, or one figure; both bounds are included."""
    match = _RANGE.fullmatch(value.strip())
    if match is None or not (match[1] or match[4]) or (match[3] == "+" and match[4]):
        raise ValueError("write MIN-MAX such as 51-200, or 1001- or -50, with K, M or B for large figures")
    low, high = _amount(match[1], match[2] or ""), _amount(match[4], match[5] or "")
    if match[3] is None:
        high = low
    return {name: bound for name, bound in (("min", low), ("max", high)) if bound is not None}


def _amount(digits: str | None, unit: str) -> float | None:
    if digits is None:
        return None
    amount = float(digits) * _UNITS[unit.lower()]
    return int(amount) if amount.is_integer() else amount


_SENIORITY_IDS: Final = {
    **{name.casefold(): number for number, name in SENIORITIES.items()},
    "entry": 3,
    "vp": 8,
}


def _seniority(value: str) -> int:
    name = value.strip().casefold()
    number = int(name) if name.isdecimal() else _SENIORITY_IDS.get(name)
    if number is None:
        raise ValueError(f"{value!r} is none of {', '.join(SENIORITIES.values())}, nor an id of one")
    return number


def _industry(value: str) -> str:
    """A label, which the filter itself looks up; of a number, the label of the main industry."""
    if not value.isdecimal():
        return value
    names = {main.id: main.name for main in MAIN_INDUSTRIES}
    if int(value) not in names:
        raise ValueError(f"no main industry has the id {value}; sub-industries have --sub-industry")
    return names[int(value)]


def _sub_industry(value: str) -> int:
    if value.isdecimal():
        return int(value)
    ids = [
        number for number, (_, name) in SUB_INDUSTRIES.items() if name and name.casefold() == value.casefold()
    ]
    if len(ids) != 1:
        what = "is a part of several main industries; give its id" if ids else "is no sub-industry"
        raise ValueError(f"{value!r} {what}")
    return ids[0]


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter of the request as an option."""

    option: str
    """Without the dashes."""
    side: str
    """Whom it is about: the part of `filters` that it stands in."""
    name: str
    """Its name there."""
    metavar: str
    help: str
    read: Callable[[str], Any] = _text
    """A value on the wire. Raises ValueError that says what the value must be."""
    many: bool = True


_EMPLOYEE: Final = (
    Filter("title", CONTACTS, "jobTitles", "TEXT", "All words of it in the job title, in any order."),
    Filter("department", CONTACTS, "departments", "NAME", "Department, such as Sales."),
    Filter("seniority", CONTACTS, "seniorityIds", "NAME|ID", "Seniority, such as Director or 6.", _seniority),
    Filter("skill", CONTACTS, "skills", "TEXT", "All words of it in one skill."),
    Filter("has", CONTACTS, "existingDataPoints", "KIND", "phone, work_email, mobile_phone or direct_phone."),
)
_PERSON: Final = (
    Filter("name", CONTACTS, "names", "TEXT", "All words of it in the person's name."),
    Filter("exact-title", CONTACTS, "jobTitlesExactMatch", "TEXT", "The whole job title."),
    Filter("normal-title", CONTACTS, "normalizedJobTitles", "TEXT", "As --title; VP is Vice President."),
    Filter(
        "previous-title", CONTACTS, "previousJobTitle", "TEXT", "All words of it in an earlier job title."
    ),
)
_COMPANY: Final = (
    Filter("company", COMPANIES, "names", "TEXT", "Company name, without legal form; aliases count."),
    Filter("domain", COMPANIES, "domains", "HOST", "Company domain, such as example.com."),
    Filter("size", COMPANIES, "sizes", "MIN-MAX", "Number of employees: 51-200, 1001-, -50.", _range),
    Filter("revenue", COMPANIES, "revenues", "MIN-MAX", "Yearly revenue in USD: 10M-50M, 1B-.", _range),
    Filter("founded", COMPANIES, "foundedYear", "MIN-MAX", "Year of foundation: 2015-2020.", _range),
    Filter(
        "industry", COMPANIES, "industriesLabels", "LABEL|ID", "Industry, or main industry's id.", _industry
    ),
    Filter("sub-industry", COMPANIES, "subIndustriesIds", "LABEL|ID", "Sub-industry.", _sub_industry),
    Filter("technology", COMPANIES, "technologies", "NAME", "Technology that the company uses."),
    Filter("keyword", COMPANIES, "keywords", "TEXT", "All words of it in name, description or keywords."),
    Filter(
        "previous-company",
        COMPANIES,
        "previousCompanyNames",
        "TEXT",
        "Where the person, or someone, was before.",
    ),
)


def _search(side: str) -> Filter:
    where = "name, title, company or skills" if side == CONTACTS else "name, domain, industry, or description"
    return Filter("search", side, "searchText", "TEXT", f"All words of it anywhere in {where}.", many=False)


FILTERS: Final[Mapping[Entity, tuple[Filter, ...]]] = {
    Entity.CONTACT: (_search(CONTACTS), *_EMPLOYEE, *_PERSON, *_COMPANY),
    Entity.COMPANY: (_search(COMPANIES), *_COMPANY, *_EMPLOYEE),
}
LOCATION_OPTIONS: Final = {
    "country": ("country", "TEXT", "Country by code or name; of a company, of its headquarters."),
    "grouping": ("countryGrouping", "NAME", "Group of countries, such as EMEA, DACH or Nordics."),
    "state": ("state", "TEXT", "State or province, by code or name."),
    "city": ("city", "TEXT", "City."),
}
"""Options that make up one filter, `locations`: the field of a location, its metavar and help."""

SIGNAL: Final = Filter("signal", "", "types", "TYPE", "Signal of this type, or allSignals.")
SIGNAL_SINCE: Final = Filter(
    "signal-since", "", "startDate", "DATE", "The --signal is of this day or a later one.", many=False
)
"""Options that make up one filter, `signals`, of whom is looked for."""

CONDITIONS: Final = {
    "all-technologies": (COMPANIES, "technologiesCondition", "Every --technology, not just any."),
    "all-has": (CONTACTS, "existingDataPointsCondition", "Every --has, not just any."),
}
"""Options that ask for all values of a filter: side, name and help."""


def python_name(option: str) -> str:
    """What an option is called as a parameter of a command."""
    return option.replace("-", "_")
