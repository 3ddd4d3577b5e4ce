import math

import pytest

from firmograph.directory.records import (
    Code,
    Company,
    CompanyLinks,
    Count,
    Funding,
    FundingRound,
    Industry,
    Location,
    Revenue,
)
from firmograph.prospecting.engines import fields
from firmograph.prospecting.indexing.company_entry import company_entry
from firmograph.prospecting.indexing.completeness import company_points

pytestmark = pytest.mark.no_database

HEADQUARTERS = Location(
    country="Germany",
    country_iso2="DE",
    state="Bavaria",
    state_code="BY",
    city="Munich",
    zip_code="80331",
    continent="Europe",
)
FULL = Company(
    name="Acme GmbH",
    alternative_name="Acme",
    alternative_names=["Acme", "ACM"],
    domain="acme-labs.test",
    alternative_domains=["acme.test"],
    description="We make the best anvils. Anvils of steel.",
    company_type="Private Company",
    year_founded=1999,
    employee_count=Count(exact=60, min=51, max=200),
    industry="Finance",
    sub_industry="Other",
    additional_industries=[Industry("Utilities", "Utilities")],
    specialities=["Anvils"],
    specialities_refactored=["Anvils", "Forging"],
    industry_tags=["Steel"],
    keywords=["heavy things"],
    sic_codes=[Code(111)],
    naics_codes=[Code(541511)],
    location=HEADQUARTERS,
    additional_locations=[Location(country_iso2="GB", city="London", zip_code="sw1a 1aa")],
    revenue_range=Revenue(min=1e6, max=5e6),
    funding=Funding(
        rounds=[FundingRound("USD", 2e6, "Series A", "Mar 5, 2020", "Venture Round", ["Example Capital"])],
        is_ipo=False,
    ),
    technologies=["C++"],
    business_model=["B2B", "B2G"],
    intent={
        "detectedTopics": [
            {"topicName": "Cloud Security", "metadata": {"topicScore": 72.6}},
            {"topicName": "CRM", "metadata": {}},
        ],
        "topicCount": 4,
    },
    update_date="2024-01-02",
)


def terms(record, field):
    return [value for name, value in company_entry(5, record).terms if name == field]


def figures(record, field):
    return [(low, high) for name, low, high in company_entry(5, record).figures if name == field]


def test_a_full_record_fills_every_field_except_partial():
    entry = company_entry(5, FULL, {"riskNews": "2026-01-31"})
    filled = {name for name, _ in entry.terms} | {name for name, _, _ in entry.figures}
    everything = fields.COMPANY_TERMS | fields.COMPANY_TEXTS | fields.COMPANY_FIGURES
    assert filled == everything - {fields.PARTIAL}


def test_an_entry_has_the_sort_position_of_its_record():
    assert company_entry(5, FULL)[:4] == (5, None, company_points(FULL), 19_724)


@pytest.mark.parametrize(
    ("record", "partial"),
    [
        (Company(name="Acme"), True),
        (Company(name="Acme", domain="acme.test", stub=True), True),
        (Company(name="Acme", domain="acme.test"), False),
        (Company(social_links=CompanyLinks(linkedin="https://www.linkedin.com/company/acme")), False),
    ],
)
def test_a_company_without_identification_is_partial(record, partial):
    assert terms(record, fields.PARTIAL) == (["1"] if partial else [])


def test_names_are_all_known_names_once_each():
    assert terms(FULL, fields.COMPANY_NAME) == ["Acme GmbH", "Acme", "ACM"]


def test_domains_are_indexed_whole_and_as_words():
    assert {"acme-labs.test", "acme.test", "acme", "labs", "test"} == set(terms(FULL, fields.DOMAIN_WORD))


def test_texts_are_indexed_as_words_and_lists_as_shown():
    assert terms(FULL, fields.DESCRIPTION) == ["we", "make", "best", "anvils", "steel"]
    assert terms(FULL, fields.SPECIALITY) == ["Anvils", "Forging"]
    assert terms(FULL, fields.KEYWORD) == ["heavy things"]
    assert terms(FULL, fields.INDUSTRY_TAG) == ["Steel"]
    assert terms(FULL, fields.TECHNOLOGY) == ["C++"]


def test_industries_are_ids_and_the_same_label_elsewhere_is_different():
    assert terms(FULL, fields.MAIN_INDUSTRY) == ["9", "19"]
    assert terms(FULL, fields.SUB_INDUSTRY) == ["797", "136"]
    assert terms(Company(industry="Construction", sub_industry="Other"), fields.SUB_INDUSTRY) == ["791"]
    assert terms(Company(industry="Alchemy"), fields.MAIN_INDUSTRY) == []


def test_codes_have_their_digits():
    assert terms(FULL, fields.SIC) == ["0111"]
    assert terms(FULL, fields.NAICS) == ["541511"]


def test_locations_are_of_the_headquarters_and_postcodes_of_every_office():
    assert terms(FULL, fields.COUNTRY) == ["DE"]
    assert terms(FULL, fields.STATE) == ["DE-BY"]
    assert terms(FULL, fields.PLACE) == ["Munich|Bavaria|DE"]
    assert terms(FULL, fields.ZIP) == ["DE:80331"]
    assert terms(FULL, fields.OFFICE_ZIP) == ["DE:80331", "GB:SW1A1AA"]


def test_offices_give_no_position():
    record = Company(additional_locations=[Location(country_iso2="GB", city="London")])
    assert company_entry(1, record).position is None
    latitude, longitude = company_entry(1, FULL).position
    assert (round(latitude), round(longitude)) == (48, 12)


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (Count(exact=60, min=51, max=200), [(60, 60)]),
        (Count(min=51, max=200), [(51, 200)]),
        (Count(min=51), [(51, math.inf)]),
        (None, []),
    ],
)
def test_an_exact_size_takes_precedence_over_its_band(count, expected):
    assert figures(Company(employee_count=count), fields.SIZE) == expected


def test_an_open_revenue_has_no_end():
    assert figures(Company(revenue_range=Revenue(min=1e9)), fields.REVENUE) == [(1e9, math.inf)]
    assert figures(FULL, fields.REVENUE) == [(1e6, 5e6)]


def test_intent_has_topics_scores_and_their_count():
    assert terms(FULL, fields.INTENT_TOPIC) == ["Cloud Security", "CRM"]
    assert terms(FULL, fields.INTENT_SCORE) == ["cloud security|73", "|73"]
    assert figures(FULL, fields.TOPIC_COUNT) == [(4, 4)]


def test_kinds_of_company_are_terms():
    assert terms(FULL, fields.COMPANY_TYPE) == ["Private Company"]
    assert terms(FULL, fields.BUSINESS_MODEL) == ["B2B", "B2G"]
    assert figures(FULL, fields.FOUNDED) == [(1999, 1999)]
