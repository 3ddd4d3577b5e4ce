"""Providers of tests: their answers are given by the test, and they remember what they were asked."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import pytest

from firmograph.directory.records import CompanyRef
from firmograph.installation import Installation
from firmograph.waterfall import wiring
from firmograph.waterfall.asks.worker import AskWorker, create_ask_worker
from firmograph.waterfall.providers.types import DataPoint, Found, Miss, Person, Providers, Trouble
from firmograph.waterfall.worker_wiring import make_ask_queue
from record_factory import contact, load_contacts

Answer = Found | Miss | Trouble
MISS = Miss("not found")
TROUBLE = Trouble("timeout")
ACME = CompanyRef(name="Acme Inc", domain="acme.example")


class Asked(NamedTuple):
    person: Person
    data_point: DataPoint
    key: str


class FakeProvider:
    """Provider that gives the same answer to all, or one by first name."""

    kind = "fake"

    def __init__(
        self,
        name: str,
        answer: Answer | Mapping[str, Answer] | Callable[[Person], Answer | Awaitable[Answer]] = MISS,
        *,
        prices: Mapping[DataPoint, int] | None = None,
        eu: bool = False,
        rate: float | None = None,
    ) -> None:
        self.name = name
        self.answer = answer
        self.prices: Mapping[DataPoint, int] = {"emails": 2, "phones": 7} if prices is None else prices
        self.eu = eu
        self.rate_per_second = rate
        self.asked: list[Asked] = []

    def can_ask(self, person: Person, data_point: DataPoint) -> bool:
        return person.last_name != "Unknowable"

    async def ask(self, person: Person, data_point: DataPoint, key: str) -> Answer:
        self.asked.append(Asked(person, data_point, key))
        answer = self.answer
        if callable(answer):
            given = answer(person)
            return await given if isinstance(given, Awaitable) else given
        if isinstance(answer, Mapping):
            return answer.get(person.first_name or "", MISS)
        return answer


class FakeProviders(dict[str, FakeProvider]):
    """Providers by name."""

    def add(self, *providers: FakeProvider) -> None:
        self.update({one.name: one for one in providers})

    def names(self) -> list[str]:
        return list(self)

    async def close(self) -> None:
        pass


class Silent:
    """Receiver of a runner's figures that keeps none."""

    def count_attempts(self, outcome: str, count: int) -> None: ...

    def observe_seconds(self, seconds: float) -> None: ...

    def set_backlog(self, *figures: int) -> None: ...


@contextmanager
def in_place_of_the_file(providers: FakeProviders):
    """Let every installation have these providers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(wiring.SERVICES, Providers, lambda installation: providers)
        yield providers


def make_worker(installation: Installation) -> AskWorker:
    return create_ask_worker(
        make_ask_queue(installation), lambda: installation.get(Providers), installation.clock, Silent()
    )


def work(service) -> int:
    """Ask until nothing is due; return the number of answers that count."""
    return asyncio.run(make_worker(service.installation).run_until_idle())


def add_contact(service, first: str, last: str = "Doe", source: str = "", **fields) -> str:
    """Store a contact at Acme that only this test knows, and return the id."""
    page = f"https://www.linkedin.com/in/{first.lower()}-{last.lower()}"
    load_contacts(
        service.database,
        source or f"page of {first}",
        [contact(first, last, company=ACME, linkedin=page, **fields)],
    )
    (result,) = service.post("/v3/contacts/search", {"contacts": [{"linkedinUrl": page}]}).json()["results"]
    return result["id"]


def ledger_of(service) -> list[tuple[str, str, int, str]]:
    """Return kind, action, credits and subject of the account's ledger rows about providers."""
    from firmograph.billing import ledger
    from firmograph.database.connection import AccountSession

    account_id = service.accounts.find(service.account).id
    with service.database.read() as session:
        rows = [entry for _, entry in ledger.entries(AccountSession(session, account_id))]
    return [
        (row.kind, row.action, row.credits, row.subject) for row in rows if row.action.startswith("waterfall")
    ]


def balance_of(service) -> tuple[int, int]:
    """Return the used and the held credits."""
    account = service.accounts.find(service.account)
    return account.used, account.held


def by_name(values):
    grouped = defaultdict(list)
    for value in values:
        grouped[value["dataSource"]].append(value)
    return dict(grouped)
