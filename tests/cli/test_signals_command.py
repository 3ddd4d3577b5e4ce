"""`firmograph signals list`: stored signals."""

import json
from pathlib import Path

import pytest
from detected_signals import grown, moved
from typer.testing import CliRunner

from firmograph.cli import ingest
from firmograph.cli.signals import commands
from firmograph.cli.signals.commands import app
from firmograph.cli.signals.summary import summarise
from firmograph.directory.identity import Digests
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity, RecordIds

pytestmark = pytest.mark.any_database

SAMPLES = Path(__file__).parents[2] / "docs" / "samples"


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def listed(*words):
    done = run("list", "--json", *words)
    assert done.exit_code == 0, done.exception
    return json.loads(done.stdout)


def days(*words):
    return [(one["type"], one["signalDate"]) for one in listed(*words)]


# --- list ---


def test_the_json_array_contains_all_fields_of_each_signal(store_detected, first_keyring):
    store_detected(grown(1, "2025-02-01"), at=1_780_000_000.5)
    token, legacy = (
        RecordIds(first_keyring).seal(Entity.COMPANY, 1),
        RecordIds(first_keyring).legacy(Entity.COMPANY, 1),
    )
    identity = grown(1, "2025-02-01").identity(Digests(first_keyring)).hex()
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


def test_a_persons_signal_names_person_and_employer(store_detected):
    store_detected(moved(1, "2025-02-01"))
    (one,) = listed()
    assert (one["entity"], one["name"], one["companyName"]) == ("contact", "Ann Roe", "New Ltd")
    assert one["event"]["previousCompany"] == "Old Ltd"
    assert one["summary"] == "Clerk at Old Ltd → Head of Sales at New Ltd"


def test_the_newest_come_first(store_detected):
    store_detected(grown(1, "2025-02-01"), moved(1, "2025-03-01"), grown(2, "2025-01-01"))
    store_detected(grown(2, "2025-02-01"))
    assert [(one["name"], one["signalDate"]) for one in listed()] == [
        ("Ann Roe", "2025-03-01"),
        ("New Ltd", "2025-02-01"),
        ("Old Ltd", "2025-02-01"),
        ("New Ltd", "2025-01-01"),
    ]


def test_types_are_narrowed_in_any_case(store_detected):
    store_detected(grown(1, "2025-02-01"), grown(1, "2025-02-01", "3m"), moved(1, "2025-01-01"))
    assert days("--type", "companychange", "--type", "headcountIncrease3M") == [
        ("headcountIncrease3m", "2025-02-01"),
        ("companyChange", "2025-01-01"),
    ]


@pytest.mark.any_database
def test_an_unknown_type_is_wrong_usage_and_the_types_are_listed(ann_and_companies):
    done = run("list", "--type", "gossip")
    assert done.exit_code == 2
    assert "companyChange" in done.stderr


def test_days_are_narrowed_at_both_ends(store_detected):
    store_detected(*(grown(1, f"2025-0{month}-01") for month in range(1, 6)))
    assert [day for _, day in days("--since", "2025-02-01", "--until", "2025-04-01")] == [
        "2025-04-01",
        "2025-03-01",
        "2025-02-01",
    ]


def test_a_future_day_is_not_listed(store_detected, monkeypatch):
    store_detected(*(grown(1, day) for day in ("2025-02-28", "2025-03-01", "2025-03-02")))
    monkeypatch.setattr(commands, "SystemClock", lambda: SetClock(1_740_787_200.0))
    assert (
        [day for _, day in days()]
        == [day for _, day in days("--until", "2025-03-02")]
        == ["2025-03-01", "2025-02-28"]
    )
    assert [day for _, day in days("--until", "2025-02-28")] == ["2025-02-28"]


def test_a_record_is_named_by_its_id_and_a_company_by_its_domain_too(store_detected, first_keyring):
    store_detected(grown(1, "2025-01-01"), grown(2, "2025-02-01"), moved(1, "2025-03-01"))
    tokens = RecordIds(first_keyring)
    company, number = tokens.seal(Entity.COMPANY, 1), tokens.legacy(Entity.COMPANY, 1)
    for words in (company, number, "old.example.com", "https://www.old.example.com/", "Old Ltd"):
        assert days("--company", words) == [("headcountIncrease1m", "2025-01-01")]
    assert days("--contact", tokens.seal(Entity.CONTACT, 1)) == [("companyChange", "2025-03-01")]


@pytest.mark.any_database
@pytest.mark.parametrize("words", [("--company", "nobody.example.com"), ("--contact", "Ann Roe")])
def test_an_unknown_record_is_refused(ann_and_companies, words):
    done = run("list", *words)
    assert isinstance(done.exception, Refused)
    assert words[1] in str(done.exception)


@pytest.mark.any_database
def test_two_records_at_once_are_wrong_usage(ann_and_companies):
    assert run("list", "--company", "1", "--contact", "1").exit_code == 2


@pytest.mark.any_database
def test_a_table_shows_some_signals_and_says_that_there_are_more(store_detected):
    store_detected(*(grown(1, f"2025-{month:02}-{day:02}") for month in range(1, 13) for day in range(1, 11)))
    done = run("list")
    assert len(done.stdout.splitlines()) == 1 + 50
    assert done.stderr == "These are the newest 50\n"
    assert len(run("list", "--limit", "120").stdout.splitlines()) == 1 + 120
    assert len(listed()) == 120
    assert len(listed("--limit", "7")) == 7


@pytest.mark.any_database
def test_no_signals_are_an_empty_array_and_a_header(ann_and_companies):
    assert listed() == []
    done = run("list")
    assert (done.stdout, done.stderr) == ("DATE\tTYPE\tNAME\tCOMPANY\tSIGNAL\n", "")


@pytest.mark.any_database
def test_control_sequences_are_not_printed(store_detected, tmp_path):
    path = tmp_path / "more.jsonl"
    path.write_text('{"name": "Evil\\u001b[2J Ltd", "domain": "evil.example.com"}\n')
    assert CliRunner().invoke(ingest.app, ["companies", str(path)]).exit_code == 0
    store_detected(grown(3, "2025-01-01"))
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


@pytest.mark.any_database
@pytest.mark.parametrize("type", LINES)
def test_a_signal_in_one_line(type):
    event, line = LINES[type]
    assert summarise(type, event) == line
