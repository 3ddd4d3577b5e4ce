import csv
import json

import pytest
from typer.testing import CliRunner

from firmograph.cli.main import app
from firmograph.kit.errors import Refused

pytestmark = pytest.mark.any_database


@pytest.fixture
def command(database_url, monkeypatch):
    """Return a function that runs a command on a database of its own; the result has stdout, stderr and exit_code."""
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", database_url)
    return lambda *line: CliRunner().invoke(app, line)


@pytest.fixture
def answer(command):
    """Return a function that runs a command with --json and reads its one object."""

    def run(*line):
        result = command(*line, "--json")
        assert result.exit_code == 0, result.output
        assert len(result.stdout.splitlines()) == 1
        return json.loads(result.stdout)

    return run


def test_an_account_is_created_on_the_unlimited_plan_without_credits(answer):
    account = answer("account", "create", "Acme")
    assert account["accountId"] == 1
    assert (account["name"], account["plan"], account["active"]) == ("Acme", "unlimited", True)
    assert account["credits"] == {"total": 0, "used": 0, "remaining": 0}


def test_an_account_is_created_with_a_plan_and_credits(answer):
    account = answer("account", "create", "Acme", "--plan", "pro", "--credits", "30")
    assert (account["plan"], account["credits"]["remaining"]) == ("pro", 30)


def test_accounts_are_listed_and_shown_by_name_and_by_id(answer):
    made = [answer("account", "create", name) for name in ("First", "Second")]
    assert answer("account", "list") == {"accounts": made}
    assert answer("account", "show", "Second") == answer("account", "show", "2") == made[1]


def test_an_account_is_disabled_enabled_and_given_another_plan_and_form(answer):
    answer("account", "create", "Acme")
    assert answer("account", "disable", "Acme")["active"] is False
    assert answer("account", "enable", "Acme")["active"] is True
    assert answer("account", "plan", "Acme", "scale")["plan"] == "scale"
    assert answer("account", "can-reveal", "Acme", "priced")["canReveal"] == "priced"
    assert answer("account", "can-reveal", "Acme", "default")["canReveal"] == "default"
    assert answer("account", "show", "Acme")["plan"] == "scale"


def test_a_key_is_shown_once_and_then_only_by_its_prefix(command, answer):
    answer("account", "create", "Acme")
    made = answer("key", "create", "--account", "Acme")
    assert made["apiKey"].startswith(made["prefix"])
    listed = command("key", "list", "--account", "Acme")
    assert made["prefix"] in listed.stdout
    assert made["apiKey"] not in listed.stdout


def test_without_json_only_the_key_is_on_stdout_for_scripts(command, answer):
    answer("account", "create", "Acme")
    result = command("key", "create", "--account", "Acme")
    assert len(result.stdout.split()) == 1
    assert "not shown again" in result.stderr


def test_keys_are_revoked_and_regenerated(answer):
    answer("account", "create", "Acme")
    first = answer("key", "create", "--account", "Acme")
    second = answer("key", "regenerate", "--account", "Acme")
    third = answer("key", "create", "--account", "Acme")
    answer("key", "revoke", "--account", "Acme", third["apiKey"])
    ended = {key["prefix"]: "revokedAt" in key for key in answer("key", "list", "--account", "Acme")["keys"]}
    assert ended == {first["prefix"]: True, second["prefix"]: False, third["prefix"]: True}


def test_users_are_added_with_a_role(answer):
    answer("account", "create", "Acme")
    answer("user", "add", "--account", "Acme", "ann@example.com", "--role", "admin")
    assert answer("user", "add", "--account", "Acme", "bob@example.com")["role"] == "member"
    users = answer("user", "list", "--account", "Acme")["users"]
    assert [(user["email"], user["role"]) for user in users] == [
        ("ann@example.com", "admin"),
        ("bob@example.com", "member"),
    ]


