"""Every column of both catalogs: added over HTTP, filled by the worker, read, and paid once."""

import asyncio
import json

import full_records
import pytest
from table_users import new_account

from firmograph.billing import ledger_store
from firmograph.database.connection import AccountSession, account_scope
from firmograph.directory.data_points import COMPANY_TOKENS
from firmograph.ingest.do_not_call.service import DoNotCall
from firmograph.record_tables import store
from firmograph.record_tables.column_calls.service import Columns
from firmograph.record_tables.columns.catalog import DEFAULTS, catalog, find_entry
from firmograph.record_tables.columns.kind import ColumnKinds
from firmograph.record_tables.columns.score_kind import score_column
from firmograph.record_tables.columns.signal_kind import signal_column
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.rows.reading import RowReader
from firmograph.record_tables.worker_wiring import WORKER
from firmograph.security.record_ids import Entity
from installation_factory import installation_of
from signal_factory import put_detected

CONTACT, COMPANY = Entity.CONTACT, Entity.COMPANY
GROWTH = "headcountIncrease3m"
KINDS = {CONTACT: "contacts", COMPANY: "companies"}


class Journey:
    """Table of the full and the bare record with all columns of the catalog, which have run."""

    def __init__(self, user, entity):
        self.service = service = user.service
        self.user = user.of_kind(KINDS[entity])
        self.entity = entity
        self.installation = service.installation
        self.account = user.account_id
        worker = installation_of(service.database, service.clock)
        (self.background,) = WORKER.background(worker)
        seal = self.installation.record_ids.seal
        self.records = [seal(entity, 1), seal(entity, 2)]
        self.table = self.user.table(ids=self.records)["tableId"]
        self.path = f"/{self.table}/columns"
        keys = [entry.key for entry in catalog(entity)]
        for start in range(0, len(keys), 10):
            self.add(keys[start : start + 10])
        self.work()

    def add(self, keys):
        body = {"owner": self.user.owner, "columns": [{"columnKey": key} for key in keys]}
        answer = self.user.call("POST", self.path, body)
        assert [entry["status"] for entry in answer.json()["data"]] == ["added"] * len(keys)

    def work(self):
        """Let the worker fill what runs have taken."""
        asyncio.run(self.background.worker.run_until_idle())

    def status(self):
        return self.user.get(self.table).json()["data"]

    def run(self, scope):
        for column in self.status()["columns"]:
            body = {"owner": self.user.owner, "runScope": scope}
            answer = self.user.call("POST", f"{self.path}/{column['columnId']}/run", body)
            assert answer.json()["data"]["status"] == "processing"
        self.work()

    def insert(self, *new):
        """Add columns as commands do, and run them."""
        with self.service.database.write(account_scope(self.account)) as session:
            own = AccountSession(session, self.account)
            table = store.find_table(own, self.installation.get(TableIds).open_table(self.table))
            at = self.service.clock.seconds()
            Columns().add_all(own, table, new, run=True, user_id=None, request_id="r", at=at)

    def cells(self, by="key"):
        """Return the cells of each row by key or name of the column."""
        keys = {column["columnId"]: column[by] for column in self.status()["columns"]}
        get = self.installation.get
        reader = RowReader(get(ColumnKinds), get(TableIds), self.installation.record_ids)
        with self.service.database.read() as session:
            own = AccountSession(session, self.account)
            table = store.find_table(own, get(TableIds).open_table(self.table))
            rows = [json.loads(row) for row in reader.page(own, table, 0, 100).rows]
        assert [row["id"] for row in rows] == self.records
        return [{keys[cell["id"]]: cell for cell in row["columns"]} for row in rows]

    def charges(self):
        """Return the charged quantities by price key."""
        with self.service.database.read() as session:
            entries = ledger_store.select_entries(AccountSession(session, self.account))
        charged = {}
        for _, entry in entries:
            if entry.kind == "charge":
                assert entry.subject.startswith(("table:", "run:"))
                charged[entry.action] = charged.get(entry.action, 0) + entry.quantity
        return charged

    def enrich(self, reveal):
        kind = KINDS[self.entity]
        body = {"ids": self.records[:1], "reveal": reveal}
        answer = self.service.post(f"/v3/{kind}/enrich", body, key=self.user.key)
        return answer.json()


@pytest.fixture(scope="module")
def directory(shared_service):
    full_records.load_records(shared_service.database)
    return shared_service


@pytest.fixture
def dana(directory):
    (dana,) = new_account(directory, "dana@acme.example")
    return dana


