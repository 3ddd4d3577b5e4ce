"""`firmograph prospect`: filters from options or a body, over a real database, as table, CSV, JSON Lines and JSON."""

import csv
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from firmograph.cli import ingest, privacy
from firmograph.cli.prospect import search
from firmograph.cli.prospect.commands import app
from firmograph.cli.prospect.filters import COMPANIES, CONDITIONS, CONTACTS, FILTERS, PLACES
from firmograph.kit.errors import FirmographError
from firmograph.kit.tokens import Entity
from firmograph.prospecting.criteria_shapes import CompanyCriteria, ContactCriteria
from running import Command

HELD_COMPANIES = [
    {
        "name": "Acme Inc",
        "domain": "acme.example.com",
        "industry": "Technology, Information & Media",
        "subIndustry": "Software Development",
        "employeeCount": {"exact": 120},
        "revenueRange": {"min": 10_000_000, "max": 50_000_000},
        "yearFounded": 2012,
        "technologies": ["Argo CD", "Thanos"],
        "location": {"city": "Columbus", "state": "Ohio", "country": "US"},
    },
    {
        "name": "Birch GmbH",
        "domain": "birch.example.com",
        "industry": "Finance",
        "employeeCount": {"min": 11, "max": 50},
        "technologies": ["Thanos"],
        "location": {"city": "Berlin", "country": "DE"},
    },
]


def person(first: str, title: str, company: str, **more: object) -> dict[str, object]:
    employer = {"domain": f"{company}.example.com"}
    return {
        "sourceId": first,
        "firstName": first,
        "lastName": "Roe",
        "jobTitle": title,
        "company": employer,
        **more,
    }


OHIO = {"city": "Columbus", "state": "Ohio", "country": "US"}
TEXAS = {"city": "Austin", "state": "Texas", "country": "US"}
BERLIN = {"city": "Berlin", "country": "DE"}
PEOPLE = [
    person(
        "Ann", "VP of Sales", "acme", location=OHIO, skills=["Rust"],
        emails=[{"email": "ann@acme.example.com", "type": "work"}],
        phones=[{"number": "+1 202 555 0101", "type": "mobile", "doNotCall": True}],
        socialLinks={"linkedin": "https://www.linkedin.com/in/ann-roe"},
    ),
    person(
        "Bea", "Software Engineer", "acme", location=TEXAS, skills=["Go"],
        emails=[{"email": "bea@acme.example.com", "type": "work"}],
    ),
    person("Cy", "Software Engineer", "birch", location=BERLIN),
    person("Dee", "Sales Manager", "birch", location=BERLIN, phones=[{"number": "+1 202 555 0102", "type": "direct"}]),
]  # fmt: skip


@pytest.fixture(scope="module")
def stocked(tmp_path_factory, prepared_file) -> Path:
    """A database with these people and companies, and no checkpoint yet."""
    folder = tmp_path_factory.mktemp("stocked")
    database = folder / "firmograph.db"
    database.write_bytes(prepared_file)
    for kind, rows in (("companies", HELD_COMPANIES), ("contacts", PEOPLE)):
        path = folder / f"{kind}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        done = CliRunner().invoke(ingest.app, [kind, str(path)], env=_environment(database))
        assert done.exit_code == 0, done.output
    return database


def _environment(database: Path) -> dict[str, str]:
    return {"FIRMOGRAPH_DATABASE_URL": f"sqlite:///{database}"}


Run = Callable[..., Result]


@pytest.fixture(scope="module")
def run(stocked) -> Run:
    """Runs `firmograph prospect` with these words."""
    return _runner(stocked)


def _runner(database: Path) -> Run:
    def run(*words: object, given: str | None = None) -> Result:
        with pytest.MonkeyPatch.context() as patch:
            # logs are set up for a whole process, and this one goes on
            patch.setattr(search, "set_up_logs", lambda level: None)
            return CliRunner().invoke(
                app, [str(word) for word in words], input=given, env=_environment(database)
            )

    return run


def names(done: Result) -> set[str]:
    """The first names of people, or the names of companies, that `--json` printed."""
    assert done.exit_code == 0, done.output
    printed = json.loads(done.stdout)
    found = {row.get("firstName") or row["name"] for row in printed["results"]}
    assert printed["total"] == len(found)
    return found


