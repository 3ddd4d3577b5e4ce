"""`firmograph import headcounts|traffic|it-spend ...`: the commands of all feeds, tested with the feeds of figures."""

import json
import random
import re
import signal
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from detected_signals import detected
from openpyxl import Workbook
from typer.testing import CliRunner

from command_fixtures import import_exit_code
from firmograph.cli.ingest import app
from firmograph.ingest.feeds.kinds import KINDS
from firmograph.kit.errors import Refused
from firmograph.signals.figures.detectors import Figure, headcount_signals, months_before
from firmograph.signals.thresholds import load_thresholds
from process_server import run_loaded

SAMPLES = Path(__file__).parents[2] / "docs" / "samples"
GUIDE = (SAMPLES.parent / "importing.md").read_text()
KILLED = """
import os, signal, sys
from contextlib import contextmanager
from firmograph.cli.main import run
from firmograph.ingest import commits
from firmograph.database.connection import RECORDS, Database

_, left, *sys.argv = sys.argv
commits._MIN_ROWS = commits._START_ROWS = commits._MAX_ROWS = 200
writing, left = Database.write, int(left)

@contextmanager
def write(database, *scopes):
    global left
    with writing(database, *scopes) as session:
        yield session
        if scopes == (RECORDS,) and not left:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= scopes == (RECORDS,)

Database.write = write
run()
"""
"""A command that dies in the middle of a commit of records, after as many others."""

SUMMARY = (
    *("read", "created", "updated", "unchanged", "rejected", "suppressed", "conflicts", "rejectsFile"),
    *("signals", "unnamed", "unread", "repaired", "skipped", "unknown", "encoding", "delimiter", "import"),
)


@pytest.fixture
def run(database_url, monkeypatch):
    """Return a function that runs `firmograph import` with these arguments on this test's database."""
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", database_url)
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def summary(run):
    def summary(*words):
        done = run(*words, "--json")
        report = json.loads(done.stdout)
        assert done.exit_code == import_exit_code(report), done.exception
        return report

    return summary


@pytest.fixture
def companies(summary):
    summary("companies", SAMPLES / "companies.jsonl", "--rejects", "companies.rejects")


def written(path, *lines):
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


@pytest.mark.any_database
def test_every_kind_has_a_command(run):
    help_text = run("--help").stdout
    assert [kind for kind in KINDS if f" {kind} " not in help_text] == []


