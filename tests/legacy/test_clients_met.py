"""What published clients send and read, over the calls of the older generation and company prospecting."""

import pytest
from legacy_records import (
    ANN,
    ANY_REQUEST,
    BO,
    FULL_COMPANY,
    TOKENS,
    company_id,
    contact_id,
    post,
    search,
)

from firmograph.directory.records import CompanyRef
from firmograph.security.record_ids import Entity
from record_factory import contact, load_contacts

pytestmark = pytest.mark.any_database

CONTACTS, COMPANIES, CURRENT = (
    "/prospecting/contact/search",
    "/prospecting/company/search",
    "/v3/companies/prospecting",
)
ENRICH = {"contacts": "/prospecting/contact/enrich", "companies": "/prospecting/company/enrich"}
IDS = {"contacts": "contactIds", "companies": "companiesIds"}
NAMED = {"filters": {"contacts": {"include": {"names": ["Ann"]}}}}
CALLS = {
    CONTACTS: NAMED,
    COMPANIES: {"filters": {"companies": {"include": {"names": ["Acme"]}}}},
    ENRICH["contacts"]: {"requestId": ANY_REQUEST, "contactIds": [contact_id(ANN)]},
    ENRICH["companies"]: {"requestId": ANY_REQUEST, "companiesIds": [company_id(FULL_COMPANY)]},
}


def enrich(service, kind, *ids, **options):
    return post(service, ENRICH[kind], {"requestId": ANY_REQUEST, IDS[kind]: list(ids)}, **options)


def forms(entity, number):
    """Return the id of a record as the older calls write it: a number, digits, and a token."""
    legacy = TOKENS.legacy(entity, number)
    return [legacy, str(legacy), TOKENS.seal(entity, number)]


# --- charges ---


@pytest.mark.parametrize("kind", ENRICH)
def test_credits_charged_stand_at_top_level_and_in_billing(stocked, kind):
    id = {"contacts": contact_id(ANN), "companies": company_id(FULL_COMPANY)}[kind]
    first, again = (enrich(stocked, kind, id) for _ in range(2))
    assert first["creditsCharged"] == first["billing"]["creditsCharged"] > 0
    assert again["creditsCharged"] == again["billing"]["creditsCharged"] == 0


@pytest.mark.parametrize("path", [*CALLS, "/bulk/person", "/bulk/company"])
def test_the_header_says_what_was_charged_and_a_replay_what_the_first_answer_was(stocked, path):
    body = (
        CALLS.get(path)
        or {
            "/bulk/person": {"contacts": [{"contactId": "1", "personId": contact_id(ANN)}]},
            "/bulk/company": {"companies": [{"id": "1", "companyId": company_id(FULL_COMPANY)}]},
        }[path]
    )
    first, again = (stocked.post(path, body, **{"idempotency-key": "one"}) for _ in range(2))
    assert first.headers["x-credits-charged"] == again.headers["x-credits-charged"]
    assert stocked.post(path, body).headers["x-credits-charged"] == "0"
    assert (int(first.headers["x-credits-charged"]) > 0) is (path not in (CONTACTS, COMPANIES))
    assert stocked.post(path, {"no": 1}).headers["x-credits-charged"] == "0"


# --- aliases ---


@pytest.mark.parametrize(
    ("alias", "path"), [("/bulk/person", "/v2/person"), ("/bulk/company", "/v2/company")]
)
def test_the_shorter_bulk_paths_are_aliases(stocked, alias, path):
    body = {
        "/v2/person": {"contacts": [{"contactId": "1", "email": "bo@plain.example.org"}]},
        "/v2/company": {"companies": [{"id": "1", "name": "Acme"}, {"id": "2", "domain": "nobody.example"}]},
    }[path]
    post(stocked, path, body)
    assert post(stocked, alias, body) == post(stocked, path, body)


# --- names ---