def refusal(done: Result) -> str:
    assert (done.exit_code, done.stdout) == (1, "")
    assert isinstance(done.exception, FirmographError)
    return done.exception.message


def misused(done: Result) -> str:
    assert (done.exit_code, done.stdout) == (2, "")
    return " ".join(done.stderr.replace("│", "").split())


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("--title engineer", "Bea Cy"),
        ("--title sales --title engineer", "Ann Bea Cy Dee"),
        ("--title engineer --country US", "Bea"),
        ("--exclude-title engineer", "Ann Dee"),
        ("--exact-title vp", ""),
        ("--exact-title 'vp of sales'", "Ann"),
        ("--normal-title 'Vice President Sales'", "Ann"),
        ("--name ann", "Ann"),
        ("--department Sales", "Ann Dee"),
        ("--seniority VP --seniority Manager", "Ann Dee"),
        ("--seniority 8", "Ann"),
        ("--skill go", "Bea"),
        ("--has phone", "Ann Dee"),
        ("--has phone --has work_email --all-has", "Ann"),
        ("--country Germany", "Cy Dee"),
        ("--grouping DACH", "Cy Dee"),
        ("--country US --country DE --city Austin --city Berlin", "Bea Cy Dee"),
        ("--country DE --city Austin", ""),
        ("--state Ohio", "Ann"),
        ("--title sales --title engineer --exclude-country DE --exclude-city Austin", "Ann"),
        ("--company acme", "Ann Bea"),
        ("--domain birch.example.com", "Cy Dee"),
        ("--size 100-200", "Ann Bea"),
        ("--size 51-", "Ann Bea"),
        ("--size -50", "Cy Dee"),
        ("--size 120", "Ann Bea"),
        ("--revenue 20M-1b", "Ann Bea"),
        ("--founded 2010+", "Ann Bea"),
        ("--industry finance", "Cy Dee"),
        ("--industry 17", "Ann Bea"),
        ("--sub-industry 129", "Ann Bea"),
        ("--technology thanos", "Ann Bea Cy Dee"),
        ("--technology thanos --technology 'Argo CD' --all-technologies", "Ann Bea"),
        ("--search 'acme engineer'", "Bea"),
        ("--title sales --exclude-dnc", "Dee"),
        ("--title sales --title engineer --no-partial", "Ann Bea Dee"),
    ],
)
def test_options_find_people(run, words, found):
    assert names(run("contacts", *shlex.split(words), "--json")) == set(found.split())


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("--technology thanos", {"Acme Inc", "Birch GmbH"}),
        ("--technology thanos --exclude-technology 'argo cd'", {"Birch GmbH"}),
        ("--country DE", {"Birch GmbH"}),
        ("--title engineer --seniority manager --country DE", set()),
        ("--title sales --has mobile_phone", {"Acme Inc"}),
        ("--search 'acme software'", {"Acme Inc"}),
        ("--company birch --partial", {"Birch GmbH"}),
    ],
)
def test_options_find_companies(run, words, found):
    assert names(run("companies", *shlex.split(words), "--json")) == found


EXAMPLES = {"--size": "1-5", "--revenue": "1-5", "--founded": "1-5", "--domain": "example.com"} | {
    "--department": "Sales", "--seniority": "Director", "--has": "phone", "--industry": "1", "--sub-industry": "1"
}  # fmt: skip


@pytest.mark.parametrize("entity", Entity)
def test_every_filter_option_has_a_twin_that_excludes(run, entity):
    words = [
        word
        for filter in FILTERS[entity]
        if filter.side == CONTACTS
        or entity is Entity.CONTACT
        or filter.option not in ("search", "technology")
        for prefix in ("--", "--exclude-")
        for word in (prefix + filter.option, EXAMPLES.get(f"--{filter.option}", "x"))
    ]
    kind = CONTACTS if entity is Entity.CONTACT else COMPANIES
    assert names(run(kind, *words, "--json")) == set()


# --- the body ---


def body(**criteria: object) -> dict[str, object]:
    return {"filters": {"contacts": {"include": criteria}}}


