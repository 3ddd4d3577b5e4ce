import pytest
from filter_requests import (
    company_query,
    company_refusals,
    contact_query,
    contact_refusals,
    signal_on_test_day,
)

from firmograph.prospecting.engines.query import (
    All,
    Any,
    Between,
    EmployedBy,
    Employs,
    FormerlyEmployedBy,
    HasSignal,
    Term,
    Without,
    Words,
)
from firmograph.prospecting.filters import compiler as filters
from firmograph.prospecting.filters import requests as shapes
from firmograph.security.record_ids import Entity

pytestmark = pytest.mark.no_database

JANE, CLERK, SALES, LEGAL = (
    Words("name", ("jane",)),
    Words("title", ("clerk",)),
    Term("department", "Sales"),
    Term("department", "Legal"),
)
ACME = Words("company_name", ("acme",))
SMALL = Between("size", high=50)
PARTIAL = Term("partial", "1")
PROMOTED = {"types": ["promotion"]}


def test_all_filters_of_both_sides_apply_to_one_contact_and_its_employer():
    query = contact_query(
        {
            "filters": {
                "contacts": {"include": {"names": ["Jane"], "departments": ["Sales"]}},
                "companies": {"include": {"names": ["Acme"], "sizes": [{"max": 50}]}},
            }
        }
    )
    assert query.entity == Entity.CONTACT
    assert query.where == All((SALES, JANE, EmployedBy(All((ACME, SMALL)))))
    assert query.excluded == ()


def test_each_excluded_filter_of_either_side_excludes_by_itself():
    query = contact_query(
        {
            "filters": {
                "contacts": {"exclude": {"names": ["Jane"], "departments": ["Sales"]}},
                "companies": {"exclude": {"names": ["Acme"], "sizes": [{"max": 50}]}},
            }
        }
    )
    assert query.where == All(())
    assert query.excluded == (SALES, JANE, EmployedBy(ACME), EmployedBy(SMALL))


def test_one_single_contact_of_a_company_passes_the_whole_contact_side():
    query = company_query(
        {
            "filters": {
                "companies": {"include": {"names": ["Acme"]}, "exclude": {"sizes": [{"max": 50}]}},
                "contacts": {
                    "include": {"jobTitles": ["Clerk"], "departments": ["Sales"]},
                    "exclude": {"departments": ["Legal"], "jobTitles": ["Clerk"]},
                },
            },
            "options": {"includePartialProfiles": True},
        }
    )
    assert query.entity == Entity.COMPANY
    passes = Without(All((CLERK, SALES)), Any((CLERK, LEGAL)))
    assert query.where == All((ACME, Employs(passes)))
    assert query.excluded == (SMALL,)


def test_a_company_without_any_contact_passes_no_contact_side():
    body = {"filters": {"contacts": {"exclude": {"departments": ["Legal"]}}}}
    assert company_query(body).where == Employs(Without(All(()), LEGAL))
    body = {"filters": {"contacts": {"include": {"departments": ["Legal"]}}}}
    assert company_query(body).where == Employs(LEGAL)


def test_former_employers_and_the_employer_are_matched_separately():
    past = {"names": ["Acme"], "previousCompanyNames": ["Umbrella"]}
    former = Any(
        (Words("past_name", ("umbrella",)), FormerlyEmployedBy(Words("company_name", ("umbrella",))))
    )
    query = contact_query({"filters": {"companies": {"include": past}}})
    assert query.where == All((EmployedBy(ACME), former))
    assert company_query({"filters": {"companies": {"include": past}}}).where == All((ACME, Employs(former)))


# --- options ---


def test_partial_contacts_are_found_unless_left_out():
    body = {"filters": {"contacts": {"include": {"names": ["Jane"]}}}}
    assert contact_query(body).excluded == ()
    assert contact_query(body | {"options": {"includePartialProfiles": False}}).excluded == (PARTIAL,)


