"""A company that no source states any more: in no answer, and nowhere but where declarations keep its number."""

from collections import Counter

import pytest
from declaration_checks import tables_of
from planted_person import PERSONAL_DATA
from planted_tables import make_table

import database_fixtures
from firmograph.backup import archive
from firmograph.backup import service as backup_service
from firmograph.backup.protections import Protections
from firmograph.bootstrap.packages import load_plans
from firmograph.database.connection import RECORDS, AccountSession, Database, account_scope
from firmograph.indexing import store as index_store
from firmograph.ingest.merging.company_mentions import CompanyMentions
from firmograph.ingest.merging.record_deletion import RecordDeletion
from firmograph.kit.clock import SetClock
from firmograph.lookalikes.index.factory import ServedSimilarity
from firmograph.privacy import store
from firmograph.prospecting.engines.factory import ServedSearch
from firmograph.record_tables import store as table_store
from firmograph.record_tables.cells.grid import GridEdit, NewRow
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.store import NewColumn
from firmograph.record_tables.types import Cell
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.settings import Settings
from firmograph.webhooks.deliveries.cancel import CANCELLED
from firmograph.webhooks.deliveries.fan_out import FanOut
from firmograph.webhooks.types import State
from index_fixtures import is_applied, search_checkpoints
from installation_factory import make_taken_back
from lookalike_fixtures import COMPANIES, COMPANY_SEEDS, company, load
from record_factory import DIGESTS, KEYRING, contact, load_companies, load_contacts
from server_fixtures import PATIENCE_SECONDS, Service
from signal_factory import put_detected
from stored_records import stored_companies, stored_contacts

NUMBER = 70_477
"""Record number of the company, and of a contact; no other number equals it."""
NAME, DOMAIN = "Company 77", "company77.example.com"
ID = RecordIds(KEYRING).seal(Entity.COMPANY, NUMBER)
LEGACY = RecordIds(KEYRING).legacy(Entity.COMPANY, NUMBER)
TYPE, SINCE = "headcountIncrease3m", "2026-08-01"
OTHERWISE = {
    ("contacts", "id"),
    ("contact_rows", "contact_id"),
    ("contact_keys", "contact_id"),
    ("partner_reveals", "record_id"),
    ("counters", "value"),
    ("similarity_models", "contacts"),
    ("similarity_models", "companies"),
    *(
        (f"waterfall_{name}", "contact_id")
        for name in ("asks", "misses", "recipients", "value_keys", "values")
    ),
}
"""Columns in which the number is that of a contact, or the highest number."""

NAMED = {"filters": {"companies": {"include": {"names": [NAME]}}}}
CALLS = {
    "search": ("/v3/companies/search", {"companies": [{"domain": DOMAIN}]}),
    "enrich": ("/v3/companies/enrich", {"ids": [ID]}),
    "search and enrich": ("/v3/companies/search-and-enrich", {"companies": [{"domain": DOMAIN}]}),
    "prospecting": ("/v3/companies/prospecting", NAMED),
    "lookalikes": ("/v3/companies/lookalike", {"seeds": COMPANY_SEEDS, "limit": 100}),
    "signals": ("/v3/companies/signals", {"ids": [ID], "signalTypes": [TYPE], "startDate": SINCE}),
    "score": ("/v3/companies/signal-score", {"companies": [{"id": ID}]}),
    "older look-up": ("/v2/company", {"companies": [{"id": "1", "domain": DOMAIN}]}),
    "older prospecting": ("/prospecting/company/search", NAMED),
    "older signals": (
        "/api/signals/companies",
        {"companyIds": [LEGACY], "signals": [TYPE], "startDate": SINCE},
    ),
}


