"""Canonical rows of companies."""

import msgspec
import pytest

from firmograph.directory.records import (
    Code,
    Company,
    CompanyLinks,
    CompanyRef,
    Count,
    DepartmentCount,
    EmailAddress,
    Funding,
    FundingRound,
    Industry,
    ItSpend,
    Location,
    LocationCount,
    OpenJobs,
    PhoneNumber,
    Revenue,
    SeniorityCount,
    Traffic,
)
from firmograph.ingest.reading.inputs import CompanyInput
from firmograph.ingest.records.company import normalise_company

pytestmark = pytest.mark.no_database


def made(**fields: object) -> Company:
    return normalise_company(msgspec.convert(fields, CompanyInput))


def test_base_firmographics_become_canonical():
    record = made(
        name=" Acme  Inc ",
        alternativeName="ACME",
        alternativeNames=["Acme Holdings, Inc.", "acme inc"],
        domain="https://www.Acme.example.com/en",
        alternativeDomains=["acme.example.org", "www.acme.example.com"],
        description="Line one\nline two ",
        companyType="Privately Held",
        yearFounded="1999",
        employeeCount=120,
        revenueRange="$10M-$50M",
        specialities="a, b; c",
        emailDomain="Acme.example.com",
        homepageUrl="acme.example.com",
        location={"city": "Austin", "state": "TX", "country": "US", "zipCode": "78701"},
        additionalLocations=["Berlin, Germany", {"country": "Germany", "city": "Berlin"}],
        linkedinUrl="linkedin.com/company/Acme",
        linkedinFollowers=1000,
        technologies="['Go', \"GO\", 'Rust']",
        businessModel=["b2b", "C2C"],
        phones=["(512) 555-0123"],
        emails=["Info@acme.example.com"],
        stockSymbols="ACM",
        ipoDate="2001-02-03",
        updateDate="2025-06-01",
    )
    assert record == Company(
        name="Acme Inc",
        alternative_name="ACME",
        alternative_names=["ACME", "Acme Holdings, Inc."],
        domain="acme.example.com",
        alternative_domains=["acme.example.org"],
        description="Line one\nline two",
        company_type="Private Company",
        year_founded=1999,
        employee_count=Count(exact=120, min=51, max=200),
        revenue_range=Revenue(min=10e6, max=50e6),
        specialities=["a, b", "c"],
        email_domain="acme.example.com",
        homepage_url="https://acme.example.com",
        location=Location(
            country="United States",
            country_iso2="US",
            state="Texas",
            state_code="TX",
            city="Austin",
            zip_code="78701",
            continent="North America",
        ),
        additional_locations=[
            Location(country="Germany", country_iso2="DE", city="Berlin", continent="Europe")
        ],
        social_links=CompanyLinks(linkedin="https://www.linkedin.com/company/acme"),
        linkedin_followers=1000,
        technologies=["Go", "Rust"],
        business_model=["B2B"],
        phones=[PhoneNumber(number="+15125550123")],
        emails=[EmailAddress(email="info@acme.example.com")],
        stock_symbols=["ACM"],
        ipo_date="2001-02-03",
        update_date="2025-06-01",
    )


def test_the_first_other_name_is_the_alternative_name():
    record = made(name="Acme", alternativeName="Acme", alternativeNames="Ajax|Apex; Axis")
    assert record.alternative_name == "Ajax"
    assert record.alternative_names == ["Ajax", "Apex", "Axis"]


def test_a_home_page_gives_the_domain_unless_its_host_is_shared():
    assert made(homepageUrl="http://www.acme.example.com/x").domain == "acme.example.com"
    assert made(homepageUrl="https://www.facebook.com/acme").domain is None


def test_industries_follow_the_taxonomy_and_an_unmapped_label_becomes_a_tag():
    record = made(
        industry="Computer Software", additionalIndustries=["Banking", "Banking", "Zymurgy", "Retail"]
    )
    assert record.industry is not None
    assert record.industry_tags == []
    assert len(record.additional_industries) == 2
    assert all(isinstance(one, Industry) and one.industry for one in record.additional_industries)
    odd = made(industry="Zymurgical arts", industryTags=["beer"])
    assert odd.industry is None
    assert odd.industry_tags == ["beer", "Zymurgical arts"]


def test_codes_are_read_from_numbers_texts_and_objects():
    record = made(
        sicCodes=[7372, "0100", {"code": "7371", "description": "Services"}, "7372", "x", 123456],
        naicsCodes="541511 - Custom Programming; 511210",
    )
    assert record.sic_codes == [Code(code=7372), Code(code=100), Code(code=7371, description="Services")]
    assert record.naics_codes == [Code(code=541511, description="Custom Programming"), Code(code=511210)]


@pytest.mark.parametrize(
    ("given", "codes"),
    [
        ("31-33", [(31, ""), (32, ""), (33, "")]),
        (
            "31-33 Manufacturing; 44-45",
            [(31, "Manufacturing"), (32, "Manufacturing"), (33, "Manufacturing"), (44, ""), (45, "")],
        ),
        ([{"code": "48 – 49", "description": "Transport"}], [(48, "Transport"), (49, "Transport")]),
        (["31-33", {"code": 32, "description": "Again"}], [(31, ""), (32, ""), (33, "")]),
        ("31 - Made by hand", [(31, "Made by hand")]),
    ],
)
def test_a_naics_sector_of_several_codes_stands_for_each_of_them(given, codes):
    assert [(one.code, one.description) for one in made(naicsCodes=given).naics_codes] == codes


