"""Imports of files with quotation marks that are not closed: no other row is lost."""

import json
from pathlib import Path

import pytest

from command_fixtures import InProcess, import_exit_code
from firmograph.database.connection import Database
from stored_records import stored_companies, stored_contacts

pytestmark = pytest.mark.any_database

CASES = Path(__file__).parents[1] / "ingest" / "cases"
PEOPLE = [f"P{number},Quill{number},p{number}@nordhafen.example,Nordhafen,CFO" for number in range(30)]
STRAY = 'Ada,Lowe,ada@nordhafen.example,"Nordhafen,COO'


@pytest.fixture
def people_file(tmp_path):
    path = tmp_path / "people.csv"
    lines = ["First Name,Last Name,Email,Company,Job Title", *PEOPLE[:3], STRAY, *PEOPLE[3:]]
    path.write_text("\n".join(lines) + "\n")
    return path


def imported(in_process: InProcess, *words: object) -> dict[str, object]:
    done = in_process("import", *map(str, words), "--json")
    report: dict[str, object] = json.loads(done.stdout)
    assert done.returncode == import_exit_code(report), done.stderr
    return report


def test_all_people_of_a_file_are_read_and_the_repaired_line_is_named(in_process, database, people_file):
    summary = imported(in_process, "contacts", people_file)
    assert (summary["created"], summary["rejected"]) == (31, 0)
    assert summary["repaired"] == {"count": 1, "lines": [5]}
    assert len(stored_contacts(database)) == 31


@pytest.mark.parametrize(
    ("name", "people", "line"),
    [("unclosed_2000.csv", 2001, 5), ("semi.csv", 3, 2), ("stray.csv", 3, 2), ("tabs.tsv", 3, 2)],
)
def test_of_a_file_with_one_mark_everybody_is_read(in_process, tmp_path, name, people, line):
    path = tmp_path / name
    path.write_bytes((CASES / name).read_bytes())
    summary = imported(in_process, "contacts", path)
    assert (summary["created"], summary["rejected"]) == (people, 0)
    assert summary["repaired"] == {"count": 1, "lines": [line]}
    assert imported(in_process, "contacts", path, "--preview")["repaired"] == {"count": 1, "lines": [line]}


def test_the_summary_for_people_names_the_line(in_process, people_file):
    done = in_process("import", "contacts", str(people_file))
    assert "Rows repaired: 1, lines 5\n" in done.stdout


def test_companies_and_facts_are_read_alike(in_process, database: Database, tmp_path):
    companies = tmp_path / "companies.csv"
    firms = "".join(f"Firm{number},firm{number}.example,Anvils\n" for number in range(6))
    companies.write_text(f'Name,Website,Description\nAcme,acme.example,"Anvils\n{firms}')
    assert imported(in_process, "companies", companies)["repaired"] == {"count": 1, "lines": [2]}
    assert len(stored_companies(database)) == 7
    facts = tmp_path / "headcounts.csv"
    days = "".join(f"acme.example,2025-0{month}-01,{month}0\n" for month in range(2, 9))
    facts.write_text(f'company,date,count\n"acme.example,2025-01-01,10\n{days}')
    summary = imported(in_process, "headcounts", facts)
    assert (summary["read"], summary["repaired"]) == (8, {"count": 1, "lines": [2]})


def test_a_preview_shows_every_row(in_process, people_file):
    view = imported(in_process, "contacts", people_file, "--preview")
    assert view["rows"] == 31
