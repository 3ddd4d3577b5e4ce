"""A company's row made canonical: `CompanyInput` to `records.Company`."""

import re
from collections.abc import Iterable

from msgspec.structs import replace

from firmograph.directory.bands import revenue_range, size_count
from firmograph.directory.company_names import company_key
from firmograph.directory.industries import normalise_industry
from firmograph.directory.names import fold
from firmograph.directory.normalise.domains import host_of
from firmograph.directory.normalise.places import normalise_location
from firmograph.directory.records import (
    Company,
    CompanyLinks,
    CompanyRef,
    EmailAddress,
    Funding,
    FundingRound,
    Industry,
    Location,
    PhoneNumber,
)
from firmograph.directory.shared_hosts import company_host
from firmograph.directory.vocabulary import BUSINESS_MODELS
from firmograph.ingest.codes import naics_codes, sic_codes
from firmograph.ingest.figures import figures_of
from firmograph.ingest.inputs import (
    CompanyInput,
    EmailInput,
    FundingInput,
    IndustryInput,
    LocationInput,
    Loose,
    PhoneInput,
    RoundInput,
)
from firmograph.ingest.named import company_named
from firmograph.ingest.notes import Notes
from firmograph.ingest.places import place
from firmograph.ingest.rows_contact import phone_texts
from firmograph.ingest.values import (
    MAX_LIST,
    amount,
    code,
    day,
    email_address,
    flag,
    items,
    line,
    linkedin,
    phone_number,
    shown_day,
    text,
    unique,
    url,
    whole,
    year,
)

_MAX_ADDITIONAL_INDUSTRIES = 2
"""wire-a 3.2."""


def company_of(row: CompanyInput, notes: Notes | None = None) -> Company:
    """The canonical record. A value that cannot be read is left out and noted."""
    notes = notes or Notes()
    name = line(row.name)
    domain = _host("domain", row.domain, name, notes)
    domain = domain or (company_host(row.homepage_url, name) if row.homepage_url else None)
    location = place(row.location)
    industry, sub_industry = normalise_industry(line(row.industry), line(row.sub_industry))
    others = [other for other in _alternative_names(row) if name is None or fold(other) != fold(name)]
    figures = figures_of(row)
    record = Company(
        name=name,
        alternative_name=others[0] if others else None,
        alternative_names=others,
        domain=domain,
        alternative_domains=[host for host in _hosts(row, name) if host != domain],
        description=text(row.description),
        company_offering=text(row.company_offering),
        company_type=notes.read("companyType", row.company_type, _company_type),
        year_founded=notes.read("yearFounded", row.year_founded, year),
        employee_count=notes.read("employeeCount", row.employee_count, size_count),
        industry=industry,
        sub_industry=sub_industry,
        additional_industries=_additional(row, industry, sub_industry),
        specialities=items(row.specialities),
        specialities_refactored=items(row.specialities_refactored),
        industry_tags=_industry_tags(row, industry),
        keywords=items(row.keywords),
        sic_codes=notes.read("sicCodes", row.sic_codes, lambda given: sic_codes(given) or None) or [],
        naics_codes=notes.read("naicsCodes", row.naics_codes, lambda given: naics_codes(given) or None) or [],
        email_domain=_host("emailDomain", row.email_domain, name, notes),
        homepage_url=notes.read("homepageUrl", row.homepage_url, url),
        location=location,
        additional_locations=_places(row),
        social_links=_links(row, notes),
        linkedin_followers=notes.read("linkedinFollowers", row.linkedin_followers, whole),
        revenue_range=notes.read("revenueRange", row.revenue_range, revenue_range),
        funding=_funding(row.funding, notes) if row.funding else None,
        technologies=items(row.technologies),
        popularity_tier=notes.read(
            "popularityTier", row.popularity_tier, lambda given: whole(given, 0, 1000)
        ),
        logo_url=notes.read("logoUrl", row.logo_url, url),
        business_model=_business_models(row),
        phones=_phones(row.phones, location.country_iso2 if location else None, notes),
        emails=_emails(row.emails, notes),
        employees_by_department=figures.employees_by_department,
        employees_by_location=figures.employees_by_location,
        employees_by_seniority=figures.employees_by_seniority,
        competitors=_named(row.competitors or (), name),
        intent=figures.intent,
        estimated_annual_it_spend=figures.estimated_annual_it_spend,
        monthly_website_traffic=figures.monthly_website_traffic,
        open_jobs=figures.open_jobs,
        parents=_named(row.parents or (), name),
        direct_parent=next(iter(_named([row.direct_parent], name)), None),
        ultimate_parent=next(iter(_named([row.ultimate_parent], name)), None),
        stock_symbols=items(row.stock_symbols),
        ipo_date=notes.read("ipoDate", row.ipo_date, day),
        update_date=notes.read("updateDate", row.update_date, day),
    )
    # an answer about a company that was only named; one that says more is partial by itself
    record.stub = row.partial_profile is True and record == _only_named(record)
    return record


