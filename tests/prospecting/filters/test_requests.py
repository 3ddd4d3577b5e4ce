import msgspec
import pytest
from filter_requests import (
    COMPANY_DECODER,
    CONTACT_DECODER,
    company_query,
    company_refusals,
    contact_query,
    contact_refusals,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import inspect as mi

from effort import examples
from firmograph.kit.errors import BadRequest
from firmograph.prospecting.engines.query import Query
from firmograph.prospecting.filters import requests as shapes

pytestmark = pytest.mark.no_database

BASE = {"filters": {"contacts": {"include": {"names": ["Jane"]}}}}
FIRM = {"filters": {"companies": {"include": {"names": ["Acme"]}}}}

ONLY_ON_COMPANIES = {"filterByIntentCategory": ["x"]}


def test_pagination_options_and_top_level_filters_may_be_left_out():
    query = contact_query(BASE)
    assert (query.offset, query.size, query.max_per_company) == (0, 25, None)
    assert contact_query(BASE | {"pagination": {}, "options": {}}) == query
    assert contact_query(BASE | {"pagination": {"size": 10}}).size == 10
    assert contact_query(BASE | {"pagination": {"page": 3}}).offset == 75
    assert company_query(FIRM | {"pagination": {"page": 1000, "size": 100}}).offset == 100_000


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"page": 1}, "property page should not exist"),
        (ONLY_ON_COMPANIES, "property filterByIntentCategory should not exist"),
        ({"pagination": {"size": 9}}, "pagination.size must be at least 10"),
        ({"pagination": {"size": 101}}, "pagination.size must be at most 100"),
        ({"pagination": {"page": 1001}}, "pagination.page must be at most 1000"),
        ({"pagination": {"page": -1}}, "pagination.page must be at least 0"),
        ({"pagination": {"limit": 5}}, "pagination.property limit should not exist"),
        ({"options": {"maxContactsPerCompany": 0}}, "options.maxContactsPerCompany must be at least 1"),
        ({"options": {"maxContactsPerCompany": 21}}, "options.maxContactsPerCompany must be at most 20"),
        ({"options": {"reveal": []}}, "options.property reveal should not exist"),
        ({"searchText": "x" * 201}, "searchText must have at most 200 characters"),
        ({"filters": []}, "filters must be an object"),
        ({"filters": {"people": {}}}, "filters.property people should not exist"),
    ],
)
def test_a_request_is_refused_with_its_path(more, problem):
    assert contact_refusals(BASE | more) == [problem]


@pytest.mark.parametrize(
    ("criteria", "problem"),
    [
        ({"title": ["x"]}, "property title should not exist"),
        ({"jobTitles": "CEO"}, "jobTitles must be an array"),
        ({"jobTitles": ["a", ""]}, "jobTitles.1 must have at least 1 character"),
        ({"jobTitles": ["x" * 257]}, "jobTitles.0 must have at most 256 characters"),
        ({"jobTitles": [None]}, "jobTitles.0 must be a string"),
        ({"jobTitles": ["x"] * 10_001}, "jobTitles must have at most 10000 elements"),
        ({"locations": [{"zip": "x"}]}, "locations.0.property zip should not exist"),
        ({"seniorityIds": ["9"]}, "seniorityIds.0 must be an integer"),
        ({"seniorityIds": [10**30]}, "seniorityIds.0 must be at most 1000000"),
        ({"score": {"minScore": -1}}, "score.minScore must be at least 0"),
        ({"score": {"maxScore": 101}}, "score.maxScore must be at most 100"),
        ({"education": {"degree": ["x"]}}, "education.property degree should not exist"),
        ({"education": {"startYearGte": 10_000}}, "education.startYearGte must be at most 9999"),
        (
            {"geographicDetails": [{"country": "US", "zipcode": "1"}]},
            "geographicDetails.0.distance is required",
        ),
        (
            {"geographicDetails": [{"country": "US", "zipcode": "1", "distance": 1e9}]},
            "geographicDetails.0.distance must be at most 12500",
        ),
        (
            {"geographicDetails": [{"country": "US", "zipcode": "1", "distance": 1}] * 101},
            "geographicDetails must have at most 100 elements",
        ),
    ],
)
def test_a_contact_filter_of_another_form_is_refused_with_its_path(criteria, problem):
    body = {"filters": {"contacts": {"exclude": criteria}}}
    assert contact_refusals(body)[0] == f"filters.contacts.exclude.{problem}"