def test_the_ledger_is_exported_as_json_lines_and_as_csv(command, answer):
    answer("account", "create", "Acme", "--credits", "5")
    assert answer("credits", "grant", "--account", "Acme", "7")["credits"]["total"] == 12
    lines = command("ledger", "export", "--account", "Acme").stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    assert [(row["kind"], row["credits"], row["balance"]) for row in rows] == [
        ("grant", 5, 5),
        ("grant", 7, 12),
    ]
    text = command("ledger", "export", "--account", "Acme", "--format", "csv").stdout
    assert list(csv.DictReader(text.splitlines())) == [
        {name: str(value) for name, value in row.items()} for row in rows
    ]


@pytest.mark.any_database
@pytest.mark.parametrize(
    "line",
    [
        ("account", "create", "Acme"),
        ("account", "create", "Other", "--plan", "platinum"),
        ("account", "show", "Nobody"),
        ("key", "create", "--account", "Nobody"),
        ("key", "revoke", "--account", "Acme", "fg_unknown0"),
        ("key", "create", "--account", "Acme", "--expires", "yesterday"),
        ("key", "create", "--account", "Acme", "--expires", "2020-01-01"),
        ("credits", "grant", "--account", "Acme", "9007199254740992"),
        ("user", "add", "--account", "Acme", "nobody"),
    ],
)
def test_an_impossible_command_is_refused_in_one_line_and_prints_nothing(command, line):
    command("account", "create", "Acme")
    result = command(*line, "--json")
    assert isinstance(result.exception, Refused)
    assert "\n" not in result.exception.message
    assert result.stdout == ""


@pytest.mark.any_database
@pytest.mark.parametrize(
    "line",
    [
        ("account", "create"),
        ("account", "create", "Acme", "--credits", "-1"),
        ("account", "can-reveal", "Acme", "all"),
        ("key", "create"),
        ("key", "create", "--account", "Acme", "--daily-credits", "-1"),
        ("credits", "grant", "--account", "Acme", "0"),
        ("user", "add", "--account", "Acme", "a@example.com", "--role", "owner"),
        ("ledger", "export", "--account", "Acme", "--format", "xml"),
    ],
)
def test_wrong_usage_ends_with_2(command, line):
    assert command(*line).exit_code == 2


@pytest.mark.any_database
def test_a_negative_grant_is_read_as_a_number_and_not_as_an_option(command):
    result = command("credits", "grant", "--account", "Acme", "-1")
    assert result.exit_code == 2
    assert "greater than or equal to 1" in result.stderr


@pytest.mark.any_database
def test_the_operators_plans_file_is_used(command, answer, tmp_path, monkeypatch):
    (tmp_path / "plans.toml").write_text("[plans.gold]\nminute = 7\nday = 70\n")
    monkeypatch.setenv("FIRMOGRAPH_PLANS_FILE", str(tmp_path / "plans.toml"))
    assert answer("account", "create", "Acme", "--plan", "gold")["plan"] == "gold"


def test_tables_contain_every_value_completely(command, database):
    name = "A Very Long Name of an Account " * 6
    command("account", "create", name)
    assert name.strip() in command("account", "list").stdout
    assert database.session().raw.execute("SELECT name FROM accounts").fetchall() == [(name.strip(),)]


def test_credits_are_taken_back_with_a_reason_that_the_audit_shows(answer, command):
    answer("account", "create", "Acme", "--credits", "9")
    adjusted = answer("credits", "adjust", "--account", "Acme", "4", "--reason", "granted twice")
    assert adjusted["credits"] == {"total": 5, "used": 0, "remaining": 5}
    created, done = answer("audit", "--account", "Acme")["actions"]
    assert created["action"] == "account create"
    assert done["operator"]
    assert {name: done[name] for name in ("action", "accountId", "details", "reason")} == {
        "action": "credits adjust",
        "accountId": 1,
        "details": {"credits": 4},
        "reason": "granted twice",
    }
    assert len(command("audit", "--limit", "1").stdout.splitlines()) == 2