def test_a_body_says_the_same_as_options(run, tmp_path):
    file = tmp_path / "body.json"
    file.write_text(json.dumps(body(jobTitles=["engineer"])))
    assert names(run("contacts", "--filters", file, "--json")) == {"Bea", "Cy"}
    assert names(run("contacts", "--filters", "-", "--json", given=file.read_text())) == {"Bea", "Cy"}


def test_options_narrow_what_a_body_asks_for(run):
    given = json.dumps(body(jobTitles=["engineer"]) | {"options": {"includePartialProfiles": False}})
    assert (
        names(run("contacts", "--filters", "-", "--domain", "birch.example.com", "--json", given=given))
        == set()
    )
    words = ("--domain", "birch.example.com", "--partial")
    assert names(run("contacts", "--filters", "-", *words, "--json", given=given)) == {"Cy"}


def test_what_a_body_says_already_may_not_be_said_again(run):
    done = run("contacts", "--filters", "-", "--title", "x", given=json.dumps(body(jobTitles=["engineer"])))
    assert "--title: filters.contacts.include.jobTitles stands in the file too" in misused(done)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("{", "The body is not valid JSON"),
        (
            '{"filters": {"contacts": {"include": {"jobTitle": ["x"]}}}}',
            "filters.contacts.include.property jobTitle",
        ),
        ('{"filters": {"contacts": []}}', "filters.contacts must be an object"),
        (
            '{"filters": {"contacts": {"include": {"departments": ["Sails"]}}}}',
            "departments.0 must be a known value",
        ),
        ('{"pagination": {"size": 5}}', "pagination.size must be at least 10"),
        ("{}", "filters must have at least one include or exclude value"),
    ],
)
def test_a_body_is_checked_as_strictly_as_by_the_api(run, given, says):
    assert says in refusal(run("contacts", "--filters", "-", given=given))


def test_options_do_not_hide_what_is_wrong_in_a_body(run):
    given = '{"filters": {"contacts": {"include": []}}}'
    done = run("contacts", "--filters", "-", "--title", "x", given=given)
    assert refusal(done) == "filters.contacts.include must be an object"


def test_the_pagination_of_a_body_says_where_to_begin(run):
    given = json.dumps(body(locations=[{"continent": "Europe"}]) | {"pagination": {"page": 1, "size": 10}})
    assert json.loads(run("contacts", "--filters", "-", "--json", given=given).stdout) == {
        "total": 2,
        "results": [],
    }
    assert names(run("contacts", "--filters", "-", "--json", "--all", given=given)) == {"Cy", "Dee"}


def test_a_body_that_is_not_there_is_refused(run, tmp_path):
    assert "none.json cannot be read" in refusal(run("contacts", "--filters", tmp_path / "none.json"))


# --- wrong usage ---


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--size 51..200", "--size: write MIN-MAX such as 51-200"),
        ("--size -", "--size: write MIN-MAX"),
        ("--exclude-seniority boss", "--exclude-seniority: 'boss' is none of Founder"),
        ("--industry 99", "--industry: no main industry has the id 99"),
        ("--sub-industry other", "--sub-industry: 'other' is a part of several main industries"),
        ("--title x --all --limit 5", "--all: cannot stand with --limit"),
        ("--title x --json --format csv", "--json: cannot stand with another --format"),
        ("--title x --output people", "--output: say --format csv"),
        ("--max-per-company 21", "--max-per-company"),
        ("--titel x", "No such option: --titel"),
    ],
)
def test_a_mistaken_option_is_named(run, words, says):
    assert says in misused(run("contacts", *words.split()))


def test_values_that_the_filters_refuse_are_named_by_their_path(run):
    message = refusal(run("contacts", "--has", "fax"))
    assert message.startswith("filters.contacts.include.existingDataPoints.0 must be one of: phone, ")


# --- what is shown ---

SALES = ("contacts", "--title", "sales")


def test_a_table_shows_the_first_rows_and_the_exact_total(run):
    lines = run(*SALES, "--limit", 1).stdout.splitlines()
    assert lines[0].split() == ["ID", "NAME", "TITLE", "COMPANY", "DOMAIN", "COUNTRY", "LINKEDIN"]
    assert re.fullmatch(
        r"v1\.\S{32}  Ann Roe +VP of Sales +Acme Inc +acme\.example\.com +United States +\S+/in/ann-roe *",
        lines[1],
    )
    assert lines[2:] == ["1 of 2 contacts; --all shows all of them"]


