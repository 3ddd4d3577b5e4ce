"""`firmograph privacy`: requests of people, answered from the command line. All people are made up."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from command_fixtures import InProcess
from firmograph.cli.privacy import disk_erasure
from firmograph.database import sqlite
from firmograph.database.connection import Database
from firmograph.indexing.checkpoints import Checkpoints
from firmograph.prospecting.engines.memory.index_kind import MEMORY_SEARCH
from server_fixtures import Command

PEOPLE = """Id,Full Name,Email,LinkedIn Url,Phone,Company,Job Title
1,Jane Doe,jane@acme.example,,+12025550101,Acme,Clerk
2,Zoe Roe,zoe@acme.example,linkedin.com/in/zoe-roe-7,+12025550102,Acme,Head of Sales
3,Cy Coe,cy@acme.example,,+12025550103,Acme,
4,Di Poe,di@acme.example,,+12025550103,Acme,
5,Jane Doe,jd@acme.example,,,Acme,Cook
"""
IDENTIFIERS = [
    ("--email", "zoe@acme.example"),
    ("--linkedin", "https://www.linkedin.com/in/zoe-roe-7"),
    ("--phone", "+1 202 555 0102"),
    ("--name", "Zoe Roe", "--company", "Acme"),
]
VERBS = [("find",), ("export",), ("erase", "--yes"), ("opt-out",)]


@pytest.fixture
def command(tmp_path, database_url):
    command = InProcess(tmp_path, database_url)
    (tmp_path / "people.csv").write_text(PEOPLE)
    assert command("import", "contacts", "people.csv", "--source", "fair").returncode == 0
    return command


def found(command, *identifier):
    return command.json("privacy", "find", *identifier)["people"]


def content(command):
    """Return everything that is held, but for the log of people, which holds keyed hashes."""
    database = Database(command.database_url)
    try:
        session = database.session()
        tables = sorted(session.tables() - {"operator_actions", '"operator_actions"'})
        return {name: sorted(map(repr, session.raw.execute(f"SELECT * FROM {name}"))) for name in tables}
    finally:
        database.close()


# --- find ---


@pytest.mark.parametrize("identifier", IDENTIFIERS, ids=lambda given: given[0])
def test_a_person_is_found_by_each_identifier(command, identifier):
    (person,) = found(command, *identifier)
    assert person["name"] == "Zoe Roe, Head of Sales, Acme"
    assert found(command, "--id", person["ids"][0])[0]["records"] == person["records"]


def test_a_found_person_has_values_with_source_and_day_rows_places_and_recipients(command):
    (person,) = found(command, "--email", "zoe@acme.example")
    (record,) = person["records"]
    values = {each["path"]: each for each in record["values"]}
    assert (values["jobTitle.title"]["value"], values["jobTitle.title"]["source"]) == (
        "Head of Sales",
        "fair",
    )
    assert [row["sourceId"] for row in record["rows"]] == ["2"]
    places = {each["place"]: each for each in person["places"]}
    assert places["rows of sources"]["tables"] == {"contact_rows": 1}
    assert places["records"]["stays"] is None
    assert person["recipients"] == []


def test_several_people_of_one_name_are_listed(command):
    people = found(command, "--name", "Jane Doe", "--company", "Acme")
    assert sorted(each["name"] for each in people) == ["Jane Doe, Clerk, Acme", "Jane Doe, Cook, Acme"]
    assert all(each.keys() == {"name", "ids"} for each in people)


def test_of_an_identifier_that_nobody_has_nothing_is_held(command):
    (nobody,) = found(command, "--email", "nobody@acme.example")
    assert (nobody["records"], nobody["places"]) == ([], [])
    assert found(command, "--phone", "+12025550199") == []
    assert found(command, "--name", "No Body", "--company", "Acme") == []


# --- bad input ---


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
@pytest.mark.parametrize(
    ("identifier", "reason"),
    [
        (("--email", "no address"), "not an e-mail address"),
        (("--phone", "12"), "not a telephone number"),
        (("--linkedin", "example.com/zoe"), "not the URL of a LinkedIn profile"),
        (("--id", "v1.none"), "not the id of a contact"),
        (("--name", "Zoe Roe"), "--name and --company"),
        (("--company", "Acme"), "--name and --company"),
        (("--email", "zoe@acme.example", "--phone", "+12025550102"), "exactly one"),
        ((), "exactly one"),
    ],
    ids=str,
)
def test_an_identifier_that_is_none_is_one_line_and_changes_nothing(command, verb, identifier, reason):
    before = content(command)
    done = command("privacy", *verb, *identifier)
    assert done.returncode == 1
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1
    assert content(command) == before


@pytest.mark.parametrize("verb", VERBS[1:], ids=lambda verb: verb[0])
def test_several_people_are_refused_in_one_line_and_nothing_is_done(command, verb):
    before = content(command)
    done = command("privacy", *verb, "--phone", "+12025550103")
    assert done.returncode == 1
    assert done.stderr.startswith("Error: 2 people have this identifier, and nothing was done")
    assert content(command) == before


@pytest.mark.parametrize("verb", VERBS[2:], ids=lambda verb: verb[0])
def test_a_number_or_name_that_nobody_has_is_refused(command, verb):
    for identifier in (("--phone", "+12025550199"), ("--name", "No Body", "--company", "Acme")):
        done = command("privacy", *verb, *identifier)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert "nothing was done" in done.stderr


@pytest.mark.parametrize("verb", VERBS[2:], ids=lambda verb: verb[0])
@pytest.mark.parametrize("text", [None, "", "colour\nred\n", "\0\1\2\3"], ids=str)
def test_an_unreadable_file_is_one_line_and_nothing_is_done(command, verb, text):
    before = content(command)
    if text is not None:
        (command.folder / "list.csv").write_text(text)
    done = command("privacy", *verb, "--file", "list.csv")
    assert done.returncode == 1
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert content(command) == before


# --- export ---


def test_an_export_has_all_entries_and_is_readable_by_its_owner_alone(command):
    done = command("privacy", "export", "--email", "zoe@acme.example", "--output", "zoe.json")
    assert done.returncode == 0, done.stderr
    file = command.folder / "zoe.json"
    written = json.loads(file.read_bytes())
    assert written["format"] == "firmograph-person-1"
    (person,) = written["people"]
    entries = {table: rows for place in person["places"] for table, rows in place["tables"].items()}
    assert entries["contacts"][0]["record"]["emails"][0]["email"] == "zoe@acme.example"
    assert entries["contact_rows"][0]["source"] == "fair"
    assert file.stat().st_mode & 0o077 == 0
    again = command("privacy", "export", "--email", "zoe@acme.example", "--output", "zoe.json")
    assert (again.returncode, json.loads(file.read_bytes())) == (1, written)


def test_people_who_share_an_identifier_are_exported_together_on_request(command):
    done = command("privacy", "export", "--phone", "+12025550103", "--all")
    assert len(json.loads(done.stdout)["people"]) == 2


def test_nothing_is_exported_of_somebody_who_is_not_held(command):
    done = command("privacy", "export", "--email", "nobody@acme.example")
    assert (done.returncode, done.stdout) == (1, "")


# --- erase and opt-out ---


@pytest.mark.parametrize("verb", VERBS[2:], ids=lambda verb: verb[0])
@pytest.mark.parametrize("identifier", IDENTIFIERS, ids=lambda given: given[0])
def test_a_person_is_removed_and_kept_out_by_each_identifier(command, verb, identifier):
    done = command.json("privacy", *verb, *identifier)
    assert (done["recordsRemoved"], done.get("erased", True)) == (1, True)
    again = command("import", "contacts", "people.csv", "--source", "fair", "--json")
    assert json.loads(again.stdout)["suppressed"] == 1


def test_an_erasure_prints_what_went_what_stays_and_what_it_cannot_reach(command):
    done = command("privacy", "erase", "--email", "zoe@acme.example", "--yes")
    assert done.stdout.startswith("Erased Zoe Roe, Head of Sales, Acme: 1 record removed.")
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert ["records", "1", "", "gone"] in lines
    assert any(line[0] == "change sequence" and "number" in line[-1] for line in lines)
    assert "- backups, until they are removed; a restore brings nobody back" in done.stdout


def test_an_erasure_asks_first_and_a_piped_answer_counts(command, tmp_path):
    words = ("-m", "firmograph.cli.main", "privacy", "erase", "--email", "zoe@acme.example")

    def answer(text):
        return subprocess.run(
            [sys.executable, *words],
            cwd=tmp_path,
            env=command.environment,
            input=text,
            capture_output=True,
            text=True,
            timeout=60,
        )

    no = answer("n\n")
    assert (no.returncode, found(command, "--email", "zoe@acme.example")[0]["name"] is None) == (1, False)
    yes = answer("y\n")
    assert yes.returncode == 0, yes.stderr
    assert "Erase Zoe Roe, Head of Sales, Acme for good?" in yes.stderr
    assert found(command, "--email", "zoe@acme.example")[0]["name"] is None


def test_a_file_of_people_is_erased_and_lines_that_name_nobody_or_several_are_reported(command):
    (command.folder / "list.csv").write_text(
        "email,phone\nzoe@acme.example,\n,+12025550103\n,+12025550199\njane@acme.example,\n"
    )
    done = command("privacy", "erase", "--file", "list.csv", "--yes", "--json")
    assert done.returncode == 3
    report = json.loads(done.stdout)
    assert (report["suppressed"], report["recordsRemoved"], report["erased"]) == (2, 2, True)
    assert [one["line"] for one in report["failed"]] == [3, 4]


def test_a_file_beside_an_identifier_is_refused(command):
    done = command("privacy", "erase", "--file", "people.csv", "--email", "zoe@acme.example", "--yes")
    assert (done.returncode, "--file" in done.stderr) == (1, True)


def test_the_day_of_a_request_stands_in_the_log_and_cannot_be_in_the_future(command):
    refused = command("privacy", "opt-out", "--email", "zoe@acme.example", "--date", "2999-01-01")
    assert (refused.returncode, "future" in refused.stderr) == (1, True)
    assert command.json("privacy", "opt-out", "--email", "zoe@acme.example", "--date", "2026-01-05")
    (action,) = command.json("privacy", "log")["actions"]
    assert action["details"] == {"records": 1, "requested": "2026-01-05"}


# --- log ---


def test_the_log_has_what_was_asked_and_done_about_people_as_keyed_hashes(command):
    found(command, "--email", "zoe@acme.example")
    command("privacy", "export", "--email", "zoe@acme.example")
    command("suppress", "--email", "jane@acme.example")
    command("account", "create", "acme")
    command("privacy", "erase", "--email", "zoe@acme.example", "--yes")
    actions = command.json("privacy", "log")["actions"]
    names = ["privacy find", "privacy export", "suppress", "privacy erase"]
    assert [each["action"] for each in actions] == names
    about_zoe = command.json("privacy", "log", "--email", "zoe@acme.example")["actions"]
    assert [each["action"] for each in about_zoe] == [names[0], names[1], names[3]]
    assert len({each["person"] for each in about_zoe}) == 1
    assert "zoe" not in json.dumps(actions)


# --- off the disk ---


@pytest.mark.sqlite
def test_a_reader_of_an_earlier_state_is_named_after_the_wait(command, database_file, monkeypatch):
    monkeypatch.setattr(sqlite, "EMPTY_LOG_SECONDS", 0.0)
    monkeypatch.setattr(disk_erasure, "WAIT_SECONDS", 0.0)
    with closing(sqlite3.connect(database_file, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM contacts").fetchone()
        done = command("privacy", "erase", "--email", "zoe@acme.example", "--yes", "--json")
    assert done.returncode == 3
    report = json.loads(done.stdout)
    assert (report["recordsRemoved"], report["erased"]) == (1, False)
    (keeping,) = report["keeping"]
    assert keeping.startswith(f"{database_file} and {database_file}-wal: another process")
    again = command.json("privacy", "erase", "--email", "zoe@acme.example", "--yes")
    assert (again["recordsRemoved"], again["erased"]) == (0, True)


@pytest.mark.postgresql
def test_a_session_that_reads_an_earlier_state_is_named_after_the_wait(command, monkeypatch):
    monkeypatch.setattr(disk_erasure, "WAIT_SECONDS", 0.0)
    database = Database(command.database_url)
    with database.read() as session:
        session.raw.execute("SELECT count(*) FROM contacts")
        done = command("privacy", "erase", "--email", "zoe@acme.example", "--yes", "--json")
    database.close()
    assert done.returncode == 3
    (keeping,) = json.loads(done.stdout)["keeping"]
    assert keeping.endswith("1 of its sessions read an earlier state")
    assert command.json("privacy", "erase", "--email", "zoe@acme.example", "--yes")["erased"] is True


def test_an_index_that_another_process_writes_is_named_after_the_wait(command, monkeypatch):
    monkeypatch.chdir(command.folder)
    monkeypatch.setattr(disk_erasure, "WAIT_SECONDS", 0.0)
    assert command("index").returncode == 0
    database = Database(command.database_url)
    checkpoints = Checkpoints(MEMORY_SEARCH, database)
    with checkpoints.locked():
        done = command("privacy", "erase", "--email", "zoe@acme.example", "--yes", "--json")
    database.close()
    assert done.returncode == 3
    (keeping,) = json.loads(done.stdout)["keeping"]
    assert keeping.endswith(".search: another process writes it")


def test_each_command_runs_in_a_new_process(tmp_path, database_url):
    command = Command(tmp_path, database_url)
    InProcess(tmp_path, database_url)("account", "create", "acme")
    done = command("privacy", "erase", "--email", "zoe@acme.example", "--yes")
    assert done.returncode == 0, done.stderr
    assert command("privacy", "log").returncode == 0
