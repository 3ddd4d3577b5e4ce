"""Attributes of records: what they hold, and what they never hold."""

import pytest

from firmograph.directory.records import (
    Code,
    Company,
    CompanyLinks,
    CompanyRef,
    Contact,
    Count,
    Email,
    Funding,
    Industry,
    JobTitle,
    Location,
    Revenue,
    SocialLinks,
)
from firmograph.lookalikes.model.attributes import company_attributes, contact_attributes

pytestmark = pytest.mark.no_database

COMPANY = Company(
    name="Quux Robotics GmbH",
    domain="quux-robotics.example.com",
    description="We build welding robots for the car industry. Write to jane.quux@example.com or www.quux.example.com!",
    industry="Manufacturing",
    sub_industry="Industrial Machinery",
    additional_industries=[Industry(industry="Technology")],
    company_type="Private Company",
    employee_count=Count(exact=120, min=51, max=200),
    revenue_range=Revenue(min=10_000_001, max=50_000_000),
    year_founded=2013,
    location=Location(country="Germany", country_iso2="DE", state="Bavaria", city="München"),
    technologies=["C++", "Kubernetes"],
    keywords=["welding robots", "sales@quux.example.com"],
    sic_codes=[Code(code=3569)],
    naics_codes=[Code(code=333248)],
    funding=Funding(last_round_type="Series A", is_ipo=False),
    social_links=CompanyLinks(linkedin="https://www.linkedin.com/company/quux-robotics-gmbh"),
)
CONTACT = Contact(
    first_name="Zaphod",
    last_name="Quux",
    full_name="Zaphod Quux",
    job_title=JobTitle(title="VP of Sales", departments=["Sales"], seniority="Vice President"),
    location=Location(country="Germany", country_iso2="DE", city="München"),
    emails=[Email(email="zaphod@quux.example.com")],
    social_links=SocialLinks(linkedin="https://www.linkedin.com/in/zaphod-quux"),
    company=CompanyRef(name="Quux Robotics GmbH", domain="quux-robotics.example.com"),
)


def test_a_company_has_attributes_of_every_kind():
    assert company_attributes(COMPANY) == [
        "city:DE/munchen",
        "country:DE",
        "founded:2010-2014",
        "funding:series a",
        "industry:manufacturing",
        "industry:technology",
        "keyword:welding robots",
        "naics:333",
        "naics:333248",
        "revenue:10000001-50000000",
        "sic:35",
        "sic:3569",
        "size:51-200",
        "state:DE/bavaria",
        "sub_industry:manufacturing/industrial machinery",
        "technology:c plus plus",
        "technology:kubernetes",
        "type:private company",
        "word:build",
        "word:car",
        "word:industry",
        "word:quux",
        "word:robotics",
        "word:robots",
        "word:welding",
        "word:write",
    ]


def test_a_contact_has_those_of_title_and_place_with_synonyms_as_one():
    assert contact_attributes(CONTACT) == [
        "city:DE/munchen",
        "country:DE",
        "department:sales",
        "seniority:vice president",
        "title:president",
        "title:sales",
        "title:vice",
    ]


def test_no_attribute_is_an_address_a_link_or_a_name_of_a_person():
    text = "\n".join(company_attributes(COMPANY) + contact_attributes(CONTACT))
    for part in ("@", "example", "linkedin", "zaphod", "jane", "quux-robotics", "quuxrobotics", "gmbh"):
        assert part not in text


def test_the_name_is_an_attribute_only_in_its_words():
    assert company_attributes(Company(name="The Blue Heron Company Ltd", domain="heron.example.com")) == [
        "word:blue",
        "word:heron",
    ]


def test_a_record_without_values_has_no_attributes():
    assert (company_attributes(Company()), contact_attributes(Contact())) == ([], [])


@pytest.mark.parametrize(
    ("size", "band"),
    [
        (Count(exact=10), "1-10"),
        (Count(min=11, max=200), "11-50"),
        (Count(max=30), "11-50"),
        (Count(min=200_000), "100001+"),
    ],
)
def test_a_size_is_that_of_its_exact_figure_or_of_its_lower_end(size, band):
    assert company_attributes(Company(employee_count=size)) == [f"size:{band}"]
