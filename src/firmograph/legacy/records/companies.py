"""Companies in legacy shapes, from stored profiles (docs/reference/legacy.md#companies)."""

from typing import Any, Final, TypeVar, cast

import msgspec
from msgspec import UNSET, Raw, UnsetType

from firmograph.directory.store import CompanyProfile
from firmograph.enrichment.record_renderer import decode_premium
from firmograph.legacy.records import company_shapes as shapes
from firmograph.legacy.records.address import join_address

P = TypeVar("P", bound=msgspec.Struct)
_Text = str | UnsetType

INTENT: Final = "intent"
"""Paid unit of the intent of a company."""

TOP_REVENUE: Final = 1_000_000_000_000
"""Upper bound shown of the open revenue band, in US dollars a year."""


class _Part(msgspec.Struct, rename="camel"):
    """Part of a stored company."""


class _Count(_Part):
    exact: int | UnsetType = UNSET
    min: int | UnsetType = UNSET
    max: int | UnsetType = UNSET


class _Revenue(_Part):
    min: float | UnsetType = UNSET
    max: float | UnsetType = UNSET


class _Code(_Part):
    code: int
    description: str = ""


class _Links(_Part):
    linkedin: _Text = UNSET
    x: _Text = UNSET
    facebook: _Text = UNSET


class _Company(_Part):
    name: _Text = UNSET
    alternative_name: _Text = UNSET
    domain: _Text = UNSET
    description: _Text = UNSET
    company_type: _Text = UNSET
    year_founded: int | UnsetType = UNSET
    employee_count: _Count | UnsetType = UNSET
    industry: _Text = UNSET
    sub_industry: _Text = UNSET
    specialities: list[str] | UnsetType = UNSET
    industry_tags: list[str] | UnsetType = UNSET
    sic_codes: list[_Code] | UnsetType = UNSET
    naics_codes: list[_Code] | UnsetType = UNSET
    email_domain: _Text = UNSET
    homepage_url: _Text = UNSET
    location: shapes.LegacyCompanyLocation | UnsetType = UNSET
    additional_locations: list[shapes.LegacyOffice] | UnsetType = UNSET
    social_links: _Links | UnsetType = UNSET
    linkedin_followers: int | UnsetType = UNSET
    revenue_range: _Revenue | UnsetType = UNSET
    funding: Raw | UnsetType = UNSET
    technologies: list[str] | UnsetType = UNSET
    popularity_tier: int | UnsetType = UNSET
    logo_url: _Text = UNSET


_decode = msgspec.json.Decoder(_Company).decode
_NO_COUNT: Final = _Count()


def stored_intent(record: CompanyProfile) -> Raw | None:
    """Return the intent of a company, as stored."""
    return decode_premium(record).get(INTENT)


