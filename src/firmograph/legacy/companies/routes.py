"""Endpoints of companies by identifiers."""

from collections.abc import Mapping
from typing import Final

import msgspec

from firmograph.api.charged_answers import respond
from firmograph.api.endpoint import Call, ChargedResponse, Deferred, Endpoint
from firmograph.kit.errors import Busy, Conflict, PaymentRequired
from firmograph.legacy.companies import shapes
from firmograph.legacy.companies.service import LegacyCompanies, SingleCompany

_ERRORS = (PaymentRequired, Conflict, Busy)
_TAGS = ["Legacy companies"]
_ABOUT = (
    " The base of a company is paid once per account, in either generation. `intent` stands there if a current call has"
    " paid for it. With `signals`, events of each asked type with any stand next to the data, at the price of signals."
)
_COMPANIES = [{"id": "1", "domain": "siemens.com"}, {"id": "2", "name": "Red Hat"}]


_NOT_FOUND: Final = b'{"data":{},"errors":{"message":"Company not found"},"meta":{}}'

_json = msgspec.json.Encoder().encode


def _render(content: SingleCompany, request_id: str, credits: int) -> bytes:
    return _NOT_FOUND if content.company is None else b'{"data":%s,"meta":{}}' % content.company


def _render_batch(content: Mapping[str, bytes], request_id: str, credits: int) -> bytes:
    members = (b"%s:%s" % (_json(key), company) for key, company in content.items())
    return b"{%s}" % b",".join(members)


def routes(companies: LegacyCompanies) -> list[Endpoint]:
    return [
        _single(companies, "/v2/company", "get_company_legacy"),
        _single(companies, "/company", "get_company_legacy_alias", " Alias of `GET /v2/company`."),
        _batch(companies, "/v2/company", "get_companies_legacy"),
        _batch(companies, "/bulk/company/v2", "get_companies_legacy_alias", " Alias of `POST /v2/company`."),
        _batch(
            companies, "/bulk/company", "get_companies_legacy_bulk_alias", " Alias of `POST /v2/company`."
        ),
    ]


def _single(companies: LegacyCompanies, path: str, name: str, alias: str = "") -> Endpoint:
    def get_company(call: Call[None]) -> ChargedResponse | Deferred:
        return respond(companies.single(call.request, call.query), _render)

    return Endpoint(
        name=name,
        method="GET",
        path=path,
        function=get_company,
        query=shapes.LegacyCompanyQuery,
        query_example={"domain": "siemens.com"},
        refuses_unknown_query=True,
        answer=shapes.LegacyCompanyAnswer,
        tags=_TAGS,
        summary="Find and reveal a company",
        description="Finds a company by `companyId`, `domain`, or a name that only one has, and reveals it. Without a"
        " match `data` is empty and `errors.message` says so." + _ABOUT + alias,
        charges=True,
        successor="/v3/companies/search-and-enrich",
        errors=_ERRORS,
    )


def _batch(companies: LegacyCompanies, path: str, name: str, alias: str = "") -> Endpoint:
    def get_companies(call: Call[shapes.LegacyCompaniesRequest]) -> ChargedResponse | Deferred:
        return respond(companies.batch(call.request, call.body), _render_batch)

    return Endpoint(
        name=name,
        method="POST",
        path=path,
        function=get_companies,
        body=shapes.LegacyCompaniesRequest,
        answer=shapes.LegacyCompaniesAnswer,
        tags=_TAGS,
        summary="Find and reveal companies",
        description="Finds 1 to 100 companies and reveals them, as a map by your `id` of each; what is not found has no"
        " entry. `signalsFilters` narrows news and hiring surges: any value matches, directly or under `include`. One"
        " `id` for two items: 400." + _ABOUT + alias,
        charges=True,
        successor="/v3/companies/search-and-enrich",
        examples={"by domain and by name": {"companies": _COMPANIES}},
        errors=_ERRORS,
    )
