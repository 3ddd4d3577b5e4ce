"""Commands `firmograph waterfall`."""

import json

import msgspec
import pytest
from fake_providers import FakeProvider, FakeProviders, in_place_of_the_file
from typer.testing import CliRunner

from firmograph.accounts.service import Accounts
from firmograph.bootstrap.packages import load_plans
from firmograph.cli.main import app
from firmograph.database.connection import Database
from firmograph.kit.clock import SetClock, SystemClock
from firmograph.operator_audit.service import read_actions
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.waterfall.asks import value_store
from firmograph.waterfall.providers.types import Found
from firmograph.waterfall.types import ProviderCall
from record_factory import KEYRING, contact, load_contacts

PHONE = Found(phones=("+1 202 555 0134",), first_name="Ada", last_name="Doe")


@pytest.fixture
def providers():
    with in_place_of_the_file(FakeProviders()) as providers:
        providers.add(FakeProvider("alpha", {"Ada": PHONE}), FakeProvider("beta", eu=True))
        yield providers


@pytest.fixture
def commands(database_url, monkeypatch):
    """Return the database of the commands, with an account."""
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", database_url)
    monkeypatch.setenv("FIRMOGRAPH_KEYS", msgspec.json.encode(KEYRING).decode())
    database = Database(database_url)
    Accounts(database, load_plans(), SetClock()).create("Acme")
    yield database
    database.close()


def run(*line):
    return CliRunner().invoke(app, ["waterfall", *line])


def shown(*line):
    answer = run(*line, "--json")
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.stdout)


def refusal(*line):
    answer = run(*line)
    assert answer.exit_code != 0
    return str(answer.exception or answer.output)


def test_providers_are_enabled_in_the_order_given_and_appended(providers, commands):
    shown("enable", "beta", "--account", "Acme", "--for", "phones", "--day-cap", "100")
    listed = shown("enable", "alpha", "beta", "--account", "Acme", "--contact-cap", "9")
    assert [(one["provider"], one["for"], one["contactCap"], one["dayCap"]) for one in listed] == [
        ("beta", ["phones"], 9, 100),
        ("alpha", ["emails", "phones"], 9, None),
    ]
    (lifted, _) = shown("enable", "beta", "--account", "Acme", "--day-cap", "0")
    assert lifted["dayCap"] is None
    assert "beta" in run("list", "--account", "Acme").stdout


def test_an_unknown_provider_is_refused_with_the_names_of_the_file(providers, commands):
    assert "did you mean alpha" in refusal("enable", "alpah", "--account", "Acme")
    assert shown("list", "--account", "Acme") == []


def test_providers_are_disabled_one_by_one_or_all(providers, commands):
    shown("enable", "alpha", "beta", "--account", "Acme")
    assert shown("disable", "alpha", "--account", "Acme") == {"disabled": ["alpha"]}
    assert "not enabled" in refusal("disable", "alpha", "--account", "Acme")
    assert shown("disable", "--account", "Acme") == {"disabled": ["beta"]}


def test_changes_are_audited(providers, commands):
    shown("enable", "alpha", "--account", "Acme")
    shown("disable", "--account", "Acme")
    with commands.read() as session:
        actions = [one.action for one in read_actions(session)]
    assert actions[:2] == ["waterfall disable", "waterfall enable"]


def test_a_test_asks_once_and_shows_what_was_understood(providers, commands):
    known = ("--first-name", "Ada", "--last-name", "Doe", "--email", "ada@acme.example")
    answer = shown("test", "alpha", "--for", "phones", *known)
    assert answer["answer"] == "found"
    assert answer["said"] == {"phones": ["+1 202 555 0134"], "first_name": "Ada", "last_name": "Doe"}
    assert [one["number"] for one in answer["values"]] == ["+12025550134"]
    assert "not found" in run("test", "beta", *known).stdout
    assert len(providers["alpha"].asked) == 1


def test_a_test_of_a_held_contact_takes_its_id(providers, commands):
    load_contacts(commands, "test", [contact("Ada", "Doe", linkedin="https://www.linkedin.com/in/ada")])
    id = RecordIds(KEYRING).seal(Entity.CONTACT, 1)
    assert shown("test", "alpha", "--for", "phones", "--id", id)["answer"] == "found"
    assert "No contact found" in refusal("test", "alpha", "--id", "v1.none")
    assert run("test", "alpha").exit_code == 2


def test_the_report_counts_asks_matches_times_and_credits(providers, commands):
    now = SystemClock().seconds()
    rows = [("alpha", "match", 1, 30, 7), ("alpha", "not found", 0, 50, 0), ("alpha", "reused", 1, 0, 7)]
    rows += [("beta", "timeout", 0, 9_000, 0), ("beta", "not found", 0, 80, 0)]
    with commands.write(None) as session:
        value_store.add_calls(session, [ProviderCall(1, name, 2, *rest, now) for name, *rest in rows])
    alpha, beta = shown("report", "--account", "Acme")
    assert (alpha["provider"], alpha["asks"], alpha["matches"], alpha["credits"]) == ("alpha", 3, 2, 14)
    assert alpha["matchRate"] == 0.6667
    assert (alpha["medianMs"], alpha["reused"]) == (40, 1)
    assert beta["outcomes"] == {"timeout": 1, "not found": 1}
    assert "alpha" in run("report", "--account", "Acme").stdout
