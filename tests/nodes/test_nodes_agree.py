"""What is decided on one node holds on every other at the next request."""

import httpx
import pytest
from node_world import address

pytestmark = pytest.mark.postgresql


@pytest.fixture
def pair(nodes):
    return nodes.serve(), nodes.serve()


def _search(server, key, n=1):
    body = {"contacts": [{"email": address(n)}]}
    return httpx.post(f"{server.url}/v3/contacts/search", json=body, headers={"api_key": key})


def test_a_revoked_key_is_refused_on_every_node_at_the_next_request(nodes, pair):
    assert [_search(server, nodes.key).status_code for server in pair] == [200, 200]
    nodes.command("key", "revoke", "--account", "acme")
    assert [_search(server, nodes.key).status_code for server in pair] == [401, 401]


def test_another_plan_counts_on_every_node_at_the_next_request(nodes, pair):
    before = [_search(server, nodes.key).headers["x-rate-limit-minute"] for server in pair]
    nodes.command("account", "plan", "acme", "free")
    after = [_search(server, nodes.key).headers["x-rate-limit-minute"] for server in pair]
    assert len({*before}) == len({*after}) == 1
    assert before != after


def test_a_suppressed_person_is_gone_on_every_node_at_the_next_request(nodes, pair):
    nodes.command("suppress", "--email", address(1))
    for server in pair:
        (result,) = _search(server, nodes.key).json()["results"]
        assert result["error"]["code"] == "COMPLIANCE_RESTRICTED"
        assert _prospected(server, nodes.key, "Pat1 Quill1") == 0


def _prospected(server, key, name):
    filters = {"filters": {"contacts": {"include": {"names": [name]}}}}
    server.wait_until_searchable(0)
    answer = httpx.post(f"{server.url}/v3/contacts/prospecting", json=filters, headers={"api_key": key})
    return answer.json()["pagination"]["total"]


def test_every_node_follows_what_is_imported(nodes, pair, tmp_path):
    more = tmp_path / "more.jsonl"
    more.write_text(
        '{"sourceId": "new", "firstName": "Nora", "lastName": "Newcomer", "emails": ["n@acme.example"]}\n'
    )
    sequence = httpx.get(f"{pair[0].url}/health").json()["search"]["head"]
    assert nodes.command("import", "contacts", str(more)).returncode == 0
    for server in pair:
        server.wait_until_searchable(sequence + 1)
        assert _prospected(server, nodes.key, "Nora Newcomer") == 1


def test_a_record_has_the_same_id_on_every_node(nodes, pair):
    ids = {_search(server, nodes.key).json()["results"][0]["id"] for server in pair}
    assert len(ids) == 1


def test_a_key_that_was_used_on_one_node_replays_on_another(nodes, pair):
    body = {"contacts": [{"email": address(2)}]}
    headers = {"api_key": nodes.key, "idempotency-key": "one"}
    one, other = (
        httpx.post(f"{server.url}/v3/contacts/search-and-enrich", json=body, headers=headers)
        for server in pair
    )
    assert one.status_code == other.status_code == 200
    assert one.content == other.content
    assert nodes.money()[0].used == one.json()["billing"]["creditsCharged"] == 6
