"""Names on the wire that several rooms share."""

from typing import Literal, get_args

ContactUnit = Literal["emails", "phones"]
CONTACT_UNITS: tuple[str, ...] = get_args(ContactUnit)
"""What contact `reveal` may name (wire-a 2.2)."""

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
"""What company `reveal` may name (specification 4.2, wire-a 3.2)."""

COMPANY_BASE = "company"
"""The paid unit of a company's base firmographics."""
