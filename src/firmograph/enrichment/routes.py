"""Endpoints of search, enrich, and search-and-enrich."""

from firmograph.api.charged_answers import respond
from firmograph.api.endpoint import Call, ChargedResponse, Deferred, Endpoint
from firmograph.api.envelope import render_answer
from firmograph.enrichment import answers, shapes
from firmograph.enrichment.result_list import ShownResults
from firmograph.enrichment.service import CompanyCalls, ContactCalls
from firmograph.kit.errors import Busy, Conflict, PaymentRequired
from firmograph.security.record_ids import Entity
from firmograph.table_rows import RowWriter, TableRows, following, requested_rows

_CHARGE_ERRORS = (PaymentRequired, Conflict, Busy)

# The demo data contain these people and companies. Ids differ between installations: take them from a search.
_ID = "v1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
_PEOPLE = [
    {"clientReferenceId": "1", "firstName": "Chuck", "lastName": "Schumer", "companyName": "US Senate"},
    {"clientReferenceId": "2", "firstName": "Nydia", "lastName": "Velazquez", "companyDomain": "house.gov"},
]
_COMPANIES = [
    {"clientReferenceId": "1", "domain": "siemens.com"},
    {"clientReferenceId": "2", "name": "Bureau of Justice Statistics"},
]

_SIGNALS = (
    " With `signals`, only records with such a signal are results, the others are `NOT_FOUND`, and each result says in"
    " `signalTypes` which of the types it has."
)


def routes(contacts: ContactCalls, companies: CompanyCalls, tables: RowWriter) -> list[Endpoint]:
    return [*_contact_routes(contacts, tables), *_company_routes(companies, tables)]


def _render(content: ShownResults, request_id: str, credits: int) -> bytes:
    return render_answer(request_id, content.results, credits, content.returned)


def _fill(rows: TableRows, content: ShownResults) -> TableRows:
    return rows._replace(numbers=list(dict.fromkeys(content.numbers)))


def _contact_routes(contacts: ContactCalls, tables: RowWriter) -> list[Endpoint]:
    def search_contacts(call: Call[shapes.ContactSearch]) -> ChargedResponse | Deferred:
        return respond(contacts.search(call.request, call.body), _render)

    def enrich_contacts(call: Call[shapes.ContactEnrich]) -> ChargedResponse | Deferred:
        request, body = call.request, call.body
        ready = contacts.enrich(request, body)
        rows = requested_rows(request, body.table_id, Entity.CONTACT, contacts.asked(body))
        return respond(ready, _render, following(rows, tables, _fill))

    def search_and_enrich_contacts(call: Call[shapes.ContactSearchAndEnrich]) -> ChargedResponse | Deferred:
        return respond(contacts.search_and_enrich(call.request, call.body), _render)

    return [
        Endpoint(
            name="search_contacts",
            method="POST",
            path="/v3/contacts/search",
            function=search_contacts,
            body=shapes.ContactSearch,
            answer=answers.ContactSearchAnswer,
            tags=["Contacts"],
            summary="Find contacts",
            description="Finds 1 to 100 contacts by id, LinkedIn URL, e-mail, or name and company. Free"
            " unless the plan prices it. One result"
            " for each item, in order, with what the record holds (`has`) and what can be revealed (`canReveal`)."
            + _SIGNALS,
            charges=True,
            examples={
                "by name and company": {"contacts": _PEOPLE},
                "only people who moved": {"contacts": _PEOPLE, "signals": {"types": ["companyChange"]}},
            },
            errors=_CHARGE_ERRORS,
        ),
        Endpoint(
            name="enrich_contacts",
            method="POST",
            path="/v3/contacts/enrich",
            function=enrich_contacts,
            body=shapes.ContactEnrich,
            answer=answers.ContactEnrichAnswer,
            tags=["Contacts"],
            summary="Reveal contacts",
            description="Reveals e-mails and phones of 1 to 100 contacts by id. Each non-empty data point is charged"
            " once per account; `reveal` left out asks for both. `partnerClientId` says on whose behalf, for opt-outs.",
            charges=True,
            examples={"by id, from a search": {"ids": [_ID], "reveal": ["emails", "phones"]}},
            errors=_CHARGE_ERRORS,
        ),
        Endpoint(
            name="search_and_enrich_contacts",
            method="POST",
            path="/v3/contacts/search-and-enrich",
            function=search_and_enrich_contacts,
            body=shapes.ContactSearchAndEnrich,
            answer=answers.ContactSearchAndEnrichAnswer,
            tags=["Contacts"],
            summary="Find and reveal contacts",
            description="Finds contacts as search does and reveals them as enrich does. An empty `reveal` shows the"
            " profile without e-mails and phones, for nothing.",
            charges=True,
            examples={"phones only": {"contacts": _PEOPLE, "reveal": ["phones"]}},
            errors=_CHARGE_ERRORS,
        ),
    ]


def _company_routes(companies: CompanyCalls, tables: RowWriter) -> list[Endpoint]:
    def search_companies(call: Call[shapes.CompanySearch]) -> ChargedResponse | Deferred:
        return respond(companies.search(call.request, call.body), _render)

    def enrich_companies(call: Call[shapes.CompanyEnrich]) -> ChargedResponse | Deferred:
        request, body = call.request, call.body
        ready = companies.enrich(request, body)
        rows = requested_rows(request, body.table_id, Entity.COMPANY, companies.asked(body))
        return respond(ready, _render, following(rows, tables, _fill))

    def search_and_enrich_companies(call: Call[shapes.CompanySearchAndEnrich]) -> ChargedResponse | Deferred:
        return respond(companies.search_and_enrich(call.request, call.body), _render)

    return [
        Endpoint(
            name="search_companies",
            method="POST",
            path="/v3/companies/search",
            function=search_companies,
            body=shapes.CompanySearch,
            answer=answers.CompanySearchAnswer,
            tags=["Companies"],
            summary="Find companies",
            description="Finds 1 to 100 companies by id, domain, or a name that only one of them has. Free"
            " unless the plan prices it." + _SIGNALS,
            charges=True,
            examples={
                "by domain and by name": {"companies": _COMPANIES},
                "only companies that grow": {
                    "companies": _COMPANIES,
                    "signals": {"types": ["headcountIncrease3m", "surgeInHiring"], "startDate": "2026-01-01"},
                },
            },
            errors=_CHARGE_ERRORS,
        ),
        Endpoint(
            name="enrich_companies",
            method="POST",
            path="/v3/companies/enrich",
            function=enrich_companies,
            body=shapes.CompanyEnrich,
            answer=answers.CompanyEnrichAnswer,
            tags=["Companies"],
            summary="Reveal companies",
            description="Reveals 1 to 100 companies by id: firmographics, and the premium data points named in"
            " `reveal`. Each is charged once per account, and only where it has a value.",
            charges=True,
            examples={"by id, from a search": {"ids": [_ID], "reveal": ["directParent"]}},
            errors=_CHARGE_ERRORS,
        ),
        Endpoint(
            name="search_and_enrich_companies",
            method="POST",
            path="/v3/companies/search-and-enrich",
            function=search_and_enrich_companies,
            body=shapes.CompanySearchAndEnrich,
            answer=answers.CompanySearchAndEnrichAnswer,
            tags=["Companies"],
            summary="Find and reveal companies",
            description="Finds companies as search does and reveals them as enrich does. An empty `reveal` shows the"
            " preview fields, for nothing.",
            charges=True,
            examples={"with owners": {"companies": _COMPANIES, "reveal": ["directParent", "ultimateParent"]}},
            errors=_CHARGE_ERRORS,
        ),
    ]