def employer_of(row: CompanyInput, ref: CompanyRef, day: str | None, notes: Notes) -> Company | None:
    """The canonical record of a contact's employer; None where the row does not say more than who it is.

    It is as old as the contact's row.
    """
    where = row.location
    if ref.country_iso2 and not isinstance(where, str):
        where = where or LocationInput()
        if not (where.country or where.country_iso2):
            where = replace(where, country_iso2=ref.country_iso2)
    who = {"name": ref.name, "domain": ref.domain, "linkedin_url": ref.linkedin_url}
    record = company_of(replace(row, **who, location=where, homepage_url=None, update_date=day), notes)
    return None if record == _only_named(record) else record


def _only_named(record: Company) -> Company:
    """What a stub may hold of this record."""
    links, place = record.social_links, record.location
    return Company(
        name=record.name,
        domain=record.domain,
        social_links=CompanyLinks(linkedin=links.linkedin) if links else None,
        location=place and normalise_location(place.country, None, None, None, None, None, None, None),
        update_date=record.update_date,
    )


def _host(path: str, value: str | None, name: str | None, notes: Notes) -> str | None:
    """The host of a value as the company's own; one that many share can be read, but is nobody's."""
    return company_host(value or "", name) if notes.read(path, value, host_of) else None


def _alternative_names(row: CompanyInput) -> list[str]:
    names = ([row.alternative_name] if row.alternative_name else []) + items(
        row.alternative_names, commas=False
    )
    return unique(map(line, names), fold)


def _hosts(row: CompanyInput, name: str | None) -> list[str]:
    return unique((company_host(one, name) for one in items(row.alternative_domains)), str)


def _named(values: Iterable[object], own: str | None) -> list[CompanyRef]:
    """Other companies, each once; the company itself is not one of them."""
    refs = (company_named(value) for value in values)  # type: ignore[arg-type]
    kept = (ref for ref in refs if ref and (ref.token or ref.domain or ref.linkedin_url or ref.name != own))
    return unique(
        kept, lambda ref: ref.token or ref.domain or ref.linkedin_url or company_key(ref.name or "")
    )


_COMPANY_TYPES = {
    "Government": ("government", "government agency", "public sector", "state owned"),
    "Private Company": ("private company", "private", "privately held", "partnership", "privately owned"),
    "Public Company": ("public company", "public", "publicly traded", "listed"),
    "Educational": ("educational", "education", "educational institution", "school", "university"),
    "Non Profit": ("non profit", "nonprofit", "not for profit", "non profit organization", "charity"),
    "Self Employed": ("self employed", "self owned", "sole proprietorship", "sole trader"),
}
_KNOWN_TYPES = {spelling: known for known, spellings in _COMPANY_TYPES.items() for spelling in spellings}


def _company_type(value: str | None) -> str | None:
    """One of the six types of wire-a 3.2."""
    return _KNOWN_TYPES.get(fold(value)) if value else None


def _business_models(row: CompanyInput) -> list[str]:
    given = {item.upper() for item in items(row.business_model)}
    return [model for model in BUSINESS_MODELS if model in given]


# --- industries ---


def _additional(row: CompanyInput, industry: str | None, sub_industry: str | None) -> list[Industry]:
    found = []
    for given in row.additional_industries or ():
        label, sub = (
            (given.industry, given.sub_industry) if isinstance(given, IndustryInput) else (given, None)
        )
        main, finer = normalise_industry(line(label), line(sub))
        if main and (main, finer) != (industry, sub_industry):
            found.append(Industry(industry=main, sub_industry=finer))
    return unique(found, lambda one: (one.industry, one.sub_industry))[:_MAX_ADDITIONAL_INDUSTRIES]


