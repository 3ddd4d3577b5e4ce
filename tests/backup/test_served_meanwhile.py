"""Backups and restores beside servers and imports that go on; and the same answers on another machine."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from random import Random

import httpx
import pytest
import sqlalchemy as sa
from installation import unwatched

from firmograph.backup import archive, service
from record_factory import KEYRING
from server_fixtures import Server, eventually, free_port

EVERYONE = {"filters": {"contacts": {"include": {"countries": ["US"]}}}, "pagination": {"size": 50}}


def people(count, start=0):
    for n in range(start, start + count):
        yield {
            "sourceId": f"p{n}",
            "firstName": f"Given{n}",
            "lastName": f"Family{n}",
            "jobTitle": "VP of Sales",
            "emails": [f"p{n}@corp{n % 7}.example.com"],
            "phones": ["+1 202 555 0101"],
            "company": {"name": f"Corp {n % 7}", "domain": f"corp{n % 7}.example.com"},
            "location": {"country": "US", "state": "CA"},
        }


def rows_in(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


class Caller:
    def __init__(self, installation, key):
        # what nobody reads must not fill the pipe: every refused call is a warning
        self.server = Server(installation.command, free_port(), FIRMOGRAPH_LOG_LEVEL="error")
        self.server.wait_until_ready()
        self.client = httpx.Client(base_url=self.server.url, headers={"api_key": key})

    def post(self, path, body):
        return self.client.post(path, json=body)

    def total(self):
        """How many can be prospected; None while the index is not there."""
        answer = self.post("/v3/contacts/prospecting", EVERYONE)
        return None if answer.status_code == 503 else answer.json()["pagination"]["total"]

    def wait_for_total(self, total):
        eventually(lambda: self.total() == total, f"never {total} are found")

    def end(self):
        self.client.close()
        self.server.stop()


@pytest.fixture
def serve():
    """Serves an installation to whoever has a key."""
    callers = []

    def begin(installation, key):
        callers.append(Caller(installation, key))
        return callers[-1]

    yield begin
    for caller in callers:
        caller.end()


@pytest.fixture
def filled(here, tmp_path):
    assert (
        here.command.json("import", "contacts", rows_in(tmp_path / "people.jsonl", people(40)))["created"]
        == 40
    )
    return here


@pytest.fixture
def key(filled):
    filled.accounts.create("acme", "unlimited", 1_000)
    return filled.accounts.create_key("acme").api_key


def answers(caller):
    """What the main calls answer, without what is told of the call itself."""
    item = {"firstName": "Given3", "lastName": "Family3", "companyName": "Corp 3"}
    found = caller.post("/v3/contacts/search", {"contacts": [item]}).json()
    ids = [found["results"][0]["id"]]
    revealed = caller.post("/v3/contacts/enrich", {"ids": ids}).json()
    company = caller.post("/v3/companies/search", {"companies": [{"domain": "corp3.example.com"}]}).json()
    caller.wait_for_total(40)
    prospects = caller.post("/v3/contacts/prospecting", EVERYONE).json()
    usage = caller.client.get("/v3/account/usage").json()["credits"]
    for each in (found, revealed, company, prospects):
        each.pop("requestId", None)
    return {"found": found, "company": company, "revealed": revealed, "prospects": prospects, "usage": usage}


def test_a_restored_copy_answers_the_same_and_charges_nothing_again(serve, filled, there, key, file):
    caller = serve(filled, key)
    first, before = answers(caller), answers(caller)
    assert (
        first["revealed"]["billing"]["creditsCharged"],
        before["revealed"]["billing"]["creditsCharged"],
    ) == (6, 0)
    filled.command.json("backup", str(file))
    there.command.json("restore", str(file))
    assert answers(serve(there, key)) == before
    assert before["usage"]["used"] == 6


def test_servers_go_on_beside_a_restore_with_the_restored_records(serve, filled, tmp_path, key, file):
    caller = serve(filled, key)
    shut = filled.accounts.create_key("acme").api_key
    caller.wait_for_total(40)
    filled.command.json("backup", str(file))
    filled.command.json("import", "contacts", rows_in(tmp_path / "more.jsonl", people(30, start=40)))
    caller.wait_for_total(70)
    filled.command.json("suppress", "--email", "p3@corp3.example.com")
    filled.command.json("key", "revoke", "--account", "acme", shut)
    told = filled.command.json("restore", str(file), "--force")
    assert told["carriedOver"]["erased"] == told["carriedOver"]["revoked"] == 1
    caller.wait_for_total(39)
    names = {
        each["firstName"] for each in caller.post("/v3/contacts/prospecting", EVERYONE).json()["results"]
    }
    assert names == {f"Given{n}" for n in range(40)} - {"Given3"}
    gone = caller.post("/v3/contacts/search", {"contacts": [{"email": "p3@corp3.example.com"}]}).json()
    assert gone["results"][0]["error"]["code"] == "COMPLIANCE_RESTRICTED"
    assert caller.client.get("/v3/account/usage", headers={"api_key": shut}).status_code == 401
    filled.command.json("import", "contacts", rows_in(tmp_path / "again.jsonl", people(70)))
    caller.wait_for_total(69)


@contextmanager
def calling(caller):
    """Calls that are charged and calls that are searched, one after the other; yields their statuses so far."""
    statuses, ended = [], threading.Event()

    def call():
        for number in count():
            statuses.append(charged(caller, number).status_code)
            statuses.append(caller.post("/v3/contacts/prospecting", EVERYONE).status_code)
            if ended.is_set():
                return

    with ThreadPoolExecutor(1) as threads:
        calls = threads.submit(call)
        try:
            yield statuses
        finally:
            ended.set()
            calls.result()


def charged(caller, number):
    item = {"email": f"p{number % 40}@corp{number % 40 % 7}.example.com"}
    return caller.post("/v3/contacts/search-and-enrich", {"contacts": [item]})


def test_calls_during_a_restore_are_answered_or_told_to_come_again(serve, filled, key, file):
    filled.back_up(file)
    caller = serve(filled, key)
    caller.wait_for_total(40)
    with calling(caller) as statuses:
        for _ in range(3):
            before = len(statuses)
            filled.restore(file)
            eventually(lambda before=before: len(statuses) >= before + 10, "calls are not answered")
    assert 200 in statuses
    assert set(statuses) <= {200, 503}
    caller.wait_for_total(40)


def test_a_backup_holds_nobody_up(serve, filled, key, file):
    caller, answered = serve(filled, key), []

    def call_meanwhile(what):
        def told(done, total):
            assert charged(caller, len(answered)).status_code == 200
            answered.append(what)

        return told

    service.back_up(filled.database, KEYRING, file, filled.clock, replace=False, progress_of=call_meanwhile)
    assert "Copying" in answered


def test_backups_beside_an_import_and_callers_are_of_one_state_each(
    serve, filled, make_installation, tmp_path, key, file
):
    caller = serve(filled, key)
    caller.wait_for_total(40)
    many = rows_in(tmp_path / "many.jsonl", people(2_500, start=40))
    importing = filled.process.start("import", "contacts", many)
    eventually(lambda: filled.rows("SELECT count(*) FROM contacts")[0][0] > 40, "nothing is imported")
    backups = []
    with calling(caller) as statuses:
        # one at least: on a busy machine the import may have ended by now
        while not backups or importing.poll() is None:
            backups.append(filled.back_up(file.with_suffix(f".{len(backups)}")))
    _, said = importing.communicate()
    assert importing.returncode == 0, said
    # where the import has the writer for longer than a call waits, it is told to come again
    assert 200 in statuses
    assert set(statuses) <= {200, 503}
    there = make_installation("there", keyring=None)
    for each in Random(6).sample(backups, min(4, len(backups))):
        is_one_state(there, each)


def is_one_state(there, file):
    """Every record has its row and its keys, every change its record, and no one paid without a charge."""
    there.restore(file)
    with archive.open_archive(file) as backup:
        backup.check(unwatched(""))
        held = backup.manifest.holds.contacts
    (contacts,), (rows,), (keys,) = (
        there.rows(f"SELECT count(DISTINCT {column}) FROM {table}")[0]
        for table, column in (
            ("contacts", "id"),
            ("contact_rows", "contact_id"),
            ("contact_keys", "contact_id"),
        )
    )
    assert contacts == rows == keys == held
    assert there.rows("SELECT count(DISTINCT entity_id) FROM changes WHERE entity = 1") == [(held,)]
    used = there.rows("SELECT used FROM balances")[0][0]
    assert there.rows("SELECT coalesce(sum(credits), 0) FROM ledger WHERE kind = 'charge'") == [(used,)]
    paid = dict(there.database.session().all(sa.text("SELECT unit, count(*) FROM paid_units GROUP BY unit")))
    assert used == paid.get("emails", 0) + 5 * paid.get("phones", 0)