@pytest.mark.any_database
@pytest.mark.parametrize("kind", KINDS)
def test_the_samples_of_the_guide_can_be_imported(companies, summary, kind):
    (row,) = [line for line in GUIDE.splitlines() if line.startswith(f"| `{kind}` |")]
    samples = re.findall(r"\(samples/([\w.-]+)\)", row)
    assert samples
    for name in samples:
        done = summary(kind, SAMPLES / name, "--rejects", "rejects")
        assert tuple(done) == SUMMARY
        assert (done["rejected"], done["rejectsFile"]) == (0, None)
        again = summary(kind, SAMPLES / name, "--rejects", "rejects")
        assert (again["created"], again["updated"], again["signals"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("kind", "name", "signals"),
    [("headcounts", "headcounts.csv", 2), ("traffic", "traffic.csv", 1), ("it-spend", "it-spend.jsonl", 1)],
)
def test_the_samples_of_figures_show_signals(companies, summary, kind, name, signals):
    assert summary(kind, SAMPLES / name, "--rejects", "rejects")["signals"] == signals


@pytest.mark.any_database
def test_a_printed_summary_contains_the_signals(companies, run):
    output = run("headcounts", SAMPLES / "headcounts.csv", "--rejects", "rejects").stdout
    assert "signals\t2\n" in output


@pytest.mark.any_database
def test_rejected_rows_are_in_the_order_of_the_file(companies, summary, tmp_path):
    path = written(
        tmp_path / "counts.csv",
        "company,date,count",
        "Nobody,2025-01-01,5",
        "Acme,soon,5",
        "Acme,2025-01-01,5",
        "Acme,2999-01-01,5",
    )
    done = summary("headcounts", path)
    lines = Path(done["rejectsFile"]).read_text().splitlines()
    assert [json.loads(line)["line"] for line in lines] == [2, 3, 5]
    assert "Nobody" not in "".join(lines)


@pytest.mark.any_database
def test_an_import_without_usable_rows_fails(companies, run, tmp_path):
    path = written(tmp_path / "counts.csv", "company,date,count", "Nobody,2025-01-01,5")
    done = run("headcounts", path)
    assert done.exit_code == 1
    assert str(done.exception).startswith("Nothing was imported: 1 row, 1 rejected; see ")


@pytest.mark.any_database
def test_a_table_without_a_required_column_is_refused_before_a_database_is_created(tmp_path, monkeypatch):
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", f"sqlite:///{tmp_path}/none.db")
    path = written(tmp_path / "counts.csv", "company,date,seats", "Acme,2025-01-01,5")
    done = CliRunner().invoke(app, ["headcounts", str(path)])
    assert isinstance(done.exception, Refused)
    assert "no column 'count'" in str(done.exception)
    assert "it has: company, date, seats" in str(done.exception)
    assert not (tmp_path / "none.db").exists()


@pytest.mark.any_database
def test_unknown_columns_are_named(companies, run, tmp_path):
    path = written(tmp_path / "counts.csv", "company,date,count,mood", "Acme,2025-01-01,5,fine")
    assert f"{path}: unused columns: mood\n" in run("headcounts", path).stderr


@pytest.mark.any_database
def test_the_encoding_is_detected_or_given(companies, run, summary, tmp_path):
    path = tmp_path / "counts.csv"
    lines = ["company,date,count", "Zażółć Gęślą,2025-01-01,5", "Kraków Świętokrzyska,2025-01-01,6"]
    path.write_bytes("\n".join([*lines, ""]).encode("cp1250"))
    named = written(tmp_path / "named.csv", "name", "Zażółć Gęślą", "Kraków Świętokrzyska")
    summary("companies", named, "--rejects", "rejects")
    assert summary("headcounts", path, "--encoding", "windows-1250", "--rejects", "rejects")["created"] == 2
    assert f"Encoding of {path}: Windows-1250" in run("headcounts", path, "--rejects", "rejects").stdout
    assert run("headcounts", path, "--encoding", "klingon").exit_code == 1
    done = run("headcounts", path, "--encoding", "ascii", "--json", "--rejects", "rejects")
    assert json.loads(done.stdout)["unread"] == {"company": {"count": 2, "lines": [2, 3]}}


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("kind", "column", "value"), [("headcounts", "count", 5), ("jobs", "postingId", "p-1")]
)
def test_a_sheet_is_chosen_by_its_name(companies, run, summary, tmp_path, kind, column, value):
    book = Workbook()
    book.active.append(["Notes"])
    sheet = book.create_sheet("Figures")
    sheet.append(["company", "date", "openDate", "title", column])
    sheet.append(["Acme", date(2025, 1, 1), date(2025, 1, 1), "Clerk", value])
    book.save(tmp_path / "a.xlsx")
    assert summary(kind, tmp_path / "a.xlsx", "--sheet", "Figures")["created"] == 1
    assert "has no sheet 'Other'" in str(run(kind, tmp_path / "a.xlsx", "--sheet", "Other").exception)
    # without a name it is the first one that has the columns
    assert run(kind, tmp_path / "a.xlsx").exit_code == 0


@pytest.mark.any_database
def test_an_operators_thresholds_are_used(companies, summary, tmp_path, monkeypatch):
    thresholds = written(tmp_path / "own.toml", "[headcount]", "rate_1m = 50")
    monkeypatch.setenv("FIRMOGRAPH_THRESHOLDS_FILE", str(thresholds))
    assert summary("headcounts", SAMPLES / "headcounts.csv", "--rejects", "rejects")["signals"] == 0


