"""Filters of the signals endpoints."""

import pytest
import signal_fixtures as world
from signal_calls import COMPANIES, request_signals
from signal_fixtures import headcount, insert_signals, news, post

pytestmark = pytest.mark.any_database


def days_shown(shared_service, ids, include, type):
    """Return the days of the remaining signals of a type."""
    result = request_signals(shared_service, COMPANIES, ids, filters={"include": include})["results"][0]
    return [
        one.get("signalDate") or one.get("articlePublishedDate") or one["activityPublicationDate"]
        for one in result.get(type, [])
    ]


@pytest.fixture(scope="module")
def ids(shared_service):
    """Create a company with several signals of each filtered type, and one of another type."""
    ids = world.companies(shared_service, 1)
    insert_signals(
        shared_service.database,
        [
            news(ids[0], "2026-05-01", "Partnership"),
            news(ids[0], "2026-05-02", "New Customer"),
            news(ids[0], "2026-05-03", "Lawsuit Faced", "riskNews"),
            world.department(ids[0], "2026-05-01", "Sales"),
            world.department(ids[0], "2026-05-02", "Finance"),
            world.surge(ids[0], "2026-05-01", "United States", None, "US"),
            world.surge(ids[0], "2026-05-02", "United States", "California", "US|CA"),
            world.surge(ids[0], "2026-05-03", "Germany", "Bavaria", "DE|BY"),
            post(ids[0], "2026-09-01", "1", categories=("Technology", "Business")),
            post(ids[0], "2026-09-02", "2", categories=("Business",)),
            headcount(ids[0], "2026-05-01"),
        ],
    )
    return ids


@pytest.mark.parametrize(
    ("include", "type", "days"),
    [
        ({"newsEventTypes": ["new customer"]}, "commercialActivityNews", ["2026-05-02"]),
        (
            {"newsEventTypes": ["New Customer", "PARTNERSHIP"]},
            "commercialActivityNews",
            ["2026-05-02", "2026-05-01"],
        ),
        ({"newsEventTypes": ["New Customer"]}, "riskNews", []),
        ({"newsEventTypes": []}, "riskNews", ["2026-05-03"]),
        ({"hiringByDepartments": ["sales"]}, "surgeInHiringByDepartment", ["2026-05-01"]),
        (
            {"hiringByDepartments": ["Sales"]},
            "surgeInHiringByLocation",
            ["2026-05-03", "2026-05-02", "2026-05-01"],
        ),
        ({"hiringByLocations": [{"country": "us"}]}, "surgeInHiringByLocation", ["2026-05-02", "2026-05-01"]),
        (
            {"hiringByLocations": [{"country": "united states", "state": "california"}]},
            "surgeInHiringByLocation",
            ["2026-05-02"],
        ),
        (
            {"hiringByLocations": [{"country": "USA", "state": "CA"}]},
            "surgeInHiringByLocation",
            ["2026-05-02"],
        ),
        ({"hiringByLocations": [{"country": "US", "state": "BY"}]}, "surgeInHiringByLocation", []),
        (
            {"hiringByLocations": [{"country": "US", "state": "CA"}, {"country": "DE"}]},
            "surgeInHiringByLocation",
            ["2026-05-03", "2026-05-02"],
        ),
        ({"hiringByLocations": [{"country": "Nowhere"}]}, "surgeInHiringByLocation", []),
        ({"intentCategories": ["technology"]}, "linkedinActivityIntent", ["2026-09-01"]),
        ({"intentCategories": ["Business"]}, "linkedinActivityIntent", ["2026-09-02", "2026-09-01"]),
        ({"intentCategories": ["Gardening"]}, "linkedinActivityIntent", []),
        (
            {"intentCategories": ["Gardening"], "newsEventTypes": ["IPO"]},
            "headcountIncrease3m",
            ["2026-05-01"],
        ),
    ],
)
def test_a_filter_restricts_its_own_types_to_any_of_its_values(shared_service, ids, include, type, days):
    assert days_shown(shared_service, ids, include, type) == days
