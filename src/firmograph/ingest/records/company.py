"""Conversion of a company's row to its canonical record, `CompanyInput` to `records.Company`."""

from collections.abc import Iterable, Sequence
from functools import partial

from msgspec.structs import replace

from firmograph.directory.bands import parse_revenue, parse_size
from firmograph.directory.company_names import company_key
from firmograph.directory.industries import normalise_industry
from firmograph.directory.names import fold
from firmograph.directory.normalise.locations import normalise_location
from firmograph.directory.normalise.placeholders import is_placeholder_name, is_placeholder_text
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
from firmograph.directory.vocabulary import BUSINESS_MODELS
from firmograph.ingest.reading.cell_values import NO_TELEPHONE, split_addresses, split_emails, split_numbers
from firmograph.ingest.reading.inputs import (
    AnyCompanyRef,
    CompanyInput,
    EmailInput,
    FundingInput,
    IndustryInput,
    LocationInput,
    PhoneInput,
    RoundInput,
    Scalar,
    Texts,
)
from firmograph.ingest.records.company_figures import normalise_figures
from firmograph.ingest.records.company_references import (
    read_company_hosts,
    read_company_name,
    read_company_reference,
)
from firmograph.ingest.records.contact import split_phone_texts
from firmograph.ingest.records.industry_codes import read_naics_codes, read_sic_codes
from firmograph.ingest.records.locations import read_location
from firmograph.ingest.records.row_notes import Notes
from firmograph.ingest.records.values import (
    MAX_LIST,
    amount,
    code,
    display_day,
    flag,
    items,
    label,
    line,
    linkedin,
    profile,
    text,
    unique,
    url,
    whole,
    year,
)

_MAX_ADDITIONAL_INDUSTRIES = 2
"""Additional industries that answers contain (docs/reference/lookups.md#enriched-company)."""


def normalise_company(row: CompanyInput, notes: Notes | None = None) -> Company:
    """Return the canonical record. Values that cannot be read are dropped and noted."""
    notes = notes or Notes()
    name = read_company_name(row.name)
    hosts = _read_hosts("domain", row.domain, name, notes)
    hosts = hosts or (read_company_hosts(row.homepage_url, name) if row.homepage_url else [])
    domain = hosts[0] if hosts else None
    links = _links(row, notes)
    if name and not domain and not (links and links.linkedin) and is_placeholder_text(name):
        name = None
    location = read_location(row.location, notes)
    industry, sub_industry = normalise_industry(label(row.industry), label(row.sub_industry))
    others = [other for other in _alternative_names(row) if name is None or fold(other) != fold(name)]
    figures = normalise_figures(row, notes)
    record = Company(
        name=name,
        alternative_name=others[0] if others else None,
        alternative_names=others,
        domain=domain,
        alternative_domains=[host for host in _alternative_hosts(row, name, hosts, notes) if host != domain],
        description=text(row.description),
        company_offering=text(row.company_offering),
        company_type=notes.read("companyType", row.company_type, _company_type),
        year_founded=notes.read("yearFounded", row.year_founded, year),
        employee_count=notes.read("employeeCount", row.employee_count, parse_size),
        industry=industry,
        sub_industry=sub_industry,
        additional_industries=_additional_industries(row, industry, sub_industry),
        specialities=items(row.specialities),
        specialities_refactored=items(row.specialities_refactored),
        industry_tags=_industry_tags(row, industry),
        keywords=items(row.keywords),
        sic_codes=read_sic_codes(row.sic_codes, notes),
        naics_codes=read_naics_codes(row.naics_codes, notes),
        email_domain=next(iter(_read_hosts("emailDomain", row.email_domain, name, notes)), None),
        homepage_url=notes.read("homepageUrl", row.homepage_url, url),
        location=location,
        additional_locations=_additional_locations(row, notes),
        social_links=links,
        linkedin_followers=notes.read("linkedinFollowers", row.linkedin_followers, whole),
        revenue_range=notes.read("revenueRange", row.revenue_range, parse_revenue),
        funding=_funding(row.funding, notes) if row.funding else None,
        technologies=items(row.technologies),
        popularity_tier=notes.read("popularityTier", row.popularity_tier, _tier),
        logo_url=notes.read("logoUrl", row.logo_url, url),
        business_model=_business_models(row, notes),
        phones=_phones(row.phones, location.country_iso2 if location else None, notes),
        emails=_emails(row.emails, notes),
        employees_by_department=figures.employees_by_department,
        employees_by_location=figures.employees_by_location,
        employees_by_seniority=figures.employees_by_seniority,
        competitors=_read_references("competitors", row.competitors or (), name, notes),
        intent=figures.intent,
        estimated_annual_it_spend=figures.estimated_annual_it_spend,
        monthly_website_traffic=figures.monthly_website_traffic,
        open_jobs=figures.open_jobs,
        parents=_read_references("parents", row.parents or (), name, notes),
        direct_parent=_read_reference("directParent", row.direct_parent, name, notes),
        ultimate_parent=_read_reference("ultimateParent", row.ultimate_parent, name, notes),
        stock_symbols=_symbols(row),
        ipo_date=notes.day("ipoDate", row.ipo_date),
        update_date=notes.day("updateDate", row.update_date),
    )
    # partial in an answer of this service: a stub, unless the row has more data
    record.stub = row.partial_profile is True and record == _naming_only(record)
    return record


