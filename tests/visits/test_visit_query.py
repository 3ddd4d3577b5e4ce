"""Requests of website visits: what is refused, with its path, and what defaults are."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import msgspec
import pytest

from firmograph.kit.errors import BadRequest
from firmograph.visits.query import VisitWindow, read_query
from firmograph.visits.shapes import WebsiteVisitsRequest

pytestmark = pytest.mark.no_database

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC).timestamp()
WINDOW = {"startDate": "2026-11-01", "endDate": "2026-11-30"}
TRACKED = {"a.example": UTC, "b.example": UTC}


def read(body, tracked=TRACKED, at=NOW):
    return read_query(msgspec.convert(WINDOW | body, WebsiteVisitsRequest), tracked, at)


def problems_of(body, **given):
    with pytest.raises(BadRequest) as refused:
        read(body, **given)
    return list(refused.value.errors)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"startDate": "2026-11"}, "startDate must be a date that exists, YYYY-MM-DD"),
        ({"startDate": "2026-1-1"}, "startDate must be a date that exists, YYYY-MM-DD"),
        ({"startDate": "20261101"}, "startDate must be a date that exists, YYYY-MM-DD"),
        ({"startDate": "2026-11-01T00:00:00Z"}, "startDate must be a date that exists, YYYY-MM-DD"),
        ({"endDate": "2026-11-31"}, "endDate must be a date that exists, YYYY-MM-DD"),
        ({"startDate": "2026-11-28"}, "startDate must not be in the future; today is 2026-11-27"),
        ({"endDate": "2026-10-31"}, "endDate must not be before startDate"),
        (
            {"startDate": "2026-08-29"},
            "endDate must be at most 3 months after startDate, on 2026-11-29 or before",
        ),
        ({"domains": ["a.example", "c.example"]}, "domains.1 must be one of: a.example, b.example"),
        ({"domains": ["no domain"]}, "domains.0 must be a domain such as example.com"),
        (
            {"filters": {"scoreBands": ["hot", "mild"]}},
            "filters.scoreBands.1 must be one of: cold, warm, hot",
        ),
        ({"filters": {"daysVisited": {"min": 3, "max": 2}}}, "filters.daysVisited.min must not be above max"),
        (
            {"filters": {"visitorCountries": {"include": ["DE", "UK"]}}},
            "filters.visitorCountries.include.1 must be a two-letter country code; the nearest is GB",
        ),
        (
            {"filters": {"visitorCountries": {"exclude": ["Germany"]}}},
            "filters.visitorCountries.exclude.0 must be a two-letter country code; the nearest is DE",
        ),
        (
            {"sort": {"by": "visitorCountry"}},
            "sort.by must be one of: score, totalSessions, uniqueVisitors, avgSessionMinutes, daysVisited,"
            " highIntentPageviews, daysSinceLastVisit, lastVisit",
        ),
        ({"sort": {"order": "down"}}, "sort.order must be one of: asc, desc"),
        (
            {"pagination": {"page": 0, "limit": 10}},
            "pagination must have either page and size, or limit and offset",
        ),
        (
            {"pagination": {"page": 1001, "size": 100}},
            "pagination.page must be at most 1000 for pages of 100",
        ),
    ],
)
def test_a_wrong_value_is_refused_with_its_path(body, problem):
    assert problems_of(body) == [problem]


def test_all_problems_of_a_request_are_named_at_once():
    body = {"domains": ["c.example"], "sort": {"order": "down"}, "endDate": "2026-02-30"}
    assert [problem.split()[0] for problem in problems_of(body)] == ["domains.0", "endDate", "sort.order"]


def test_without_tracked_domains_a_named_one_is_refused_and_none_is_accepted():
    assert problems_of({"domains": ["a.example"]}, tracked={}) == ["domains.0 is none: no domain is tracked"]
    assert read({}, tracked={}).sites == []


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2025-11-30", "2026-02-28"),
        ("2023-11-30", "2024-02-29"),
        ("2026-05-31", "2026-08-31"),
        ("2026-11-27", "2027-02-27"),
    ],
)
def test_a_window_of_three_calendar_months_is_accepted(start, end):
    window = read({"startDate": start, "endDate": end}).window
    assert window == VisitWindow(date.fromisoformat(start), date.fromisoformat(end))


def test_by_default_all_domains_are_ranked_by_score():
    query = read({})
    assert query.sites == [0, 1]
    assert (query.sort, query.ascending, query.offset, query.limit) == ("score", False, 0, 25)


def test_a_domain_counts_once_in_any_spelling():
    assert read({"domains": ["https://www.B.example/x", "b.example"]}).sites == [1]


def test_names_are_taken_in_any_letter_case():
    query = read(
        {
            "filters": {"scoreBands": ["HOT"], "visitorCountries": {"exclude": ["de"]}},
            "sort": {"by": "TOTALSESSIONS", "order": "ASC"},
        }
    )
    assert (query.criteria.bands, query.criteria.exclude) == (["hot"], ["DE"])
    assert (query.sort, query.ascending) == ("totalSessions", True)


@pytest.mark.parametrize(
    ("pagination", "offset", "limit"),
    [
        ({"page": 3, "size": 10}, 30, 10),
        ({"page": 2}, 50, 25),
        ({"offset": 7}, 7, 25),
        ({"limit": 150}, 0, 150),
    ],
)
def test_pages_are_given_in_both_forms(pagination, offset, limit):
    query = read({"pagination": pagination})
    assert (query.offset, query.limit) == (offset, limit)


def test_days_since_a_visit_count_to_the_end_or_today():
    assert VisitWindow(date(2026, 11, 1), date(2026, 11, 30)).until(date(2026, 11, 27)) == 26
    assert VisitWindow(date(2026, 11, 1), date(2026, 11, 20)).until(date(2026, 11, 27)) == 19


def test_today_is_the_latest_day_in_the_zones_of_the_chosen_sites():
    zones = {"a.example": UTC, "b.example": ZoneInfo("Pacific/Kiritimati")}
    tomorrow = {"startDate": "2026-11-28"}
    assert read(tomorrow | {"domains": ["b.example"]}, tracked=zones).today == date(2026, 11, 28)
    assert problems_of(tomorrow | {"domains": ["a.example"]}, tracked=zones)
