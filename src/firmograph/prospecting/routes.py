"""Endpoints of prospecting. The endpoints of its filters are in `discovery/routes.py`."""

from typing import Any

from firmograph.api.charged_answers import respond
from firmograph.api.endpoint import Call, ChargedResponse, Deferred, Endpoint
from firmograph.api.envelope import render_answer
from firmograph.kit.errors import Busy, Conflict, Loading, PaymentRequired, SearchUnavailable
from firmograph.prospecting import answers
from firmograph.prospecting.current_search import CurrentSearch
from firmograph.prospecting.discovery.routes import filter_routes
from firmograph.prospecting.discovery.service import Discovery
from firmograph.prospecting.filters import requests
from firmograph.prospecting.service import FoundPage
from firmograph.security.record_ids import Entity
from firmograph.table_rows import RowWriter, TableRows, following, requested_rows

_ERRORS = (PaymentRequired, Conflict, Busy, Loading, SearchUnavailable)

_ABOUT = (
    " A record matches if it meets any value of each filter; records that meet any value of an `exclude` are left"
    " out. Free unless the plan prices it. `total` is exact. Results are ordered by completeness of the record, then"
    " by the newest `updateDate`; pages never overlap or skip while the data do not change. With `signals` among the"
    " filters of the records themselves, `signalTypes` of each result lists the requested types that it has; the"
    " filter is free, and not on every plan."
)

# both match people and companies of the demo data
_DIRECTORS = {
    "filters": {
        "contacts": {"include": {"countries": ["US"], "seniorityIds": [6], "existingDataPoints": ["phone"]}},
        "companies": {"exclude": {"sizes": [{"max": 50}]}},
    },
    "pagination": {"page": 0, "size": 25},
    "options": {"maxContactsPerCompany": 3},
}
_USERS_OF_A_TECHNOLOGY = {
    "filters": {"companies": {"include": {"technologies": ["Argo CD"]}}},
    "options": {"includePartialProfiles": True},
}

_CHANGED_JOBS = {
    "filters": {
        "contacts": {
            "include": {"signals": {"types": ["companyChange", "promotion"], "startDate": "2026-01-01"}}
        }
    }
}
_HIRING_IN_SALES = {
    "filters": {
        "companies": {
            "include": {
                "signals": {
                    "types": ["surgeInHiringByDepartment", "headcountIncrease3m"],
                    "filterByDepartment": [{"department": "Sales"}],
                }
            }
        }
    },
    "options": {"includePartialProfiles": True},
}


def routes(search: CurrentSearch, discovery: Discovery, tables: RowWriter) -> list[Endpoint]:
    return [
        _route(
            Entity.CONTACT,
            search,
            tables,
            body=requests.ContactProspecting,
            answer=answers.ContactProspectingAnswer,
            description="Finds contacts by their data and by the data of their companies." + _ABOUT,
            examples={"directors with a phone number": _DIRECTORS, "people in new jobs": _CHANGED_JOBS},
        ),
        _route(
            Entity.COMPANY,
            search,
            tables,
            body=requests.CompanyProspecting,
            answer=answers.CompanyProspectingAnswer,
            description="Finds companies by their data, and by the data of one single contact." + _ABOUT,
            examples={
                "users of a technology": _USERS_OF_A_TECHNOLOGY,
                "companies that grow or hire in sales": _HIRING_IN_SALES,
            },
        ),
        *filter_routes(discovery),
    ]


def _render(content: FoundPage, request_id: str, credits: int) -> bytes:
    """Render the answer with its `pagination`."""
    query, result = content.page
    total_description = ""
    if query.max_per_company is not None:
        cap = f"{query.max_per_company} contact{'s' * (query.max_per_company != 1)}"
        total_description = (
            f',"totalDescription":"Exact count of what is left with at most {cap} per company"'
        )
    pagination = b'"pagination":{"page":%d,"size":%d,"total":%d,"totalGuaranteed":true%s},' % (
        content.page.number,
        query.size,
        result.total,
        total_description.encode(),
    )
    results = content.results
    return render_answer(request_id, results.values(), credits, len(results), pagination)


def _fill(rows: TableRows, content: FoundPage) -> TableRows:
    return rows._replace(numbers=list(content.results))


def _route(entity: Entity, search: CurrentSearch, tables: RowWriter, **declared: Any) -> Endpoint:
    """Declare the endpoint of one kind of records; `declared` are the fields that differ between the two."""

    def prospect(call: Call[Any]) -> ChargedResponse | Deferred:
        request, body = call.request, call.body
        rows = requested_rows(request, body.table_id, entity)
        return respond(search.find(request, body), _render, following(rows, tables, _fill))

    return Endpoint(
        name=f"prospect_{entity.plural}",
        method="POST",
        path=f"/v3/{entity.plural}/prospecting",
        function=prospect,
        tags=["Prospecting"],
        summary=f"Find {entity.plural} by filters",
        charges=True,
        errors=_ERRORS,
        **declared,
    )
