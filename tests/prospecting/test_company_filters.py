import pytest
from filter_requests import companies, company_query, company_refusals, contact_query

from firmograph.prospecting.criteria import (
    NOBODY,
    All,
    Any,
    Between,
    Criterion,
    Employer,
    Employs,
    Numbers,
    PastEmployer,
    Prefix,
    Signal,
    Term,
    Words,
)

FILTERS: dict[str, tuple[object, Criterion]] = {
    "names": (
        ["Acme Inc.", "Umbrella"],
        Any((Words("company_name", ("acme",)), Words("company_name", ("umbrella",)))),
    ),
    "domains": (["https://www.ACME.test/about", "nobody.test"], Numbers(frozenset({7}))),
    "ids": (["v1.acme"], Numbers(frozenset({7}))),
    "linkedinUrls": (["linkedin.com/company/acme/"], Numbers(frozenset({7}))),
    "keywords": (
        ["cloud CRM"],
        Any(
            tuple(
                Words(field, ("cloud", "crm"))
                for field in ("company_name", "description", "speciality", "keyword", "industry_tag")
            )
        ),
    ),
    "exactKeywords": (["Cloud CRM"], Term("keyword", "cloud crm")),
    "specialities": (["Cloud CRM"], Words("speciality", ("cloud", "crm"))),
    "exactSpecialities": (["C++"], Term("speciality", "c plus plus")),
    "locations": ([{"countryIso2": "de"}], Term("country", "DE")),
    "sizes": (
        [{"min": 51, "max": 200}, {"min": 100_001}],
        Any((Between("size", 51, 200), Between("size", 100_001))),
    ),
    "revenues": ([{"max": 1e6}], Between("revenue", high=1e6)),
    "technologies": (["React", "Node.js"], Any((Term("technology", "react"), Term("technology", "node js")))),
    "industriesLabels": (
        ["Finance", "banking"],
        Any((Term("main_industry", "9"), Term("sub_industry", "42"))),
    ),
    "mainIndustriesIds": ([9, 999], Any((Term("main_industry", "9"), Term("main_industry", "999")))),
    "subIndustriesIds": ([42], Term("sub_industry", "42")),
    "intentTopics": (["Cloud", "CRM"], Any((Term("intent_topic", "cloud"), Term("intent_topic", "crm")))),
    "intentMinScore": (99, Any((Term("intent_score", "|99"), Term("intent_score", "|100")))),
    "intentMaxScore": (2, Any((Term("intent_score", "|1"), Term("intent_score", "|2")))),
    "topicCountThreshold": ([{"min": 3}], Between("topic_count", 3)),
    "sicCodes": (
        ["7372", "73", "011"],
        Any((Prefix("sic", "7372"), Prefix("sic", "73"), Prefix("sic", "011"))),
    ),
    "sicsCodes": (["7372"], Prefix("sic", "7372")),
    "naicsCodes": (
        ["5415", "31-33"],
        Any((Prefix("naics", "5415"), Prefix("naics", "31"), Prefix("naics", "32"), Prefix("naics", "33"))),
    ),
    "foundedYear": ([{"min": 1999, "max": 1999}], Between("founded", 1999, 1999)),
    "businessModel": (["b2b"], Term("business_model", "B2B")),
    "companyType": (["Non Profit"], Term("company_type", "Non Profit")),
    "locationsZipcodes": ([{"countryIso2": "gb", "zipcode": "sw1a 1aa"}], Term("office_zip", "GB:SW1A1AA")),
    "headquarterZipcodes": ([{"countryIso2": "US", "zipcode": "94107"}], Term("zip", "US:94107")),
    "searchText": (
        "banking",
        Any(
            (
                Words("company_name", ("banking",)),
                Term("domain_word", "banking"),
                Words("description", ("banking",)),
                Words("keyword", ("banking",)),
                Term("sub_industry", "42"),
            )
        ),
    ),
    "signals": (
        {
            "types": ["surgeInHiringByLocation", "surgeInHiringByDepartment", "linkedinActivityIntent"],
            "startDate": "2030-01-01",
            "filterByLocation": [
                {"country": "Germany", "state": "Bayern", "startDate": "2026-01-02"},
                {"country": "Atlantis", "state": "North"},
                {"country": "US"},
            ],
            "filterByDepartment": [
                {"department": "sales"},
                {"department": "Legal", "startDate": "2026-01-01"},
            ],
            "filterByIntentCategory": ["Technology"],
        },
        Signal(
            ("surgeInHiringByLocation", "surgeInHiringByDepartment", "linkedinActivityIntent"),
            "2030-01-01",
            (("DE", "BY", "2026-01-02"), ("atlantis", "north", None), ("US", None, None)),
            (("Sales", None), ("Legal", "2026-01-01")),
            ("Technology",),
        ),
    ),
}
FUNDING: dict[str, tuple[object, Criterion]] = {
    "isIpo": (False, Term("is_ipo", "0")),
    "ranges": (
        [
            {"coverage": "last_funding", "min": 1},
            {"coverage": "last_round", "min": 2},
            {"coverage": "total_funds", "max": 3},
            {"min": 4, "max": 5},
        ],
        Any(
            (
                Between("funding_last", 1),
                Between("funding_last", 2),
                Between("funding_total", high=3),
                Between("funding_any", 4, 5),
            )
        ),
    ),
    "date": ({"coverage": "last_funding", "date": "1970-01-02"}, Between("funding_last_day", 1)),
    "rounds": (
        [{"coverage": "last_round", "round": "series_a"}, {"round": "Seed"}],
        Any((Term("round", "last_round|series_a"), Term("round", "any_round|seed"))),
    ),
    "names": ([{"coverage": "last_funding", "name": "venture"}], Term("round_name", "last_round|venture")),
    "investors": (["Sequoia Capital"], Words("investor", ("sequoia", "capital"))),
    "types": (["Series A"], Term("funding_type", "series a")),
}
PAST: dict[str, tuple[object, Criterion]] = {
    "previousCompanyNames": (
        ["Acme Inc."],
        Any((Words("past_name", ("acme",)), PastEmployer(Words("company_name", ("acme",))))),
    ),
    "previousCompanyDomains": (
        ["www.acme.test", "nobody.test"],
        Any(
            (
                Term("past_domain", "acme.test"),
                Term("past_domain", "nobody.test"),
                PastEmployer(Numbers(frozenset({7}))),
            )
        ),
    ),
}


