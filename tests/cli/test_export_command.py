"""`firmograph export`: merged records in files, and what changed since an earlier export."""

import csv
import json
import os
import re
from functools import partial

import openpyxl
import pytest
from prospect_command import PEOPLE, Stocked
from pyarrow import parquet
from typer.testing import CliRunner

import database_fixtures
from firmograph.cli import audit, export, ingest
from firmograph.cli.privacy import suppression
from firmograph.cli.prospect import search
from firmograph.kit.table_files import formats

RICH = {
    "sourceId": "9",
    "firstName": "=Eve",
    "lastName": "Doe-Smith",
    "fullName": "Eve Doe-Smith",
    "jobTitle": {"title": "Head of R&D", "startDate": "2024-02-01"},
    "company": {"name": "Cedar SA", "domain": "cedar.example.com", "countryIso2": "FR"},
    "emails": [{"email": f"eve{n}@cedar.example.com", "type": "work"} for n in range(6)],
    "phones": [{"number": f"+3314000000{n}", "type": "direct", "doNotCall": n == 5} for n in range(6)],
    "location": {"country": "France", "city": "Paris", "zipCode": "75001"},
    "socialLinks": {"linkedin": "https://www.linkedin.com/in/eve-doe", "xUrl": "https://x.com/eve"},
    "linkedinConnections": 500,
    "skills": ["Go", "Rust, of course"],
    "previousEmails": ["eve@old.example.com"],
    "previousEmployment": [{"company": "Old Inc", "jobTitle": "Engineer"}],
    "education": [{"school": "ETH", "graduationYear": 2010}],
    "tags": [{"id": "t1", "name": "Fair", "color": "#112233"}],
    "updateDate": "2026-03-01",
}
ACME = {"domain": "acme.example.com", "updateDate": "2030-01-01"}
COMPANY = {
    "sourceId": "c1",
    "name": "Cedar SA",
    "alternativeNames": ["Cedar", "Cèdre"],
    "domain": "cedar.example.com",
    "description": "Trees;\nand more | of them",
    "companyType": "Private Company",
    "yearFounded": 1998,
    "employeeCount": {"min": 201, "max": 500},
    "revenueRange": {"min": 1_000_000_000},
    "industry": "Finance",
    "technologies": ["Argo CD", "Thanos"],
    "sicCodes": [7372],
    "location": {"country": "France", "city": "Paris"},
    "phones": ["+33140000001", "+33140000002"],
    "emails": ["info@cedar.example.com"],
    "funding": {"rounds": [{"roundType": "Seed", "roundAmount": 5}], "totalRounds": 1, "isIpo": False},
    "openJobs": {"total": 4},
    "directParent": {"name": "Holding", "domain": "holding.example.com"},
    "competitors": [{"name": "Birch GmbH", "domain": "birch.example.com"}],
    "stockSymbols": ["CED"],
    "updateDate": "2026-03-01",
}


def invoke(stocked, app, *words):
    with pytest.MonkeyPatch.context() as patch:
        # logging is configured for a whole process, and this one continues
        patch.setattr(search, "set_up_logs", lambda level: None)
        return CliRunner().invoke(app, [str(word) for word in words], env=stocked.environment)


def exported(stocked, kind, file, *words):
    """Export to a file and return what `--json` prints."""
    done = invoke(stocked, export.app, kind, file, "--json", *words)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def lines(stocked, kind, *words):
    """Return the records of a kind as JSON Lines has them."""
    done = invoke(stocked, export.app, kind, "-", "--format", "jsonl", *words)
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def imported(stocked, kind, path, *rows, source="default"):
    if rows:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = invoke(stocked, ingest.app, kind, path, "--source", source)
    assert done.exit_code == 0, done.output


def csv_rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def fresh(tmp_path):
    """Return an empty database with the same keys as no other."""
    folder = tmp_path / "fresh"
    folder.mkdir()
    stocked = Stocked(database_fixtures.fresh(folder), folder)
    yield stocked
    database_fixtures.drop(stocked.url)


