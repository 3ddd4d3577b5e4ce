"""Companies as stored fragments (`fragments.py` tells why)."""

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

TOKEN_BIT = {token: 1 << place for place, token in enumerate(COMPANY_TOKENS)}
PARENT_BITS = TOKEN_BIT["directParent"] | TOKEN_BIT["ultimateParent"]


OWNER_FIELDS = ("parents", "direct_parent", "ultimate_parent")


class CompanyParts(NamedTuple):
    """What stands in a row of `companies`, its number aside."""

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
    """A company's name, or what it is known by where no row named it."""
    links = record.social_links
    return record.name or record.domain or (links and links.linkedin) or ""


def is_partial(record: Company) -> bool:
    """A stub, or without both domain and LinkedIn URL (docs/reference/lookups.md#partial-records)."""
    links = record.social_links
    return record.stub or not (record.domain or (links and links.linkedin))


_BARE: Final = re.compile(
    rb'\{"name":"[^"\\]*(?:\\.[^"\\]*)*"(?:,"domain":"[^"]*")?(?:,"updateDate":"[^"]*")?,"has":'
)


def is_bare(profile: bytes) -> bool:
    """Whether a stored profile holds nothing but name and domain; the date of its row says nothing of the company."""
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
"""What an answer shows as it is."""
_EXTRA_FIELDS = ("alternative_names", *OWNER_FIELDS, "competitors", "stock_symbols", "ipo_date", "stub")
_UNNAMED = ""
"""Stands in the extras of a company whose shown name is only its domain or LinkedIn URL."""
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
    """The fragments of a company whose competitors are the records `competitor_ids`.

    Competitors and parents are other records, so only the writer knows them: without `competitor_ids` none
    are revealed, and `has_parent` is whether the row named one.
    """
    premium = _premium(record, competitor_ids or [])
    tokens = sum(TOKEN_BIT[token] for token in COMPANY_TOKENS if token in premium)
    if has_parent is None:
        has_parent = any(getattr(record, field) for field in OWNER_FIELDS)
    if has_parent:
        tokens |= PARENT_BITS
    name, partial, place = display_name(record), is_partial(record), record.location
    links = record.social_links
    has = _company_has(record, tokens)
    preview = Company(
        name=name,
        domain=record.domain,
        employee_count=record.employee_count,
        industry=record.industry,
        location=none_if_empty(place and msgspec.structs.replace(place, zip_code=None, coordinates=None)),
        social_links=CompanyLinks(linkedin=links.linkedin) if links and links.linkedin else None,
    )
    profile = Company(
        name=name,
        location=none_if_empty(place and msgspec.structs.replace(place, coordinates=None)),
        additional_locations=[
            msgspec.structs.replace(other, coordinates=None) for other in record.additional_locations
        ],
        funding=record.funding and _shown_funding(record.funding),
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


def decode_company(fragments: CompanyParts) -> Company:
    record = _decode_company(fragments.profile)
    if fragments.premium:
        held = _decode_fields(fragments.premium)
        jobs = {_JOB_TOKENS[token]: held.pop(token) for token in _JOB_TOKENS if token in held}
        if jobs:
            held["openJobs"] = msgspec.Raw(encode(jobs))
        held.pop("competitors", None)
        overlay(record, _decode_company(encode(held)))
    if fragments.extras:
        overlay(record, _decode_company(fragments.extras))
    record.name = record.name or None
    return record


_JOB_TOKENS = {
    "openJobsTotal": "total",
    "openJobsByDepartment": "byDepartment",
    "openJobsByLocation": "byLocation",
    "openJobsBySeniority": "bySeniority",
}


def _premium(record: Company, competitor_ids: list[int]) -> dict[str, msgspec.Raw]:
    """Reveal token to the JSON of its value, for values that are held; ownership stands in its own table."""
    held: dict[str, msgspec.Raw] = {}
    fields = encode(Company(**dict(zip(_PREMIUM_FIELDS, _premium_values(record), strict=True))))
    if fields != b"{}":
        held.update(_decode_fields(fields))
    if competitor_ids:
        held["competitors"] = msgspec.Raw(encode(competitor_ids))
    if record.open_jobs:
        jobs = _decode_fields(encode(record.open_jobs))
        held.update({token: jobs[group] for token, group in _JOB_TOKENS.items() if group in jobs})
    return held


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
"""The data points in documented order (docs/reference/lookups.md#has-and-canreveal)."""
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
    """The data points that hold a value, then the reveal tokens that do.

    See docs/reference/lookups.md#has-and-canreveal.
    """
    revealed = (token for token in COMPANY_TOKENS if tokens & TOKEN_BIT[token])
    return (*compress(_POINTS, _point_values(record)), *(revealed if tokens else ()))


def _shown_funding(funding: Funding) -> Funding:
    """Funding without the round names and investors, which only filters read."""
    rounds = [msgspec.structs.replace(one, name=None, investors=[]) for one in funding.rounds]
    return msgspec.structs.replace(funding, rounds=rounds)


def _company_extras(record: Company, profile: Company) -> Company:
    """The fields that no answer shows, and in whole those of which an answer shows a part."""
    extras = dict(zip(_EXTRA_FIELDS, _extra_values(record), strict=True))
    for field in ("location", "additional_locations", "funding"):
        if getattr(record, field) != getattr(profile, field):
            extras[field] = getattr(record, field)
    return Company(name=None if record.name else _UNNAMED, **extras)