@pytest.mark.parametrize(
    ("criteria", "problem"),
    [
        ({"sizes": [{"min": -1}]}, "sizes.0.min must be at least 0"),
        ({"sizes": [{"min": 1e16}]}, "sizes.0.min must be at most 1000000000000000.0"),
        ({"sizes": [{"exact": 1}]}, "sizes.0.property exact should not exist"),
        ({"intentMinScore": 0}, "intentMinScore must be at least 1"),
        ({"intentMaxScore": 101}, "intentMaxScore must be at most 100"),
        ({"mainIndustriesIds": [-1]}, "mainIndustriesIds.0 must be at least 0"),
        ({"funding": {"isIpo": 1}}, "funding.isIpo must be a boolean"),
        ({"funding": {"rounds": [{}]}}, "funding.rounds.0.round is required"),
        ({"locationsZipcodes": [{"zipcode": "1"}]}, "locationsZipcodes.0.countryIso2 is required"),
        (
            {"signals": {"filterByLocation": [{"state": "x"}]}},
            "signals.filterByLocation.0.country is required",
        ),
        ({"signals": {"maxResultsPerSignal": 0}}, "signals.maxResultsPerSignal must be at least 1"),
        ({"signals": {"signalTypes": []}}, "signals.property signalTypes should not exist"),
    ],
)
def test_a_company_filter_of_another_form_is_refused_with_its_path(criteria, problem):
    body = {"filters": {"companies": {"include": criteria}}}
    path = f"filters.companies.include.{problem}"
    assert contact_refusals(body)[0] == path
    assert company_refusals(body)[0] == path


@pytest.mark.parametrize("name", ["names", "ids", "emails", "searchText", "signals", "score", "education"])
def test_contacts_of_a_company_accept_seven_filters_only(name):
    body = {"filters": {**FIRM["filters"], "contacts": {"include": {name: ["x"]}}}}
    assert company_refusals(body)[0] == f"filters.contacts.include.property {name} should not exist"


def test_a_list_may_have_ten_thousand_values_and_a_request_twenty_five_thousand():
    many = [f"x{n}" for n in range(10_000)]
    criteria = {
        "jobTitles": many,
        "names": many,
        "skills": many[:4_998],
        "education": {"schools": ["a", "b"]},
    }
    body = {"filters": {"contacts": {"include": criteria}}}
    assert contact_query(body).size == 25
    criteria["education"]["degrees"] = ["c"]
    assert contact_refusals(body) == ["filters must have at most 25000 values in all, but have 25001"]


def test_locations_count_as_values():
    places = [{"country": "US"}] * 10_000
    sides = {"include": {"locations": places}, "exclude": {"locations": places}}
    body = {"filters": {"contacts": sides, "companies": {"include": {"locations": places}}}}
    assert contact_refusals(body) == ["filters must have at most 25000 values in all, but have 30000"]


# --- any input ---

WORDS = st.sampled_from(
    "Sales 9 US usa Bavaria EMEA Europe or and any jane@acme.test in/jane-doe v1.jane acme.test 7372 31-33 2026-01-31"
    " 2026-02-30 promotion allSignals riskNews any_round seed venture phone B2B name Finance 東京 ?! 94107".split()
)


def values(kind: mi.Type) -> st.SearchStrategy[object]:
    """Generate values of a type as JSON has them, ignoring bounds."""
    if isinstance(kind, mi.Metadata):
        listed = (kind.extra_json_schema or {}).get("enum")
        plain = values(kind.type)
        return st.one_of(plain, *[st.sampled_from(listed)] * 9) if listed else plain
    if isinstance(kind, mi.UnionType):
        return st.one_of(list(map(values, kind.types)))
    if isinstance(kind, mi.StructType):
        fields = {
            field.encode_name: st.deferred(lambda field=field: values(field.type)) for field in kind.fields
        }
        required = {field.encode_name: fields[field.encode_name] for field in kind.fields if field.required}
        few = st.lists(st.sampled_from(sorted(fields)), max_size=4, unique=True)
        return few.flatmap(
            lambda names: st.fixed_dictionaries({**required, **{name: fields[name] for name in names}})
        )
    if isinstance(kind, mi.ListType):
        return st.lists(values(kind.item_type), max_size=3)
    if isinstance(kind, mi.BoolType):
        return st.booleans()
    if isinstance(kind, mi.IntType | mi.FloatType):
        return st.one_of(st.integers(0, 120), st.sampled_from((-1, 9, 25, 2000, 2.5, 1e300)))
    return st.one_of(WORDS, st.text(max_size=8))


def requests(kind: type[msgspec.Struct]) -> st.SearchStrategy[object]:
    return values(mi.type_info(kind))


def answer(query, body):
    try:
        return query(body)
    except BadRequest as error:
        return error


MANY = settings(max_examples=examples(400), suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize(
    ("kind", "decoder", "query"),
    [
        (shapes.ContactProspecting, CONTACT_DECODER, contact_query),
        (shapes.CompanyProspecting, COMPANY_DECODER, company_query),
    ],
)
def test_any_request_is_a_query_or_refused(kind, decoder, query):
    kinds = {Query: 0, BadRequest: 0}

    @MANY
    @given(requests(kind))
    def query_or_refusal(body):
        outcome = answer(query, body)
        kinds[type(outcome)] += 1
        if isinstance(outcome, Query):
            assert outcome.size == body.get("pagination", {}).get("size", 25)
        else:
            assert 1 <= len(outcome.errors) <= 10
            assert outcome.message == outcome.errors[0]

    query_or_refusal()
    assert min(kinds.values()) > MANY.max_examples // 20
