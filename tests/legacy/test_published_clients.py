"""Requests as published clients of the legacy generation send them."""

import uuid

import pytest
from legacy_records import (
    ANN,
    BO,
    company_id,
    contact_id,
    enrich_contacts,
    people,
    post,
    search,
    search_contacts,
)

from record_factory import contact, load_contacts

pytestmark = pytest.mark.any_database

CONTACTS, COMPANIES = "/prospecting/contact/search", "/prospecting/company/search"


def found(service, path=CONTACTS, side="contacts", include=None, exclude=None, **more):
    """Return the names of what a search finds."""
    clauses = {"include": include, "exclude": exclude}
    filters = {side: {name: clause for name, clause in clauses.items() if clause is not None}}
    return {one["name"] for one in post(service, path, {"filters": filters, **more})["data"]}


def test_booleans_are_texts_in_the_query(stocked):
    answer = stocked.get(
        "/v2/person?email=ann@acme.example.com&revealEmails=true&revealPhones=false&refreshJobInfo=false"
    ).json()["contact"]
    assert answer["data"]["emails"][0] == "ann@acme.example.com"
    assert "phoneNumbers" not in answer["data"]


def test_an_empty_parameter_is_absent(stocked):
    path = "/v2/person?email=ann@acme.example.com&linkedinUrl=&revealEmails=&signals="
    assert stocked.get(path).json()["contact"]["data"]["phones"]


def test_a_request_id_may_be_made_up(stocked):
    made_up = str(uuid.uuid4())
    body = {"requestId": made_up, "contactIds": [str(contact_id(ANN))]}
    answer = post(stocked, "/prospecting/contact/enrich", body)
    assert answer["requestId"] == made_up
    assert answer["contacts"][0]["isSuccess"] is True


def test_an_empty_list_of_ids_is_an_empty_answer(stocked):
    assert enrich_contacts(stocked)["contacts"] == []
    body = {"requestId": str(uuid.uuid4()), "companiesIds": []}
    assert post(stocked, "/prospecting/company/enrich", body)["companies"] == []


@pytest.mark.parametrize("main", [12, "12"])
def test_ids_of_industries_are_numbers_or_texts(stocked, main):
    include = {"mainIndustriesIds": [main], "subIndustriesIds": ["69"]}
    assert found(stocked, COMPANIES, "companies", include) == {"Acme Instruments"}


@pytest.mark.parametrize(
    "include", [{"sics": ["3829"]}, {"naics": ["3345"]}, {"sicCodes": ["38"]}, {"naicsCodes": ["31-33"]}]
)
def test_codes_have_two_names(stocked, include):
    assert found(stocked, COMPANIES, "companies", include) == {"Acme Instruments"}
    both = {"names": ["Acme", "Plain"]}
    assert found(stocked, COMPANIES, "companies", both, exclude=include) == {"Plain Ltd"}


def test_an_empty_include_counts_as_absent(stocked):
    filters = {"contacts": {"include": {"names": ["Ann"]}}, "companies": {"include": {}, "exclude": {}}}
    assert post(stocked, CONTACTS, {"filters": filters})["totalResults"] == 1


def test_existing_data_points_have_two_names(stocked):
    for name in ("existing_data_points", "existingDataPoints"):
        assert found(stocked, include={name: ["mobile_phone"]}) == {"Ann Archer"}


def test_metadata_may_stand_next_to_companies(stocked):
    body = {"companies": [{"id": "1", "domain": "acme.example.com"}], "metadata": {"partialProfile": True}}
    assert post(stocked, "/bulk/company/v2", body)["1"]["name"] == "Acme Instruments"


def test_company_stands_for_company_name(stocked):
    path = "/v2/person?firstName=Ann&lastName=Archer&company=Acme+Instruments"
    assert stocked.get(path).json()["contact"]["data"]["lastName"] == "Archer"


def test_the_aliases_answer_the_same(stocked):
    for path in ("person?email=ann@acme.example.com", "company?domain=acme.example.com"):
        first, second = (stocked.get(prefix + path).json() for prefix in ("/v2/", "/"))
        first.get("contact", {})["isCreditCharged"] = second.get("contact", {}).get("isCreditCharged")
        assert first.get("contact") == second.get("contact")
        assert first.get("data") == second.get("data")
    body = {"contacts": [{"contactId": "1", "email": "ann@acme.example.com"}]}
    assert post(stocked, "/v2/person", body) == post(stocked, "/bulk/person/v2", body)


@pytest.fixture(scope="module")
def many(shared_stock):
    """Store 47 people of one last name next to the others."""
    load_contacts(
        shared_stock.database,
        "many",
        [contact(f"Pat{n}", "Quill", emails=[f"p{n}@many.example.com"]) for n in range(47)],
    )
    search(shared_stock)


@pytest.mark.usefixtures("many")
def test_paging_in_the_query_from_page_1_ends(stocked):
    body = {"filters": {"contacts": {"include": {"names": ["Quill"]}}}}
    seen, page = [], 0
    while True:
        page += 1
        data = post(stocked, f"{CONTACTS}?pages[page]={page}&pages[size]=10", body)["data"]
        if not data:
            break
        seen += data
    assert (page, len(seen)) == (5, 37)
    assert len({one["contactId"] for one in seen}) == 37


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(
    ("query", "more", "page", "length"),
    [
        ("", {}, 0, 20),
        ("", {"pages": {"page": 1, "size": 40}}, 1, 7),
        ("", {"offset": {"index": 2, "size": 20}}, 2, 7),
        ("?pages[page]=1", {}, 1, 20),
        ("?pages[page]=3&pages[size]=10", {"pages": {}}, 0, 20),
        ("", {"pages": {"page": 4, "size": 10}, "offset": {"index": 0}}, 4, 7),
    ],
)
def test_the_page_is_that_of_the_body_else_of_the_query(stocked, query, more, page, length):
    body = {"filters": {"contacts": {"include": {"names": ["Quill"]}}}, **more}
    answer = post(stocked, CONTACTS + query, body)
    assert (answer["currentPage"], answer["pageLength"], answer["totalResults"]) == (page, length, 47)


