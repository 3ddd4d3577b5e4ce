"""Encoding of companies as stored JSON parts (see `stored_json.py`)."""

import re
from itertools import compress
from operator import attrgetter
from typing import Final, NamedTuple

import msgspec

from firmograph.directory.data_points import COMPANY_TOKENS
from firmograph.directory.records import (
    Company,
    CompanyLinks,
    Funding,
)
from firmograph.directory.stored_json import bytes_or_none, encode_with_has, none_if_empty, overlay
from firmograph.kit.whole_numbers import encode

_decode_company = msgspec.json.Decoder(Company).decode
_decode_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode

TOKEN_BIT: Final = {
    "employeesByDepartment": 0x1,
    "employeesByLocation": 0x2,
    "employeesBySeniority": 0x4,
    "competitors": 0x8,
    "intent": 0x10,
    "estimatedAnnualItSpend": 0x20,
    "monthlyWebsiteTraffic": 0x40,
    "openJobsTotal": 0x80,
    "openJobsByDepartment": 0x100,
    "openJobsByLocation": 0x200,
    "openJobsBySeniority": 0x400,
    "directParent": 0x800,
    "ultimateParent": 0x1000,
}
"""Bits of data points in the database. A new one gets a new bit; no bit is changed or used again."""
PARENT_BITS = TOKEN_BIT["directParent"] | TOKEN_BIT["ultimateParent"]


OWNER_FIELDS = ("parents", "direct_parent", "ultimate_parent")


class CompanyParts(NamedTuple):
    """Columns of a row of `companies` without its number."""

    summary: bytes
    preview: bytes
    profile: bytes
    premium: bytes | None
    extras: bytes | None
    partial: int
    tokens: int


class _CompanySummary(msgspec.Struct, omit_defaults=True):
    name: str
    domain: str | None = None
    industry: str | None = None


def display_name(record: Company) -> str:
    """Return a company's name, or its domain or LinkedIn URL if no row named it."""
    links = record.social_links
    return record.name or record.domain or (links and links.linkedin) or ""


def is_partial(record: Company) -> bool:
    """Return whether a company is a stub or has neither domain nor LinkedIn URL.

    See docs/reference/lookups.md#partial-records.
    """
    links = record.social_links
    return record.stub or not (record.domain or (links and links.linkedin))


class _StubMark(msgspec.Struct):
    stub: bool = False


_decode_stub_mark = msgspec.json.Decoder(_StubMark).decode


def is_stored_stub(extras: bytes | None) -> bool:
    """Return whether the stored extras of a partial company say that it is a stub."""
    return extras is not None and _decode_stub_mark(extras).stub


_BARE: Final = re.compile(
    rb'\{"name":"[^"\\]*(?:\\.[^"\\]*)*"(?:,"domain":"[^"]*")?(?:,"updateDate":"[^"]*")?,"has":'
)


def is_bare(profile: bytes) -> bool:
    """Return whether a stored profile holds only name and domain, apart from the date of its row."""
    return _BARE.match(profile) is not None


_SHOWN_FIELDS = (
    "alternative_name",
    "alternative_domains",
    "domain",
    "description",
    "company_offering",
    "company_type",
    "year_founded",
    "employee_count",
    "industry",
    "sub_industry",
    "additional_industries",
    "specialities",
    "specialities_refactored",
    "industry_tags",
    "keywords",
    "sic_codes",
    "naics_codes",
    "email_domain",
    "homepage_url",
    "social_links",
    "linkedin_followers",
    "revenue_range",
    "technologies",
    "popularity_tier",
    "logo_url",
    "business_model",
    "phones",
    "emails",
    "update_date",
)
"""Fields that responses show unchanged."""
_EXTRA_FIELDS = ("alternative_names", *OWNER_FIELDS, "competitors", "stock_symbols", "ipo_date", "stub")
_UNNAMED = ""
"""Name in the extras of a company whose display name is only its domain or LinkedIn URL."""
_PREMIUM_FIELDS = (
    "employees_by_department",
    "employees_by_location",
    "employees_by_seniority",
    "intent",
    "estimated_annual_it_spend",
    "monthly_website_traffic",
)
_shown_values = attrgetter(*_SHOWN_FIELDS)
_extra_values = attrgetter(*_EXTRA_FIELDS)
_premium_values = attrgetter(*_PREMIUM_FIELDS)


