"""`firmograph record`: rows are shown, and a record of two different people becomes two."""

import json

import pytest

from command_fixtures import InProcess
from firmograph.bootstrap.keyring import ensure_keyring
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.settings import load_settings

pytestmark = pytest.mark.any_database

PEOPLE = [
    {
        "sourceId": "1",
        "firstName": "Jane",
        "lastName": "Roe",
        "emails": ["jroe@acme.example", "jane@acme.example"],
    },
    {"sourceId": "2", "firstName": "J.", "lastName": "Roe", "emails": ["jroe@acme.example"]},
]


@pytest.fixture
def loaded(tmp_path, database_url, monkeypatch):
    command = InProcess(tmp_path, database_url)
    path = tmp_path / "people.jsonl"
    path.write_text("\n".join(map(json.dumps, PEOPLE)))
    assert command.json("import", "contacts", str(path))["created"] == 1
    return command


@pytest.fixture
def id(loaded, database, monkeypatch):
    for name, value in loaded.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(loaded.folder)
    return RecordIds(ensure_keyring(load_settings(), database)).seal(Entity.CONTACT, 1)


def last_line(done):
    return done.stderr.splitlines()[-1]


def test_a_record_is_shown_and_split(loaded, id):
    shown = loaded("record", "show", id)
    assert f"Contact {id}: 2 rows\n" in shown.stderr
    head, *rows = (line.split("\t") for line in shown.stdout.splitlines())
    assert head == ["ROW", "DAY", "VERSIONS", "KEYS"]
    assert [(row[0], row[3].split("; ")[0]) for row in rows] == [
        ("default/1", "sourceId 1"),
        ("default/2", "sourceId 2"),
    ]
    done = loaded("record", "split", id, "--row", "default/1").stdout
    assert "Moved default/1 to the new contact v1." in done
    assert f"{id} keeps default/2" in done
    rows = json.loads(loaded("record", "show", id, "--json").stdout.splitlines()[-1])["rows"]
    assert [row["row"] for row in rows] == ["default/2"]
    again = loaded.json("import", "contacts", str(loaded.folder / "people.jsonl"))
    assert (again["unchanged"], again["created"]) == (2, 0)
    assert loaded.json("index")["contacts"] == 2


def test_a_record_is_shown_with_the_source_and_day_of_each_value(loaded, id, tmp_path):
    path = tmp_path / "fair.jsonl"
    row = {"sourceId": "7", "emails": ["jroe@acme.example"], "skills": ["Go"], "updateDate": "2030-01-02"}
    path.write_text(json.dumps(row))
    loaded.json("import", "contacts", str(path), "--source", "fair")
    shown = json.loads(loaded("record", "show", id, "--json").stdout.splitlines()[-1])
    found = {each["path"]: (each["value"], each["source"]) for each in shown["values"]}
    assert found["skills"] == (["Go"], "fair")
    assert found["lastName"] == ("Roe", "default")
    assert found["emails.0.email"] == ("jroe@acme.example", "fair")
    assert found["emails.1.email"] == ("jane@acme.example", "default")
    assert {each["day"] for each in shown["values"] if each["source"] == "fair"} == {"2030-01-02"}


def test_a_split_prints_its_result_alone_and_is_in_the_audit(loaded, id):
    done = loaded("record", "split", id, "--row", "default/1")
    assert done.stderr == ""
    (action,) = loaded.json("audit")["actions"]
    assert (action["action"], action["details"]) == ("record split", {"kind": "contact", "rows": 1})


def test_an_unknown_row_is_refused_in_one_line(loaded, id):
    done = loaded("record", "split", id, "--row", "default/3")
    assert done.returncode == 1
    assert last_line(done) == "Error: The record has no row default/3. Its rows are default/1, default/2"


def test_a_record_is_shown_by_an_email_and_who_is_unknown_is_said_in_one_line(loaded, id):
    assert f"Contact {id}: 2 rows\n" in loaded("record", "show", "Jane@acme.example").stderr
    for given, problem in (
        (
            "nobody@acme.example",
            "No single contact has 'nobody@acme.example'; find it with `firmograph prospect",
        ),
        ("linkedin.com/in/nobody-7", "No single contact has 'linkedin.com/in/nobody-7'"),
        ("nobody.example", "No single company has 'nobody.example'"),
        ("nobody", "'nobody' is no record id, e-mail, LinkedIn URL or domain"),
    ):
        done = loaded("record", "show", given)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert done.stderr.startswith(f"Error: {problem}")
    loaded("suppress", "--email", "jane@acme.example")
    assert "is suppressed" in loaded("record", "show", "jane@acme.example").stderr
