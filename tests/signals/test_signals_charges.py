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


def request_signals(service, ids, types=("allSignals",), path=COMPANIES, *, idempotency=None, **more):
    headers = {"idempotency-key": idempotency} if idempotency else {}
    body = {"ids": list(ids), "signalTypes": list(types), **more}
    return service.post(path, body, **headers)


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


def account_id(service):
    return service.accounts.find(service.account).id


def count_paid_units(service):
    """Return how many paid units the account has."""
    statement = f"SELECT count(*) FROM paid_units WHERE account_id = {account_id(service)}"
    return service.database.session().raw.execute(statement).fetchone()[0]


def charges(service):
    """Return price key, quantity and credits of each charge of the account."""
    account = account_id(service)
    with service.database.read() as session:
        return [
            (entry.action, entry.quantity, entry.credits)
            for _, entry in ledger_store.select_entries(AccountSession(session, account))
            if entry.kind == "charge"
        ]


@pytest.fixture
def caller(shared_service):
    """Return a new account of the module's application; each test has records of its own."""
    return shared_service.with_account()


@pytest.fixture
def ids(caller):
    """Create companies with signals of two types, of none and of one."""
    ids = world.companies(caller, 3)
    insert_signals(
        caller.database,
        [
            headcount(ids[0], "2026-05-01"),
            headcount(ids[0], "2026-06-01"),
            news(ids[0], "2026-05-01"),
            headcount(ids[2], "2026-05-01"),
        ],
    )
    return ids


def test_a_unit_is_one_record_and_one_type_and_is_paid_once(caller, ids):
    assert charged(caller, ids) == 3
    assert charges(caller) == [("showSignalsCompany", 3, 3)]
    assert charged(caller, ids) == 0
    assert len(charges(caller)) == 1


def test_duplicate_ids_count_once(caller, ids):
    answer = request_signals(caller, [ids[0], ids[0], ids[2], ids[0]])
    assert answer.json()["billing"] == {"creditsCharged": 3, "resultsReturned": 4}


def test_a_new_event_of_a_paid_type_is_another_unit(caller, ids):
    charged(caller, ids)
    insert_signals(caller.database, [headcount(ids[0], "2026-07-01")])
    assert charged(caller, ids) == 1
    assert charged(caller, ids) == 0


def test_only_signals_in_the_answer_are_paid(caller, ids):
    assert charged(caller, ids[:1], ["headcountIncrease3m"], maxResultsPerSignal=1) == 1
    assert charged(caller, ids[:1], ["headcountIncrease3m"], maxResultsPerSignal=1) == 0
    assert charged(caller, ids[:1], ["headcountIncrease3m"], startDate="2026-06-01") == 0
    assert charged(caller, ids[:1], ["headcountIncrease3m"]) == 1


def test_filtered_signals_are_not_paid(caller, ids):
    narrow = {"include": {"newsEventTypes": ["IPO"]}}
    assert charged(caller, ids, ["commercialActivityNews"], filters=narrow) == 0
    assert charged(caller, ids, ["commercialActivityNews"]) == 1


def test_contact_signals_have_their_own_price(caller, ids):
    people = world.people(caller, 2)
    insert_signals(
        caller.database,
        [
            move(people[0], "2026-05-01"),
            move(people[0], "2026-05-02", "promotion"),
            move(people[1], "2026-05-01"),
        ],
    )
    assert charged(caller, people, path=CONTACTS) == 3
    assert charges(caller) == [("showSignalsContact", 3, 3)]
    assert charged(caller, people, path=CONTACTS) == 0


def test_a_call_without_enough_credits_shows_and_writes_nothing(caller, ids):
    poor = caller.with_account(credits=2)
    refused = request_signals(poor, ids)
    assert refused.status_code == 402
    assert "needs 3 and 2 remain" in refused.json()["message"]
    assert refused.json().keys() == {"statusCode", "message"}
    assert count_paid_units(poor) == 0
    assert charged(poor, ids[2:]) == 1


def test_accounts_pay_separately(caller, ids):
    other = caller.with_account(credits=10)
    assert charged(caller, ids) == 3
    assert charged(other, ids) == 3
    insert_signals(caller.database, [headcount(ids[1], "2026-07-01")])
    assert charged(other, ids) == 1
    assert charged(caller, ids) == 1


def test_a_unit_is_paid_again_after_its_period(make_service):
    service = make_service(repeat_reveal_days=30)
    ids = world.companies(service, 1)
    insert_signals(service.database, [headcount(ids[0], "2026-05-01")])
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
        insert_signals(service.database, [headcount(id, "2026-05-01") for id in ids])
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
    assert count_paid_units(service) == 0
    assert charges(service) == []


# --- transactions ---


@pytest.fixture
def transactions(caller, monkeypatch):
    """Record the scopes of write transactions, except those that save rate counters each second."""
    scopes_entered = []
    begin = type(caller.database.session()).begin_write

    def counted(self, scopes):
        if scopes != (COUNTERS,):
            scopes_entered.append(scopes)
        begin(self, scopes)

    monkeypatch.setattr(type(caller.database.session()), "begin_write", counted)
    return scopes_entered


def test_a_free_call_opens_no_write_transaction(caller, ids, transactions):
    charged(caller, ids)
    assert len(transactions) == 1
    charged(caller, ids)
    charged(caller, ids[1:2])
    charged(caller, ["12"])
    assert len(transactions) == 1


def test_only_one_of_several_parallel_calls_pays(caller, ids):
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(charged(caller, ids))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [0, 0, 0, 0, 0, 3]
    assert charges(caller) == [("showSignalsCompany", 3, 3)]


