"""Several server processes on one database: each follows by itself, and one at a time makes the checkpoint."""

import json
import subprocess
import sys

import httpx
import pytest
from engine_state import head

from rows import contact, load_contacts
from running import Server, free_port

RENEWER = """
import sys
from firmograph.kit.database import Database
from firmograph.prospecting.keeper import Keeper
print(Keeper(Database(sys.argv[1])).renew().rebuilt)
"""
ENGINEERS = {"filters": {"contacts": {"include": {"jobTitles": ["engineer"]}}}}


@pytest.fixture
def servers(command):
    started = [Server(command, free_port()) for _ in range(2)]
    for server in started:
        server.wait_until_ready()
    yield started
    for server in started:
        server.stop()


def test_a_change_can_be_found_in_all_and_a_suppressed_person_in_none(servers, command, database, tmp_path):
    command.json("account", "create", "acme")
    key = command.json("key", "create", "--account", "acme")["apiKey"]

    def totals():
        answers = [
            httpx.post(f"{server.url}/v3/contacts/prospecting", json=ENGINEERS, headers={"api_key": key})
            for server in servers
        ]
        return [answer.json()["pagination"]["total"] for answer in answers]

    path = tmp_path / "people.jsonl"
    for titles in (["Engineer", "Lead Engineer", "Owner"], ["Engineer", "Owner", "Owner"]):
        rows = [
            {"sourceId": str(n), "firstName": "Ann", "lastName": f"Doe{n}", "jobTitle": title}
            | {"emails": [f"ann{n}@example.com"]}
            for n, title in enumerate(titles)
        ]
        path.write_text("\n".join(map(json.dumps, rows)))
        command.json("import", "contacts", str(path))
        for server in servers:
            server.wait_until_searchable(head(database))
        count = sum("Engineer" in title for title in titles)
        assert totals() == [count, count]
    command.json("suppress", "--email", "ann0@example.com")
    assert totals() == [0, 0]


def test_processes_that_start_without_a_checkpoint_make_one_between_them(database):
    load_contacts(database, "test", [(f"p{n}", contact(f"Given{n}", f"Family{n}")) for n in range(20)])
    processes = [
        subprocess.Popen([sys.executable, "-c", RENEWER, database.url], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    said = sorted(process.communicate(timeout=60)[0].strip() for process in processes)
    assert said == ["False", "False", "True"]