def test_nothing_found_is_said(run):
    assert run("contacts", "--title", "astronaut").stdout == "No contacts match\n"


def test_csv_json_lines_and_json_hold_the_same_rows_in_the_same_order(run):
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
    shown = {row["name"]: (row["domain"], row["employeeCount"], row["country"]) for row in table}
    assert shown == {
        "Acme Inc": ("acme.example.com", "120", "United States"),
        "Birch GmbH": ("birch.example.com", "11-50", "Germany"),
    }


def test_previews_show_neither_emails_nor_phones(run):
    done = run("contacts", "--name", "ann", "--json")
    assert json.loads(done.stdout)["results"][0]["has"]
    assert "ann@acme" not in done.stdout
    assert "5550101" not in done.stdout


def test_at_most_so_many_people_of_each_company(run):
    words = ("contacts", "--title", "sales", "--title", "engineer", "--max-per-company", 1)
    found = json.loads(run(*words, "--json").stdout)
    assert found["total"] == 2
    assert len({row["company"]["name"] for row in found["results"]}) == 2


def test_a_file_says_by_its_name_what_it_holds(run, tmp_path):
    assert run(*SALES, "--output", tmp_path / "people.jsonl").stdout == ""
    assert run(*SALES, "--output", tmp_path / "people.CSV").stderr == "2 of 2 contacts\n"
    assert run(*SALES, "--output", tmp_path / "people.txt", "--json").stdout == ""
    assert len((tmp_path / "people.jsonl").read_text().splitlines()) == 2
    assert (tmp_path / "people.CSV").read_text().startswith("id,firstName,")
    assert json.loads((tmp_path / "people.txt").read_text())["total"] == 2
    assert len(list(tmp_path.iterdir())) == 3


def test_a_file_that_cannot_be_written_is_refused_and_leaves_nothing(run, tmp_path):
    (tmp_path / "people.csv").mkdir()
    assert "people.csv cannot be written" in refusal(run(*SALES, "--output", tmp_path / "people.csv"))
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_long_exports_show_a_bar_and_hold_every_row(run, monkeypatch):
    monkeypatch.setattr(search, "LONG", 1)
    monkeypatch.setattr(search, "_NUMBERS", 2)
    monkeypatch.setattr(search, "_RECORDS", 1)
    words = ("contacts", "--title", "sales", "--title", "engineer", "--all", "--format", "jsonl")
    done = run(*words)
    assert {json.loads(line)["firstName"] for line in done.stdout.splitlines()} == {"Ann", "Bea", "Cy", "Dee"}
    assert re.search(r"^Writing .*4/4", done.stderr, re.MULTILINE)


@pytest.mark.parametrize("kind", [CONTACTS, COMPANIES])
def test_help_teaches_by_two_examples(run, kind):
    help = run(kind, "--help").stdout
    assert help.count(f"firmograph prospect {kind} --") == 2
    assert "--exclude-" in help


# --- the index ---


@pytest.fixture
def own(stocked, tmp_path) -> Path:
    """A copy of the database, for changes."""
    for path in stocked.parent.glob("firmograph.db*"):
        if not path.name.startswith("firmograph.db.search"):
            shutil.copy(path, tmp_path)
    return tmp_path / "firmograph.db"


def test_the_index_is_made_once_and_read_from_its_checkpoint_after_that(own):
    run = _runner(own)
    first, second = run(*SALES, "--json"), run(*SALES, "--json")
    assert "Search index" in first.stderr
    assert second.stderr == ""
    assert first.stdout == second.stdout


def test_what_changed_since_the_checkpoint_is_found_and_nobody_who_was_suppressed(own, tmp_path):
    run = _runner(own)
    assert names(run(*SALES, "--json")) == {"Ann", "Dee"}
    (tmp_path / "more.jsonl").write_text(json.dumps(person("Eli", "Sales Director", "acme")))
    CliRunner().invoke(ingest.app, ["contacts", str(tmp_path / "more.jsonl")], env=_environment(own))
    out = CliRunner().invoke(
        privacy.app, ["suppress", "--email", "ann@acme.example.com"], env=_environment(own)
    )
    assert out.exit_code == 0
    assert names(run(*SALES, "--json")) == {"Dee", "Eli"}