@pytest.fixture
def file(tmp_path):
    return lambda name: tmp_path / name


# --- all ---


@pytest.mark.parametrize("kind", ["contacts", "companies"])
def test_an_export_is_in_the_audit_with_its_number_of_records(stocked, file, kind):
    done = exported(stocked, kind, file("records.csv"))
    (action,) = json.loads(invoke(stocked, audit.app, "--limit", "1", "--json").stdout)["actions"]
    assert (action["action"], action["details"]) == (f"export {kind}", {kind: done[kind]})


def test_all_contacts_come_with_emails_and_phones_and_the_number_that_was_reached(stocked, file):
    done = exported(stocked, "contacts", file("people.csv"))
    assert done == {
        "file": str(file("people.csv")),
        "contacts": len(PEOPLE),
        "deleted": 0,
        "reached": done["reached"],
    }
    ann = csv_rows(file("people.csv"))[0]
    assert (ann["emails.0.email"], ann["emails.0.type"]) == ("ann@acme.example.com", "work")
    phone = [ann[f"phones.0.{part}"] for part in ("number", "type", "doNotCall")]
    assert phone == ["+12025550101", "mobile", "true"]
    assert (ann["company.name"], ann["company.domain"]) == ("Acme Inc", "acme.example.com")
    assert ann["company.id"] in {company["id"] for company in lines(stocked, "companies")}
    assert file("people.csv").stat().st_mode & 0o777 == 0o600
    printed = invoke(stocked, export.app, "contacts", file("again.csv")).stderr
    assert printed == (f"4 contacts written to {file('again.csv')}\nThis export reached {done['reached']}\n")


@pytest.mark.any_database
@pytest.mark.parametrize("kind", ["contacts", "companies"])
def test_parquet_and_excel_have_the_cells_of_csv(stocked, file, kind):
    for format in ("csv", "parquet", "xlsx"):
        exported(stocked, kind, file(f"all.{format}"))
    texts = csv_rows(file("all.csv"))
    head, *rows = openpyxl.load_workbook(file("all.xlsx")).active.iter_rows(values_only=True)
    table = parquet.read_table(file("all.parquet")).to_pylist()
    assert len(rows) == len(table) == len(texts)
    for text, row, fields in zip(texts, rows, table, strict=True):
        assert {name: as_text(value) for name, value in zip(head, row, strict=True)} == text
        assert {name: as_text(value) for name, value in fields.items()} == text


def as_text(value):
    if isinstance(value, list):
        return "; ".join(value)
    if isinstance(value, float):
        return f"{value:.15g}"
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


# --- the way back ---


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("format", "without"),
    [
        ("jsonl", ()),
        ("csv", ("previousEmployment", "education", "tags")),
        ("xlsx", ("previousEmployment", "education", "tags")),
        ("parquet", ("previousEmployment", "education", "tags")),
    ],
)
def test_exported_contacts_are_the_same_once_imported(own, fresh, file, format, without):
    imported(own, "contacts", file("rich.jsonl"), RICH)
    exported(own, "contacts", file(f"people.{format}"))
    imported(fresh, "contacts", file(f"people.{format}"))
    before, after = ([comparable(one, without) for one in lines(each, "contacts")] for each in (own, fresh))
    assert len(before) == len(PEOPLE) + 1
    if format != "jsonl":
        # what has no columns of its own shares the last ones
        for number in before[-1]["phones"][3:]:
            number["doNotCall"] = True
    assert after == before


def comparable(record, without=()):
    """Return a record without ids, and without fields that a format lacks."""
    record = {name: value for name, value in record.items() if name not in ("id", *without)}
    if "company" in record:
        record["company"] = {name: value for name, value in record["company"].items() if name != "id"}
    return record


