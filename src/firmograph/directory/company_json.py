"""Companies as stored fragments (`fragments.py` tells why)."""

import re
from typing import Final, NamedTuple

import msgspec

from firmograph.directory.data_points import COMPANY_TOKENS
from firmograph.directory.records import (
    Company,
    CompanyLinks,
    Funding,
    OpenJobs,
)
from firmograph.directory.stored_json import lay_over, or_absent, or_none, with_has
from firmograph.kit.whole_numbers import encode

_decode_company = msgspec.json.Decoder(Company).decode

TOKEN_BIT = {token: 1 << place for place, token in enumerate(COMPANY_TOKENS)}
PARENT_BITS = TOKEN_BIT["directParent"] | TOKEN_BIT["ultimateParent"]


OWNER_FIELDS = ("parents", "direct_parent", "ultimate_parent")


class CompanyFragments(NamedTuple):
    """What stands in a row of `companies`, its number aside."""

    card: bytes
    preview: bytes
    profile: bytes
    premium: bytes | None
    extras: bytes | None
    partial: int
    tokens: int


class _Card(msgspec.Struct, omit_defaults=True):
    name: str
    domain: str | None = None
    industry: str | None = None


def shown_name(record: Company) -> str:
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


_PROFILE_FIELDS = [
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
    "location",
    "additional_locations",
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
]
_EXTRA_FIELDS = ["alternative_names", *OWNER_FIELDS, "competitors", "stock_symbols", "ipo_date", "stub"]
_UNNAMED = ""
"""Stands in the extras of a company whose shown name is only its domain or LinkedIn URL."""
_PREMIUM_FIELDS = [
    "employees_by_department",
    "employees_by_location",
    "employees_by_seniority",
    "intent",
    "estimated_annual_it_spend",
    "monthly_website_traffic",
    "open_jobs",
]


def company_fragments(
    record: Company, *, competitor_ids: list[int] | None = None, has_parent: bool | None = None
) -> CompanyFragments:
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
    name, partial, place = shown_name(record), is_partial(record), record.location
    links = record.social_links
    has = _company_has(record, tokens)
    preview = Company(
        name=name,
        domain=record.domain,
        employee_count=record.employee_count,
        industry=record.industry,
        location=or_absent(place and msgspec.structs.replace(place, zip_code=None, coordinates=None)),
        social_links=CompanyLinks(linkedin=links.linkedin) if links and links.linkedin else None,
    )
    profile = Company(
        name=name,
        location=or_absent(place and msgspec.structs.replace(place, coordinates=None)),
        additional_locations=[
            msgspec.structs.replace(other, coordinates=None) for other in record.additional_locations
        ],
        funding=record.funding and _shown_funding(record.funding),
        **{
            field: getattr(record, field)
            for field in _PROFILE_FIELDS
            if field not in ("location", "additional_locations")
        },
    )
    return CompanyFragments(
        encode(_Card(name, record.domain, record.industry))[1:-1],
        with_has(preview, has),
        with_has(profile, has, partial=partial),
        encode(premium) if premium else None,
        or_none(encode(_company_extras(record, profile))),
        int(partial),
        tokens,
    )


def company_record(fragments: CompanyFragments) -> Company:
    record = _decode_company(fragments.profile)
    if fragments.premium:
        held = msgspec.json.decode(fragments.premium, type=dict[str, msgspec.Raw])
        jobs = {_JOB_TOKENS[token]: held.pop(token) for token in _JOB_TOKENS if token in held}
        if jobs:
            held["openJobs"] = msgspec.Raw(encode(jobs))
        held.pop("competitors", None)
        lay_over(record, _decode_company(encode(held)))
    if fragments.extras:
        lay_over(record, _decode_company(fragments.extras))
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
    fields = Company(**{field: getattr(record, field) for field in _PREMIUM_FIELDS if field != "open_jobs"})
    held.update(msgspec.json.decode(encode(fields), type=dict[str, msgspec.Raw]))
    if competitor_ids:
        held["competitors"] = msgspec.Raw(encode(competitor_ids))
    jobs = msgspec.json.decode(encode(record.open_jobs or OpenJobs()), type=dict[str, msgspec.Raw])
    held.update({token: jobs[group] for token, group in _JOB_TOKENS.items() if group in jobs})
    return held


def _company_has(record: Company, tokens: int) -> list[str]:
    """The data points that hold a value, then the reveal tokens that do.

    See docs/reference/lookups.md#has-and-canreveal.
    """
    held = (
        ("alternativeName", record.alternative_name),
        ("alternativeDomains", record.alternative_domains),
        ("description", record.description),
        ("companyType", record.company_type),
        ("yearFounded", record.year_founded),
        ("subIndustry", record.sub_industry),
        ("specialities", record.specialities),
        ("sicCodes", record.sic_codes),
        ("naicsCodes", record.naics_codes),
        ("additionalLocations", record.additional_locations),
        ("linkedinFollowers", record.linkedin_followers),
        ("popularityTier", record.popularity_tier),
        ("logoUrl", record.logo_url),
        ("businessModel", record.business_model),
        ("phones", record.phones),
        ("emails", record.emails),
        ("keywords", record.keywords),
        ("socialLinks", record.social_links),
        ("funding", record.funding),
        ("revenueRange", record.revenue_range),
    )
    return [name for name, value in held if value] + [
        token for token in COMPANY_TOKENS if tokens & TOKEN_BIT[token]
    ]


def _shown_funding(funding: Funding) -> Funding:
    """Funding without the round names and investors, which only filters read."""
    rounds = [msgspec.structs.replace(one, name=None, investors=[]) for one in funding.rounds]
    return msgspec.structs.replace(funding, rounds=rounds)


def _company_extras(record: Company, profile: Company) -> Company:
    """The fields that no answer shows, and in whole those of which an answer shows a part."""
    extras = {field: getattr(record, field) for field in _EXTRA_FIELDS}
    for field in ("location", "additional_locations", "funding"):
        if getattr(record, field) != getattr(profile, field):
            extras[field] = getattr(record, field)
    return Company(name=None if record.name else _UNNAMED, **extras)
