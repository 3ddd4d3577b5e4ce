"""Schemathesis over the served OpenAPI document: every check, every phase, a fixed seed, on both databases.

See docs/reference/requests.md#bodies.

The paths are parted among several tests, so that they run side by side. null is a positive case of every optional
property, as the document says. No check is excluded. What a schema cannot say of prospecting, how filters go together,
`contract_prospecting.py` puts right in requests that should be accepted. One setting narrows what is generated: texts
with NUL characters, which are refused in every text of every body, though no schema says so of each.
`tests/wire` tests them by themselves.
"""

import json
import subprocess
import sys
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import httpx
import pytest

import database_fixtures
from command_fixtures import InProcess
from firmograph.accounts.service import Accounts
from firmograph.billing.plans import load_plans
from firmograph.database.connection import Database
from firmograph.kit.clock import SystemClock
from server_fixtures import Server, free_port

HOOKS = Path(__file__).with_name("contract_hooks.py")

COMPANIES = [
    {
        "name": "Acme Instruments",
        "domain": "acme.example.com",
        "linkedinUrl": "https://www.linkedin.com/company/acme-instruments",
        "description": "Measures things.",
        "employeeCount": {"exact": 120, "min": 51, "max": 200},
        "location": {
            "country": "Germany",
            "city": "Berlin",
            "zipCode": "10115",
            "coordinates": [13.39, 52.53],
        },
        "socialLinks": {"facebook": "https://facebook.com/acme", "youtube": ["https://youtube.com/acme"]},
        "technologies": ["Python"],
        "employeesByDepartment": [{"department": "Sales", "count": 3}],
        "employeesByLocation": [{"country": "Germany", "count": 3}],
        "competitors": [{"name": "Umbrella", "domain": "umbrella.example.org"}],
        "openJobs": {"total": 4, "byDepartment": [{"department": "Sales", "count": 4}]},
        "estimatedAnnualItSpend": {"value": 10.5, "currency": "USD", "valueUsd": 10.5},
        "monthlyWebsiteTraffic": {"visits": 1000, "momChangePercent": 2.5, "month": "2026-01"},
        "intent": {"detectedTopics": [], "topicCount": 0},
        "directParent": {"name": "Acme Holding", "domain": "holding.example.com"},
    },
    {"name": "Plain Ltd", "domain": "plain.example.org"},
]
CONTACTS = [
    {
        "firstName": "Ann",
        "lastName": f"Example{n}",
        "jobTitle": "Head of Sales",
        "linkedinUrl": f"https://www.linkedin.com/in/ann-example-{n}",
        "emails": [f"ann{n}@acme.example.com"],
        "phones": [f"+1 202 555 01{n:02}"],
        "company": {"name": "Acme Instruments", "domain": "acme.example.com"},
        "location": {"country": "Germany"},
        "previousEmployment": [{"company": {"name": "Plain Ltd"}, "jobTitle": {"title": "Clerk"}}],
        "updateDate": "2025-01-01",
    }
    for n in range(5)
] + [
    {"firstName": "Bo", "lastName": "Nobody", "company": {"name": "Plain Ltd", "domain": "plain.example.org"}}
]

ACME = "acme.example.com"
PROMOTED = [{**row, "jobTitle": "Chief Revenue Officer", "updateDate": "2025-06-01"} for row in CONTACTS[:3]]
TODAY = datetime.now(UTC).date()


def facts():
    """Of each kind of facts some that show a signal."""
    months = [(date(2025, 1, 1) + timedelta(31 * n)).replace(day=1).isoformat() for n in range(6)]
    weeks = [date(2025, 1, 6) + timedelta(weeks=n) for n in range(14)]
    opened = [(day, n) for place, day in enumerate(weeks) for n in range(1 if place < 12 else 12)]
    return {
        "headcounts": [{"company": ACME, "date": day, "count": 100 + 50 * n} for n, day in enumerate(months)],
        "traffic": [
            {"company": ACME, "month": day[:7], "visits": 5000 * 2**n} for n, day in enumerate(months)
        ],
        "it-spend": [
            {"company": ACME, "date": day, "value": 9000 * 2**n, "currency": "EUR"}
            for n, day in enumerate(months[:2])
        ],
        "jobs": [
            {
                "company": ACME,
                "postingId": f"{day} {n}",
                "title": "Sales Manager",
                "country": "Germany",
                "state": "Bavaria",
                "openDate": day.isoformat(),
            }
            for day, n in opened
        ],
        "news": [
            {
                "url": f"https://news.example.org/{n}",
                "date": "2025-05-05",
                "title": "It happened",
                "companies": [ACME],
                "eventTypes": [event],
            }
            for n, event in enumerate(("funding round", "security issue", "partnership"))
        ],
        "posts": [
            {
                "url": "https://www.linkedin.com/posts/ann-1",
                "date": TODAY.isoformat(),
                "author": {
                    "fullName": "Ann Example0",
                    "linkedinUrl": "https://www.linkedin.com/in/ann-example-0",
                    "company": ACME,
                },
                "text": "We moved our data warehouse to the public cloud.",
                "likes": 3,
            }
        ],
    }


