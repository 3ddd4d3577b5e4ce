"""Filters by signals over HTTP. The clock is set to 2026-09-21."""

import people_fixtures
import pytest
from people_fixtures import companies, contacts, found

from firmograph.security.record_ids import Entity
from installation_factory import make_suppression
from signal_factory import put_detected
from stored_records import stored_contacts

pytestmark = pytest.mark.any_database

ACME, UMBRELLA = 1, 2
ALL = {"types": ["allSignals"]}


def load(database):
    """Load the small directory, with some recent signals."""
    people_fixtures.load(database)
    numbers = {record.first_name: number for number, (record, _) in stored_contacts(database).items()}
    put_detected(
        database,
        Entity.CONTACT,
        (numbers["Ann"], "promotion", "2026-03-01"),
        (numbers["Ann"], "companyChange", "2025-01-01"),
        (numbers["Ben"], "companyChange", "2026-09-21"),
        (numbers["Eve"], "promotion", "2024-05-05"),
    )
    put_detected(
        database,
        Entity.COMPANY,
        (ACME, "surgeInHiringByDepartment", "2026-08-30", "Sales"),
        (ACME, "surgeInHiringByLocation", "2026-07-05", "US|CA"),
        (ACME, "headcountIncrease3m", "2026-06-30"),
        (UMBRELLA, "linkedinActivityIntent", "2026-09-01", "|Technology|"),
        (UMBRELLA, "linkedinActivityIntent", "2026-01-01", "|Business|"),
    )


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with people_fixtures.served(tmp_path_factory.mktemp("signals"), load) as service:
        yield service


def types_by_name(service, kind, signals, **rest):
    """Return the types that each result shows, by its name, in the order of the results."""
    body = {"filters": {kind: {"include": {"signals": signals}}}, **rest}
    answer = service.post(f"/v3/{kind}/prospecting", body)
    assert answer.status_code == 200, answer.text
    results = answer.json()["results"]
    assert answer.json()["pagination"]["total"] == len(results)
    return {result.get("name") or result["firstName"]: result["signalTypes"] for result in results}


def company_types_by_name(service, **signals):
    return types_by_name(service, "companies", signals, options={"includePartialProfiles": True})


def refused(service, kind, signals):
    answer = service.post(f"/v3/{kind}/prospecting", {"signals": signals})
    return answer.status_code, answer.json()["message"]


@pytest.mark.parametrize(
    ("signals", "expected"),
    [
        (ALL, {"Ann": ["promotion", "companyChange"], "Ben": ["companyChange"], "Eve": ["promotion"]}),
        ({"types": ["companyChange"]}, {"Ann": ["companyChange"], "Ben": ["companyChange"]}),
        ({**ALL, "startDate": "2026-03-01"}, {"Ann": ["promotion"], "Ben": ["companyChange"]}),
        ({**ALL, "startDate": "2026-03-02"}, {"Ben": ["companyChange"]}),
        ({**ALL, "startDate": "2026-09-21", "maxResultsPerSignal": 1}, {"Ben": ["companyChange"]}),
    ],
)
def test_people_are_found_by_their_signals_and_show_the_requested_ones(service, signals, expected):
    assert types_by_name(service, "contacts", signals) == expected


@pytest.mark.parametrize(
    ("signals", "expected"),
    [
        (
            {"types": ["surgeInHiringByLocation", "headcountIncrease3m"]},
            {"Acme Instruments": ["headcountIncrease3m", "surgeInHiringByLocation"]},
        ),
        (
            {"types": ["surgeInHiringByLocation"], "filterByLocation": [{"country": "United States"}]},
            {"Acme Instruments": ["surgeInHiringByLocation"]},
        ),
        (
            {"types": ["surgeInHiringByLocation"], "filterByLocation": [{"country": "US", "state": "Texas"}]},
            {},
        ),
        (
            {
                "types": ["allSignals"],
                "filterByLocation": [{"country": "DE"}],
                "filterByDepartment": [{"department": "sales", "startDate": "2026-08-31"}],
                "filterByIntentCategory": ["technology"],
            },
            {"Acme Instruments": ["headcountIncrease3m"], "Umbrella Labs": ["linkedinActivityIntent"]},
        ),
        ({"types": ["linkedinActivityIntent"], "filterByIntentCategory": ["Business"]}, {}),
    ],
)
def test_companies_are_found_by_signals_with_each_type_narrowed_by_its_own_filter(service, signals, expected):
    assert company_types_by_name(service, **signals) == expected


