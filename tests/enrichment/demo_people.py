"""A small directory for look-ups in the tests of enrichment."""

import msgspec

from firmograph.database.connection import Database
from firmograph.directory.records import Company, CompanyRef, Phone
from record_factory import contact, load_companies, load_contacts

ACME = CompanyRef(name="Acme Inc", domain="acme.example")


def load(database: Database) -> None:
    load_companies(
        database,
        "test",
        [
            (
                "acme",
                msgspec.convert(
                    {
                        "name": "Acme Inc",
                        "domain": "acme.example",
                        "alternativeNames": ["Acme Rocketry"],
                        "industry": "Manufacturing",
                        "stockSymbols": ["ACME"],
                        "socialLinks": {
                            "linkedin": "https://www.linkedin.com/company/acme",
                            "facebook": "https://facebook.com/acme",
                        },
                        "employeesByDepartment": [{"department": "Sales", "count": 3}],
                        "employeesByLocation": [{"country": "United States", "count": 3}],
                        "employeesBySeniority": [{"seniority": "Manager", "count": 1}],
                        "competitors": [{"name": "Rival", "domain": "rival.example"}],
                        "intent": {"detectedTopics": [], "topicCount": 0},
                        "estimatedAnnualItSpend": {"value": 5.0, "currency": "EUR", "valueUsd": 5.5},
                        "monthlyWebsiteTraffic": {"visits": 100.0, "month": "2026-08"},
                        "openJobs": {
                            "total": 3,
                            "byDepartment": [{"department": "Sales", "count": 3}],
                            "byLocation": [{"country": "United States", "count": 3}],
                            "bySeniority": [{"seniority": "Manager", "count": 3}],
                        },
                        "parents": [{"name": "Holding", "domain": "holding.example"}],
                    },
                    Company,
                ),
            ),
            (
                "holding",
                msgspec.convert(
                    {
                        "name": "Holding",
                        "domain": "holding.example",
                        "location": {"country": "Germany", "countryIso2": "DE"},
                        "parents": [{"name": "Top", "domain": "top.example"}],
                    },
                    Company,
                ),
            ),
            ("rival", msgspec.convert({"name": "Rival", "domain": "rival.example"}, Company)),
            ("unit", msgspec.convert({"name": "Unit", "domain": "unit.rival.example"}, Company)),
        ],
    )
    phone = Phone("+12025550101", type="mobile")
    load_contacts(
        database,
        "test",
        [
            (
                "jane",
                contact(
                    emails=["jane@acme.example"],
                    linkedin="https://www.linkedin.com/in/jane-doe",
                    company=ACME,
                    title="Chief Executive Officer",
                    phones=[phone],
                ),
            ),
            ("bob", contact("Robert", "Ray", emails=["bob@acme.example"], company=ACME)),
            ("mute", contact("Mu", "Te", company=ACME)),
            ("ann", contact("Ann", "Office", emails=["office@acme.example"], company=ACME)),
            ("tim", contact("Tim", "Desk", emails=["office@acme.example"], company=ACME)),
            ("john1", contact("John", "Twin", emails=["t1@acme.example"], company=ACME)),
            ("john2", contact("John", "Twin", emails=["t2@acme.example"], company=ACME)),
        ],
    )
