"""The journey of a sale through `/admin` and the customer's calls: at a served process, and over months of a clock."""

import csv
import io
import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from admin_calls import Operator

from command_fixtures import InProcess
from firmograph.accounts.request_counts import RequestCounts
from firmograph.admin.operator_keys import OperatorKeys
from firmograph.kit.clock import day_of
from record_factory import contact, load_contacts
from server_fixtures import Server, free_port

PLANS = """
[plans.monthly]
minute = 10000
day = 100000
credits_per_month = 3
"""
EMAIL = "/v3/contacts/search-and-enrich"
MONTH = 31 * 86_400


@pytest.fixture
def plans_file(tmp_path):
    path = tmp_path / "plans.toml"
    path.write_text(PLANS)
    return str(path)


def people(folder):
    """Write three contacts, each with an e-mail address, which costs a credit."""
    path = folder / "contacts.jsonl"
    rows = [
        {
            "firstName": "Ann",
            "lastName": f"Example{number}",
            "emails": [f"ann{number}@acme.example.com"],
            "company": {"name": "Acme", "domain": "acme.example.com"},
        }
        for number in range(6)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


def reveal(client, api_key, number):
    """Reveal the address of a contact; return the status and the credits charged or the message."""
    body = {"contacts": [{"email": f"ann{number}@acme.example.com"}], "reveal": ["emails"]}
    answer = client.post(EMAIL, json=body, headers={"api_key": api_key})
    said = answer.json()
    return answer.status_code, said["billing"]["creditsCharged"] if answer.status_code == 200 else said[
        "message"
    ]


@pytest.mark.slow("journey of a sale", "admin", "accounts", "billing")
def test_an_account_is_sold_used_billed_corrected_rotated_and_closed_at_a_served_process(
    tmp_path, database_url, plans_file
):
    command = InProcess(tmp_path, database_url)
    assert command.json("import", "contacts", people(tmp_path))["created"] == 6
    operator_key = command.json("operator", "key", "create", "--name", "shop")["operatorKey"]
    server = Server(command, free_port(), FIRMOGRAPH_ADMIN_API="true", FIRMOGRAPH_PLANS_FILE=plans_file)
    try:
        server.wait_until_ready()
        with httpx.Client(base_url=server.url) as client:
            operator = Operator(client, operator_key)
            account = operator.data("POST", "accounts", {"name": "Customer", "plan": "monthly"}, "order-1")
            at = f"accounts/{account['id']}"
            assert account["credits"]["remaining"] == 3
            assert "renewsAt" in account["credits"]

            key = operator.data("POST", f"{at}/keys", {"name": "crm", "dailyCredits": 2}, "key-1")
            assert reveal(client, key["apiKey"], 0) == (200, 1)
            assert reveal(client, key["apiKey"], 1) == (200, 1)
            status, message = reveal(client, key["apiKey"], 2)
            assert (status, message.partition(":")[0]) == (402, "Daily cap reached")

            operator.data("PATCH", f"{at}/keys/{key['prefix']}", {"dailyCredits": "unlimited"})
            assert reveal(client, key["apiKey"], 2) == (200, 1)
            assert reveal(client, key["apiKey"], 3)[0] == 402
            with ThreadPoolExecutor(4) as threads:
                body = {"credits": 5, "reason": "order 2026-117"}
                grants = list(
                    threads.map(lambda _: operator.data("POST", f"{at}/credits", body, "order-2"), range(4))
                )
            assert [grant["remaining"] for grant in grants] == [5] * 4
            corrected = operator.data("POST", f"{at}/credits", {"credits": -4, "reason": "ordered twice"})
            assert corrected["remaining"] == 1

            new = operator.data("POST", f"{at}/keys", {"name": "crm 2"}, "key-2")
            assert reveal(client, new["apiKey"], 3) == (200, 1)
            operator.data("DELETE", f"{at}/keys/{key['prefix']}")
            assert reveal(client, key["apiKey"], 3)[0] == 401
            # paid already
            assert reveal(client, new["apiKey"], 3) == (200, 0)

            today = operator.data("GET", at)["createdAt"]
            usage = operator.data("GET", f"usage?month={today[:7]}&by=key&account={account['id']}")
            assert {row["key"]: row["credits"] for row in usage} == {key["prefix"]: 3, new["prefix"]: 1}

            closed = operator.data("PATCH", at, {"state": "closed"})
            assert (closed["state"], closed["credits"]["used"], closed["credits"]["remaining"]) == (
                "closed",
                4,
                0,
            )
            assert reveal(client, new["apiKey"], 3)[0] == 401
            assert [row["action"] for row in operator.data("GET", f"audit?account={account['id']}")] == [
                "account close",
                "key revoke",
                "key create",
                "credits adjust",
                "credits grant",
                "key change",
                "key create",
                "account create",
            ]
    finally:
        server.stop()
    report = command("usage", "report", "--month", today[:7], "--format", "csv").stdout
    (row,) = csv.DictReader(io.StringIO(report))
    assert (row["account"], row["credits"], int(row["requests"])) == ("Customer", "4", 7)


def test_a_plan_by_month_is_renewed_reported_by_month_and_changed(make_service, database, clock, plans_file):
    rows = [(f"ann{n}", contact("Ann", f"Example{n}", emails=[f"ann{n}@acme.example.com"])) for n in range(5)]
    load_contacts(database, "test", rows, clock)
    service = make_service(admin_api=True, plans_file=plans_file)
    operator = Operator(service.client, service.installation.get(OperatorKeys).create("shop").operator_key)

    def months_usage():
        service.installation.get(RequestCounts).save()
        month = day_of(service.clock.seconds()).isoformat()[:7]
        rows = operator.data("GET", f"usage?month={month}&account={account['id']}")
        return [(row["requests"], row["errors"], row["credits"]) for row in rows]

    account = operator.data("POST", "accounts", {"name": "Customer", "plan": "monthly"})
    at = f"accounts/{account['id']}"
    api_key = operator.data("POST", f"{at}/keys", {})["apiKey"]
    assert [reveal(service.client, api_key, number)[0] for number in range(4)] == [200, 200, 200, 402]
    assert months_usage() == [(4, 1, 3)]

    service.clock.advance(MONTH)
    assert months_usage() == []
    assert reveal(service.client, api_key, 3) == (200, 1)
    assert months_usage() == [(1, 0, 1)]
    credits = operator.data("GET", f"{at}/credits")
    assert (credits["total"], credits["used"], credits["remaining"]) == (6, 4, 2)

    changed = operator.data("PATCH", at, {"plan": "pro"})
    assert (changed["credits"]["remaining"], changed["credits"].get("renewsAt")) == (0, None)
    assert reveal(service.client, api_key, 4)[0] == 402
    operator.data("POST", f"{at}/credits", {"credits": 1, "reason": "order"})
    assert reveal(service.client, api_key, 4) == (200, 1)
    kinds = [entry.kind for _, entry in service.accounts.ledger("Customer")]
    assert kinds == [
        "renewal",
        "charge",
        "charge",
        "charge",
        "renewal",
        "charge",
        "expiry",
        "grant",
        "charge",
    ]
