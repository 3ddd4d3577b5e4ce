"""Signals of tomorrow, which are visible from their day in UTC."""

from datetime import timedelta

import pytest
import signal_fixtures as world
from signal_calls import COMPANIES, CONTACTS, TOKENS, request_signals
from signal_fixtures import insert_signals, move, news

from firmograph.kit.clock import midnight, today
from firmograph.security.record_ids import Entity

pytestmark = pytest.mark.any_database

YESTERDAY, TODAY, TOMORROW = -1, 0, 1
NOON = 43_200


def day(service, offset):
    """Return a day, which changes at midnight."""
    return (today(service.clock) + timedelta(days=offset)).isoformat()


def advance_to_tomorrow(service, seconds):
    """Advance the clock of the module's application to this time of the next day."""
    service.clock.advance(midnight(day(service, TOMORROW)) + seconds - service.clock.seconds())


def pass_midnight(service):
    advance_to_tomorrow(service, 300)


@pytest.fixture
def service(shared_service):
    """Return a new account of the module's application at noon of a new day; each test has records of its own."""
    advance_to_tomorrow(shared_service, NOON)
    return shared_service.with_account()


@pytest.fixture
def companies(service):
    """Create companies with news of tomorrow only, with news of yesterday, today and tomorrow, and without news."""
    companies = world.store_companies(service, 3)
    one, other, _ = (company.id for company in companies)
    found = [news(one, day(service, TOMORROW))]
    found += [news(other, day(service, offset)) for offset in (YESTERDAY, TODAY, TOMORROW)]
    insert_signals(service.database, found, service.clock.seconds())
    return companies


@pytest.fixture
def ids(companies):
    return [company.id for company in companies]


def days(answer):
    return [
        [event["signalDate"] if "signalDate" in event else event["articlePublishedDate"] for event in events]
        for result in answer["results"]
        for name, events in result.items()
        if isinstance(events, list)
    ]


def test_a_signal_of_tomorrow_is_shown_and_charged_from_its_day(service, ids):
    yesterday, now, tomorrow = (day(service, offset) for offset in (YESTERDAY, TODAY, TOMORROW))
    before = request_signals(service, COMPANIES, ids)
    assert days(before) == [[now, yesterday]]
    assert (before["billing"]["creditsCharged"], before["startDate"], before["endDate"]) == (
        1,
        yesterday,
        now,
    )
    assert request_signals(service, COMPANIES, ids)["billing"]["creditsCharged"] == 0
    pass_midnight(service)
    assert days(after := request_signals(service, COMPANIES, ids)) == [
        [tomorrow],
        [tomorrow, now, yesterday],
    ]
    assert after["billing"]["creditsCharged"] == 2


def test_the_maximum_counts_the_newest_signals_until_today(service, ids):
    for companies in (1, 2):
        answer = request_signals(service, COMPANIES, ids, maxResultsPerSignal=1)
        assert days(answer) == [[day(service, TODAY)]] * companies
        pass_midnight(service)


def test_a_replay_shows_the_signals_of_the_first_answer(service, ids):
    body = {"ids": ids, "signalTypes": ["allSignals"]}
    first = service.post(COMPANIES, body, **{"idempotency-key": "k"}).json()
    pass_midnight(service)
    again = service.post(COMPANIES, body, **{"idempotency-key": "k"}).json()
    assert days(again) == days(first)


def test_a_contact_signal_of_tomorrow_is_shown_from_its_day(service):
    (one,) = world.people(service, 1)
    tomorrow = day(service, TOMORROW)
    insert_signals(service.database, [move(one, tomorrow, "promotion")], service.clock.seconds())
    assert days(request_signals(service, CONTACTS, [one])) == [[], []]
    pass_midnight(service)
    assert days(request_signals(service, CONTACTS, [one])) == [[tomorrow], []]


def test_the_legacy_calls_charge_a_signal_of_tomorrow_from_its_day(service, ids):
    numbers = [TOKENS.legacy(Entity.COMPANY, world.company_number(id)) for id in ids]
    body = {"companyIds": numbers, "signals": ["allSignals"]}
    before = service.post("/api/signals/companies", body).json()
    assert before["creditCharged"] == 1
    pass_midnight(service)
    assert service.post("/api/signals/companies", body).json()["creditCharged"] == 2


def test_search_and_score_count_a_signal_of_tomorrow_from_its_day(service, companies):
    items = {"companies": [{"domain": company.domain} for company in companies[:2]]}
    filtered = items | {"signals": {"types": ["commercialActivityNews"], "startDate": day(service, TODAY)}}

    def found():
        results = service.post("/v3/companies/search", filtered).json()["results"]
        scores = service.post("/v3/companies/signal-score", items).json()["results"]
        return (
            [result.get("signalTypes") for result in results],
            [score.get("signalTypes") for score in scores],
        )

    news_type = ["commercialActivityNews"]
    assert found() == ([None, news_type], [None, news_type])
    pass_midnight(service)
    assert found() == ([news_type, news_type], [news_type, news_type])
