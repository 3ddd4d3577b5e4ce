"""Charges for signals: one unit for each record and type with an unpaid event."""

import threading

import msgspec
import pytest
import signal_fixtures as world
from signal_fixtures import headcount, insert_signals, move, news, post

from firmograph.billing import ledger_store
from firmograph.database.connection import COUNTERS, AccountSession
from firmograph.signals import paid_store
from statement_counts import record_statements

CONTACTS, COMPANIES = "/v3/contacts/signals", "/v3/companies/signals"


def request_signals(
    service, ids, types=("allSignals",), path=COMPANIES, *, key=None, idempotency=None, **more
):
    headers = {"idempotency-key": idempotency} if idempotency else {}
    body = {"ids": list(ids), "signalTypes": list(types), **more}
    return service.post(path, body, key=key, **headers)


def charged(*arguments, **named):
    answer = request_signals(*arguments, **named)
    assert answer.status_code == 200, answer.text
    return answer.json()["billing"]["creditsCharged"]


def signal_ids(answer):
    """Return the ids of the signals in an answer."""
    return [
        event["signalId"]
        for result in answer.json()["results"]
        for events in result.values()
        if isinstance(events, list)
        for event in events
    ]


def rows(service, table):
    return service.database.session().raw.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def charges(service):
    """Return price key, quantity and credits of each charge."""
    with service.database.read() as session:
        return [
            (entry.action, entry.quantity, entry.credits)
            for account in (1, 2)
            for _, entry in ledger_store.select_entries(AccountSession(session, account))
            if entry.kind == "charge"
        ]


@pytest.fixture
def ids(service):
    """Create companies with signals of two types, of none and of one."""
    ids = world.companies(service, 3)
    insert_signals(
        service.database,
        [
            headcount(1, "2026-05-01"),
            headcount(1, "2026-06-01"),
            news(1, "2026-05-01"),
            headcount(3, "2026-05-01"),
        ],
    )
    return ids


def test_a_unit_is_one_record_and_one_type_and_is_paid_once(service, ids):
    assert charged(service, ids) == 3
    assert charges(service) == [("showSignalsCompany", 3, 3)]
    assert charged(service, ids) == 0
    assert len(charges(service)) == 1


def test_duplicate_ids_count_once(service, ids):
    answer = request_signals(service, [ids[0], ids[0], ids[2], ids[0]])
    assert answer.json()["billing"] == {"creditsCharged": 3, "resultsReturned": 4}


def test_a_new_event_of_a_paid_type_is_another_unit(service, ids):
    charged(service, ids)
    insert_signals(service.database, [headcount(1, "2026-07-01")])
    assert charged(service, ids) == 1
    assert charged(service, ids) == 0


def test_only_signals_in_the_answer_are_paid(service, ids):
    assert charged(service, ids[:1], ["headcountIncrease3m"], maxResultsPerSignal=1) == 1
    assert charged(service, ids[:1], ["headcountIncrease3m"], maxResultsPerSignal=1) == 0
    assert charged(service, ids[:1], ["headcountIncrease3m"], startDate="2026-06-01") == 0
    assert charged(service, ids[:1], ["headcountIncrease3m"]) == 1


def test_filtered_signals_are_not_paid(service, ids):
    narrow = {"include": {"newsEventTypes": ["IPO"]}}
    assert charged(service, ids, ["commercialActivityNews"], filters=narrow) == 0
    assert charged(service, ids, ["commercialActivityNews"]) == 1


def test_contact_signals_have_their_own_price(service, ids):
    people = world.people(service, 2)
    insert_signals(
        service.database, [move(1, "2026-05-01"), move(1, "2026-05-02", "promotion"), move(2, "2026-05-01")]
    )
    assert charged(service, people, path=CONTACTS) == 3
    assert charges(service) == [("showSignalsContact", 3, 3)]
    assert charged(service, people, path=CONTACTS) == 0


def test_a_call_without_enough_credits_shows_and_writes_nothing(service, ids):
    poor = service.new_key("Poor", credits=2)
    refused = request_signals(service, ids, key=poor)
    assert refused.status_code == 402
    assert "needs 3 and 2 remain" in refused.json()["message"]
    assert refused.json().keys() == {"statusCode", "message"}
    assert rows(service, "paid_units") == 0
    assert charged(service, ids[2:], key=poor) == 1


