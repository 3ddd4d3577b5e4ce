"""Endpoints of companies by identifiers."""

from collections.abc import Sequence
from typing import Any

from firmograph.api.endpoint import Call, ChargedResponse, Deferred, Endpoint, endpoint
from firmograph.kit.errors import Busy, Conflict, PaymentRequired
from firmograph.legacy.companies import shapes
from firmograph.legacy.companies.service import LegacyCompanies

_ERRORS = (PaymentRequired, Conflict, Busy)
_TAGS = ["Legacy companies"]
_ABOUT = (
    " The base of a company is paid once per account, in either generation. `intent` stands there if a current call has"
    " paid for it. With `signals`, events of each asked type with any stand next to the data, at the price of signals."
)
_COMPANIES = [{"id": "1", "domain": "siemens.com"}, {"id": "2", "name": "Red Hat"}]


def routes(companies: LegacyCompanies) -> list[Endpoint]:
    return [
        *_single(companies, "/v2/company", "get_company_legacy"),
        *_single(companies, "/company", "get_company_legacy_alias", " Alias of `GET /v2/company`."),
        *_batch(companies, "/v2/company", "get_companies_legacy"),
        *_batch(companies, "/bulk/company/v2", "get_companies_legacy_alias", " Alias of `POST /v2/company`."),
        *_batch(
            companies, "/bulk/company", "get_companies_legacy_bulk_alias", " Alias of `POST /v2/company`."
        ),
    ]


def _single(companies: LegacyCompanies, path: str, name: str, alias: str = "") -> Sequence[Endpoint]:
    def get_company(call: Call[None]) -> ChargedResponse | Deferred:
        return companies.single(call)

    get_company.__name__ = name
    declare: Any = endpoint(
        "GET",
        path,
        query=shapes.LegacyCompanyQuery,
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
    return [declare(get_company)]


def _batch(companies: LegacyCompanies, path: str, name: str, alias: str = "") -> Sequence[Endpoint]:
    def get_companies(call: Call[shapes.LegacyCompaniesRequest]) -> ChargedResponse | Deferred:
        return companies.batch(call)

    get_companies.__name__ = name
    declare = endpoint(
        "POST",
        path,
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
    return [declare(get_companies)]
