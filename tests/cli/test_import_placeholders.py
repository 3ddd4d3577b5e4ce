"""Imports of files with null markers in fields that identify records: nobody is merged by them."""

import json
from pathlib import Path

import pytest

from command_fixtures import InProcess, import_exit_code
from stored_records import stored_companies, stored_contacts

pytestmark = pytest.mark.any_database

CASES = Path(__file__).parent.parent / "ingest" / "cases"


def imported(in_process: InProcess, kind: str, path: Path, code: int | None = None) -> dict[str, object]:
    done = in_process("import", kind, str(path), "--json")
    report: dict[str, object] = json.loads(done.stdout)
    assert done.returncode == (import_exit_code(report) if code is None else code), done.stderr
    return report


def test_people_of_a_null_employer_are_set_aside_as_names_alone(in_process, tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes((CASES / "null_employers.csv").read_bytes())
    summary = imported(in_process, "contacts", path, 1)
    assert (summary["read"], summary["rejected"]) == (5, 5)
    reasons = {
        json.loads(line)["reason"] for line in Path(str(summary["rejectsFile"])).read_text().splitlines()
    }
    assert reasons == {"a name alone: no company, e-mail, linkedinUrl or sourceId"}


def test_null_markers_are_no_employer_title_or_number(in_process, database, tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes((CASES / "backslashN.csv").read_bytes())
    summary = imported(in_process, "contacts", path)
    assert (summary["created"], summary["rejected"], summary["unread"]) == (5, 1, {})
    people = {person.first_name: person for person, _ in stored_contacts(database).values()}
    assert sorted(people) == ["Ada", "Cy", "Dee", "Eve", "Fay"]
    assert [name for name, person in people.items() if person.job_title] == []
    assert {person.company and person.company.name for person in people.values()} == {"Nordhafen", None}


@pytest.mark.parametrize("marker", ["\\N", "#REF!", "[object Object]", "Err:502", "<NA>"])
def test_one_marker_as_id_of_many_rows_joins_nobody(in_process, database, tmp_path, marker):
    path = tmp_path / "people.csv"
    rows = [f"{marker},Ada{number},Lowe,a{number}@nordhafen.example" for number in range(3)]
    path.write_text("\n".join(["Contact Id,First Name,Last Name,Email", *rows]) + "\n")
    assert imported(in_process, "contacts", path)["created"] == 3
    assert len(stored_contacts(database)) == 3


@pytest.mark.parametrize("page", ["-", "--", "https://www.linkedin.com/company/-", "?"])
def test_companies_without_a_page_stay_apart(in_process, database, tmp_path, page):
    path = tmp_path / "companies.csv"
    rows = [f"Firm{number},firm{number}.example,{page}" for number in range(3)]
    path.write_text("\n".join(["Company Name,Website,Company LinkedIn Url", *rows]) + "\n")
    assert imported(in_process, "companies", path)["created"] == 3
    assert len(stored_companies(database)) == 3


def test_people_without_a_name_keep_their_addresses(in_process, database, tmp_path):
    path = tmp_path / "people.csv"
    rows = [f"N/A,N/A,p{number}@nordhafen.example,Nordhafen" for number in range(57)]
    path.write_text("\n".join(["First Name,Last Name,Email,Company", *rows]) + "\n")
    assert imported(in_process, "contacts", path)["created"] == 57
    assert {person.full_name for person, _ in stored_contacts(database).values()} == {None}


def test_companies_that_are_called_unknown_are_set_aside_unless_they_have_a_domain(
    in_process, database, tmp_path
):
    path = tmp_path / "companies.csv"
    rows = ["Unknown,,US", "nan,,DE", "#REF!,,FR", "Unknown,unknown-brewing.example,US"]
    path.write_text("\n".join(["Company Name,Website,Country", *rows]) + "\n")
    summary = imported(in_process, "companies", path)
    assert (summary["created"], summary["rejected"]) == (1, 3)