@pytest.mark.parametrize("words", [["4"], ["0", "--reason", "x"], ["4.5", "--reason", "x"]])
def test_an_adjustment_without_a_reason_or_of_no_number_is_a_usage_error(command, words):
    command("account", "create", "Acme", "--credits", "9")
    assert command("credits", "adjust", "--account", "Acme", *words).exit_code == 2


def test_tables_of_a_removed_user_go_to_the_oldest_admin(answer, command):
    answer("account", "create", "Acme")
    for email in ("ann@acme.example", "bob@acme.example", "cid@acme.example"):
        answer("user", "add", "--account", "Acme", email, "--role", "admin")
    answer(
        "table", "create", "Leads", "--account", "Acme", "--owner", "cid@acme.example", "--entity", "contacts"
    )
    answer("user", "remove", "--account", "Acme", "cid@acme.example")
    tables = answer("table", "list", "--account", "Acme")["tables"]
    assert [table["owner"]["email"] for table in tables] == ["ann@acme.example"]


def test_a_user_with_tables_is_removed_once_another_user_receives_them(answer, command):
    answer("account", "create", "Acme")
    answer("user", "add", "--account", "Acme", "ann@acme.example")
    for email in ("bob@acme.example", "cid@acme.example"):
        answer("user", "add", "--account", "Acme", email)
        answer("table", "create", "Leads", "--account", "Acme", "--owner", email, "--entity", "contacts")
    remove = ("user", "remove", "--account", "Acme", "bob@acme.example")
    assert "owns 1 table or saved search, and no other user is admin; name their new owner with --to" in str(
        command(*remove).exception
    )
    for owner, reason in [
        ("bob@acme.example", "another user"),
        ("eve@acme.example", "is no user"),
        ("cid@acme.example", "another table of this kind named 'Leads'"),
    ]:
        assert reason in str(command(*remove, "--to", owner).exception)
    assert answer(*remove, "--to", "ann@acme.example")["email"] == "bob@acme.example"
    owners = {table["owner"]["email"] for table in answer("table", "list", "--account", "Acme")["tables"]}
    assert owners == {"ann@acme.example", "cid@acme.example"}
    assert answer("audit")["actions"][-1]["details"] == {"given": 1}


def test_an_account_is_renamed_and_a_role_changed(answer):
    answer("account", "create", "Acme")
    answer("user", "add", "--account", "Acme", "ann@acme.example")
    assert answer("account", "rename", "Acme", "Acme Europe")["name"] == "Acme Europe"
    assert answer("user", "role", "--account", "1", "ann@acme.example", "admin")["role"] == "admin"


def test_an_account_is_closed_for_good_with_yes_alone(answer, command):
    answer("account", "create", "Acme", "--credits", "5")
    answer("key", "create", "--account", "Acme")
    assert "confirm it with --yes" in str(command("account", "close", "Acme").exception)
    closed = answer("account", "close", "Acme", "--yes")
    assert closed["closedAt"]
    assert (closed["active"], closed["credits"]) == (False, {"total": 0, "used": 0, "remaining": 0})
    assert "was closed at" in str(command("account", "enable", "Acme").exception)
    assert "closed" in command("account", "list").stdout
    assert answer("audit")["actions"][-1]["details"] == {"keys": 1, "expired": 5}


def test_a_key_has_a_name_an_end_and_a_cap(answer):
    answer("account", "create", "Acme")
    terms = ("--name", "crm", "--expires", "2099-12-31", "--daily-credits", "0")
    answer("key", "create", "--account", "Acme", *terms)
    (key,) = answer("key", "list", "--account", "Acme")["keys"]
    assert (key["name"], key["expiresAt"], key["dailyCredits"]) == ("crm", "2100-01-01T00:00:00.000Z", 0)
    assert "lastUsedAt" not in key
