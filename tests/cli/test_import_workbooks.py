"""Imports of files whose outcome the commands report: sheets, joined exports, lists of JSON. All people are made up."""

import json
from pathlib import Path

import pytest

from command_fixtures import InProcess
from firmograph.database.connection import Database
from stored_records import stored_contacts

pytestmark = pytest.mark.any_database

CASES = Path(__file__).parents[1] / "ingest" / "cases"


def import_case(in_process: InProcess, name: str) -> dict[str, object]:
    rejects = in_process.folder / "rejects.jsonl"
    done = in_process("import", "contacts", str(CASES / name), "--json", "--rejects", str(rejects))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(("name", "others"), [("hidden.xlsx", "lists (hidden)"), ("cover.xlsx", "Read me")])
def test_the_sheets_that_are_not_read_are_named(in_process, database: Database, name, others):
    done = in_process("import", "contacts", str(CASES / name))
    assert f"sheet 'Contacts' is read, not {others}; --sheet NAME reads another" in done.stderr
    assert len(stored_contacts(database)) == 1


def test_a_preview_names_the_sheets_that_are_not_read(in_process):
    done = in_process("import", "contacts", str(CASES / "cover.xlsx"), "--preview")
    assert "sheet 'Contacts' is read, not Read me; --sheet NAME reads another" in done.stderr
    done = in_process("import", "contacts", str(CASES / "cover.xlsx"), "--preview", "--json")
    assert json.loads(done.stdout)["otherSheets"] == ["Read me"]


@pytest.mark.parametrize(
    ("name", "created"),
    [
        ("concat_bom.csv", 3),
        ("wrapped.json", 2),
        ("jsonl_variants.jsonl", 2),
        ("macosx.zip", 2),
        ("invisible.csv", 2),
    ],
)
def test_each_person_of_a_file_is_imported(in_process, database: Database, name, created):
    summary = import_case(in_process, name)
    assert (summary["read"], summary["created"], summary["rejected"]) == (created, created, 0)
    assert len(stored_contacts(database)) == created


def test_the_list_that_is_read_and_the_others_are_named(in_process, tmp_path):
    people = [{"fullName": "Ada Lowe", "emails": "ada@nordhafen.example"}]
    (tmp_path / "a.json").write_text(json.dumps({"links": [{"rel": "next"}], "people": people}))
    done = in_process("import", "contacts", str(tmp_path / "a.json"))
    assert "the list 'people' is read, not links" in done.stderr
    assert done.returncode == 0


def test_an_invisible_character_makes_no_second_person(in_process, database: Database, tmp_path):
    assert import_case(in_process, "invisible.jsonl")["created"] == 2
    plain = tmp_path / "plain.jsonl"
    plain.write_text('{"sourceId": "9", "fullName": "Ada Lowe", "company": "Nordhafen"}\n')
    done = in_process("import", "contacts", str(plain), "--source", "other", "--json")
    assert json.loads(done.stdout)["created"] == 0
    assert len(stored_contacts(database)) == 2


def test_a_vcard_is_refused_with_advice(in_process):
    done = in_process("import", "contacts", str(CASES / "cards.vcf"))
    assert done.returncode == 1
    assert "is a vCard file; export the address book as CSV instead" in done.stderr
