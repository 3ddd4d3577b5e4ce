"""Imports that lose their database and continue when it is back, without gaps or duplicates."""

import json
import signal

import pytest
import sqlalchemy as sa

from firmograph.database.connection import Database
from firmograph.database.schema import prepare
from firmograph.ingest import commits as pacing
from firmograph.ingest.service import Importer
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import DatabaseLost, Unavailable
from import_processes import Halting
from record_factory import KEYRING, contact, prepared_contact
from server_fixtures import Command
from services.postgresql import PostgreSQL
from services.relay import Relay
from stored_records import change_count, stored_contacts

pytestmark = pytest.mark.postgresql


@pytest.fixture(scope="module")
def rows():
    return [
        prepared_contact(
            contact(f"Jane{n}", emails=[f"jane{n}@example.com"], company=f"Employer {n % 7}"), "a", str(n), n
        )
        for n in range(1, 501)
    ]


@pytest.fixture(scope="module")
def own_server():
    """Return a server that may be stopped; its commits survive a crash."""
    server = PostgreSQL(synchronous_commit="on").start()
    yield server
    server.remove()


@pytest.fixture
def url(own_server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    url = own_server.create("fragile")
    database = Database(url)
    prepare(database)
    database.close()
    yield url
    own_server.drop("fragile")


@pytest.fixture
def through(database, monkeypatch):
    """Return a relay to the test's database, and an importer behind it."""
    monkeypatch.setattr(pacing, "_RETRY_SECONDS", 0.01)
    # a repeated commit has the same rows, however slow the machine was at first
    monkeypatch.setattr(pacing, "SERVER_LOCK_SECONDS", 1000)
    relay = Relay(sa.make_url(database.url).port)
    behind = Database(sa.make_url(database.url).set(port=relay.port).render_as_string(hide_password=False))
    yield relay, behind
    behind.close()
    relay.close()


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_commit_that_was_cut_off_is_repeated_whether_it_succeeded_or_not(database, through, rows, moment):
    relay, behind = through
    errors = []
    importer = Importer(behind, KEYRING, SetClock(), "a", errors.append)
    commits = importer.import_contacts(rows)
    first = next(commits)
    relay.cut_at(b"COMMIT\0", moment)
    second = next(commits)
    rest = [outcome for outcomes in commits for outcome in outcomes]
    assert [type(why) for why in errors] == [DatabaseLost]
    assert {outcome.created for outcome in first + rest} == {True}
    assert {outcome.created for outcome in second} == {moment == "before"}
    names = [record.first_name for record, _ in stored_contacts(database).values()]
    assert names == [f"Jane{n}" for n in range(1, 501)]
    assert change_count(database) == len(rows) + 7


def test_a_server_that_stays_down_ends_the_import_after_a_while(own_server, url, rows, monkeypatch):
    monkeypatch.setattr(pacing, "WAIT_SECONDS", 0.1)
    monkeypatch.setattr(pacing, "_RETRY_SECONDS", 0.01)
    database, errors = Database(url), []
    commits = Importer(database, KEYRING, SetClock(), "a", errors.append).import_contacts(rows)
    next(commits)
    own_server.stop()
    try:
        with pytest.raises(Unavailable):
            list(commits)
    finally:
        own_server.start()
    assert len(errors) == 1
    database.close()


@pytest.mark.slow("crashed server", "ingest", "database")
@pytest.mark.parametrize("moment", [5, 6], ids=["within a commit", "between two"])
def test_an_import_continues_by_itself_after_a_crash_of_the_server(own_server, url, tmp_path, moment):
    path = tmp_path / "people.jsonl"
    with path.open("w") as out:
        for n in range(800):
            row = {"sourceId": f"p{n}", "firstName": f"Given{n}", "emails": [f"p{n}@example.com"]}
            out.write(json.dumps(row) + "\n")
    with Halting(Command(tmp_path, url), str(path), moment) as importing:
        own_server.stop(signal.SIGQUIT)
        try:
            importing.go_on()
            importing.wait_for_stderr("waiting up to")
        finally:
            own_server.start()
        summary = json.loads(importing.end())
    assert (summary["created"], summary["unchanged"]) == (800, 0)
    database = Database(url)
    assert len(stored_contacts(database)) == change_count(database) == 800
    database.close()
