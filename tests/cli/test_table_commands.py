"""`firmograph table`: tables and their columns, and what is refused."""

import json
from io import StringIO

import pytest
from table_command import DANA, ED

from command_fixtures import Terminal

pytestmark = pytest.mark.any_database

PEOPLE = ("email,linkedin", "ann@acme.example.com,", "bea@acme.example.com,")


# --- tables ---


def test_a_table_is_created_listed_and_shown(tables):
    made = tables.answer(
        "table", "create", " Sales ", *tables.account, "--owner", DANA.upper(), "--entity", "contacts"
    )
    assert made["name"] == "Sales"
    assert made["visibility"] == "private"
    assert made["createdBy"]["surface"] == "workspace"
    assert [one["key"] for one in made["columns"]] == ["fullName", "jobTitle", "companyName"]
    (listed,) = tables.answer("table", "list", *tables.account)["tables"]
    assert listed == {name: value for name, value in made.items() if name != "columns"}
    shown = tables.answer("table", "show", made["tableId"])
    assert shown == {"table": made, "rows": []}
    assert tables.answer("table", "show", "sales", *tables.account) == shown


def test_tables_of_all_users_and_kinds_are_listed_newest_first(tables):
    tables.create("One", "contacts", DANA)
    tables.create("Two", "companies", ED, "--shared")
    listed = tables.answer("table", "list", *tables.account)["tables"]
    assert [(one["name"], one["owner"]["email"], one["visibility"]) for one in listed] == [
        ("Two", ED, "shared"),
        ("One", DANA, "private"),
    ]
    text = tables("table", "list", *tables.account).stdout.splitlines()
    assert text[0].split() == ["NAME", "OF", "ROWS", "COLUMNS", "OWNER", "VISIBILITY", "STATUS", "RUNS", "ID"]
    cells = text[1].split("\t")
    assert (cells[:2], cells[-1]) == (["Two", "companies"], listed[0]["tableId"])


@pytest.mark.any_database
def test_an_account_without_tables_gets_a_hint_on_a_terminal(tables, shared_copy):
    assert tables("table", "list", *tables.account).stderr == ""
    terminal = Terminal(shared_copy.folder, shared_copy.url)
    done = terminal("table", "list", *tables.account, **shared_copy.environment)
    assert (done.returncode, done.stdout) == (0, "No tables\n")
    assert "firmograph table create" in done.stderr


@pytest.mark.any_database
@pytest.mark.parametrize("name", ["", "  ", "x" * 256])
def test_a_table_needs_a_name_of_1_to_255_characters(tables, name):
    refused = tables.refusal(
        "table", "create", name, *tables.account, "--owner", DANA, "--entity", "contacts"
    )
    assert refused == "A table's name has 1 to 255 characters once trimmed, and no line break"


def test_the_owner_must_be_a_user_of_the_account(tables):
    words = (
        "table",
        "create",
        "Sales",
        *tables.account,
        "--owner",
        "nobody@x.example",
        "--entity",
        "contacts",
    )
    assert tables.refusal(*words).startswith(
        "nobody@x.example is no user of the account; see `firmograph user list`"
    )


def test_one_owner_has_no_two_tables_of_a_kind_and_name(tables):
    tables.create("Sales")
    words = ("table", "create", "SALES", *tables.account, "--owner", DANA, "--entity", "contacts")
    assert tables.refusal(*words) == f"{DANA} has another table of contacts named 'SALES'; rename one of them"
    tables.create("Sales", "companies")
    tables.create("Sales", "contacts", ED)


def test_an_unknown_table_is_refused_with_where_to_find_ids(tables):
    table = tables.create()
    tables.answer("account", "create", "other")
    assert "firmograph table list --account NAME" in tables.refusal("table", "show", "Sales")
    assert "firmograph table list --account NAME" in tables.refusal("table", "show", "12345")
    assert tables.refusal("table", "show", "Nothing", *tables.account).startswith(
        f"The account '{tables.name}' has no table"
    )
    assert tables.refusal("table", "show", table, "--account", "other").startswith(
        "The account 'other' has no table"
    )
    assert tables.refusal("table", "show", table, "--account", "nobody").startswith("No account 'nobody'")


def test_a_name_of_several_tables_is_refused_with_their_ids(tables):
    ids = [tables.create("Sales"), tables.create("Sales", "companies")]
    refused = tables.refusal("table", "show", "Sales", *tables.account)
    assert refused == f"2 tables are named 'Sales'; give one of the ids {ids[1]}, {ids[0]}"


def test_a_table_is_given_to_another_user(tables):
    table = tables.create()
    given = tables.answer("table", "give", table, ED)
    assert given["owner"]["email"] == ED
    assert tables.answer("table", "show", table)["table"] == given


def test_a_table_is_not_given_to_a_user_with_one_of_its_name(tables):
    tables.create("Sales", "contacts", ED)
    table = tables.create("sales")
    refused = tables.refusal("table", "give", table, ED)
    assert refused == f"{ED} has another table of contacts named 'sales'; rename one of them"
    assert tables.answer("table", "show", table)["table"]["owner"]["email"] == DANA


def test_a_table_is_not_given_to_a_stranger(tables):
    assert tables.refusal("table", "give", tables.create(), "x@y.example").startswith(
        "x@y.example is no user"
    )