def test_intent_categories_may_be_at_the_top_level(service):
    body = {"signals": ALL, "filterByIntentCategory": ["Human Resources"]}
    (result,) = service.post("/v3/companies/prospecting", body).json()["results"]
    assert result["name"] == "Acme Instruments"


def test_signals_of_the_company_find_its_people_without_showing_theirs(service):
    body = companies({"signals": {"types": ["headcountIncrease3m"]}})
    results = service.post("/v3/contacts/prospecting", body).json()["results"]
    assert {result["firstName"] for result in results} == {"Ann", "Ben", "Cat"}
    assert not any("signalTypes" in result for result in results)


def test_records_with_an_excluded_signal_are_left_out(service):
    body = {"filters": {"contacts": {"exclude": {"signals": ALL}, "include": {"countries": ["DE", "US"]}}}}
    results = service.post("/v3/contacts/prospecting", body).json()["results"]
    assert {result["firstName"] for result in results} == {"Cat", "Dan"}
    assert not any("signalTypes" in result for result in results)


def test_a_suppressed_person_is_found_by_no_signal(database, make_service, keyring):
    load(database)
    service = make_service()
    people_fixtures.wait(service)
    suppression = make_suppression(service.database, keyring, service.clock)
    suppression.suppress(suppression.person(email="ann@people.example.com"))
    assert found(service, contacts({"signals": ALL})) == ["Baker", "Ember"]


@pytest.mark.parametrize("kind", ["contacts", "companies"])
@pytest.mark.parametrize(
    ("signals", "message"),
    [
        ({**ALL, "startDate": "2026-09-22"}, "signals.startDate must not be in the future; today is 2026-09-21 in UTC"),
        ({**ALL, "startDate": "2026-02-30"}, "signals.startDate must be a date that exists, YYYY-MM-DD"),
        ({**ALL, "startDate": "2026-9-1"}, "signals.startDate must be a date that exists, YYYY-MM-DD"),
        ({"startDate": "2026-01-01"}, "signals.types must have at least 1 element"),
        ({**ALL, "maxResultsPerSignal": 101}, "signals.maxResultsPerSignal must be at most 100"),
    ],
)  # fmt: skip
def test_an_invalid_signal_filter_is_400(service, kind, signals, message):
    assert refused(service, kind, signals) == (400, message)


def test_a_state_without_its_country_is_400(service):
    signals = {"types": ["surgeInHiringByLocation"], "filterByLocation": [{"state": "CA"}]}
    assert refused(service, "companies", signals) == (400, "signals.filterByLocation.0.country is required")


def test_a_plan_without_signals_is_403_and_names_them(database, make_service, tmp_path):
    plans = tmp_path / "plans.toml"
    plans.write_text("[plans.unlimited.features]\nsignals = false\n")
    people_fixtures.load(database)
    service = make_service(plans_file=str(plans))
    people_fixtures.wait(service)
    for kind, side, clause in (
        ("contacts", "contacts", "include"),
        ("contacts", "companies", "exclude"),
        ("companies", "companies", "include"),
        ("companies", "companies", "exclude"),
    ):
        body = {"filters": {side: {clause: {"signals": {"types": ["nonsense"]}}}}}
        answer = service.post(f"/v3/{kind}/prospecting", body)
        assert (answer.status_code, answer.json()["errors"]) == (403, ["signals"])
    assert refused(service, "companies", ALL)[0] == 403
    assert found(service, contacts({"signals": {}, "countries": ["FR"]})) == ["Fisher"]


def test_a_paid_page_is_shown_again_with_its_signals(database, make_service, tmp_path):
    plans = tmp_path / "plans.toml"
    plans.write_text("[pricing]\ncontactSearch = { credits = 3, perQuantity = 4 }\n")
    people_fixtures.load(database)
    (ann, *_) = stored_contacts(database)
    put_detected(database, Entity.CONTACT, (ann, "promotion", "2026-03-01"))
    service = make_service(plans_file=str(plans))
    people_fixtures.wait(service)
    answers = [
        service.post("/v3/contacts/prospecting", {"signals": ALL}, **{"idempotency-key": "k"}).json()
        for _ in range(2)
    ]
    assert answers[0] == answers[1]
    assert answers[0]["results"][0]["signalTypes"] == ["promotion"]
    assert answers[0]["billing"] == {"creditsCharged": 3, "resultsReturned": 1}
