"""Consent columns of exports, and the records that an import joins. All people are made up."""

import json

import pytest

from command_fixtures import InProcess

EXPORT = """Full Name,Email,Company,Email Opt Out
Jane Doe,jane@acme.example,Acme,true
Zoe Roe,zoe@acme.example,Acme,false
Bo Poe,bo@acme.example,Acme,
Jane Doe,jane@acme.example,Acme,yes
"""


@pytest.fixture
def command(tmp_path, database_url):
    return InProcess(tmp_path, database_url)


def write(command, name, text):
    (command.folder / name).write_text(text)
    return name


def report_of(done):
    assert done.returncode in (0, 3), done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("mark", "people"), [("✓", 1), ("✔\ufe0f", 1), ("☑", 1), ("☐", 0), ("✗", 0), ("✘", 0)]
)
def test_a_tick_marks_a_person_as_opted_out_and_a_cross_does_not(command, mark, people):
    write(command, "people.csv", f"Full Name,Email,Email Opt Out\nJane Doe,j@acme.example,{mark}\n")
    report = report_of(command("import", "contacts", "people.csv", "--json"))
    assert (report["optedOut"], report["unread"]) == (people, {})


@pytest.mark.parametrize(
    ("mark", "people"),
    [
        ("2026-01-02", 1),
        ("2026-01-02T10:11:12Z", 1),
        ("01/02/2026 10:15 AM", 1),
        ("0000-00-00", 0),
    ],
)
def test_a_day_or_time_of_an_opt_out_marks_a_person_as_opted_out(command, mark, people):
    header = "Full Name,Email,Unsubscribed from all email"
    write(command, "people.csv", f"{header}\nJane Doe,j@acme.example,{mark}\n")
    report = report_of(command("import", "contacts", "people.csv", "--json"))
    assert (report["optedOut"], report["unread"]) == (people, {})


@pytest.mark.parametrize(
    ("header", "mark"),
    [("Unsubscribed", "46024"), ("Marketing Consent", "2026-01-02"), ("Do Not Call", "2026-01-02")],
)
def test_a_number_is_no_opt_out_and_a_day_no_mark_of_another_column(command, header, mark):
    write(command, "people.csv", f"Full Name,Email,{header}\nJane Doe,j@acme.example,{mark}\n")
    report = report_of(command("import", "contacts", "people.csv", "--json"))
    assert (report["optedOut"], report["unread"]) == (0, {header: {"count": 1, "lines": [2]}})


def test_an_import_says_how_many_people_its_file_marks_as_opted_out(command):
    done = command("import", "contacts", write(command, "people.csv", EXPORT))
    assert "The file marks 1 person as opted out; --suppress-opted-out keeps them out" in done.stdout
    report = report_of(command("import", "contacts", "people.csv", "--json"))
    assert (report["optedOut"], report["optedOutSuppressed"], report["unchanged"]) == (1, 0, 4)


@pytest.mark.parametrize(
    ("header", "refused", "given"),
    [
        ("Marketing Consent", "no", "yes"),
        ("Subscribed", "Unsubscribed", "Subscribed"),
        ("Email Opt In", 0, 1),
        ("Marketing Consent", "❌", "✅"),
    ],
)
def test_a_column_of_consents_marks_those_who_refuse(command, header, refused, given):
    rows = (
        f"Jane Doe,jane@acme.example,{refused}\nZoe Roe,zoe@acme.example,{given}\nBo Poe,bo@acme.example,\n"
    )
    write(command, "people.csv", f"Full Name,Email,{header}\n{rows}")
    report = report_of(command("import", "contacts", "people.csv", "--json"))
    assert (report["created"], report["optedOut"], report["unread"]) == (3, 1, {})
    assert f"{header}\toptedIn.0\tfalse\t" in command("import", "contacts", "people.csv", "--preview").stdout


def test_a_mapping_says_which_sense_a_column_of_consents_has(command):
    write(
        command,
        "people.csv",
        "Full Name,Email,Mails?\nJane Doe,j@acme.example,no\nZoe Roe,z@acme.example,yes\n",
    )
    for sense, person in (("optedIn", "Jane Doe"), ("optedOut", "Zoe Roe")):
        write(command, f"{sense}.toml", f'[columns]\n"Mails?" = "{sense}"\n')
        words = (
            "import",
            "contacts",
            "people.csv",
            "--mapping",
            f"{sense}.toml",
            "--source",
            sense,
            "--json",
        )
        assert report_of(command(*words))["optedOut"] == 1
        number = "1" if sense == "optedIn" else "2"
        marked = json.loads(command("import", "opted-out", "--import", number, "--json").stdout)
        assert [one["fullName"] for one in marked] == [person]


