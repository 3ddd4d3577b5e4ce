"""A table from its first row to its export: real server and worker, real command line, over HTTP."""

import csv
import json
from collections import Counter
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from command_fixtures import Forked
from server_fixtures import Server, eventually, free_port

PEOPLE = 6
DANA, EVE = "dana@acme.example", "eve@acme.example"


@pytest.fixture
def command(tmp_path, database_url):
    return Forked(tmp_path, database_url)


@pytest.fixture
def server(command):
    server = Server(command, free_port(), "--no-worker")
    server.wait_until_ready()
    yield server
    server.stop()


@pytest.fixture
def worker(command):
    """Run `firmograph worker` until the test ends."""
    process = command.start("worker")
    yield process
    process.terminate()
    process.communicate()


def import_people(command, employer, day, people):
    """Import people at an employer; a later day and another employer make them change companies."""
    rows = [
        {
            "sourceId": f"p{n}",
            "firstName": "Ann",
            "lastName": f"Example{n}",
            "jobTitle": "Head of Sales",
            "emails": [f"ann{n}@people.example.com"] if n else [],
            "phones": [f"+1 202 555 01{n:02}"],
            "company": {"name": f"{employer} Inc", "domain": f"{employer.lower()}.example.com"},
            "updateDate": day,
        }
        for n in people
    ]
    path = command.folder / f"{employer}-{day}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command.json("import", "contacts", str(path))


class Tables:
    """User who calls the table endpoints."""

    def __init__(self, client, email):
        self.client = client
        self.email = email
        self.billed = 0

    def call(self, method, path, body=None, status=200):
        """Call a path that follows `/v3/contacts/tables` and count what it is charged."""
        given = {"params": {"email": self.email}} if body is None else {}
        named = None if body is None else {**body, "owner": {"email": self.email}}
        return self.checked(
            self.client.request(method, f"/v3/contacts/tables{path}", json=named, **given), status
        )

    def post(self, path, body):
        return self.checked(self.client.post(path, json=body), 200)

    def checked(self, answer, status):
        assert answer.status_code == status, answer.text
        body = answer.json()
        self.billed += body.get("billing", {}).get("creditsCharged", 0)
        return body

    def finished(self, table):
        """Poll the status until no run is open, and return it."""
        eventually(lambda: not self.call("GET", f"/{table}")["data"]["isProcessing"], "the runs end")
        return self.call("GET", f"/{table}")["data"]

    def rows(self, table):
        """Return the values of all rows by the columns' names, and their ids."""
        rows = self.call("GET", f"/{table}/entities")["data"]
        return {row["id"]: {cell["name"]: cell["value"] for cell in row["columns"]} for row in rows}


@pytest.mark.slow("served journey", "record_tables", "billing", "jobs", "cli")
def test_a_table_is_filled_by_calls_and_runs_shared_and_exported(command, server, worker):
    today = datetime.now(UTC).date()
    import_people(command, "Acme", str(today - timedelta(days=40)), range(PEOPLE))
    import_people(command, "Umbrella", str(today - timedelta(days=10)), [0, 1])
    command.json("account", "create", "sales", "--plan", "unlimited", "--credits", "1000")
    for email in (DANA, EVE):
        command.json("user", "add", email, "--account", "sales")
    key = command.json("key", "create", "--account", "sales")["apiKey"]
    with httpx.Client(base_url=server.url, headers={"api_key": key}, timeout=60) as client:
        dana, eve = Tables(client, DANA), Tables(client, EVE)

        # rows from prospecting
        table = dana.call("POST", "", {"name": "Sales people"}, 201)["data"]["tableId"]
        search = {
            "filters": {"contacts": {"include": {"names": ["Ann"]}}},
            "pagination": {"size": 25},
            "options": {"includePartialProfiles": True},
            "tableId": table,
        }
        eventually(
            lambda: dana.post("/v3/contacts/prospecting", {**search, "tableId": "1"})["results"],
            "the people are found",
        )
        found = dana.post("/v3/contacts/prospecting", search)
        assert found["tableWrite"]["added"] == len(found["results"]) == PEOPLE
        ids = [one["id"] for one in found["results"]]

        # columns, filled by the worker
        keys = ("workEmail", "country", "mobilePhone")
        added = dana.call("POST", f"/{table}/columns", {"columns": [{"columnKey": one} for one in keys]})
        columns = {one["columnKey"]: one["columnId"] for one in added["data"]}
        status = dana.finished(table)
        counts = {one["key"]: (one["rowsSuccess"], one["rowsNoData"]) for one in status["columns"]}
        assert counts["fullName"] == (PEOPLE, 0)
        assert counts["workEmail"] == (PEOPLE - 1, 1)
        assert counts["country"] == (0, PEOPLE)
        rows = dana.rows(table)
        assert list(rows) == ids
        shown = {row["full_name"]: row["work_email"] for row in rows.values()}
        assert shown["Ann Example1"] == "ann1@people.example.com"
        assert shown["Ann Example0"] is None

        # what is missing again: nothing is
        before = charges(command)
        run = {"runScope": "missing"}
        dana.call("POST", f"/{table}/columns/{columns['workEmail']}/run", run)
        assert not dana.call("GET", f"/{table}")["data"]["isProcessing"]
        assert charges(command) == before

        # enrich and signals into it; the e-mails are paid
        enriched = dana.post("/v3/contacts/enrich", {"ids": ids, "reveal": ["emails"], "tableId": table})
        assert enriched["billing"]["creditsCharged"] == 0
        assert enriched["tableWrite"]["rowsProcessed"] == PEOPLE
        signals = {"ids": ids, "signalTypes": ["companyChange"], "tableId": table}
        written = dana.post("/v3/contacts/signals", signals)["tableWrite"]
        assert (written["columnsCreated"], "error" in written) == (1, False)
        signal_values = [row["signal"] for row in dana.rows(table).values()]
        assert sum(value is not None for value in signal_values) == 2

        # a second user
        assert eve.call("POST", "/list", {})["data"] == []
        eve.call("GET", f"/{table}", status=404)
        eve.call("GET", f"/{table}/entities", status=404)
        eve.call("PATCH", f"/{table}", {"visibility": "shared"}, status=404)
        dana.call("PATCH", f"/{table}", {"visibility": "shared"})
        assert [one["tableId"] for one in eve.call("POST", "/list", {})["data"]] == [table]
        assert eve.rows(table) == dana.rows(table)
        eve.call("PATCH", f"/{table}", {"name": "Mine"}, status=403)

        # the ledger: calls bill for the table, runs for themselves
        charged = charges(command)
        subjects = {row["subject"].partition(":")[0] for row in charged}
        assert {"table", "run"} <= subjects
        of_runs = [row for row in charged if row["subject"].startswith("run:")]
        assert Counter(row["action"] for row in of_runs)["revealEmail"] == 1
        assert sum(row["quantity"] for row in of_runs if row["action"] == "revealEmail") == PEOPLE - 1
        assert sum(row["credits"] for row in charged if row not in of_runs) == dana.billed + eve.billed

    exported = command.folder / "people.csv"
    assert command("table", "export", table, str(exported)).returncode == 0
    with exported.open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["id"] for line in lines] == ids
    assert {line["Work email"] for line in lines} == {
        "",
        *(f"ann{n}@people.example.com" for n in range(1, 6)),
    }


def charges(command):
    """Return the charges of the account's ledger."""
    done = command("ledger", "export", "--account", "sales")
    entries = [json.loads(line) for line in done.stdout.splitlines()]
    return [entry for entry in entries if entry["kind"] == "charge"]
