"""Backups and restores during calls and imports, and answers of a restored copy."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import count
from random import Random

import httpx
import pytest
import sqlalchemy as sa
from installation import Installation, no_progress

from firmograph.backup import archive, service
from firmograph.privacy.erasing import Erasers
from record_factory import KEYRING
from server_fixtures import Server, eventually, free_port

_account_numbers = count(1)
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


def write_rows(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def start_server(installation):
    # nobody reads the pipe, and a warning for every refused call would fill it
    server = Server(installation.command, free_port(), FIRMOGRAPH_LOG_LEVEL="error")
    server.wait_until_ready()
    return server


def new_key(installation):
    """Create an account and return its key."""
    name = f"acme {next(_account_numbers)}"
    installation.accounts.create(name, "unlimited", 1_000)
    return installation.accounts.create_key(name).api_key


class Caller:
    """An account that calls a server."""

    def __init__(self, server, key):
        self.client = httpx.Client(base_url=server.url, headers={"api_key": key})

    def post(self, path, body):
        return self.client.post(path, json=body)

    def total(self):
        """Return the number of contacts in prospecting, or None while there is no index."""
        answer = self.post("/v3/contacts/prospecting", EVERYONE)
        return None if answer.status_code == 503 else answer.json()["pagination"]["total"]

    def wait_for_total(self, total):
        eventually(lambda: self.total() == total, f"prospecting does not reach {total} contacts")


@pytest.fixture
def serve():
    """Return a function that serves an installation and returns a caller with this key."""
    with ExitStack() as ends:

        def start(installation, key):
            server = start_server(installation)
            ends.callback(server.stop)
            caller = Caller(server, key)
            ends.callback(caller.client.close)
            return caller

        yield start


@pytest.fixture(scope="module")
def _served(origin, tmp_path_factory):
    served = Installation(tmp_path_factory.mktemp("served") / "installation", origin=origin)
    server = start_server(served)
    yield served, server
    server.stop()
    served.end()


@pytest.fixture
def served(_served):
    """Return a served installation with the forty people, which tests leave so, and a caller with its own account."""
    installation, server = _served
    caller = Caller(server, new_key(installation))
    caller.wait_for_total(40)
    yield installation, caller
    caller.client.close()


def fill(installation):
    """Import forty people."""
    file = write_rows(installation.folder / "people.jsonl", people(40))
    assert installation.command.json("import", "contacts", file)["created"] == 40


@pytest.fixture
def key(filled):
    return new_key(filled)


def answers(caller):
    """Return the answers of the main calls without their request ids."""
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


def test_a_restored_copy_has_the_same_answers_and_charges_nothing_again(serve, served, new_machine, file):
    installation, caller = served
    first, before = answers(caller), answers(caller)
    assert (
        first["revealed"]["billing"]["creditsCharged"],
        before["revealed"]["billing"]["creditsCharged"],
    ) == (6, 0)
    installation.command.json("backup", str(file))
    new_machine.command.json("restore", str(file))
    assert answers(serve(new_machine, caller.client.headers["api_key"])) == before
    assert before["usage"]["used"] == 6


def test_servers_continue_with_the_restored_records(serve, filled, tmp_path, key, file):
    caller = serve(filled, key)
    (account,) = filled.accounts.all()
    revoked = filled.accounts.create_key(account.name).api_key
    caller.wait_for_total(40)
    filled.command.json("backup", str(file))
    filled.command.json("import", "contacts", write_rows(tmp_path / "more.jsonl", people(30, start=40)))
    caller.wait_for_total(70)
    filled.command.json("suppress", "--email", "p3@corp3.example.com")
    filled.command.json("key", "revoke", "--account", account.name, revoked)
    output = filled.command.json("restore", str(file), "--force")
    assert output["carriedOver"]["erased"] == output["carriedOver"]["revoked"] == 1
    caller.wait_for_total(39)
    names = {
        each["firstName"] for each in caller.post("/v3/contacts/prospecting", EVERYONE).json()["results"]
    }
    assert names == {f"Given{n}" for n in range(40)} - {"Given3"}
    suppressed = caller.post("/v3/contacts/search", {"contacts": [{"email": "p3@corp3.example.com"}]}).json()
    assert suppressed["results"][0]["error"]["code"] == "COMPLIANCE_RESTRICTED"
    assert caller.client.get("/v3/account/usage", headers={"api_key": revoked}).status_code == 401
    filled.command.json("import", "contacts", write_rows(tmp_path / "again.jsonl", people(70)))
    caller.wait_for_total(69)


@contextmanager
def continuous_calls(caller):
    """Make charged and free calls in turn; yield the list of their statuses.

    They leave most of the processor to what the test is about.
    """
    statuses, stopped = [], threading.Event()

    def call():
        for number in count():
            statuses.append(charged_call(caller, number).status_code)
            statuses.append(caller.post("/v3/contacts/prospecting", EVERYONE).status_code)
            if stopped.wait(0.02):
                return

    with ThreadPoolExecutor(1) as threads:
        calls = threads.submit(call)
        try:
            yield statuses
        finally:
            stopped.set()
            calls.result()


def charged_call(caller, number):
    item = {"email": f"p{number % 40}@corp{number % 40 % 7}.example.com"}
    return caller.post("/v3/contacts/search-and-enrich", {"contacts": [item]})


def test_calls_during_a_restore_get_an_answer_or_503(served, file):
    installation, caller = served
    installation.back_up(file)
    with continuous_calls(caller) as statuses:
        for _ in range(2):
            before = len(statuses)
            installation.restore(file)
            eventually(lambda before=before: len(statuses) >= before + 10, "calls are not answered")
    assert 200 in statuses
    assert set(statuses) <= {200, 503}
    caller.wait_for_total(40)


def test_a_backup_does_not_block_calls(served, file):
    (installation, caller), answered = served, []

    def call_during(step):
        def report_progress(done, total):
            assert charged_call(caller, len(answered)).status_code == 200
            answered.append(step)

        return report_progress

    service.back_up(
        installation.database, KEYRING, file, installation.clock, replace=False, progress_of=call_during
    )
    assert "Copying" in answered


@pytest.mark.slow("backup under load")
def test_backups_during_an_import_and_calls_are_consistent(
    serve, filled, make_installation, tmp_path, key, file
):
    caller = serve(filled, key)
    caller.wait_for_total(40)
    many = write_rows(tmp_path / "many.jsonl", people(500, start=40))
    importing = filled.process.start("import", "contacts", many)
    eventually(lambda: filled.rows("SELECT count(*) FROM contacts")[0][0] > 40, "nothing is imported")
    backups = []
    with continuous_calls(caller) as statuses:
        # at least one backup: on a busy machine the import may have ended
        while not backups or importing.poll() is None:
            backups.append(filled.back_up(file.with_suffix(f".{len(backups)}")))
    _, errors = importing.communicate()
    assert importing.returncode == 0, errors
    # a call gets 503 if the import keeps the writer for longer than a call waits
    assert 200 in statuses
    assert set(statuses) <= {200, 503}
    new_machine = make_installation("new", keyring=None)
    for each in sorted({backups[0], Random(6).choice(backups)}):
        check_consistent(new_machine, each)


@pytest.mark.slow("killed restore under load", "database", "billing")
def test_calls_and_imports_go_on_while_restores_are_killed(serve, filled, killed_commands, file, tmp_path):
    filled.accounts.create("caller", "unlimited", 1_000)
    caller = serve(filled, filled.accounts.create_key("caller").api_key)
    restore = ("restore", str(filled.back_up(file)), "--force")
    steps = killed_commands.steps(*restore, most=6)
    with continuous_calls(caller) as statuses:
        for number, step in enumerate(steps):
            rows = write_rows(tmp_path / "more.jsonl", people(5, start=100 + 5 * number))
            importing = filled.process.start("import", "contacts", rows)
            killed_commands.run(step, *restore)
            importing.communicate()
            before = len(statuses)
            eventually(lambda before=before: len(statuses) >= before + 4, "calls are not answered")
            check_money(filled)
    assert 200 in statuses
    assert set(statuses) <= {200, 503}
    (total,) = filled.rows("SELECT count(*) FROM contacts WHERE preview IS NOT NULL")
    caller.wait_for_total(total[0])


def check_money(installation):
    used = "SELECT sum(used) FROM balances"
    charged = "SELECT coalesce(sum(credits), 0) FROM ledger WHERE kind = 'charge'"
    with installation.database.read():
        assert installation.rows(used) == installation.rows(charged)


def test_charges_imports_and_indexes_go_on_while_people_are_erased_from_a_copy(
    serve, filled, tmp_path, key, file, monkeypatch
):
    caller = serve(filled, key)
    caller.wait_for_total(40)
    filled.back_up(file)
    filled.suppress(email="p3@corp3.example.com")
    erase, done = Erasers.erase, []

    def erase_then_use(*given, notify):
        erase(*given, notify=notify)
        assert charged_call(caller, 0).status_code == 200
        filled.command.json(
            "import", "contacts", write_rows(tmp_path / "more.jsonl", people(1, start=40 + len(done)))
        )
        caller.wait_for_total(40 + len(done))
        done.append(notify)

    monkeypatch.setattr(Erasers, "erase", erase_then_use)
    filled.restore(file)
    assert done == [False]
    caller.wait_for_total(39)


def check_consistent(new_machine, file):
    """Check that records have rows, keys and changes, and that paid units agree with charges."""
    new_machine.restore(file)
    with archive.open_archive(file) as backup:
        backup.check(no_progress(""))
        count_in_manifest = backup.manifest.holds.contacts
    (contacts,), (rows,), (keys,) = (
        new_machine.rows(f"SELECT count(DISTINCT {column}) FROM {table}")[0]
        for table, column in (
            ("contacts", "id"),
            ("contact_rows", "contact_id"),
            ("contact_keys", "contact_id"),
        )
    )
    assert contacts == rows == keys == count_in_manifest
    assert new_machine.rows("SELECT count(DISTINCT entity_id) FROM changes WHERE entity = 1") == [
        (count_in_manifest,)
    ]
    used = new_machine.rows("SELECT used FROM balances")[0][0]
    assert new_machine.rows("SELECT coalesce(sum(credits), 0) FROM ledger WHERE kind = 'charge'") == [(used,)]
    paid = dict(
        new_machine.database.session().all(sa.text("SELECT unit, count(*) FROM paid_units GROUP BY unit"))
    )
    assert used == paid.get(b"emails", 0) + 5 * paid.get(b"phones", 0)