def load(command, folder, kind, rows):
    (folder / f"{kind}.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    summary = command.json("import", kind, str(folder / f"{kind}.jsonl"))
    assert summary["rejected"] == 0
    return summary


@pytest.fixture
def served(database_url, tmp_path):
    """A server with a few records, an unlimited plan and credits enough."""
    command = InProcess(tmp_path, database_url)
    load(command, tmp_path, "companies", COMPANIES)
    load(command, tmp_path, "contacts", CONTACTS)
    command.json("account", "create", "Acme", "--credits", "1000000")
    server = Server(command, free_port())
    server.key = command.json("key", "create", "--account", "Acme")["apiKey"]
    server.wait_until_ready()
    server.wait_until_searchable(len(COMPANIES) + len(CONTACTS))
    yield server
    server.stop()


def held(server) -> dict[str, list[str]]:
    """Identifiers by which the records are found."""
    asked = {"headers": {"api_key": server.key}, "timeout": 60}

    def ids(kind, items):
        url = f"{server.url}/v3/{kind}/search"
        results = httpx.post(url, json={kind: items}, **asked).json()["results"]
        return [result["id"] for result in results]

    def legacy_ids(kind, id, items):
        url = f"{server.url}/api/signals/{kind}/search"
        body = {
            kind: [{"id": str(place), **item} for place, item in enumerate(items)],
            "signals": ["allSignals"],
        }
        found = httpx.post(url, json=body, **asked).json()[kind]
        return [int(shown[id]) for shown in found.values()]

    emails = [row["emails"][0] for row in CONTACTS if "emails" in row]
    domains = [row["domain"] for row in COMPANIES]
    return {
        "emails": emails,
        "domains": domains,
        "linkedinUrls": [row["linkedinUrl"] for row in CONTACTS if "linkedinUrl" in row],
        "contactIds": ids("contacts", [{"email": email} for email in emails]),
        "companyIds": ids("companies", [{"domain": domain} for domain in domains]),
        "legacy contactIds": legacy_ids("contacts", "personId", [{"email": email} for email in emails]),
        "legacy companyIds": legacy_ids("companies", "companyId", [{"domain": domain} for domain in domains]),
    }


OPTIONS = {
    "checks": "all",
    "phases": "examples,coverage,fuzzing,stateful",
    "mode": "all",
    "seed": "20261121",
    # one database is asked thoroughly, as what is answered is put together in the same way on both
    "max-examples": "15" if database_fixtures.EMBEDDED else "8",
    "generation-database": "none",
    "generation-allow-x00": "false",
    "warnings": "off",
    "request-timeout": "60",
}


SIGNALS = "/signal"
WEBHOOKS = "^/api/(subscriptions|audit-logs|account/secret)"


def subscribers(served, count):
    """The key of each of so many new accounts with a webhook secret, and a subscription of its."""
    database = Database(served.command.database_url)
    accounts = Accounts(database, load_plans(), SystemClock())
    company = held(served)["companyIds"][0]
    body = {
        "defaults": {"url": "https://hooks.test/", "entityType": "company", "signalTypes": ["allSignals"]},
        "subscriptions": [{"entityId": company}],
    }
    made = []
    with closing(database), httpx.Client(base_url=f"{served.url}/api", timeout=60) as client:
        for n in range(count):
            accounts.create(f"Account {n}", "unlimited", 0)
            headers = {"api_key": accounts.create_key(f"Account {n}").api_key}
            client.post("/account/secret/regenerate", headers=headers).raise_for_status()
            created = client.post("/subscriptions", json=body, headers=headers).json()
            made.append((headers["api_key"], created["results"][0]["subscription"]["id"]))
    return made


def check(served, folder, *paths, **given):
    options = [f"--{name}={value}" for name, value in OPTIONS.items()]
    options += ["--continue-on-failure", "--no-color", *paths]
    options += [] if given else ["--header", f"api_key: {served.key}"]
    done = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "run", f"{served.url}/openapi.json", *options],
        cwd=folder,
        env=served.command.environment
        | {"SCHEMATHESIS_HOOKS": str(HOOKS), "CONTRACT_HELD": json.dumps(held(served) | given)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("kind", ["contacts", "companies"])
def test_prospecting_does_what_its_document_says(served, tmp_path, kind):
    check(served, tmp_path, f"--include-path-regex=/{kind}/prospecting$")


def test_webhooks_do_what_their_document_says(served, tmp_path):
    """By one account after another, for each may call them a hundred times a minute."""
    check(served, tmp_path, f"--include-path-regex={WEBHOOKS}", **{"webhook keys": subscribers(served, 15)})
    counted = httpx.get(f"{served.url}/metrics", timeout=60).text
    for name in ("create_subscriptions", "create_opt_out_subscription"):
        assert f'endpoint="{name}",status="201"' in counted
    assert 'endpoint="update_subscription",status="200"' in counted
    assert 'status="429"' not in counted, "some of it was not tested"


def test_signals_do_what_their_document_says(served, tmp_path):
    load(served.command, tmp_path, "contacts", PROMOTED)
    for kind, rows in facts().items():
        assert load(served.command, tmp_path, kind, rows)["signals"] > 0, kind
    check(served, tmp_path, f"--include-path-regex={SIGNALS}")
    ledger = served.command("ledger", "export", "--account", "Acme").stdout
    for action in ("showSignalsContact", "showSignalsCompany"):
        assert action in ledger, "no event was shown, so little was tested"


def test_everything_else_does_what_its_document_says(served, tmp_path):
    check(served, tmp_path, f"--exclude-path-regex=/prospecting$|{SIGNALS}|{WEBHOOKS}")
    credits = served.command.json("account", "show", "Acme")["credits"]
    assert credits["used"] > 0, "nothing was found and revealed, so little was tested"
