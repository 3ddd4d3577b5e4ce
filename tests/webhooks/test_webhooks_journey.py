"""Webhooks over HTTP: import, verified delivery, failing receiver, reactivation."""

import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta

import httpx
import pytest
import sqlalchemy as sa
from asyncapi_document import validation_errors
from receivers import Answer, Receiver
from standardwebhooks import Webhook

from command_fixtures import InProcess
from firmograph.accounts.service import Accounts
from firmograph.bootstrap.packages import load_plans
from firmograph.kit.clock import SystemClock
from firmograph.webhooks.tables import audit_logs
from server_fixtures import Server, eventually, free_port

RETRIES = 3
FAILING = Answer(503, b"try later")
ROWS = sa.select(sa.func.count()).select_from(audit_logs)
KINDS = ("hold", "capture", "release")


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def server(command):
    """Start a server that also delivers, as `firmograph serve` does by default."""
    server = Server(
        command,
        free_port(),
        FIRMOGRAPH_ALLOW_INSECURE_WEBHOOKS="true",
        FIRMOGRAPH_WEBHOOK_RETRY_SECONDS=",".join(["0.05"] * RETRIES),
    )
    server.wait_until_ready()
    yield server
    server.stop()


class Customer:
    """An account, and the contact Ada with a new employer at each import."""

    def __init__(self, command, server, database):
        self.command = command
        self.database = database
        self.accounts = Accounts(database, load_plans(), SystemClock())
        self.accounts.create("acme", "unlimited", 10)
        key = self.accounts.create_key("acme").api_key
        self.client = httpx.Client(base_url=server.url, headers={"api_key": key}, timeout=60)
        self._today = datetime.now(UTC).date()
        self._moves = 0

    def import_ada(self):
        """Import Ada with another employer and a later day."""
        self._moves += 1
        row = {
            "sourceId": "ada",
            "firstName": "Ada",
            "lastName": "Example",
            "emails": ["ada@mail.example.com"],
            "jobTitle": "Head of Sales",
            "company": {"name": f"Employer {self._moves}", "domain": f"employer{self._moves}.example.com"},
            "updateDate": (self._today - timedelta(days=20 - self._moves)).isoformat(),
        }
        path = self.command.folder / f"ada{self._moves}.jsonl"
        path.write_text(json.dumps(row) + "\n")
        self.command.json("import", "contacts", str(path))

    def find_ada(self):
        body = {"contacts": [{"email": "ada@mail.example.com"}]}
        return self.client.post("/v3/contacts/search", json=body).json()["results"][0]["id"]

    def subscribe(self, entity_id, url):
        return self.client.post(
            "/api/subscriptions",
            json={
                "defaults": {"url": url, "entityType": "contact"},
                "subscriptions": [{"entityId": entity_id, "signalTypes": ["allSignals"], "name": "Ada"}],
            },
        )

    def get(self, path, **query):
        answer = self.client.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def usage(self):
        credits = self.get("/v3/account/usage")["credits"]
        return credits["used"], credits["remaining"]

    def audit(self, subscription):
        return self.get("/api/audit-logs", subscriptionId=subscription["id"])["data"]

    def until(self, subscription, statuses):
        """Wait until the audit has as many rows; return them, oldest first, if they have these statuses."""
        eventually(lambda: self._count_rows() >= len(statuses), "the audit does not grow")
        rows = self.audit(subscription)[::-1]
        assert [row["status"] for row in rows] == statuses
        return rows

    def _count_rows(self):
        """Count audit rows in the database: calls of the audit endpoint are rate-limited."""
        return self.database.session().one(ROWS)[0]


@pytest.fixture
def customer(command, server, database):
    return Customer(InProcess(command.folder, command.database_url), server, database)


def check_genuine(received, secret):
    """Check both signatures and the payload's schema."""
    headers = received.headers
    signed = f"{headers['x-service-timestamp']}.".encode() + received.body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    assert headers["x-service-signature"] == expected
    assert Webhook(secret).verify(received.body, headers) == received.json
    assert headers["webhook-id"] == received.json["id"]
    assert headers["user-agent"] == "Service-Webhooks/1.0"
    assert validation_errors(received.json["type"], received.body) == []