@pytest.mark.parametrize("name", FILTERS)
def test_an_included_filter_is_what_a_company_must_meet(name):
    value, criterion = FILTERS[name]
    query = companies(include={name: value})
    assert (query.where, query.excluded) == (criterion, ())


@pytest.mark.parametrize("name", FILTERS)
def test_an_excluded_filter_leaves_out_every_company_that_meets_it(name):
    value, criterion = FILTERS[name]
    query = companies(exclude={name: value})
    assert (query.where, query.excluded) == (All(()), (criterion,))


@pytest.mark.parametrize("name", FILTERS)
def test_a_company_filter_asks_a_contact_for_its_employer(name):
    value, criterion = FILTERS[name]
    sides = {"include": {name: value}, "exclude": {name: value}}
    query = contact_query({"filters": {"companies": sides}})
    assert (query.where, query.excluded) == (Employer(criterion), (Employer(criterion),))


@pytest.mark.parametrize("name", FUNDING)
def test_each_part_of_funding_is_a_filter(name):
    value, criterion = FUNDING[name]
    sides = {"include": {"funding": {name: value}}, "exclude": {"funding": {name: value}}}
    query = companies(**sides)
    assert (query.where, query.excluded) == (criterion, (criterion,))
    query = contact_query({"filters": {"companies": sides}})
    assert (query.where, query.excluded) == (Employer(criterion), (Employer(criterion),))


def test_parts_of_funding_hold_together_and_exclude_apart():
    funding = {"isIpo": True, "types": ["Seed"]}
    parts = (Term("is_ipo", "1"), Term("funding_type", "seed"))
    assert companies(include={"funding": funding}).where == All(parts)
    assert companies(exclude={"funding": funding}).excluded == parts


@pytest.mark.parametrize("name", PAST)
def test_a_former_company_is_asked_of_the_contact_itself(name):
    value, criterion = PAST[name]
    sides = {"include": {name: value}, "exclude": {name: value}}
    query = contact_query({"filters": {"companies": sides}})
    assert (query.where, query.excluded) == (criterion, (criterion,))


@pytest.mark.parametrize("name", PAST)
def test_a_former_company_is_asked_of_some_contact_of_a_company(name):
    value, criterion = PAST[name]
    query = companies(include={name: value}, exclude={name: value})
    assert (query.where, query.excluded) == (Employs(criterion), (Employs(criterion),))


def test_keywords_look_only_where_they_are_told_to():
    asked = {"keywords": ["crm"], "keywordsSearchFields": ["description", "industryTags"]}
    assert companies(include=asked).where == Any(
        (Words("description", ("crm",)), Words("industry_tag", ("crm",)))
    )


@pytest.mark.parametrize("field", ["technologies", "intentTopics"])
def test_all_values_may_be_asked_for(field):
    inside = {"technologies": "technology", "intentTopics": "intent_topic"}[field]
    asked = {field: ["a", "b"], f"{field}Condition": "and"}
    both = All((Term(inside, "a"), Term(inside, "b")))
    assert companies(include=asked).where == both
    assert companies(exclude=asked).excluded == (both,)


