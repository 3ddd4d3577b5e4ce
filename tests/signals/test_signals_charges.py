"""What signals cost: one unit for each record and type that shows an event that is not paid yet."""

import threading

import msgspec
import pytest
import signal_fixtures as world
from signal_fixtures import headcount, move, news, post, put

from firmograph.billing import ledger_store
from firmograph.database.connection import COUNTERS, Session
from firmograph.signals import paid_store

CONTACTS, COMPANIES = "/v3/contacts/signals", "/v3/companies/signals"


def ask(service, ids, types=("allSignals",), path=COMPANIES, *, key=None, idempotency=None, **more):
    headers = {"idempotency-key": idempotency} if idempotency else {}
    body = {"ids": list(ids), "signalTypes": list(types), **more}
    return service.post(path, body, key=key, **headers)


def charged(*arguments, **named):
    answer = ask(*arguments, **named)
    assert answer.status_code == 200, answer.text
    return answer.json()["billing"]["creditsCharged"]


def shown(answer):
    """The ids of the signals in an answer."""
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
    """Price key, quantity and credits of each charge."""
    with service.database.read() as session:
        return [
            (entry.action, entry.quantity, entry.credits)
            for account in (1, 2)
            for _, entry in ledger_store.select_entries(session, account)
            if entry.kind == "charge"
        ]


