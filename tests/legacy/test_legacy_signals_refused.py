"""The refusals of the legacy endpoints of signals."""

import pytest
from legacy_fixtures import COMPANIES, CONTACTS, answer_of

pytestmark = pytest.mark.any_database

FILTERS = "/api/signals/filters/contact"


@pytest.mark.parametrize(
    ("path", "body", "problem"),
    [
        (CONTACTS, {"contactIds": [1]}, "signals is required"),
        (CONTACTS, {"contactIds": [], "signals": ["promotion"]}, "contactIds must have at least 1 element"),
        (CONTACTS, {"contactIds": [1] * 101, "signals": ["promotion"]}, "contactIds must have at most 100"),
        (CONTACTS, {"contactIds": ["x"], "signals": ["promotion"]}, "contactIds.0 must be a record id"),
        (CONTACTS, {"contactIds": [-1], "signals": ["promotion"]}, "contactIds.0 must be at least 0"),
        (CONTACTS, {"contactIds": [1], "signals": []}, "signals must have at least 1 element"),
        (CONTACTS, {"contactIds": [1], "signals": ["riskNews"]}, "signals.0 must be one of: "),
        (
            CONTACTS,
            {"contactIds": [1], "signals": ["promotion"], "filters": {}},
            "property filters should not",
        ),
        (
            CONTACTS,
            {"contactIds": [1], "signals": ["promotion"], "startDate": "2026-02-30"},
            "startDate must be",
        ),
        (
            CONTACTS,
            {"contactIds": [1], "signals": ["promotion"], "startDate": "2999-01-01"},
            "startDate must not",
        ),
        (
            CONTACTS,
            {"contactIds": [1], "signals": ["promotion"], "maxResultsPerSignal": 0},
            "maxResultsPerSignal",
        ),
        (
            COMPANIES,
            {"companyIds": [1], "signals": ["riskNew"]},
            "signals.0 must be a known value; the nearest",
        ),
        (
            COMPANIES,
            {
                "companyIds": [1],
                "signals": ["allSignals"],
                "filters": {"include": {"hiringByLocations": [{"state": "Texas"}]}},
            },
            "filters.include.hiringByLocations.0.country is required",
        ),
        (
            COMPANIES,
            {
                "companyIds": [1],
                "signals": ["allSignals"],
                "filters": {"include": {"newsEventTypes": ["M&B"]}},
            },
            "filters.include.newsEventTypes.0 must be a known value",
        ),
        (
            COMPANIES,
            {
                "companyIds": [1],
                "signals": ["allSignals"],
                "filters": {"include": {"intentCategories": ["x"]}},
            },
            "filters.include.property intentCategories should not exist",
        ),
        (
            CONTACTS + "/search",
            {"contacts": [{"email": "a@b.example"}], "signals": ["promotion"]},
            "contacts.0.id",
        ),
        (CONTACTS + "/search", {"contacts": [{"id": "1"}], "signals": ["promotion"]}, "contacts.0 must have"),
        (
            COMPANIES + "/search",
            {"companies": [{"id": "x"}], "signals": ["riskNews"]},
            "companies.0.id must be",
        ),
        (COMPANIES + "/search", {"companies": [], "signals": ["riskNews"]}, "companies must have at least 1"),
    ],
)
def test_a_malformed_request_is_refused_with_its_path(directory, path, body, problem):
    answer = directory.post(path, body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["statusCode"] == 400
    assert answer.json()["message"].startswith(problem)


def test_an_invalid_full_name_is_412(directory):
    item = {"id": "1", "full_name": "Jane", "companies": [{"name": "Acme"}]}
    answer = directory.post(CONTACTS + "/search", {"contacts": [item], "signals": ["promotion"]})
    assert answer.status_code == 412
    assert answer.json()["message"] == "contacts.0.full_name must be a first and a last name"


@pytest.mark.parametrize("id", [2**53, 10**16, 10**30, 10**4000])
def test_a_number_of_any_length_is_an_id(directory, id):
    body = {"contactIds": [id], "signals": ["promotion"]}
    assert answer_of(directory, CONTACTS, body)["contacts"] == {}


def test_only_an_empty_exclude_is_accepted(directory):
    body = {"companyIds": [1], "signals": ["riskNews"], "filters": {"include": {}, "exclude": {}}}
    assert answer_of(directory, COMPANIES, body)["companies"] == {}
    body["filters"]["exclude"]["newsEventTypes"] = ["M&A"]
    refused = directory.post(COMPANIES, body).json()["message"]
    assert refused == "filters.exclude.property newsEventTypes should not exist"


def test_posts_are_unknown_to_the_legacy_endpoints(directory):
    body = {"companyIds": [1], "signals": ["riskNews", "linkedinActivityIntent"]}
    answer = directory.post(COMPANIES, body)
    assert answer.status_code == 400
    assert answer.json()["message"].startswith("signals.1 must be a type of this generation")


def test_a_key_may_be_repeated_with_the_same_item_but_not_with_another(directory):
    one, other = {"id": "1", "name": "Acme"}, {"id": "1", "name": "Rival"}
    path, signals = COMPANIES + "/search", ["riskNews"]
    assert list(answer_of(directory, path, {"companies": [one, one], "signals": signals})["companies"]) == [
        "1"
    ]
    refused = directory.post(path, {"companies": [one, other], "signals": signals})
    assert refused.status_code == 400
    assert refused.json()["message"] == "companies.1.id must not be the key of another item too"


def test_a_plan_without_signals_is_refused_by_name(make_service, tmp_path):
    plans = tmp_path / "plans.toml"
    plans.write_text("[plans.unlimited.features]\nsignals = false\n")
    closed = make_service(plans_file=str(plans))
    for path in (CONTACTS, CONTACTS + "/search", COMPANIES, COMPANIES + "/search", FILTERS):
        answer = closed.get(path) if path == FILTERS else closed.post(path, {})
        assert (path, answer.status_code, answer.json()["errors"]) == (path, 403, ["signals"])