@pytest.mark.parametrize("last", ["", "&lastName="])
def test_a_person_with_one_name_is_found_by_it_and_the_employer(stocked, last):
    employer = CompanyRef(name="Plain Ltd", domain="plain.example.org")
    suharto = contact("Suharto", "", emails=["suharto@plain.example.org"], company=employer)
    load_contacts(stocked.database, "one name", [("suharto", suharto)])
    found = stocked.get(f"/v2/person?firstName=Suharto&companyName=Plain+Ltd{last}").json()["contact"]
    assert found["data"]["emails"] == ["suharto@plain.example.org"]
    other = stocked.get(f"/v2/person?firstName=Ann&companyName=Acme+Instruments{last}").json()["contact"]
    assert (other["data"], other["error"]["name"]) == (None, "EMPTY_DATA")


# --- ids ---


@pytest.mark.parametrize("id", forms(Entity.CONTACT, ANN))
def test_every_call_takes_each_form_of_the_id_of_a_person(stocked, id):
    assert stocked.get(f"/v2/person?personId={id}").json()["contact"]["data"]["firstName"] == "Ann"
    item = {"contactId": "1", "personId": id}
    for path in ("/v2/person", "/bulk/person/v2", "/bulk/person"):
        assert post(stocked, path, {"contacts": [item]})["contacts"]["1"]["data"]["firstName"] == "Ann"
    assert enrich(stocked, "contacts", id)["contacts"][0]["isSuccess"] is True
    body = {"contactIds": [id], "signals": ["promotion"]}
    assert post(stocked, "/api/signals/contacts", body)["contacts"].keys() == {str(id)}


@pytest.mark.parametrize("id", forms(Entity.COMPANY, FULL_COMPANY))
def test_every_call_takes_each_form_of_the_id_of_a_company(stocked, id):
    assert stocked.get(f"/v2/company?companyId={id}").json()["data"]["name"] == "Acme Instruments"
    item = {"id": "1", "companyId": id}
    for path in ("/v2/company", "/bulk/company/v2", "/bulk/company"):
        assert post(stocked, path, {"companies": [item]})["1"]["name"] == "Acme Instruments"
    assert len(enrich(stocked, "companies", id)["companies"]) == 1
    body = {"companyIds": [id], "signals": ["allSignals"]}
    assert post(stocked, "/api/signals/companies", body)["companies"].keys() == {str(id)}
    search = {"companies": [{"id": id}], "signals": ["allSignals"]}
    assert post(stocked, "/api/signals/companies/search", search)["companies"].keys() == {str(id)}


def test_two_forms_of_an_id_have_two_entries(stocked):
    body = {"contactIds": forms(Entity.CONTACT, ANN), "signals": ["promotion"]}
    answer = post(stocked, "/api/signals/contacts", body)
    assert answer["contacts"].keys() == {str(id) for id in body["contactIds"]}
    assert answer["contacts"][str(contact_id(ANN))]["personId"] == str(contact_id(ANN))


FOREIGN = [
    "1f8b2e40-7c1d-4a4e-9d8e-0c6a1b2c3d4e",
    "abc",
    "",
    "v1.x",
    "-5",
    "1e9",
    5,
    -5,
    "0",
    "v9." + "A" * 32,
]


@pytest.mark.parametrize("foreign", FOREIGN)
def test_an_id_that_is_none_of_ours_fails_for_that_contact_alone(stocked, foreign):
    answer = enrich(stocked, "contacts", contact_id(ANN), foreign, contact_id(BO))
    assert [one["isSuccess"] for one in answer["contacts"]] == [True, False, True]
    failed = answer["contacts"][1]
    assert (failed["id"], failed["data"], failed["error"]["name"]) == (str(foreign), None, "EMPTY_DATA")
    assert answer["billing"]["resultsReturned"] == 2


@pytest.mark.parametrize("foreign", FOREIGN)
def test_an_id_that_is_none_of_ours_has_no_entry_among_companies(stocked, foreign):
    answer = enrich(stocked, "companies", foreign, company_id(FULL_COMPANY))
    assert [one["name"] for one in answer["companies"]] == ["Acme Instruments"]
    assert enrich(stocked, "companies", foreign)["creditsCharged"] == 0


