"""Catalogs: the columns that every table of contacts or of companies can have.

See docs/reference/tables.md#catalogs.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from firmograph.record_tables.columns.store import NewColumn
from firmograph.record_tables.types import ValueType
from firmograph.security.record_ids import Entity


class CatalogColumn(NamedTuple):
    """Column that a catalog lists."""

    key: str
    category: str
    display_name: str
    type: ValueType
    source: str
    """Stored part of the record and path in it; a figure is an index of a list (`catalog_kind.py`)."""
    unit: str | None = None
    """Paid unit that a value costs (`billing/paid_units.py` has its price key); None for a free one."""


_IDENTITY: Final = "Identity"
_JOB: Final = "Job"
_DETAILS: Final = "Contact details"
_SOCIAL: Final = "Social"
_LOCATION: Final = "Location"
_PROFILE: Final = "Company profile"
_WORKFORCE: Final = "Workforce"
_INDUSTRY: Final = "Industry"
_FINANCIALS: Final = "Financials"
_TECHNOLOGY: Final = "Technology"
_INTENT: Final = "Intent"

CONTACT_CATALOG: Final = (
    CatalogColumn("fullName", _IDENTITY, "Full name", "string", "name"),
    CatalogColumn("firstName", _IDENTITY, "First name", "string", "profile.firstName"),
    CatalogColumn("lastName", _IDENTITY, "Last name", "string", "profile.lastName"),
    CatalogColumn("jobTitle", _JOB, "Job title", "string", "profile.jobTitle.title"),
    CatalogColumn("seniority", _JOB, "Seniority", "string", "profile.jobTitle.seniority"),
    CatalogColumn("departments", _JOB, "Departments", "object", "profile.jobTitle.departments"),
    CatalogColumn("workEmail", _DETAILS, "Work email", "string", "emails.work", "emails"),
    CatalogColumn("privateEmail", _DETAILS, "Private email", "string", "emails.private", "emails"),
    CatalogColumn("mobilePhone", _DETAILS, "Mobile phone", "string", "phones.mobile", "phones"),
    CatalogColumn("directPhone", _DETAILS, "Direct phone", "string", "phones.direct", "phones"),
    CatalogColumn("workPhone", _DETAILS, "Work phone", "string", "phones.work", "phones"),
    CatalogColumn("linkedinUrl", _SOCIAL, "LinkedIn URL", "string", "profile.socialLinks.linkedin"),
    CatalogColumn("xUrl", _SOCIAL, "X URL", "string", "profile.socialLinks.xUrl"),
    CatalogColumn("country", _LOCATION, "Country", "string", "profile.location.country"),
    CatalogColumn("countryIso2", _LOCATION, "Country code", "string", "profile.location.countryIso2"),
    CatalogColumn("state", _LOCATION, "State", "string", "profile.location.state"),
    CatalogColumn("city", _LOCATION, "City", "string", "profile.location.city"),
    CatalogColumn("continent", _LOCATION, "Continent", "string", "profile.location.continent"),
    CatalogColumn("isEuContact", _LOCATION, "EU contact", "string", "profile.location.isEuContact"),
    CatalogColumn("previousEmployment", _JOB, "Previous employment", "object", "profile.previousEmployment"),
    CatalogColumn("tags", _IDENTITY, "Tags", "object", "profile.tags"),
    CatalogColumn("updateDate", _IDENTITY, "Update date", "string", "profile.updateDate"),
)

COMPANY_CATALOG: Final = (
    CatalogColumn("name", _IDENTITY, "Name", "string", "profile.name"),
    CatalogColumn("domain", _IDENTITY, "Domain", "string", "profile.domain"),
    CatalogColumn("alternativeName", _IDENTITY, "Alternative name", "string", "profile.alternativeName"),
    CatalogColumn(
        "alternativeDomains", _IDENTITY, "Alternative domains", "object", "profile.alternativeDomains"
    ),
    CatalogColumn("description", _PROFILE, "Description", "string", "profile.description"),
    CatalogColumn("companyType", _PROFILE, "Company type", "string", "profile.companyType"),
    CatalogColumn("yearFounded", _PROFILE, "Year founded", "number", "profile.yearFounded"),
    CatalogColumn("businessModel", _PROFILE, "Business model", "object", "profile.businessModel"),
    CatalogColumn("companyOffering", _PROFILE, "Company offering", "string", "profile.companyOffering"),
    CatalogColumn("employeeCount", _WORKFORCE, "Employee count", "object", "profile.employeeCount"),
    CatalogColumn(
        "employeesByDepartment",
        _WORKFORCE,
        "Employees by department",
        "object",
        "premium.employeesByDepartment",
        "employeesByDepartment",
    ),
    CatalogColumn(
        "employeesByLocation",
        _WORKFORCE,
        "Employees by location",
        "object",
        "premium.employeesByLocation",
        "employeesByLocation",
    ),
    CatalogColumn(
        "employeesBySeniority",
        _WORKFORCE,
        "Employees by seniority",
        "object",
        "premium.employeesBySeniority",
        "employeesBySeniority",
    ),
    CatalogColumn("industry", _INDUSTRY, "Industry", "string", "profile.industry"),
    CatalogColumn("subIndustry", _INDUSTRY, "Sub-industry", "string", "profile.subIndustry"),
    CatalogColumn(
        "additionalIndustries", _INDUSTRY, "Additional industries", "object", "profile.additionalIndustries"
    ),
    CatalogColumn("industryTags", _INDUSTRY, "Industry tags", "object", "profile.industryTags"),
    CatalogColumn("specialities", _INDUSTRY, "Specialities", "object", "profile.specialities"),
    CatalogColumn("keywords", _INDUSTRY, "Keywords", "object", "profile.keywords"),
    CatalogColumn("sicCodes", _INDUSTRY, "SIC codes", "object", "profile.sicCodes"),
    CatalogColumn("naicsCodes", _INDUSTRY, "NAICS codes", "object", "profile.naicsCodes"),
    CatalogColumn("country", _LOCATION, "Country", "string", "profile.location.country"),
    CatalogColumn("state", _LOCATION, "State", "string", "profile.location.state"),
    CatalogColumn("city", _LOCATION, "City", "string", "profile.location.city"),
    CatalogColumn("continent", _LOCATION, "Continent", "string", "profile.location.continent"),
    CatalogColumn(
        "additionalLocations", _LOCATION, "Additional locations", "object", "profile.additionalLocations"
    ),
    CatalogColumn("linkedin", _SOCIAL, "LinkedIn", "string", "profile.socialLinks.linkedin"),
    CatalogColumn("facebook", _SOCIAL, "Facebook", "string", "profile.socialLinks.facebook"),
    CatalogColumn("x", _SOCIAL, "X", "string", "profile.socialLinks.x"),
    CatalogColumn("instagram", _SOCIAL, "Instagram", "object", "profile.socialLinks.instagram"),
    CatalogColumn("youtube", _SOCIAL, "YouTube", "object", "profile.socialLinks.youtube"),
    CatalogColumn("tiktok", _SOCIAL, "TikTok", "object", "profile.socialLinks.tiktok"),
    CatalogColumn("linkedinFollowers", _SOCIAL, "LinkedIn followers", "number", "profile.linkedinFollowers"),
    CatalogColumn("popularityTier", _SOCIAL, "Popularity tier", "number", "profile.popularityTier"),
    CatalogColumn("revenueRange", _FINANCIALS, "Revenue range", "object", "profile.revenueRange"),
    CatalogColumn("funding", _FINANCIALS, "Funding", "object", "profile.funding"),
    CatalogColumn("ipoDate", _FINANCIALS, "IPO date", "string", "extras.ipoDate"),
    CatalogColumn("stockSymbol", _FINANCIALS, "Stock symbol", "string", "extras.stockSymbols.0"),
    CatalogColumn("technologies", _TECHNOLOGY, "Technologies", "object", "profile.technologies"),
    CatalogColumn("intent", _INTENT, "Intent", "object", "premium.intent", "intent"),
    CatalogColumn(
        "competitors", _PROFILE, "Competitors", "object", "premium.competitors", unit="competitors"
    ),
    CatalogColumn(
        "estimatedAnnualItSpend",
        _TECHNOLOGY,
        "Estimated annual IT spend",
        "object",
        "premium.estimatedAnnualItSpend",
        "estimatedAnnualItSpend",
    ),
    CatalogColumn(
        "monthlyWebsiteTraffic",
        _TECHNOLOGY,
        "Monthly website traffic",
        "object",
        "premium.monthlyWebsiteTraffic",
        "monthlyWebsiteTraffic",
    ),
    CatalogColumn(
        "openJobsTotal", _WORKFORCE, "Open jobs", "number", "premium.openJobsTotal", "openJobsTotal"
    ),
    CatalogColumn("phone", _DETAILS, "Phone", "string", "profile.phones.0.number"),
    CatalogColumn("email", _DETAILS, "Email", "string", "profile.emails.0.email"),
)

_EMPLOYER: Final = CatalogColumn("companyName", _JOB, "Company name", "string", "employer.name")
"""Default column outside of the catalog."""
_CATALOGS: Final = {Entity.CONTACT: CONTACT_CATALOG, Entity.COMPANY: COMPANY_CATALOG}
_BY_KEY: Final = {
    Entity.CONTACT: {entry.key: entry for entry in (*CONTACT_CATALOG, _EMPLOYER)},
    Entity.COMPANY: {entry.key: entry for entry in COMPANY_CATALOG},
}


def catalog(entity: int) -> tuple[CatalogColumn, ...]:
    """Return the columns that a table can be given, in the order in which they are listed."""
    return _CATALOGS[Entity(entity)]


def find_entry(entity: int, key: str) -> CatalogColumn | None:
    """Return the column of a key, that of a default column included; None for an unknown key."""
    return _BY_KEY[Entity(entity)].get(key)


def revealed_columns(entity: int, token: str) -> tuple[str, ...]:
    """Return the keys of the columns that hold what a token of `reveal` stands for."""
    return tuple(entry.key for entry in catalog(entity) if entry.unit == token)


def new_column(entity: int, key: str) -> NewColumn:
    """Return a column of the catalog to insert. Raises KeyError for an unknown key."""
    return NewColumn("lusha", key, key, _BY_KEY[Entity(entity)][key].display_name)


def _default(entity: Entity, *keys: str) -> tuple[NewColumn, ...]:
    return tuple(new_column(entity, key)._replace(is_default=True) for key in keys)


DEFAULTS: Final[Mapping[Entity, tuple[NewColumn, ...]]] = {
    Entity.CONTACT: _default(Entity.CONTACT, "fullName", "jobTitle", "companyName"),
    Entity.COMPANY: _default(Entity.COMPANY, "name", "domain"),
}
"""Columns of every new table, in order; they are filled with the row, free of charge, and are never removed."""