def test_the_filters_of_contacts(stocked):
    everybody = {"names": ["Ann", "Bo", "Cy"]}
    for include in (
        {"departments": ["Sales"]},
        {"seniority": [6]},
        {"seniority": ["6"]},
        {"locations": [{"country": "Germany", "city": "Berlin"}]},
        {"locations": [{"continent": "Europe"}]},
        {"jobTitles": ["sales head"]},
        {"jobTitlesExactMatch": ["Head of Sales"]},
        {"countries": ["DE"]},
        {"linkedinUrls": ["https://www.linkedin.com/in/ann-archer"]},
        {"searchText": "archer sales"},
    ):
        assert found(stocked, include=include) == {"Ann Archer"}, include
        assert found(stocked, include=everybody, exclude=include) == {"Bo Baker", "Cy Cole"}, include


def test_the_filters_of_companies_on_both_searches(stocked):
    for include in (
        {"names": ["Acme"]},
        {"domains": ["acme.example.com"]},
        {"technologies": ["Python"]},
        {"locations": [{"country": "Germany"}]},
        {"companyLocations": [{"country": "Germany", "state": "Berlin"}]},
        {"sizes": [{"min": 51, "max": 200}]},
        {"revenues": [{"min": 1000001, "max": 5000000}]},
        {"searchText": "measures"},
        {"employeesInLinkedIn": {"min": 100, "max": 130}},
    ):
        assert found(stocked, COMPANIES, "companies", include) == {"Acme Instruments"}, include
        assert found(stocked, CONTACTS, "companies", include) == {"Ann Archer"}, include


def test_partial_records_are_found_unless_left_out(stocked):
    everybody = {"names": ["Ann", "Bo", "Cy"]}
    assert found(stocked, include=everybody) == {"Ann Archer", "Bo Baker", "Cy Cole"}
    assert found(stocked, include=everybody, includePartialContact=False) == {"Ann Archer", "Bo Baker"}
    assert found(stocked, include=everybody, excludeDnc=True) == {"Bo Baker", "Cy Cole"}
    load_contacts(stocked.database, "stub", [contact("Di", "Dow", company="Only Named GmbH")])
    search(stocked)
    named = {"names": ["Only Named"]}
    assert found(stocked, COMPANIES, "companies", named) == {"Only Named GmbH"}
    complete = named | {"excludePartialCompanies": True}
    assert found(stocked, COMPANIES, "companies", complete) == set()
    assert found(stocked, CONTACTS, "companies", named) == {"Di Dow"}
    assert found(stocked, CONTACTS, "companies", complete) == set()


def test_filter_values_are_bare_arrays(stocked):
    def values(path, text=None):
        path = f"/prospecting/filters/{path}"
        answer = stocked.get(path) if text is None else stocked.post(path, {"text": text})
        assert answer.status_code == 200, answer.text
        return answer.json()

    assert "Sales" in values("contacts/departments")
    assert {"id": 10, "name": "founder"} in values("contacts/seniority")
    assert values("contacts/existing_data_points") == ["phone", "work_email", "mobile_phone", "direct_phone"]
    assert values("contacts/all_countries")[0] == {"name": "Germany", "code": "DE"}
    assert values("contacts/locations", "Berlin")[0]["country"] == "Germany"
    assert values("companies/industries_labels")[0]["main_industry_id"] == 1
    assert values("companies/sizes")[0] == {"min": 1, "max": 10}
    assert values("companies/revenues")[0] == {"min": 1, "max": 1_000_000}
    code = {"code": "3829", "label": "Measuring devices", "name": "Measuring devices"}
    assert values("companies/sics") == [code]
    assert values("companies/naics") == [{"code": "3345", "label": "Instruments", "name": "Instruments"}]
    assert values("companies/intent_topics") == []
    assert values("companies/names", "Acme")[0]["companyId"] == str(company_id(1))
    assert values("companies/technologies", "Pyth") == [{"name": "Python"}]
    assert values("companies/locations", "Berlin")[0]["country"] == "Germany"


def test_tolerated_names_have_no_effect(stocked):
    item = {
        "email": "bo@plain.example.org",
        "location": {"city": "Paris"},
        "companies": [{"fqdn": "acme.example.com", "jobTitle": "CEO", "companySocialId": 5}],
    }
    answer = people(stocked, item, metadata={"refreshJobInfo": True})
    assert answer["contacts"]["0"]["data"]["personId"] == contact_id(BO)


def test_people_of_a_search_are_enriched_by_its_ids(stocked):
    answer = search_contacts(stocked, {"names": ["Ann", "Bo"]})
    ids = [one["contactId"] for one in answer["data"]]
    body = {"requestId": answer["requestId"], "contactIds": ids, "revealEmails": True}
    enriched = post(stocked, "/prospecting/contact/enrich", body)
    assert [one["id"] for one in enriched["contacts"]] == ids
    assert {one["data"]["fullName"] for one in enriched["contacts"]} == {"Ann Archer", "Bo Baker"}