def test_accounts_pay_separately(service, ids):
    other = service.new_key("Other", credits=10)
    assert charged(service, ids) == 3
    assert charged(service, ids, key=other) == 3
    insert_signals(service.database, [headcount(2, "2026-07-01")])
    assert charged(service, ids, key=other) == 1
    assert charged(service, ids) == 1


def test_a_unit_is_paid_again_after_its_period(make_service):
    service = make_service(repeat_reveal_days=30)
    ids = world.companies(service, 1)
    insert_signals(service.database, [headcount(1, "2026-05-01")])
    assert charged(service, ids) == 1
    service.clock.advance(30 * 86_400 - 1)
    assert charged(service, ids) == 0
    service.clock.advance(1)
    assert charged(service, ids) == 1
    assert charged(service, ids) == 0


@pytest.fixture
def service_with_price(make_service, tmp_path):
    def make(credits, quantity=1):
        plans = tmp_path / "plans.toml"
        price = f"{{ credits = {credits}, perQuantity = {quantity} }}"
        plans.write_text(f"[pricing]\nshowSignalsCompany = {price}\n")
        service = make_service(plans_file=str(plans))
        ids = world.companies(service, 3)
        insert_signals(service.database, [headcount(n, "2026-05-01") for n in (1, 2, 3)])
        return service, ids

    return make


def test_the_price_table_sets_the_cost_of_a_call(service_with_price):
    service, ids = service_with_price(4, 2)
    assert charged(service, ids) == 8
    assert charges(service) == [("showSignalsCompany", 3, 8)]


def test_a_price_of_0_charges_and_writes_nothing(service_with_price):
    service, ids = service_with_price(0)
    answer = request_signals(service, ids)
    assert len(signal_ids(answer)) == 3
    assert answer.json()["billing"]["creditsCharged"] == 0
    assert rows(service, "paid_units") == 0
    assert charges(service) == []


# --- transactions ---


@pytest.fixture
def transactions(service, monkeypatch):
    """Record the scopes of write transactions, except those that save rate counters each second."""
    scopes_entered = []
    begin = type(service.database.session()).begin_write

    def counted(self, scopes):
        if scopes != (COUNTERS,):
            scopes_entered.append(scopes)
        begin(self, scopes)

    monkeypatch.setattr(type(service.database.session()), "begin_write", counted)
    return scopes_entered


def test_a_free_call_opens_no_write_transaction(service, ids, transactions):
    charged(service, ids)
    assert len(transactions) == 1
    charged(service, ids)
    charged(service, ids[1:2])
    charged(service, ["12"])
    assert len(transactions) == 1


def test_only_one_of_several_parallel_calls_pays(service, ids):
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(charged(service, ids))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [0, 0, 0, 0, 0, 3]
    assert charges(service) == [("showSignalsCompany", 3, 3)]


@pytest.fixture
def statements(service, monkeypatch):
    """Record the statements of the threads that answer requests."""
    return record_statements(monkeypatch)


def test_statements_do_not_grow_with_records_and_events(service, statements):
    ids = world.companies(service, 100)
    insert_signals(service.database, [headcount(1, "2026-05-01")])
    insert_signals(
        service.database,
        [
            kind(n, f"2026-06-{day:02}")
            for n in range(1, 101)
            for day in range(1, 6)
            for kind in (headcount, news)
        ],
    )

    def cost(count, **headers):
        statements.clear()
        answer = request_signals(service, ids[:count], **headers)
        assert answer.status_code == 200
        assert len(signal_ids(answer)) >= count * 10
        return len(statements)

    # API key, summaries, signals; in the write transaction both again, events, paid events, balance, ledger
    assert (cost(1), cost(100)) == (9, 9)
    # API key, summaries, signals, events
    assert (cost(1), cost(100)) == (4, 4)
    # API key, stored answer, last signal, summaries, signals, events, storing the answer
    assert (cost(1, idempotency="a"), cost(100, idempotency="b")) == (7, 7)


# --- Idempotency-Key ---


def test_a_repeated_call_is_free(service, ids):
    first = request_signals(service, ids, idempotency="one")
    again = request_signals(service, ids, idempotency="one")
    assert again.json() == first.json()
    assert first.json()["billing"]["creditsCharged"] == 3
    assert charges(service) == [("showSignalsCompany", 3, 3)]
    assert request_signals(service, ids[:1], idempotency="one").status_code == 409