@pytest.fixture
def changing(service):
    """Return a user in an installation whose records the test changes."""
    full_records.load_records(service.database)
    (changing,) = new_account(service, "dana@acme.example")
    return changing


@pytest.mark.parametrize("entity", [CONTACT, COMPANY])
def test_every_column_is_filled_read_and_paid_once(dana, entity):
    journey = Journey(dana, entity)
    keys = list(dict.fromkeys(key for one in (DEFAULTS[entity], catalog(entity)) for key in map(_key, one)))
    status = journey.status()
    assert status["isProcessing"] is False
    assert [column["key"] for column in status["columns"]] == keys
    full, bare = journey.cells()
    assert {cell["status"] for cell in full.values()} == {"success"}
    types = {key: find_entry(entity, key).type for key in keys}
    for row in (full, bare):
        assert {key: cell["type"] for key, cell in row.items()} == types
        assert {cell["sourceType"] for cell in row.values()} == {"lusha"}
    filled = {key for key, cell in bare.items() if cell["value"] is not None}
    assert filled == ({"fullName", "firstName", "workEmail"} if entity is CONTACT else {"name", "domain"})
    assert {cell["status"] for key, cell in bare.items() if key not in filled} == {"no_data"}
    paid = (
        {"revealEmail": 2, "revealPhone": 1}
        if entity is CONTACT
        else {"revealCompany": 1, "revealCompanyPremiumData": 8}
    )
    assert journey.charges() == paid
    # neither a second run nor another call costs what is paid
    journey.run("all")
    assert journey.charges() == paid
    tokens = ["emails", "phones"] if entity is CONTACT else _held_tokens()
    assert journey.enrich(tokens)["billing"]["creditsCharged"] == 0
    journey.run("missing")
    assert journey.charges() == paid


def test_a_cell_follows_its_record_only_when_it_runs_again(changing):
    journey = Journey(changing, COMPANY)
    changed = full_records.FULL_COMPANY | {"yearFounded": 1950}
    full_records.load_company(changing.service.database, changed)
    assert journey.cells()[0]["yearFounded"]["value"] == 1949
    journey.run("missing")
    assert journey.cells()[0]["yearFounded"]["value"] == 1949
    journey.run("all")
    assert journey.cells()[0]["yearFounded"]["value"] == 1950


def test_a_do_not_call_number_says_so_in_its_cell(dana):
    full, _ = Journey(dana, CONTACT).cells()
    assert full["mobilePhone"]["doNotCall"] is True
    assert "doNotCall" not in full["directPhone"]


def test_signals_are_paid_once_and_scores_each_run(changing):
    database = changing.service.database
    put_detected(database, COMPANY, (1, GROWTH, "2026-05-01"), (1, GROWTH, "2026-06-01"))
    journey = Journey(changing, COMPANY)
    before = journey.charges()
    journey.insert(signal_column(COMPANY, [GROWTH], None), score_column())
    journey.work()
    assert journey.charges() == before | {"showSignalsCompany": 1, "signalScoreCompany": 1}
    full, bare = journey.cells(by="name")
    assert [event["signalDate"] for event in full[f"Signals: {GROWTH}"]["value"][GROWTH]] == [
        "2026-06-01",
        "2026-05-01",
    ]
    assert full["Signal score"]["value"] == 1
    for name in (f"Signals: {GROWTH}", "Signal score"):
        assert (bare[name]["status"], bare[name]["value"]) == ("no_data", None)
    journey.run("all")
    assert journey.charges() == before | {"showSignalsCompany": 1, "signalScoreCompany": 2}
    put_detected(database, COMPANY, (1, GROWTH, "2026-07-01"))
    journey.run("missing")
    assert journey.charges()["showSignalsCompany"] == 1
    journey.run("all")
    assert journey.charges() == before | {"showSignalsCompany": 2, "signalScoreCompany": 3}


def _key(column):
    return column.key


def _held_tokens():
    return [token for token in COMPANY_TOKENS if "Parent" not in token and token != "openJobsByDepartment"]


def test_a_cell_shows_the_mark_of_the_registry_today(changing):
    journey = Journey(changing, CONTACT)
    number = journey.cells()[0]["directPhone"]["value"]
    registry = journey.installation.get(DoNotCall)
    registry.add([number], "privacy dnc add")
    assert journey.cells()[0]["directPhone"]["doNotCall"] is True
    registry.remove([number], "privacy dnc remove")
    assert "doNotCall" not in journey.cells()[0]["directPhone"]
    assert journey.cells()[0]["directPhone"]["value"] == number
