"""`firmograph signals list|watch`: stored signals, and new ones."""

import json
import queue
import signal
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner

from command_fixtures import InProcess
from firmograph.cli import ingest
from firmograph.cli.signals import commands
from firmograph.cli.signals.commands import app
from firmograph.cli.signals.summary import summarise
from firmograph.cli.signals.watch import Watch
from firmograph.database.connection import RECORDS, Database
from firmograph.database.schema import prepare
from firmograph.directory.identity import Digests
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Refused
from firmograph.security.keyring import load_keyring
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals import events, store
from firmograph.signals.events import Detected
from server_fixtures import Command
from services.postgresql import PostgreSQL

SAMPLES = Path(__file__).parents[2] / "docs" / "samples"


def grown(company, day, months="1m"):
    event = events.HeadcountChange(100, 120, 20)
    return Detected(Entity.COMPANY, company, f"headcountIncrease{months}", day, day, event)


def moved(contact, day, type="companyChange"):
    event = events.JobMove(
        2, "New Ltd", "new.example.com", "Head of Sales", "Sales", "Director", 1, "Old Ltd", "old.example.com", "Clerk"
    )  # fmt: skip
    return Detected(Entity.CONTACT, contact, type, day, day, event)


@pytest.fixture
def stocked(database_url, database, monkeypatch, tmp_path):
    """Store Old Ltd and New Ltd, and Ann, who works at New Ltd."""
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", database_url)
    companies = tmp_path / "companies.csv"
    companies.write_text("name,domain\nOld Ltd,old.example.com\nNew Ltd,new.example.com\n")
    people = tmp_path / "people.csv"
    people.write_text("Full Name,Email,Company\nAnn Roe,ann@new.example.com,New Ltd\n")
    for kind, path in (("companies", companies), ("contacts", people)):
        assert CliRunner().invoke(ingest.app, [kind, str(path)]).exit_code == 0
    return database


@pytest.fixture
def keyring(tmp_path):
    return load_keyring(next(tmp_path.glob("*.keys")))


@pytest.fixture
def put(stocked, keyring):
    return lambda *detected, at=1_780_000_000.0: put_in(stocked, keyring, detected, at)


def put_in(database, keyring, detected, at=1_780_000_000.0):
    with database.write(RECORDS) as session:
        store.store_signals(session, Digests(keyring), detected, at)


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def listed(*words):
    done = run("list", "--json", *words)
    assert done.exit_code == 0, done.exception
    return json.loads(done.stdout)


def days(*words):
    return [(one["type"], one["signalDate"]) for one in listed(*words)]


# --- list ---


def test_the_json_array_contains_all_fields_of_each_signal(put, keyring):
    put(grown(1, "2025-02-01"), at=1_780_000_000.5)
    token, legacy = RecordIds(keyring).seal(Entity.COMPANY, 1), RecordIds(keyring).legacy(Entity.COMPANY, 1)
    identity = grown(1, "2025-02-01").identity(Digests(keyring)).hex()
    assert listed() == [
        {
            "signalId": identity,
            "type": "headcountIncrease1m",
            "signalDate": "2025-02-01",
            "detectedAt": "2026-05-28T20:26:40.500Z",
            "entity": "company",
            "id": token,
            "name": "Old Ltd",
            "domain": "old.example.com",
            "summary": "100 → 120 people in 1 month (+20 %)",
            "event": {
                "companyId": str(legacy),
                "signalId": identity,
                "signalDate": "2025-02-01",
                "baselineEmployeesCount": 100,
                "newEmployeesCount": 120,
                "changeRatePercent": 20,
                "companyName": "Old Ltd",
                "domain": "old.example.com",
            },
        }
    ]


def test_a_persons_signal_names_person_and_employer(put):
    put(moved(1, "2025-02-01"))
    (one,) = listed()
    assert (one["entity"], one["name"], one["companyName"]) == ("contact", "Ann Roe", "New Ltd")
    assert one["event"]["previousCompany"] == "Old Ltd"
    assert one["summary"] == "Clerk at Old Ltd → Head of Sales at New Ltd"


def test_the_newest_come_first(put):
    put(grown(1, "2025-02-01"), moved(1, "2025-03-01"), grown(2, "2025-01-01"))
    put(grown(2, "2025-02-01"))
    assert [(one["name"], one["signalDate"]) for one in listed()] == [
        ("Ann Roe", "2025-03-01"),
        ("New Ltd", "2025-02-01"),
        ("Old Ltd", "2025-02-01"),
        ("New Ltd", "2025-01-01"),
    ]


def test_types_are_narrowed_in_any_case(put):
    put(grown(1, "2025-02-01"), grown(1, "2025-02-01", "3m"), moved(1, "2025-01-01"))
    assert days("--type", "companychange", "--type", "headcountIncrease3M") == [
        ("headcountIncrease3m", "2025-02-01"),
        ("companyChange", "2025-01-01"),
    ]


def test_an_unknown_type_is_wrong_usage_and_the_types_are_listed(stocked):
    done = run("list", "--type", "gossip")
    assert done.exit_code == 2
    assert "companyChange" in done.stderr