def _industry_tags(row: CompanyInput, industry: str | None) -> list[str]:
    """The tags given; a label that the taxonomy has no place for is kept among them."""
    unplaced = line(row.industry) if industry is None else None
    tags = items(row.industry_tags)
    return unique([*tags, unplaced], str.casefold)


# --- places and ways to reach it ---


def _places(row: CompanyInput) -> list[Location]:
    places = (place(given) for given in row.additional_locations or ())
    return unique(places, lambda one: (one.country, one.state, one.city, one.zip_code, one.coordinates))


def _links(row: CompanyInput, notes: Notes) -> CompanyLinks | None:
    given = row.social_links
    page = notes.read("socialLinks.linkedin", given.linkedin, _page) if given else None
    page = page or notes.read("linkedinUrl", row.linkedin_url, _page)
    links = CompanyLinks(linkedin=page)
    if given:
        links.facebook = _profile(given.facebook, "www.facebook.com/")
        links.x = _profile(given.x, "x.com/")
        links.instagram = unique((_profile(one, "www.instagram.com/") for one in items(given.instagram)), str)
        links.youtube = unique((_profile(one, "www.youtube.com/@") for one in items(given.youtube)), str)
        links.tiktok = unique((_profile(one, "www.tiktok.com/@") for one in items(given.tiktok)), str)
    return links if links != CompanyLinks() else None


def _page(value: str) -> str | None:
    return linkedin(value, "company")


_HANDLE = re.compile(r"@?([A-Za-z0-9_]{1,100})")


def _profile(value: str | None, site: str) -> str | None:
    """The address of a profile, or of a bare handle on its site."""
    handle = _HANDLE.fullmatch(value.strip()) if value else None
    return f"https://{site}{handle[1]}" if handle else url(value)


def _phones(value: list[PhoneInput | Loose] | Loose, region: str | None, notes: Notes) -> list[PhoneNumber]:
    if value is None or value == "":
        return []
    given: Iterable[PhoneInput | Loose] = value if isinstance(value, list) else phone_texts(value)
    texts = (code(one.number if isinstance(one, PhoneInput) else one) for one in given)
    read = (notes.read("phones.number", one, lambda number: phone_number(number, region)) for one in texts)
    return unique((PhoneNumber(number=one[0]) for one in read if one), lambda one: one.number)


def _emails(value: list[EmailInput | str | None] | str | None, notes: Notes) -> list[EmailAddress]:
    if not value:
        return []
    given: Iterable[EmailInput | str | None] = items(value) if isinstance(value, str) else value
    texts = (one.email if isinstance(one, EmailInput) else one for one in given)
    read = (notes.read("emails.email", one, email_address) for one in texts)
    return unique((EmailAddress(email=one) for one in read if one), lambda one: one.email)


# --- funding ---


def _funding(value: FundingInput, notes: Notes) -> Funding | None:
    # rounds that look alike are not one: suppliers may know little of each
    rounds = [one for given in (value.rounds or ())[:MAX_LIST] if (one := _round(given, notes))]
    found = Funding(
        rounds=rounds,
        total_rounds=notes.read(
            "funding.totalRounds", value.total_rounds, lambda given: whole(given, 0, 10_000)
        ),
        total_rounds_amount=notes.read("funding.totalRoundsAmount", value.total_rounds_amount, amount),
        currency=notes.read("funding.currency", value.currency, _currency),
        is_ipo=notes.read("funding.isIpo", value.is_ipo, flag),
        last_round_type=line(value.last_round_type, 100),
        last_round_amount=notes.read("funding.lastRoundAmount", value.last_round_amount, amount),
        last_round_date=notes.read("funding.lastRoundDate", value.last_round_date, shown_day),
    )
    return found if found != Funding() else None


def _round(value: RoundInput, notes: Notes) -> FundingRound | None:
    found = FundingRound(
        currency=notes.read("funding.rounds.currency", value.currency, _currency),
        round_amount=notes.read("funding.rounds.roundAmount", value.round_amount, amount),
        round_type=line(value.round_type, 100),
        round_date=notes.read("funding.rounds.roundDate", value.round_date, shown_day),
        name=line(value.name, 200),
        investors=items(value.investors),
    )
    return found if found != FundingRound() else None


def _currency(value: str | None) -> str | None:
    """An ISO 4217 code in capitals."""
    given = (line(value) or "").upper()
    return given if len(given) == 3 and given.isascii() and given.isalpha() else None
