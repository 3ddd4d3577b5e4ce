"""Response of website visits (docs/reference/website-visits.md#answer)."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from firmograph.api.envelope import Billing
from firmograph.directory.previews import CompanyPreview, ResponsePart, Results
from firmograph.visits.score import Band


class VisitingCompany(CompanyPreview, kw_only=True):
    """Preview of a company, as search shows it, with the metrics of its visits."""

    score: Annotated[int, Meta(ge=1, le=100, description="Engagement, which fades with the days since")]
    score_band: Band
    total_sessions: int
    unique_visitors: int
    avg_session_minutes: float
    days_visited: int
    high_intent_pageviews: int
    days_since_last_visit: Annotated[int, Meta(description="To `endDate` or today, the earlier one")]
    last_visit: Annotated[str, Meta(extra_json_schema={"format": "date"})]
    visitor_country: (
        Annotated[str, Meta(description="ISO 3166-1 alpha-2, the commonest of its sessions; if one is known")]
        | UnsetType
    ) = UNSET


class VisitPageInfo(ResponsePart, kw_only=True):
    page: Annotated[int, Meta(description="Page of `size` results that the first one is on")]
    size: int
    total: Annotated[int, Meta(description="Exact")]
    limit: int
    offset: int


class WebsiteVisitsAnswer(Results, kw_only=True):
    results: list[VisitingCompany]
    pagination: VisitPageInfo
    billing: Billing
