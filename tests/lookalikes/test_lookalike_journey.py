"""Lookalikes of demo data on two server processes, one of which is killed while it answers."""

import gzip
import json
import threading
from collections import Counter
from contextlib import suppress

import httpx
import pytest

import stored_records
from command_fixtures import Forked
from demo_factory import demo_part
from server_fixtures import Server, free_port

EVERY = 40
"""Every how many rows of the demo data are taken."""
LIMIT = 20


@pytest.fixture
def command(tmp_path, database_url):
    return Forked(tmp_path, database_url)


@pytest.fixture
def servers(command, tmp_path, database):
    """Return two servers over a part of the demo data, with all of it indexed."""
    for kind in ("companies", "contacts"):
        assert command("import", kind, str(demo_part(kind, tmp_path, EVERY))).returncode in (0, 3)
    started = [Server(command, free_port()) for _ in range(2)]
    for server in started:
        server.wait_until_ready()
        server.wait_until_comparable(stored_records.head(database))
    yield started
    for server in started:
        if server.process.poll() is None:
            server.stop()


def rows(tmp_path, kind):
    with gzip.open(tmp_path / f"{kind}.jsonl.gz") as file:
        return [json.loads(line) for line in file]


@pytest.mark.any_database
@pytest.mark.slow("lookalike journey", "lookalikes")
def test_two_servers_answer_alike_and_share_sessions_when_one_is_killed(servers, command, tmp_path, database):
    command.json("account", "create", "acme", "--credits", "100000")
    key = command.json("key", "create", "--account", "acme")["apiKey"]

    def call(server, kind, body):
        headers = {"api_key": key}
        return httpx.post(f"{server.url}/v3/{kind}/lookalike", json=body, headers=headers, timeout=60)

    makers = [row["domain"] for row in rows(tmp_path, "companies") if row.get("industry") == "Manufacturing"]
    senators = [
        row["emails"][0]["email"]
        for row in rows(tmp_path, "contacts")
        if row.get("emails") and row.get("jobTitle", {}).get("title") == "State Senator"
    ]
    companies = {"seeds": {"domains": makers[:8]}, "limit": 50}
    contacts = {"seeds": {"emails": senators[:8]}, "limit": 50}
    for kind, body in (("companies", companies), ("contacts", contacts)):
        first, second = (call(server, kind, body).json() for server in servers)
        assert first["results"] == second["results"]
        assert len(first["results"]) == 50
    titles = Counter(result["jobTitle"]["title"] for result in first["results"])
    assert titles.most_common(1)[0][0] == "State Senator"

    # a seed and a result are suppressed: the next answers of both servers have neither
    gone = [senators[0], senators[20]]
    for email in gone:
        assert command("suppress", "--email", email).returncode == 0
    body = {"seeds": {"emails": senators[1:9]}, "limit": 100}
    first, second = (call(server, "contacts", body).json() for server in servers)
    assert first["results"] == second["results"]
    found = {person["id"] for person in first["results"]}
    assert not found & {result["id"] for result in lookup(servers[0], key, gone)}

    # calls side by side on both servers share no result, and a killed server leaves whole calls behind
    session = first["dedupeSessionId"]
    body = {**companies, "limit": LIMIT}
    begun = call(servers[0], "companies", body).json()
    body["dedupeSessionId"] = begun["dedupeSessionId"]
    answers, statuses = [begun], []
    half = threading.Event()

    def ask(server):
        with suppress(httpx.TransportError):
            for _ in range(8):
                answer = call(server, "companies", body)
                statuses.append(answer.status_code)
                if answer.status_code == 200:
                    answers.append(answer.json())
                if len(answers) > 8:
                    half.set()

    threads = [threading.Thread(target=ask, args=(server,)) for server in servers * 2]
    for thread in threads:
        thread.start()
    assert half.wait(60)
    servers[1].process.kill()
    for thread in threads:
        thread.join()
    shown = Counter(result["id"] for answer in answers for result in answer["results"])
    assert set(shown.values()) == {1}
    assert set(statuses) <= {200, 503}
    stored = database.session().raw.execute("SELECT id, results FROM lookalike_sessions").fetchall()
    remembered = {bytes(id).hex(): results for id, results in stored}
    assert remembered[session.replace("-", "")] == len(found)
    lines = command("ledger", "export", "--account", "acme").stdout.splitlines()
    charged = Counter()
    for entry in map(json.loads, lines):
        charged[entry["action"]] += entry["quantity"] if entry["kind"] == "charge" else 0
    assert sum(remembered.values()) == charged["lookalikeCompany"] + charged["lookalikeContact"]
    assert remembered[begun["dedupeSessionId"].replace("-", "")] >= sum(shown.values())


def lookup(server, key, emails):
    """Return what a search by these e-mails finds."""
    items = {"contacts": [{"email": email} for email in emails]}
    answer = httpx.post(f"{server.url}/v3/contacts/search", json=items, headers={"api_key": key}, timeout=60)
    return [result for result in answer.json()["results"] if "id" in result]
