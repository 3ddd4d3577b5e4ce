"""`firmograph buying-group`: the group of a company from database and checkpoint, and why."""

import csv
import json
from io import StringIO

import pytest
from prospect_command import misused, refusal
from typer.testing import CliRunner

from firmograph.cli.buying_group import app
from firmograph.cli.prospect import search

# the last test runs the command as a process; the whole way is tested in tests/buying_groups
pytestmark = pytest.mark.any_database

ACME = ("--domain", "acme.example.com")


@pytest.fixture
def group(stocked, monkeypatch):
    """Return a function that runs `firmograph buying-group` with these arguments."""
    # logging is configured for a whole process, and this one continues
    monkeypatch.setattr(search, "set_up_logs", lambda level: None)

    def run(*words, **environment):
        return CliRunner().invoke(app, list(map(str, words)), env=stocked.environment | environment)

    return run


def people(done):
    assert done.exit_code == 0, done.output
    return {one["firstName"]: one for one in json.loads(done.stdout)["results"]}


def test_the_people_of_a_company_are_shown_with_roles_and_score(group):
    found = people(group(*ACME, "--json"))
    assert list(found) == ["Ann", "Bea"]
    assert found["Ann"]["roles"][0] == "decision_maker"
    assert 1 > found["Ann"]["score"] > found["Bea"]["score"] > 0
    assert "explanation" not in found["Ann"]
    by_id = group("--id", found["Ann"]["company"]["id"], "--json")
    assert people(by_id) == found


def test_an_explanation_adds_up_to_the_score(group):
    for one in people(group(*ACME, "--explain", "--json")).values():
        parts = one["explanation"]
        share = 0.7 + 0.15 * parts["recency"] + 0.15 * parts["reach"]
        assert one["score"] == pytest.approx(parts["fit"] * share, abs=0.0001)
        for role in parts["roles"]:
            weights = sum(rule["weight"] for rule in role["rules"])
            assert weights == pytest.approx(role["sum"])
            assert role["fit"] == (pytest.approx(min(1, weights)) if weights >= role["threshold"] else 0)
            assert all(rule["words"] for rule in role["rules"])
        assert [role["role"] for role in parts["roles"] if role["fit"]] == sorted(
            one["roles"], key=("decision_maker", "potential_champion", "end_user").index
        )


def test_the_table_shows_rules_and_words(group):
    done = group(*ACME, "--explain")
    heads = done.stdout.splitlines()[0].split("\t")
    assert heads[-6:] == ["ROLES", "SCORE", "FIT", "RECENCY", "REACH", "WHY"]
    assert "Vice President +" in done.stdout
    assert done.stderr.endswith("2 of 2 people\n")


def test_people_can_be_limited_and_asked_for_by_role(group):
    done = group(*ACME, "--limit", 1, "--format", "csv")
    (row,) = csv.DictReader(StringIO(done.stdout))
    assert (row["firstName"], row["roles"].split("; ")[0]) == ("Ann", "decision_maker")
    assert done.stderr.endswith("1 of 2 people\n")
    assert list(people(group(*ACME, "--persona", "decision_maker", "--json"))) == ["Ann"]


def test_an_own_table_of_roles_counts_at_once(group, tmp_path):
    own = tmp_path / "personas.toml"
    own.write_text('[decision_maker.titles]\n"software engineer" = 1.0\n')
    found = people(group(*ACME, "--persona", "decision_maker", "--json", FIRMOGRAPH_PERSONAS_FILE=str(own)))
    assert set(found) == {"Ann", "Bea"}


def test_nobody_with_a_role_is_no_failure(group):
    done = group("--domain", "birch.example.com", "--persona", "decision_maker")
    assert (done.exit_code, done.stderr) == (0, "Nobody in the company has such a role\n")


def test_an_unknown_company_is_refused_with_advice(group):
    message = refusal(group("--domain", "nobody.test"))
    assert message.startswith(
        "No company has the domain nobody.test; find companies with firmograph prospect"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give exactly one of --domain and --id"),
        ((*ACME, "--id", "v1.x"), "give exactly one of --domain and --id"),
        ((*ACME, "--persona", "boss"), "'boss' is not one of"),
        ((*ACME, "--limit", "0"), "Invalid value for '--limit'"),
        ((*ACME, "--json", "--format", "csv"), "cannot be combined with another --format"),
    ],
)
def test_wrong_options_are_wrong_usage(group, words, message):
    assert message in misused(group(*words))


def test_malformed_identifiers_are_refused_as_by_the_api(group):
    assert refusal(group("--domain", "no domain")).startswith("domain must be a domain")
    assert refusal(group("--id", "!")).startswith("id must be a record id")


def test_the_command_runs_in_a_process_of_its_own(stocked):
    done = stocked.command("buying-group", *ACME, "--json")
    assert (done.returncode, json.loads(done.stdout)["total"]) == (0, 2), done.stderr
