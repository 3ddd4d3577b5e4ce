"""Refused bodies of the signals endpoints and their messages."""

import pytest
from signal_calls import COMPANIES, CONTACTS, refusal_message

pytestmark = pytest.mark.any_database


@pytest.mark.parametrize(
    ("day", "problem"),
    [
        ("2026-02-30", "startDate must be a date that exists, YYYY-MM-DD"),
        ("2026-5-1", "startDate must be a date that exists, YYYY-MM-DD"),
        ("2026-W10-1", "startDate must be a date that exists, YYYY-MM-DD"),
        ("20260501", "startDate must be a date that exists, YYYY-MM-DD"),
        ("٢٠٢٦-٠١-٠١", "startDate must be a date that exists, YYYY-MM-DD"),
        ("2026-09-22", "startDate must not be in the future; today is 2026-09-21 in UTC"),
    ],
)
def test_an_invalid_or_future_start_date_is_refused(shared_service, day, problem):
    for path in (CONTACTS, COMPANIES):
        body = {"ids": ["1"], "signalTypes": ["allSignals"], "startDate": day}
        assert refusal_message(shared_service, path, body) == problem


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"ids": []}, "ids must have at least 1 element"),
        ({"ids": ["1"] * 101}, "ids must have at most 100 elements"),
        (
            {"ids": ["1", "x"]},
            "ids.1 must be a record id: `v` and a version, a point and opaque text, or digits",
        ),
        ({"ids": None}, "ids is required"),
        ({"signalTypes": []}, "signalTypes must have at least 1 element"),
        (
            {"signalTypes": ["allSignals", "riskyNews"]},
            "signalTypes.1 must be a known value; the nearest are: riskNews",
        ),
        ({"maxResultsPerSignal": 0}, "maxResultsPerSignal must be at least 1"),
        ({"maxResultsPerSignal": 101}, "maxResultsPerSignal must be at most 100"),
        (
            {"filters": {"exclude": {"newsEventTypes": ["M&A"]}}},
            "filters.exclude.property newsEventTypes should not exist",
        ),
        (
            {"filters": {"include": {"newsEventTypes": ["Partnering"]}}},
            "filters.include.newsEventTypes.0 must be a known value; the nearest are: Partnership",
        ),
        (
            {"filters": {"include": {"hiringByDepartments": ["Sails"]}}},
            "filters.include.hiringByDepartments.0 must be a known value; the nearest are: Sales",
        ),
        (
            {"filters": {"include": {"hiringByLocations": [{"country": "US"}, {"state": "California"}]}}},
            "filters.include.hiringByLocations.1.country is required",
        ),
    ],
)
def test_an_invalid_body_is_refused_with_the_path_of_the_error(shared_service, change, problem):
    body = {"ids": ["1"], "signalTypes": ["allSignals"], **change}
    assert refusal_message(shared_service, COMPANIES, body).startswith(problem)


def test_empty_filters_and_ids_of_any_length_are_accepted(shared_service):
    body = {
        "ids": ["1" * 17, "9" * 5_000],
        "signalTypes": ["ALLSIGNALS"],
        "filters": {"include": {}, "exclude": {}},
    }
    answer = shared_service.post(COMPANIES, body)
    assert [result["error"]["code"] for result in answer.json()["results"]] == ["NOT_FOUND", "NOT_FOUND"]


def test_signal_types_are_required(shared_service):
    assert refusal_message(shared_service, COMPANIES, {"ids": ["1"]}) == "signalTypes is required"


def test_contacts_have_their_own_types_and_no_filters(shared_service):
    body = {"ids": ["1"], "signalTypes": ["riskNews"]}
    assert (
        refusal_message(shared_service, CONTACTS, body)
        == "signalTypes.0 must be one of: allSignals, promotion, companyChange"
    )
    body = {"ids": ["1"], "signalTypes": ["promotion"], "filters": {}}
    assert refusal_message(shared_service, CONTACTS, body) == "property filters should not exist"


def test_all_errors_of_a_body_are_reported_together(shared_service):
    body = {"ids": ["1"], "signalTypes": ["a", "b"], "startDate": "never"}
    assert len(shared_service.post(COMPANIES, body).json()["errors"]) == 3
