"""Names on the wire that several rooms share."""

CONTACT_UNITS = ("emails", "phones")
"""What contact `reveal` may name (wire-a 2.2)."""

COMPANY_TOKENS = (
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
)
"""What company `reveal` may name (specification 4.2, wire-a 3.2)."""

COMPANY_BASE = "company"
"""The paid unit of a company's base firmographics."""
