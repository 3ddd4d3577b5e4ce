"""`firmograph import --preview`: the interpretation of a file before its import. All people are made up."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook
from typer.testing import CliRunner, Result

from command_fixtures import import_exit_code
from firmograph.cli.import_summary import print_unread
from firmograph.cli.ingest import app
from firmograph.ingest.records.unread_values import UnreadValues
from firmograph.kit.errors import Refused

pytestmark = pytest.mark.any_database

EXPORT = """Vorname;Nachname;Firma;E-Mail;Telefon;Telefon;Land;Notizn;Do Not Call;Last Updated;Mail adress
Jürgen;Müller;Größe GmbH;J.Mueller@Groesse.example.com;+49 30 901820;;Deutschland;x;ja;soon;
Zoë;Lefèvre;Crème SA;Zoe@creme.example.com;12;+33 1 42 68 53 00;France;y;nein;2025-01-02;
;;;;;;;;ja;;
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs `firmograph import` without an installation."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", f"sqlite:///{tmp_path}/firmograph.db")

    def run(*words: object) -> Result:
        return CliRunner().invoke(app, [str(word) for word in words])

    return run


@pytest.fixture
def preview(run):
    def preview(*words: object) -> dict[str, object]:
        done = run(*words, "--preview", "--json")
        report = json.loads(done.stdout)
        assert done.exit_code == import_exit_code(report), done.exception
        return report

    return preview


@pytest.fixture
def export(tmp_path) -> Path:
    path = tmp_path / "people.csv"
    path.write_bytes(EXPORT.encode("cp1252"))
    return path


def columns(view: dict[str, object]) -> dict[str, dict[str, object]]:
    return {one["column"]: one for one in view["columns"]}


def test_a_preview_shows_the_field_of_each_column_and_creates_no_database(preview, export, tmp_path):
    view = preview("contacts", export)
    assert (view["format"], view["encoding"], view["delimiter"]) == ("CSV", "Windows-1252", ";")
    assert (view["rows"], view["complete"], view["problem"]) == (3, True, None)
    found = {name: (one["fields"], one["values"]) for name, one in columns(view).items()}
    assert found["Nachname"] == (["lastName"], ["Müller", "Lefèvre"])
    assert found["E-Mail"] == (
        ["emails.0.email"],
        ["j.mueller@groesse.example.com", "zoe@creme.example.com"],
    )
    assert found["Telefon (2)"] == (["phones.1.number"], ["+33142685300"])
    assert found["Land"] == (["location.country"], ["Germany", "France"])
    assert found["Last Updated"] == (["updateDate"], ["2025-01-02"])
    assert found["Notizn"] == ([], ["x", "y"])
    assert columns(view)["Mail adress"]["guess"] == "emails.1.email"
    assert list(tmp_path.iterdir()) == [export]


def test_a_preview_counts_unreadable_values_with_the_first_lines(preview, export):
    view = preview("contacts", export)
    assert view["unread"]["Last Updated"] == {"count": 1, "lines": [2]}
    assert view["unread"]["Telefon"] == {"count": 1, "lines": [3]}
    assert [(one["count"], one["lines"]) for one in view["rejected"]] == [(1, [4])]


def test_the_text_names_the_encoding_and_the_number_of_examined_rows(run, export):
    done = run("contacts", export, "--preview")
    assert done.exit_code == 3
    assert "CSV, Windows-1252, separated by semicolon; all 3 rows were read" in done.stderr
    assert "Not read: 1 of 'Last Updated', line 2" in done.stderr
    assert "Nachname\tlastName\tMüller, Lefèvre\t\n" in done.stdout


def test_a_written_mapping_gives_the_same_import(run, export, tmp_path):
    mapping = tmp_path / "mapping.toml"
    assert run("contacts", export, "--write-mapping", mapping).exit_code == 3
    first = run("contacts", export, "--json")
    assert first.exit_code == 3
    again = run("contacts", export, "--mapping", mapping, "--json")
    assert json.loads(again.stdout)["unchanged"] == json.loads(first.stdout)["created"] == 2
    assert '"Telefon (2)" = "phones.1.number"' in mapping.read_text()
    assert '"Mail adress" = ""  # not used; perhaps "emails.1.email"' in mapping.read_text()


def test_an_edited_mapping_is_previewed_and_not_overwritten(run, preview, export, tmp_path):
    mapping = tmp_path / "mapping.toml"
    run("contacts", export, "--write-mapping", mapping)
    mapping.write_text(mapping.read_text().replace('"Notizn" = ""', '"Notizn" = ["skills", "awards"]'))
    view = preview("contacts", export, "--mapping", mapping)
    assert columns(view)["Notizn"]["fields"] == ["skills", "awards"]
    done = run("contacts", export, "--write-mapping", mapping)
    assert isinstance(done.exception, Refused)
    assert "already exists" in str(done.exception)


