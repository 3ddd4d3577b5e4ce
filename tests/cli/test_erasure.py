"""Remains of a suppressed person in the files of the embedded database while a server runs."""

import json
import sqlite3
from contextlib import closing

import pytest
from typer.testing import CliRunner

from command_fixtures import InProcess
from firmograph.cli.privacy.suppression import app
from firmograph.database import sqlite

pytestmark = pytest.mark.sqlite

JANE = {
    "sourceId": "crm-4711",
    "fullName": "Jane Quixworth",
    "emails": ["jane.quixworth@acme.example.com"],
    "phones": ["+14155550123"],
    "company": "Acme",
    "linkedinUrl": "linkedin.com/in/jane-quixworth-8",
}
TRACES = (b"quixworth", b"14155550123", b"crm-4711")


@pytest.fixture
def command(tmp_path, database_url):
    return InProcess(tmp_path, database_url)


@pytest.fixture
def imported(command, tmp_path):
    """Import Jane and another person."""
    other = {"sourceId": "2", "fullName": "Bob Roe", "emails": ["bob@acme.example.com"], "company": "Acme"}
    (tmp_path / "people.jsonl").write_text("\n".join(map(json.dumps, [JANE, other])))
    assert command("import", "contacts", "people.jsonl").returncode == 0


@pytest.fixture
def traces(database_file):
    """Return a function that lists Jane's traces in the database file and its log."""

    def traces() -> list[tuple[str, bytes]]:
        files = [database_file, database_file.with_name(database_file.name + "-wal")]
        texts = {file.name: file.read_bytes().lower() for file in files if file.exists()}
        return [(name, trace) for name, text in texts.items() for trace in TRACES if trace in text]

    return traces


def test_the_files_of_a_served_database_contain_nothing_of_a_suppressed_person(
    imported, server, command, traces
):
    server.wait_until_searchable(1)
    assert traces()
    done = command.json("suppress", "--email", JANE["emails"][0])
    assert done == {"suppressed": True, "recordsRemoved": 1, "erased": True}
    assert traces() == []


def test_a_log_kept_by_an_open_reader_is_reported_and_erased_the_next_time(
    imported, database_file, database_url, traces, monkeypatch
):
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", database_url)
    monkeypatch.setattr(sqlite, "EMPTY_LOG_SECONDS", 0.0)
    words = ["suppress", "--email", JANE["emails"][0], "--json"]
    with closing(sqlite3.connect(database_file, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM contacts").fetchone()
        done = CliRunner().invoke(app, words)
        assert json.loads(done.stdout) == {"suppressed": True, "recordsRemoved": 1, "erased": False}
        assert f"{database_file}-wal may still contain" in " ".join(done.stderr.split())
    done = CliRunner().invoke(app, words)
    assert json.loads(done.stdout) == {"suppressed": True, "recordsRemoved": 0, "erased": True}
    assert traces() == []
