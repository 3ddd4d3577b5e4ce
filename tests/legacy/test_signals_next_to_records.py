"""Signals next to people and companies of legacy calls."""

import pytest
from legacy_fixtures import ACME, JANE, JOE, POST, RIVAL, days_ago, legacy, put, signal
from legacy_records import ANY_REQUEST, companies, company, people, person, post, search, used

from firmograph.security.record_ids import Entity

pytestmark = pytest.mark.any_database

JANES = {"email": "jane@acme.example"}
JOES = {"email": "joe@rival.example"}
ALL_OF_ACME = {
    "headcountIncrease3m",
    "surgeInHiringByDepartment",
    "surgeInHiringByLocation",
    "commercialActivityNews",
    "riskNews",
}


def shown(record):
    """Return the types of signals of a record with the number of their events."""
    types = {*ALL_OF_ACME, "promotion", "companyChange", "linkedinActivityIntent"}
    return {type: len(events) for type, events in record.items() if type in types}


def test_a_person_has_an_array_for_each_asked_type(directory):
    answer = person(directory, **JANES, signals="allSignals")
    assert shown(answer["data"]) == {"promotion": 2, "companyChange": 1}
    assert answer["data"]["promotion"][0]["personId"] == str(legacy(Entity.CONTACT, JANE))
    assert shown(person(directory, **JOES, signals=["promotion"])["data"]) == {"promotion": 0}
    assert shown(person(directory, **JOES)["data"]) == {}


def test_signals_of_people_start_at_their_date(directory):
    metadata = {"signals": ["promotion"], "signalsStartDate": "2026-03-15"}
    answer = people(directory, JANES, metadata=metadata)
    assert shown(answer["contacts"]["0"]["data"]) == {"promotion": 1}


def test_signals_cost_what_a_call_of_their_own_costs_and_are_paid_once(directory):
    person(directory, **JANES)
    assert used(directory) == 1
    answer = person(directory, **JANES, signals="allSignals")
    assert answer["isCreditCharged"] is True
    assert used(directory) == 1 + 2
    assert person(directory, **JANES, signals="allSignals")["isCreditCharged"] is False
    body = {"contactIds": [legacy(Entity.CONTACT, JANE)], "signals": ["allSignals"]}
    assert post(directory, "/api/signals/contacts", body)["creditCharged"] == 0
    assert used(directory) == 3


def test_who_lacks_what_is_asked_for_has_no_signals_for_nothing(directory):
    answer = person(directory, **JANES, revealPhones="true", signals="allSignals")
    assert answer["error"]["name"] == "EMPTY_DATA"
    assert shown(answer["data"]) == {}
    assert used(directory) == 0


def test_a_company_has_the_types_with_events(directory):
    answer = company(directory, domain="acme.example", signals=["allSignals"])
    assert set(shown(answer["data"])) == ALL_OF_ACME
    rival = companies(directory, {"name": "Rival"}, signals=["allSignals"])["0"]
    assert shown(rival) == {}


@pytest.mark.parametrize("nested", [False, True], ids=["direct", "in include"])
def test_any_value_of_the_filters_suffices_in_any_letter_case(directory, nested):
    def shown_with(**filters):
        given = {"include": filters} if nested else filters
        answer = companies(
            directory, {"domain": "acme.example"}, signals=["allSignals"], signalsFilters=given
        )
        return shown(answer["0"])

    assert shown_with(newsEventTypes=["PARTNERSHIP", "ipo"])["commercialActivityNews"] == 1
    assert shown_with(hiringByDepartments=["sales"])["surgeInHiringByDepartment"] == 1
    assert (
        shown_with(hiringByLocations=[{"country": "us", "state": "california"}])["surgeInHiringByLocation"]
        == 1
    )


def test_signals_stand_next_to_enriched_companies_too(directory):
    body = {
        "requestId": ANY_REQUEST,
        "companiesIds": [legacy(Entity.COMPANY, ACME)],
        "signals": ["riskNews"],
    }
    answer = post(directory, "/prospecting/company/enrich", body)
    assert shown(answer["companies"][0]) == {"riskNews": 1}
    # the base of a company that holds nothing but name and domain is free
    assert answer["billing"] == {"creditsCharged": 1, "resultsReturned": 1}


def test_a_repeated_key_shows_the_signals_of_the_first_answer(directory):
    body = {
        "contacts": [{"contactId": "1", **JANES}, {"contactId": "2", **JOES}],
        "metadata": {"signals": ["allSignals"]},
    }
    first = directory.post("/v2/person", body, **{"idempotency-key": "k"})
    spent = used(directory)
    assert spent == 2 + 2
    assert directory.post("/v2/person", body, **{"idempotency-key": "k"}).content == first.content
    assert used(directory) == spent
    assert first.json()["contacts"]["2"]["data"]["personId"] == legacy(Entity.CONTACT, JOE)


def test_a_search_by_signals_names_the_types_found(directory):
    search(directory)
    body = {"filters": {"contacts": {"include": {"signals": {"names": ["promotion"]}}}}}
    answer = post(directory, "/prospecting/contact/search", body)
    assert [one["signalTypes"] for one in answer["data"]] == [["promotion"]]
    body = {
        "filters": {"companies": {"include": {"signals": {"names": ["riskNews"], "startDate": "2026-02-01"}}}}
    }
    assert post(directory, "/prospecting/company/search", body)["data"][0]["signalTypes"] == ["riskNews"]


def test_all_signals_of_a_search_are_those_of_this_generation(directory):
    day = days_ago(directory, 3)
    put(directory, signal(RIVAL, "linkedinActivityIntent", day, POST))
    search(directory)

    def found(name):
        body = {"filters": {"companies": {"include": {"signals": {"names": [name]}}}}}
        return post(directory, "/prospecting/company/search", body)["data"]

    (acme,) = found("AllSignals")
    assert set(acme["signalTypes"]) == ALL_OF_ACME