def test_days_are_narrowed_at_both_ends(put):
    put(*(grown(1, f"2025-0{month}-01") for month in range(1, 6)))
    assert [day for _, day in days("--since", "2025-02-01", "--until", "2025-04-01")] == [
        "2025-04-01",
        "2025-03-01",
        "2025-02-01",
    ]


def test_a_future_day_is_not_listed(put, monkeypatch):
    put(*(grown(1, day) for day in ("2025-02-28", "2025-03-01", "2025-03-02")))
    monkeypatch.setattr(commands, "SystemClock", lambda: SetClock(1_740_787_200.0))
    assert (
        [day for _, day in days()]
        == [day for _, day in days("--until", "2025-03-02")]
        == ["2025-03-01", "2025-02-28"]
    )
    assert [day for _, day in days("--until", "2025-02-28")] == ["2025-02-28"]


def test_a_record_is_named_by_its_id_and_a_company_by_its_domain_too(put, keyring):
    put(grown(1, "2025-01-01"), grown(2, "2025-02-01"), moved(1, "2025-03-01"))
    tokens = RecordIds(keyring)
    company, number = tokens.seal(Entity.COMPANY, 1), tokens.legacy(Entity.COMPANY, 1)
    for words in (company, number, "old.example.com", "https://www.old.example.com/", "Old Ltd"):
        assert days("--company", words) == [("headcountIncrease1m", "2025-01-01")]
    assert days("--contact", tokens.seal(Entity.CONTACT, 1)) == [("companyChange", "2025-03-01")]


@pytest.mark.parametrize("words", [("--company", "nobody.example.com"), ("--contact", "Ann Roe")])
def test_an_unknown_record_is_refused(stocked, words):
    done = run("list", *words)
    assert isinstance(done.exception, Refused)
    assert words[1] in str(done.exception)


def test_two_records_at_once_are_wrong_usage(stocked):
    assert run("list", "--company", "1", "--contact", "1").exit_code == 2


def test_a_table_shows_some_signals_and_says_that_there_are_more(put):
    put(*(grown(1, f"2025-{month:02}-{day:02}") for month in range(1, 13) for day in range(1, 11)))
    done = run("list")
    assert len(done.stdout.splitlines()) == 1 + 50
    assert "These are the newest 50; --limit shows more." in done.stderr
    assert len(run("list", "--limit", "120").stdout.splitlines()) == 1 + 120
    assert len(listed()) == 120
    assert len(listed("--limit", "7")) == 7


def test_no_signals_are_an_empty_array_and_no_table(stocked):
    assert listed() == []
    done = run("list")
    assert (done.stdout, done.stderr) == ("", "No signals.\n")


def test_control_sequences_are_not_printed(put, tmp_path):
    path = tmp_path / "more.jsonl"
    path.write_text('{"name": "Evil\\u001b[2J Ltd", "domain": "evil.example.com"}\n')
    assert CliRunner().invoke(ingest.app, ["companies", str(path)]).exit_code == 0
    put(grown(3, "2025-01-01"))
    output = run("list").stdout
    assert "Evil" in output
    assert "\x1b" not in output


# --- one line for each type ---

HIRING = ("newJobsPostedLast4Weeks", "historicalAvg", "changeRatePercent")
LINES = {
    "promotion": (
        {"previousTitle": "Clerk", "currentTitle": "Head of Sales", "currentCompanyName": "New Ltd"},
        "Clerk → Head of Sales at New Ltd",
    ),
    "companyChange": (
        {
            "previousTitle": "",
            "previousCompanyName": "Old Ltd",
            "currentTitle": "Clerk",
            "currentCompanyName": "New Ltd",
        },
        "Old Ltd → Clerk at New Ltd",
    ),
    "headcountDecrease12m": (
        {"baselineEmployeesCount": 2000, "newEmployeesCount": 1500, "changeRatePercent": -25},
        "2,000 → 1,500 people in 12 months (-25 %)",
    ),
    "websiteTrafficIncrease": (
        {"historicalAvg": 1000.5, "lastMonthVisits": 2001, "changeRatePercent": 100},
        "2,001 visits, 1,000.5 on average (+100 %)",
    ),
    "itSpendIncrease": (
        {"estimatedAnnualItSpend": 1_200_000, "changeRatePercent": 20},
        "$1,200,000 a year (+20 %)",
    ),
    "surgeInHiring": (
        {"newJobsPostedLastWeek": 12, "historicalAvg": 3.5, "changeRatePercent": 243},
        "12 new jobs in a week, 3.5 on average (+243 %)",
    ),
    "surgeInHiringByDepartment": (
        {"department": "Sales", **dict(zip(HIRING, (12, 4, 200), strict=True))},
        "Sales: 12 new jobs in 4 weeks, 4 on average (+200 %)",
    ),
    "surgeInHiringByLocation": (
        {"country": "Germany", "state": None, **dict(zip(HIRING, (12, 4, 200), strict=True))},
        "Germany: 12 new jobs in 4 weeks, 4 on average (+200 %)",
    ),
    "riskNews": ({"eventType": "lawsuit faced", "articleTitle": "Sued"}, "lawsuit faced: Sued"),
    "linkedinActivityIntent": (
        {"author": {"fullName": "Ann Roe"}, "intentTopics": [{"topic": "Cloud"}, {"topic": "Data"}]},
        "Ann Roe: Cloud, Data",
    ),
}