@pytest.fixture
def ids(service):
    """Two companies: one with two types, one with none; and a third with one."""
    ids = world.companies(service, 3)
    put(
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
    answer = ask(service, [ids[0], ids[0], ids[2], ids[0]])
    assert answer.json()["billing"] == {"creditsCharged": 3, "resultsReturned": 4}


def test_a_new_event_of_a_paid_type_is_another_unit(service, ids):
    charged(service, ids)
    put(service.database, [headcount(1, "2026-07-01")])
    assert charged(service, ids) == 1
    assert charged(service, ids) == 0


def test_only_what_is_shown_is_paid(service, ids):
    assert charged(service, ids[:1], ["headcountIncrease3m"], maxResultsPerSignal=1) == 1
    assert charged(service, ids[:1], ["headcountIncrease3m"], maxResultsPerSignal=1) == 0
    assert charged(service, ids[:1], ["headcountIncrease3m"], startDate="2026-06-01") == 0
    assert charged(service, ids[:1], ["headcountIncrease3m"]) == 1


def test_what_a_filter_leaves_out_is_not_paid(service, ids):
    narrow = {"include": {"newsEventTypes": ["IPO"]}}
    assert charged(service, ids, ["commercialActivityNews"], filters=narrow) == 0
    assert charged(service, ids, ["commercialActivityNews"]) == 1


def test_contacts_have_a_price_of_their_own(service, ids):
    people = world.people(service, 2)
    put(service.database, [move(1, "2026-05-01"), move(1, "2026-05-02", "promotion"), move(2, "2026-05-01")])
    assert charged(service, people, path=CONTACTS) == 3
    assert charges(service) == [("showSignalsContact", 3, 3)]
    assert charged(service, people, path=CONTACTS) == 0


def test_too_few_credits_show_and_write_nothing(service, ids):
    poor = service.new_key("Poor", credits=2)
    refused = ask(service, ids, key=poor)
    assert refused.status_code == 402
    assert "needs 3 and 2 remain" in refused.json()["message"]
    assert refused.json().keys() == {"statusCode", "message"}
    assert rows(service, "paid_signals") == 0
    assert charged(service, ids[2:], key=poor) == 1


def test_accounts_pay_apart(service, ids):
    other = service.new_key("Other", credits=10)
    assert charged(service, ids) == 3
    assert charged(service, ids, key=other) == 3
    put(service.database, [headcount(2, "2026-07-01")])
    assert charged(service, ids, key=other) == 1
    assert charged(service, ids) == 1


def test_a_unit_is_paid_again_after_so_many_days(make_service):
    service = make_service(repeat_reveal_days=30)
    ids = world.companies(service, 1)
    put(service.database, [headcount(1, "2026-05-01")])
    assert charged(service, ids) == 1
    service.clock.advance(30 * 86_400 - 1)
    assert charged(service, ids) == 0
    service.clock.advance(1)
    assert charged(service, ids) == 1
    assert charged(service, ids) == 0


@pytest.fixture
def priced(make_service, tmp_path):
    def make(credits, quantity=1):
        plans = tmp_path / "plans.toml"
        price = f"{{ credits = {credits}, perQuantity = {quantity} }}"
        plans.write_text(f"[pricing]\nshowSignalsCompany = {price}\n")
        service = make_service(plans_file=str(plans))
        ids = world.companies(service, 3)
        put(service.database, [headcount(n, "2026-05-01") for n in (1, 2, 3)])
        return service, ids

    return make


def test_the_price_table_decides_what_the_units_of_a_call_cost(priced):
    service, ids = priced(4, 2)
    assert charged(service, ids) == 8
    assert charges(service) == [("showSignalsCompany", 3, 8)]


def test_at_price_0_nothing_is_charged_or_written(priced):
    service, ids = priced(0)
    answer = ask(service, ids)
    assert len(shown(answer)) == 3
    assert answer.json()["billing"]["creditsCharged"] == 0
    assert rows(service, "paid_signals") == 0
    assert charges(service) == []


# --- transactions ---


@pytest.fixture
def transactions(service, monkeypatch):
    """The writing transactions that are begun, by their scope; the counters of limits are saved every second."""
    begun = []
    begin = type(service.database.session()).begin_write

    def counted(self, scopes):
        if scopes != (COUNTERS,):
            begun.append(scopes)
        begin(self, scopes)

    monkeypatch.setattr(type(service.database.session()), "begin_write", counted)
    return begun


def test_a_call_with_nothing_to_pay_never_asks_for_the_writer(service, ids, transactions):
    charged(service, ids)
    assert len(transactions) == 1
    charged(service, ids)
    charged(service, ids[1:2])
    charged(service, ["12"])
    assert len(transactions) == 1


def test_of_calls_at_once_one_pays(service, ids):
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(charged(service, ids))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [0, 0, 0, 0, 0, 3]
    assert charges(service) == [("showSignalsCompany", 3, 3)]


def _answers():
    """Whether this thread answers, rather than follows the changes or saves the counters of limits."""
    return not threading.current_thread().name.startswith(("search", "AnyIO worker"))


@pytest.fixture
def statements(service, monkeypatch):
    """The statements of the threads that answer."""
    calls = []
    execute, many = Session.execute, Session.many

    def counting_execute(self, *arguments, **named):
        if _answers():
            calls.append("execute")
        return execute(self, *arguments, **named)

    def counting_many(self, statement, given):
        given = list(given)
        if given and _answers():
            calls.append("executemany")
        return many(self, statement, given)

    monkeypatch.setattr(Session, "execute", counting_execute)
    monkeypatch.setattr(Session, "many", counting_many)
    return calls


def test_statements_do_not_grow_with_records_and_events(service, statements):
    ids = world.companies(service, 100)
    put(service.database, [headcount(1, "2026-05-01")])
    put(
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
        answer = ask(service, ids[:count], **headers)
        assert answer.status_code == 200
        assert len(shown(answer)) >= count * 10
        return len(statements)

    # the key; cards, signals; of the writer these again, events, paid events, balance, ledger
    assert (cost(1), cost(100)) == (9, 9)
    # the key; cards, signals, events
    assert (cost(1), cost(100)) == (4, 4)
    # the key; the kept answer, the last signal; cards, signals, events; the answer to keep
    assert (cost(1, idempotency="a"), cost(100, idempotency="b")) == (7, 7)


# --- Idempotency-Key ---


def test_a_repeated_call_is_answered_again_for_nothing(service, ids):
    first = ask(service, ids, idempotency="one")
    again = ask(service, ids, idempotency="one")
    assert again.json() == first.json()
    assert first.json()["billing"]["creditsCharged"] == 3
    assert charges(service) == [("showSignalsCompany", 3, 3)]
    assert ask(service, ids[:1], idempotency="one").status_code == 409


def test_a_repeated_call_shows_nothing_that_was_detected_since(service, ids):
    first = ask(service, ids, idempotency="one")
    put(service.database, [headcount(1, "2026-09-01"), news(2, "2026-09-01")])
    assert ask(service, ids, idempotency="one").json() == first.json()
    assert charged(service, ids) == 2
    assert ask(service, ids, idempotency="one").json() == first.json()


def test_a_repeated_call_says_too_that_there_is_more_than_is_shown(service, ids):
    first = news(1, "2026-05-01")
    put(service.database, [msgspec.structs.replace(first, key=f"https://n.test/{n}") for n in range(1001)])
    answer = ask(service, ids[:1], idempotency="one").json()
    assert answer["results"][0]["truncated"] is True
    assert ask(service, ids[:1], idempotency="one").json() == answer


def test_a_repeated_call_shows_no_unpaid_event_in_place_of_one_that_is_gone(service, ids):
    first = ask(service, ids[:1], ["headcountIncrease3m"], idempotency="one", maxResultsPerSignal=1)
    assert shown(first) == [world.signal_id(headcount(1, "2026-06-01"))]
    world.erase(service, headcount(1, "2026-06-01"))
    again = ask(service, ids[:1], ["headcountIncrease3m"], idempotency="one", maxResultsPerSignal=1)
    assert shown(again) == []
    assert again.json()["billing"] == {"creditsCharged": 1, "resultsReturned": 1}


def test_a_repeated_call_tells_of_nobody_who_was_suppressed_since(service, ids):
    people = world.people(service, 2)
    put(service.database, [move(1, "2026-05-01"), move(2, "2026-05-01")])
    assert charged(service, people, path=CONTACTS, idempotency="one") == 2
    world.suppress(service, "ann0@c0.example.com")
    again = ask(service, people, path=CONTACTS, idempotency="one").json()
    assert again["results"][0]["error"]["code"] == "COMPLIANCE_RESTRICTED"
    assert len(again["results"][1]["companyChange"]) == 1
    assert again["billing"] == {"creditsCharged": 2, "resultsReturned": 1}


def test_at_price_0_a_repeated_call_shows_the_same(priced):
    service, ids = priced(0)
    first = ask(service, ids, idempotency="one")
    put(service.database, [headcount(1, "2026-09-01")])
    assert ask(service, ids, idempotency="one").json() == first.json()
    assert len(shown(first)) == 3
    assert charges(service) == []


def test_a_refused_call_keeps_no_key(service, ids):
    poor = service.new_key("Poor", credits=2)
    assert ask(service, ids, key=poor, idempotency="one").status_code == 402
    service.accounts.grant("Poor", 1)
    assert charged(service, ids, key=poor, idempotency="one") == 3


def test_posts_that_are_too_old_by_now_are_in_no_repeated_answer(service):
    ids = world.companies(service, 1)
    put(service.database, [post(1, "2026-06-23")])
    assert charged(service, ids, idempotency="one") == 1
    service.clock.advance(86_000)
    again = ask(service, ids, idempotency="one")
    assert again.json()["endDate"] == "2026-09-22"
    assert again.json()["results"][0].keys() == {"id", "companyName", "domain"}


def test_of_very_many_signals_the_same_are_shown(service, ids, monkeypatch):
    """Beyond a bound the statement ranks them, instead of the service."""
    put(service.database, [headcount(n, f"2025-{month:02}-01") for n in (1, 2) for month in range(1, 13)])
    asked = ({}, {"maxResultsPerSignal": 2}, {"startDate": "2025-06-01"})
    whole = [ask(service, ids, **more).json()["results"] for more in asked]
    repeated = ask(service, ids, idempotency="one").json()["results"]
    bounded = paid_store._of_records.limit(None).limit(4)
    monkeypatch.setattr(paid_store, "_of_records", bounded)
    monkeypatch.setattr(paid_store, "_MANY", 3)
    assert [ask(service, ids, **more).json()["results"] for more in asked] == whole
    assert ask(service, ids, idempotency="one").json()["results"] == repeated