def test_a_repeated_call_shows_no_newer_signals(service, ids):
    first = request_signals(service, ids, idempotency="one")
    insert_signals(service.database, [headcount(1, "2026-09-01"), news(2, "2026-09-01")])
    assert request_signals(service, ids, idempotency="one").json() == first.json()
    assert charged(service, ids) == 2
    assert request_signals(service, ids, idempotency="one").json() == first.json()


def test_a_repeated_call_is_marked_as_truncated_again(service, ids):
    first = news(1, "2026-05-01")
    insert_signals(
        service.database, [msgspec.structs.replace(first, key=f"https://n.test/{n}") for n in range(1001)]
    )
    answer = request_signals(service, ids[:1], idempotency="one").json()
    assert answer["results"][0]["truncated"] is True
    assert request_signals(service, ids[:1], idempotency="one").json() == answer


def test_a_repeated_call_shows_no_unpaid_event_in_place_of_a_deleted_one(service, ids):
    first = request_signals(
        service, ids[:1], ["headcountIncrease3m"], idempotency="one", maxResultsPerSignal=1
    )
    assert signal_ids(first) == [world.signal_id(headcount(1, "2026-06-01"))]
    world.erase(service, headcount(1, "2026-06-01"))
    again = request_signals(
        service, ids[:1], ["headcountIncrease3m"], idempotency="one", maxResultsPerSignal=1
    )
    assert signal_ids(again) == []
    assert again.json()["billing"] == {"creditsCharged": 1, "resultsReturned": 1}


def test_a_repeated_call_hides_people_suppressed_since(service, ids):
    people = world.people(service, 2)
    insert_signals(service.database, [move(1, "2026-05-01"), move(2, "2026-05-01")])
    assert charged(service, people, path=CONTACTS, idempotency="one") == 2
    world.suppress(service, "ann0@c0.example.com")
    again = request_signals(service, people, path=CONTACTS, idempotency="one").json()
    assert again["results"][0]["error"]["code"] == "COMPLIANCE_RESTRICTED"
    assert len(again["results"][1]["companyChange"]) == 1
    assert again["billing"] == {"creditsCharged": 2, "resultsReturned": 1}


def test_a_repeated_call_at_price_0_shows_the_same_signals(service_with_price):
    service, ids = service_with_price(0)
    first = request_signals(service, ids, idempotency="one")
    insert_signals(service.database, [headcount(1, "2026-09-01")])
    assert request_signals(service, ids, idempotency="one").json() == first.json()
    assert len(signal_ids(first)) == 3
    assert charges(service) == []


def test_a_repeated_call_shows_no_signal_that_came_since(service, ids):
    first = request_signals(service, ids, idempotency="one").json()
    insert_signals(service.database, [news(1, "2026-05-02")])
    assert request_signals(service, ids, idempotency="one").json() == first


def test_a_refused_call_stores_no_idempotency_key(service, ids):
    poor = service.new_key("Poor", credits=2)
    assert request_signals(service, ids, key=poor, idempotency="one").status_code == 402
    service.accounts.grant("Poor", 1)
    assert charged(service, ids, key=poor, idempotency="one") == 3


def test_a_repeated_call_omits_expired_posts(service):
    ids = world.companies(service, 1)
    insert_signals(service.database, [post(1, "2026-06-23")])
    assert charged(service, ids, idempotency="one") == 1
    service.clock.advance(86_000)
    again = request_signals(service, ids, idempotency="one")
    assert again.json()["endDate"] == "2026-09-22"
    assert again.json()["results"][0].keys() == {"id", "companyName", "domain"}


def test_signals_beyond_the_ranking_bound_are_the_same(service, ids, monkeypatch):
    """The statement ranks signals beyond a bound, the service those below."""
    insert_signals(
        service.database, [headcount(n, f"2025-{month:02}-01") for n in (1, 2) for month in range(1, 13)]
    )
    options = ({}, {"maxResultsPerSignal": 2}, {"startDate": "2025-06-01"})
    expected = [request_signals(service, ids, **more).json()["results"] for more in options]
    repeated = request_signals(service, ids, idempotency="one").json()["results"]
    bounded = paid_store._of_records.limit(None).limit(4)
    monkeypatch.setattr(paid_store, "_of_records", bounded)
    monkeypatch.setattr(paid_store, "_MANY", 3)
    assert [request_signals(service, ids, **more).json()["results"] for more in options] == expected
    assert request_signals(service, ids, idempotency="one").json()["results"] == repeated
