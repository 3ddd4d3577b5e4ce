"""Endpoints of legacy prospecting. Those of its filters are in `filter_routes.py`."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from firmograph.api.charged_answers import respond
from firmograph.api.endpoint import Call, ChargedResponse, Deferred, Endpoint
from firmograph.billing.charged_call import ChargedCall
from firmograph.caller import Request
from firmograph.kit.errors import Busy, Conflict, Loading, PaymentRequired, SearchUnavailable
from firmograph.legacy.prospecting import answers, enrich_shapes, search_shapes
from firmograph.legacy.prospecting.enrichment import EnrichedItems, LegacyEnrichment
from firmograph.legacy.prospecting.search import LegacySearch
from firmograph.prospecting.service import FoundPage
from firmograph.security.record_ids import Entity

_SEARCH_ERRORS = (PaymentRequired, Conflict, Busy, Loading, SearchUnavailable)
_ENRICH_ERRORS = (PaymentRequired, Conflict, Busy)
_TAGS = ["Legacy prospecting"]
_ABOUT = (
    " A record matches if it meets any value of each filter; records that meet any value of an `exclude` are left out."
    " Free unless the plan prices it. The list stands under `data` and under the name of the records; `totalResults` is"
    " exact. Without `pages` in the body, `pages[page]` and `pages[size]` of the query count."
)
_REQUEST_ID = "2f0c1f6e-5a0f-4f0e-9d0b-3f1d6a6e7c11"
_ID = "4503599627370495"
"""Id of no record: take real ones from a search."""


def _render_page(name: bytes, content: FoundPage, request_id: str, credits: int) -> bytes:
    """Render the answer, its list under `data` and under the name of the entity."""
    page, results = content
    listed = b",".join(results.values())
    return (
        b'{"requestId":"%s","currentPage":%d,"pageLength":%d,"totalResults":%d,"data":[%s],"%s":[%s],'
        b'"billing":{"creditsCharged":%d,"resultsReturned":%d}}'
    ) % (
        request_id.encode(),
        page.number,
        len(results),
        page.result.total,
        listed,
        name,
        listed,
        credits,
        len(results),
    )


def _render_items(
    name: bytes, search_id: str, content: EnrichedItems, request_id: str, credits: int
) -> bytes:
    """Render the answer with the `requestId` of the search, as the request has it."""
    return (
        b'{"requestId":"%s","%s":[%s],"creditsCharged":%d,"billing":{"creditsCharged":%d,"resultsReturned":%d}}'
    ) % (search_id.encode(), name, b",".join(content.items), credits, credits, content.returned)


class _Kind(NamedTuple):
    """What differs between the endpoints of contacts and of companies."""

    entity: Entity
    search_body: Any
    search_answer: Any
    search_description: str
    search_examples: Mapping[str, Any]
    enrich_body: Any
    enrich_answer: Any
    enrich_description: str
    enrich_examples: Mapping[str, Any]


_CONTACTS = _Kind(
    Entity.CONTACT,
    search_shapes.LegacyContactSearch,
    answers.LegacyContactSearchAnswer,
    "Finds contacts by their data and by the data of their companies, and says what is held of each.",
    {
        "directors with a phone number": {
            "filters": {"contacts": {"include": {"seniority": [6], "existing_data_points": ["phone"]}}},
            "pages": {"page": 0, "size": 20},
        }
    },
    enrich_shapes.LegacyContactEnrichRequest,
    answers.LegacyContactEnrichAnswer,
    "Reveals e-mails and phones of up to 100 contacts by id; an id of no record is `isSuccess: false`. Each non-empty"
    " data point is charged once per account, in either generation; without a flag that is `true`, both are asked for.",
    {"by id, from a search": {"requestId": _REQUEST_ID, "contactIds": [_ID]}},
)
_COMPANIES = _Kind(
    Entity.COMPANY,
    search_shapes.LegacyCompanySearch,
    answers.LegacyCompanySearchAnswer,
    "Finds companies by their data and by the data of one of their contacts, and says what is held of each.",
    {
        "companies of a country": {
            "filters": {"companies": {"include": {"locations": [{"country": "United States"}]}}}
        }
    },
    enrich_shapes.LegacyCompanyEnrichRequest,
    answers.LegacyCompanyEnrichAnswer,
    "Reveals the base of up to 100 companies by id, charged once per account, in either generation. An id of no record"
    " has no entry.",
    {"by id, from a search": {"requestId": _REQUEST_ID, "companiesIds": [_ID]}},
)


def routes(search: LegacySearch, enrichment: LegacyEnrichment, *, status: int) -> list[Endpoint]:
    """Return the endpoints, whose successes have this status."""
    return [
        _search(search.contacts, _CONTACTS, status),
        _search(search.companies, _COMPANIES, status),
        _enrich(enrichment.contacts, _CONTACTS, status),
        _enrich(enrichment.companies, _COMPANIES, status),
    ]


def _search(
    search: Callable[[Request, Any, search_shapes.LegacyPagesQuery], ChargedCall[FoundPage]],
    kind: _Kind,
    status: int,
) -> Endpoint:
    render = partial(_render_page, kind.entity.plural.encode())

    def search_records(call: Call[Any]) -> ChargedResponse | Deferred:
        return respond(search(call.request, call.body, call.query), render)

    return Endpoint(
        name=f"search_{kind.entity.plural}_legacy",
        method="POST",
        path=f"/prospecting/{kind.entity.singular}/search",
        function=search_records,
        body=kind.search_body,
        query=search_shapes.LegacyPagesQuery,
        answer=kind.search_answer,
        status=status,
        tags=_TAGS,
        summary=f"Find {kind.entity.plural} by filters (legacy)",
        description=kind.search_description + _ABOUT,
        charges=True,
        successor=f"/v3/{kind.entity.plural}/prospecting",
        examples=kind.search_examples,
        errors=_SEARCH_ERRORS,
    )


def _enrich(
    enrich: Callable[[Request, Any], ChargedCall[EnrichedItems]], kind: _Kind, status: int
) -> Endpoint:
    def enrich_records(call: Call[Any]) -> ChargedResponse | Deferred:
        render = partial(_render_items, kind.entity.plural.encode(), call.body.request_id)
        return respond(enrich(call.request, call.body), render)

    return Endpoint(
        name=f"enrich_{kind.entity.plural}_legacy",
        method="POST",
        path=f"/prospecting/{kind.entity.singular}/enrich",
        function=enrich_records,
        body=kind.enrich_body,
        answer=kind.enrich_answer,
        status=status,
        tags=_TAGS,
        summary=f"Reveal {kind.entity.plural} of a search (legacy)",
        description=kind.enrich_description,
        charges=True,
        successor=f"/v3/{kind.entity.plural}/enrich",
        examples=kind.enrich_examples,
        errors=_ENRICH_ERRORS,
    )