@pytest.mark.any_database
@pytest.mark.parametrize("format", ["jsonl", "csv", "xlsx", "parquet"])
def test_exported_companies_are_the_same_once_imported(own, fresh, file, format):
    imported(own, "companies", file("rich.jsonl"), COMPANY)
    exported(own, "companies", file(f"all.{format}"))
    imported(fresh, "companies", file(f"all.{format}"))
    lacking = () if format == "jsonl" else ("competitors",)

    def found(stocked):
        (cedar,) = (one for one in lines(stocked, "companies") if one.get("domain") == "cedar.example.com")
        if lacking:
            cedar["funding"].pop("rounds", None)
        return comparable(cedar, lacking)

    assert found(fresh) == found(own)


# --- filters, sources ---


@pytest.mark.any_database
def test_filters_are_those_of_prospect(stocked):
    def first_names(*filters):
        return [one["firstName"] for one in lines(stocked, "contacts", *filters)]

    assert first_names("--title", "sales", "--has", "phone") == ["Ann", "Dee"]
    assert first_names("--title", "sales", "--exclude-dnc") == ["Dee"]
    assert [one["name"] for one in lines(stocked, "companies", "--country", "Germany")] == ["Birch GmbH"]


def test_the_source_of_each_value_is_shown_on_demand(own, file):
    addresses = ["ann@acme.example.com", "ann.roe@acme.example.com"]
    newer = {"sourceId": "x", "emails": addresses, "jobTitle": "CRO", "company": "acme.example.com"}
    imported(own, "contacts", file("fair.jsonl"), {**newer, "updateDate": "2030-01-01"}, source="fair")
    exported(own, "contacts", file("people.csv"), "--sources")
    ann = csv_rows(file("people.csv"))[0]
    assert [ann[f"emails.{slot}.email source"] for slot in range(3)] == ["fair", "fair", ""]
    assert {
        ann[f"{name} source"] for name in ("firstName", "phones.0.number", "location.city", "skills")
    } == {"default"}
    imported(own, "companies", file("more.jsonl"), {**ACME, "technologies": ["Kafka"]}, source="fair")
    exported(own, "companies", file("all.csv"), "--sources")
    acme = csv_rows(file("all.csv"))[0]
    assert (acme["technologies"], acme["technologies source"]) == ("Kafka; Argo CD; Thanos", "fair; default")
    (ann, *_) = lines(own, "contacts", "--sources")
    assert ann["sources"]["emails.1"] == {"source": "fair", "day": "2030-01-01"}
    assert ann["sources"]["firstName"]["source"] == "default"


def test_texts_that_look_like_formulas_are_made_harmless_unless_raw(own, file):
    imported(own, "contacts", file("rich.jsonl"), RICH)
    for words, shown in (((), "'=Eve"), (("--raw",), "=Eve")):
        exported(own, "contacts", file("people.csv"), "--force", *words)
        assert csv_rows(file("people.csv"))[-1]["firstName"] == shown


# --- changes ---


def test_only_changes_come_since_an_earlier_export_with_the_ids_of_deleted_people(own, file):
    first = exported(own, "contacts", file("first.jsonl"))["reached"]
    ids = {one["firstName"]: one["id"] for one in lines(own, "contacts")}
    assert lines(own, "contacts", "--since", first) == []
    for title in ("CTO", "CIO"):
        imported(
            own, "contacts", file("new.jsonl"), {**PEOPLE[1], "jobTitle": title, "updateDate": "2030-01-01"}
        )
    assert invoke(own, suppression.app, "suppress", "--email", "ann@acme.example.com").exit_code == 0
    changed = lines(own, "contacts", "--since", first)
    assert changed[0] == {"id": ids["Ann"], "deleted": True}
    assert [(one["id"], one["jobTitle"]["title"]) for one in changed[1:]] == [(ids["Bea"], "CIO")]
    done = exported(own, "contacts", file("changes.csv"), "--since", first)
    assert (done["contacts"], done["deleted"]) == (1, 1)
    assert [(row["id"], row["deleted"], row["firstName"]) for row in csv_rows(file("changes.csv"))] == [
        (ids["Ann"], "true", ""),
        (ids["Bea"], "", "Bea"),
    ]
    assert lines(own, "contacts", "--since", done["reached"]) == []
    assert "Ann" not in {one["firstName"] for one in lines(own, "contacts")}
    # deleted rows name nobody
    imported(own, "contacts", file("changes.csv"), source="copy")


