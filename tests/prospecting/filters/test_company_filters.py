import pytest
from filter_requests import companies, company_query, contact_query, signal_on_test_day

from firmograph.prospecting.engines.query import (
    NO_RECORD,
    All,
    Any,
    Between,
    Criterion,
    EmployedBy,
    Employs,
    FormerlyEmployedBy,
    HasSignal,
    Prefix,
    RecordNumbers,
    Term,
    Words,
)

pytestmark = pytest.mark.no_database

FILTERS: dict[str, tuple[object, Criterion]] = {
    "names": (
        ["Acme Inc.", "Umbrella"],
        Any((Words("company_name", ("acme",)), Words("company_name", ("umbrella",)))),
    ),
    "domains": (["https://www.ACME.test/about", "nobody.test"], RecordNumbers(frozenset({7}))),
    "ids": (["v1.acme"], RecordNumbers(frozenset({7}))),
    "linkedinUrls": (["linkedin.com/company/acme/"], RecordNumbers(frozenset({7}))),
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
    "countries": (["us", "Germany", "Nowhere"], Any((Term("country", "US"), Term("country", "DE")))),
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
    "sicsCodes": ([7372], Prefix("sic", "7372")),
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
            "startDate": "2026-02-01",
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
        HasSignal(
            (
                signal_on_test_day("linkedinActivityIntent", "technology", "2026-06-23"),
                signal_on_test_day("surgeInHiringByDepartment", "sales", "2026-02-01"),
                signal_on_test_day("surgeInHiringByDepartment", "legal", "2026-01-01"),
                signal_on_test_day("surgeInHiringByLocation", "de|by", "2026-01-02"),
                signal_on_test_day("surgeInHiringByLocation", "atlantis|north", "2026-02-01"),
                signal_on_test_day("surgeInHiringByLocation", "us", "2026-02-01"),
            )
        ),
    ),
}
PAST: dict[str, tuple[object, Criterion]] = {
    "previousCompanyNames": (
        ["Acme Inc."],
        Any((Words("past_name", ("acme",)), FormerlyEmployedBy(Words("company_name", ("acme",))))),
    ),
    "previousCompanyDomains": (
        ["www.acme.test", "nobody.test"],
        Any(
            (
                Term("past_domain", "acme.test"),
                Term("past_domain", "nobody.test"),
                FormerlyEmployedBy(RecordNumbers(frozenset({7}))),
            )
        ),
    ),
}


@pytest.mark.parametrize("name", FILTERS)
def test_an_included_filter_is_a_condition_on_the_company(name):
    value, criterion = FILTERS[name]
    query = companies(include={name: value})
    assert (query.where, query.excluded) == (criterion, ())


@pytest.mark.parametrize("name", FILTERS)
def test_an_excluded_filter_leaves_out_every_matching_company(name):
    value, criterion = FILTERS[name]
    query = companies(exclude={name: value})
    assert (query.where, query.excluded) == (All(()), (criterion,))


@pytest.mark.parametrize("name", FILTERS)
def test_a_company_filter_of_contacts_applies_to_the_employer(name):
    value, criterion = FILTERS[name]
    sides = {"include": {name: value}, "exclude": {name: value}}
    query = contact_query({"filters": {"companies": sides}})
    assert (query.where, query.excluded) == (EmployedBy(criterion), (EmployedBy(criterion),))


@pytest.mark.parametrize("name", PAST)
def test_a_former_company_filter_of_contacts_applies_to_the_contact_itself(name):
    value, criterion = PAST[name]
    sides = {"include": {name: value}, "exclude": {name: value}}
    query = contact_query({"filters": {"companies": sides}})
    assert (query.where, query.excluded) == (criterion, (criterion,))


@pytest.mark.parametrize("name", PAST)
def test_a_former_company_filter_of_companies_applies_to_some_contact(name):
    value, criterion = PAST[name]
    query = companies(include={name: value}, exclude={name: value})
    assert (query.where, query.excluded) == (Employs(criterion), (Employs(criterion),))


def test_keywords_are_searched_only_in_the_requested_fields():
    filters = {"keywords": ["crm"], "keywordsSearchFields": ["description", "industryTags"]}
    assert companies(include=filters).where == Any(
        (Words("description", ("crm",)), Words("industry_tag", ("crm",)))
    )


@pytest.mark.parametrize("field", ["technologies", "intentTopics"])
def test_all_values_may_be_required(field):
    inside = {"technologies": "technology", "intentTopics": "intent_topic"}[field]
    filters = {field: ["a", "b"], f"{field}Condition": "and"}
    both = All((Term(inside, "a"), Term(inside, "b")))
    assert companies(include=filters).where == both
    assert companies(exclude=filters).excluded == (both,)


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
def test_either_intent_key_requires_all_topics(condition, operator, kind):
    filters = {"intentTopics": ["a", "b"], "intentTopicsOperator": operator}
    if condition:
        filters["intentTopicsCondition"] = condition
    topics = (Term("intent_topic", "a"), Term("intent_topic", "b"))
    assert companies(include=filters).where == kind(topics)


