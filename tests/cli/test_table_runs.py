"""`firmograph table run|runs|stop`: estimates, runs and what is refused."""

import pytest

from firmograph.cli.table import runs
from firmograph.record_tables.runs import estimate as run_estimate

pytestmark = pytest.mark.any_database

PEOPLE = ("email", "ann@acme.example.com", "bea@acme.example.com")


def everything_shown(tables):
    shown = tables.answer("table", "show", "Sales", *tables.account)
    return shown, tables.answer("table", "runs", "Sales", *tables.account), tables.ledger()


@pytest.fixture
def filled(tables):
    """Return a table of two contacts with a filled column `workEmail`."""
    table = tables.create()
    tables.add(table, *PEOPLE)
    tables.answer("table", "column", "add", table, "workEmail")
    tables.work()
    return table


def test_a_dry_run_shows_cells_and_cost_and_writes_nothing(tables):
    table = tables.create()
    tables.answer("table", "column", "add", table, "workEmail")
    tables.add(table, *PEOPLE)
    before = everything_shown(tables)
    estimate = tables.answer("table", "run", table, "workEmail", "--dry-run")
    assert estimate == {
        "dryRun": True,
        "rows": 2,
        "cells": 2,
        "inOpenRuns": 0,
        "mostCredits": 2,
        "costs": {"revealEmail": {"quantity": 2, "credits": 2}},
    }
    assert everything_shown(tables) == before


def test_a_dry_run_costs_nothing_where_everything_is_paid(tables, filled):
    done = tables("table", "run", filled, "work email", "--dry-run")
    assert done.stderr == "This was a dry run: 2 cells of 2 rows, at most 0 credits\n"
    assert tables.answer("table", "run", filled, "workEmail", "--dry-run", "--scope", "missing")["cells"] == 0


def test_a_dry_run_leaves_out_cells_of_open_runs(tables, filled):
    tables.answer("table", "run", filled, "workEmail")
    done = tables("table", "run", filled, "workEmail", "--dry-run")
    assert "0 cells of 2 rows, at most 0 credits; an open run has 2 cells" in done.stderr


def test_a_dry_run_of_many_rows_adds_up_over_all_parts(own_tables, monkeypatch):
    tables = own_tables
    monkeypatch.setattr(run_estimate, "_CHUNKS", 1)
    table = tables.create()
    tables.answer("table", "column", "add", table, "workEmail", "mobilePhone")
    rows = [f"ann{number}@acme.example.com" for number in range(300)]
    people = [f"A{number},Roe{number},{email}" for number, email in enumerate(rows)]
    path = tables.write("people.csv", "First Name,Last Name,Email", *people)
    assert tables("import", "contacts", path).returncode == 0
    assert tables.add(table, "email", *rows)["added"] == 300
    estimate = tables.answer("table", "run", table, "workEmail", "--dry-run")
    assert (estimate["cells"], estimate["costs"]) == (300, {"revealEmail": {"quantity": 300, "credits": 300}})


def test_a_run_is_accepted_and_listed_with_its_result(tables, filled):
    begun = tables.answer("table", "run", filled, "workEmail")
    assert (begun["state"], begun["rows"], begun["column"], begun["endedAt"]) == (
        "open",
        2,
        "Work email",
        None,
    )
    tables.work()
    newest, first = tables.answer("table", "runs", filled)["runs"]
    assert (newest["run"], newest["state"], newest["success"], newest["credits"]) == (
        begun["run"],
        "done",
        2,
        0,
    )
    assert (first["state"], first["credits"], first["actor"]) == ("done", 2, "operator")
    text = tables("table", "runs", filled).stdout.splitlines()
    cells = text[1].split("\t")
    assert (cells[:3], cells[-1]) == (["Work email", "all", "done"], str(begun["run"]))


def test_a_run_without_cells_is_none(tables, filled):
    assert tables.answer("table", "run", filled, "workEmail", "--scope", "missing") == {"run": None}
    done = tables("table", "run", filled, "workEmail", "--scope", "missing")
    assert (done.returncode, "Nothing to run" in done.stdout) == (0, True)
    assert len(tables.answer("table", "runs", filled)["runs"]) == 1


def test_a_run_ends_where_its_bound_in_credits_is_reached(tables):
    table = tables.create()
    tables.answer("table", "column", "add", table, "workEmail")
    tables.add(table, *PEOPLE)
    tables.answer("table", "run", table, "workEmail", "--most-credits", "1")
    tables.work()
    run, *_ = tables.answer("table", "runs", table)["runs"]
    assert (run["state"], run["credits"], run["mostCredits"]) == ("bound_reached", 1, 1)
    counters = tables.column(table, "workEmail")
    assert (counters["rowsSuccess"], counters["rowsNotRun"]) == (1, 1)


def test_waiting_ends_with_the_run(tables, filled, monkeypatch):
    monkeypatch.setattr(runs, "wait_a_moment", lambda stopped: tables.work())
    done = tables("table", "run", filled, "workEmail", "--wait")
    assert done.stdout.endswith("is done: 2 of 2 cells, 2 with data, 0 without, 0 failed, 0 credits\n")


def test_a_run_is_stopped_once_and_charges_nothing_more(tables, filled):
    tables.answer("table", "column", "add", filled, "mobilePhone")
    run = tables.answer("table", "runs", filled)["runs"][0]["run"]
    assert tables.answer("table", "stop", run)["state"] == "stopped"
    assert "it had ended before" in tables("table", "stop", run).stdout
    tables.work()
    assert [row["Mobile phone status"] for row in tables.rows(filled)] == ["not_run", "not_run"]
    assert len(tables.ledger()) == 2


def test_an_unknown_run_is_refused(tables):
    assert "firmograph table runs TABLE" in tables.refusal("table", "stop", 99)
    assert "Invalid value for 'RUN'" in tables.misuse("table", "stop", "one")


@pytest.mark.parametrize("words", [("--wait",), ("--most-credits", "5")])
def test_a_dry_run_takes_no_options_of_a_run(tables, words):
    assert "--dry-run" in tables.misuse("table", "run", tables.create(), "jobTitle", "--dry-run", *words)


def test_unknown_columns_and_scopes_are_refused(tables):
    table = tables.create()
    assert "has no column 'age'" in tables.refusal("table", "run", table, "age")
    assert "has no column 'age'" in tables.refusal("table", "run", table, "age", "--dry-run")
    assert "Invalid value for '--scope'" in tables.misuse(
        "table", "run", table, "jobTitle", "--scope", "some"
    )
    assert "--most-credits" in tables.misuse("table", "run", table, "jobTitle", "--most-credits", "-1")