class World:
    """A service over a directory, and a company in every place that holds numbers of companies."""

    def __init__(self, folder):
        self.folder, self.clock = folder, SetClock()
        self.database = Database(database_fixtures.fresh(folder))
        load(self.database, people=COMPANIES)
        with self.database.write(RECORDS) as session:
            store.raise_counters(session, {"company": NUMBER - 1, "contact": NUMBER - 1})
        load_companies(self.database, "test", [("77", company(77))], self.clock)
        load_contacts(
            self.database, "test", [("77", contact(emails=["twin@people.example.com"]))], self.clock
        )
        self.signal(1)
        self.service = Service(self.database, KEYRING, self.clock, Settings(search_folder=str(folder)))

    def signal(self, day):
        put_detected(self.database, Entity.COMPANY, (NUMBER, TYPE, f"2026-09-{day:02}"), at=float(day))

    def wait(self):
        head = index_store.head(self.database.session())
        for kind in (ServedSimilarity, ServedSearch):
            assert is_applied(self.service.installation.get(kind).active, head, PATIENCE_SECONDS)

    def fill(self):
        service = self.service
        service.client.post("/api/account/secret/regenerate", headers={"api_key": service.key})
        item = {"entityId": ID, "entityType": "company", "name": NAME}
        defaults = {"url": "https://hooks.example.com/in", "signalTypes": ["allSignals"]}
        created = service.post("/api/subscriptions", {"defaults": defaults, "subscriptions": [item]})
        assert created.json()["failed"] == 0, created.text
        self.signal(20)
        fan_out = FanOut(self.database, self.clock, load_plans(), DIGESTS, 30)
        while fan_out.step():
            pass
        with self.database.write(account_scope(1)) as session:
            own = AccountSession(session, 1)
            table_id = make_table(own, Entity.COMPANY, "Firms", [NewColumn("lusha", "name", "name", "Name")])
            (column,) = column_store.select_columns(own, table_id)
            edit = GridEdit(own, table_store.find_table(own, table_id), [column])
            edit.add_rows([NewRow(each, {column.id: Cell("success", b'"x"')}) for each in (1, NUMBER, 2)])
            edit.write(1.0)
        with self.database.write(RECORDS) as session:
            for values in (
                f"company_figures VALUES ({NUMBER}, 'traffic', 1, '2026-05-01', 5.0, NULL)",
                f"figures_to_judge VALUES ('traffic', 1, {NUMBER})",
                f"import_former_rows VALUES (2, {NUMBER}, 1, '77', 1, 1, NULL, NULL, NULL, NULL, NULL)",
                f"job_postings VALUES ({NUMBER}, 1, 'p', 'Sales', NULL, NULL, NULL, NULL, NULL,"
                " '2026-05-01', NULL, '2026-05-01')",
                f"company_parents VALUES ({NUMBER}, 1, 0), (2, {NUMBER}, 0)",
                f"record_splits SELECT digest, 2, company_id FROM company_keys WHERE company_id = {NUMBER}",
            ):
                session.raw.execute(f"INSERT INTO {values}")

    def answers(self):
        return {name: self.service.post(*call) for name, call in CALLS.items()}

    def places(self):
        """Return the columns with the company's number."""
        found = set()
        with self.database.read() as session:
            for table in (each.table for each in tables_of(PERSONAL_DATA)):
                for row in session.raw.execute(f'SELECT * FROM "{table.name}"').fetchall():
                    for column, value in zip(table.c.keys(), row, strict=True):
                        is_list = column == "numbers" and str(NUMBER).encode() in bytes(value)
                        if is_list or value == NUMBER:
                            found.add((table.name, column))
        return found

    def delete(self, *numbers):
        with self.database.read() as session:
            mentions = CompanyMentions(session, numbers)
        with self.database.write(RECORDS) as session:
            deletion = self.service.installation.get(RecordDeletion)
            return deletion.delete_companies(session, mentions, numbers, self.clock.seconds())


@pytest.fixture(scope="module")
def deleted(tmp_path_factory):
    """Return the world after the deletion, with what was answered and stored before it."""
    world = World(tmp_path_factory.mktemp("deleted"))
    with world.service.client:
        world.wait()
        world.fill()
        world.before, world.filled = world.answers(), world.places()
        world.subscribed = world.service.get("/api/subscriptions").json()
        world.remaining = world.service.get("/v3/account/usage").json()["credits"]
        world.result = world.delete(NUMBER)
        # nobody waits for the indexes
        world.after = world.answers()
        yield world
    world.database.close()
    database_fixtures.drop(world.database.url)


@pytest.mark.parametrize("name", CALLS)
def test_it_is_in_the_answer_before_and_in_none_after(deleted, name):
    assert NAME in deleted.before[name].text
    assert deleted.after[name].status_code < 500
    assert NAME not in deleted.after[name].text