def test_score_limits_apply_to_each_topic():
    filters = {
        "intentTopics": ["A", "b"],
        "intentTopicsCondition": "and",
        "intentMinScore": 41,
        "intentMaxScore": 42,
    }
    assert companies(include=filters).where == All(
        tuple(
            Any((Term("intent_score", f"{topic}|41"), Term("intent_score", f"{topic}|42")))
            for topic in ("a", "b")
        )
    )


def test_all_signals_are_every_type_except_themselves():
    where = companies(include={"signals": {"types": ["allSignals"]}}).where
    assert isinstance(where, HasSignal)
    assert len({one.type for one in where.requested} - {"allSignals"}) == len(where.requested) == 23


def test_intent_categories_apply_only_to_the_signal_that_has_them():
    for types, categories in (
        (["riskNews"], ()),
        (["allSignals"], ("tech",)),
        (["linkedinActivityIntent"], ("tech",)),
    ):
        nested = companies(include={"signals": {"types": types, "filterByIntentCategory": ["Tech"]}}).where
        top_level = company_query(
            {
                "filters": {"companies": {"include": {"signals": {"types": types}}}},
                "filterByIntentCategory": ["Tech"],
            }
        ).where
        assert isinstance(nested, HasSignal)
        assert tuple(one.detail for one in nested.requested if one.detail) == categories
        assert top_level == nested


def test_a_narrowing_of_an_unrequested_type_has_no_effect():
    narrowed = {"filterByLocation": [{"country": "US"}], "filterByDepartment": [{"department": "Legal"}]}
    where = companies(include={"signals": {"types": ["riskNews", "surgeInHiring"], **narrowed}}).where
    assert where == HasSignal((signal_on_test_day("surgeInHiring"), signal_on_test_day("riskNews")))


@pytest.mark.parametrize(
    ("start", "since"),
    [
        ({}, "2026-06-23"),
        ({"startDate": "2025-01-01"}, "2026-06-23"),
        ({"startDate": "2026-09-01"}, "2026-09-01"),
    ],
)
def test_posts_are_searched_for_90_days_in_any_request(start, since):
    where = companies(include={"signals": {"types": ["linkedinActivityIntent"], **start}}).where
    assert where == HasSignal((signal_on_test_day("linkedinActivityIntent", "", since),))


@pytest.mark.parametrize(
    ("name", "value", "same"),
    [
        ("sicCodes", 7372, "7372"),
        ("sicCodes", 111, "111"),
        ("sicsCodes", 7, "7"),
        ("naicsCodes", 541512, "541512"),
        ("naicsCodes", 31, "31"),
        ("naicsCodes", 0, "0"),
    ],
)
def test_codes_are_taken_as_numbers_too(name, value, same):
    assert companies(include={name: [value]}).where == companies(include={name: [same]}).where


def test_a_code_of_three_digits_may_have_lost_its_first():
    assert companies(include={"sicCodes": ["111"]}).where == Any((Prefix("sic", "111"), Term("sic", "0111")))


def test_a_label_of_several_industries_matches_all_of_them():
    where = companies(include={"industriesLabels": ["Utilities"]}).where
    assert where == Any((Term("main_industry", "19"), Term("sub_industry", "136")))


def test_every_word_of_a_search_text_must_occur_somewhere():
    where = companies(include={"searchText": "Zug banking"}).where
    assert isinstance(where, All)
    assert [one.criteria[0] for one in where.criteria] == [
        Words("company_name", ("zug",)),
        Words("company_name", ("banking",)),
    ]


def test_a_search_text_may_be_a_company_name_with_its_legal_form():
    where = companies(include={"searchText": "Acme Inc"}).where
    assert isinstance(where, Any)
    assert where.criteria[1] == Words("company_name", ("acme",))


@pytest.mark.parametrize(
    "name",
    ["names", "keywords", "specialities", "exactKeywords", "technologies", "intentTopics", "searchText"],
)
def test_a_value_without_words_matches_nothing(name):
    value = [" "] if name != "searchText" else "?!"
    assert companies(include={name: value}).where == NO_RECORD


def test_thousands_of_overlapping_ranges_are_merged_into_one() -> None:
    steps = [{"min": low, "max": low + 50} for low in range(100, 9_000)]
    ends = [{"max": 5}, {"min": 9_000}]

    assert companies(include={"sizes": steps}) == companies(include={"sizes": [{"min": 100, "max": 9_049}]})
    assert companies(include={"sizes": steps + ends}) == companies(
        include={"sizes": [{"max": 5}, {"min": 100}]}
    )
