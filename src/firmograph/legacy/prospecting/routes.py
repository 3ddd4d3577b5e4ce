"""Endpoints of legacy prospecting. Those of its filters are in `filter_routes.py`."""

from functools import partial

from firmograph.api.charged_answers import respond
from firmograph.api.endpoint import Call, ChargedResponse, Deferred, Endpoint
from firmograph.kit.errors import Busy, Conflict, Loading, PaymentRequired, SearchUnavailable
from firmograph.legacy.prospecting import answers, enrich_shapes, search_shapes
from firmograph.legacy.prospecting.enrichment import EnrichedItems, LegacyEnrichment
from firmograph.legacy.prospecting.search import LegacySearch
from firmograph.prospecting.service import FoundPage

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


def routes(search: LegacySearch, enrichment: LegacyEnrichment, *, status: int) -> list[Endpoint]:
    """Return the endpoints, whose successes have this status."""
    return [*_search_routes(search, status), *_enrich_routes(enrichment, status)]


def _search_routes(search: LegacySearch, status: int) -> list[Endpoint]:
    def search_contacts_legacy(call: Call[search_shapes.LegacyContactSearch]) -> ChargedResponse | Deferred:
        ready = search.contacts(call.request, call.body, call.query)
        return respond(ready, partial(_render_page, b"contacts"))

    def search_companies_legacy(call: Call[search_shapes.LegacyCompanySearch]) -> ChargedResponse | Deferred:
        ready = search.companies(call.request, call.body, call.query)
        return respond(ready, partial(_render_page, b"companies"))

    return [
        Endpoint(
            name="search_contacts_legacy",
            method="POST",
            path="/prospecting/contact/search",
            function=search_contacts_legacy,
            body=search_shapes.LegacyContactSearch,
            query=search_shapes.LegacyPagesQuery,
            answer=answers.LegacyContactSearchAnswer,
            status=status,
            tags=_TAGS,
            summary="Find contacts by filters (legacy)",
            description="Finds contacts by their data and by the data of their companies, and says what is held of"
            " each." + _ABOUT,
            charges=True,
            successor="/v3/contacts/prospecting",
            examples={
                "directors with a phone number": {
                    "filters": {
                        "contacts": {"include": {"seniority": [6], "existing_data_points": ["phone"]}}
                    },
                    "pages": {"page": 0, "size": 20},
                }
            },
            errors=_SEARCH_ERRORS,
        ),
        Endpoint(
            name="search_companies_legacy",
            method="POST",
            path="/prospecting/company/search",
            function=search_companies_legacy,
            body=search_shapes.LegacyCompanySearch,
            query=search_shapes.LegacyPagesQuery,
            answer=answers.LegacyCompanySearchAnswer,
            status=status,
            tags=_TAGS,
            summary="Find companies by filters (legacy)",
            description="Finds companies by their data and by the data of one of their contacts, and says what is held"
            " of each." + _ABOUT,
            charges=True,
            successor="/v3/companies/prospecting",
            examples={
                "companies of a country": {
                    "filters": {"companies": {"include": {"locations": [{"country": "United States"}]}}}
                }
            },
            errors=_SEARCH_ERRORS,
        ),
    ]


def _enrich_routes(enrichment: LegacyEnrichment, status: int) -> list[Endpoint]:
    def enrich_contacts_legacy(
        call: Call[enrich_shapes.LegacyContactEnrichRequest],
    ) -> ChargedResponse | Deferred:
        ready = enrichment.contacts(call.request, call.body)
        return respond(ready, partial(_render_items, b"contacts", call.body.request_id))

    def enrich_companies_legacy(
        call: Call[enrich_shapes.LegacyCompanyEnrichRequest],
    ) -> ChargedResponse | Deferred:
        ready = enrichment.companies(call.request, call.body)
        return respond(ready, partial(_render_items, b"companies", call.body.request_id))

    return [
        Endpoint(
            name="enrich_contacts_legacy",
            method="POST",
            path="/prospecting/contact/enrich",
            function=enrich_contacts_legacy,
            body=enrich_shapes.LegacyContactEnrichRequest,
            answer=answers.LegacyContactEnrichAnswer,
            status=status,
            tags=_TAGS,
            summary="Reveal contacts of a search (legacy)",
            description="Reveals e-mails and phones of up to 100 contacts by id; an id of no record is `isSuccess:"
            " false`. Each non-empty data point is charged once per account, in either generation; without a flag that"
            " is `true`, both are asked for.",
            charges=True,
            successor="/v3/contacts/enrich",
            examples={"by id, from a search": {"requestId": _REQUEST_ID, "contactIds": [_ID]}},
            errors=_ENRICH_ERRORS,
        ),
        Endpoint(
            name="enrich_companies_legacy",
            method="POST",
            path="/prospecting/company/enrich",
            function=enrich_companies_legacy,
            body=enrich_shapes.LegacyCompanyEnrichRequest,
            answer=answers.LegacyCompanyEnrichAnswer,
            status=status,
            tags=_TAGS,
            summary="Reveal companies of a search (legacy)",
            description="Reveals the base of up to 100 companies by id, charged once per account, in either generation."
            " An id of no record has no entry.",
            charges=True,
            successor="/v3/companies/enrich",
            examples={"by id, from a search": {"requestId": _REQUEST_ID, "companiesIds": [_ID]}},
            errors=_ENRICH_ERRORS,
        ),
    ]
