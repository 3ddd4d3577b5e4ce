"""Generated histories of calls, signals, grants, prices and crashes, compared with a model.

Invariants: an account is charged once for each unit in its answers, answers contain only paid signals, and accounts do
not affect each other's charges.
"""

from collections import defaultdict
from itertools import count, product

import pytest
import signal_fixtures as world
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from structlog.testing import capture_logs

import database_fixtures
from effort import examples
from firmograph.billing import ledger, ledger_store, paid_units
from firmograph.billing.idempotency import Idempotency
from firmograph.database.connection import AccountSession, Database
from firmograph.kit.clock import SetClock
from firmograph.settings import Settings
from record_factory import KEYRING
from server_fixtures import Service

PATH = "/v3/companies/signals"
DAY = 86_400
DAYS = 30
PRICES = (0, 1, 3)
KINDS = {
    "headcountIncrease3m": world.headcount,
    "headcountIncrease1m": lambda id, day: world.headcount(id, day, "headcountIncrease1m"),
    "commercialActivityNews": world.news,
}

names = st.sampled_from(["First", "Second"])
numbers = st.integers(1, 2)
days = st.sampled_from([f"2026-0{month}-01" for month in range(1, 7)])
types = st.sampled_from(sorted(KINDS))
keys = st.none() | st.sampled_from(["one", "two"])
crashes = st.sampled_from([None, None, None, None, "paid", "charged", "stored"])


_numbers = count(1)
_servers: dict[int, "_Server"] = {}
"""Servers by price; each history has its own companies and accounts."""


class Crash(Exception):
    """Simulated end of the process inside a transaction."""


class _Server(Service):
    """One of several services on one database, with its own account."""

    def new_key(self, name, **given):
        return super().new_key(f"{name} {next(_numbers)}", **given)


@pytest.fixture(scope="module", autouse=True)
def servers(tmp_path_factory):
    """Start a server for each price; its memory of earlier calls may be out of date."""
    folder = tmp_path_factory.mktemp("servers")
    database, clock = Database(database_fixtures.fresh(folder)), SetClock()
    for price in PRICES:
        plans = folder / f"plans{price}.toml"
        plans.write_text(f"[pricing]\nshowSignalsCompany = {{ credits = {price}, perQuantity = 1 }}\n")
        settings = Settings(plans_file=str(plans), repeat_reveal_days=DAYS, search_folder=str(folder))
        _servers[price] = _Server(database, KEYRING, clock, settings)
    yield
    _servers.clear()
    database.close()
    database_fixtures.drop(database.url)


