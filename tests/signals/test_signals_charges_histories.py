"""Histories of calls, new and vanishing signals, grants, prices, servers and crashes, against a model in plain Python.

At every moment: an account has been charged for exactly the units that it was shown first, nothing was shown to it that
is not paid, and nothing that it pays, or that another one does, changes what a third one pays.
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
from firmograph.billing import ledger_store
from firmograph.database.connection import Database
from firmograph.kit.clock import SetClock
from firmograph.settings import Settings
from firmograph.signals import paid_store
from firmograph.signals import service as signals_service
from record_factory import KEYRING
from server_fixtures import Service

PATH = "/v3/companies/signals"
DAY = 86_400
DAYS = 30
PRICES = (0, 1, 3)
KINDS = {
    "headcountIncrease3m": world.headcount,
    "headcountIncrease1m": lambda number, day: world.headcount(number, day, "headcountIncrease1m"),
    "commercialActivityNews": world.news,
}

names = st.sampled_from(["First", "Second"])
numbers = st.integers(1, 2)
days = st.sampled_from([f"2026-0{month}-01" for month in range(1, 7)])
types = st.sampled_from(sorted(KINDS))
keys = st.none() | st.sampled_from(["one", "two"])
crashes = st.sampled_from([None, None, None, None, "paid", "charged", "kept"])


_numbers = count(1)
_servers: dict[int, "_Server"] = {}
"""By price; each history has companies and accounts of its own."""


class Crash(Exception):
    """The process ends here, as far as the transaction can tell."""


class _Server(Service):
    """One of several over one database, with an account of its own."""

    def new_key(self, name, **given):
        return super().new_key(f"{name} {next(_numbers)}", **given)


@pytest.fixture(scope="module", autouse=True)
def servers(tmp_path_factory):
    """One for each price. What any of them remembers of earlier calls may be out of date."""
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
        self.held: list = []
        """Signals with the place of each in the order of detection."""
        self.detected = 0
        self.granted: dict[str, int] = defaultdict(int)
        self.used: dict[str, int] = defaultdict(int)
        self.paid: dict[str, dict[str, float]] = defaultdict(dict)
        self.kept: dict[tuple[str, str], tuple] = {}
        self.billed: dict[str, int] = {}
        self.last: tuple | None = None
        self.keys: dict[str, str] = {}

    @initialize()
    def begin(self):
        self.history = next(_numbers)
        self.database, self.clock = self.service.database, self.service.clock
        self.ids = world.companies(self.service, 2, first=2 * self.history)
        with self.database.read() as session:
            self.first = session.raw.execute("SELECT max(id) FROM companies").fetchone()[0] - 1
        for name in ("First", "Second"):
            self.service.accounts.create(self.account(name), "unlimited", 0)
            self.keys[name] = self.service.accounts.create_key(self.account(name)).api_key
            self.grant(name, 9)
        self.are_detected(list(product((1, 2), sorted(KINDS), ["2026-01-01", "2026-02-01"])))

    @property
    def service(self):
        return _servers[self.price]

    def account(self, name):
        return f"{name} {self.history}"

    @rule(price=st.sampled_from(PRICES))
    def another_server_answers_at_another_price(self, price):
        self.price = price

    @rule(name=names, credits=st.integers(1, 12))
    def grant(self, name, credits):
        self.service.accounts.grant(self.account(name), credits)
        self.granted[name] += credits

    @rule(found=st.lists(st.tuples(numbers, types, days), min_size=1, max_size=4, unique=True))
    def are_detected(self, found):
        for number, type, day in found:
            one = KINDS[type](self.first + number - 1, day)
            world.put(self.database, [one])
            if one not in [held for _, held in self.held]:
                self.detected += 1
                self.held.append((self.detected, one))

    @rule(place=st.integers(0, 20))
    def a_signal_goes(self, place):
        if place < len(self.held):
            _, one = self.held.pop(place)
            world.erase(self.service, one)

    @rule(days=st.sampled_from([0.25, 1, DAYS]))
    def time_passes(self, days):
        self.clock.advance(days * DAY)

    @rule(
        name=names,
        places=st.lists(st.integers(0, 1), min_size=1, max_size=3),
        asked=st.just(["allSignals"]) | st.lists(types, min_size=1, max_size=2),
        most=st.none() | st.integers(1, 2),
        start=st.none() | days,
        key=keys,
        crash=crashes,
    )
    def call(self, name, places, asked, most, start, key, crash):
        body = {"ids": [self.ids[place] for place in places], "signalTypes": asked}
        body |= {"maxResultsPerSignal": most} if most else {}
        body |= {"startDate": start} if start else {}
        self.last = (name, places, asked, most, start)
        self.judge(*self.last, key, crash, body)

    @rule(days=st.sampled_from([0, DAYS - 1, DAYS]))
    def the_last_call_is_made_again_later(self, days):
        self.clock.advance(days * DAY)
        if self.last:
            name, places, asked, most, start = self.last
            self.call(name, places, asked, most, start, None, None)

    @rule(place=st.integers(0, 3), going=st.booleans())
    def a_kept_call_is_repeated(self, place, going):
        if place < len(self.kept):
            name, key = sorted(self.kept)[place]
            body, answer, *_ = self.kept[name, key]
            held = [world.signal_id(one) for _, one in self.held]
            if going and (shown := set(_events(answer)) & set(held)):
                self.a_signal_goes(held.index(min(shown)))
            places = [self.ids.index(id) for id in body["ids"]]
            most, start = body.get("maxResultsPerSignal"), body.get("startDate")
            self.judge(name, places, body["signalTypes"], most, start, key, None, body)

    def judge(self, name, places, asked, most, start, key, crash, body):
        now = self.clock.seconds()
        kept = self.kept.get((name, key)) if key else None
        if kept and kept[2] <= now:
            kept = None
        shown = self.expected(places, asked, most, start or "")
        paid = {id: at for id, at in self.paid[name].items() if at > now - DAYS * DAY}
        new = {one for one in shown if one[2] not in paid}
        cost = self.price * len({(number, type) for number, type, _ in new})

        answer = self.ask(name, body, key, crash)
        events = _shown(answer)
        if kept:
            self.judge_repeated(name, body, kept, answer, events)
        elif answer.status_code == 402:
            assert cost > self.granted[name] - self.used[name]
            assert events == []
        elif answer.status_code == 500:
            assert crash
        else:
            self.note(name, body, key, answer, shown, new, cost)

    def note(self, name, body, key, answer, shown, new, cost):
        """What a call that was answered changes."""
        now = self.clock.seconds()
        assert answer.status_code == 200
        assert answer.json()["billing"] == {"creditsCharged": cost, "resultsReturned": len(body["ids"])}
        assert set(_shown(answer)) == {id for *_, id in shown}
        self.used[name] += cost
        if cost:
            self.billed[answer.json()["requestId"]] = cost
        if self.price or key:
            self.paid[name] |= {id: now for *_, id in new}
        if self.price:
            assert {id for *_, id in shown} <= self.paid[name].keys(), "shown, and not paid"
        if key:
            self.kept[name, key] = (body, answer.json(), now + DAY, self.detected)

    def judge_repeated(self, name, body, kept, answer, events):
        if kept[0] != body:
            assert answer.status_code == 409
            return
        assert answer.status_code == 200
        assert answer.json()["billing"] == kept[1]["billing"]
        assert answer.json()["requestId"] == kept[1]["requestId"]
        assert set(events) <= self.paid[name].keys()
        first = _events(kept[1])
        # one that went and was detected again is another one
        held = {world.signal_id(one) for place, one in self.held if place <= kept[3]}
        if set(first) <= held:
            assert events == first
        else:
            assert set(first) & held <= set(events)

    def expected(self, places, asked, most, start):
        """Record, type and id of each signal that the call shows."""
        found = set()
        for number in {self.first + place for place in places}:
            for type in KINDS if "allSignals" in asked else asked:
                fitting = [
                    one
                    for _, one in self.held
                    if (one.number, one.type) == (number, type) and one.day >= start
                ]
                fitting.sort(key=world.signal_id)
                fitting.sort(key=lambda one: one.day, reverse=True)
                found |= {(number, type, world.signal_id(one)) for one in fitting[:most]}
        return found

    def ask(self, name, body, key, crash):
        headers = {"idempotency-key": key} if key else {}
        # telling of a crash would take longer than everything else
        with pytest.MonkeyPatch.context() as patch, capture_logs():
            if crash:
                self.crash(patch, crash)
            return self.service.post(PATH, body, key=self.keys[name], **headers)

    def crash(self, patch, moment):
        """The transaction is left behind right after it wrote this."""
        where, what = {
            "paid": (paid_store, "put_paid"),
            "charged": (signals_service.ledger, "charge"),
            "kept": (signals_service.Idempotency, "keep"),
        }[moment]
        original = getattr(where, what)

        def crashing(*arguments, **named):
            original(*arguments, **named)
            raise Crash

        patch.setattr(where, what, crashing)

    @invariant()
    def the_ledger_says_what_the_model_says(self):
        billed = {}
        for name in self.keys:
            account = self.service.accounts.find(self.account(name)).id
            with self.database.read() as session:
                balance = ledger_store.select_balance(session, account)
                entries = [entry for _, entry in ledger_store.select_entries(session, account)]
            assert balance == (self.granted[name], self.used[name], 0)
            billed |= {one.request_id: one.credits for one in entries if one.kind == "charge"}
        assert billed == self.billed

    @invariant()
    def exactly_the_paid_signals_are_noted_of_each_account(self):
        raw = self.service.database.session().raw
        noted = defaultdict(dict)
        accounts = {self.service.accounts.find(self.account(name)).id: name for name in self.keys}
        for account, identity, at in raw.execute("SELECT account_id, identity, paid_at FROM paid_signals"):
            if account in accounts:
                noted[accounts[account]][bytes(identity).hex()] = at
        assert noted == {name: paid for name, paid in self.paid.items() if paid}


def _shown(answer):
    return _events(answer.json()) if answer.status_code == 200 else []


def _events(body):
    return [
        event["signalId"]
        for result in body["results"]
        for events in result.values()
        if isinstance(events, list)
        for event in events
    ]


Charges.TestCase.settings = settings(max_examples=60, stateful_step_count=25)
TestChargeHistories = Charges.TestCase
