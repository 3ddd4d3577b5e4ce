"""`firmograph import --complete` and `firmograph privacy retention`."""

import json

import pytest


@pytest.fixture
def command(in_process):
    (in_process.folder / "people.csv").write_text(
        "First Name,Last Name,Email\nJane,Doe,jane@acme.example\nZoe,Roe,zoe@acme.example\n"
    )
    return in_process


def test_an_import_says_whether_it_counts_as_complete(command):
    assert json.loads(command("import", "contacts", "people.csv", "--complete", "--json").stdout)["complete"]
    assert "complete" not in json.loads(command("import", "contacts", "people.csv", "--json").stdout)
    (command.folder / "broken.csv").write_text(
        "First Name,Last Name,Email\nJane,Doe,jane@acme.example\n,,\nx,,\n"
    )
    done = command("import", "contacts", "broken.csv", "--complete")
    assert "Not counted as complete, as rows were rejected" in done.stdout


def test_a_dry_run_of_an_import_counts_for_nothing(command):
    assert command("import", "contacts", "people.csv").returncode == 0
    assert command("import", "contacts", "people.csv", "--complete", "--dry-run").returncode == 0
    found = command("privacy", "retention", "--dry-run", "--days", "1", "--json")
    assert json.loads(found.stdout) == {"contacts": 0, "sources": {}}


def test_retention_is_off_unless_days_are_set(command):
    assert command("import", "contacts", "people.csv").returncode == 0
    for options in ((), ("--dry-run",)):
        done = command("privacy", "retention", *options)
        assert (done.returncode, "Retention is off" in done.stderr) == (1, True)
    assert command("privacy", "retention", "--days", "3").returncode == 1
    on = {"FIRMOGRAPH_RETENTION_CONTACT_DAYS": "30"}
    assert "0 contacts would be removed." in command("privacy", "retention", "--dry-run", **on).stdout
    assert "0 contacts removed." in command("privacy", "retention", **on).stdout
