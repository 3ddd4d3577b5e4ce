"""Start date, number and age of the signals in an answer."""

import msgspec
import pytest
import signal_fixtures as world
from signal_calls import COMPANIES, request_signals
from signal_fixtures import TODAY, headcount, insert_signals, news, post

pytestmark = pytest.mark.any_database


@pytest.fixture
def service(shared_service):
    """Return a new account of the module's application; each test has records of its own."""
    return shared_service.with_account()


def test_all_signals_are_shown_without_a_start_date(service):
    ids = world.companies(service, 2)
    insert_signals(service.database, [headcount(ids[0], day) for day in ("1999-05-01", "2026-05-01")])
    answer = request_signals(service, COMPANIES, ids)
    assert (answer["startDate"], answer["endDate"]) == ("1999-05-01", TODAY)
    nothing = request_signals(service, COMPANIES, ids[1:])
    assert (nothing["startDate"], nothing["endDate"]) == (TODAY, TODAY)


def test_the_start_date_is_the_first_day_shown(service):
    ids = world.companies(service, 1)
    insert_signals(service.database, [headcount(ids[0], day) for day in ("2026-04-30", "2026-05-01")])
    answer = request_signals(service, COMPANIES, ids, startDate="2026-05-01")
    assert [one["signalDate"] for one in answer["results"][0]["headcountIncrease3m"]] == ["2026-05-01"]
    assert answer["startDate"] == "2026-05-01"


def test_today_is_a_valid_start_date(service):
    ids = world.companies(service, 1)
    assert request_signals(service, COMPANIES, ids, startDate=TODAY)["startDate"] == TODAY


def test_the_maximum_applies_to_each_type_and_record(service):
    ids = world.companies(service, 2)
    days = [f"2026-05-{day:02}" for day in range(1, 10)]
    insert_signals(
        service.database, [kind(id, day) for id in ids for day in days for kind in (headcount, news)]
    )
    for result in request_signals(service, COMPANIES, ids, maxResultsPerSignal=2)["results"]:
        assert [one["signalDate"] for one in result["headcountIncrease3m"]] == days[:-3:-1]
        assert len(result["commercialActivityNews"]) == 2
        assert "truncated" not in result


def test_more_than_a_thousand_signals_are_truncated_to_the_newest_thousand(service):
    ids = world.companies(service, 2)
    url = "https://news.example.com/{}"
    many = [
        msgspec.structs.replace(news(id, "2026-05-01"), key=url.format(n), day=f"{2026 - n // 300}-05-01")
        for id, count in zip(ids, (1001, 1000), strict=True)
        for n in range(count)
    ]
    insert_signals(service.database, many)
    above, at = request_signals(service, COMPANIES, ids)["results"]
    assert above["truncated"] is True
    assert len(above["commercialActivityNews"]) == 1000
    assert "truncated" not in at
    assert len(at["commercialActivityNews"]) == 1000
    filters = {"include": {"newsEventTypes": ["Partnership"]}}
    assert request_signals(service, COMPANIES, ids, filters=filters)["results"] == [above, at]


def test_posts_are_limited_to_ninety_days_and_fifty_of_a_company(service):
    ids = world.companies(service, 2)
    insert_signals(
        service.database,
        [
            post(ids[0], "2026-06-23"),
            post(ids[0], "2026-06-22", "2"),
            headcount(ids[0], "2020-01-01"),
            *(post(ids[1], "2026-09-01", str(n)) for n in range(51)),
        ],
    )
    for more in ({}, {"startDate": "2019-01-01", "maxResultsPerSignal": 100}):
        one, other = request_signals(service, COMPANIES, ids, **more)["results"]
        assert [each["activityPublicationDate"] for each in one["linkedinActivityIntent"]] == ["2026-06-23"]
        assert len(one["headcountIncrease3m"]) == 1
        assert len(other["linkedinActivityIntent"]) == 50
    fewer = request_signals(service, COMPANIES, ids, maxResultsPerSignal=3)["results"][1]
    assert len(fewer["linkedinActivityIntent"]) == 3
