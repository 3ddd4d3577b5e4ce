"""Quality reports: fill rates, ages, conflicts, values not read. All people are made up."""

import json

import pytest

from command_fixtures import InProcess

CRM = """Full Name,Email,Phone,Job Title,Company,Country,Last Updated
Jane Doe,jane@acme.example,+12025550101,CEO,Acme,US,2026-01-01
Zoe Roe,zoe@acme.example,,CTO,Acme,France,soon
"""
FAIR = """Full Name,Email,Job Title,Company
Jane Doe,jane@acme.example,Chairwoman,Acme Inc
Bo Poe,bo@acme.example,,Acme
"""


@pytest.fixture
def command(tmp_path, database_url):
    command = InProcess(tmp_path, database_url)
    for source, text in (("crm", CRM), ("fair", FAIR)):
        (tmp_path / f"{source}.csv").write_text(text)
        assert command("import", "contacts", f"{source}.csv", "--source", source).returncode in (0, 3)
    return command


@pytest.fixture
def report(command):
    """Return a function that returns the report as JSON."""

    def report(*words):
        done = command("report", "quality", "--json", *words)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return report


def test_fill_rates_are_counted_by_field_country_and_source(report):
    contacts = report()["contacts"]
    assert contacts["all"]["records"] == 3
    assert {name: contacts["all"]["fields"].get(name) for name in ("emails", "phones", "jobTitle")} == {
        "emails": 3,
        "phones": 1,
        "jobTitle": 2,
    }
    assert {code: group["records"] for code, group in contacts["countries"].items()} == {
        "US": 1,
        "FR": 1,
        "": 1,
    }
    crm, fair = contacts["sources"]["crm"], contacts["sources"]["fair"]
    assert (crm["records"], crm["fields"]["jobTitle"], crm["fields"]["phones"]) == (2, 2, 1)
    assert (fair["records"], fair["fields"]["jobTitle"], "phones" in fair["fields"]) == (2, 1, False)
    assert sum(crm["ages"]) == 2
    assert fair["ages"][0] == 2


def test_sources_that_state_different_values_are_conflicts(report):
    conflicts = report()["contacts"]["conflicts"]
    assert conflicts["jobTitle"] == {"compared": 1, "differing": 1}
    assert conflicts["emails"] == {"compared": 1, "differing": 0}
    # a legal form makes no other company
    assert conflicts["company"] == {"compared": 1, "differing": 0}
    assert "phones" not in conflicts


def test_companies_that_are_only_named_count_apart(report):
    companies = report()["companies"]
    assert (companies["all"]["records"], companies["stubs"] > 0) == (0, True)


def test_unread_values_are_those_of_the_last_import_of_each_source(command, report):
    unread = report()["unread"]
    assert [(one["source"], one["column"], one["values"]) for one in unread] == [("crm", "Last Updated", 1)]
    (command.folder / "crm.csv").write_text(CRM.replace("soon", "2026-01-02"))
    command("import", "contacts", "crm.csv", "--source", "crm")
    assert report()["unread"] == []


def test_a_saved_report_is_compared_with_the_next_one_and_holds_no_value(command, report, database):
    assert report()["before"] is None
    saved = report("--save")
    (command.folder / "more.csv").write_text("Full Name,Email\nCy Coe,cy@acme.example\n")
    command("import", "contacts", "more.csv", "--source", "fair")
    assert report()["before"]["contacts"] == saved["contacts"]
    shown = command("report", "quality", "--markdown").stdout
    assert "| jobTitle | 2 | 50.0 | -16.7 |" in shown
    with database.read() as session:
        (kept,) = session.raw.execute("SELECT figures FROM quality_reports").fetchall()
    assert not any(name in kept[0] for name in ("jane", "Doe", "acme", "CEO"))


def test_tables_are_tab_separated_on_a_pipe_and_titles_go_to_stderr(command):
    done = command("report", "quality")
    assert "FIELD\tFILLED\t%\tCOMPARED\tDIFFERING\n" in done.stdout
    assert "jobTitle\t2\t66.7\t1\t1\n" in done.stdout
    assert "Contacts: 3" in done.stderr
    assert "crm\tcontacts\tLast Updated\t1\t1\n" in done.stdout


def test_wrong_inputs_are_refused(command, tmp_path):
    assert "Give either --json or --markdown" in command("report", "quality", "--json", "--markdown").stderr
    other = f"sqlite:///{tmp_path}/none.db"
    done = command("report", "quality", FIRMOGRAPH_DATABASE_URL=other)
    assert done.returncode == 1
    assert "There is no database at" in done.stderr
    assert not (tmp_path / "none.db").exists()
