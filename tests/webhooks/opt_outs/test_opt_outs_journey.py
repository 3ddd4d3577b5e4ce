"""An opt-out over HTTP: from a partner's reveal to the verified delivery."""

import json

import httpx
import pytest
import sqlalchemy as sa
from asyncapi_document import validation_errors
from receivers import Receiver
from standardwebhooks import Webhook

import database_fixtures
from command_fixtures import InProcess
from firmograph.accounts.service import Accounts
from firmograph.bootstrap.packages import load_plans
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


def test_an_account_that_revealed_a_person_gets_one_opt_out_notice(command, server, database):
    in_process = InProcess(command.folder, command.database_url)
    (in_process.folder / "ada.jsonl").write_text(json.dumps({"sourceId": "ada", **ADA}))
    in_process.json("import", "contacts", str(in_process.folder / "ada.jsonl"))
    accounts = Accounts(database, load_plans(), SystemClock())
    accounts.create("acme", "unlimited", 10)
    headers = {"api_key": accounts.create_key("acme").api_key}
    with httpx.Client(base_url=server.url, headers=headers, timeout=60) as client, Receiver() as receiver:
        secret = client.post("/api/account/secret/regenerate").json()["secret"]
        created = client.post(
            "/api/subscriptions/opt-out",
            json={"entityType": "contact", "url": receiver.url, "partnerClientId": "globex"},
        )
        assert created.status_code == 201
        body = {"contacts": [{"email": "ada@mail.example.com"}], "partnerClientId": "globex"}
        (revealed,) = client.post("/v3/contacts/search-and-enrich", json=body).json()["results"]
        assert in_process.json("suppress", "--email", "ada@mail.example.com")["recordsRemoved"] == 1
        (received,) = receiver.wait(1)
        assert Webhook(secret).verify(received.body, received.headers) == received.json
        assert validation_errors("optOut", received.body) == []
        notice = received.json
        assert (notice["contactId"], notice["fullName"]) == (revealed["id"], "Ada Lovelace")
        assert notice["partnerClientId"] == "globex"
        assert notice["datapoints"] == [
            {"datapointId": "ada@mail.example.com", "datapointType": "email"},
            {"datapointId": "+12025550142", "datapointType": "phone"},
        ]
        # calls of the audit endpoint are rate-limited
        eventually(lambda: database.session().all(ROWS), "the audit does not grow")
        audit = client.get("/api/audit-logs").json()["data"]
        assert [(row["status"], row["payloadId"]) for row in audit] == [
            ("success", received.headers["webhook-id"])
        ]
        assert client.get("/v3/account/usage").json()["credits"]["used"] == 6
    server.stop()
    assert b"ada@mail" not in database_fixtures.content(database)