def test_opted_out_people_are_suppressed_where_the_operator_asks(command):
    write(command, "people.csv", EXPORT)
    report = report_of(command("import", "contacts", "people.csv", "--suppress-opted-out", "--json"))
    assert (report["optedOut"], report["optedOutSuppressed"]) == (1, 1)
    write(command, "later.csv", EXPORT.replace("true", "false").replace("yes", "no"))
    later = report_of(command("import", "contacts", "later.csv", "--source", "crm", "--json"))
    assert (later["suppressed"], later["created"]) == (2, 0)
    assert later["optedOut"] == 0


def test_people_held_before_are_suppressed_by_a_later_mark(command):
    write(command, "people.csv", EXPORT.replace("true", "").replace("yes", ""))
    report_of(command("import", "contacts", "people.csv", "--json"))
    write(command, "people.csv", EXPORT)
    again = report_of(command("import", "contacts", "people.csv", "--suppress-opted-out", "--json"))
    assert (again["unchanged"], again["optedOutSuppressed"]) == (4, 1)


def test_a_dry_run_counts_opted_out_people_and_suppresses_nobody(command):
    write(command, "people.csv", EXPORT)
    words = ("import", "contacts", "people.csv", "--suppress-opted-out", "--json")
    assert report_of(command(*words, "--dry-run"))["optedOut"] == 1
    assert report_of(command("import", "contacts", "people.csv", "--json"))["suppressed"] == 0


def test_an_import_lists_the_records_of_other_sources_that_took_its_rows(command):
    crm = "Full Name,Email,LinkedIn Url,Company\nJane Doe,jane@acme.example,linkedin.com/in/jane-doe-7,Acme\n"
    crm += "Zoe Roe,zoe@acme.example,,Acme\nBo Poe,,,Acme\nCy Coe,cy@acme.example,,Acme\n"
    report_of(command("import", "contacts", write(command, "crm.csv", crm), "--source", "crm", "--json"))
    fair = "Full Name,Email,LinkedIn Url,Company\nJane Doe,j@acme.example,linkedin.com/in/jane-doe-7,Acme\n"
    fair += "Zoe Roe,zoe@acme.example,,Acme\nBo Poe,,,Acme\nDi Doe,di@acme.example,,Acme\n"
    words = ("import", "contacts", write(command, "fair.csv", fair), "--source", "fair")
    done = command(*words, "--merged", "merged.jsonl")
    shown = "Joined with records of other sources: 3 (1 by LinkedIn URL, 1 by e-mail, 1 by name and company)"
    assert shown in done.stdout, done.stderr
    lines = [json.loads(line) for line in (command.folder / "merged.jsonl").read_text().splitlines()]
    assert [line["key"] for line in lines] == ["linkedinUrl", "email", "nameAndCompany"]
    assert all(line["sources"] == ["crm", "fair"] for line in lines)
    assert (command.folder / "merged.jsonl").stat().st_mode & 0o777 == 0o600
    again = command(*words, "--merged", "merged.jsonl")
    assert again.returncode == 1
    assert "merged.jsonl exists already; choose another name with --merged" in again.stderr
    shown = command("record", "show", lines[0]["id"]).stdout
    assert "crm/" in shown
    assert "fair/" in shown
    # joined before: nothing new
    assert report_of(command(*words, "--json"))["joined"] == {}


def test_companies_are_joined_by_domain(command):
    write(command, "a.csv", "Company Name,Website\nAcme,acme.example\n")
    write(command, "b.csv", "Company Name,Website\nAcme Inc,acme.example\n")
    report_of(command("import", "companies", "a.csv", "--source", "a", "--json"))
    joined = report_of(command("import", "companies", "b.csv", "--source", "b", "--json"))["joined"]
    assert joined == {"domain": 1}


def test_opted_out_people_are_listed_with_the_imports_that_mark_them(command):
    write(command, "people.csv", EXPORT)
    for source in ("crm", "fair"):
        report_of(command("import", "contacts", "people.csv", "--source", source, "--json"))
    (jane,) = json.loads(command("import", "opted-out", "--json").stdout)
    assert (jane["fullName"], jane["email"], jane["imports"]) == ("Jane Doe", "jane@acme.example", [1, 2])
    assert "1, 2\tJane Doe" in command("import", "opted-out").stdout
    assert command("import", "undo", "2", "--yes").returncode == 0
    (jane,) = json.loads(command("import", "opted-out", "--json").stdout)
    assert jane["imports"] == [1]
    write(command, "out.json", json.dumps([jane]))
    assert command("suppress", "--file", "out.json").returncode == 0
    assert json.loads(command("import", "opted-out", "--json").stdout) == []
    unknown = command("import", "opted-out", "--import", "7")
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert "There is no import 7" in unknown.stderr
