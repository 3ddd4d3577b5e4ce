"""`firmograph import`: files, summaries and exit codes."""

import gzip
import json
import os
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from command_fixtures import import_exit_code
from firmograph.cli.ingest import app
from firmograph.kit.errors import Refused

pytestmark = pytest.mark.any_database

SUMMARY = (
    *("read", "created", "updated", "unchanged", "rejected", "suppressed", "conflicts", "rejectsFile"),
    *("rejectsWithValues", "optedOut", "optedOutSuppressed", "joined"),
    "unread",
    *("repaired", "skipped", "unknown", "encoding", "delimiter", "import"),
)


@pytest.fixture
def run(database_url, monkeypatch):
    """Return a function that runs `firmograph import` with these arguments on this test's database."""
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", database_url)

    def run(*words: object) -> Result:
        return CliRunner().invoke(app, [str(word) for word in words])

    return run


@pytest.fixture
def summary(run):
    """Return a function that runs a successful import and returns its summary."""

    def summary(*words: object) -> dict[str, object]:
        done = run(*words, "--json")
        report = json.loads(done.stdout)
        assert done.exit_code == import_exit_code(report), done.exception
        return report

    return summary


def written(path: Path, *rows: object) -> Path:
    lines = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)
    path.write_bytes(gzip.compress(lines.encode()) if path.suffix == ".gz" else lines.encode())
    return path


JANE = {"sourceId": "1", "fullName": "Jane Doe", "emails": ["jane@acme.example.com"], "company": "Acme"}
BOB = {"sourceId": "2", "fullName": "Bob Roe", "emails": ["bob@acme.example.com"], "company": "Acme"}


def test_a_second_import_of_the_same_file_changes_nothing(summary, tmp_path):
    path = written(tmp_path / "people.jsonl", JANE, BOB)
    first, second = summary("contacts", path), summary("contacts", path)
    assert tuple(first) == SUMMARY
    assert (first["read"], first["created"], first["unchanged"]) == (2, 2, 0)
    assert (second["read"], second["created"], second["updated"], second["unchanged"]) == (2, 0, 0, 2)
    assert first["rejectsFile"] is None
    assert list(tmp_path.glob("*.rejects.jsonl")) == []


@pytest.mark.any_database
def test_unreadable_values_are_counted_by_column_and_line(run, tmp_path):
    header = "Full Name,Email,Mobile,Direct Dial,Do Not Call,Last Updated,Company"
    good = "Jane Doe,j{0}@acme.example.com,+1 202 555 0101,,no,2025-01-01,Acme"
    bad = "Jane Doe,j{0}@acme.example.com,+1 202 555 0101,12,maybe,01/02/2025,Acme"
    lines = [(bad if line in (3, 7) else good).format(line) for line in range(2, 32)]
    done = run("contacts", written(tmp_path / "people.csv", header, *lines), "--json")
    assert (done.exit_code, json.loads(done.stdout)["created"]) == (3, 30)
    assert json.loads(done.stdout)["unread"] == {
        column: {"count": 2, "lines": [3, 7]} for column in ("Direct Dial", "Do Not Call", "Last Updated")
    }


@pytest.mark.any_database
def test_unrepresentable_cells_are_counted_by_their_column(summary, tmp_path):
    people = {"Full Name": ["Jane Doe", "Bob Roe"], "Email": ["jane@x.example.com", "bob@x.example.com"]}
    titles = pa.array([b"CEO", b"\xff"]).view(pa.string())
    pq.write_table(pa.table(people | {"Job Title": titles}), tmp_path / "a.parquet")
    text = (
        "Full Name,Email,Job Title\nZoë Doe,jane@x.example.com,CEO\nBob Roe,bob@x.example.com,".encode()
        + b"\xff\n"
    )
    (tmp_path / "b.csv").write_bytes(text)
    (tmp_path / "c.jsonl").write_bytes(
        b'{"fullName": "Bob Roe", "emails": ["bob@x.example.com"], "jobTitle": "\xff"}'
    )
    for name, column, line in (
        ("a.parquet", "Job Title", 2),
        ("b.csv", "Job Title", 3),
        ("c.jsonl", "jobTitle", 1),
    ):
        done = summary("contacts", tmp_path / name)
        assert (done["rejected"], done["unread"]) == (0, {column: {"count": 1, "lines": [line]}})


@pytest.mark.any_database
def test_unreadable_values_of_companies_are_counted_too(summary, tmp_path):
    header = "Name,Domain,# Employees,Annual Revenue,Founded,Phone"
    path = written(
        tmp_path / "firms.csv", header, "Acme,acme.example.com,51-200,$10M,1999,", "Bad,,many,much,ago,7"
    )
    columns = ("# Employees", "Annual Revenue", "Founded", "Phone")
    assert summary("companies", path)["unread"] == {column: {"count": 1, "lines": [3]} for column in columns}


