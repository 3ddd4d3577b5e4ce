"""Whole journeys: the command line and the server as separate processes, over real HTTP."""

import json

import httpx
import pytest

from command_fixtures import InProcess
from effort import THOROUGH
from import_processes import Halting

WRITTEN = 6_000 if THOROUGH else 1_500
"""How many people an import writes while callers reveal others."""


def people(count, start=0):
    """Return contacts as an operator's JSON Lines file has them."""
    for n in range(start, start + count):
        yield {
            "sourceId": f"p{n}",
            "firstName": f"Given{n}",
            "lastName": f"Family{n}",
            "jobTitle": "VP of Sales",
            "emails": [f"person{n}@corp{n % 50}.example.com"],
            "phones": ["+1 202 555 0101"],
            "company": {"name": f"Corp {n % 50}", "domain": f"corp{n % 50}.example.com"},
            "location": {"country": "US", "state": "CA"},
        }


@pytest.fixture
def command(tmp_path, database_url):
    return InProcess(tmp_path, database_url)


@pytest.fixture
def write(tmp_path):
    def write(name, rows):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return str(path)

    return write


class Caller:
    def __init__(self, server, key):
        self.client = httpx.Client(base_url=server.url, headers={"api_key": key}, timeout=30)

    def post(self, path, body):
        return self.client.post(path, json=body)


@pytest.fixture
def caller(server, command):
    command.json("account", "create", "acme", "--credits", "100000")
    return Caller(server, command.json("key", "create", "--account", "acme")["apiKey"])


def test_files_are_imported_a_reveal_is_paid_and_a_person_is_suppressed(server, command, write, caller):
    company = {
        "name": "Corp 1 Inc",
        "domain": "corp1.example.com",
        "employeeCount": 120,
        "industry": "Banking",
    }
    companies = command.json("import", "companies", write("companies.jsonl", [company]))
    contacts = command.json("import", "contacts", write("contacts.jsonl", people(100)))
    assert (companies["created"], contacts["created"]) == (1, 100)

    found = caller.post(
        "/v3/contacts/search",
        {"contacts": [{"firstName": "Given1", "lastName": "Family1", "companyName": "CORP 1"}]},
    ).json()["results"][0]
    assert found["company"]["industry"] == "Finance"
    assert found["jobTitle"]["seniority"] == "Vice President"
    assert found["jobTitle"]["departments"] == ["Sales"]

    revealed = caller.post("/v3/contacts/enrich", {"ids": [found["id"]]}).json()
    assert revealed["results"][0]["emails"][0]["email"] == "person1@corp1.example.com"
    assert revealed["results"][0]["phones"][0]["number"] == "+12025550101"
    assert revealed["billing"]["creditsCharged"] == 6
    usage = caller.client.get("/v3/account/usage").json()["credits"]
    assert usage == {"total": 100000, "used": 6, "remaining": 99994}

    command.json("suppress", "--email", "person1@corp1.example.com")
    suppressed = caller.post("/v3/contacts/enrich", {"ids": [found["id"]]}).json()["results"][0]
    assert suppressed["error"]["code"] == "COMPLIANCE_RESTRICTED"
    again = command.json("import", "contacts", write("again.jsonl", people(100)))
    assert (again["suppressed"], again["unchanged"]) == (1, 99)


def test_a_revoked_key_and_a_disabled_account_are_refused_at_the_very_next_request(command, caller):
    body = {"contacts": [{"email": "nobody@example.com"}]}
    assert caller.post("/v3/contacts/search", body).status_code == 200
    assert command("account", "disable", "acme").returncode == 0
    refused = caller.post("/v3/contacts/search", body)
    assert refused.status_code == 403
    assert "x-rate-limit-daily" in refused.headers
    assert command("account", "enable", "acme").returncode == 0
    assert caller.post("/v3/contacts/search", body).status_code == 200
    assert command("key", "revoke", "--account", "acme").returncode == 0
    assert caller.post("/v3/contacts/search", body).status_code == 401


@pytest.mark.slow("calls during an import", "ingest", "billing", "enrichment", "database")
def test_reveals_during_an_import_never_fail(command, write, caller):
    command.json("import", "contacts", write("first.jsonl", people(300)))
    importing = command.start(
        "import", "contacts", write("second.jsonl", people(WRITTEN, start=300)), "--json"
    )
    charged = []
    while importing.poll() is None and len(charged) < 300:
        item = {"email": f"person{len(charged)}@corp{len(charged) % 50}.example.com"}
        answer = caller.post("/v3/contacts/search-and-enrich", {"contacts": [item]})
        assert answer.status_code == 200, answer.text
        charged.append(answer.json()["billing"]["creditsCharged"])
    out, err = importing.communicate(timeout=60)
    assert importing.returncode == 0, err
    assert json.loads(out)["created"] == WRITTEN
    assert len(charged) > 1
    assert set(charged) == {6}


@pytest.mark.slow("killed import", "ingest", "database")
def test_a_killed_import_leaves_whole_records_and_a_second_run_finishes_it(command, write, database):
    path = write("many.jsonl", people(900))
    count = database.session().raw.execute
    with Halting(command, path, at=4, rows=300) as importing:
        importing.process.kill()
        importing.process.wait()
    created = count("SELECT count(*) FROM contacts").fetchone()[0]
    whole = (
        "SELECT count(*) FROM contacts c JOIN contact_rows r ON r.contact_id = c.id"
        " JOIN changes s ON s.entity_id = c.id AND s.entity = 1"
    )
    assert count(whole).fetchone()[0] == created
    assert 0 < created < 900
    again = command.json("import", "contacts", path)
    assert (again["created"], again["unchanged"]) == (900 - created, created)
    assert count("SELECT count(*) FROM companies").fetchone()[0] == 50