def test_a_guess_names_no_field_that_another_column_fills(preview, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(
        "Full Name,Account Name,Account Owner,Do Not Call,Phone,Mobile\n"
        "Jane Doe,Acme,Olive,yes,+12025550101,+12025550102\n"
    )
    view = columns(preview("contacts", path))
    assert (view["Account Owner"]["fields"], view["Account Owner"]["guess"]) == ([], "")
    assert view["Do Not Call"]["values"] == ["true"]


def test_an_import_suggests_a_remedy_for_unread_dates_and_the_wrong_kind(run, tmp_path):
    people, companies = tmp_path / "people.csv", tmp_path / "companies.csv"
    people.write_text("Full Name,Email,Company,Last Updated\nJane Doe,jane@acme.example,Acme,03/04/2024\n")
    for done in (run("contacts", people), run("contacts", people, "--preview")):
        assert "looks like" not in done.stderr
        assert "Dates in 'Last Updated' could not be read" in done.stderr
        assert "--dates dmy" in done.stderr
    assert "Dates in" not in run("contacts", people, "--dates", "dmy").stderr
    companies.write_text("Company Name,Website\nAcme,acme.example\n")
    done = run("contacts", companies)
    assert f"looks like a file of companies: firmograph import companies {companies}" in done.stderr
    empty = tmp_path / "empty.csv"
    empty.touch()
    assert str(run("contacts", empty).exception) == f"{empty} is empty: it has no header"


def test_a_file_of_the_other_kind_is_recognised(preview, tmp_path):
    people = tmp_path / "people.csv"
    people.write_text(
        "First Name,Last Name,Job Title,Company Name,Website\nJane,Doe,CEO,Acme,acme.example.com\n"
    )
    companies = tmp_path / "companies.csv"
    companies.write_text("Id,Company Name,Website,Industry\n1,Acme,acme.example.com,Software\n")
    assert preview("companies", people)["looksLike"] == "contacts"
    assert preview("contacts", people)["looksLike"] is None
    assert preview("contacts", companies)["looksLike"] == "companies"
    assert preview("companies", companies)["looksLike"] is None


def test_a_file_without_name_columns_is_shown_and_then_refused(run, tmp_path):
    path, mapping = tmp_path / "odd.csv", tmp_path / "mapping.toml"
    path.write_text("Vornahme,Wohnort\nJane,Rome\n")
    done = run("contacts", path, "--preview", "--json", "--write-mapping", mapping)
    assert "no column names a contact" in str(done.exception)
    assert columns(json.loads(done.stdout))["Vornahme"]["guess"] == "firstName"
    mapping.write_text(mapping.read_text().replace('"Vornahme" = ""', '"Vornahme" = "firstName"'))
    assert run("contacts", path, "--preview", "--mapping", mapping).exit_code == 3


def test_every_format_is_previewed(preview, tmp_path):
    rows = [{"Full Name": "Jane Doe", "Email": "Jane@acme.example.com"}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    book = Workbook()
    book.active.append(list(rows[0]))
    book.active.append(list(rows[0].values()))
    book.save(tmp_path / "a.xlsx")
    for name, format in (("a.parquet", "Parquet"), ("a.xlsx", "Excel workbook")):
        view = preview("contacts", tmp_path / name)
        assert view["format"] == format
        assert columns(view)["Email"]["values"] == ["jane@acme.example.com"]
    assert view["sheet"] == "Sheet"


def test_json_lines_are_shown_by_their_keys(preview, run, tmp_path):
    path, mapping = tmp_path / "a.jsonl", tmp_path / "mapping.toml"
    row = {
        "fullName": "Jane Doe",
        "emails": ["Jane@acme.example.com"],
        "location": {"country": "US"},
        "emailadress": "x",
    }
    path.write_text(json.dumps(row) + "\n")
    found = columns(preview("contacts", path))
    assert found["emails"]["values"] == ["jane@acme.example.com"]
    assert found["location.country"]["values"] == ["United States"]
    assert (found["emailadress"]["fields"], found["emailadress"]["guess"]) == ([], "emails.0.email")
    run("contacts", path, "--write-mapping", mapping)
    assert columns(preview("contacts", path, "--mapping", mapping)) == found


def test_dates_of_json_lines_are_shown_as_the_requested_order_stores_them(preview, tmp_path):
    path = tmp_path / "a.jsonl"
    employer = {"industry": "Software", "funding": {"lastRoundDate": "05/06/2024"}}
    row = {"fullName": "Jane Doe", "company": "Acme", "updateDate": "03/04/2024", "employer": employer}
    path.write_text(json.dumps(row) + "\n")
    assert set(preview("contacts", path)["unread"]) == {"updateDate", "employer.funding.lastRoundDate"}
    view = preview("contacts", path, "--dates", "dmy")
    found = {name: one["values"] for name, one in columns(view).items()}
    assert view["unread"] == {}
    assert found["updateDate"] == ["2024-04-03"]
    assert found["employer.funding.lastRoundDate"] == ["Jun 5, 2024"]


def test_only_the_first_rows_are_examined(preview, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("Full Name,Company\n" + "".join(f"Jane Doe{n},Acme\n" for n in range(1200)))
    view = preview("contacts", path)
    assert (view["rows"], view["complete"]) == (1000, False)


def test_an_import_names_the_encoding_of_its_files(run, export):
    done = run("contacts", export)
    assert f"Encoding of {export}: Windows-1252" in done.stdout
    assert run("contacts", export, "--encoding", "klingon").exit_code == 1
    done = run("contacts", export, "--encoding", "mac-roman")
    assert "Encoding of" in done.stdout
    assert "Mac Roman" in done.stdout


def test_of_two_columns_for_one_field_the_preview_shows_the_value_that_wins(run, preview, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(
        "Full Name,Email,Account Name,Company Name\nJane Doe,jane@acme.example,Acme,Acme\n"
        "Zoe Roe,zoe@creme.example,Group,Creme\nBo Poe,bo@pilot.example,Pilot,\n"
    )
    found = columns(preview("contacts", path))
    first, second = sorted(("Account Name", "Company Name"), key=lambda name: len(found[name]["after"]))
    assert found[first]["values"] == ["Acme", "Creme"]
    assert (found[second]["after"], found[second]["values"]) == ([first], ["Pilot"])
    assert f"counts where '{first}' has no value" in run("contacts", path, "--preview").stdout


def test_a_column_that_repeats_what_others_give_shows_its_value(preview, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("First Name,Last Name,Full Name,Email\nJane,Doe,Jane Doe,jane@acme.example\n")
    assert columns(preview("contacts", path))["Full Name"]["values"] == ["Jane Doe"]


def test_a_column_like_no_known_one_is_unused_without_a_guess(run, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("Full Name,Email,Phone Ext,Stage,Frist Name\nJane Doe,jane@acme.example,17,Lead,Jane\n")
    shown = run("contacts", path, "--preview").stdout
    assert "phones" not in shown
    assert "unused; perhaps firstName" in shown


def test_local_telephone_numbers_without_a_country_suggest_the_option(run, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("Full Name,Email,Phone\nJane Doe,jane@acme.example,030 901820\n")
    for words in ((), ("--preview",)):
        done = run("contacts", path, *words)
        assert "1 telephone number without a country code" in done.stderr
        assert "--country DE" in done.stderr
        named = run("contacts", path, "--country", "Germany", *words)
        assert named.exit_code == 0
        assert "--country" not in named.stderr
    assert "'Atlantis' is no country" in str(run("contacts", path, "--country", "Atlantis").exception)


def test_values_that_were_not_read_are_shown_three_a_column(run, tmp_path):
    path = tmp_path / "people.csv"
    days = ("soon", "later", "soon", "the first day in the week after the next one", "maybe")
    rows = (f"Jane Doe{n},jane{n}@acme.example,{day}\n" for n, day in enumerate(days))
    path.write_text("Full Name,Email,Last Updated\n" + "".join(rows))
    shown = "Not read: 5 of 'Last Updated', lines 2, 3, 4, 5, 6: 'soon', 'later',"
    shown += " 'the first day in the week after the nex…'"
    assert shown in run("contacts", path, "--preview").stderr
    assert "'soon'" not in run("contacts", path).stdout


def test_the_summary_shows_unread_values_on_a_terminal_alone(monkeypatch, capsys):
    unread, samples = {"Day": UnreadValues(1, [2])}, {"Day": ["soon"]}
    print_unread(unread, samples)
    assert capsys.readouterr().out == "Not read: 1 of 'Day', line 2\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    print_unread(unread, samples)
    assert capsys.readouterr().out == "Not read: 1 of 'Day', line 2: 'soon'\n"


def test_json_lines_of_the_other_kind_are_recognised(run, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"name": "Acme", "domain": "acme.example"}) + "\n")
    assert (
        f"looks like a file of companies: firmograph import companies {path}" in run("contacts", path).stderr
    )
    path.write_text(json.dumps({"fullName": "Jane Doe", "emails": ["jane@acme.example"]}) + "\n")
    assert "looks like a file of contacts" in run("companies", path).stderr
    assert "looks like" not in run("contacts", path).stderr