@pytest.mark.any_database
def test_an_employer_has_the_name_of_its_own_record(own, file):
    imported(
        own,
        "companies",
        file("new.jsonl"),
        {"name": "Acme Ltd", "domain": "acme.example.com", "updateDate": "2030-01-01"},
    )
    assert lines(own, "contacts")[0]["company"]["name"] == "Acme Ltd"


# --- refusals ---


def refusal(done):
    assert done.exit_code == 1
    return str(done.exception)


@pytest.mark.any_database
def test_an_existing_file_stays_unless_it_is_to_be_replaced(stocked, file):
    file("people.csv").write_text("mine")
    run = partial(invoke, stocked, export.app, "contacts", file("people.csv"))
    assert "already exists; choose another name, or replace it with --force" in refusal(run())
    assert file("people.csv").read_text() == "mine"
    assert run("--force").exit_code == 0
    assert len(csv_rows(file("people.csv"))) == 4


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("people.doc",), "people.doc has no known ending; give --format csv, --format jsonl"),
        (("-",), "standard output has no name; give --format csv"),
        (("-", "--format", "xlsx"), "Excel is written to a file only"),
        (("none/people.csv",), "none/people.csv cannot be written: No such file or directory"),
        (("x.csv", "--since", "999999999"), "The database has reached "),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_line(stocked, words, problem, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert problem in refusal(invoke(stocked, export.app, "contacts", *words))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("x.csv", "--since", "1", "--title", "sales"), "--since: cannot be combined with filters"),
        (("-", "--format", "csv", "--json"), "--json: standard output has the records"),
        (("x.csv", "--since", "-1"), "--since"),
    ],
)
def test_options_that_do_not_fit_are_wrong_usage(stocked, words, problem):
    done = invoke(stocked, export.app, "contacts", *words)
    assert done.exit_code == 2
    assert problem in re.sub(r"[\s│]+", " ", done.stderr).replace("'", "")


@pytest.mark.any_database
def test_excel_refuses_more_rows_than_a_sheet_has_before_it_writes(stocked, file, monkeypatch):
    monkeypatch.setattr(formats, "EXCEL_ROWS", 3)
    for words in ((), ("--title", "sales", "--title", "engineer")):
        refused = refusal(invoke(stocked, export.app, "contacts", file("people.xlsx"), *words))
        assert refused.startswith("Excel holds 3 rows below the header, and these are 4; choose CSV")
    assert not file("people.xlsx").exists()


@pytest.mark.any_database
@pytest.mark.parametrize("name", ["people.csv", "people.xlsx", "people.parquet"])
def test_a_full_disk_leaves_nothing(stocked, tmp_path, name):
    # a limit on file sizes fails as a full disk does; the database needs room until the file is begun
    limited = (
        "import resource, sys; from firmograph.cli import export, main; write = export._write\n"
        "def limit(*words): resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); write(*words)\n"
        f"export._write = limit; sys.argv = ['firmograph', 'export', 'contacts', {str(tmp_path / name)!r}]; main.run()"
    )
    done = stocked.forked_line(["-c", limited])
    assert done.returncode == 1
    assert done.stderr == f"Error: {tmp_path / name} cannot be written: File too large\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.any_database
def test_a_closed_pipe_ends_an_export_quietly(stocked):
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb") as closed:
        done = stocked.forked("export", "contacts", "-", "--format", "csv", stdout=closed)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_the_command_of_a_new_python_exports(stocked, file):
    done = stocked.command("export", "companies", str(file("all.parquet")))
    assert done.returncode == 0, done.stderr
    assert parquet.read_table(file("all.parquet"))["name"].to_pylist() == ["Acme Inc", "Birch GmbH"]