def test_partial_companies_are_left_out_unless_requested():
    body = {"filters": {"companies": {"include": {"names": ["Acme"]}}}}
    assert company_query(body).excluded == (PARTIAL,)
    assert company_query(body | {"options": {}}).excluded == (PARTIAL,)
    assert company_query(body | {"options": {"includePartialProfiles": True}}).excluded == ()


@pytest.mark.parametrize("more", [{"options": {"excludeDnc": True}}, {"excludeDnc": True}])
def test_contacts_with_a_do_not_call_number_may_be_left_out(more):
    body = {"filters": {"contacts": {"include": {"names": ["Jane"]}}}}
    assert contact_query(body | more).excluded == (Term("has", "do_not_call"),)


def test_the_exclusion_of_do_not_call_numbers_is_visible_in_the_request():
    for options, at_top_level, expected in ((True, False, True), (False, True, True), (False, False, False)):
        request = shapes.ContactProspecting(
            options=shapes.ContactOptions(exclude_dnc=options), exclude_dnc=at_top_level
        )
        assert filters.excludes_do_not_call(request) is expected
    assert filters.excludes_do_not_call(shapes.ContactProspecting()) is False


def test_the_cap_of_each_company_is_part_of_the_query():
    body = {
        "filters": {"contacts": {"include": {"names": ["Jane"]}}},
        "options": {"maxContactsPerCompany": 3},
    }
    assert contact_query(body).max_per_company == 3


# --- top-level filters ---


def test_a_top_level_search_text_applies_to_the_records_of_the_endpoint():
    inside = {"filters": {"contacts": {"include": {"searchText": "Jane"}}}}
    assert contact_query({"searchText": "Jane"}) == contact_query(inside)
    inside = {"filters": {"companies": {"include": {"searchText": "Acme"}}}}
    assert company_query({"filters": {}, "searchText": "Acme"}) == company_query(inside)


def test_top_level_signals_apply_to_the_records_of_the_endpoint():
    assert contact_query({"signals": PROMOTED}).where == HasSignal((signal_on_test_day("promotion"),))
    news = {"types": ["riskNews"]}
    assert company_query({"signals": news}).where == HasSignal((signal_on_test_day("riskNews"),))
    assert company_refusals({"signals": PROMOTED})[0].startswith("signals.types.0 must be a known value")


@pytest.mark.parametrize("name", ["searchText", "signals"])
def test_a_filter_at_the_top_level_and_inside_the_filters_is_refused(name):
    value = {"searchText": "x", "signals": PROMOTED}[name]
    body = {"filters": {"contacts": {"include": {name: value}}}, name: value}
    assert contact_refusals(body) == [
        f"{name} must not be given twice: it is also in filters.contacts.include.{name}"
    ]
    value = {"searchText": "x", "signals": {"types": ["riskNews"]}}[name]
    body = {"filters": {"companies": {"include": {name: value}}}, name: value}
    assert company_refusals(body) == [
        f"{name} must not be given twice: it is also in filters.companies.include.{name}"
    ]


def test_intent_categories_at_the_top_level_and_inside_the_filters_are_refused():
    signals = {"types": ["allSignals"], "filterByIntentCategory": ["x"]}
    body = {"filters": {"companies": {"include": {"signals": signals}}}, "filterByIntentCategory": ["x"]}
    assert company_refusals(body) == [
        "filters.companies.include.signals.filterByIntentCategory must not be given twice:"
        " it is also given outside the filters"
    ]


def test_intent_categories_may_refine_top_level_signals():
    query = company_query({"signals": {"types": ["linkedinActivityIntent"]}, "filterByIntentCategory": ["x"]})
    assert query.where == HasSignal((signal_on_test_day("linkedinActivityIntent", "x", "2026-06-23"),))


def test_empty_top_level_values_count_as_absent():
    body = {"filters": {"contacts": {"include": {"searchText": "x", "signals": PROMOTED}}}}
    assert contact_query(body | {"searchText": " ", "signals": {"types": []}}) == contact_query(body)


# --- invalid requests ---

