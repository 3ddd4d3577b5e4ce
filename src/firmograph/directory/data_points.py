"""Names of data points in requests, shared by several features."""

from typing import Literal, get_args

ContactUnit = Literal["emails", "phones"]
CONTACT_UNITS: tuple[str, ...] = get_args(ContactUnit)
"""Valid values of `reveal` for contacts (docs/reference/lookups.md#reveal)."""

CompanyToken = Literal[
    "employeesByDepartment",
    "employeesByLocation",
    "employeesBySeniority",
    "competitors",
    "intent",
    "estimatedAnnualItSpend",
    "monthlyWebsiteTraffic",
    "openJobsTotal",
    "openJobsByDepartment",
    "openJobsByLocation",
    "openJobsBySeniority",
    "directParent",
    "ultimateParent",
]
COMPANY_TOKENS: tuple[str, ...] = get_args(CompanyToken)
"""Valid values of `reveal` for companies."""

COMPANY_BASE = "company"
"""Paid unit of a company's base firmographics."""
