"""A customer over the service of one database, of its copy, and of the copy back."""

from contextlib import closing, contextmanager
from itertools import pairwise

import msgspec
import pytest
import sqlalchemy as sa
from litestar.testing import TestClient

import database_fixtures
from command_fixtures import InProcess
from firmograph.accounts.service import Accounts
from firmograph.accounts.usage_report import UsageReports, read_month
from firmograph.bootstrap.application import create_app
from firmograph.bootstrap.assembly import make_installation
from firmograph.database.connection import Database
from firmograph.database.schema import prepare
from firmograph.kit.clock import SetClock
from firmograph.settings import Settings
from record_factory import KEYRING, contact, load_contacts

SUBSCRIPTION = {
    "defaults": {
        "url": "https://hooks.example.com/",
        "entityType": "contact",
        "signalTypes": ["allSignals"],
    }
}
KEYRING_TEXT = msgspec.json.encode(KEYRING).decode()
LEDGER = sa.text("SELECT * FROM ledger ORDER BY id")


@contextmanager
def served(database):
    """Yield a client of an application without background work."""
    with TestClient(
        create_app(installed(database), background=False), base_url="https://firmograph.test"
    ) as client:
        yield client


def installed(database):
    return make_installation(Settings(), database, KEYRING, SetClock())


class Customer:
    """A customer of an application over a database."""

    def __init__(self, client, key):
        self._client = client
        self._headers = {"api_key": key}

    def get(self, path, **query):
        answer = self._client.get(path, params=query, headers=self._headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path, body):
        answer = self._client.post(path, json=body, headers=self._headers)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    def enrich(self, *ids):
        answer = self.post("/v3/contacts/enrich", {"ids": list(ids)})
        return answer["results"], answer["billing"]["creditsCharged"]


@pytest.mark.slow("copied service", "accounts", "billing", "record_tables", "webhooks")
def test_a_customer_meets_the_same_service_after_a_copy_and_after_the_way_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    there = database_fixtures.empty(tmp_path, "there")
    urls = [f"sqlite:///{tmp_path}/first.db", there, f"sqlite:///{tmp_path}/back.db"]
    key, bought = begin(urls[0])
    seen = visit(urls[0], key, bought)
    for source, target in pairwise(urls):
        kept = books(source)
        done = InProcess(tmp_path, source)("copy-database", "--to", target, FIRMOGRAPH_KEYS=KEYRING_TEXT)
        assert done.returncode == 0, done.stderr
        assert books(target) == kept
        assert visit(target, key, bought) == seen
    database_fixtures.drop(there)


def begin(url):
    """Make an account that has paid for a contact, owns a table of it and is notified of it; return key and id."""
    with closing(Database(url)) as database:
        prepare(database)
        load_contacts(
            database,
            "test",
            [
                contact("Ann", "Doe", emails=["ann@example.com"]),
                contact("Bob", "Doe", emails=["bob@example.com"]),
            ],
        )
        accounts = installed(database).get(Accounts)
        accounts.create("acme", "unlimited", 100)
        accounts.add_user("acme", "dana@acme.example")
        key = accounts.create_key("acme").api_key
        with served(database) as client:
            customer = Customer(client, key)
            found = customer.post("/v3/contacts/search", {"contacts": [{"email": "ann@example.com"}]})
            bought = found["results"][0]["id"]
            assert customer.enrich(bought)[1] > 0
            owner = {"email": "dana@acme.example"}
            table = customer.post("/v3/contacts/tables", {"name": "People", "owner": owner})["data"][
                "tableId"
            ]
            customer.post(f"/v3/contacts/tables/{table}/entities", {"entityIds": [bought], "owner": owner})
            customer.post("/api/account/secret/regenerate", {})
            customer.post("/api/subscriptions", {**SUBSCRIPTION, "subscriptions": [{"entityId": bought}]})
    return key, (bought, table)


def visit(url, key, bought):
    """Return what the customer is answered; the paid contact is free."""
    record, table = bought
    with closing(Database(url)) as database, served(database) as client:
        customer = Customer(client, key)
        contacts, charged = customer.enrich(record)
        assert charged == 0
        return {
            "contacts": contacts,
            "rows": customer.get(f"/v3/contacts/tables/{table}/entities", email="dana@acme.example")["data"],
            "subscriptions": customer.get("/api/subscriptions")["data"],
            "secret": customer.get("/api/account/secret")["secret"],
        }


def books(url):
    """Return the operator's ledger, and the report of the month by key."""
    with closing(Database(url)) as database:
        report = installed(database).get(UsageReports).report(read_month("2026-09"), "key")
        assert sum(row.credits for row in report) > 0
        return report, database.session().all(LEDGER)
