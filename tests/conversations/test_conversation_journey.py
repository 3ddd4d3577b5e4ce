"""Conversations from a file to an answer over HTTP, and workers killed while they analyse."""

import json
import random
import subprocess
import time
from collections import Counter

import httpx
import msgspec
import pytest

from conversation_factory import put_into, transcript
from firmograph.accounts.service import Accounts
from firmograph.bootstrap.packages import load_plans
from firmograph.conversations import store
from firmograph.conversations.types import ConversationState
from firmograph.database.connection import AccountSession
from firmograph.kit.clock import SystemClock
from process_server import LoadedProcess
from record_factory import DIGESTS, KEYRING
from server_fixtures import Command, Server, eventually, free_port

SEARCH = "/v3/account/conversations/search"
CALL = """WEBVTT

00:00:01.000 --> 00:00:09.000
<v Jane Doe>Thanks for the demo. Our budget is small, so the discount matters.

00:00:09.500 --> 00:00:20.000
<v Sam Poe>I will send you the revised proposal by Friday. Which discount do you need?

00:00:20.500 --> 00:00:30.000
<v Jane Doe>Ten percent, and we also look at Initech.
"""
IMPORT = (
    *("import", "conversations", "--account", "acme", "call.vtt", "--title", "Demo for Globex"),
    *("--started-at", "2026-03-31T14:00:00Z", "--participant", "Jane Doe <jane@globex.test>"),
    *("--company-domain", "globex.test"),
)


@pytest.fixture
def server(command):
    """Start a server without background work, so that a worker analyses when the test says so."""
    server = Server(command, free_port(), "--no-worker")
    server.wait_until_ready()
    yield server
    server.stop()


def ledger(in_process, account):
    return map(json.loads, in_process("ledger", "export", "--account", account).stdout.splitlines())


@pytest.mark.slow("conversation journey", "conversations", "cli.import_conversations", "cli.conversations")
def test_a_call_is_imported_found_analysed_searched_and_paid_by_its_account_alone(
    command, in_process, server
):
    clients = {}
    for name in ("acme", "other"):
        in_process.json("account", "create", name, "--credits", "100")
        headers = {"api_key": in_process.json("key", "create", "--account", name)["apiKey"]}
        clients[name] = httpx.Client(base_url=server.url, headers=headers)

    def search(account, **body):
        answer = clients[account].post(SEARCH, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()["results"]

    (in_process.folder / "call.vtt").write_text(CALL)
    assert in_process(*IMPORT).returncode == 0
    (waiting,) = search("acme")
    assert (waiting["summary"], waiting["coaching"], waiting["chapters"]) == (None, None, [])

    assert "Conversations analysed: 1" in command("worker", "--once").stderr
    (found,) = search("acme", query="discount")
    assert search("acme", companyDomains=["globex.test"], contactNames=["Jane"]) == [found]
    assert "proposal" in found["summary"]
    assert found["chapters"]
    assert [one["owner"] for one in found["actionItems"]] == ["Sam Poe"]
    path = f"/v3/account/conversations/{found['id']}/transcript"
    said = clients["acme"].get(path).json()["segments"]
    assert [one["speaker"] for one in said] == ["Jane Doe", "Sam Poe", "Jane Doe"]
    charges = Counter(one["action"] for one in ledger(in_process, "acme") if one["kind"] == "charge")
    assert charges == {"conversationsSearch": 3, "conversationsTranscript": 1}
    assert clients["acme"].get("/v3/account/usage").json()["credits"]["used"] == 4

    for body in (
        {},
        {"query": "discount"},
        {"conversationIds": [found["id"]]},
        {"companyDomains": ["globex.test"]},
    ):
        assert search("other", **body) == []
    foreign, unknown = (clients["other"].get(path.replace(found["id"], one)) for one in (found["id"], "x"))
    assert foreign.status_code == unknown.status_code == 404
    assert foreign.json()["message"] == unknown.json()["message"]
    assert in_process("conversations", "show", found["id"], "--account", "other").returncode == 1
    assert [one["kind"] for one in ledger(in_process, "other")] == ["grant"]
    for client in clients.values():
        client.close()


WORKER = """
from firmograph.database import leases
leases.LEASE_SECONDS = 1.5
from firmograph.cli.main import run
run()
"""
"""`firmograph worker` with short leases."""
CONVERSATIONS, KILLS = 60, 3


@pytest.mark.slow("killed worker", "conversations.analysis", "jobs", "database", "cli.worker")
def test_a_worker_killed_while_it_analyses_loses_no_conversation_and_charges_nothing(database, tmp_path):
    accounts = Accounts(database, load_plans(), SystemClock())
    account_id = accounts.create("acme", "unlimited", 10).id
    said = [("Ann", f"We talk about number {number} and the budget.") for number in range(100)]
    calls = {str(number): transcript(*said, title=str(number)) for number in range(CONVERSATIONS)}
    put_into(database, DIGESTS, account_id, calls)

    def held():
        with database.read() as session:
            return store.select_newest(AccountSession(session, account_id), CONVERSATIONS + 1)

    def analysed():
        return sum(one.state == ConversationState.ANALYSED for one in held())

    environment = Command(tmp_path, database.url).environment | {
        "FIRMOGRAPH_KEYS": msgspec.json.encode(KEYRING).decode(),
        "FIRMOGRAPH_LOG_LEVEL": "error",
    }
    moments = random.Random(3)
    for kill in range(KILLS + 1):
        worker = LoadedProcess(
            ["-c", WORKER, "worker"], cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL
        )
        try:
            enough = analysed() + moments.randint(1, 8) if kill < KILLS else CONVERSATIONS
            eventually(lambda enough=enough: analysed() >= min(enough, CONVERSATIONS), "not analysed")
            time.sleep(moments.uniform(0, 0.1) if kill < KILLS else 0)
        finally:
            worker.kill()
            worker.wait()
        assert len(held()) == CONVERSATIONS

    ended = held()
    assert {(one.state, one.failures, one.failure) for one in ended} == {
        (ConversationState.ANALYSED, 0, None)
    }
    with database.read() as session:
        analyses = store.select_analyses(AccountSession(session, account_id), [one.id for one in ended])
    assert len(analyses) == CONVERSATIONS
    assert [entry.kind for _, entry in accounts.ledger("acme")] == ["grant"]
