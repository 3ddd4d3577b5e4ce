"""A signal of tomorrow is there from its day on, in UTC, and an older one stays in its place until then."""

import pytest
import signal_fixtures as world
from signal_calls import COMPANIES, CONTACTS, TOKENS, ask
from signal_fixtures import move, news, put

from firmograph.security.record_ids import Entity

TO_MIDNIGHT = 36_000.0
"""Seconds, and some minutes more."""
TODAY, TOMORROW = "2026-09-21", "2026-09-22"
YESTERDAY = "2026-09-20"


@pytest.fixture
def ids(service):
    """Three companies: news of tomorrow alone; news of yesterday, today and tomorrow; none."""
    ids = world.companies(service, 3)
    found = [news(1, TOMORROW), news(2, YESTERDAY), news(2, TODAY), news(2, TOMORROW)]
    put(service.database, found, service.clock.seconds())
    return ids


def days(answer):
    return [
        [event["signalDate"] if "signalDate" in event else event["articlePublishedDate"] for event in events]
        for result in answer["results"]
        for name, events in result.items()
        if isinstance(events, list)
    ]


def test_it_is_shown_and_charged_from_its_day_on(service, ids):
    before = ask(service, COMPANIES, ids)
    assert days(before) == [[TODAY, YESTERDAY]]
    assert (before["billing"]["creditsCharged"], before["startDate"], before["endDate"]) == (
        1,
        YESTERDAY,
        TODAY,
    )
    assert ask(service, COMPANIES, ids)["billing"]["creditsCharged"] == 0
    service.clock.advance(TO_MIDNIGHT)
    assert days(after := ask(service, COMPANIES, ids)) == [[TOMORROW], [TOMORROW, TODAY, YESTERDAY]]
    assert after["billing"]["creditsCharged"] == 2


def test_the_newest_until_today_are_the_most_that_are_asked_for(service, ids):
    assert days(ask(service, COMPANIES, ids, maxResultsPerSignal=1)) == [[TODAY]]
    service.clock.advance(TO_MIDNIGHT)
    assert days(ask(service, COMPANIES, ids, maxResultsPerSignal=1)) == [[TOMORROW], [TOMORROW]]


def test_a_replay_shows_what_the_first_answer_showed(service, ids):
    body = {"ids": ids, "signalTypes": ["allSignals"]}
    first = service.post(COMPANIES, body, **{"idempotency-key": "k"}).json()
    service.clock.advance(TO_MIDNIGHT)
    again = service.post(COMPANIES, body, **{"idempotency-key": "k"}).json()
    assert days(again) == days(first)


def test_the_same_holds_of_people(service):
    world.companies(service, 2)
    (one, *_) = world.people(service, 1)
    put(service.database, [move(1, TOMORROW, "promotion")], service.clock.seconds())
    assert days(ask(service, CONTACTS, [one])) == [[], []]
    service.clock.advance(TO_MIDNIGHT)
    assert days(ask(service, CONTACTS, [one])) == [[TOMORROW], []]


def test_the_same_holds_of_the_older_calls(service, ids):
    numbers = [TOKENS.legacy(Entity.COMPANY, number) for number in (1, 2, 3)]
    body = {"companyIds": numbers, "signals": ["allSignals"]}
    before = service.post("/api/signals/companies", body).json()
    assert before["creditCharged"] == 1
    service.clock.advance(TO_MIDNIGHT)
    assert service.post("/api/signals/companies", body).json()["creditCharged"] == 2


def test_search_and_score_take_it_from_its_day_on(service, ids):
    items = {"companies": [{"domain": f"c{n}.example.com"} for n in range(2)]}
    filtered = items | {"signals": {"types": ["commercialActivityNews"], "startDate": TODAY}}

    def found():
        results = service.post("/v3/companies/search", filtered).json()["results"]
        scores = service.post("/v3/companies/signal-score", items).json()["results"]
        return (
            [result.get("signalTypes") for result in results],
            [score.get("signalTypes") for score in scores],
        )

    active, news_type = None, ["commercialActivityNews"]
    assert found() == ([active, news_type], [active, news_type])
    service.clock.advance(TO_MIDNIGHT)
    assert found() == ([news_type, news_type], [news_type, news_type])
