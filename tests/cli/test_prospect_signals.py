"""`firmograph prospect --signal`: the filter by signals as options."""

import json
import shlex
import shutil
from collections.abc import Iterator
from datetime import timedelta

import pytest
from prospect_command import Run, Stocked, misused, names, refusal, runner

import database_fixtures
from firmograph.database.connection import Database
from firmograph.kit.clock import SystemClock, today
from firmograph.security.record_ids import Entity
from signal_factory import put_detected
from stored_records import stored_companies, stored_contacts

pytestmark = pytest.mark.any_database

FUTURE = today(SystemClock()) + timedelta(2)


@pytest.fixture(scope="module")
def active(stocked, tmp_path_factory) -> Iterator[Run]:
    """Return the same people and companies, some with recent signals."""
    folder = tmp_path_factory.mktemp("active")
    shutil.copy(stocked.folder / "keys", folder)
    own = Stocked(database_fixtures.copy(stocked.url, folder), folder)
    database = Database(own.url)
    people = {record.first_name: number for number, (record, _) in stored_contacts(database).items()}
    firms = {record.name: number for number, record in stored_companies(database).items()}
    put_detected(
        database,
        Entity.CONTACT,
        (people["Ann"], "promotion", "2026-01-05"),
        (people["Bea"], "companyChange", "2024-01-05"),
    )
    put_detected(database, Entity.COMPANY, (firms["Birch GmbH"], "headcountIncrease3m", "2026-01-05"))
    database.close()
    yield runner(own)
    database_fixtures.drop(own.url)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("contacts --signal promotion", {"Ann"}),
        ("contacts --signal promotion --signal companyChange", {"Ann", "Bea"}),
        ("contacts --signal allSignals --signal-since 2026-01-01", {"Ann"}),
        ("contacts --exclude-signal allSignals", {"Cy", "Dee"}),
        ("contacts --exclude-signal allSignals --exclude-signal-since 2026-01-05", {"Bea", "Cy", "Dee"}),
        ("companies --signal headcountIncrease3m --country DE", {"Birch GmbH"}),
        ("companies --signal riskNews", set()),
    ],
)
def test_options_find_records_with_signals(active, words, found):
    assert names(active(*shlex.split(words), "--json")) == found


def test_rows_show_the_matching_signals(active):
    printed = json.loads(active("contacts", "--signal", "allSignals", "--json").stdout)
    assert {row["firstName"]: row["signalTypes"] for row in printed["results"]} == {
        "Ann": ["promotion"],
        "Bea": ["companyChange"],
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--signal hired", "filters.contacts.include.signals.types.0 must be one of: allSignals, promotion"),
        ("--signal-since 2026-01-01", "filters.contacts.include.signals.types must have at least 1 element"),
        (
            f"--signal promotion --signal-since {FUTURE}",
            "filters.contacts.include.signals.startDate must not be",
        ),
    ],
)
def test_an_error_of_the_filter_is_named(active, words, message):
    assert message in refusal(active("contacts", *words.split()))


def test_signals_in_options_and_in_a_file_are_refused(active):
    given = json.dumps({"filters": {"contacts": {"include": {"signals": {"types": ["promotion"]}}}}})
    done = active("contacts", "--filters", "-", "--signal", "companyChange", given=given)
    assert "--signal: filters.contacts.include.signals is also in the file" in misused(done)
