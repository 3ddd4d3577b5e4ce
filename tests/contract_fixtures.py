"""A server with a few records and signals for contract tests, and accounts that call it."""

import json
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from itertools import count

import httpx
import pytest

import database_fixtures
import stored_records
from command_fixtures import InProcess
from firmograph.accounts.service import Accounts
from firmograph.bootstrap.packages import load_plans
from firmograph.database.connection import Database
from firmograph.kit.clock import SystemClock, midnight
from firmograph.operator_audit.service import OperatorAudit
from firmograph.visits.service import PageViews
from firmograph.visits.sites import Sites
from firmograph.visits.types import OwnerKind, PageView, VisitOwner
from server_fixtures import Server, free_port

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
ALIKE = [
    {"name": f"Alike {n}", "domain": f"alike{n}.example.org", "industry": "Manufacturing"} for n in range(6)
]
"""Companies that resemble each other. Only seeds name them, as others are to find records with data and signals."""
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
    """Return a few facts of each kind that cause a signal."""
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


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Return a server with a few records and signals; `identifiers` find them."""
    folder = tmp_path_factory.mktemp("contract")
    command = InProcess(folder, database_fixtures.fresh(folder))
    load(command, folder, "companies", COMPANIES + ALIKE)
    load(command, folder, "contacts", CONTACTS)
    load(command, folder, "contacts", PROMOTED)
    for kind, rows in facts().items():
        assert load(command, folder, kind, rows)["signals"] > 0, kind
    server = Server(command, free_port())
    server.wait_until_ready()
    database = Database(command.database_url)
    server.database = database
    server.accounts = Accounts(database, load_plans(), SystemClock())
    server.wait_until_searchable(stored_records.head(database))
    server.wait_until_comparable(stored_records.head(database))
    server.accepted = Counter()
    server.identifiers = stored_identifiers(server)
    yield server
    server.stop()
    database.close()
    database_fixtures.drop(command.database_url)


_names = map("Account {}".format, count())


def new_account(server) -> tuple[str, str]:
    """Return name and key of a new account with an unlimited plan and enough credits."""
    name = next(_names)
    server.accounts.create(name, "unlimited", 1_000_000)
    return name, server.accounts.create_key(name).api_key


def visited_account(server) -> tuple[str, str]:
    """Return a new account with a visit of a stored company on each day from which requests may ask for visits."""
    name, key = new_account(server)
    site = Sites(server.database, SystemClock(), OperatorAudit()).track(
        server.accounts.find(name).id, "site.example.com"
    )
    owner = VisitOwner(OwnerKind.DOMAIN, ACME, 1.0)
    page_views = [
        PageView(b"visitor of a day", int(midnight(day)), b"the path", False, 60, owner, "DE")
        for day in generated_days()
    ]
    PageViews(server.database).add(site, page_views)
    return name, key


def generated_days() -> list[str]:
    """Return the days of generated requests: every 50 days; signals cannot be requested from a future day."""
    return [(date(1970, 1, 1) + timedelta(50 * number)).isoformat() for number in range(408)]


def stored_identifiers(server) -> dict[str, list[str]]:
    """Return identifiers by which the records are found."""
    request = {"headers": {"api_key": new_account(server)[1]}, "timeout": 60}

    def ids(kind, items):
        url = f"{server.url}/v3/{kind}/search"
        results = httpx.post(url, json={kind: items}, **request).json()["results"]
        return [result["id"] for result in results]

    def legacy_ids(kind, id, items):
        url = f"{server.url}/api/signals/{kind}/search"
        body = {
            kind: [{"id": str(place), **item} for place, item in enumerate(items)],
            "signals": ["allSignals"],
        }
        found = httpx.post(url, json=body, **request).json()[kind]
        return [int(result[id]) for result in found.values()]

    emails = [row["emails"][0] for row in CONTACTS if "emails" in row]
    domains = [row["domain"] for row in COMPANIES]
    return {
        "emails": emails,
        "domains": domains,
        "seed emails": emails[-1:],
        "seed domains": [row["domain"] for row in ALIKE[:1]],
        "linkedinUrls": [row["linkedinUrl"] for row in CONTACTS if "linkedinUrl" in row],
        "contactIds": ids("contacts", [{"email": email} for email in emails]),
        "companyIds": ids("companies", [{"domain": domain} for domain in domains]),
        "seed contactIds": ids("contacts", [{"email": emails[-1]}]),
        "seed companyIds": ids("companies", [{"domain": ALIKE[0]["domain"]}]),
        "legacy contactIds": legacy_ids("contacts", "personId", [{"email": email} for email in emails]),
        "legacy companyIds": legacy_ids("companies", "companyId", [{"domain": domain} for domain in domains]),
    }


def subscribers(served, count):
    """Return the key and a subscription of each of `count` new accounts with a webhook secret."""
    body = {
        "defaults": {"url": "https://hooks.test/", "entityType": "company", "signalTypes": ["allSignals"]},
        "subscriptions": [{"entityId": served.identifiers["companyIds"][0]}],
    }
    subscribers = []
    with httpx.Client(base_url=f"{served.url}/api", timeout=60) as client:
        for _ in range(count):
            headers = {"api_key": new_account(served)[1]}
            client.post("/account/secret/regenerate", headers=headers).raise_for_status()
            created = client.post("/subscriptions", json=body, headers=headers).json()
            subscribers.append((headers["api_key"], created["results"][0]["subscription"]["id"]))
    return subscribers