class CompanyBuilder:
    """Decoded company with what its shapes have in common."""

    def __init__(self, profile: bytes, intent: Raw | None = None) -> None:
        """`intent` is the stored value, if it is shown."""
        self.company = company = _decode(profile)
        self._count = _NO_COUNT if company.employee_count is UNSET else company.employee_count
        self._intent = UNSET if intent is None else intent

    def common(self) -> dict[str, Any]:
        """Return the members of every whole company."""
        company = self.company
        return {
            "name": company.name,
            "description": company.description,
            "fqdn": company.domain,
            "logo_url": company.logo_url,
            "revenue_range": self._revenue(),
            "main_industry": company.industry,
            "sub_industry": company.sub_industry,
            "specialities": company.specialities,
            "technologies": self._technologies(),
            "funding": company.funding,
            "intent": self._intent,
            "industry_primary_group_details": self._codes(),
        }

    def profile(self) -> dict[str, Any]:
        """Return the members of companies that were asked for by name."""
        company, offices = self.company, self.company.additional_locations
        for office in () if offices is UNSET else offices:
            office.raw_location = join_address(office)
        return self.common() | {
            "founded": company.year_founded,
            "linkedin_followers": company.linkedin_followers,
            "email_domain": company.email_domain,
            "company_locations": offices,
            "alternative_name": company.alternative_name,
            "company_type": company.company_type,
            "lusha_popularity_tier": company.popularity_tier,
        }

    def employer(self) -> shapes.LegacyPersonCompany:
        company, links = self.company, self.company.social_links
        return shapes.LegacyPersonCompany(
            domains=self._domains(),
            homepage_url=company.homepage_url,
            location=self._location(),
            company_size=self._size_bounds(),
            social=UNSET
            if links is UNSET
            else _unless_empty(shapes.LegacyPlainLinks(links.linkedin, links.x, links.facebook)),
            **self.common(),
        )

    def prospected_employer(self) -> shapes.LegacyProspectedEmployer:
        company = self.company
        return shapes.LegacyProspectedEmployer(
            revenue_range=self._revenue(),
            funding=cast(dict[str, Any] | UnsetType, company.funding),
            intent=cast(dict[str, Any] | UnsetType, self._intent),
            main_industry=company.industry,
            sub_industry=company.sub_industry,
            technologies=self._technologies(),
        )

    def single(self, id: int) -> shapes.LegacyCompany:
        company, location = self.company, self._location()
        return shapes.LegacyCompany(
            id=id,
            domain=company.domain,
            employees=self._size_text(),
            company_size=self._size(),
            social=self._links(),
            address=UNSET if location is UNSET else location.full_location,
            location=location,
            categories=company.industry_tags,
            website=company.homepage_url,
            **self.profile(),
        )

    def in_batch(self, key: str, id: int) -> shapes.LegacyBulkCompany:
        links = self.company.social_links
        return shapes.LegacyBulkCompany(
            id=key,
            lusha_company_id=id,
            company_size=self._size_bounds(),
            employees_in_linkedin=self._count.exact,
            linkedin=UNSET if links is UNSET else links.linkedin,
            **self._place(),
            **self.profile(),
        )

    def prospected(self, id: str, coordinates: Raw | UnsetType) -> shapes.LegacyProspectedCompany:
        """`coordinates` are the stored ones of the headquarters."""
        location = self.company.location
        return shapes.LegacyProspectedCompany(
            id=id,
            company_size=self._size(),
            employees=self._size_text(),
            domains=self._domains(),
            industry_tags=self.company.industry_tags,
            social=self._links(),
            state_code=UNSET if location is UNSET else location.state_code,
            coordinates=cast(list[float] | UnsetType, coordinates),
            **self._place(),
            **self.profile(),
        )

    # --- parts ---

    def _size_bounds(self) -> list[int] | UnsetType:
        low, high = self._count.min, self._count.max
        return UNSET if low is UNSET or high is UNSET else [low, high]

    def _size_text(self) -> str | UnsetType:
        bounds = self._size_bounds()
        return UNSET if bounds is UNSET else f"{bounds[0]} - {bounds[1]}"

    def _size(self) -> shapes.LegacySize | UnsetType:
        count = self._count
        return _unless_empty(shapes.LegacySize(count.min, count.max, count.exact))

    def _revenue(self) -> list[int] | UnsetType:
        revenue = self.company.revenue_range
        if revenue is UNSET or revenue.min is UNSET:
            return UNSET
        low = int(revenue.min)
        return [low, max(low, TOP_REVENUE) if revenue.max is UNSET else int(revenue.max)]

    def _technologies(self) -> list[shapes.LegacyTechnology] | UnsetType:
        names = self.company.technologies
        return UNSET if names is UNSET else [shapes.LegacyTechnology(name) for name in names]

    def _codes(self) -> shapes.LegacyIndustryCodes | UnsetType:
        sic, naics = self.company.sic_codes, self.company.naics_codes
        if sic is UNSET and naics is UNSET:
            return UNSET
        return shapes.LegacyIndustryCodes(
            UNSET if sic is UNSET else [shapes.LegacySicCode(one.code, one.description) for one in sic],
            UNSET if naics is UNSET else [shapes.LegacyNaicsCode(one.code, one.description) for one in naics],
        )

    def _domains(self) -> shapes.LegacyCompanyDomains | UnsetType:
        company = self.company
        return _unless_empty(shapes.LegacyCompanyDomains(company.domain, company.email_domain))

    def _links(self) -> shapes.LegacyLinks | UnsetType:
        links = self.company.social_links
        if links is UNSET:
            return UNSET
        urls = (links.linkedin, links.x, links.facebook)
        return _unless_empty(
            shapes.LegacyLinks(*(UNSET if url is UNSET else shapes.LegacyLink(url) for url in urls))
        )

    def _location(self) -> shapes.LegacyCompanyLocation | UnsetType:
        place = self.company.location
        if place is not UNSET:
            place.full_location = place.raw_location = join_address(place)
        return place

    def _place(self) -> dict[str, Any]:
        """Return the place of the headquarters as members of the company."""
        place = self.company.location
        if place is UNSET:
            return {}
        return {
            "city": place.city,
            "state": place.state,
            "country": place.country,
            "country_iso2": place.country_iso2,
            "continent": place.continent,
            "raw_location": join_address(place),
        }


def _unless_empty(part: P) -> P | UnsetType:
    """Return a part of an answer, unset without any value."""
    return UNSET if part == type(part)() else part