def normalise_employer(row: CompanyInput, ref: CompanyRef, day: str | None, notes: Notes) -> Company | None:
    """Return the canonical record of a contact's employer; None if the row only names it.

    `day` is the day of the contact's row.
    """
    where = row.location
    if ref.country_iso2 and not isinstance(where, str):
        where = where or LocationInput()
        if not (where.country or where.country_iso2):
            where = replace(where, country_iso2=ref.country_iso2)
    who = {"name": ref.name, "domain": ref.domain, "linkedin_url": ref.linkedin_url}
    record = normalise_company(replace(row, **who, location=where, homepage_url=None, update_date=day), notes)
    return None if record == _naming_only(record) else record


def _naming_only(record: Company) -> Company:
    """Return the part of a record that a stub may contain."""
    links, location = record.social_links, record.location
    return Company(
        name=record.name,
        domain=record.domain,
        social_links=CompanyLinks(linkedin=links.linkedin) if links else None,
        location=location and normalise_location(location.country, None, None, None, None, None, None, None),
        update_date=record.update_date,
    )


def _alternative_names(row: CompanyInput) -> list[str]:
    names = ([row.alternative_name] if row.alternative_name else []) + items(
        row.alternative_names, commas=False
    )
    return unique(map(label, names), fold)


def _read_hosts(path: str, cell: str | None, name: str | None, notes: Notes) -> list[str]:
    """Return the company hosts of a cell. A shared host is none of them, but does not count as unread."""
    if not cell:
        return []
    found = read_company_hosts(cell, name)
    notes.check(path, cell, found or split_addresses(cell))
    return found


def _alternative_hosts(row: CompanyInput, name: str | None, stated: Sequence[str], notes: Notes) -> list[str]:
    others = (
        host
        for one in items(row.alternative_domains)
        for host in _read_hosts("alternativeDomains", one, name, notes)
    )
    return unique([*stated, *others], str)


def _read_reference(path: str, value: AnyCompanyRef, own: str | None, notes: Notes) -> CompanyRef | None:
    return next(iter(_read_references(path, [value], own, notes)), None) if value else None


