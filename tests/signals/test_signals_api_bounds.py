"""How much a signals call shows: from which day on, how many, how old."""

import msgspec
import signal_fixtures as world
from signal_calls import COMPANIES, ask
from signal_fixtures import TODAY, headcount, news, post, put


def test_without_a_start_everything_is_shown_and_the_start_is_the_oldest_day(service):
    ids = world.companies(service, 2)
    put(service.database, [headcount(1, "1999-05-01"), headcount(1, "2026-05-01")])
    answer = ask(service, COMPANIES, ids)
    assert (answer["startDate"], answer["endDate"]) == ("1999-05-01", TODAY)
    nothing = ask(service, COMPANIES, ids[1:])
    assert (nothing["startDate"], nothing["endDate"]) == (TODAY, TODAY)


def test_a_start_is_the_first_day_that_is_shown(service):
    ids = world.companies(service, 1)
    put(service.database, [headcount(1, day) for day in ("2026-04-30", "2026-05-01")])
    answer = ask(service, COMPANIES, ids, startDate="2026-05-01")
    assert [one["signalDate"] for one in answer["results"][0]["headcountIncrease3m"]] == ["2026-05-01"]
    assert answer["startDate"] == "2026-05-01"


def test_today_is_no_future(service):
    ids = world.companies(service, 1)
    assert ask(service, COMPANIES, ids, startDate=TODAY)["startDate"] == TODAY


def test_at_most_so_many_of_each_type_and_record_are_shown(service):
    ids = world.companies(service, 2)
    days = [f"2026-05-{day:02}" for day in range(1, 10)]
    put(service.database, [kind(n, day) for n in (1, 2) for day in days for kind in (headcount, news)])
    for result in ask(service, COMPANIES, ids, maxResultsPerSignal=2)["results"]:
        assert [one["signalDate"] for one in result["headcountIncrease3m"]] == days[:-3:-1]
        assert len(result["commercialActivityNews"]) == 2
        assert "truncated" not in result


def test_of_more_than_a_thousand_the_newest_thousand_are_shown_and_it_says_so(service):
    ids = world.companies(service, 2)
    url = "https://news.example.com/{}"
    first = news(1, "2026-05-01")
    many = [
        msgspec.structs.replace(first, number=number, key=url.format(n), day=f"{2026 - n // 300}-05-01")
        for number, count in ((1, 1001), (2, 1000))
        for n in range(count)
    ]
    put(service.database, many)
    above, at = ask(service, COMPANIES, ids)["results"]
    assert above["truncated"] is True
    assert len(above["commercialActivityNews"]) == 1000
    assert "truncated" not in at
    assert len(at["commercialActivityNews"]) == 1000
    filters = {"include": {"newsEventTypes": ["Partnership"]}}
    assert ask(service, COMPANIES, ids, filters=filters)["results"] == [above, at]


def test_posts_are_those_of_ninety_days_and_fifty_of_a_company(service):
    ids = world.companies(service, 2)
    put(
        service.database,
        [
            post(1, "2026-06-23"),
            post(1, "2026-06-22", "2"),
            headcount(1, "2020-01-01"),
            *(post(2, "2026-09-01", str(n)) for n in range(51)),
        ],
    )
    for more in ({}, {"startDate": "2019-01-01", "maxResultsPerSignal": 100}):
        one, other = ask(service, COMPANIES, ids, **more)["results"]
        assert [each["activityPublicationDate"] for each in one["linkedinActivityIntent"]] == ["2026-06-23"]
        assert len(one["headcountIncrease3m"]) == 1
        assert len(other["linkedinActivityIntent"]) == 50
    fewer = ask(service, COMPANIES, ids, maxResultsPerSignal=3)["results"][1]
    assert len(fewer["linkedinActivityIntent"]) == 3
