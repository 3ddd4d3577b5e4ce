"""Who is not shown by legacy calls: misses, restricted people, partial records."""

import pytest
from legacy_records import (
    ANN,
    BO,
    companies,
    company,
    contact_id,
    enrich_contacts,
    people,
    person,
    search,
    search_contacts,
    used,
)

from installation_factory import make_suppression
from record_factory import KEYRING, contact, load_contacts

pytestmark = pytest.mark.any_database

MISSED = {
    "error": {"code": 3, "name": "EMPTY_DATA", "message": "No data was found for this contact"},
    "isCreditCharged": False,
    "data": None,
}
RESTRICTED = {
    "error": {
        "code": 451,
        "name": "COMPLIANCE_RESTRICTED",
        "message": "Contact data is restricted for compliance reasons",
    },
    "isCreditCharged": False,
    "data": None,
}
BY_NAME = {"fullName": "Ann Archer", "companies": [{"name": "Acme Instruments", "isCurrent": True}]}
EVE_BY_NAME = {"fullName": "Eve Ember", "companies": [{"name": "Acme Instruments", "isCurrent": True}]}


def suppress(service, email):
    suppression = make_suppression(service.database, KEYRING, service.clock)
    assert suppression.suppress(suppression.person(email=email)) == 1


def add_person(service, first, last):
    """Store a person at Acme next to the others."""
    row = contact(
        first,
        last,
        emails=[f"{first.lower()}@acme.example.com"],
        linkedin=f"https://www.linkedin.com/in/{first.lower()}-{last.lower()}",
        company="Acme Instruments",
    )
    load_contacts(service.database, "a", [row])


@pytest.fixture(scope="module")
def eve(shared_stock):
    """Store and suppress Eve, and return her strong identifiers by their names in a request."""
    add_person(shared_stock, "Eve", "Ember")
    strong = {"email": "eve@acme.example.com", "linkedinUrl": "https://www.linkedin.com/in/eve-ember"}
    items = [*({name: value} for name, value in strong.items()), EVE_BY_NAME]
    (id,) = {one["data"]["personId"] for one in people(shared_stock, *items)["contacts"].values()}
    suppress(shared_stock, strong["email"])
    return strong | {"personId": id}


@pytest.fixture
def suppressed(stocked, eve):
    """Return a new account after Eve was suppressed."""
    return stocked


@pytest.mark.parametrize(
    "query",
    [
        {"email": "nobody@acme.example.com"},
        {"linkedinUrl": "https://www.linkedin.com/in/nobody"},
        {"personId": "5"},
        {"firstName": "No", "lastName": "Body", "companyName": "Acme Instruments"},
    ],
)
def test_nobody_is_an_answer_without_data_and_never_404(stocked, query):
    assert person(stocked, **query) == MISSED


def test_people_by_name_and_company_are_found(stocked):
    named = {"firstName": "Ann", "lastName": "Archer"}
    assert person(stocked, **named, companyDomain="acme.example.com")["data"]["firstName"] == "Ann"
    assert people(stocked, BY_NAME)["contacts"]["0"]["data"]["firstName"] == "Ann"


def test_current_companies_are_tried_first(stocked):
    former = {"name": "Acme Instruments", "isCurrent": False}
    answer = people(stocked, {"fullName": "Ann Archer", "companies": [{"name": "Plain Ltd"}, former]})
    assert answer["contacts"]["0"]["data"]["firstName"] == "Ann"


def test_the_first_identifier_that_finds_somebody_decides(stocked):
    answer = people(stocked, {"email": "bo@plain.example.org", "personId": "5", **BY_NAME})
    assert answer["contacts"]["0"]["data"]["firstName"] == "Bo"


@pytest.mark.parametrize("name", ["email", "linkedinUrl", "personId"])
def test_a_suppressed_person_is_451_alone_and_restricted_in_a_batch(suppressed, eve, name):
    item = {name: eve[name]}
    answer = suppressed.client.get("/v2/person", params=item, headers={"api_key": suppressed.key})
    assert answer.status_code == 451
    assert answer.json() == {
        "statusCode": 451,
        "message": "Contact data is restricted for compliance reasons",
    }
    assert people(suppressed, item)["contacts"]["0"] == RESTRICTED
    assert used(suppressed) == 0


def test_a_variant_of_a_suppressed_mailbox_is_restricted(suppressed):
    item = {"email": "eve+news@acme.example.com"}
    assert (
        suppressed.client.get("/v2/person", params=item, headers={"api_key": suppressed.key}).status_code
        == 451
    )
    assert people(suppressed, item)["contacts"]["0"] == RESTRICTED
    assert people(suppressed, {"email": "evelyn@acme.example.com"})["contacts"]["0"] == MISSED


def test_a_suppressed_person_by_name_is_a_miss(suppressed):
    assert people(suppressed, EVE_BY_NAME)["contacts"]["0"] == MISSED
    named = {"firstName": "Eve", "lastName": "Ember", "companyName": "Acme Instruments"}
    assert person(suppressed, **named) == MISSED


def test_a_suppressed_person_is_on_no_other_legacy_path(stocked):
    add_person(stocked, "Fay", "Fuller")
    search(stocked)
    (shown,) = search_contacts(stocked, {"names": ["Fay Fuller"]})["data"]
    suppress(stocked, "fay@acme.example.com")
    assert search_contacts(stocked, {"names": ["Fay Fuller"]})["totalResults"] == 0
    (one,) = enrich_contacts(stocked, shown["contactId"])["contacts"]
    assert one == {
        "id": shown["contactId"],
        "isSuccess": False,
        **{k: RESTRICTED[k] for k in ("error", "data")},
    }


def test_a_repeated_call_shows_nobody_suppressed_since(stocked):
    add_person(stocked, "Gil", "Garner")
    body = {"contacts": [{"contactId": "0", "email": "gil@acme.example.com"}]}
    assert stocked.post("/v2/person", body, **{"idempotency-key": "k"}).json()["contacts"]["0"]["data"]
    suppress(stocked, "gil@acme.example.com")
    again = stocked.post("/v2/person", body, **{"idempotency-key": "k"}).json()
    assert again["contacts"]["0"] == RESTRICTED


def test_partial_people_and_companies_are_left_out_on_request(stocked):
    cy = {"linkedinUrl": "https://www.linkedin.com/in/cy-cole"}
    assert person(stocked, **cy, partialProfile="false") == MISSED
    assert people(stocked, cy, metadata={"partialProfile": False})["contacts"]["0"] == MISSED
    assert person(stocked, **cy, partialProfile="true")["data"]["firstName"] == "Cy"
    assert company(stocked, company="Plain Ltd", partialCompany="false")["data"]
    assert companies(stocked, {"name": "Nobody"}, partialCompany=False) == {}


def test_ids_of_records_are_those_of_both_generations(stocked):
    token = search_contacts(stocked)["data"][0]["contactId"]
    for id in (token, str(contact_id(ANN)), contact_id(ANN)):
        assert people(stocked, {"personId": id})["contacts"]["0"]["data"]["personId"] == contact_id(ANN)
        assert enrich_contacts(stocked, id)["contacts"][0]["isSuccess"] is True
    assert people(stocked, {"personId": contact_id(BO)})["contacts"]["0"]["data"]["firstName"] == "Bo"
