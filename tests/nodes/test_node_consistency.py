"""Changes on one node that hold on every other at the next request."""

import json

import httpx
import pytest
from node_fixtures import Nodes, address

import database_fixtures
import stored_records
from firmograph.database.connection import Database

pytestmark = pytest.mark.postgresql


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    """Start one database for all tests of this module; each uses contacts and accounts of its own."""
    folder = tmp_path_factory.mktemp("nodes")
    nodes = Nodes(folder, database_fixtures.fresh(folder))
    yield nodes
    nodes.end()
    database_fixtures.drop(nodes.url)


@pytest.fixture(scope="module")
def pair(nodes):
    return nodes.serve(), nodes.serve()


def _search(server, key, n=1):
    body = {"contacts": [{"email": address(n)}]}
    return httpx.post(f"{server.url}/v3/contacts/search", json=body, headers={"api_key": key})


def _count_found(server, key, name):
    filters = {"filters": {"contacts": {"include": {"names": [name]}}}}
    answer = httpx.post(f"{server.url}/v3/contacts/prospecting", json=filters, headers={"api_key": key})
    return answer.json()["pagination"]["total"]


def test_a_revoked_key_is_refused_on_every_node_at_the_next_request(nodes, pair):
    key = nodes.new_key("revoked")
    assert [_search(server, key).status_code for server in pair] == [200, 200]
    nodes.command("key", "revoke", "--account", "revoked")
    assert [_search(server, key).status_code for server in pair] == [401, 401]


def test_a_changed_plan_applies_on_every_node_at_the_next_request(nodes, pair):
    key = nodes.new_key("changing")
    before = [_search(server, key).headers["x-rate-limit-minute"] for server in pair]
    nodes.command("account", "plan", "changing", "free")
    after = [_search(server, key).headers["x-rate-limit-minute"] for server in pair]
    assert len({*before}) == len({*after}) == 1
    assert before != after


def test_a_suppressed_person_is_hidden_on_every_node_at_the_next_request(nodes, pair):
    for server in pair:
        server.wait_until_searchable(0)
        assert _count_found(server, nodes.key, "Pat1 Quill1") == 1
    nodes.command("suppress", "--email", address(1))
    for server in pair:
        assert _count_found(server, nodes.key, "Pat1 Quill1") == 0
        (result,) = _search(server, nodes.key).json()["results"]
        assert result["error"]["code"] == "COMPLIANCE_RESTRICTED"


def test_every_node_finds_imported_records(nodes, pair, tmp_path):
    more = tmp_path / "more.jsonl"
    newcomer = {"sourceId": "new", "firstName": "Nora", "lastName": "Newcomer", "emails": ["n@acme.example"]}
    more.write_text(json.dumps(newcomer))
    assert nodes.command("import", "contacts", str(more)).returncode == 0
    database = Database(nodes.url)
    imported = stored_records.head(database)
    database.close()
    for server in pair:
        server.wait_until_searchable(imported)
        assert _count_found(server, nodes.key, "Nora Newcomer") == 1


def test_a_record_has_the_same_id_on_every_node(nodes, pair):
    ids = {_search(server, nodes.key, 3).json()["results"][0]["id"] for server in pair}
    assert len(ids) == 1


def test_an_idempotency_key_used_on_one_node_replays_on_another(nodes, pair):
    key = nodes.new_key("repeating")
    body = {"contacts": [{"email": address(2)}]}
    headers = {"api_key": key, "idempotency-key": "one"}
    one, other = (
        httpx.post(f"{server.url}/v3/contacts/search-and-enrich", json=body, headers=headers)
        for server in pair
    )
    assert one.status_code == other.status_code == 200
    assert one.content == other.content
    usage = httpx.get(f"{pair[0].url}/v3/account/usage", headers={"api_key": key}).json()
    assert usage["credits"]["used"] == one.json()["billing"]["creditsCharged"] == 6
