"""Output of `firmograph prospect`: a table, CSV, JSON Lines or JSON, on the screen or in a file."""

import csv
import json
import re
from io import StringIO

import pytest
from prospect_command import SALES, person, refusal, runner
from typer.testing import CliRunner

from command_fixtures import Terminal
from firmograph.cli import ingest
from firmograph.cli.prospect import commands
from firmograph.cli.prospect.filters import COMPANIES, CONTACTS
from firmograph.cli.prospect.output import OutputFormat, TableLayout, write_previews
from firmograph.prospecting import service
from firmograph.security.record_ids import Entity

pytestmark = pytest.mark.any_database


def test_a_table_shows_the_first_rows_and_the_exact_total(run):
    done = run(*SALES, "--limit", 1, "--ids")
    heads, row = (line.split("\t") for line in done.stdout.splitlines())
    assert heads == ["NAME", "TITLE", "COMPANY", "DOMAIN", "COUNTRY", "LINKEDIN", "ID"]
    assert row[:5] == ["Ann Roe", "VP of Sales", "Acme Inc", "acme.example.com", "United States"]
    assert re.fullmatch(r"v1\.\S{32}", row[-1])
    assert done.stderr == "1 of 2 contacts\n"


def test_an_empty_result_is_reported(run):
    done = run("contacts", "--title", "astronaut")
    assert done.stdout.splitlines() == ["NAME\tTITLE\tCOMPANY\tDOMAIN\tCOUNTRY\tLINKEDIN"]
    assert done.stderr == "No contacts match\n"


def test_csv_json_lines_and_json_contain_the_same_rows_in_the_same_order(run):
    whole = json.loads(run(*SALES, "--json").stdout)["results"]
    lines = run(*SALES, "--format", "jsonl")
    assert [json.loads(line) for line in lines.stdout.splitlines()] == whole
    assert lines.stderr == "2 of 2 contacts\n"
    table = list(csv.DictReader(StringIO(run(*SALES, "--format", "csv").stdout)))
    assert [row["id"] for row in table] == [row["id"] for row in whole]
    assert table[0] | {"id": "", "companyId": ""} == {
        "id": "",
        "firstName": "Ann",
        "lastName": "Roe",
        "jobTitle": "VP of Sales",
        "seniority": "Vice President",
        "departments": "Sales",
        "companyId": "",
        "companyName": "Acme Inc",
        "companyDomain": "acme.example.com",
        "companyIndustry": "Technology, Information & Media",
        "country": "United States",
        "state": "Ohio",
        "city": "Columbus",
        "linkedinUrl": "https://www.linkedin.com/in/ann-roe",
    }


def test_companies_have_columns_of_their_own(run):
    table = csv.DictReader(StringIO(run("companies", "--technology", "thanos", "--format", "csv").stdout))
    companies = {row["name"]: (row["domain"], row["employeeCount"], row["country"]) for row in table}
    assert companies == {
        "Acme Inc": ("acme.example.com", "120", "United States"),
        "Birch GmbH": ("birch.example.com", "11-50", "Germany"),
    }


def test_previews_show_neither_emails_nor_phones(run):
    done = run("contacts", "--name", "ann", "--json")
    assert json.loads(done.stdout)["results"][0]["has"]
    assert "ann@acme" not in done.stdout
    assert "5550101" not in done.stdout


def test_the_number_of_people_per_company_is_limited(run):
    words = ("contacts", "--title", "sales", "--title", "engineer", "--max-per-company", 1)
    found = json.loads(run(*words, "--json").stdout)
    assert found["total"] == 2
    assert len({row["company"]["name"] for row in found["results"]}) == 2


def test_the_suffix_of_a_file_chooses_its_format(run, tmp_path):
    assert run(*SALES, "--output", tmp_path / "people.jsonl").stdout == ""
    assert run(*SALES, "--output", tmp_path / "people.CSV").stderr == "2 of 2 contacts\n"
    assert run(*SALES, "--output", tmp_path / "people.txt", "--json").stdout == ""
    assert len((tmp_path / "people.jsonl").read_text().splitlines()) == 2
    assert (tmp_path / "people.CSV").read_text().startswith("id,firstName,")
    assert json.loads((tmp_path / "people.txt").read_text())["total"] == 2
    assert len(list(tmp_path.iterdir())) == 3


def test_an_unwritable_file_is_refused_and_nothing_is_left(run, tmp_path):
    (tmp_path / "people.csv").mkdir()
    assert "people.csv cannot be written" in refusal(run(*SALES, "--output", tmp_path / "people.csv"))
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_long_exports_show_a_bar_on_a_terminal_and_contain_every_row(run, stocked, tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "_PROGRESS_THRESHOLD", 1)
    monkeypatch.setattr(service, "_BATCH", 1)
    words = ("contacts", "--title", "sales", "--title", "engineer", "--all", "--format", "jsonl")
    done = run(*words)
    assert {json.loads(line)["firstName"] for line in done.stdout.splitlines()} == {"Ann", "Bea", "Cy", "Dee"}
    assert done.stderr == "4 of 4 contacts\n"
    terminal = Terminal(tmp_path, stocked.url)
    shown = terminal("prospect", *words, "--output", "people.jsonl", **stocked.environment)
    assert re.search(r"^Writing .*4/4", shown.stderr, re.MULTILINE)


@pytest.mark.parametrize("kind", [CONTACTS, COMPANIES])
def test_help_contains_two_examples(run, kind):
    help = run(kind, "--help").stdout
    assert help.count(f"firmograph prospect {kind} --") == 2
    assert "--exclude-" in help


FORMULA = '=HYPERLINK("https://example.com","Ann")'


@pytest.mark.parametrize("entity", list(Entity))
@pytest.mark.parametrize(("raw", "shown"), [(False, f"'{FORMULA}"), (True, FORMULA)])
def test_texts_that_a_spreadsheet_would_evaluate_are_made_harmless_unless_raw(entity, raw, shown):
    row = {"id": "v1.x", "firstName": FORMULA, "name": FORMULA, "similarity": 0.5, "roles": [FORMULA]}
    columns = [("similarity", lambda row: row["similarity"]), ("roles", lambda row: "; ".join(row["roles"]))]
    out = StringIO()
    write_previews(
        [row], entity, {}, OutputFormat.CSV, out, table=TableLayout(), csv_columns=columns, raw=raw
    )
    (written,) = csv.DictReader(StringIO(out.getvalue()))
    assert written["firstName" if entity is Entity.CONTACT else "name"] == shown
    assert (written["roles"], written["similarity"], written["id"]) == (shown, "0.5", "v1.x")


@pytest.mark.parametrize("format", ["jsonl", "json"])
def test_json_is_never_changed_for_spreadsheets(format):
    out = StringIO()
    write_previews(
        [{"firstName": FORMULA}], Entity.CONTACT, {}, OutputFormat(format), out, table=TableLayout()
    )
    assert json.dumps(FORMULA) in out.getvalue()


def test_an_export_of_people_is_safe_to_open_in_a_spreadsheet(own):
    path = own.folder / "more.jsonl"
    path.write_text(json.dumps(person("Eve", "@Sales(A1)", "acme")))
    assert CliRunner().invoke(ingest.app, ["contacts", str(path)], env=own.environment).exit_code == 0
    run = runner(own)
    for words, shown in (((), "'@Sales(A1)"), (("--raw",), "@Sales(A1)")):
        rows = csv.DictReader(StringIO(run(*SALES, "--format", "csv", *words).stdout))
        assert shown in {row["jobTitle"] for row in rows}