def encode_company(
    record: Company, *, competitor_ids: list[int] | None = None, has_parent: bool | None = None
) -> CompanyParts:
    """Return the stored parts of a company whose competitors are the records `competitor_ids`.

    Competitors and parents are other records, which only the writer knows: without `competitor_ids` none are
    revealed; without `has_parent`, the record's own parents count.
    """
    premium = _premium(record, competitor_ids or [])
    tokens = sum(TOKEN_BIT[token] for token in COMPANY_TOKENS if token in premium)
    if has_parent is None:
        has_parent = any(getattr(record, field) for field in OWNER_FIELDS)
    if has_parent:
        tokens |= PARENT_BITS
    name, partial, location = display_name(record), is_partial(record), record.location
    links = record.social_links
    has = _company_has(record, tokens)
    preview = Company(
        name=name,
        domain=record.domain,
        employee_count=record.employee_count,
        industry=record.industry,
        location=none_if_empty(
            location and msgspec.structs.replace(location, zip_code=None, coordinates=None)
        ),
        social_links=CompanyLinks(linkedin=links.linkedin) if links and links.linkedin else None,
    )
    profile = Company(
        name=name,
        location=none_if_empty(location and msgspec.structs.replace(location, coordinates=None)),
        additional_locations=[
            msgspec.structs.replace(other, coordinates=None) for other in record.additional_locations
        ],
        funding=record.funding and _public_funding(record.funding),
        **dict(zip(_SHOWN_FIELDS, _shown_values(record), strict=True)),
    )
    return CompanyParts(
        encode(_CompanySummary(name, record.domain, record.industry))[1:-1],
        encode_with_has(preview, has),
        encode_with_has(profile, has, partial=partial),
        encode(premium) if premium else None,
        bytes_or_none(encode(_company_extras(record, profile))),
        int(partial),
        tokens,
    )


def decode_company(parts: CompanyParts) -> Company:
    record = _decode_company(parts.profile)
    if parts.premium:
        premium = _decode_fields(parts.premium)
        jobs = {_JOB_TOKENS[token]: premium.pop(token) for token in _JOB_TOKENS if token in premium}
        if jobs:
            premium["openJobs"] = msgspec.Raw(encode(jobs))
        premium.pop("competitors", None)
        overlay(record, _decode_company(encode(premium)))
    if parts.extras:
        overlay(record, _decode_company(parts.extras))
    record.name = record.name or None
    return record


_JOB_TOKENS = {
    "openJobsTotal": "total",
    "openJobsByDepartment": "byDepartment",
    "openJobsByLocation": "byLocation",
    "openJobsBySeniority": "bySeniority",
}


def _premium(record: Company, competitor_ids: list[int]) -> dict[str, msgspec.Raw]:
    """Return existing values as JSON by reveal token; ownership has its own table."""
    values: dict[str, msgspec.Raw] = {}
    fields = encode(Company(**dict(zip(_PREMIUM_FIELDS, _premium_values(record), strict=True))))
    if fields != b"{}":
        values.update(_decode_fields(fields))
    if competitor_ids:
        values["competitors"] = msgspec.Raw(encode(competitor_ids))
    if record.open_jobs:
        jobs = _decode_fields(encode(record.open_jobs))
        values.update({token: jobs[group] for token, group in _JOB_TOKENS.items() if group in jobs})
    return values


_POINTS = (
    "alternativeName",
    "alternativeDomains",
    "description",
    "companyType",
    "yearFounded",
    "subIndustry",
    "specialities",
    "sicCodes",
    "naicsCodes",
    "additionalLocations",
    "linkedinFollowers",
    "popularityTier",
    "logoUrl",
    "businessModel",
    "phones",
    "emails",
    "keywords",
    "socialLinks",
    "funding",
    "revenueRange",
)
"""Data points in documented order (docs/reference/lookups.md#has-and-canreveal)."""
_point_values = attrgetter(
    "alternative_name",
    "alternative_domains",
    "description",
    "company_type",
    "year_founded",
    "sub_industry",
    "specialities",
    "sic_codes",
    "naics_codes",
    "additional_locations",
    "linkedin_followers",
    "popularity_tier",
    "logo_url",
    "business_model",
    "phones",
    "emails",
    "keywords",
    "social_links",
    "funding",
    "revenue_range",
)


def _company_has(record: Company, tokens: int) -> tuple[str, ...]:
    """Return the data points with a value, then the reveal tokens with one.

    See docs/reference/lookups.md#has-and-canreveal.
    """
    revealed = (token for token in COMPANY_TOKENS if tokens & TOKEN_BIT[token])
    return (*compress(_POINTS, _point_values(record)), *(revealed if tokens else ()))


def _public_funding(funding: Funding) -> Funding:
    """Return funding without round names and investors, which only filters use."""
    rounds = [msgspec.structs.replace(one, name=None, investors=[]) for one in funding.rounds]
    return msgspec.structs.replace(funding, rounds=rounds)


def _company_extras(record: Company, profile: Company) -> Company:
    """Return the fields that responses hide, and in full those that they show in part."""
    extras = dict(zip(_EXTRA_FIELDS, _extra_values(record), strict=True))
    for field in ("location", "additional_locations", "funding"):
        if getattr(record, field) != getattr(profile, field):
            extras[field] = getattr(record, field)
    return Company(name=None if record.name else _UNNAMED, **extras)
