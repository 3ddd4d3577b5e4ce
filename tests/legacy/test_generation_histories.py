"""Generated histories of calls of both generations, with crashes, compared with a model of the ledger.

Invariants: an account pays for each data point once, whichever generation reveals it; a call that is refused or crashes
changes nothing; answers say what they charged; accounts do not affect each other.
"""

from collections import defaultdict
from itertools import count
from unittest.mock import patch

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from legacy_records import ANN, ANY_REQUEST, BO, CY, FULL_COMPANY, company_id, contact_id, stock
from structlog.testing import capture_logs

import database_fixtures
from effort import examples
from firmograph.billing import ledger_store, paid_unit_store
from firmograph.billing.idempotency import Idempotency
from firmograph.database.connection import AccountSession, Database
from firmograph.kit.clock import SetClock
from firmograph.settings import Settings
from record_factory import KEYRING
from server_fixtures import Service

HELD = {ANN: {"emails": 1, "phones": 5}, BO: {"emails": 1}, CY: {}}
EMAIL = {ANN: "ann@acme.example.com", BO: "bo@plain.example.org"}
COMPANY = "company"

names = st.sampled_from(["First", "Second"])
people = st.lists(st.sampled_from([ANN, BO, CY]), min_size=1, max_size=3, unique=True)
reveals = st.sets(st.sampled_from(["emails", "phones"]))
keys = st.none() | st.sampled_from(["one", "two"])
crashes = st.sampled_from([None, None, None, None, "ledger", "paid", "kept"])

_histories = count(1)
_service: list[Service] = []


class Crash(Exception):
    """Simulated end of the process inside a transaction."""


CRASHES = {
    "ledger": (ledger_store, "append_entries"),
    "paid": (paid_unit_store, "upsert"),
    "kept": (Idempotency, "keep"),
}


@pytest.fixture(scope="module", autouse=True)
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("generations")
    database = Database(database_fixtures.fresh(folder))
    service = Service(database, KEYRING, SetClock(), Settings(search_folder=str(folder), lookalikes=False))
    with service.client:
        _service.append(stock(service))
        yield
    _service.clear()
    database.close()
    database_fixtures.drop(database.url)