def _read_references(
    path: str, values: Sequence[AnyCompanyRef], own: str | None, notes: Notes
) -> list[CompanyRef]:
    """Return references to other companies, each once and without the company itself."""
    if not values:
        return []
    refs = (read_company_reference(value, notes, path) for value in values)
    others = (ref for ref in refs if ref and (ref.token or ref.domain or ref.linkedin_url or ref.name != own))
    return unique(
        others, lambda ref: ref.token or ref.domain or ref.linkedin_url or company_key(ref.name or "")
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


def _company_type(value: str) -> str | None:
    """Return one of the six company types."""
    return _KNOWN_TYPES.get(fold(value))


def _symbols(row: CompanyInput) -> list[str]:
    given = (row.stock_symbols, row.stock_symbol)
    if given == (None, None):
        return []
    return unique((one for cell in given for one in items(cell, read=_symbol)), str.casefold)


def _symbol(value: str | None) -> str | None:
    found = line(value)
    # a symbol may have the letters of a placeholder
    return found if found and not is_placeholder_name(found) else None


def _tier(value: Scalar) -> int | None:
    return whole(value, 0, 1000)


def _business_models(row: CompanyInput, notes: Notes) -> list[str]:
    given = {item.upper() for item in items(row.business_model)}
    for item in given:
        notes.check("businessModel", item, item in BUSINESS_MODELS)
    return [model for model in BUSINESS_MODELS if model in given]


# --- industries ---


def _additional_industries(
    row: CompanyInput, industry: str | None, sub_industry: str | None
) -> list[Industry]:
    found = []
    for given in row.additional_industries or ():
        industry_label, sub = (
            (given.industry, given.sub_industry) if isinstance(given, IndustryInput) else (given, None)
        )
        main, finer = normalise_industry(label(industry_label), label(sub))
        if main and (main, finer) != (industry, sub_industry):
            found.append(Industry(industry=main, sub_industry=finer))
    return unique(found, lambda one: (one.industry, one.sub_industry))[:_MAX_ADDITIONAL_INDUSTRIES]


def _industry_tags(row: CompanyInput, industry: str | None) -> list[str]:
    """Return the row's tags, and its industry if the taxonomy does not have it."""
    unknown = label(row.industry) if industry is None else None
    tags = items(row.industry_tags)
    return unique([*tags, unknown], str.casefold)


# --- locations and contact details ---


def _additional_locations(row: CompanyInput, notes: Notes) -> list[Location]:
    locations = (
        read_location(given, notes, "additionalLocations") for given in row.additional_locations or ()
    )
    return unique(locations, lambda one: (one.country, one.state, one.city, one.zip_code, one.coordinates))


def _links(row: CompanyInput, notes: Notes) -> CompanyLinks | None:
    given = row.social_links
    page = notes.read("socialLinks.linkedin", given.linkedin, _linkedin_page) if given else None
    page = (
        notes.read("linkedinUrl", row.linkedin_url, _linkedin_page) if row.linkedin_url and not page else page
    )
    links = CompanyLinks(linkedin=page)
    if given:
        links.facebook = notes.read(
            "socialLinks.facebook", given.facebook, partial(profile, "www.facebook.com/")
        )
        links.x = notes.read("socialLinks.x", given.x, partial(profile, "x.com/"))
        links.instagram = _profiles("instagram", given.instagram, "www.instagram.com/", notes)
        links.youtube = _profiles("youtube", given.youtube, "www.youtube.com/@", notes)
        links.tiktok = _profiles("tiktok", given.tiktok, "www.tiktok.com/@", notes)
    return links if links != CompanyLinks() else None


def _linkedin_page(value: str) -> str | None:
    return linkedin(value, "company")


def _profiles(name: str, value: Texts, site: str, notes: Notes) -> list[str]:
    path, reader = f"socialLinks.{name}", partial(profile, site)
    return unique((notes.read(path, one, reader) for one in items(value)), str)


def _phones(value: list[PhoneInput | Scalar] | Scalar, region: str | None, notes: Notes) -> list[PhoneNumber]:
    if value is None or value == "":
        return []
    given: Iterable[PhoneInput | Scalar] = value if isinstance(value, list) else split_phone_texts(value)
    texts = (code(one.number if isinstance(one, PhoneInput) else one) for one in given)
    numbers = (
        number for cell in texts if cell for number, kind in split_numbers(cell) if kind != NO_TELEPHONE
    )
    read = (notes.phone("phones.number", number, region) for number in numbers)
    return unique((PhoneNumber(number=one[0]) for one in read if one), lambda one: one.number)


def _emails(value: list[EmailInput | str | None] | str | None, notes: Notes) -> list[EmailAddress]:
    if not value:
        return []
    given: Iterable[EmailInput | str | None] = items(value) if isinstance(value, str) else value
    texts = (one.email if isinstance(one, EmailInput) else one for one in given)
    read = (notes.email("emails.email", one) for cell in texts if cell for one in split_emails(cell))
    return unique((EmailAddress(email=one) for one in read if one), lambda one: one.email)


# --- funding ---


def _funding(value: FundingInput, notes: Notes) -> Funding | None:
    # equal rounds stay separate: suppliers may know little of each
    rounds = [one for given in (value.rounds or ())[:MAX_LIST] if (one := _round(given, notes))]
    found = Funding(
        rounds=rounds,
        total_rounds=notes.read("funding.totalRounds", value.total_rounds, _count_of_rounds),
        total_rounds_amount=notes.read("funding.totalRoundsAmount", value.total_rounds_amount, amount),
        currency=notes.read("funding.currency", value.currency, _currency),
        is_ipo=notes.read("funding.isIpo", value.is_ipo, flag),
        last_round_type=label(value.last_round_type, 100),
        last_round_amount=notes.read("funding.lastRoundAmount", value.last_round_amount, amount),
        last_round_date=display_day(notes.day("funding.lastRoundDate", value.last_round_date)),
    )
    return found if found != Funding() else None


def _count_of_rounds(value: Scalar) -> int | None:
    return whole(value, 0, 10_000)


def _round(value: RoundInput, notes: Notes) -> FundingRound | None:
    found = FundingRound(
        currency=notes.read("funding.rounds.currency", value.currency, _currency),
        round_amount=notes.read("funding.rounds.roundAmount", value.round_amount, amount),
        round_type=label(value.round_type, 100),
        round_date=display_day(notes.day("funding.rounds.roundDate", value.round_date)),
        name=label(value.name, 200),
        investors=items(value.investors),
    )
    return found if found != FundingRound() else None


def _currency(value: str | None) -> str | None:
    """Return an ISO 4217 code in capitals."""
    given = (line(value) or "").upper()
    return given if len(given) == 3 and given.isascii() and given.isalpha() else None