@pytest.fixture
def statements(caller, monkeypatch):
    """Record the statements of the threads that answer requests."""
    return record_statements(monkeypatch)


def test_statements_do_not_grow_with_records_and_events(caller, statements):
    ids = world.companies(caller, 100)
    insert_signals(caller.database, [headcount(ids[0], "2026-05-01")])
    insert_signals(
        caller.database,
        [kind(id, f"2026-06-{day:02}") for id in ids for day in range(1, 6) for kind in (headcount, news)],
    )

    def cost(count, **headers):
        statements.clear()
        answer = request_signals(caller, ids[:count], **headers)
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


def test_a_repeated_call_is_free(caller, ids):
    first = request_signals(caller, ids, idempotency="one")
    again = request_signals(caller, ids, idempotency="one")
    assert again.json() == first.json()
    assert first.json()["billing"]["creditsCharged"] == 3
    assert charges(caller) == [("showSignalsCompany", 3, 3)]
    assert request_signals(caller, ids[:1], idempotency="one").status_code == 409


def test_a_repeated_call_shows_no_newer_signals(caller, ids):
    first = request_signals(caller, ids, idempotency="one")
    insert_signals(caller.database, [headcount(ids[0], "2026-09-01"), news(ids[1], "2026-09-01")])
    assert request_signals(caller, ids, idempotency="one").json() == first.json()
    assert charged(caller, ids) == 2
    assert request_signals(caller, ids, idempotency="one").json() == first.json()


def test_a_repeated_call_is_marked_as_truncated_again(caller, ids):
    first = news(ids[0], "2026-05-01")
    insert_signals(
        caller.database, [msgspec.structs.replace(first, key=f"https://n.test/{n}") for n in range(1001)]
    )
    answer = request_signals(caller, ids[:1], idempotency="one").json()
    assert answer["results"][0]["truncated"] is True
    assert request_signals(caller, ids[:1], idempotency="one").json() == answer


def test_a_repeated_call_shows_no_unpaid_event_in_place_of_a_deleted_one(caller, ids):
    first = request_signals(
        caller, ids[:1], ["headcountIncrease3m"], idempotency="one", maxResultsPerSignal=1
    )
    assert signal_ids(first) == [world.signal_id(headcount(ids[0], "2026-06-01"))]
    world.erase(caller, headcount(ids[0], "2026-06-01"))
    again = request_signals(
        caller, ids[:1], ["headcountIncrease3m"], idempotency="one", maxResultsPerSignal=1
    )
    assert signal_ids(again) == []
    assert again.json()["billing"] == {"creditsCharged": 1, "resultsReturned": 1}


def test_a_repeated_call_hides_people_suppressed_since(caller, ids):
    people = world.people(caller, 2)
    insert_signals(caller.database, [move(id, "2026-05-01") for id in people])
    assert charged(caller, people, path=CONTACTS, idempotency="one") == 2
    world.suppress(caller, people[0])
    again = request_signals(caller, people, path=CONTACTS, idempotency="one").json()
    assert again["results"][0]["error"]["code"] == "COMPLIANCE_RESTRICTED"
    assert len(again["results"][1]["companyChange"]) == 1
    assert again["billing"] == {"creditsCharged": 2, "resultsReturned": 1}


def test_a_repeated_call_at_price_0_shows_the_same_signals(service_with_price):
    service, ids = service_with_price(0)
    first = request_signals(service, ids, idempotency="one")
    insert_signals(service.database, [headcount(ids[0], "2026-09-01")])
    assert request_signals(service, ids, idempotency="one").json() == first.json()
    assert len(signal_ids(first)) == 3
    assert charges(service) == []


def test_a_repeated_call_shows_no_signal_that_came_since(caller, ids):
    first = request_signals(caller, ids, idempotency="one").json()
    insert_signals(caller.database, [news(ids[0], "2026-05-02")])
    assert request_signals(caller, ids, idempotency="one").json() == first


def test_a_refused_call_stores_no_idempotency_key(caller, ids):
    poor = caller.with_account(credits=2)
    assert request_signals(poor, ids, idempotency="one").status_code == 402
    poor.accounts.grant(poor.account, 1)
    assert charged(poor, ids, idempotency="one") == 3


def test_a_repeated_call_omits_expired_posts(service):
    ids = world.companies(service, 1)
    insert_signals(service.database, [post(ids[0], "2026-06-23")])
    assert charged(service, ids, idempotency="one") == 1
    service.clock.advance(86_000)
    again = request_signals(service, ids, idempotency="one")
    assert again.json()["endDate"] == "2026-09-22"
    assert again.json()["results"][0].keys() == {"id", "companyName", "domain"}


def test_signals_beyond_the_ranking_bound_are_the_same(caller, ids, monkeypatch):
    """The statement ranks signals beyond a bound, the caller those below."""
    insert_signals(
        caller.database, [headcount(id, f"2025-{month:02}-01") for id in ids[:2] for month in range(1, 13)]
    )
    options = ({}, {"maxResultsPerSignal": 2}, {"startDate": "2025-06-01"})
    expected = [request_signals(caller, ids, **more).json()["results"] for more in options]
    repeated = request_signals(caller, ids, idempotency="one").json()["results"]
    bounded = paid_store._of_records.limit(None).limit(4)
    monkeypatch.setattr(paid_store, "_of_records", bounded)
    monkeypatch.setattr(paid_store, "_MANY", 3)
    assert [request_signals(caller, ids, **more).json()["results"] for more in options] == expected
    assert request_signals(caller, ids, idempotency="one").json()["results"] == repeated
