"""A server on a full disk: charging calls are 503, and work once there is room."""

import json
from resource import RLIM_INFINITY, RLIMIT_FSIZE, prlimit

import httpx
import pytest

from command_fixtures import InProcess

PEOPLE = (
    {"sourceId": n, "fullName": f"Ann Family{n}", "emails": [f"p{n}@acme.example.com"]} for n in range(3)
)


@pytest.fixture
def command(tmp_path, database_url):
    return InProcess(tmp_path, database_url)


@pytest.mark.slow("full disk", "billing", "database", "serving")
@pytest.mark.sqlite
def test_charging_calls_are_503_and_free_on_a_full_disk_and_the_server_recovers(command, server, tmp_path):
    (tmp_path / "people.jsonl").write_text("\n".join(map(json.dumps, PEOPLE)))
    command.json("import", "contacts", "people.jsonl")
    command.json("account", "create", "acme", "--credits", "1000")
    key = command.json("key", "create", "--account", "acme")["apiKey"]
    client = httpx.Client(base_url=server.url, headers={"api_key": key})

    def reveal(number):
        item = {"email": f"p{number}@acme.example.com"}
        return client.post("/v3/contacts/search-and-enrich", json={"contacts": [item]})

    def used():
        return command.json("account", "show", "acme")["credits"]["used"]

    assert reveal(0).status_code == 200
    before = used()
    # a limit on file sizes fails as a full disk does, and can be lifted while the server runs
    prlimit(server.process.pid, RLIMIT_FSIZE, (1, RLIM_INFINITY))
    for _ in range(2):
        refused = reveal(1)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "30")
        assert (
            refused.json()["message"]
            == "The service cannot write to its disk; nothing was charged. Try again later"
        )
    assert reveal(0).status_code == 200
    assert httpx.get(f"{server.url}/health").status_code == 200
    assert used() == before
    prlimit(server.process.pid, RLIMIT_FSIZE, (RLIM_INFINITY, RLIM_INFINITY))
    assert reveal(1).status_code == 200
    assert used() == 2 * before


@pytest.mark.postgresql
def test_charging_calls_are_503_on_a_full_database_server(service):
    raw = service.database.session().raw
    raw.execute(
        "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS"
        " $$BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END$$"
    )
    raw.execute(
        "CREATE TRIGGER no_room BEFORE INSERT ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION no_room()"
    )
    body = {"contacts": [{"email": "nobody@example.com"}]}
    refused = service.post("/v3/contacts/search-and-enrich", body, **{"Idempotency-Key": "one"})
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "30")
