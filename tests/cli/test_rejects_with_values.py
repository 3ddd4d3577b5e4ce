"""`firmograph import --rejects-with-values`: rejected rows to mend and import again. All people are made up."""

import csv
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from firmograph.cli.ingest import app
from firmograph.kit.errors import Refused

pytestmark = pytest.mark.any_database

PEOPLE = """sep=;
Full Name;Email;Notes
Jane Doe;jane@acme.example;"a;b"
Zoe Roe;;"says ""hi"", =1+1"
Bo Poe;bo@acme.example;x;y
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that imports contacts and returns the report."""
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", f"sqlite:///{tmp_path}/firmograph.db")

    def run(*words: object) -> dict[str, object]:
        done = CliRunner().invoke(app, ["contacts", *map(str, words), "--json"])
        if isinstance(done.exception, Refused):
            raise done.exception
        return json.loads(done.stdout)

    return run


def read_mended(path, delimiter=";"):
    with path.open(newline="") as file:
        return list(csv.reader(file, delimiter=delimiter))


def test_a_table_has_the_header_of_its_source_and_the_reason_first(run, tmp_path):
    source, mend = tmp_path / "people.csv", tmp_path / "mend.csv"
    source.write_text(PEOPLE)
    report = run(source, "--rejects-with-values", mend)
    assert report["rejectsWithValues"] == str(mend)
    header, zoe, bo = read_mended(mend)
    assert header == ["rejectReason", "Full Name", "Email", "Notes"]
    assert zoe[1:] == ["Zoe Roe", "", 'says "hi", =1+1']
    assert bo == ["4 cells under a header of 3", "Bo Poe", "bo@acme.example", "x", "y"]
    assert mend.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.glob("*mend*")) == ["mend.csv"]


def test_a_mended_file_is_imported_without_the_reason(run, tmp_path):
    source, mend, rest = (tmp_path / name for name in ("people.csv", "mend.csv", "rest.csv"))
    source.write_text(PEOPLE)
    run(source, "--rejects-with-values", mend)
    mend.write_text(mend.read_text().replace("Zoe Roe;;", "Zoe Roe;zoe@acme.example;"))
    report = run(mend, "--rejects-with-values", rest)
    assert (report["created"], report["rejected"], report["unknown"]) == (1, 1, {"Notes": 1})
    assert read_mended(rest)[0] == ["rejectReason", "Full Name", "Email", "Notes"]
    assert read_mended(rest)[1][1:] == ["Bo Poe", "bo@acme.example", "x", "y"]


def test_json_rows_are_lines_with_the_reason_as_first_key(run, tmp_path):
    source, mend = tmp_path / "people.json", tmp_path / "mend.jsonl"
    rows = [{"fullName": "Jane Doe", "emails": ["jane@acme.example"]}, {"fullName": "Zoe Roe", "tags": []}]
    source.write_text(json.dumps(rows, indent=2))
    run(source, "--rejects-with-values", mend)
    (line,) = mend.read_text().splitlines()
    assert list(json.loads(line).items())[1:] == list(rows[1].items())
    with pytest.raises(Refused, match="Nothing was imported"):
        run(mend, "--rejects-with-values", tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_text() == mend.read_text()


def test_a_line_that_is_no_json_stays_as_it_is(run, tmp_path):
    source, mend = tmp_path / "people.jsonl", tmp_path / "mend.jsonl"
    source.write_text('{"fullName": "Zoe Roe",\n')
    with pytest.raises(Refused, match="Nothing was imported"):
        run(source, "--rejects-with-values", mend)
    assert mend.read_text() == source.read_text()


def test_rows_of_parquet_are_written_as_csv(run, tmp_path):
    source, mend = tmp_path / "people.parquet", tmp_path / "mend.csv"
    rows = [{"Full Name": "Zoe Roe", "Zip": 1010, "Tags": ["a", "b"]}, {"Full Name": "Jane Doe", "Zip": None}]
    pq.write_table(pa.Table.from_pylist(rows), source)
    with pytest.raises(Refused, match="Nothing was imported"):
        run(source, "--rejects-with-values", mend)
    assert [row[1:] for row in read_mended(mend, ",")[1:]] == [
        ["Zoe Roe", "1010", '["a","b"]'],
        ["Jane Doe", "", ""],
    ]


def test_a_file_that_exists_may_be_under_repair_and_stays(run, tmp_path):
    source, mend = tmp_path / "people.csv", tmp_path / "mend.csv"
    source.write_text(PEOPLE)
    mend.write_text("mine")
    with pytest.raises(Refused, match=r"mend\.csv exists already"):
        run(source, "--rejects-with-values", mend)
    assert mend.read_text() == "mine"


def test_rows_of_files_with_different_columns_are_not_mixed(run, tmp_path):
    for name, header in (("a.csv", "Full Name,Email"), ("b.csv", "Email,Full Name")):
        (tmp_path / name).write_text(header + "\n")
    with pytest.raises(Refused, match="different columns"):
        run(tmp_path / "a.csv", tmp_path / "b.csv", "--rejects-with-values", tmp_path / "mend.csv")


def test_footers_suppressed_and_deleted_rows_are_not_written(run, tmp_path):
    source = tmp_path / "people.csv"
    source.write_text(
        "Full Name,Email,IsDeleted\nJane Doe,jane@acme.example,false\nBo Poe,bo@acme.example,true\n\nTotal: 2\n"
    )
    report = run(source, "--rejects-with-values", tmp_path / "mend.csv")
    assert (report["rejected"], report["rejectsWithValues"]) == (1, None)
    assert not (tmp_path / "mend.csv").exists()
