"""Endpoint of website visits. Those of the collector are in `collector/routes.py`."""

from firmograph.api.endpoint import Call, Deferred, Endpoint
from firmograph.api.envelope import render_answer
from firmograph.visits.answers import WebsiteVisitsAnswer
from firmograph.visits.search import FoundVisits, WebsiteVisits
from firmograph.visits.shapes import WebsiteVisitsRequest

_QUARTER = {"startDate": "2026-01-01", "endDate": "2026-03-31"}
_HOT_FROM_EUROPE = {
    "startDate": "2026-03-01",
    "endDate": "2026-03-31",
    "filters": {
        "scoreBands": ["warm", "hot"],
        "totalSessions": {"min": 2},
        "visitorCountries": {"include": ["DE", "FR", "NL"]},
    },
    "sort": {"by": "totalSessions", "order": "desc"},
    "pagination": {"page": 0, "size": 50},
}


def routes(visits: WebsiteVisits) -> list[Endpoint]:
    def find_website_visits(call: Call[WebsiteVisitsRequest]) -> Deferred:
        def find() -> bytes:
            return _render(visits.find(call.account, call.body, call.at), call.request_id)

        return Deferred(find, writes=False)

    return [
        Endpoint(
            name="find_website_visits",
            method="POST",
            path="/v3/companies/website-visits",
            function=find_website_visits,
            body=WebsiteVisitsRequest,
            answer=WebsiteVisitsAnswer,
            tags=["Website visits"],
            summary="Rank companies by their visits to your web sites",
            description="Ranks the companies whose people visited the account's tracked domains within a window of at"
            " most three calendar months: one result for each company over all chosen domains. A domain that is not"
            " tracked is 400 for the whole call. Pages are given by `page` and `size`, or by `limit` and `offset`, not"
            " by both; `total` is exact. Free.",
            examples={"everything": _QUARTER, "warm and hot of three countries": _HOT_FROM_EUROPE},
        )
    ]


def _render(found: FoundVisits, request_id: str) -> bytes:
    pagination = b'"pagination":{"page":%d,"size":%d,"total":%d,"limit":%d,"offset":%d},' % (
        found.offset // found.limit,
        found.limit,
        found.total,
        found.limit,
        found.offset,
    )
    return render_answer(request_id, found.results, 0, len(found.results), pagination)
