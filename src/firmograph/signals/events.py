"""Detected signals and the structures of their events (docs/reference/signals.md#events).

`Detected.event` has no fields of the record or of the signal itself (signalId, signalDate; companyId, companyName and
domain of a company's signal; personId of a contact's): the renderer adds them. It names other records by number;
the renderer turns these into record ids.
"""

from typing import Any

import msgspec

from firmograph.directory.identity import Digests
from firmograph.security.record_ids import Entity
from firmograph.signals.types import NUMBER_OF


class Detected(msgspec.Struct, frozen=True):
    """Signal found by a detector, not stored yet."""

    entity: Entity
    number: int
    """Number of its record."""
    type: str
    key: str
    """Identifies the signal within record and type, so that repeated detections are one signal.

    See docs/reference/signals.md#identity.
    """
    day: str
    """`YYYY-MM-DD`, the day of the event: shown, filtered and sorted by."""
    event: msgspec.Struct
    """One of the structs below."""
    detail: str = ""
    """Value that filters compare: the event of news, the department or location (`US` or `US|CA`) of a surge, the
    categories of a post as `|Business|Technology|`."""
    people: tuple[bytes, ...] = ()
    """Digests (`directory.identity`) by which suppression finds the signal: LinkedIn pages and record numbers of people
    named in a post, and names at a company that may stand in news."""
    needs: tuple[int, ...] = ()
    """Numbers of further sources whose facts it combines with those of the source that states it."""

    def identity(self, digests: Digests) -> bytes:
        """Return the 16-byte identity; `signalId` is its hexadecimal form."""
        return digests.signal(self.entity, self.number, NUMBER_OF[self.type], self.key)


class _Event(msgspec.Struct, rename="camel"):
    pass


class JobMove(_Event):
    """`companyChange` or `promotion`; a promotion has the same company twice."""

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


class PersonReference(_Event):
    id: int | None
    """Number of the contact record; None without a record."""
    full_name: str
    linkedin_url: str


class CompanyReference(_Event):
    id: int | None
    """Number of the company record; None without a record."""
    name: str
    linkedin_url: str


class Post(_Event):
    activity_publication_date: str
    signal_category: str
    intent_topics: list[Topic]
    author: PersonReference
    contacts_mentioned: list[PersonReference]
    companies_mentioned: list[CompanyReference]
    activity_url: str
    activity_summary: str | None
    activity_likes: int
    activity_comments: int
    activity_shares: int
    activity_type: str


_encode = msgspec.json.Encoder().encode


def change_rate(new: float, old: float) -> int:
    """Return the change in percent, rounded half away from zero; `old` must not be 0."""
    # a single division, so that 200 to 201 is exactly half a percent
    rate = (new - old) * 100 / old
    return int(rate + 0.5) if rate >= 0 else -int(-rate + 0.5)


def round_figure(value: float) -> Any:
    """Return a number for a response: whole numbers as integers, others rounded to two decimals."""
    rounded = round(value, 2)
    return int(rounded) if float(rounded).is_integer() else rounded


def event_json(event: msgspec.Struct) -> bytes:
    """Encode an event in its stored form, a JSON object."""
    return _encode(event)