def test_its_number_stays_only_where_declarations_keep_it(deleted):
    kept = {(each.table.name, name) for each in tables_of(PERSONAL_DATA) for name in each.kept}
    assert deleted.places() <= kept | OTHERWISE


def test_it_was_in_every_place_from_which_it_is_declared_to_go(deleted):
    declared = {(each.table.name, name) for each in tables_of(PERSONAL_DATA) for name in each.removed}
    assert declared - OTHERWISE <= deleted.filled


def test_the_contact_of_its_number_stays_in_answers(deleted):
    answer = deleted.service.post(
        "/v3/contacts/enrich", {"ids": [RecordIds(KEYRING).seal(Entity.CONTACT, NUMBER)]}
    )
    assert "twin@people.example.com" in answer.text
    request = {"filters": {"contacts": {"include": {"names": ["Jane Doe"]}}}}
    assert deleted.service.post("/v3/contacts/prospecting", request).json()["results"]


def test_its_row_leaves_tables_with_their_counters(deleted):
    session = deleted.database.session()
    (table,) = session.raw.execute("SELECT entity_count, removals FROM record_tables").fetchall()
    (column,) = session.raw.execute("SELECT success, not_run FROM record_table_columns").fetchall()
    assert (tuple(table), tuple(column)) == ((2, 1), (2, 0))


def test_its_queued_deliveries_are_cancelled_and_the_subscription_stays(deleted):
    rows = deleted.database.session().raw.execute("SELECT state, body, reason FROM deliveries").fetchall()
    assert Counter(map(tuple, rows)) == {(int(State.CANCELLED), None, CANCELLED): 1}
    (subscription,) = deleted.service.get("/api/subscriptions").json()["data"]
    assert subscription["entityId"] == ID


def test_what_was_paid_stays_paid(deleted):
    after = deleted.service.get("/v3/account/usage").json()["credits"]
    assert after["total"] == deleted.remaining["total"]
    assert after["used"] >= deleted.remaining["used"] > 0


def test_its_daughter_is_linked_to_nothing_that_is_gone(deleted):
    edges = (
        deleted.database.session().raw.execute("SELECT company_id, parent_id FROM company_parents").fetchall()
    )
    assert {number for edge in edges for number in edge} <= stored_companies(deleted.database).keys()


def test_a_checkpoint_is_built_anew_without_it(deleted):
    load_companies(deleted.database, "test", [("78", company(78))])
    number = max(stored_companies(deleted.database))
    checkpoints = search_checkpoints(deleted.database, str(deleted.folder))
    assert checkpoints.renew().built.companies.documents.find(number) is not None
    deleted.delete(number)
    renewed = checkpoints.renew()
    assert renewed.rebuilt
    assert renewed.built.companies.documents.find(number) is None


# --- kept out of a restored copy ---


def test_a_restored_older_backup_has_no_deleted_company_and_its_contacts_name_it_in_text(tmp_path):
    world = World(tmp_path)
    day = "2026-01-01"
    staff = ("9", contact("Sam", emails=["sam@people.example.com"], company=NAME, day=day))
    load_contacts(world.database, "web", [staff], world.clock)
    file = tmp_path / "backup"
    backup_service.back_up(
        world.database,
        KEYRING,
        file,
        world.clock,
        replace=True,
        progress_of=lambda what: lambda done, total: None,
    )
    moved = ("9", contact("Sam", emails=["sam@people.example.com"], company="Company 1", day="2026-02-01"))
    load_contacts(world.database, "web", [moved], world.clock)
    assert world.delete(NUMBER).deleted == {NUMBER}
    with archive.open_archive(file) as backup:
        backup_service.restore(
            backup,
            world.database,
            Protections(PERSONAL_DATA, make_taken_back(), lambda: KEYRING, world.clock),
            force=True,
            progress_of=lambda what: lambda done, total: None,
        )
    assert NUMBER not in stored_companies(world.database)
    found = stored_contacts(world.database)
    (sam,) = [each for each in found.values() if each[0].first_name == "Sam"]
    assert (sam[0].company.name, sam[1]) == (NAME, None)
    assert NUMBER in found
    world.database.close()
    database_fixtures.drop(world.database.url)