@pytest.mark.parametrize("type", LINES)
def test_a_signal_in_one_line(type):
    event, line = LINES[type]
    assert summarise(type, event) == line


# --- watch ---


class Watching:
    """`firmograph signals watch` in a process of its own; reading its lines waits for them."""

    def __init__(self, command, *options):
        self.process = command.start("signals", "watch", *options)
        self._lines = {name: queue.Queue() for name in ("stdout", "stderr")}
        self._readers = [
            threading.Thread(target=self._read, args=(getattr(self.process, name), lines), daemon=True)
            for name, lines in self._lines.items()
        ]
        for reader in self._readers:
            reader.start()
        assert "Watching for signals" in self.message()

    @staticmethod
    def _read(stream, lines):
        for line in stream:
            lines.put(line)

    def line(self):
        return self._lines["stdout"].get(timeout=60)

    def message(self):
        return self._lines["stderr"].get(timeout=60)

    def end(self, number=signal.SIGINT):
        """Interrupt the process and return its exit code, once nothing is left to read."""
        self.process.send_signal(number)
        code = self.process.wait(timeout=60)
        for reader in self._readers:
            reader.join()
        assert [lines.qsize() for lines in self._lines.values()] == [0, 0]
        return code


@pytest.fixture
def watch():
    """Return a function that starts a watch with some options of a command."""
    watches = []

    def start(command, *options):
        watches.append(Watching(command, *options))
        return watches[-1]

    yield start
    for each in watches:
        each.process.kill()
        each.process.wait()


def test_signals_are_printed_as_imports_detect_them(stocked, command, watch):
    assert (
        CliRunner()
        .invoke(ingest.app, ["companies", str(SAMPLES / "companies.jsonl"), "--rejects", "r"])
        .exit_code
        == 0
    )
    watching = watch(command)
    words = ["headcounts", str(SAMPLES / "headcounts.csv"), "--rejects", "r"]
    assert CliRunner().invoke(ingest.app, words).exit_code == 0
    lines = sorted(watching.line().split("  ")[:3] for _ in range(2))
    assert lines == [
        [
            "2026-03-31",
            "headcountDecrease1m",
            "Birch & Sons, birch.example: 59 → 41 people in 1 month (-31 %)",
        ],
        ["2026-03-31", "headcountIncrease1m", "Acme, acme.example: 104 → 118 people in 1 month (+13 %)"],
    ]
    assert watching.end() == 0


def test_a_watch_may_start_with_earlier_signals(put, command, watch):
    put(moved(1, "2025-01-01"), grown(1, "2025-03-01"))
    put(grown(1, "2025-02-01"))
    watching = watch(command, "--json", "--from-start", "--type", "headcountIncrease1m")
    rows = [json.loads(watching.line()) for _ in range(2)]
    assert [row["signalDate"] for row in rows] == ["2025-03-01", "2025-02-01"]
    put(moved(1, "2025-04-01"), grown(2, "2025-04-01"))
    assert json.loads(watching.line())["name"] == "New Ltd"
    assert watching.end(signal.SIGTERM) == 0


@pytest.mark.postgresql
def test_a_watch_continues_when_a_lost_database_is_back(tmp_path, monkeypatch, watch):
    monkeypatch.chdir(tmp_path)
    server = PostgreSQL(synchronous_commit="on").start()
    try:
        url = server.create("watched")
        database = Database(url)
        prepare(database)
        command = Command(tmp_path, url)
        companies = tmp_path / "companies.csv"
        companies.write_text("name,domain\nOld Ltd,old.example.com\n")
        assert InProcess(tmp_path, url)("import", "companies", str(companies)).returncode == 0
        keyring = load_keyring(next(tmp_path.glob("*.keys")))
        watching = watch(command, "--json")
        database.close()
        server.stop()
        assert "cannot be reached; waiting" in watching.message()
        server.start()
        assert "is available again" in watching.message()
        put_in(database, keyring, [grown(1, "2025-01-01")])
        assert json.loads(watching.line())["name"] == "Old Ltd"
        assert watching.end() == 0
        database.close()
    finally:
        server.remove()


def test_a_watch_defers_a_future_day_until_it_begins(stocked, keyring, put):
    clock, ended = SetClock(1_740_787_200.0), threading.Event()
    put(grown(1, "2025-03-02"), grown(1, "2025-03-01"), at=clock.seconds())
    watching = Watch(stocked, lambda session, signals: [one.day for one in signals], ended, print, clock)
    days_so_far = []
    for days in watching(0, ["headcountIncrease1m"]):
        days_so_far += days
        if not days and clock.seconds() > 1_740_787_200.0:
            ended.set()
        elif not days:
            assert days_so_far == ["2025-03-01"]
            clock.advance(86_400)
    assert days_so_far == ["2025-03-01", "2025-03-02"]
