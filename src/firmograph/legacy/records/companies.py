"""Companies in legacy shapes, from stored profiles (docs/reference/legacy.md#companies)."""

from collections.abc import Sequence
from typing import Any, TypeVar, cast

import msgspec
from msgspec import UNSET, UnsetType

from firmograph.directory.records import Company, Location
from firmograph.directory.store import CompanyProfile
from firmograph.legacy.records import company_shapes as shapes

P = TypeVar("P", bound=msgspec.Struct)

TOP_REVENUE = 1_000_000_000_000
"""Upper bound shown of the open revenue band, in US dollars a year."""


class _StoredCompany(Company):
    """Stored company; what is shown as it is stored is not decoded."""

    funding: msgspec.Raw | UnsetType = UNSET  # type: ignore[assignment]


_decode = msgspec.json.Decoder(_StoredCompany).decode
_decode_premium = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class CompanyBuilder:
    """Decoded company with what its shapes have in common."""

    def __init__(self, record: CompanyProfile, *, with_intent: bool = False) -> None:
        self.company = _decode(record.profile)
        self._intent = _intent(record) if with_intent else UNSET

    def common(self) -> dict[str, Any]:
        """Return the members of every whole company."""
        company = self.company
        return {
            "name": company.name or UNSET,
            "description": company.description or UNSET,
            "fqdn": company.domain or UNSET,
            "logo_url": company.logo_url or UNSET,
            "revenue_range": self._revenue(),
            "main_industry": company.industry or UNSET,
            "sub_industry": company.sub_industry or UNSET,
            "specialities": company.specialities or UNSET,
            "technologies": self._technologies(),
            "funding": self._funding(),
            "intent": self._intent,
            "industry_primary_group_details": self._codes(),
        }

    def profile(self) -> dict[str, Any]:
        """Return the members of companies that were asked for by name."""
        company = self.company
        return self.common() | {
            "founded": company.year_founded or UNSET,
            "linkedin_followers": UNSET if company.linkedin_followers is None else company.linkedin_followers,
            "email_domain": company.email_domain or UNSET,
            "company_locations": [_office(one) for one in company.additional_locations] or UNSET,
            "alternative_name": company.alternative_name or UNSET,
            "company_type": company.company_type or UNSET,
            "lusha_popularity_tier": UNSET if company.popularity_tier is None else company.popularity_tier,
        }

    def employer(self) -> shapes.LegacyPersonCompany:
        company, links = self.company, self.company.social_links
        return shapes.LegacyPersonCompany(
            domains=self._domains(),
            homepage_url=company.homepage_url or UNSET,
            location=self._location(),
            company_size=self.size_bounds(),
            social=_unless_empty(
                shapes.LegacyPlainLinks(links.linkedin or UNSET, links.x or UNSET, links.facebook or UNSET)
            )
            if links
            else UNSET,
            **self.common(),
        )

    def prospected_employer(self) -> shapes.LegacyProspectedEmployer:
        company = self.company
        return shapes.LegacyProspectedEmployer(
            revenue_range=self._revenue(),
            funding=self._funding(),
            intent=self._intent,
            main_industry=company.industry or UNSET,
            sub_industry=company.sub_industry or UNSET,
            technologies=self._technologies(),
        )

    def single(self, id: int) -> shapes.LegacyCompany:
        company, location = self.company, self._location()
        return shapes.LegacyCompany(
            id=id,
            domain=company.domain or UNSET,
            employees=self._size_text(),
            company_size=self._size(),
            social=self._links(),
            address=UNSET if location is UNSET else location.full_location,
            location=location,
            categories=company.industry_tags or UNSET,
            website=company.homepage_url or UNSET,
            **self.profile(),
        )

    def in_batch(self, key: str, id: int) -> shapes.LegacyBulkCompany:
        count, links = self.company.employee_count, self.company.social_links
        return shapes.LegacyBulkCompany(
            id=key,
            lusha_company_id=id,
            company_size=self.size_bounds(),
            employees_in_linkedin=UNSET if count is None or count.exact is None else count.exact,
            linkedin=(links and links.linkedin) or UNSET,
            **self._place(),
            **self.profile(),
        )

    def prospected(self, id: str) -> shapes.LegacyProspectedCompany:
        place, location = self._place(), self.company.location
        return shapes.LegacyProspectedCompany(
            id=id,
            company_size=self._size(),
            employees=self._size_text(),
            domains=self._domains(),
            industry_tags=self.company.industry_tags or UNSET,
            social=self._links(),
            state_code=(location and location.state_code) or UNSET,
            **place,
            **self.profile(),
        )

    # --- parts ---

    def size_bounds(self) -> list[int] | UnsetType:
        count = self.company.employee_count
        if count is None or count.min is None or count.max is None:
            return UNSET
        return [count.min, count.max]

    def _size_text(self) -> str | UnsetType:
        bounds = self.size_bounds()
        return UNSET if bounds is UNSET else f"{bounds[0]} - {bounds[1]}"

    def _size(self) -> shapes.LegacySize | UnsetType:
        count = self.company.employee_count
        if count is None:
            return UNSET
        return shapes.LegacySize(
            UNSET if count.min is None else count.min,
            UNSET if count.max is None else count.max,
            UNSET if count.exact is None else count.exact,
        )

    def _revenue(self) -> list[int] | UnsetType:
        revenue = self.company.revenue_range
        if revenue is None or revenue.min is None:
            return UNSET
        low = int(revenue.min)
        return [low, max(low, TOP_REVENUE) if revenue.max is None else int(revenue.max)]

    def _technologies(self) -> list[shapes.LegacyTechnology] | UnsetType:
        return [shapes.LegacyTechnology(name) for name in self.company.technologies] or UNSET

    def _funding(self) -> dict[str, Any] | UnsetType:
        return cast(dict[str, Any] | UnsetType, self.company.funding)

    def _codes(self) -> shapes.LegacyIndustryCodes | UnsetType:
        company = self.company
        if not (company.sic_codes or company.naics_codes):
            return UNSET
        return shapes.LegacyIndustryCodes(
            [shapes.LegacySicCode(one.code, one.description) for one in company.sic_codes] or UNSET,
            [shapes.LegacyNaicsCode(one.code, one.description) for one in company.naics_codes] or UNSET,
        )

    def _domains(self) -> shapes.LegacyCompanyDomains | UnsetType:
        company = self.company
        return _unless_empty(
            shapes.LegacyCompanyDomains(company.domain or UNSET, company.email_domain or UNSET)
        )

    def _links(self) -> shapes.LegacyLinks | UnsetType:
        links = self.company.social_links
        if links is None:
            return UNSET
        urls = (links.linkedin, links.x, links.facebook)
        return _unless_empty(shapes.LegacyLinks(*(shapes.LegacyLink(url) if url else UNSET for url in urls)))

    def _location(self) -> shapes.LegacyCompanyLocation | UnsetType:
        place = self.company.location
        if place is None:
            return UNSET
        text = raw_location(place)
        return shapes.LegacyCompanyLocation(
            place.city or UNSET,
            place.country or UNSET,
            text,
            place.state or UNSET,
            place.state_code or UNSET,
            place.country_iso2 or UNSET,
            place.continent or UNSET,
            text,
        )

    def _place(self) -> dict[str, Any]:
        """Return the place of the headquarters as members of the company."""
        place = self.company.location
        if place is None:
            return {}
        return {
            "city": place.city or UNSET,
            "state": place.state or UNSET,
            "country": place.country or UNSET,
            "country_iso2": place.country_iso2 or UNSET,
            "continent": place.continent or UNSET,
            "raw_location": raw_location(place),
        }


def whole_numbers(figures: Sequence[float]) -> list[float]:
    """Return figures, whole ones as integers, so that JSON has them without a point."""
    return [int(one) if one.is_integer() else one for one in figures]


def raw_location(place: Location) -> str | UnsetType:
    """Return city, state and country as one text."""
    # a city may be a state as well
    return ", ".join(dict.fromkeys(filter(None, (place.city, place.state, place.country)))) or UNSET


def _office(place: Location) -> shapes.LegacyOffice:
    return shapes.LegacyOffice(
        place.city or UNSET,
        place.country or UNSET,
        place.state or UNSET,
        place.state_code or UNSET,
        place.country_iso2 or UNSET,
        place.continent or UNSET,
        place.zip_code or UNSET,
        raw_location(place),
    )


def _intent(record: CompanyProfile) -> dict[str, Any] | UnsetType:
    if record.premium is None:
        return UNSET
    return cast(dict[str, Any] | UnsetType, _decode_premium(record.premium).get("intent", UNSET))


def _unless_empty(part: P) -> P | UnsetType:
    """Return a part of an answer, unset without any value."""
    empty = all(getattr(part, name) is UNSET for name in part.__struct_fields__)
    return UNSET if empty else part
