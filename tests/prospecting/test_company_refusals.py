import pytest
from filter_requests import company_refusals

pytestmark = pytest.mark.no_database

COVERAGES = "any_round, last_funding, last_round"


@pytest.mark.parametrize(
    ("filters", "problem"),
    [
        ({"domains": ["nodots"]}, "domains.0 must be a domain such as example.com"),
        (
            {"previousCompanyDomains": ["nodots"]},
            "previousCompanyDomains.0 must be a domain such as example.com",
        ),
        (
            {"linkedinUrls": ["acme"]},
            "linkedinUrls.0 must be the LinkedIn URL of a company, such as linkedin.com/company/acme",
        ),
        (
            {"linkedinUrls": ["linkedin.com/in/jane"]},
            "linkedinUrls.0 must be the LinkedIn URL of a company, such as linkedin.com/company/acme",
        ),
        ({"ids": ["?"]}, "ids.0 must be a record id: `v` and a version, a point and opaque text, or digits"),
        ({"sizes": [{}, {"min": 2, "max": 1}]}, "sizes.1.min must not be above max"),
        ({"revenues": [{"min": 2, "max": 1}]}, "revenues.0.min must not be above max"),
        ({"foundedYear": [{"min": 2, "max": 1}]}, "foundedYear.0.min must not be above max"),
        ({"topicCountThreshold": [{"min": 2, "max": 1}]}, "topicCountThreshold.0.min must not be above max"),
        ({"funding": {"ranges": [{"min": 2, "max": 1}]}}, "funding.ranges.0.min must not be above max"),
        ({"technologiesCondition": "xor"}, "technologiesCondition must be one of: or, and"),
        ({"intentTopicsOperator": "xor"}, "intentTopicsOperator must be one of: or, and, any, all"),
        (
            {"intentTopicsCondition": "and", "intentTopicsOperator": "any"},
            "intentTopicsOperator must not disagree with intentTopicsCondition",
        ),
        ({"intentMinScore": 2, "intentMaxScore": 1}, "intentMinScore must not be above intentMaxScore"),
        (
            {"intentTopics": ["x"] * 1001, "intentMinScore": 1},
            "intentTopics must have at most 1000 elements when the score is bounded",
        ),
        (
            {"keywordsSearchFields": ["title"]},
            "keywordsSearchFields.0 must be one of: name, description, specialities, keywords, industryTags",
        ),
        ({"businessModel": ["B2X"]}, "businessModel.0 must be one of: B2B, B2C, B2G"),
        (
            {"companyType": ["Private"]},
            "companyType.0 must be one of: Government, Private Company, Public Company, Educational, Non Profit,"
            " Self Employed",
        ),
        (
            {"industriesLabels": ["Software"]},
            "industriesLabels.0 must be a known value; the nearest are: Software Development,"
            " Warehousing & Storage, Real Estate Agencies",
        ),
        ({"sicCodes": ["73xx"]}, "sicCodes.0 must be up to four digits, such as 7372 or 73"),
        ({"sicsCodes": ["73721"]}, "sicsCodes.0 must be up to four digits, such as 7372 or 73"),
        (
            {"sicCodes": ["7372"], "sicsCodes": ["73"]},
            "sicsCodes must not be given twice: it is also in sicCodes",
        ),
        ({"naicsCodes": ["33-31"]}, "naicsCodes.0 must be up to six digits, or sectors such as 31-33"),
        ({"naicsCodes": ["٣١"]}, "naicsCodes.0 must be up to six digits, or sectors such as 31-33"),
        (
            {"funding": {"ranges": [{"coverage": "all", "min": 1}]}},
            "funding.ranges.0.coverage must be one of: last_funding, any_round, total_funds, last_round",
        ),
        (
            {"funding": {"date": {"coverage": "total_funds", "date": "2020-01-01"}}},
            f"funding.date.coverage must be one of: {COVERAGES}",
        ),
        (
            {"funding": {"date": {"date": "2020-13-01"}}},
            "funding.date.date must be a date that exists, YYYY-MM-DD",
        ),
        (
            {"funding": {"rounds": [{"round": "series_z"}]}},
            "funding.rounds.0.round must be a known value; the nearest are: series_a, series_b, series_c",
        ),
        (
            {"funding": {"names": [{"name": "vc"}]}},
            "funding.names.0.name must be one of: angel, venture, private_equity, crowdfunding, grant,"
            " debt_financing, other",
        ),
        (
            {"signals": {"types": ["headcountIncrease"]}},
            "signals.types.0 must be a known value; the nearest are: headcountIncrease1m, headcountIncrease3m,"
            " headcountIncrease6m",
        ),
        ({"signals": {"filterByIntentCategory": ["Tech"]}}, "signals.types must have at least 1 element"),
        (
            {
                "signals": {
                    "types": ["riskNews"],
                    "filterByLocation": [{"country": "US", "startDate": "2026-00-01"}],
                }
            },
            "signals.filterByLocation.0.startDate must be a date that exists, YYYY-MM-DD",
        ),
        (
            {
                "signals": {
                    "types": ["surgeInHiringByDepartment"],
                    "filterByDepartment": [{"department": "Sales", "startDate": "2027-01-01"}],
                }
            },
            "signals.filterByDepartment.0.startDate must not be in the future; today is 2026-09-21 in UTC",
        ),
        (
            {"signals": {"types": ["riskNews"], "filterByDepartment": [{"department": "Sale"}]}},
            "signals.filterByDepartment.0.department must be a known value; the nearest are: Sales,"
            " Engineering & Technical, Health Care & Medical",
        ),
        (
            {"locationsZipcodes": [{"countryIso2": "UK", "zipcode": "SW1A 1AA"}]},
            "locationsZipcodes.0.countryIso2 must be a two-letter country code; the nearest is GB",
        ),
    ],
)
@pytest.mark.parametrize("side", ["include", "exclude"])
def test_an_invalid_value_is_refused_with_its_path(filters, problem, side):
    path = f"filters.companies.{side}"
    expected = f"{path}.{problem}".replace("also in ", f"also in {path}.")
    assert company_refusals({"filters": {"companies": {side: {"names": ["Acme"], **filters}}}}) == [expected]


def test_hundreds_of_separate_ranges_are_refused() -> None:
    ranges = [{"min": low, "max": low} for low in range(201)]
    criteria = {"sizes": ranges, "funding": {"ranges": ranges}}

    assert company_refusals({"filters": {"companies": {"include": criteria}}}) == [
        f"filters.companies.include.{path} must have at most 200 elements that do not overlap"
        for path in ("sizes", "funding.ranges")
    ]
