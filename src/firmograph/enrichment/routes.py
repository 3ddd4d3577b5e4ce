"""Endpoints of search, enrich, and search-and-enrich."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from firmograph.api.charged_answers import Follow, charged_response, respond
from firmograph.api.endpoint import (
    AsyncResponse,
    Call,
    ChargedResponse,
    Deferred,
    Endpoint,
    EndpointFunction,
    EndpointResult,
)
from firmograph.api.envelope import render_answer
from firmograph.billing.charged_call import Charged
from firmograph.enrichment import answers, shapes
from firmograph.enrichment.calls import EnrichmentCalls
from firmograph.enrichment.result_list import ShownResults
from firmograph.enrichment.service import CompanyCalls, ContactCalls
from firmograph.enrichment.waterfall import Waterfall, WaterfallCall, WaterfallResults
from firmograph.kit.errors import Busy, Conflict, PaymentRequired
from firmograph.table_rows import RowWriter, TableRows, following, requested_rows

_LOOK_SECONDS: Final = 0.05
"""Interval at which a waiting call looks for the end of its asks."""
_CHARGE_ERRORS = (PaymentRequired, Conflict, Busy)

# The demo data contain these people and companies. Ids differ between installations: take them from a search.
_ID = "v1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
_PEOPLE = [
    {"clientReferenceId": "1", "firstName": "Chuck", "lastName": "Schumer", "companyName": "US Senate"},
    {"clientReferenceId": "2", "firstName": "Nydia", "lastName": "Velazquez", "companyDomain": "house.gov"},
]
_FIRMS = [
    {"clientReferenceId": "1", "domain": "siemens.com"},
    {"clientReferenceId": "2", "name": "Bureau of Justice Statistics"},
]

_SIGNALS = (
    " With `signals`, only records with such a signal are results, the others are `NOT_FOUND`, and each result says in"
    " `signalTypes` which of the types it has."
)


class _Declared(NamedTuple):
    """What an endpoint of contacts declares otherwise than that of companies."""

    body: Any
    answer: Any
    description: str
    examples: Mapping[str, Any]


class _Kind(NamedTuple):
    search: _Declared
    enrich: _Declared
    search_and_enrich: _Declared


_CONTACTS = _Kind(
    search=_Declared(
        shapes.ContactSearch,
        answers.ContactSearchAnswer,
        "Finds 1 to 100 contacts by id, LinkedIn URL, e-mail, or name and company. Free unless the plan prices it. One"
        " result for each item, in order, with what the record holds (`has`) and what can be revealed (`canReveal`)."
        + _SIGNALS,
        {
            "by name and company": {"contacts": _PEOPLE},
            "only people who moved": {"contacts": _PEOPLE, "signals": {"types": ["companyChange"]}},
        },
    ),
    enrich=_Declared(
        shapes.ContactEnrich,
        answers.ContactEnrichAnswer,
        "Reveals e-mails and phones of 1 to 100 contacts by id. Each non-empty data point is charged once per account;"
        " `reveal` left out asks for both. `partnerClientId` says on whose behalf, for opt-outs.",
        {"by id, from a search": {"ids": [_ID], "reveal": ["emails", "phones"]}},
    ),
    search_and_enrich=_Declared(
        shapes.ContactSearchAndEnrich,
        answers.ContactSearchAndEnrichAnswer,
        "Finds contacts as search does and reveals them as enrich does. An empty `reveal` shows the profile without"
        " e-mails and phones, for nothing.",
        {"phones only": {"contacts": _PEOPLE, "reveal": ["phones"]}},
    ),
)
_COMPANIES = _Kind(
    search=_Declared(
        shapes.CompanySearch,
        answers.CompanySearchAnswer,
        "Finds 1 to 100 companies by id, domain, or a name that only one of them has. Free unless the plan prices it."
        + _SIGNALS,
        {
            "by domain and by name": {"companies": _FIRMS},
            "only companies that grow": {
                "companies": _FIRMS,
                "signals": {"types": ["headcountIncrease3m", "surgeInHiring"], "startDate": "2026-01-01"},
            },
        },
    ),
    enrich=_Declared(
        shapes.CompanyEnrich,
        answers.CompanyEnrichAnswer,
        "Reveals 1 to 100 companies by id: firmographics, and the premium data points named in `reveal`. Each is"
        " charged once per account, and only where it has a value.",
        {"by id, from a search": {"ids": [_ID], "reveal": ["directParent"]}},
    ),
    search_and_enrich=_Declared(
        shapes.CompanySearchAndEnrich,
        answers.CompanySearchAndEnrichAnswer,
        "Finds companies as search does and reveals them as enrich does. An empty `reveal` shows the preview fields,"
        " for nothing.",
        {"with owners": {"companies": _FIRMS, "reveal": ["directParent", "ultimateParent"]}},
    ),
)


def routes(
    contacts: ContactCalls, companies: CompanyCalls, tables: RowWriter, waterfall: Waterfall
) -> list[Endpoint]:
    return [*_routes(contacts, _CONTACTS, tables, waterfall), *_routes(companies, _COMPANIES, tables)]


def _render(content: ShownResults, request_id: str, credits: int) -> bytes:
    return render_answer(request_id, content.results, credits, content.returned)


def _fill(rows: TableRows, content: ShownResults) -> TableRows:
    return rows._replace(numbers=list(dict.fromkeys(content.numbers)))


def _render_asks(content: WaterfallResults, request_id: str, credits: int) -> bytes:
    return render_answer(request_id, content.results, credits, content.returned, content.members)


def _fill_asks(rows: TableRows, content: WaterfallResults) -> TableRows:
    return rows._replace(numbers=list(dict.fromkeys(content.numbers)), found=content.found)


def _answer_after_asks(
    call: WaterfallCall, follow: Follow[WaterfallResults] | None, wait_seconds: float
) -> EndpointResult:
    """Answer a call when its asks have ended, or after the wait; between two looks it holds no thread and no writer."""
    ready = call.ready()

    def answer(charged: Charged[WaterfallResults]) -> ChargedResponse:
        return charged_response(charged, _render_asks, follow)

    def charge() -> EndpointResult:
        charged = ready.charge()
        if charged.is_replay or not charged.content.is_open:
            return answer(charged)
        until = time.monotonic() + wait_seconds

        async def pause() -> EndpointResult:
            await asyncio.sleep(max(0.0, min(_LOOK_SECONDS, until - time.monotonic())))
            return Deferred(look, writes=False)

        def look() -> EndpointResult:
            if time.monotonic() < until and call.is_open():
                return AsyncResponse(pause)
            return Deferred(lambda: answer(call.finish(charged)))

        return AsyncResponse(pause)

    if not ready.may_read:
        return Deferred(charge)
    read = ready.read()
    return Deferred(charge) if read is None else answer(read)


def _routes(
    calls: EnrichmentCalls[Any, Any, Any],
    kind: _Kind,
    tables: RowWriter,
    waterfall: Waterfall | None = None,
) -> list[Endpoint]:
    name = calls.entity.plural

    def search(call: Call[Any]) -> ChargedResponse | Deferred:
        return respond(calls.search(call.request, call.body), _render)

    def enrich(call: Call[Any]) -> EndpointResult:
        request, body = call.request, call.body
        rows = requested_rows(request, body.table_id, calls.entity, calls.asked(body))
        if waterfall is not None and waterfall.applies(request.caller, body):
            follow = following(rows, tables, _fill_asks)
            return _answer_after_asks(waterfall.enrich(request, body), follow, waterfall.wait_seconds)
        return respond(calls.enrich(request, body), _render, following(rows, tables, _fill))

    def search_and_enrich(call: Call[Any]) -> ChargedResponse | Deferred:
        return respond(calls.search_and_enrich(call.request, call.body), _render)

    def declare(action: str, summary: str, function: EndpointFunction, declared: _Declared) -> Endpoint:
        return Endpoint(
            name=f"{action.replace('-', '_')}_{name}",
            method="POST",
            path=f"/v3/{name}/{action}",
            function=function,
            body=declared.body,
            answer=declared.answer,
            tags=[name.capitalize()],
            summary=f"{summary} {name}",
            description=declared.description,
            charges=True,
            examples=declared.examples,
            errors=_CHARGE_ERRORS,
        )

    return [
        declare("search", "Find", search, kind.search),
        declare("enrich", "Reveal", enrich, kind.enrich),
        declare("search-and-enrich", "Find and reveal", search_and_enrich, kind.search_and_enrich),
    ]
