"""The expected answers of a search: a plain, slow filter over the records, read from the JSON of a request.

It follows docs/reference/prospecting.md, independently of the package's own reading of requests; only tables of
data are shared (synonyms of titles, groupings of countries, cities of the reference data, points of
completeness).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, TypeVar

import oracle_companies
import oracle_contacts
from oracle_request import EXCLUDES, Json, Side, side_of, top_level_filters
from oracle_text import has_name
from record_set import Firm, Person, Records

from firmograph.directory.company_json import is_partial
from firmograph.directory.normalise.domains import host_of
from firmograph.security.record_ids import Entity, RecordIds

T = TypeVar("T")


@dataclass(frozen=True)
class Answer:
    total: int
    numbers: list[int]


class Oracle:
    """The expected answers to requests over the current records."""

    def __init__(self, records: Records, tokens: RecordIds) -> None:
        self.records = records
        self.opened = cache(tokens.open)

    # --- one record, one filter ---

    def contact_matches(self, person: Person, name: str, value: Any, criteria: Json) -> bool:
        if name == "ids":
            return person.number in [self.opened(Entity.CONTACT, text) for text in value]
        return oracle_contacts.FILTERS[name](value, person, self.records, criteria)

    def company_matches(self, firm: Firm, name: str, value: Any, criteria: Json) -> bool:
        if name == "ids":
            return firm.number in [self.opened(Entity.COMPANY, text) for text in value]
        return oracle_companies.FILTERS[name](value, firm, self.records, criteria)

    def worked_there(self, person: Person, name: str, value: Any, criteria: Json) -> bool:
        """Match `previousCompanyNames` or `previousCompanyDomains` by the row's own name or the linked record."""
        return _PAST[name](self, person, value, EXCLUDES in criteria)

    def employee_matches(self, person: Person, name: str, value: Any, criteria: Json) -> bool:
        """Match a company filter to a contact: to its employer, or to a former employer."""
        if name in _PAST:
            return self.worked_there(person, name, value, criteria)
        employer = self.records.companies.get(person.company) if person.company else None
        if employer is None:
            return False
        # the request keeps both objects as long as their verdict is cached
        key = (employer.number, name, id(value), id(criteria))
        if key not in self.records.verdicts:
            self.records.verdicts[key] = self.company_matches(employer, name, value, criteria)
        return self.records.verdicts[key]

    def employer_matches(self, firm: Firm, name: str, value: Any, criteria: Json) -> bool:
        """Match a company filter to a company: to itself, or to a former employer of some contact of it."""
        if name in _PAST:
            return any(self.worked_there(person, name, value, criteria) for person in self.staff(firm))
        return self.company_matches(firm, name, value, criteria)

    def staff(self, firm: Firm) -> list[Person]:
        if not self.records.staff:
            for person in self.records.contacts.values():
                self.records.staff.setdefault(person.company, []).append(person)
        return self.records.staff.get(firm.number, [])

    # --- whole requests ---

    def contacts(self, request: Json) -> Answer:
        options = request.get("options", {})
        self.records.renew()
        side, firms = side_of(request, "contacts", top_level_filters(request)), side_of(request, "companies")
        no_calls = options.get("excludeDnc") or request.get("excludeDnc")
        found = _passing(self.records.contacts.values(), side, self.contact_matches)
        found = _passing(found, firms, self.employee_matches)
        if not options.get("includePartialProfiles", True):
            found = [one for one in found if _is_reachable(one)]
        if no_calls:
            found = [one for one in found if not any(phone.do_not_call for phone in one.record.phones)]
        found.sort(key=lambda one: _order(one.points, one.record.update_date, one.number))
        if most := options.get("maxContactsPerCompany"):
            found = list(_capped(found, most))
        return _page([one.number for one in found], request)

    def companies(self, request: Json) -> Answer:
        options = request.get("options", {})
        self.records.renew()
        side, staff = side_of(request, "companies", top_level_filters(request)), side_of(request, "contacts")
        found = _passing(self.records.companies.values(), side, self.employer_matches)
        if _asks(staff):
            found = [one for one in found if self._has_one(one, staff)]
        if not options.get("includePartialProfiles", False):
            found = [one for one in found if not is_partial(one.record)]
        found.sort(key=lambda one: _order(one.points, one.record.update_date, one.number))
        return _page([one.number for one in found], request)

    def _has_one(self, firm: Firm, side: Side) -> bool:
        """Return whether one single contact passes the whole contact side."""
        return any(_passes(person, side, self.contact_matches) for person in self.staff(firm))


def _former_name(oracle: Oracle, person: Person, value: list[str], excludes: bool) -> bool:
    return any(
        has_name(name, known)
        for name in value
        for job in person.record.previous_employment
        for known in (job.company.name, *_linked_names(oracle, job.company.id))
    )


def _linked_names(oracle: Oracle, number: int | None) -> list[str | None]:
    firm = oracle.records.companies.get(number) if number is not None else None
    return [firm.record.name, *firm.record.alternative_names] if firm else []


def _former_domain(oracle: Oracle, person: Person, value: list[str], excludes: bool) -> bool:
    past = [job.company for job in person.record.previous_employment]
    linked = oracle_companies.at_domains(value, oracle.records, excludes=excludes)
    return any(one.domain in map(host_of, value) or one.id in linked for one in past if one.domain or one.id)


_PAST: dict[str, Callable[[Oracle, Person, list[str], bool], bool]] = {
    "previousCompanyNames": _former_name,
    "previousCompanyDomains": _former_domain,
}


def _passing(records: Iterable[T], side: Side, matches: Callable[[T, str, Any, Json], bool]) -> list[T]:
    return [one for one in records if _passes(one, side, matches)] if _asks(side) else list(records)


def _asks(side: Side) -> bool:
    return bool(side.include.filters or side.exclude.filters)


def _passes(record: Any, side: Side, matches: Callable[[Any, str, Any, Json], bool]) -> bool:
    """Return whether all filters of the include match, and none of the exclude."""
    include, exclude = side
    return all(matches(record, *one, include.criteria) for one in include.filters) and not any(
        matches(record, *one, exclude.criteria) for one in exclude.filters
    )


def _is_reachable(person: Person) -> bool:
    return bool(person.record.emails or person.record.phones)


def _order(points: int, updated: str | None, number: int) -> tuple[int, int, int]:
    """Order by completeness, then the newest `updateDate`, absent last, then the number."""
    return -points, -date.fromisoformat(updated).toordinal() if updated else 1, number


def _capped(found: Iterable[Person], most: int) -> Iterator[Person]:
    shown: Counter[int] = Counter()
    for person in found:
        if person.company is not None:
            shown[person.company] += 1
            if shown[person.company] > most:
                continue
        yield person


def _page(numbers: list[int], request: Json) -> Answer:
    pagination = request.get("pagination", {})
    page, size = pagination.get("page", 0), pagination.get("size", 25)
    return Answer(len(numbers), numbers[page * size : (page + 1) * size])
