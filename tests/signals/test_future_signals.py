"""Signals of tomorrow, which are visible from their day in UTC."""

import pytest
import signal_fixtures as world
from signal_calls import COMPANIES, CONTACTS, TOKENS, request_signals
from signal_fixtures import insert_signals, move, news

from firmograph.security.record_ids import Entity

TO_MIDNIGHT = 36_000.0
"""Seconds to a few minutes after midnight."""
TODAY, TOMORROW = "2026-09-21", "2026-09-22"
YESTERDAY = "2026-09-20"


@pytest.fixture
def ids(service):
    """Create companies with news of tomorrow only, with news of yesterday, today and tomorrow, and without news."""
    ids = world.companies(service, 3)
    found = [news(1, TOMORROW), news(2, YESTERDAY), news(2, TODAY), news(2, TOMORROW)]
    insert_signals(service.database, found, service.clock.seconds())
    return ids


def days(answer):
    return [
        [event["signalDate"] if "signalDate" in event else event["articlePublishedDate"] for event in events]
        for result in answer["results"]
        for name, events in result.items()
        if isinstance(events, list)
    ]


def test_a_signal_of_tomorrow_is_shown_and_charged_from_its_day(service, ids):
    before = request_signals(service, COMPANIES, ids)
    assert days(before) == [[TODAY, YESTERDAY]]
    assert (before["billing"]["creditsCharged"], before["startDate"], before["endDate"]) == (
        1,
        YESTERDAY,
        TODAY,
    )
    assert request_signals(service, COMPANIES, ids)["billing"]["creditsCharged"] == 0
    service.clock.advance(TO_MIDNIGHT)
    assert days(after := request_signals(service, COMPANIES, ids)) == [
        [TOMORROW],
        [TOMORROW, TODAY, YESTERDAY],
    ]
    assert after["billing"]["creditsCharged"] == 2


def test_the_maximum_counts_the_newest_signals_until_today(service, ids):
    assert days(request_signals(service, COMPANIES, ids, maxResultsPerSignal=1)) == [[TODAY]]
    service.clock.advance(TO_MIDNIGHT)
    assert days(request_signals(service, COMPANIES, ids, maxResultsPerSignal=1)) == [[TOMORROW], [TOMORROW]]


def test_a_replay_shows_the_signals_of_the_first_answer(service, ids):
    body = {"ids": ids, "signalTypes": ["allSignals"]}
    first = service.post(COMPANIES, body, **{"idempotency-key": "k"}).json()
    service.clock.advance(TO_MIDNIGHT)
    again = service.post(COMPANIES, body, **{"idempotency-key": "k"}).json()
    assert days(again) == days(first)


def test_a_contact_signal_of_tomorrow_is_shown_from_its_day(service):
    world.companies(service, 2)
    (one, *_) = world.people(service, 1)
    insert_signals(service.database, [move(1, TOMORROW, "promotion")], service.clock.seconds())
    assert days(request_signals(service, CONTACTS, [one])) == [[], []]
    service.clock.advance(TO_MIDNIGHT)
    assert days(request_signals(service, CONTACTS, [one])) == [[TOMORROW], []]


def test_the_legacy_calls_charge_a_signal_of_tomorrow_from_its_day(service, ids):
    numbers = [TOKENS.legacy(Entity.COMPANY, number) for number in (1, 2, 3)]
    body = {"companyIds": numbers, "signals": ["allSignals"]}
    before = service.post("/api/signals/companies", body).json()
    assert before["creditCharged"] == 1
    service.clock.advance(TO_MIDNIGHT)
    assert service.post("/api/signals/companies", body).json()["creditCharged"] == 2


def test_search_and_score_count_a_signal_of_tomorrow_from_its_day(service, ids):
    items = {"companies": [{"domain": f"c{n}.example.com"} for n in range(2)]}
    filtered = items | {"signals": {"types": ["commercialActivityNews"], "startDate": TODAY}}

    def found():
        results = service.post("/v3/companies/search", filtered).json()["results"]
        scores = service.post("/v3/companies/signal-score", items).json()["results"]
        return (
            [result.get("signalTypes") for result in results],
            [score.get("signalTypes") for score in scores],
        )

    news_type = ["commercialActivityNews"]
    assert found() == ([None, news_type], [None, news_type])
    service.clock.advance(TO_MIDNIGHT)
    assert found() == ([news_type, news_type], [news_type, news_type])
