"""Endpoints of prospecting. The endpoints of its filters are in `discovery/routes.py`."""

from firmograph.api.endpoint import Call, Deferred, Endpoint, endpoint
from firmograph.kit.errors import Busy, Conflict, Loading, PaymentRequired, SearchUnavailable
from firmograph.prospecting import answers
from firmograph.prospecting.current_search import CurrentSearch
from firmograph.prospecting.discovery.routes import filter_routes
from firmograph.prospecting.discovery.service import Discovery
from firmograph.prospecting.filters import requests

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


def routes(search: CurrentSearch, discovery: Discovery) -> list[Endpoint]:
    @endpoint(
        "POST",
        "/v3/contacts/prospecting",
        body=requests.ContactProspecting,
        answer=answers.ContactProspectingAnswer,
        tags=["Prospecting"],
        summary="Find contacts by filters",
        description="Finds contacts by their data and by the data of their companies." + _ABOUT,
        charges=True,
        examples={"directors with a phone number": _DIRECTORS, "people in new jobs": _CHANGED_JOBS},
        errors=_ERRORS,
    )
    def prospect_contacts(call: Call[requests.ContactProspecting]) -> Deferred:
        return search.contacts(call)

    @endpoint(
        "POST",
        "/v3/companies/prospecting",
        body=requests.CompanyProspecting,
        answer=answers.CompanyProspectingAnswer,
        tags=["Prospecting"],
        summary="Find companies by filters",
        description="Finds companies by their data, and by the data of one single contact." + _ABOUT,
        charges=True,
        examples={
            "users of a technology": _USERS_OF_A_TECHNOLOGY,
            "companies that grow or hire in sales": _HIRING_IN_SALES,
        },
        errors=_ERRORS,
    )
    def prospect_companies(call: Call[requests.CompanyProspecting]) -> Deferred:
        return search.companies(call)

    return [prospect_contacts, prospect_companies, *filter_routes(discovery)]