@pytest.mark.any_database
def test_placeholders_are_not_counted_as_unreadable(summary, tmp_path):
    row = JANE | {
        "updateDate": "N/A",
        "phones": ["-", "none", "0000000000", "(999) 999-9999"],
        "doNotCall": "unknown",
        "linkedinUrl": "not-found",
        "previousEmails": ["none@none.com", "no-email"],
    }
    assert summary("contacts", written(tmp_path / "people.jsonl", row))["unread"] == {}


@pytest.mark.parametrize("count", [4, 5])
def test_a_host_of_five_companies_with_different_names_is_reported(run, tmp_path, count):
    rows = [{"sourceId": str(n), "name": f"Corner Shop {n}", "domain": "shops.example"} for n in range(count)]
    rows += [
        {"name": f"Acme{form}", "domain": "acme.example"} for form in ("", " Inc", " Ltd", " GmbH", ", Inc.")
    ]
    done = run("companies", written(tmp_path / "companies.jsonl", *rows), "--json")
    assert done.exit_code == 0
    assert ("shops.example" in done.stderr) == (count == 5)
    assert "acme.example" not in done.stderr
    assert tuple(json.loads(done.stdout)) == SUMMARY


@pytest.mark.any_database
@pytest.mark.parametrize(("bad", "is_named"), [(2, False), (3, True)])
def test_a_column_with_more_than_a_tenth_unreadable_is_named(run, tmp_path, bad, is_named):
    rows = [
        JANE | {"sourceId": str(n), "emails": [f"j{n}@x.test"], "updateDate": "2025" if n > bad else "soon"}
        for n in range(1, 25)
    ]
    path = written(tmp_path / "people.jsonl", *rows)
    for words in (["--json"], []):
        done = run("contacts", path, *words)
        assert done.exit_code == 3
        assert ("updateDate" in done.stderr) == is_named
    assert "'updateDate', lines 1, 2" in done.stdout
    fewer = written(tmp_path / "few.jsonl", *rows[:19])
    assert "updateDate" not in run("contacts", fewer).stderr


@pytest.mark.any_database
def test_every_format_gives_the_same_result(summary, tmp_path):
    header, line = "Source Id,Full Name,Email,Company", "1,Jane Doe,jane@acme.example.com,Acme"
    table = pa.table(
        {
            "sourceId": ["1"],
            "fullName": ["Jane Doe"],
            "emails": [["jane@acme.example.com"]],
            "company": ["Acme"],
        }
    )
    pq.write_table(table, tmp_path / "d.parquet")
    paths = [
        written(tmp_path / "a.jsonl", JANE),
        written(tmp_path / "b.csv", header, line),
        written(tmp_path / "c.csv.gz", header.replace(",", ";"), line.replace(",", ";")),
        tmp_path / "d.parquet",
    ]
    assert summary("contacts", paths[0])["created"] == 1
    for path in paths[1:]:
        assert summary("contacts", path)["unchanged"] == 1, path
    assert summary("contacts", *paths)["unchanged"] == 4


def test_bad_rows_are_rejected_and_the_rest_is_imported(run, summary, tmp_path):
    path = written(tmp_path / "people.jsonl", JANE, "nope", {"firstName": 5}, BOB)
    done = summary("contacts", path)
    assert (done["read"], done["created"], done["rejected"]) == (4, 2, 2)
    assert done["rejectsFile"] == str(path) + ".rejects.jsonl"
    rejects = [json.loads(line) for line in Path(done["rejectsFile"]).read_text().splitlines()]
    assert [(reject["line"], reject.get("sourceId")) for reject in rejects] == [(2, None), (3, None)]
    assert all(reject["reason"] for reject in rejects)
    assert "rejects.jsonl" in run("contacts", path).stdout


@pytest.mark.any_database
def test_a_rejects_file_is_readable_by_its_owner_alone(summary, tmp_path):
    path = written(tmp_path / "people.jsonl", JANE, "nope")
    before = os.umask(0)
    try:
        rejects = Path(str(summary("contacts", path)["rejectsFile"]))
    finally:
        os.umask(before)
    assert rejects.stat().st_mode & 0o777 == 0o600


@pytest.mark.any_database
def test_a_rejects_file_is_deleted_when_nothing_is_rejected(summary, tmp_path):
    path = written(tmp_path / "people.jsonl", JANE, "nope")
    rejects = Path(str(summary("contacts", path)["rejectsFile"]))
    assert rejects.exists()
    written(path, JANE)
    assert summary("contacts", path)["rejectsFile"] is None
    assert not rejects.exists()


@pytest.mark.any_database
def test_a_common_rejects_file_names_the_input_file_of_each_row(summary, tmp_path):
    paths = written(tmp_path / "a.jsonl", "nope", JANE), written(tmp_path / "b.jsonl", BOB, "nope")
    done = summary("contacts", *paths, "--rejects", tmp_path / "bad.jsonl")
    rejects = [json.loads(line) for line in (tmp_path / "bad.jsonl").read_text().splitlines()]
    assert done["rejectsFile"] == str(tmp_path / "bad.jsonl")
    assert [(reject["file"], reject["line"]) for reject in rejects] == [
        (str(paths[0]), 1),
        (str(paths[1]), 2),
    ]


