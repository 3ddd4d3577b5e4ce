"""Search narrowed to records with recent signals. The clock is set to 2026-09-21."""

import demo_people
import pytest

from firmograph.security.record_ids import Entity
from installation_factory import make_suppression
from record_factory import contact, load_contacts
from signal_factory import put_detected
from stored_records import stored_companies, stored_contacts

pytestmark = pytest.mark.any_database

JANE, BOB, NOBODY = ({"email": f"{name}@acme.example"} for name in ("jane", "bob", "nobody"))
ACME, RIVAL = {"domain": "acme.example"}, {"name": "Rival"}
PRICED = """
[pricing]
contactSearch = { credits = 1, perQuantity = 25 }
companySearch = { credits = 1, perQuantity = 1 }
"""


def put_all(database):
    people = {record.first_name: number for number, (record, _) in stored_contacts(database).items()}
    firms = {record.name: number for number, record in stored_companies(database).items()}
    put_detected(
        database,
        Entity.CONTACT,
        (people["Jane"], "promotion", "2026-03-01"),
        (people["Jane"], "companyChange", "2025-03-01"),
        (people["Mu"], "promotion", "2026-03-01"),
    )
    put_detected(
        database,
        Entity.COMPANY,
        (firms["Acme Inc"], "surgeInHiringByDepartment", "2026-08-30", "Sales"),
        (firms["Acme Inc"], "riskNews", "2026-08-30", "Security Issue"),
        (firms["Rival"], "surgeInHiringByDepartment", "2026-08-30", "Legal"),
        (firms["Rival"], "linkedinActivityIntent", "2026-06-22", "|Business|"),
    )


@pytest.fixture(scope="module")
def activity(directory):
    """Store signals of people and companies of the small directory."""
    put_all(directory.database)


@pytest.fixture
def active(people, activity):
    return people


def search(service, kind, items, signals, **headers):
    """Return the result of each item, its types of signals or its error code, and the bill."""
    answer = service.post(f"/v3/{kind}/search", {kind: items, "signals": signals}, **headers)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    return [
        result["error"]["code"] if "error" in result else result["signalTypes"] for result in body["results"]
    ], body["billing"]


@pytest.mark.parametrize(
    ("signals", "expected"),
    [
        ({"types": ["allSignals"]}, ["promotion", "companyChange"]),
        ({"types": ["companyChange"], "maxResultsPerSignal": 5}, ["companyChange"]),
        ({"types": ["allSignals"], "startDate": "2026-03-01"}, ["promotion"]),
        ({"types": ["allSignals"], "startDate": "2026-03-02"}, "NOT_FOUND"),
    ],
)
def test_a_contact_without_activity_is_not_found(active, signals, expected):
    found, billing = search(active, "contacts", [JANE, BOB, NOBODY], signals)
    assert found == [expected, "NOT_FOUND", "NOT_FOUND"]
    assert billing == {"creditsCharged": 0, "resultsReturned": int(expected != "NOT_FOUND")}


@pytest.mark.parametrize(
    ("signals", "expected"),
    [
        (
            {"types": ["allSignals"]},
            [["surgeInHiringByDepartment", "riskNews"], ["surgeInHiringByDepartment"]],
        ),
        (
            {"types": ["allSignals"], "filterByDepartment": [{"department": "Legal"}]},
            [["riskNews"], ["surgeInHiringByDepartment"]],
        ),
        ({"types": ["linkedinActivityIntent"]}, ["NOT_FOUND", "NOT_FOUND"]),
    ],
)
def test_a_company_without_activity_is_not_found(active, signals, expected):
    assert search(active, "companies", [ACME, RIVAL], signals)[0] == expected


def test_an_item_that_is_not_found_keeps_its_reference_and_nothing_else(active):
    items = [{**BOB, "clientReferenceId": "r"}]
    body = {"contacts": items, "signals": {"types": ["promotion"]}}
    assert active.post("/v3/contacts/search", body).json()["results"] == [
        {"clientReferenceId": "r", "error": {"code": "NOT_FOUND", "message": "Contact not found"}}
    ]


def test_partial_profiles_are_left_out_as_without_signals(active):
    mute = {"firstName": "Mu", "lastName": "Te", "companyName": "Acme"}
    for partial, expected in ((True, ["promotion"]), (False, "NOT_FOUND")):
        body = {
            "contacts": [mute],
            "signals": {"types": ["promotion"]},
            "options": {"includePartialProfiles": partial},
        }
        (result,) = active.post("/v3/contacts/search", body).json()["results"]
        assert result.get("signalTypes", result.get("error", {}).get("code")) == expected