class Charges(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.price = 1
        self.stored: list = []
        """Signals with their position in the order of detection."""
        self.detected = 0
        self.granted: dict[str, int] = defaultdict(int)
        self.used: dict[str, int] = defaultdict(int)
        self.paid: dict[str, dict[str, float]] = defaultdict(dict)
        self.replayable: dict[tuple[str, str], tuple] = {}
        self.billed: dict[str, int] = {}
        self.last: tuple | None = None
        self.keys: dict[str, str] = {}

    @initialize()
    def begin(self):
        self.history = next(_numbers)
        self.database, self.clock = self.service.database, self.service.clock
        self.ids = world.companies(self.service, 2)
        for name in ("First", "Second"):
            self.service.accounts.create(self.account(name), "unlimited", 0)
            self.keys[name] = self.service.accounts.create_key(self.account(name)).api_key
            self.grant(name, 9)
        self.detect(list(product((1, 2), sorted(KINDS), ["2026-01-01", "2026-02-01"])))

    @property
    def service(self):
        return _servers[self.price]

    def account(self, name):
        return f"{name} {self.history}"

    @rule(price=st.sampled_from(PRICES))
    def change_price(self, price):
        self.price = price

    @rule(name=names, credits=st.integers(1, 12))
    def grant(self, name, credits):
        self.service.accounts.grant(self.account(name), credits)
        self.granted[name] += credits

    @rule(found=st.lists(st.tuples(numbers, types, days), min_size=1, max_size=4, unique=True))
    def detect(self, found):
        for number, type, day in found:
            one = KINDS[type](self.ids[number - 1], day)
            world.insert_signals(self.database, [one])
            if one not in [stored for _, stored in self.stored]:
                self.detected += 1
                self.stored.append((self.detected, one))

    @rule(index=st.integers(0, 20))
    def delete_signal(self, index):
        if index < len(self.stored):
            _, one = self.stored.pop(index)
            world.erase(self.service, one)

    @rule(days=st.sampled_from([0.25, 1, DAYS]))
    def advance_clock(self, days):
        self.clock.advance(days * DAY)

    @rule(
        name=names,
        indices=st.lists(st.integers(0, 1), min_size=1, max_size=3),
        requested=st.just(["allSignals"]) | st.lists(types, min_size=1, max_size=2),
        most=st.none() | st.integers(1, 2),
        start=st.none() | days,
        key=keys,
        crash=crashes,
    )
    def call(self, name, indices, requested, most, start, key, crash):
        body = {"ids": [self.ids[index] for index in indices], "signalTypes": requested}
        body |= {"maxResultsPerSignal": most} if most else {}
        body |= {"startDate": start} if start else {}
        self.last = (name, indices, requested, most, start)
        self.check_call(*self.last, key, crash, body)

    @rule(days=st.sampled_from([0, DAYS - 1, DAYS]))
    def repeat_last_call_later(self, days):
        self.clock.advance(days * DAY)
        if self.last:
            name, indices, requested, most, start = self.last
            self.call(name, indices, requested, most, start, None, None)

    @rule(index=st.integers(0, 3), delete_first=st.booleans())
    def repeat_idempotent_call(self, index, delete_first):
        if index < len(self.replayable):
            name, key = sorted(self.replayable)[index]
            body, answer, *_ = self.replayable[name, key]
            stored = [world.signal_id(one) for _, one in self.stored]
            if delete_first and (remaining := set(_events(answer)) & set(stored)):
                self.delete_signal(stored.index(min(remaining)))
            indices = [self.ids.index(id) for id in body["ids"]]
            most, start = body.get("maxResultsPerSignal"), body.get("startDate")
            self.check_call(name, indices, body["signalTypes"], most, start, key, None, body)

    def check_call(self, name, indices, requested, most, start, key, crash, body):
        now = self.clock.seconds()
        replay = self.replayable.get((name, key)) if key else None
        if replay and replay[2] <= now:
            replay = None
        expected = self.expected(indices, requested, most, start or "")
        paid = {id: at for id, at in self.paid[name].items() if at > now - DAYS * DAY}
        new = {one for one in expected if one[2] not in paid}
        cost = self.price * len({(number, type) for number, type, _ in new})

        answer = self.request_signals(name, body, key, crash)
        events = _signal_ids(answer)
        if replay:
            self.check_replay(name, body, replay, answer, events)
        elif answer.status_code == 402:
            assert cost > self.granted[name] - self.used[name]
            assert events == []
        elif answer.status_code == 500:
            assert crash
        else:
            self.record_answer(name, body, key, answer, expected, new, cost)

    def record_answer(self, name, body, key, answer, expected, new, cost):
        """Check an answered call and update the model."""
        now = self.clock.seconds()
        assert answer.status_code == 200
        assert answer.json()["billing"] == {"creditsCharged": cost, "resultsReturned": len(body["ids"])}
        assert set(_signal_ids(answer)) == {id for *_, id in expected}
        self.used[name] += cost
        if cost:
            self.billed[answer.json()["requestId"]] = cost
        if self.price or key:
            self.paid[name] |= {id: now for *_, id in new}
        if self.price:
            assert {id for *_, id in expected} <= self.paid[name].keys(), "the answer has unpaid signals"
        if key:
            self.replayable[name, key] = (body, answer.json(), now + DAY, self.detected)

    def check_replay(self, name, body, replay, answer, events):
        if replay[0] != body:
            assert answer.status_code == 409
            return
        assert answer.status_code == 200
        assert answer.json()["billing"] == replay[1]["billing"]
        assert answer.json()["requestId"] == replay[1]["requestId"]
        assert set(events) <= self.paid[name].keys()
        first = _events(replay[1])
        # a signal deleted and detected again is another one
        remaining = {world.signal_id(one) for position, one in self.stored if position <= replay[3]}
        if set(first) <= remaining:
            assert events == first
        else:
            assert set(first) & remaining <= set(events)

    def expected(self, indices, requested, most, start):
        """Return record, type and id of each signal in the expected answer."""
        found = set()
        for number in {world.company_number(self.ids[index]) for index in indices}:
            for type in KINDS if "allSignals" in requested else requested:
                fitting = [
                    one
                    for _, one in self.stored
                    if (one.number, one.type) == (number, type) and one.day >= start
                ]
                fitting.sort(key=world.signal_id)
                fitting.sort(key=lambda one: one.day, reverse=True)
                found |= {(number, type, world.signal_id(one)) for one in fitting[:most]}
        return found

    def request_signals(self, name, body, key, crash):
        headers = {"idempotency-key": key} if key else {}
        # formatting the log of a crash would take longer than everything else
        with pytest.MonkeyPatch.context() as patch, capture_logs():
            if crash:
                self.crash(patch, crash)
            return self.service.post(PATH, body, key=self.keys[name], **headers)

    def crash(self, patch, moment):
        """Let a transaction crash right after this write."""
        where, what = {
            "paid": (paid_units, "record_paid"),
            "charged": (ledger, "charge"),
            "stored": (Idempotency, "keep"),
        }[moment]
        original = getattr(where, what)

        def crashing(*arguments, **named):
            original(*arguments, **named)
            raise Crash

        patch.setattr(where, what, crashing)

    @invariant()
    def the_ledger_agrees_with_the_model(self):
        billed = {}
        for name in self.keys:
            account = self.service.accounts.find(self.account(name)).id
            with self.database.read() as session:
                balance = ledger_store.select_balance(AccountSession(session, account))
                entries = [
                    entry for _, entry in ledger_store.select_entries(AccountSession(session, account))
                ]
            assert balance == (self.granted[name], self.used[name], 0)
            billed |= {one.request_id: one.credits for one in entries if one.kind == "charge"}
        assert billed == self.billed

    @invariant()
    def the_paid_signals_of_each_account_agree_with_the_model(self):
        raw = self.service.database.session().raw
        stored = defaultdict(dict)
        accounts = {self.service.accounts.find(self.account(name)).id: name for name in self.keys}
        for account, identity, at in raw.execute("SELECT account_id, unit, paid_at FROM paid_units"):
            if account in accounts:
                stored[accounts[account]][bytes(identity).hex()] = at
        assert stored == {name: paid for name, paid in self.paid.items() if paid}


def _signal_ids(answer):
    return _events(answer.json()) if answer.status_code == 200 else []


def _events(body):
    return [
        event["signalId"]
        for result in body["results"]
        for events in result.values()
        if isinstance(events, list)
        for event in events
    ]


Charges.TestCase.settings = settings(max_examples=examples(60), stateful_step_count=25)
TestChargeHistories = Charges.TestCase
