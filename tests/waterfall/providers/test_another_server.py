"""Another server of this API as a provider: its real application, reached by HTTP through a receiver."""

import httpx
import pytest

from firmograph.directory.records import CompanyRef, Phone
from firmograph.waterfall.providers.types import Found, Miss, Person, Trouble
from record_factory import contact, load_contacts
from waterfall.providers import asking
from webhooks.receivers import Answer, Receiver

pytestmark = pytest.mark.any_database

ACME = CompanyRef(name="Acme Inc", domain="acme.example")


@pytest.fixture(scope="module")
def directory(shared_service):
    phones = [Phone(number="+14155550100"), Phone(number="+14155550101", do_not_call=True)]
    load_contacts(
        shared_service.database,
        "test",
        [
            contact("Jane", "Doe", emails=["jane@acme.example"], company=ACME, phones=phones),
            contact("Bob", "Roe", emails=["bob@acme.example"], company=ACME),
        ],
    )
    return shared_service


@pytest.fixture
def ask(directory, tmp_path, monkeypatch):
    """Return a function that asks the application, for an account with a plan and credits."""

    def answer(received) -> Answer:
        response: httpx.Response = directory.client.request(
            received.method, received.target, content=received.body, headers=received.headers
        )
        headers = tuple(
            f"{name}: {response.headers[name]}" for name in ("retry-after",) if name in response.headers
        )
        return Answer(response.status_code, response.content, headers)

    with Receiver(answer) as receiver:

        def ask(*people, credits=100):
            account = directory.with_account(credits=credits)
            monkeypatch.setitem(asking.ENVIRON, "PROVIDER_KEY", account.key)
            text = asking.FIRMOGRAPH.format(url=receiver.origin)
            found = [
                asking.ask(tmp_path, text, person=person, key=f"ask-{number}")
                for number, person in enumerate(people)
            ]
            return found, account.get("/v3/account/usage").json()["credits"]["remaining"]

        yield ask


def test_a_person_of_another_server_is_found_by_each_identifier_and_paid_once(ask):
    people = [
        Person(email="jane@acme.example"),
        Person(first_name="Jane", last_name="Doe", company="Acme Inc"),
        Person(first_name="Jane", last_name="Doe", domain="acme.example"),
    ]
    found, remaining = ask(*people)
    assert found == [Found(phones=("+14155550100",), first_name="Jane", last_name="Doe")] * 3
    assert remaining == 95


def test_whom_another_server_lacks_costs_nothing_there(ask):
    people = [
        Person(email="nobody@acme.example"),
        Person(email="bob@acme.example"),
        Person(email="no address"),
    ]
    assert ask(*people) == ([Miss("not found"), Miss("no value"), Miss("refused the person")], 100)


def test_an_account_without_credits_there_is_a_later_try(ask):
    assert ask(Person(email="jane@acme.example"), credits=0) == ([Trouble("out of credits there")], 0)


def test_a_key_that_another_server_does_not_know_is_a_later_try(ask, monkeypatch):
    monkeypatch.setattr(asking, "FIRMOGRAPH", asking.FIRMOGRAPH.replace("PROVIDER_KEY", "OTHER_KEY"))
    monkeypatch.setitem(asking.ENVIRON, "OTHER_KEY", "unknown")
    assert ask(Person(email="jane@acme.example"))[0] == [Trouble("key refused")]
