"""Sample signals for subscription tests, one of each type.

All people and companies are fictional: names use reserved domains, and no record ever gets their record number.
"""

from hashlib import blake2b
from typing import Final, NamedTuple

import msgspec

from firmograph.signals import types
from firmograph.signals.events import (
    CompanyReference,
    DepartmentSurge,
    HeadcountChange,
    HiringSurge,
    JobMove,
    LocationSurge,
    NewsEvent,
    PersonReference,
    Post,
    SpendChange,
    Topic,
    TrafficChange,
    event_json,
)

SAMPLE_NUMBER: Final = 2**53 - 1
"""Number of the sample record and of every record it names."""
SAMPLE_SUMMARY: Final = b'"name":"Example Company","domain":"example.com"'
_DAY = "2026-01-15"


class SampleSignal(NamedTuple):
    """Fields of a signal that payloads show."""

    identity: bytes
    type: str
    day: str
    event: bytes


def sample_signal(type: str) -> SampleSignal:
    """Return the sample signal of a type; the same one each time."""
    identity = blake2b(b"mock " + type.encode(), digest_size=16).digest()
    return SampleSignal(identity, type, _DAY, event_json(_event(type)))


def _event(type: str) -> msgspec.Struct:
    if type in types.NEWS_EVENTS:
        return _news(type)
    if type in _OTHERS:
        return _OTHERS[type]
    return HeadcountChange(100, 125, 25) if "Increase" in type else HeadcountChange(125, 100, -20)


def _news(type: str) -> NewsEvent:
    title = f"Example Company in the news: {types.NEWS_EVENTS[type][0]}"
    return NewsEvent(
        event_type=types.NEWS_EVENTS[type][0].lower(),
        event_summary="Example Company, which does not exist, appears in this test event.",
        article_published_date=_DAY,
        article_title=title,
        article_highlight="This is a test event.",
        event_effective_date=_DAY,
        article_url="https://news.example.com/test",
    )


def _job_move(previous_name: str, previous_domain: str) -> JobMove:
    return JobMove(
        current_company_id=SAMPLE_NUMBER,
        current_company_name="Example Company",
        current_domain="example.com",
        current_title="Director of Sales",
        current_departments="Sales, Marketing",
        current_seniority_label="Director",
        previous_company_id=SAMPLE_NUMBER,
        previous_company_name=previous_name,
        previous_domain=previous_domain,
        previous_title="Sales Manager",
    )


_PERSON = PersonReference(SAMPLE_NUMBER, "Jane Example", "https://people.example.com/jane")
_OTHERS: Final[dict[str, msgspec.Struct]] = {
    "promotion": _job_move("Example Company", "example.com"),
    "companyChange": _job_move("Former Example", "example.org"),
    "websiteTrafficIncrease": TrafficChange(10000, 15000, 50),
    "websiteTrafficDecrease": TrafficChange(15000, 9000, -40),
    "itSpendIncrease": SpendChange(1250000, 25),
    "itSpendDecrease": SpendChange(750000, -25),
    "surgeInHiring": HiringSurge(12, 2.5, 380),
    types.BY_DEPARTMENT: DepartmentSurge("Sales", 9, 1.5, 500),
    types.BY_LOCATION: LocationSurge("Germany", "Bavaria", 8, 1.6, 400),
    types.POSTS: Post(
        activity_publication_date=_DAY,
        signal_category="Technology Discussion",
        intent_topics=[Topic("Cloud Migration", "Technology")],
        author=_PERSON,
        contacts_mentioned=[_PERSON],
        companies_mentioned=[
            CompanyReference(SAMPLE_NUMBER, "Example Company", "https://companies.example.com/1")
        ],
        activity_url="https://posts.example.com/1",
        activity_summary="A sample post.",
        activity_likes=12,
        activity_comments=3,
        activity_shares=1,
        activity_type="post",
    ),
}
