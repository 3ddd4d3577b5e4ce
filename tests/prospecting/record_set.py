"""A set of records in the form that the oracle uses."""

from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import NamedTuple

from firmograph.directory.records import Company, Contact
from firmograph.prospecting.indexing.completeness import company_points, contact_points

TODAY = date(2026, 9, 21)
"""The day of all requests; that of a `SetClock`."""


class StoredSignal(NamedTuple):
    """A stored signal of a record."""

    type: str
    detail: str
    day: str

    @property
    def ahead(self) -> int:
        return int(self.day > TODAY.isoformat())


@dataclass(frozen=True)
class Person:
    """A contact, and the number of its company record."""

    number: int
    company: int | None
    record: Contact
    signals: tuple[StoredSignal, ...] = ()

    @cached_property
    def points(self) -> int:
        return contact_points(self.record)


@dataclass(frozen=True)
class Firm:
    number: int
    record: Company
    signals: tuple[StoredSignal, ...] = ()

    @cached_property
    def points(self) -> int:
        return company_points(self.record)


@dataclass(slots=True)
class Records:
    """All records by number, and results cached for one request."""

    contacts: dict[int, Person] = field(default_factory=dict)
    companies: dict[int, Firm] = field(default_factory=dict)
    centres: dict[tuple[str, str], tuple[float, float] | None] = field(default_factory=dict)
    """Centres of postcodes (country and code)."""
    domains: dict[str, set[int]] = field(default_factory=dict)
    """Companies by domain."""
    staff: dict[int | None, list[Person]] = field(default_factory=dict)
    """Contacts by company."""
    verdicts: dict[tuple[object, ...], bool] = field(default_factory=dict)
    """Whether a company passes a filter, which each of its contacts needs."""

    def renew(self) -> None:
        """Clear the cached results, as the records may have changed since the last request."""
        self.centres.clear()
        self.domains.clear()
        self.staff.clear()
        self.verdicts.clear()
