"""Histories of asks, charges, own data, erasures and crashes of accounts, against a model of their ledgers."""

from collections import defaultdict
from itertools import count

from fake_providers import (
    MISS,
    TROUBLE,
    FakeProvider,
    FakeProviders,
    add_contact,
    balance_of,
    in_place_of_the_file,
)
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from effort import examples
from firmograph.billing import ledger
from firmograph.database.connection import AccountSession
from firmograph.directory.records import Phone
from firmograph.privacy.suppression import Suppression
from firmograph.security.record_ids import Entity
from firmograph.waterfall.administration import WaterfallAdministration
from firmograph.waterfall.asks import ask_store, value_store
from firmograph.waterfall.asks.result import AskResult
from firmograph.waterfall.providers.types import Found
from firmograph.waterfall.worker_wiring import make_ask_queue

PHONE = Found(phones=("+1 202 555 0134",))
OWN_PRICE = 5
PRICES = {"first": 3, "second": 8}
serials = count()
accounts = st.integers(0, 1)
people = st.integers(0, 2)
answers = st.sampled_from([PHONE, PHONE, MISS, TROUBLE])


class Crash(BaseException):
    """A simulated end of the process, as far as the transaction can tell."""


class Asks(RuleBasedStateMachine):
    """History of two new accounts with both providers, and of three contacts without a phone."""

    def __init__(self, service, providers) -> None:
        super().__init__()
        self.service = service
        self.providers = providers
        self.tasks: list = []
        self.own: set[int] = set()
        self.gone: set[int] = set()

    @initialize()
    def begin(self):
        serial = next(serials)
        self.providers.clear()
        self.names = {f"{name}-{serial}": price for name, price in PRICES.items()}
        self.providers.add(
            *(FakeProvider(name, prices={"phones": price}) for name, price in self.names.items())
        )
        self.accounts = [self.service.with_account(credits=20) for _ in range(2)]
        for one in self.accounts:
            account_id = one.accounts.find(one.account).id
            self.service.installation.get(WaterfallAdministration).enable(account_id, list(self.names))
        letters = "".join(chr(97 + int(digit)) for digit in str(serial))
        self.people = [f"{name}{letters}" for name in ("Ann", "Bob", "Cid")]
        self.ids = [add_contact(self.service, name) for name in self.people]
        self.paid: dict[tuple[int, int], int] = defaultdict(int)

    @rule(account=accounts, person=people)
    def enrich(self, account, person):
        body = {"ids": [self.ids[person]], "reveal": ["phones"]}
        answer = self.accounts[account].post("/v3/contacts/enrich", body)
        assert answer.status_code in (200, 402)

    @rule(person=people)
    def own_data_comes(self, person):
        if person not in self.gone:
            numbers = [Phone(number="+12025550177")]
            add_contact(self.service, self.people[person], source="own", phones=numbers)
            self.own.add(person)

    @rule(crashes=st.booleans())
    def claim(self, crashes):
        queue = make_ask_queue(self.service.installation)
        change, ended = ask_store.change_asks, [crashes]

        def crash(session, changes):
            change(session, changes)
            if ended.pop():
                raise Crash

        ask_store.change_asks = crash if crashes else change
        try:
            self.tasks += queue.claim(100, self.service.clock.seconds())
        except Crash:
            pass
        finally:
            ask_store.change_asks = change

    @rule(data=st.data(), answer=answers, crashes=st.booleans())
    def record(self, data, answer, crashes):
        """Record an answer, of a task that may be another worker's by now, once or twice."""
        if not self.tasks:
            return
        task = data.draw(st.sampled_from(self.tasks))
        queue = make_ask_queue(self.service.installation)
        put = value_store.add_calls

        def crash(session, calls):
            raise Crash

        value_store.add_calls = crash if crashes else put
        try:
            queue.record([AskResult(task, answer, 0.1)])
        except Crash:
            pass
        finally:
            value_store.add_calls = put

    @rule(seconds=st.sampled_from([1, 20, 31, 70, 90_000]))
    def time_passes(self, seconds):
        self.service.clock.advance(seconds)

    @rule(person=people)
    def erase(self, person):
        suppression = self.service.installation.get(Suppression)
        suppression.suppress(suppression.person(id=self.ids[person]))
        self.gone.add(person)

    @invariant()
    def ledgers_add_up(self):
        """Each data point is paid once at most, by one price; what is held is that of open asks, and no more."""
        if not hasattr(self, "accounts"):
            return
        for one in self.accounts:
            account_id = one.accounts.find(one.account).id
            with self.service.database.read() as session:
                own = AccountSession(session, account_id)
                rows = [entry for _, entry in ledger.entries(own)]
                held = sum(ask.held for ask in ask_store.select_every_open(own))
                numbers = {
                    number
                    for id in self.ids
                    if (number := self.service.installation.record_ids.open(Entity.CONTACT, id))
                }
                values = value_store.select_paid(own, numbers)
            charged = [row.credits for row in rows if row.kind in ("charge", "capture")]
            assert len(charged) <= len(self.ids)
            assert set(charged) <= {OWN_PRICE, *PRICES.values()}
            ended = sum(row.credits for row in rows if row.kind in ("capture", "release"))
            begun = sum(row.credits for row in rows if row.kind == "hold")
            assert balance_of(one) == (sum(charged), held)
            assert begun - ended == held
            captured = sorted(row.credits for row in rows if row.kind == "capture")
            if not self.gone:
                assert sorted(value.credits for value in values) == captured

    def teardown(self):
        """Let all open asks end: then nothing is held, and no ask is lost."""
        for one in getattr(self, "accounts", ()):
            self.service.clock.advance(90_000)
            make_ask_queue(self.service.installation).claim(100, self.service.clock.seconds())
            assert balance_of(one)[1] == 0


def test_histories_of_asks(make_shared_service):
    with in_place_of_the_file(FakeProviders()) as providers:
        service = make_shared_service(waterfall_wait_seconds=0)
        run_state_machine_as_test(
            lambda: Asks(service, providers),
            settings=settings(max_examples=examples(60), stateful_step_count=25, deadline=None),
        )
