"""Numbers that stand for names in databases, backups and webhooks are the same in every release."""

import pytest

from firmograph.billing.types import UnitKind
from firmograph.directory.company_json import TOKEN_BIT
from firmograph.directory.data_points import COMPANY_TOKENS
from firmograph.directory.records import DIRECT_PARENT, ULTIMATE_PARENT
from firmograph.directory.vocabulary import DEPARTMENT_IDS, DEPARTMENTS, SENIORITIES
from firmograph.security.record_ids import Entity
from firmograph.signals.types import COMPANY_TYPES, CONTACT_TYPES, NUMBER_OF
from firmograph.webhooks.types import State, Status

pytestmark = pytest.mark.no_database

PINNED = {
    "signal types": (
        NUMBER_OF,
        """
        1 promotion
        2 companyChange
        11 linkedinActivityIntent
        12 websiteTrafficDecrease
        13 websiteTrafficIncrease
        14 itSpendIncrease
        15 itSpendDecrease
        16 surgeInHiring
        17 headcountIncrease1m
        18 headcountIncrease3m
        19 headcountIncrease6m
        20 headcountIncrease12m
        21 headcountDecrease1m
        22 headcountDecrease3m
        23 headcountDecrease6m
        24 headcountDecrease12m
        25 surgeInHiringByDepartment
        26 surgeInHiringByLocation
        27 riskNews
        28 commercialActivityNews
        29 corporateStrategyNews
        30 financialEventsNews
        31 peopleNews
        32 marketIntelligenceNews
        33 productActivityNews
        """,
    ),
    "data points of companies": (
        TOKEN_BIT,
        """
        1 employeesByDepartment
        2 employeesByLocation
        4 employeesBySeniority
        8 competitors
        16 intent
        32 estimatedAnnualItSpend
        64 monthlyWebsiteTraffic
        128 openJobsTotal
        256 openJobsByDepartment
        512 openJobsByLocation
        1024 openJobsBySeniority
        2048 directParent
        4096 ultimateParent
        """,
    ),
    "departments": (
        DEPARTMENT_IDS,
        """
        1 Business Development
        2 Consulting
        3 Customer Service
        4 Engineering & Technical
        5 Finance
        6 General Management
        7 Health Care & Medical
        8 Human Resources
        9 Information Technology
        10 Legal
        11 Marketing
        12 Operations
        13 Other
        14 Product
        15 Research & Analytics
        16 Sales
        """,
    ),
    "seniorities": (
        {label: number for number, label in SENIORITIES.items()},
        """
        1 Other
        2 Intern
        3 Non-Manager
        4 Senior
        5 Manager
        6 Director
        7 Partner
        8 Vice President
        9 C-Suite
        10 Founder
        """,
    ),
    "roles of owners": ({"direct": DIRECT_PARENT, "ultimate": ULTIMATE_PARENT}, "1 direct\n2 ultimate"),
    "entities": (Entity.__members__, "1 CONTACT\n2 COMPANY"),
    "kinds of paid units": (UnitKind.__members__, "1 CONTACT_DATA\n2 COMPANY_DATA\n3 SIGNAL"),
    "states of deliveries": (State.__members__, "1 WAITING\n2 FAILED\n3 CANCELLED"),
    "results of attempts": (Status.__members__, "1 SUCCESS\n2 FAILED\n3 PERMANENT_FAILURE"),
}
"""Copies of the numbers. Add lines for new names; a changed line relabels what installations have stored."""


@pytest.mark.parametrize("kind", PINNED)
def test_a_stored_number_never_changes(kind):
    numbers, pinned = PINNED[kind]
    lines = [line.split(maxsplit=1) for line in pinned.strip().splitlines()]
    assert {name: int(number) for name, number in numbers.items()} == {
        name: int(number) for number, name in lines
    }


@pytest.mark.parametrize(
    ("numbers", "names"),
    [
        (NUMBER_OF, CONTACT_TYPES + COMPANY_TYPES),
        (TOKEN_BIT, COMPANY_TOKENS),
        (DEPARTMENT_IDS, DEPARTMENTS),
    ],
    ids=["signal types", "data points of companies", "departments"],
)
def test_every_name_has_a_number_of_its_own(numbers, names):
    assert sorted(numbers) == sorted(names)
    assert len(set(numbers.values())) == len(names)