@pytest.mark.any_database
def test_invalid_thresholds_are_refused(companies, run, tmp_path, monkeypatch):
    thresholds = written(tmp_path / "own.toml", "[headcount]", "rate_1m = -1")
    monkeypatch.setenv("FIRMOGRAPH_THRESHOLDS_FILE", str(thresholds))
    done = run("headcounts", SAMPLES / "headcounts.csv")
    assert isinstance(done.exception, Refused)
    assert str(thresholds) in str(done.exception)


@pytest.mark.any_database
def test_the_guide_shows_how_to_change_thresholds(tmp_path):
    example = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)[1]
    own = load_thresholds(str(written(tmp_path / "own.toml", example)))
    assert (own.headcount.rate_1m, own.headcount.least_people) == (10, 20)
    assert own.headcount.rate_3m == load_thresholds().headcount.rate_3m


def test_the_imports_in_the_guide_cause_signals(run, database, tmp_path, monkeypatch):
    imports = re.findall(r"^firmograph import (\w+) docs/samples/(\S+)", GUIDE, re.MULTILINE)
    assert [kind for kind, _ in imports] == ["companies", "headcounts", "jobs"]
    monkeypatch.chdir(tmp_path)
    for kind, name in imports:
        assert run(kind, SAMPLES / name, "--rejects", "rejects").exit_code == 0
    assert detected(database)


@pytest.mark.any_database
def test_an_invalid_day_is_wrong_usage(run):
    assert run("jobs", SAMPLES / "jobs.csv", "--as-of", "soon").exit_code == 2


@pytest.mark.any_database
def test_a_future_day_of_judgment_is_refused(companies, run, tmp_path):
    in_a_week = (datetime.now(UTC).date() + timedelta(days=7)).isoformat()
    assert run("jobs", SAMPLES / "jobs.csv", "--as-of", in_a_week).exit_code == 2
    today = datetime.now(UTC).date().isoformat()
    assert run("jobs", SAMPLES / "jobs.csv", "--as-of", today).exit_code == 0


@pytest.mark.any_database
def test_a_malformed_row_is_rejected_with_its_error(companies, run, tmp_path):
    path = written(tmp_path / "counts.csv", "company,date,count", "Acme,2025-01-01,5", "Acme,2025-02-01,5,6")
    assert run("headcounts", path).exit_code == 3
    reject = json.loads((tmp_path / "counts.csv.rejects.jsonl").read_text())
    assert reject["reason"] == "4 cells under a header of 3"


@pytest.mark.slow("killed import", "ingest", "signals")
def test_imports_that_are_killed_and_repeated_leave_the_signals_of_an_uninterrupted_one(
    command, database, summary, tmp_path
):
    names = [f"c{number}.example.com" for number in range(1, 61)]
    companies = written(tmp_path / "companies.csv", "domain", *names)
    summary("companies", companies)
    counts = random.Random(7)
    figures = {
        number: [
            Figure(months_before(date(2025, 12, 28), month), counts.randint(50, 200)) for month in range(30)
        ]
        for number in range(1, len(names) + 1)
    }
    rows = [f"c{number}.example.com,{one.day},{one.value}" for number in figures for one in figures[number]]
    counts.shuffle(rows)
    path = str(written(tmp_path / "many.csv", "company,date,count", *rows))

    for commits in (3, 6):
        # the first transaction begins the import
        program = ["-c", KILLED, str(commits + 1), "firmograph", "import", "headcounts", path]
        killed = run_loaded(program, command.folder, command.environment)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert count_figures(database) == commits * 200
    done = summary("headcounts", path)
    assert done["unchanged"] == 6 * 200
    expected = [
        (one.number, one.type, one.day)
        for number in figures
        for one in headcount_signals(number, sorted(figures[number]), load_thresholds().headcount)
    ]
    assert detected(database) == sorted(expected)
    again = summary("headcounts", path)
    assert (again["unchanged"], again["signals"]) == (len(rows), 0)


def count_figures(database):
    with database.read() as session:
        return session.raw.execute("SELECT count(*) FROM company_figures").fetchone()[0]
