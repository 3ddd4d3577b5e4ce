"""What the signals calls refuse, and how they say so."""

import pytest
from signal_calls import COMPANIES, CONTACTS, refused


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
def test_a_bad_or_future_start_is_refused(reading, day, problem):
    for path in (CONTACTS, COMPANIES):
        body = {"ids": ["1"], "signalTypes": ["allSignals"], "startDate": day}
        assert refused(reading, path, body) == problem


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
        ({"tableId": "t"}, "property tableId should not exist"),
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
def test_a_body_that_does_not_fit_is_refused_with_its_path(reading, change, problem):
    body = {"ids": ["1"], "signalTypes": ["allSignals"], **change}
    assert refused(reading, COMPANIES, body).startswith(problem)


def test_empty_filters_and_ids_of_any_length_are_accepted(reading):
    body = {
        "ids": ["1" * 17, "9" * 5_000],
        "signalTypes": ["ALLSIGNALS"],
        "filters": {"include": {}, "exclude": {}},
    }
    answer = reading.post(COMPANIES, body)
    assert [result["error"]["code"] for result in answer.json()["results"]] == ["NOT_FOUND", "NOT_FOUND"]


def test_the_types_have_to_be_named(reading):
    assert refused(reading, COMPANIES, {"ids": ["1"]}) == "signalTypes is required"


def test_contacts_have_types_of_their_own_and_no_filters(reading):
    body = {"ids": ["1"], "signalTypes": ["riskNews"]}
    assert (
        refused(reading, CONTACTS, body)
        == "signalTypes.0 must be one of: allSignals, promotion, companyChange"
    )
    body = {"ids": ["1"], "signalTypes": ["promotion"], "filters": {}}
    assert refused(reading, CONTACTS, body) == "property filters should not exist"


def test_several_problems_are_told_at_once(reading):
    body = {"ids": ["1"], "signalTypes": ["a", "b"], "startDate": "never"}
    assert len(reading.post(COMPANIES, body).json()["errors"]) == 3
