"""A set of records as the oracle looks at it."""

from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import NamedTuple

from firmograph.directory.records import Company, Contact
from firmograph.prospecting.indexing.completeness import company_points, contact_points

TODAY = date(2026, 9, 21)
"""The day on which everything is asked; that of a `SetClock`."""


class Noticed(NamedTuple):
    """A signal of a record, as it is stored."""

    type: str
    detail: str
    day: str

    @property
    def ahead(self) -> int:
        return int(self.day > TODAY.isoformat())


@dataclass(frozen=True)
class Person:
    """A contact, and the number of the company record that it works for."""

    number: int
    company: int | None
    record: Contact
    signals: tuple[Noticed, ...] = ()

    @cached_property
    def points(self) -> int:
        return contact_points(self.record)


@dataclass(frozen=True)
class Firm:
    number: int
    record: Company
    signals: tuple[Noticed, ...] = ()

    @cached_property
    def points(self) -> int:
        return company_points(self.record)


@dataclass(slots=True)
class Records:
    """All records there are, by number; and what was worked out about them, kept for one request."""

    contacts: dict[int, Person] = field(default_factory=dict)
    companies: dict[int, Firm] = field(default_factory=dict)
    centres: dict[tuple[str, str], tuple[float, float] | None] = field(default_factory=dict)
    """Of postcodes (country and code)."""
    domains: dict[str, set[int]] = field(default_factory=dict)
    """The companies of some domains."""
    staff: dict[int | None, list[Person]] = field(default_factory=dict)
    """The contacts of each company."""
    judged: dict[tuple[object, ...], bool] = field(default_factory=dict)
    """Whether a company passes a filter: asked of each of its contacts."""

    def renew(self) -> None:
        """The records may have changed since the last request."""
        self.centres.clear()
        self.domains.clear()
        self.staff.clear()
        self.judged.clear()