def test_a_table_is_deleted_once_that_is_confirmed(tables, monkeypatch):
    table = tables.create()
    tables.add(table, *PEOPLE)
    monkeypatch.setattr("sys.stdin", StringIO("n\n"))
    done = tables("table", "delete", table)
    assert done.returncode == 1
    assert "Delete 'Sales' with 2 rows and 3 columns?" in done.stderr
    assert len(tables.rows(table)) == 2
    assert tables.answer("table", "delete", table, "--yes") == {"tableId": table, "status": "deleted"}
    assert tables.answer("table", "list", *tables.account) == {"tables": []}
    tables.create()


@pytest.mark.any_database
def test_python_started_for_the_command_does_the_same(tables):
    table = tables.create()
    tables.add(table, *PEOPLE)
    done = tables.stocked.command("table", "export", table, "-", "--format", "jsonl")
    assert [json.loads(line)["Full name"] for line in done.stdout.splitlines()] == ["Ann Roe", "Bea Roe"]


# --- columns ---


def test_columns_are_added_run_and_charged(tables):
    table = tables.create()
    tables.add(table, *PEOPLE)
    added = tables.answer("table", "column", "add", table, "workEmail", "SENIORITY")["columns"]
    assert [(one["key"], one["rowsProcessing"]) for one in added] == [("workEmail", 2), ("seniority", 2)]
    tables.work()
    assert [row["Work email"] for row in tables.rows(table)] == [
        "ann@acme.example.com",
        "bea@acme.example.com",
    ]
    assert tables.rows(table)[0]["Seniority status"] == "success"
    (charge,) = tables.ledger()[1:]
    (email,) = [one for one in tables.answer("table", "runs", table)["runs"] if one["column"] == "Work email"]
    assert (charge["action"], charge["credits"], charge["subject"]) == (
        "revealEmail",
        2,
        f"run:{email['run']}",
    )


def test_a_column_that_is_there_is_not_added_again(tables):
    table = tables.create()
    first = tables.answer("table", "column", "add", table, "workEmail", "fullName")
    assert tables.answer("table", "column", "add", table, "fullname", "workemail") == first


@pytest.mark.any_database
def test_signal_and_score_columns_are_added(tables):
    table = tables.create()
    words = ("--signals", "companychange, promotion", "--since", "2026-01-01", "--score")
    added = tables.answer("table", "column", "add", table, *words)["columns"]
    assert [(one["type"], one["name"]) for one in added] == [
        ("signal", "Signals: promotion, companyChange"),
        ("score", "Signal score"),
    ]


@pytest.mark.any_database
def test_all_signals_stand_for_every_type(tables):
    added = tables.answer("table", "column", "add", tables.create(), "--signals", "allsignals")
    assert [one["name"] for one in added["columns"]] == ["Signals: promotion, companyChange"]


@pytest.mark.any_database
@pytest.mark.parametrize("words", [("--signals", "promotion"), ("--score",)])
def test_a_plan_without_signals_has_no_columns_of_them(tables, words):
    table = tables.create()
    plans = tables.write("plans.toml", "[plans.unlimited.features]", "signals = false")
    tables.environment["FIRMOGRAPH_PLANS_FILE"] = str(plans)
    refused = tables.refusal("table", "column", "add", table, "seniority", *words)
    assert refused == "Forbidden: signals is not part of the account's plan"
    assert len(tables.answer("table", "show", table)["table"]["columns"]) == 3


@pytest.mark.any_database
def test_unknown_keys_and_types_are_refused_with_the_nearest_and_nothing_is_added(tables):
    table = tables.create()
    refused = tables.refusal("table", "column", "add", table, "seniority", "wrkEmail")
    assert refused == "The catalog of contacts has no column 'wrkEmail': did you mean 'workEmail'?"
    assert "choose some of fullName" in tables.refusal("table", "column", "add", table, "zzz")
    refused = tables.refusal("table", "column", "add", table, "--signals", "promotion,rumour")
    assert refused.startswith("No signal type 'rumour' of contacts; choose some of allSignals, promotion")
    assert len(tables.answer("table", "show", table)["table"]["columns"]) == 3


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "give keys of the catalog, --signals TYPES or --score"),
        (("seniority", "--since", "2026-01-01"), "is for --signals"),
        (("--signals", " , "), "names no signal type"),
        (("--signals", "promotion", "--since", "yesterday"), "does not match the format"),
    ],
)
def test_wrong_options_of_added_columns_are_usage_errors(tables, words, problem):
    assert problem in tables.misuse("table", "column", "add", tables.create(), *words)


def test_a_column_is_removed_by_key_name_or_id(tables):
    table = tables.create()
    tables.answer("table", "column", "add", table, "workEmail", "city", "state")
    tables.answer("table", "column", "remove", table, "workEmail")
    tables.answer("table", "column", "remove", table, "CITY")
    state = tables.column(table, "state")["columnId"]
    assert tables.answer("table", "column", "remove", table, state) == {"columnId": state, "removed": True}
    assert len(tables.answer("table", "show", table)["table"]["columns"]) == 3


def test_a_default_or_unknown_column_is_not_removed(tables):
    table = tables.create()
    refused = tables.refusal("table", "column", "remove", table, "Full name")
    assert refused == "The column 'Full name' is a default one, which every table keeps"
    refused = tables.refusal("table", "column", "remove", table, "age")
    choices = "fullName, jobTitle, companyName, or add it with `firmograph table column add`"
    assert refused == f"The table has no column 'age'; choose one of: {choices}"
