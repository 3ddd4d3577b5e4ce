"""Signals as detectors find them: whose, of which type, when, and their fields.

See docs/reference/signals.md#events.

`Detected.event` leaves out what belongs to the record or to the signal as such (signalId, signalDate; companyId,
companyName and domain of a company's signal; personId of a contact's): whoever shows the event adds these. Other
records that it names stand in it as record numbers, to be sealed when they are shown.
"""

from typing import Any

import msgspec

from firmograph.directory.identity import Digests
from firmograph.security.record_ids import Entity
from firmograph.signals.types import NUMBER_OF


class Detected(msgspec.Struct, frozen=True):
    """One signal, not stored yet."""

    entity: Entity
    number: int
    """Of the record that it is about."""
    type: str
    key: str
    """What makes it the same signal when it is detected again, beside record and type.

    See docs/reference/signals.md#identity.
    """
    day: str
    """`YYYY-MM-DD`: when it happened, by which it is shown, filtered and sorted."""
    event: msgspec.Struct
    """One of the structs below."""
    detail: str = ""
    """What filters narrow it by: the event of news, the department or the place (`US` or `US|CA`) of a surge, the
    categories of a post as `|Business|Technology|`."""
    people: tuple[bytes, ...] = ()
    """Digests (`directory.identity`) of LinkedIn page and record of everyone that a post names, and of every name at a
    company that news may name: suppression of one of these finds it."""

    def identity(self, digests: Digests) -> bytes:
        """16 bytes; `signalId` is their hex."""
        return digests.signal(self.entity, self.number, NUMBER_OF[self.type], self.key)


class _Event(msgspec.Struct, rename="camel"):
    pass


class JobMove(_Event):
    """`companyChange` and `promotion`. For a promotion both companies are the same one."""

    current_company_id: int
    current_company_name: str
    current_domain: str
    current_title: str
    current_departments: str
    """Joined by `, `."""
    current_seniority_label: str
    previous_company_id: int
    previous_company_name: str
    previous_domain: str
    previous_title: str


class TrafficChange(_Event):
    historical_avg: float
    last_month_visits: float
    change_rate_percent: float


class SpendChange(_Event):
    estimated_annual_it_spend: float
    change_rate_percent: float


class HeadcountChange(_Event):
    baseline_employees_count: float
    new_employees_count: float
    change_rate_percent: float


class HiringSurge(_Event):
    new_jobs_posted_last_week: float
    historical_avg: float
    change_rate_percent: float


class DepartmentSurge(_Event):
    department: str
    new_jobs_posted_last4_weeks: float
    historical_avg: float
    change_rate_percent: float


class LocationSurge(_Event):
    country: str
    """In English."""
    state: str | None
    """In English; None for a whole country."""
    new_jobs_posted_last4_weeks: float
    historical_avg: float
    change_rate_percent: float


class NewsEvent(_Event):
    event_type: str
    """In lower case with spaces (docs/reference/signals.md#events)."""
    event_summary: str
    article_published_date: str
    article_title: str
    article_highlight: str
    event_effective_date: str
    article_url: str


class Topic(_Event):
    topic: str
    category: str


class Person(_Event):
    id: int | None
    """Number of the contact's record; None where none is held."""
    full_name: str
    linkedin_url: str


class NamedCompany(_Event):
    id: int | None
    """Number of the company's record; None where none is held."""
    name: str
    linkedin_url: str


class Post(_Event):
    activity_publication_date: str
    signal_category: str
    intent_topics: list[Topic]
    author: Person
    contacts_mentioned: list[Person]
    companies_mentioned: list[NamedCompany]
    activity_url: str
    activity_summary: str | None
    activity_likes: int
    activity_comments: int
    activity_shares: int
    activity_type: str


_encode = msgspec.json.Encoder().encode


def change_rate(new: float, old: float) -> int:
    """Percent by which `new` differs from `old`, rounded half away from zero; `old` must not be 0."""
    # divided once, so that 201 from 200 is exactly half a percent
    rate = (new - old) * 100 / old
    return int(rate + 0.5) if rate >= 0 else -int(-rate + 0.5)


def figure(value: float) -> Any:
    """A number as the wire has it: whole ones without a point, others with at most two digits behind it."""
    shown = round(value, 2)
    return int(shown) if float(shown).is_integer() else shown


def event_json(event: msgspec.Struct) -> bytes:
    """The event as it is stored: one JSON object."""
    return _encode(event)
