"""Response structures of the signals calls (docs/reference/signals.md#answers).

Responses are assembled from stored events (`event_renderer.py`); these structs describe them in the OpenAPI document,
and tests check responses against them.
"""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.api.envelope import Billing, ItemError
from firmograph.directory.previews import ResponsePart, Results, Token
from firmograph.table_rows import TableWrite

Number = Annotated[str, Meta(description="The record's legacy number, in digits")]
Day = Annotated[str, Meta(description="YYYY-MM-DD")]
SignalId = Annotated[
    str, Meta(description="Stable: the same signal has the same id for every account and in every response")
]
Percent = Annotated[float, Meta(description="Difference of the new figure from the old one, in percent")]
Truncated = Annotated[
    bool, Meta(description="Present, and true, if a type has more than the 1,000 signals shown")
]


class JobMoved(ResponsePart, kw_only=True):
    """Fields of a job move shared by both generations."""

    person_id: Number
    current_company_id: Annotated[int, Meta(description="The company's legacy number")]
    current_company_name: str
    current_domain: str
    current_title: str
    current_departments: str
    current_seniority_label: str
    previous_company_name: str
    previous_domain: str
    signal_date: Day


class JobMoveEvent(JobMoved, kw_only=True):
    id: Token
    previous_company: str
    new_company: str


class _CompanyEvent(ResponsePart, kw_only=True):
    company_id: Number
    company_name: str
    domain: str
    signal_id: SignalId


class _DatedEvent(_CompanyEvent, kw_only=True):
    signal_date: Day
    change_rate_percent: Percent


class TrafficEvent(_DatedEvent, kw_only=True):
    historical_avg: float
    last_month_visits: float


class SpendEvent(_DatedEvent, kw_only=True):
    estimated_annual_it_spend: float


class HeadcountEvent(_DatedEvent, kw_only=True):
    baseline_employees_count: float
    new_employees_count: float


class SurgeEvent(_DatedEvent, kw_only=True):
    new_jobs_posted_last_week: float
    historical_avg: float


class DepartmentSurgeEvent(_DatedEvent, kw_only=True):
    department: str
    new_jobs_posted_last4_weeks: float
    historical_avg: float


class LocationSurgeEvent(_DatedEvent, kw_only=True):
    country: str
    state: Annotated[str, Meta(description="Absent for a whole country")] | UnsetType = UNSET
    new_jobs_posted_last4_weeks: float
    historical_avg: float


class NewsStoryEvent(_CompanyEvent, kw_only=True):
    event_type: Annotated[str, Meta(description="In lower case", examples=["partnership"])]
    event_summary: str
    article_published_date: Day
    article_title: str
    article_highlight: str
    event_effective_date: Day
    article_url: str


class PostTopic(ResponsePart):
    topic: str
    category: str


class PostPerson(ResponsePart):
    id: Token | None
    full_name: str
    linkedin_url: str


class PostCompany(ResponsePart):
    id: Token | None
    name: str
    linkedin_url: str


class PostEvent(ResponsePart):
    """Post of a company or one of its people, without the text of the post."""

    company_id: Annotated[int, Meta(description="The company's legacy number")]
    activity_publication_date: Day
    signal_category: str
    intent_topics: list[PostTopic]
    author: Annotated[
        PostPerson, Meta(description="A person; or the company itself, with its id, for a post of its page")
    ]
    contacts_mentioned: list[PostPerson]
    companies_mentioned: list[PostCompany]
    activity_url: str
    activity_summary: str | None
    activity_likes: int
    activity_comments: int
    activity_shares: int
    activity_type: str


class SignalsOfContact(ResponsePart):
    """Signals of a contact, newest first: each requested type, `[]` without signals."""

    id: Token
    company_change: list[JobMoveEvent] | UnsetType = UNSET
    promotion: list[JobMoveEvent] | UnsetType = UNSET
    truncated: Truncated | UnsetType = UNSET


_Headcounts = list[HeadcountEvent] | UnsetType


def _named(name: str) -> Any:
    """Return an optional field with a name that differs from the usual renaming."""
    return msgspec.field(default=UNSET, name=name)


class TypesOfCompany(ResponsePart, kw_only=True):
    """Signal types shared by both generations."""

    website_traffic_decrease: list[TrafficEvent] | UnsetType = UNSET
    website_traffic_increase: list[TrafficEvent] | UnsetType = UNSET
    it_spend_increase: list[SpendEvent] | UnsetType = UNSET
    it_spend_decrease: list[SpendEvent] | UnsetType = UNSET
    surge_in_hiring: list[SurgeEvent] | UnsetType = UNSET
    headcount_increase1m: _Headcounts = _named("headcountIncrease1m")
    headcount_increase3m: _Headcounts = _named("headcountIncrease3m")
    headcount_increase6m: _Headcounts = _named("headcountIncrease6m")
    headcount_increase12m: _Headcounts = _named("headcountIncrease12m")
    headcount_decrease1m: _Headcounts = _named("headcountDecrease1m")
    headcount_decrease3m: _Headcounts = _named("headcountDecrease3m")
    headcount_decrease6m: _Headcounts = _named("headcountDecrease6m")
    headcount_decrease12m: _Headcounts = _named("headcountDecrease12m")
    surge_in_hiring_by_department: list[DepartmentSurgeEvent] | UnsetType = UNSET
    surge_in_hiring_by_location: list[LocationSurgeEvent] | UnsetType = UNSET
    risk_news: list[NewsStoryEvent] | UnsetType = UNSET
    commercial_activity_news: list[NewsStoryEvent] | UnsetType = UNSET
    corporate_strategy_news: list[NewsStoryEvent] | UnsetType = UNSET
    financial_events_news: list[NewsStoryEvent] | UnsetType = UNSET
    people_news: list[NewsStoryEvent] | UnsetType = UNSET
    market_intelligence_news: list[NewsStoryEvent] | UnsetType = UNSET
    product_activity_news: list[NewsStoryEvent] | UnsetType = UNSET
    truncated: Truncated | UnsetType = UNSET


class SignalsOfCompany(TypesOfCompany, kw_only=True):
    """Signals of a company, newest first, then by `signalId`: each requested type with signals."""

    id: Token
    company_name: str
    domain: str
    linkedin_activity_intent: list[PostEvent] | UnsetType = UNSET


class _Dated(Results, kw_only=True):
    start_date: Annotated[
        str,
        Meta(description="The requested day; otherwise the day of the oldest signal shown, or `endDate`"),
    ]
    end_date: Annotated[str, Meta(description="Today, in UTC")]
    table_write: TableWrite | UnsetType = UNSET
    billing: Billing


class ContactSignalsAnswer(_Dated, kw_only=True):
    results: list[SignalsOfContact | ItemError]


class CompanySignalsAnswer(_Dated, kw_only=True):
    results: list[SignalsOfCompany | ItemError]


class SignalTypes(ResponsePart):
    signal_types: list[str]


class SignalFilter(ResponsePart):
    filter_type: str
    requires_query: Annotated[bool, Meta(description="Whether the values have to be searched by `query`")]


class SignalFilterTypes(ResponsePart):
    available_filters: list[SignalFilter]


class SignalFilterValues(ResponsePart):
    values: list[str]


class HiringPlaceValue(ResponsePart):
    country: str
    state: str | UnsetType = UNSET


class HiringPlaceValues(ResponsePart):
    values: list[HiringPlaceValue]
