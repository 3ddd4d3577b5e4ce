"""Retention: contacts that complete imports of all their sources have lacked for long.

See docs/reference/retention.md.
"""

import msgspec
import pytest

from firmograph.bootstrap.background import periodic_jobs
from firmograph.ingest.imports.removal import SourceRemoval
from firmograph.ingest.imports.runs import ImportRuns
from firmograph.ingest.imports.undo import ImportUndo
from firmograph.ingest.preparation_process import ImportTask
from firmograph.ingest.retention import Retention
from firmograph.ingest.service import import_files
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity
from installation_factory import installation_of, jobs_of
from record_factory import KEYRING
from stored_records import stored_contacts

DAY_SECONDS = 86_400.0
DAYS = 30


class Directory:
    """A database whose sources are imported day by day."""

    def __init__(self, database, folder, clock):
        self.database, self.folder, self.clock = database, folder, clock
        self.installation = installation_of(database, clock, retention_contact_days=DAYS)
        self.retention = self.installation.get(Retention)

    def load(self, source, *names, complete=True, extra=b""):
        """Import people of these names, each with an address, and return the summary."""
        path = self.folder / "rows.jsonl"
        rows = ({"firstName": name, "lastName": "Lee", "email": f"{name}@a.example"} for name in names)
        path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows) + extra)
        task = ImportTask(
            entity=Entity.CONTACT, paths=[str(path)], source=source, keyring=KEYRING, complete=complete
        )
        return import_files(self.database, task, self.clock, lambda *_: None, lambda *_: None)

    def pass_days(self, days):
        self.clock.advance(days * DAY_SECONDS)

    def due(self):
        return self.retention.preview()

    def names(self):
        return sorted(record.first_name for record, _ in stored_contacts(self.database).values())

    def work(self):
        """Do the daily job of this installation."""
        (job,) = [each for each in self.jobs() if each.name == "remove-unseen-contacts"]
        done = 1
        while done:
            part = job.next_part(self.database.session(), self.clock.seconds())
            with self.database.write(*part.scopes) as session:
                done = part.do(session, self.clock.seconds())

    def jobs(self):
        return periodic_jobs(self.installation)


@pytest.fixture
def directory(database, tmp_path, clock):
    return Directory(database, tmp_path, clock)


def test_a_contact_goes_once_its_source_lacks_it_for_the_days(directory):
    directory.load("crm", "Ann", "Zoe")
    directory.load("crm", "Ann")
    directory.pass_days(DAYS - 1)
    assert directory.due() == (0, {})
    directory.pass_days(1)
    assert directory.due() == (1, {"crm": 1})
    assert directory.names() == ["Ann", "Zoe"]
    directory.work()
    assert directory.names() == ["Ann"]
    assert directory.due() == (0, {})


def test_days_count_from_the_first_import_that_lacks_it(directory):
    directory.load("crm", "Ann", "Zoe")
    for _ in range(3):
        directory.pass_days(DAYS / 2)
        directory.load("crm", "Ann")
    assert directory.due().contacts == 1


def test_a_contact_that_comes_again_counts_anew(directory):
    directory.load("crm", "Ann", "Zoe")
    directory.load("crm", "Ann")
    directory.pass_days(DAYS)
    directory.load("crm", "Zoe", complete=False)
    assert directory.due().contacts == 0
    directory.load("crm", "Ann")
    directory.pass_days(DAYS)
    assert directory.due().contacts == 1


@pytest.mark.parametrize(("complete", "contacts"), [(False, 0), (True, 1)])
def test_each_source_of_a_contact_has_to_lack_it(directory, complete, contacts):
    directory.load("crm", "Ann", "Zoe")
    directory.load("fair", "Zoe", complete=complete)
    directory.load("crm", "Ann")
    if complete:
        directory.load("fair", "Bea")
    directory.pass_days(DAYS)
    assert directory.due().contacts == contacts


def test_a_contact_of_another_source_alone_is_none_of_a_complete_import(directory):
    directory.load("fair", "Bea", complete=False)
    directory.load("crm", "Ann")
    directory.pass_days(DAYS)
    assert directory.due().contacts == 0


def test_rejected_rows_keep_an_import_from_counting_as_complete(directory):
    directory.load("crm", "Ann", "Zoe")
    summary = directory.load("crm", "Ann", extra=b"{broken\n")
    assert (summary.rejected, summary.complete) == (1, False)
    directory.pass_days(DAYS)
    assert directory.due().contacts == 0


def test_an_undo_takes_the_day_back(directory):
    directory.load("crm", "Ann", "Zoe")
    mistaken = directory.load("crm", "Ann").import_id
    directory.installation.get(ImportUndo).undo(mistaken, and_later=False)
    directory.pass_days(DAYS)
    assert directory.due().contacts == 0


def test_an_undo_of_the_import_that_saw_a_contact_again_restores_the_day(directory):
    directory.load("crm", "Ann", "Zoe")
    directory.load("crm", "Ann")
    again = directory.load("crm", "Ann", "Zoe").import_id
    directory.pass_days(DAYS)
    assert directory.due().contacts == 0
    directory.installation.get(ImportUndo).undo(again, and_later=False)
    assert directory.due().contacts == 1


def test_the_removal_of_a_source_takes_its_days(directory):
    directory.load("fair", "Ann", "Zoe")
    directory.load("crm", "Ann", "Zoe")
    directory.load("crm", "Ann")
    directory.installation.get(SourceRemoval).remove("crm")
    assert count(directory.database) == 1
    directory.installation.get(SourceRemoval).remove("fair")
    assert count(directory.database) == 0


def count(database):
    return database.session().raw.execute("SELECT count(*) FROM import_sightings").fetchone()[0]


def test_the_job_drops_days_that_nothing_needs(directory):
    directory.load("crm", "Ann", "Zoe")
    for _ in range(4):
        directory.pass_days(DAYS / 2)
        directory.load("crm", "Ann", "Zoe")
    directory.work()
    assert count(directory.database) == 3
    assert directory.names() == ["Ann", "Zoe"]


def test_a_source_that_is_being_imported_loses_nobody(directory):
    directory.load("crm", "Ann", "Zoe")
    directory.load("crm", "Ann")
    directory.pass_days(DAYS)
    directory.installation.get(ImportRuns).begin("contacts", "crm", [])
    assert directory.due().contacts == 0


def test_the_command_removes_what_is_due(directory):
    directory.load("crm", *(f"P{number}" for number in range(60)))
    directory.load("crm", "P0")
    directory.pass_days(DAYS)
    assert directory.retention.remove() == 59
    assert directory.names() == ["P0"]


def test_retention_is_off_unless_days_are_set(database, clock):
    retention = installation_of(database, clock).get(Retention)
    with pytest.raises(Refused, match="off"):
        retention.preview()
    with pytest.raises(Refused, match="off"):
        retention.remove()
    assert retention.preview(10).contacts == 0
    (job,) = [each for each in jobs_of(database, clock) if each.name == "remove-unseen-contacts"]
    assert job.find(database.session(), clock.seconds()) is None