def test_a_suppressed_contact_stays_restricted_in_any_request(active, keyring):
    kim = {"email": "kim@acme.example"}
    load_contacts(active.database, "test", [contact("Kim", "Orr", emails=[kim["email"]])])
    numbers = [
        number
        for number, (record, _) in stored_contacts(active.database).items()
        if record.last_name == "Orr"
    ]
    put_detected(
        active.database, Entity.CONTACT, *((number, "promotion", "2026-03-01") for number in numbers)
    )
    assert search(active, "contacts", [kim], {"types": ["promotion"]})[0] == [["promotion"]]
    suppression = make_suppression(active.database, keyring, active.clock)
    suppression.suppress(suppression.person(**kim))
    assert search(active, "contacts", [kim], {"types": ["promotion"]})[0] == ["COMPLIANCE_RESTRICTED"]


def test_a_search_without_signals_shows_none(active):
    (result,) = active.post("/v3/contacts/search", {"contacts": [JANE]}).json()["results"]
    assert "signalTypes" not in result


@pytest.mark.parametrize("kind", ["contacts", "companies"])
@pytest.mark.parametrize(
    ("signals", "message"),
    [
        ({}, "signals.types is required"),
        ({"types": []}, "signals.types must have at least 1 element"),
        (
            {"types": ["allSignals"], "startDate": "2026-09-22"},
            "signals.startDate must not be in the future; today is 2026-09-21 in UTC",
        ),
        ({"types": ["allSignals"], "startDate": "soon"}, "signals.startDate must be a date that exists, YYYY-MM-DD"),
        ({"types": ["allSignals"], "maxResultsPerSignal": 101}, "signals.maxResultsPerSignal must be at most 100"),
        ({"types": ["allSignals"], "names": []}, "signals.property names should not exist"),
    ],
)  # fmt: skip
def test_an_invalid_signal_filter_is_400(active, kind, signals, message):
    answer = active.post(f"/v3/{kind}/search", {kind: [{"id": "1"}], "signals": signals})
    assert (answer.status_code, answer.json()["message"]) == (400, message)


def test_several_errors_are_reported_at_once(active):
    signals = {"types": ["promoted"], "startDate": "2027-01-01"}
    answer = active.post("/v3/contacts/search", {"contacts": [JANE], "signals": signals})
    assert [problem.split(" ")[0] for problem in answer.json()["errors"]] == [
        "signals.types.0",
        "signals.startDate",
    ]


@pytest.mark.parametrize("path", ["/v3/contacts/search-and-enrich", "/v3/companies/search-and-enrich"])
def test_search_and_enrich_takes_no_signals(active, path):
    kind = path.split("/")[2]
    answer = active.post(path, {kind: [{"id": "1"}], "signals": {"types": ["allSignals"]}})
    assert (answer.status_code, answer.json()["message"]) == (400, "property signals should not exist")


def with_plans(make_service, tmp_path, text):
    plans = tmp_path / "plans.toml"
    plans.write_text(text)
    service = make_service(plans_file=str(plans))
    demo_people.load(service.database)
    put_all(service.database)
    return service


def test_a_plan_without_signals_is_403_and_names_them(make_service, tmp_path):
    service = with_plans(make_service, tmp_path, "[plans.unlimited.features]\nsignals = false\n")
    for kind, item in (("contacts", JANE), ("companies", ACME)):
        answer = service.post(f"/v3/{kind}/search", {kind: [item], "signals": {"types": ["nonsense"]}})
        assert (answer.status_code, answer.json()["errors"]) == (403, ["signals"])
        assert service.post(f"/v3/{kind}/search", {kind: [item]}).status_code == 200


@pytest.mark.parametrize(
    ("kind", "items", "types"),
    [
        ("contacts", [JANE, BOB], ["promotion", "companyChange"]),
        ("companies", [ACME, {"name": "Top"}], ["surgeInHiringByDepartment", "riskNews"]),
    ],
)
def test_a_priced_search_charges_only_for_active_records(make_service, tmp_path, kind, items, types):
    service = with_plans(make_service, tmp_path, PRICED)
    for _ in range(2):
        found = search(service, kind, items, {"types": ["allSignals"]}, **{"idempotency-key": "k"})
        assert found == ([types, "NOT_FOUND"], {"creditsCharged": 1, "resultsReturned": 1})
    assert service.get("/v3/account/usage").json()["credits"]["used"] == 1