def test_a_checkpoint_that_is_far_behind_is_renewed(own, tmp_path, monkeypatch):
    monkeypatch.setattr(search, "LONG", 1)
    run, more = _runner(own), tmp_path / "more.jsonl"
    run(*SALES)
    more.write_text(
        "".join(json.dumps(person(name, "Sales Clerk", "acme")) + "\n" for name in ("Eli", "Flo"))
    )
    CliRunner().invoke(ingest.app, ["contacts", str(more)], env=_environment(own))
    assert "Search index" in run(*SALES, "--limit", 1).stderr
    assert run(*SALES, "--limit", 1).stderr == ""


# --- the command itself ---


def test_a_damaged_checkpoint_is_made_again_and_told_of_on_stderr(own, tmp_path):
    _runner(own)(*SALES)
    checkpoint = own.with_name("firmograph.db.search")
    checkpoint.write_bytes(checkpoint.read_bytes()[:-1])
    done = Command(tmp_path, own)("prospect", *SALES, "--json")
    assert json.loads(done.stdout)["total"] == 2
    assert "it is damaged" in done.stderr
    assert names(_runner(own)(*SALES, "--json")) == {"Ann", "Dee"}


def test_the_command_prints_json_alone_and_a_refusal_as_one_line(own, tmp_path):
    command = Command(tmp_path, own)
    done = command("prospect", *SALES, "--json")
    assert (done.returncode, json.loads(done.stdout)["total"]) == (0, 2)
    failed = command("prospect", "contacts", "--department", "Sails")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert re.fullmatch(r"Error: filters\.contacts\.include\.departments\.0 must be [^\n]+\n", failed.stderr)
    assert command("prospect", "contacts", "--size", "many").returncode == 2


def test_an_output_that_takes_no_more_is_one_line(own, tmp_path):
    command = Command(tmp_path, own)
    line = f"{sys.executable} -m firmograph.cli.main prospect contacts --title sales --format csv > /dev/full"
    done = subprocess.run(["sh", "-c", line], env=command.environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "Error: The output cannot be written: No space left on device"


# --- the guide ---

GUIDE = (Path(__file__).parents[2] / "docs" / "prospecting.md").read_text()
CODE = re.compile("`([^`]+)`")


@pytest.mark.parametrize(
    ("title", "criteria"), [("contacts", ContactCriteria), ("companies", CompanyCriteria)]
)
def test_the_guide_tells_of_every_filter_and_of_no_other(title, criteria):
    section = re.split(r"\n##+ ", GUIDE.partition(f"## Filters of {title}\n")[2])[0]
    told = {name for row in re.findall(r"^\| (`.+?) \|", section, re.MULTILINE) for name in CODE.findall(row)}
    assert told == set(criteria.__struct_encode_fields__)


def test_the_guide_tells_of_every_option():
    options = {filter.option for filters in FILTERS.values() for filter in filters} | {*PLACES, *CONDITIONS}
    section = GUIDE.partition("## `firmograph prospect`\n")[2].partition("\n## ")[0]
    told = {
        name[2:]
        for row in re.findall(r"^\| (`--.+?) \|", section, re.MULTILINE)
        for name in CODE.findall(row)
    }
    assert told == options | {"max-per-company", "exclude-dnc", "partial", "no-partial"}


def test_the_examples_of_the_guide_can_be_run(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bodies = re.findall(r"/v3/(contacts|companies)/prospecting \\\n[^\n]*\n  -d '(.+?)'", GUIDE, re.DOTALL)
    assert len(bodies) == 4
    for kind, given in bodies:
        assert run(kind, "--filters", "-", given=given).exit_code == 0
    (tmp_path / "body.json").write_text(bodies[-1][1])
    lines = re.findall(r"^firmograph prospect (.+)", GUIDE, re.MULTILINE)
    assert len(lines) == 4
    for line in lines:
        assert run(*shlex.split(line.partition(" >")[0])).exit_code == 0
