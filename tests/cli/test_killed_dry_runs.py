"""Leftovers of a killed dry run: a copy of people's data outside the database."""

import json
import socket

import pytest

pytestmark = pytest.mark.sqlite

JANE = {
    "sourceId": "1",
    "fullName": "Jane Doe",
    "emails": ["jane@acme.example.com"],
    "company": "acme.example.com",
}

DRY_RUN = """
import signal, sys
from firmograph.database.connection import RECORDS, Database
from firmograph.database.dry_run import dry_run_database

with dry_run_database(Database(sys.argv[1]), RECORDS):
    print("copied", flush=True)
    signal.pause()
"""


@pytest.fixture
def copy(database_file):
    """Return where a dry run keeps its copy of the database."""
    return database_file.with_name(f".{database_file.name}.dry-run.part") / "copy.db"


@pytest.fixture
def begin_dry_run(start_program, database_url):
    """Return a function that starts a dry run that lasts until it is killed."""
    return lambda: start_program(DRY_RUN, database_url)


def test_a_suppression_removes_the_copy_of_a_killed_dry_run_and_nothing_in_use(
    begin_dry_run, in_process, tmp_path, copy
):
    command = in_process
    (tmp_path / "jane.jsonl").write_text(json.dumps(JANE))
    assert command("import", "contacts", "jane.jsonl").returncode == 0
    dry_run = begin_dry_run()
    assert dry_run.stdout.readline() == "copied\n"
    suppress = ("suppress", "--email", JANE["emails"][0])
    assert command(*suppress).returncode == 0
    assert copy.exists()
    dry_run.kill()
    dry_run.communicate(timeout=60)
    assert b"jane@acme" in copy.read_bytes()
    assert command(*suppress).returncode == 0
    leftovers = [path for path in tmp_path.rglob("*") if path.name != "jane.jsonl" and path.is_file()]
    assert [path for path in leftovers if b"jane@acme" in path.read_bytes()] == []
    assert not copy.parent.exists()


def test_a_worker_removes_the_copy_too(in_process, copy):
    copy.parent.mkdir(mode=0o700)
    copy.write_bytes(b"of a process that was killed")
    assert in_process("worker", "--once").returncode == 0
    assert not copy.parent.exists()


def test_a_server_removes_the_copy_too(in_process, copy):
    copy.parent.mkdir(mode=0o700)
    copy.write_bytes(b"of a process that was killed")
    with socket.create_server(("127.0.0.1", 0)) as other:
        # it opens its database before its port
        done = in_process("serve", "--port", str(other.getsockname()[1]))
    assert "is in use" in done.stderr
    assert not copy.parent.exists()


def test_an_irremovable_copy_is_reported_and_does_not_interfere(in_process, copy):
    copy.parent.write_bytes(b"no folder")
    done = in_process("worker", "--once")
    assert done.returncode == 0
    assert f"Warning: {copy.parent}, left by a dry run, cannot be removed: Not a directory" in done.stderr
