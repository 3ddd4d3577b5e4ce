"""A client of the legacy generation over real HTTP, from its search to its bill."""

import json

import httpx
import pytest

import database_fixtures
from command_fixtures import Forked
from firmograph.database.connection import Database
from server_fixtures import Server, free_port
from stored_records import head

PEOPLE = 60
SELLERS = 30


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    folder = tmp_path_factory.mktemp("journey")
    url = database_fixtures.fresh(folder)
    yield Forked(folder, url)
    database_fixtures.drop(url)


@pytest.fixture(scope="module")
def server(command):
    """Serve people who resemble each other, and their companies."""
    rows = [
        {
            "firstName": f"Given{n}",
            "lastName": f"Family{n}",
            "jobTitle": "VP of Sales" if n < SELLERS else "Software Engineer",
            "emails": [f"person{n}@corp{n % 10}.example.com"],
            "phones": [f"+1 202 555 01{n:02}"],
            "company": {"name": f"Corp {n % 10}", "domain": f"corp{n % 10}.example.com"},
            "location": {"country": "US", "state": "CA"} if n < SELLERS else {"country": "Germany"},
        }
        for n in range(PEOPLE)
    ]
    companies = [
        {
            "name": f"Corp {n}",
            "domain": f"corp{n}.example.com",
            "industry": "Manufacturing",
            "employeeCount": 120,
            "description": "Makes things.",
        }
        for n in range(10)
    ]
    for kind, some in (("companies", companies), ("contacts", rows)):
        path = command.folder / f"{kind}.jsonl"
        path.write_text("\n".join(map(json.dumps, some)))
        assert command.json("import", kind, str(path))["created"] > 0
    # similarity is learnt from the records that a server finds
    server = Server(command, free_port())
    server.wait_until_ready()
    database = Database(command.database_url)
    last = head(database)
    database.close()
    server.wait_until_searchable(last)
    server.wait_until_comparable(last)
    yield server
    server.stop()


@pytest.fixture
def account(request):
    return request.node.name


@pytest.fixture
def client(server, account):
    """Return a client of the server with the key of a new account."""
    server.command.json("account", "create", account, "--credits", "1000")
    key = server.command.json("key", "create", "--account", account)["apiKey"]
    with httpx.Client(base_url=server.url, headers={"api_key": key}, timeout=60) as client:
        yield client


def answer(response):
    assert response.status_code == 200, response.text
    return response.json()


def used(client):
    return answer(client.get("/account/usage"))["usage"]["credits"]["used"]


def test_a_legacy_client_finds_reveals_and_pays_once_in_either_generation(client, command, account):
    filters = {"filters": {"contacts": {"include": {"jobTitles": ["vp sales"]}}}}
    found = answer(client.post("/prospecting/contact/search", json=filters | {"pages": {"size": 10}}))
    assert (found["totalResults"], found["pageLength"]) == (SELLERS, 10)
    billed = [found["billing"]["creditsCharged"]]

    ids = [one["contactId"] for one in found["data"][:3]]
    body = {"requestId": found["requestId"], "contactIds": ids}
    enriched = answer(client.post("/prospecting/contact/enrich", json=body))
    billed.append(enriched["billing"]["creditsCharged"])
    assert billed == [0, 18]
    names = [one["data"]["fullName"] for one in enriched["contacts"]]
    shown = answer(client.post("/prospecting/contact/search", json=filters | {"pages": {"size": 100}}))
    assert {one["name"] for one in shown["data"] if one["isShown"]} == set(names)

    email = enriched["contacts"][0]["data"]["emailAddresses"][0]["email"]
    person = answer(client.get("/v2/person", params={"email": email}))["contact"]
    assert person["isCreditCharged"] is False
    assert person["data"]["company"]["description"] == "Makes things."

    domain = person["data"]["company"]["fqdn"]
    company = answer(client.get("/v2/company", params={"domain": domain}))["data"]
    assert company["id"] == person["data"]["companyId"]
    billed.append(1)

    items = [{"contactId": str(n), "email": f"person{n}@corp{n % 10}.example.com"} for n in range(10)]
    people = answer(client.post("/bulk/person/v2", json={"contacts": items, "revealEmails": True}))
    assert len(people["contacts"]) == 10
    billed.append(sum(one["isCreditCharged"] for one in people["contacts"].values()))

    companies = {"companies": [{"id": domain, "domain": domain}, {"id": "other", "name": "Corp 9"}]}
    assert answer(client.post("/bulk/company/v2", json=companies)).keys() == {domain, "other"}
    billed.append(1)

    seed = {"contacts": [{"personId": person["data"]["personId"], "companyId": company["id"]}], "limit": 5}
    first = answer(client.post("/api/recommendations/contacts", json=seed))
    more = seed | {"requestId": first["requestId"]}
    second = answer(client.post("/api/recommendations/contacts", json=more))
    billed += [first["creditsCharged"], second["creditsCharged"]]
    recommended = [one["personId"] for one in first["contacts"] + second["contacts"]]
    assert len(set(recommended)) == len(recommended) == 10

    spent = used(client)
    assert spent == sum(billed)
    ledger = command("ledger", "export", "--account", account).stdout
    rows = [json.loads(line) for line in ledger.splitlines()]
    assert sum(row["credits"] for row in rows if row["kind"] == "charge") == spent

    current = answer(client.post("/v3/contacts/enrich", json={"ids": ids}))
    assert [one["fullName"] for one in current["results"]] == names
    again = {"companies": [{"domain": domain}]}
    answer(client.post("/v3/companies/search-and-enrich", json=again))
    assert used(client) == spent

    new = {"contacts": [{"email": "person20@corp0.example.com"}]}
    answer(client.post("/v3/contacts/search-and-enrich", json=new))
    spent += 6
    other_way = answer(client.get("/v2/person", params=new["contacts"][0]))["contact"]
    assert other_way["isCreditCharged"] is False
    assert used(client) == spent


def test_a_body_on_get_is_bounded_and_ignored(client):
    path = "/v2/person?email=person1@corp1.example.com"
    plain = client.request("GET", path, content=b'{"email": "person2@corp2.example.com"}')
    assert answer(plain)["contact"]["data"]["lastName"] == "Family1"
    broken = client.request("GET", path, content=b"{", headers={"content-type": "text/plain"})
    assert broken.status_code == 200
    large = client.request("GET", path, content=b"x" * 2_000_000)
    assert large.status_code == 413, large.text[:200]
    assert client.get(path).status_code == 200
