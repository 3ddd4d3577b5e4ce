"""An opt-out over real HTTP: from a reveal on behalf of a partner to a verified delivery."""

import json

import httpx
import pytest
import sqlalchemy as sa
from asyncapi_document import problems
from receivers import Receiver
from standardwebhooks import Webhook

import database_fixtures
from command_fixtures import InProcess
from firmograph.accounts.service import Accounts
from firmograph.billing.plans import load_plans
from firmograph.kit.clock import SystemClock
from firmograph.webhooks.tables import audit_logs
from server_fixtures import Server, eventually, free_port

ADA = {
    "firstName": "Ada",
    "lastName": "Lovelace",
    "emails": ["ada@mail.example.com"],
    "phones": ["+12025550142"],
}
ROWS = sa.select(audit_logs.c.id)


@pytest.fixture
def server(command):
    server = Server(command, free_port(), FIRMOGRAPH_ALLOW_INSECURE_WEBHOOKS="true")
    server.wait_until_ready()
    yield server
    if server.process.poll() is None:
        server.stop()


def test_who_was_shown_a_person_is_told_once_of_the_opt_out(command, server, database):
    here = InProcess(command.folder, command.database_url)
    (here.folder / "ada.jsonl").write_text(json.dumps({"sourceId": "ada", **ADA}))
    here.json("import", "contacts", str(here.folder / "ada.jsonl"))
    accounts = Accounts(database, load_plans(), SystemClock())
    accounts.create("acme", "unlimited", 10)
    headers = {"api_key": accounts.create_key("acme").api_key}
    with httpx.Client(base_url=server.url, headers=headers, timeout=60) as client, Receiver() as receiver:
        secret = client.post("/api/account/secret/regenerate").json()["secret"]
        made = client.post(
            "/api/subscriptions/opt-out",
            json={"entityType": "contact", "url": receiver.url, "partnerClientId": "globex"},
        )
        assert made.status_code == 201
        asked = {"contacts": [{"email": "ada@mail.example.com"}], "partnerClientId": "globex"}
        (shown,) = client.post("/v3/contacts/search-and-enrich", json=asked).json()["results"]
        assert here.json("suppress", "--email", "ada@mail.example.com")["recordsRemoved"] == 1
        (received,) = receiver.wait(1)
        assert Webhook(secret).verify(received.body, received.headers) == received.json
        assert problems("optOut", received.body) == []
        told = received.json
        assert (told["contactId"], told["fullName"]) == (shown["id"], "Ada Lovelace")
        assert told["partnerClientId"] == "globex"
        assert told["datapoints"] == [
            {"datapointId": "ada@mail.example.com", "datapointType": "email"},
            {"datapointId": "+12025550142", "datapointType": "phone"},
        ]
        # asked of the database, as calls of webhooks are limited
        eventually(lambda: database.session().all(ROWS), "the audit does not grow")
        audit = client.get("/api/audit-logs").json()["data"]
        assert [(row["status"], row["payloadId"]) for row in audit] == [
            ("success", received.headers["webhook-id"])
        ]
        assert client.get("/v3/account/usage").json()["credits"]["used"] == 6
    server.stop()
    assert b"ada@mail" not in database_fixtures.content(database)