@pytest.mark.parametrize(
    ("condition", "operator", "kind"),
    [
        (None, "any", Any),
        (None, "or", Any),
        (None, "all", All),
        (None, "and", All),
        ("and", "all", All),
        ("or", "any", Any),
    ],
)
def test_either_intent_key_says_whether_all_topics_count(condition, operator, kind):
    asked = {"intentTopics": ["a", "b"], "intentTopicsOperator": operator}
    if condition:
        asked["intentTopicsCondition"] = condition
    topics = (Term("intent_topic", "a"), Term("intent_topic", "b"))
    assert companies(include=asked).where == kind(topics)


def test_bounds_of_the_score_bind_with_each_topic():
    asked = {
        "intentTopics": ["A", "b"],
        "intentTopicsCondition": "and",
        "intentMinScore": 41,
        "intentMaxScore": 42,
    }
    assert companies(include=asked).where == All(
        tuple(
            Any((Term("intent_score", f"{topic}|41"), Term("intent_score", f"{topic}|42")))
            for topic in ("a", "b")
        )
    )


def test_all_signals_are_every_type_there_is_but_themselves():
    where = companies(include={"signals": {"types": ["allSignals"]}}).where
    assert isinstance(where, Signal)
    assert (len(where.types), "allSignals" in where.types) == (23, False)


def test_intent_categories_act_only_with_the_signal_that_has_them():
    for types, shown in (
        (["riskNews"], ()),
        (["allSignals"], ("Tech",)),
        (["linkedinActivityIntent"], ("Tech",)),
    ):
        nested = companies(include={"signals": {"types": types, "filterByIntentCategory": ["Tech"]}}).where
        beside = company_query(
            {
                "filters": {"companies": {"include": {"signals": {"types": types}}}},
                "filterByIntentCategory": ["Tech"],
            }
        ).where
        assert isinstance(nested, Signal)
        assert nested.intent_categories == shown
        assert beside == nested


def test_a_code_of_three_digits_may_have_lost_its_first():
    assert companies(include={"sicCodes": ["111"]}).where == Any((Prefix("sic", "111"), Term("sic", "0111")))


def test_a_label_that_several_industries_have_means_all_of_them():
    where = companies(include={"industriesLabels": ["Utilities"]}).where
    assert where == Any((Term("main_industry", "19"), Term("sub_industry", "136")))


def test_a_search_text_is_every_word_somewhere():
    where = companies(include={"searchText": "Zug banking"}).where
    assert isinstance(where, All)
    assert [one.criteria[0] for one in where.criteria] == [
        Words("company_name", ("zug",)),
        Words("company_name", ("banking",)),
    ]


def test_a_search_text_may_be_a_company_s_name_with_its_legal_form():
    where = companies(include={"searchText": "Acme Inc"}).where
    assert isinstance(where, Any)
    assert where.criteria[1] == Words("company_name", ("acme",))


@pytest.mark.parametrize(
    "name",
    ["names", "keywords", "specialities", "exactKeywords", "technologies", "intentTopics", "searchText"],
)
def test_a_value_without_a_word_matches_nothing(name):
    value = [" "] if name != "searchText" else "?!"
    assert companies(include={name: value}).where == NOBODY


ROUNDS = "pre_seed, seed, series_a"
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
            "intentTopics must have at most 1000 elements beside bounds of the score",
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
            "sicsCodes must not be given twice: it stands in sicCodes too",
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
def test_a_value_that_cannot_be_is_refused_with_its_path(filters, problem, side):
    path = f"filters.companies.{side}"
    expected = f"{path}.{problem}".replace("stands in ", f"stands in {path}.")
    assert company_refusals({"filters": {"companies": {side: {"names": ["Acme"], **filters}}}}) == [expected]


def test_thousands_of_ranges_that_overlap_are_asked_for_as_one() -> None:
    steps = [{"min": low, "max": low + 50} for low in range(100, 9_000)]
    ends = [{"max": 5}, {"min": 9_000}]

    assert companies(include={"sizes": steps}) == companies(include={"sizes": [{"min": 100, "max": 9_049}]})
    assert companies(include={"sizes": steps + ends}) == companies(
        include={"sizes": [{"max": 5}, {"min": 100}]}
    )


def test_hundreds_of_ranges_apart_are_refused() -> None:
    apart = [{"min": low, "max": low} for low in range(201)]
    asked = {"sizes": apart, "funding": {"ranges": apart}}

    assert company_refusals({"filters": {"companies": {"include": asked}}}) == [
        f"filters.companies.include.{path} must have at most 200 elements that do not overlap"
        for path in ("sizes", "funding.ranges")
    ]