def test_social_links_are_complete_addresses():
    links = made(
        socialLinks={
            "linkedin": "https://www.linkedin.com/school/mit/",
            "facebook": "facebook.com/acme",
            "x": "@acme",
            "instagram": ["https://instagram.com/acme", "https://instagram.com/acme"],
            "youtube": "youtube.com/@acme",
            "tiktok": "acme",
        }
    ).social_links
    assert links == CompanyLinks(
        linkedin="https://www.linkedin.com/company/mit",
        facebook="https://facebook.com/acme",
        x="https://x.com/acme",
        instagram=["https://instagram.com/acme"],
        youtube=["https://youtube.com/@acme"],
        tiktok=["https://www.tiktok.com/@acme"],
    )


def test_funding_has_its_days_in_the_form_of_the_api():
    funding = made(
        funding={
            "rounds": [
                {
                    "currency": "usd",
                    "roundAmount": "1,500,000",
                    "roundType": "seed",
                    "roundDate": "2020-03-09",
                    "name": "angel",
                    "investors": ["A", "B"],
                },
                {"roundDate": "January 5, 2021"},
                {"roundDate": "no day"},
            ],
            "totalRounds": 2,
            "totalRoundsAmount": 1.5e6,
            "isIpo": False,
            "lastRoundDate": "Jan 5, 2021",
        }
    ).funding
    assert funding == Funding(
        rounds=[
            FundingRound(
                currency="USD",
                round_amount=1.5e6,
                round_type="seed",
                round_date="Mar 9, 2020",
                name="angel",
                investors=["A", "B"],
            ),
            FundingRound(round_date="Jan 5, 2021"),
        ],
        total_rounds=2,
        total_rounds_amount=1.5e6,
        is_ipo=False,
        last_round_date="Jan 5, 2021",
    )


def test_owners_keep_their_stated_roles():
    record = made(
        name="Acme",
        parents=[{"name": "Middle", "domain": "middle.example.com", "hqCountry": "Germany"}, None, "Acme"],
        directParent={"name": "Middle AG", "domain": "www.middle.example.com"},
        ultimateParent="Top Inc",
    )
    assert record.parents == [CompanyRef(name="Middle", domain="middle.example.com", country_iso2="DE")]
    assert record.direct_parent == CompanyRef(name="Middle AG", domain="middle.example.com")
    assert record.ultimate_parent == CompanyRef(name="Top Inc")
    assert made(name="Acme", directParent="Acme", ultimateParent=None).direct_parent is None


def test_funding_rounds_of_one_row_stay_separate_despite_equal_values():
    seed = {"roundType": "Seed", "roundDate": "2024-01-05", "roundAmount": 1e6}
    rounds = [seed | {"investors": ["One"]}, seed | {"investors": ["Two"]}, {}]
    result = made(name="Acme", funding={"rounds": rounds}).funding.rounds
    assert [one.investors for one in result] == [["One"], ["Two"]]


def test_competitors_are_named_companies():
    record = made(competitors=[{"name": "B", "domain": "b.example.com"}, "C Ltd", "C Limited", "", None])
    assert record.competitors == [CompanyRef(name="B", domain="b.example.com"), CompanyRef(name="C Ltd")]


def test_figures_for_reveal_tokens_are_typed():
    record = made(
        employeesByDepartment=[{"department": "sales", "count": "12"}, {"department": "x", "count": -1}],
        employeesByLocation=[{"country": "US", "state": "Texas", "count": 3}, {"count": 3}],
        employeesBySeniority=[{"seniority": 9, "count": 2}],
        estimatedAnnualItSpend={"value": 1000},
        monthlyWebsiteTraffic={"visits": "5,000", "momChangePercent": -2.5, "month": "2025-05"},
        openJobs={"total": 7, "byDepartment": [{"department": "Sales", "count": 7}]},
        intent={
            "detectedTopics": [
                {"topicName": "CRM", "metadata": {"topicScore": 80, "topicTrend": "+24"}},
                {"topicName": " "},
                {"topicName": "crm"},
            ]
        },
    )
    assert record.employees_by_department == [DepartmentCount(department="Sales", count=12)]
    assert record.employees_by_location == [LocationCount(country="United States", state="Texas", count=3)]
    assert record.employees_by_seniority == [SeniorityCount(seniority="C-Suite", count=2)]
    assert record.estimated_annual_it_spend == ItSpend(value=1000, currency="USD", value_usd=1000)
    assert record.monthly_website_traffic == Traffic(visits=5000, mom_change_percent=-2.5, month="2025-05")
    assert record.open_jobs == OpenJobs(total=7, by_department=[DepartmentCount(department="Sales", count=7)])
    assert record.intent == {
        "detectedTopics": [{"topicName": "CRM", "metadata": {"topicScore": 80, "topicTrend": "+24"}}],
        "topicCount": 1,
    }


@pytest.mark.parametrize(
    "fields",
    [
        {"employeeCount": "lots"},
        {"revenueRange": {"min": "x"}},
        {"yearFounded": 12},
        {"funding": {"rounds": [{}]}},
        {"openJobs": {}},
        {"intent": {}},
        {"estimatedAnnualItSpend": {"currency": "USD"}},
        {"monthlyWebsiteTraffic": {"month": "2025-05"}},
        {"socialLinks": {"facebook": "", "instagram": []}},
        {"companyType": "Cult"},
        {"domain": "not a domain"},
    ],
)
def test_unreadable_values_are_absent(fields):
    assert made(**fields) == Company()


def test_a_stock_symbol_may_be_written_under_a_key_of_its_own():
    row = CompanyInput(name="Acme", stock_symbols=["ACM"], stock_symbol="NYSE:ACM; acm")
    assert normalise_company(row).stock_symbols == ["ACM", "NYSE:ACM"]