# --- filters ---


def names(service, path, filters):
    answer = post(service, path, {"filters": filters})
    return {one["name"] for one in answer["data" if path != CURRENT else "results"]}


@pytest.mark.parametrize("path", [COMPANIES, CURRENT])
@pytest.mark.parametrize(
    "include",
    [
        {"jobTitles": ["head sales"]},
        {"departments": ["Sales"]},
        {"seniorityIds": [6]},
        {"skills": ["negotiation"]},
        {"locations": [{"country": "Germany"}]},
        {"existingDataPoints": ["mobile_phone"]},
        {"countries": ["DE"]},
        {"countries": ["germany", "Nowhere"]},
        {"countries": ["Deutschland"]},
    ],
)
def test_companies_are_found_by_their_contacts(stocked, path, include):
    assert names(stocked, path, {"contacts": {"include": include}}) == {"Acme Instruments"}
    everybody = {"include": {"existingDataPoints": ["work_email"]}, "exclude": include}
    assert names(stocked, path, {"contacts": everybody}) == {"Plain Ltd"}


@pytest.mark.parametrize("path", [COMPANIES, CURRENT])
@pytest.mark.parametrize(
    ("include", "named"),
    [
        ({"searchText": "measures"}, "searchText"),
        ({"technologies": ["Python"]}, "technologies"),
        ({"intentTopics": ["x"]}, "intentTopics"),
    ],
)
def test_some_company_filters_do_not_go_with_those_of_contacts(stocked, path, include, named):
    filters = {"contacts": {"include": {"skills": ["x"]}}, "companies": {"include": include}}
    answer = stocked.post(path, {"filters": filters})
    assert answer.status_code == 400
    expected = f"filters.contacts must not be combined with filters.companies.include.{named}"
    assert expected in answer.json()["errors"]


@pytest.mark.parametrize("written", ["DE", "de", "Germany", "Deutschland"])
def test_countries_are_codes_or_names_in_the_older_searches(stocked, written):
    clause = {"include": {"countries": [written]}}
    assert names(stocked, CONTACTS, {"contacts": clause}) == {"Ann Archer"}
    assert names(stocked, CONTACTS, {"companies": clause}) == {"Ann Archer"}
    assert names(stocked, COMPANIES, {"companies": clause}) == {"Acme Instruments"}


def test_a_filter_of_contacts_needs_no_plan_with_signals(stocked):
    body = {"contacts": {"include": {"countries": ["DE"]}, "exclude": {"skills": ["none"]}}}
    assert names(stocked, COMPANIES, body) == {"Acme Instruments"}


@pytest.mark.parametrize(
    "include", [{"sicCodes": [3829]}, {"sicCodes": [38, "1"]}, {"naicsCodes": [3345]}, {"naicsCodes": [33]}]
)
def test_codes_of_industries_are_numbers_or_texts(stocked, include):
    search(stocked)
    for path in (COMPANIES, CURRENT):
        assert names(stocked, path, {"companies": {"include": include}}) == {"Acme Instruments"}


@pytest.mark.parametrize("include", [{"sics": [3829]}, {"naics": [3345, 1]}])
def test_the_older_names_of_codes_take_numbers_too(stocked, include):
    assert names(stocked, COMPANIES, {"companies": {"include": include}}) == {"Acme Instruments"}
    assert names(stocked, CONTACTS, {"companies": {"include": include}}) == {"Ann Archer"}


@pytest.mark.parametrize("include", [{"sicCodes": [10_000]}, {"naicsCodes": [-1]}, {"sicCodes": [38.29]}])
def test_a_number_that_is_no_code_is_refused_with_its_path(stocked, include):
    (name,) = include
    answer = stocked.post(CURRENT, {"filters": {"companies": {"include": include}}})
    assert (answer.status_code, f"{name}.0" in answer.text) == (400, True)