@pytest.mark.any_database
def test_companies_are_imported_with_a_mapping(summary, tmp_path):
    path = written(tmp_path / "firmen.csv", "Firma;Netz;Ort", "Acme GmbH;acme.example.com;Bonn")
    mapping = tmp_path / "map.toml"
    mapping.write_text(
        '[columns]\n"Firma" = "name"\n"Netz" = "domain"\n[constants]\n"location.country" = "DE"\n'
    )
    assert summary("companies", path, "--mapping", mapping)["created"] == 1


@pytest.mark.any_database
def test_an_unprintable_source_name_is_refused(run, tmp_path):
    (tmp_path / "one.jsonl").write_text('{"sourceId": "1", "firstName": "Jane", "lastName": "Doe"}')
    for name in ("", "a\x07b", "\udce9", "x" * 300):
        message = refusal(run("contacts", tmp_path / "one.jsonl", "--source", name))
        assert re.fullmatch(r"A source name has 1 to \d+ printable characters; [^\n]+", message)


def test_sources_are_kept_separate(summary, tmp_path):
    path = written(tmp_path / "people.jsonl", JANE)
    assert summary("contacts", path)["created"] == 1
    other = written(tmp_path / "other.jsonl", JANE | {"skills": ["Go"]})
    assert summary("contacts", other, "--source", "crm")["updated"] == 1
    assert summary("contacts", path)["unchanged"] == 1


@pytest.mark.any_database
def test_unused_columns_are_named(run, tmp_path):
    path = written(tmp_path / "a.csv", "Email,Shoe Size,Fax", "jane@acme.example.com,7,x")
    assert f"{path}: unused columns: Shoe Size, Fax\n" in run("contacts", path).stderr


@pytest.mark.any_database
def test_the_examples_of_the_guide_can_be_imported(summary, tmp_path):
    guide = (Path(__file__).parents[2] / "docs" / "importing.md").read_text()
    record, mapping = (re.search(rf"```{kind}\n(.*?)```", guide, re.DOTALL)[1] for kind in ("json", "toml"))
    assert summary("contacts", written(tmp_path / "a.jsonl", json.loads(record)))["created"] == 1
    (tmp_path / "map.toml").write_text(mapping)
    table = written(
        tmp_path / "b.csv", "E-mail (office),E-mail (home),Firma", "a@x.example.com,b@x.example.com,X"
    )
    assert summary("contacts", table, "--mapping", tmp_path / "map.toml")["created"] == 1


@pytest.mark.any_database
def test_without_json_the_counts_are_printed_for_people(run, tmp_path):
    done = run("contacts", written(tmp_path / "people.jsonl", JANE))
    assert re.search(r"^created\t1$", done.stdout, re.MULTILINE)


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "the files have no rows"),
        (["nope", "{}"], r"2 rows, 2 rejected; see .*people\.jsonl\.rejects\.jsonl"),
    ],
)
def test_an_import_of_nothing_fails_with_a_reason_after_its_summary(run, tmp_path, rows, message):
    done = run("contacts", written(tmp_path / "people.jsonl", *rows), "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["created"] == 0
    assert isinstance(done.exception, Refused)
    assert re.search(message, done.exception.message)


def refusal(done: Result) -> str:
    assert done.exit_code == 1
    assert done.stdout == ""
    assert isinstance(done.exception, Refused)
    return done.exception.message


@pytest.mark.any_database
def test_an_import_that_cannot_start_is_refused_with_what_to_do(run, tmp_path):
    people = written(tmp_path / "people.jsonl", JANE)
    assert "does not exist" in refusal(run("contacts", people, tmp_path / "none.csv"))
    assert "1 to 100 printable characters" in refusal(run("contacts", people, "--source", " "))
    assert "choose another file" in refusal(run("contacts", people, "--rejects", people))
    assert "cannot be written" in refusal(run("contacts", people, "--rejects", tmp_path))
    assert "--mapping" in refusal(run("contacts", written(tmp_path / "a.csv", "x,y", "1,2")))
    assert people.read_text() == json.dumps(JANE) + "\n"


@pytest.mark.sqlite
def test_a_mistyped_name_creates_no_database(run, tmp_path, monkeypatch):
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", f"sqlite:///{tmp_path / 'new.db'}")
    refusal(run("contacts", tmp_path / "none.csv"))
    assert not (tmp_path / "new.db").exists()


@pytest.mark.any_database
def test_the_command_prints_json_alone_and_a_refusal_as_one_line(command, in_process, tmp_path):
    done = command("import", "contacts", str(written(tmp_path / "people.jsonl", JANE)), "--json")
    assert (done.returncode, json.loads(done.stdout)["created"]) == (0, 1)
    assert done.stderr == ""
    failed = in_process("import", "contacts", str(tmp_path / "none.csv"))
    assert (failed.returncode, failed.stdout) == (1, "")
    assert re.fullmatch(r"Error: [^\n]*none\.csv does not exist[^\n]*\n", failed.stderr)