EMPTY = [
    {},
    {"filters": {}},
    {"filters": {"contacts": {}, "companies": {"include": {}, "exclude": {}}}},
    {"filters": {"contacts": {"include": {"departments": [], "locations": [{}]}}}},
    {"filters": {"companies": {"include": {"sizes": [{}], "technologiesCondition": "and"}}}},
    {
        "filters": {
            "companies": {"exclude": {"keywordsSearchFields": ["name"], "intentTopicsOperator": "any"}}
        }
    },
    {"searchText": "", "signals": {}},
]


@pytest.mark.parametrize("body", EMPTY)
def test_a_request_without_any_value_is_refused(body):
    assert contact_refusals(body) == ["filters must have at least one include or exclude value"]
    assert company_refusals(body) == ["filters must have at least one include or exclude value"]


@pytest.mark.parametrize(
    "more",
    [
        {"contacts": {"include": {"education": {"degrees": []}, "score": {}}}},
        {"companies": {"include": {"funding": {"ranges": [{}], "types": []}, "signals": {"types": []}}}},
        {"contacts": {"exclude": {"existingDataPoints": [], "signals": {}}}},
    ],
)
def test_empty_objects_and_lists_count_as_absent(more):
    body = {"filters": {"contacts": {"include": {"names": ["Jane"]}}}}
    sides = {**body["filters"]["contacts"]}
    merged = {"include": {**sides["include"], **more.get("contacts", {}).get("include", {})}}
    if "exclude" in more.get("contacts", {}):
        merged["exclude"] = more["contacts"]["exclude"]
    merged_request = {"filters": {"contacts": merged, "companies": more.get("companies", {})}}
    assert contact_query(merged_request) == contact_query(body)


FORBIDDEN = {
    "searchText": "x",
    "signals": {"types": ["riskNews"]},
    "technologies": ["x"],
    "intentTopics": ["x"],
    "intentMinScore": 5,
    "intentMaxScore": 5,
}
STAFF = {"include": {"jobTitles": ["Clerk"]}}


@pytest.mark.parametrize("name", FORBIDDEN)
@pytest.mark.parametrize("side", ["include", "exclude"])
def test_some_company_filters_are_refused_with_contact_filters(name, side):
    body = {"filters": {"companies": {side: {name: FORBIDDEN[name]}}, "contacts": STAFF}}
    assert company_refusals(body) == [
        f"filters.contacts must not be combined with filters.companies.{side}.{name}"
    ]
    body["filters"]["contacts"] = {"include": {"jobTitles": []}, "exclude": {}}
    assert company_query(body).entity == Entity.COMPANY
    assert contact_query({"filters": {**body["filters"], "contacts": STAFF}}).entity == Entity.CONTACT


@pytest.mark.parametrize("name", ["searchText", "signals"])
def test_they_are_refused_with_top_level_contact_filters_too(name):
    body = {"filters": {"contacts": STAFF}, name: FORBIDDEN[name]}
    assert company_refusals(body) == [f"filters.contacts must not be combined with {name}"]


def test_a_refinement_may_refine_the_other_side_and_an_exclude():
    score = {"score": {"minScore": 100}}
    for base in (
        {"companies": {"include": {"names": ["Acme"]}}},
        {"companies": {"exclude": {"names": ["Acme"]}}},
    ):
        query = contact_query({"filters": {"contacts": {"include": score}, **base}})
        assert Term("points", "200") in (query.where, *getattr(query.where, "criteria", ()))


def test_several_errors_are_reported_at_once():
    body = {
        "filters": {
            "contacts": {"include": {"departments": ["x"], "emails": ["nobody"]}},
            "companies": {"exclude": {"domains": ["x"]}},
        },
        "signals": {"types": ["x"]},
    }
    assert [problem.split()[0] for problem in contact_refusals(body)] == [
        "filters.contacts.include.departments.0",
        "filters.contacts.include.emails.0",
        "filters.companies.exclude.domains.0",
        "signals.types.0",
    ]