@pytest.mark.slow("served journey", "webhooks", "billing", "signals", "jobs", "cli")
def test_signals_are_delivered_and_a_disabled_receiver_can_be_reactivated(customer, receiver):
    customer.import_ada()
    ada = customer.find_ada()
    refused = customer.subscribe(ada, receiver.url)
    assert (refused.status_code, "/api/account/secret/regenerate" in refused.text) == (403, True)
    secret = customer.client.post("/api/account/secret/regenerate").json()["secret"]
    created = customer.subscribe(ada, receiver.url)
    assert created.status_code == 201
    subscription = created.json()["results"][0]["subscription"]

    # the first delivery is received, verified and paid
    customer.import_ada()
    (first,) = receiver.wait(1)
    check_genuine(first, secret)
    payload = first.json
    assert (payload["type"], payload["entityId"], payload["subscriptionId"]) == (
        "companyChange",
        ada,
        subscription["id"],
    )
    assert (payload["data"]["previousCompanyName"], payload["data"]["currentCompanyName"]) == (
        "Employer 1",
        "Employer 2",
    )
    assert payload["billing"] == {"creditsCharged": 1}
    (row,) = customer.until(subscription, ["success"])
    assert (row["payloadId"], row["statusCode"], row["url"], row["error"]) == (
        payload["id"],
        201,
        receiver.url,
        None,
    )
    assert customer.usage() == (1, 9)

    # the second fails until its subscription is disabled, and costs nothing
    receiver.answer = FAILING
    customer.import_ada()
    failed = ["failed"] * RETRIES + ["permanent_failure"]
    rows = customer.until(subscription, ["success", *failed])
    attempts = receiver.received[1:]
    assert len(attempts) == 1 + RETRIES
    assert len({attempt.body for attempt in attempts}) == 1
    for attempt in attempts:
        check_genuine(attempt, secret)
    dead = attempts[0].json["id"]
    assert {(row["payloadId"], row["statusCode"]) for row in rows[1:]} == {(dead, 503)}
    disabled = customer.get(f"/api/subscriptions/{subscription['id']}")
    assert (disabled["isActive"], disabled["blockReason"]) == (False, "Max retries exceeded")
    assert disabled["blockedAt"] is not None
    assert customer.usage() == (1, 9)

    # signals of a disabled subscription wait until it is active again
    customer.import_ada()
    receiver.answer = lambda received: Answer(200)
    assert len(receiver.received) == 2 + RETRIES
    reactivated = customer.client.patch(f"/api/subscriptions/{subscription['id']}", json={"isActive": True})
    assert (reactivated.json()["isActive"], reactivated.json()["blockReason"]) == (True, None)
    third = receiver.wait(3 + RETRIES)[-1]
    check_genuine(third, secret)
    assert third.json["data"]["currentCompanyName"] == "Employer 4"
    customer.until(subscription, ["success", *failed, "success"])
    assert customer.usage() == (2, 8)

    # the operator redelivers the dead letter
    assert customer.command("webhooks", "redeliver", dead).returncode == 0
    again = receiver.wait(4 + RETRIES)[-1]
    assert (again.json["id"], again.body) == (dead, attempts[0].body)
    customer.until(subscription, ["success", *failed, "success", "success"])
    assert customer.usage() == (3, 7)

    assert customer.get("/api/audit-logs/stats") == {
        "total": 7,
        "success": 3,
        "failed": RETRIES,
        "permanentFailure": 1,
        "successRate": "42.85%",
        "dlq": 0,
        "totalCreditsConsumed": 3,
    }
    check_ledger(customer, paid=[payload["id"], third.json["id"], dead], given_up=[dead])
    # a signal paid by a delivery is free in a call
    signals = customer.client.post(
        "/v3/contacts/signals", json={"ids": [ada], "signalTypes": ["companyChange"]}
    )
    assert len(signals.json()["results"][0]["companyChange"]) == 3
    assert signals.json()["billing"]["creditsCharged"] == 0

    # the audit outlives the subscription
    deleted = customer.client.post("/api/subscriptions/delete", json={"ids": [subscription["id"]]})
    assert deleted.json()["successful"] == 1
    assert len(customer.audit(subscription)) == 7


def check_ledger(customer, paid, given_up):
    """Check that each payload has one hold for each time that it was queued, and one capture."""
    rows = [entry for _, entry in customer.accounts.ledger("acme")]
    by_kind = {kind: sorted(row.request_id for row in rows if row.kind == kind) for kind in KINDS}
    assert by_kind == {
        "hold": sorted([*paid, *given_up]),
        "capture": sorted(paid),
        "release": sorted(given_up),
    }