class Generations(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.service = _service[0]
        self.granted: dict[str, int] = defaultdict(int)
        self.used: dict[str, int] = defaultdict(int)
        self.paid: dict[str, set[tuple[int, str]]] = defaultdict(set)
        self.kept: dict[tuple, tuple] = {}

    @initialize()
    def two_accounts(self):
        number = next(_histories)
        self.accounts = {name: f"{name} {number}" for name in ("First", "Second")}
        self.keys = {name: self.service.new_key(account) for name, account in self.accounts.items()}
        for name in self.accounts:
            self.grant(name, 8)

    @rule(name=names, credits=st.integers(1, 9))
    def grant(self, name, credits):
        self.service.accounts.grant(self.accounts[name], credits)
        self.granted[name] += credits

    @rule(name=names, people=people, asked=reveals, key=keys, crash=crashes)
    def enrich_contacts(self, name, people, asked, key, crash):
        body = {"ids": [str(contact_id(number)) for number in people]}
        body |= {"reveal": sorted(asked)} if asked else {}
        answer = self.reveal(name, "/v3/contacts/enrich", body, people, asked, key, crash)
        if answer is not None:
            for number, result in zip(people, answer["results"], strict=True):
                self.check_shown(number, asked, result.get("emails"), result.get("phones"))

    @rule(name=names, people=people, asked=reveals, key=keys, crash=crashes)
    def enrich_contacts_of_a_search(self, name, people, asked, key, crash):
        body = {"requestId": ANY_REQUEST, "contactIds": [contact_id(number) for number in people]}
        body |= flags(asked)
        answer = self.reveal(name, "/prospecting/contact/enrich", body, people, asked, key, crash)
        if answer is not None:
            for number, result in zip(people, answer["contacts"], strict=True):
                data = result["data"]
                self.check_shown(number, asked, data.get("emailAddresses"), data.get("phoneNumbers"))
                assert data["isShown"] is any(one == number for one, _ in self.paid[name])

    @rule(name=names, people=people, asked=reveals, key=keys, crash=crashes)
    def people_of_a_batch(self, name, people, asked, key, crash):
        items = [{"contactId": str(number), "personId": contact_id(number)} for number in people]
        before = set(self.paid[name])
        body = {"contacts": items, "metadata": flags(asked)}
        answer = self.reveal(name, "/v2/person", body, people, asked, key, crash)
        if answer is None:
            return
        for number in people:
            result = answer["contacts"][str(number)]
            data, units = result["data"], self.units([number], asked)
            self.check_shown(number, asked, data.get("emailAddresses"), data.get("phoneNumbers"))
            assert (result["error"] is None) is bool(units)
            if not self.replayed:
                assert result["isCreditCharged"] is bool(units - before)

    @rule(name=names, number=st.sampled_from([ANN, BO]), asked=reveals, key=keys, crash=crashes)
    def one_person(self, name, number, asked, key, crash):
        query = f"email={EMAIL[number]}" + "".join(f"&{flag}=true" for flag in flags(asked))
        before = set(self.paid[name])
        answer = self.reveal(name, f"/v2/person?{query}", None, [number], asked, key, crash)
        if answer is not None and not self.replayed:
            charged = bool(self.units([number], asked) - before)
            assert answer["contact"]["isCreditCharged"] is charged

    @rule(name=names, legacy=st.booleans(), key=keys, crash=crashes)
    def company(self, name, legacy, key, crash):
        id = str(company_id(FULL_COMPANY))
        if legacy:
            path, body = "/v2/company", {"companies": [{"id": "1", "companyId": id}]}
        else:
            path, body = "/v3/companies/enrich", {"ids": [id]}
        self.call(name, path, body, {(FULL_COMPANY, COMPANY)}, key, crash)

    # --- one call ---

    def units(self, people, asked):
        return {(number, unit) for number in people for unit in HELD[number] if not asked or unit in asked}

    def check_shown(self, number, asked, emails, phones):
        """Compare the shown data points with the held ones that are asked for."""
        for unit, values in (("emails", emails), ("phones", phones)):
            is_asked = not asked or unit in asked
            assert (values is not None) is is_asked
            assert bool(values) is (is_asked and unit in HELD[number])

    def reveal(self, name, path, body, people, asked, key, crash):
        return self.call(name, path, body, self.units(people, asked), key, crash)

    def call(self, name, path, body, units, key, crash):
        """Make a call and compare its charge; return the answer to one that was answered."""
        cost = sum(price(unit) for unit in units - self.paid[name])
        known = self.kept.get((name, path.partition("?")[0], key)) if key else None
        self.replayed = known is not None
        status, answer = self.send(self.keys[name], path, body, key, crash)
        if known is not None:
            if status == 500:
                return None
            assert status == (200 if known[0] == (path, body) else 409)
            assert status == 409 or answer == known[1]
            return answer if status == 200 else None
        if cost > self.granted[name] - self.used[name]:
            assert status in (402, 500)
            return None
        if status == 500:
            assert crash
            return None
        assert status == 200
        self.used[name] += cost
        self.paid[name] |= units
        if key:
            self.kept[name, path.partition("?")[0], key] = ((path, body), answer)
        if isinstance(answer.get("billing"), dict):
            assert answer["billing"]["creditsCharged"] == cost
        return answer

    def send(self, api_key, path, body, key, crash):
        headers = {"idempotency-key": key} if key else {}

        def post():
            if body is None:
                return self.service.get(path, key=api_key, **headers)
            return self.service.post(path, body, key=api_key, **headers)

        if crash is None:
            answer = post()
        else:
            owner, attribute = CRASHES[crash]
            step = getattr(owner, attribute)

            def step_and_crash(*arguments, **named):
                step(*arguments, **named)
                raise Crash

            with patch.object(owner, attribute, step_and_crash), capture_logs():
                answer = post()
        return answer.status_code, answer.json()

    @invariant()
    def the_ledger_is_the_model(self):
        if not hasattr(self, "keys"):
            return
        for name, account in self.accounts.items():
            id = self.service.accounts.find(account).id
            with self.service.database.read() as session:
                own = AccountSession(session, id)
                balance = ledger_store.select_balance(own)
                contacts = paid_unit_store.select_data_points(own, 1, [ANN, BO, CY], 0.0)
                companies = paid_unit_store.select_data_points(own, 2, [FULL_COMPANY], 0.0)
                entries = [entry for _, entry in ledger_store.select_entries(own)]
            assert balance == (self.granted[name], self.used[name], 0)
            assert contacts | companies == self.paid[name]
            assert sum(one.credits for one in entries if one.kind == "charge") == self.used[name]


def flags(asked):
    """Return the legacy flags that ask for these data points; none for both."""
    texts = {"emails": "revealEmails", "phones": "revealPhones"}
    return {texts[unit]: True for unit in sorted(asked)}


def price(unit):
    number, name = unit
    return 1 if name == COMPANY else HELD[number][name]


TestGenerations = Generations.TestCase
TestGenerations.settings = settings(max_examples=examples(25), stateful_step_count=20, deadline=None)
