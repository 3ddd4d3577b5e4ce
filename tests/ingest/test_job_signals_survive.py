"""Versions 1 and 2 of a data set yield the signals of their difference once, despite interruptions."""

import json
from collections import Counter
from contextlib import contextmanager

import pytest

import import_fixtures
from firmograph.ingest import commits as pacing
from firmograph.ingest.merging import job_moves
from firmograph.ingest.service import Importer
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Unavailable
from import_processes import Halting
from record_factory import KEYRING, contact, load_contacts, prepared_contact
from stored_records import stored_contacts

PEOPLE = 600


def version(number, n):
    """Return rows of six groups: people who move, rise, fall, are respelled, emptied, or unchanged."""
    old = {
        "sourceId": f"p{n}",
        "fullName": f"Given{n} Family{n}",
        "jobTitle": "Sales Manager",
        "company": f"Corp {n % 50}",
    }
    new = [
        {"company": f"Corp {n % 50 + 1}"},
        {"jobTitle": "Sales Director"},
        {"jobTitle": "Sales Representative"},
        {"jobTitle": "Manager, Sales"},
        {"company": None, "jobTitle": None},
        {},
    ][n % 6]
    return old if number == 1 else old | new


EXPECTED = Counter(
    {(f"p{n}", "companyChange"): 1 for n in range(0, PEOPLE, 6)}
    | {(f"p{n}", "promotion"): 1 for n in range(1, PEOPLE, 6)}
)


@pytest.fixture
def files(tmp_path):
    """Write files large enough for many commits."""
    paths = {number: tmp_path / f"version{number}.jsonl" for number in (1, 2)}
    for number, path in paths.items():
        path.write_text("".join(json.dumps(version(number, n)) + "\n" for n in range(PEOPLE)))
    return {number: str(path) for number, path in paths.items()}


def detected(database):
    """Return every signal by the source id of its contact and its type."""
    names = {1: "promotion", 2: "companyChange"}
    rows = database.session().raw.execute(
        "SELECT source_id, type FROM signals JOIN contact_rows ON contact_id = entity_id WHERE entity = 1"
    )
    return Counter((source_id, names[type]) for source_id, type in rows.fetchall())


def count(database):
    return database.session().raw.execute("SELECT count(*) FROM signals").fetchone()[0]


@pytest.fixture
def imports(database_url, monkeypatch):
    """Return a function that runs `firmograph import contacts` and returns its messages."""
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", database_url)

    def run(file):
        done = import_fixtures.run("contacts", file)
        assert done.exit_code == 0, done.output
        return done.stderr

    return run


def test_two_versions_yield_their_difference(imports, database, files):
    outputs = [imports(files[number]) for number in (1, 2, 2)]
    assert ["Signals detected: 200" in one for one in outputs] == [False, True, False]
    assert detected(database) == EXPECTED


@pytest.mark.slow("killed import", "ingest", "database")
def test_imports_that_are_killed_and_repeated_lose_and_double_nothing(command, imports, database, files):
    imports(files[1])
    counts = []
    for just_before, commit in ((True, 1), (False, 2), (True, 5)):
        with Halting(command, files[2], 2 * commit - just_before, own_process=commit == 1):
            pass  # killed there
        counts.append(count(database))
    assert counts == sorted({0, *counts, sum(EXPECTED.values())})[:3], "each got further than the one before"
    imports(files[2])
    assert detected(database) == EXPECTED


def rows(number, count=120):
    return [
        prepared_contact(
            contact(f"Given{n}", emails=[f"p{n}@example.com"], company=f"Corp {n % 7 + number}"),
            "a",
            f"p{n}",
            n,
        )
        for n in range(count)
    ]


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_commit_of_unknown_outcome_is_repeated_whether_it_succeeded_or_not(database, monkeypatch, moment):
    monkeypatch.setattr(pacing, "_RETRY_SECONDS", 0)
    list(Importer(database, KEYRING, SetClock(), "a").import_contacts(rows(1)))
    losing = database.write

    @contextmanager
    def write(scope):
        monkeypatch.setattr(database, "write", losing)
        with losing(scope) as session:
            yield session
            if moment == "before":
                raise Unavailable
        raise Unavailable

    monkeypatch.setattr(database, "write", write)
    list(Importer(database, KEYRING, SetClock(), "a").import_contacts(rows(2)))
    assert count(database) == 120


def test_an_import_reports_how_many_signals_each_commit_detected(database):
    counts = []
    for number in (1, 2):
        list(
            Importer(database, KEYRING, SetClock(), "a", on_signals=counts.append).import_contacts(
                rows(number)
            )
        )
    assert sum(counts) == 120


def test_a_failed_detection_prevents_the_import_of_its_rows(database, monkeypatch):
    load_contacts(database, "a", [("1", contact(emails=["jane@example.com"], company="Acme"))])
    after = [("1", contact(emails=["jane@example.com"], company="Rival"))]
    with monkeypatch.context() as broken:

        def fail(*_, **__):
            raise RuntimeError("out of order")

        broken.setattr(job_moves, "store_signals", fail)
        with pytest.raises(RuntimeError):
            load_contacts(database, "a", after)
    assert stored_contacts(database)[1][0].company.name == "Acme"
    load_contacts(database, "a", after)
    assert count(database) == 1
