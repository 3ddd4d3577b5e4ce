"""Writes of calls with `tableId` that cannot be done, that meet others, or that a crash prevents."""

import json
import signal
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from structlog.testing import capture_logs
from table_calls import CALL_AND_DIE, NOTHING, TableCaller, served

from firmograph.kit.errors import Busy, Unavailable
from firmograph.record_tables.column_calls import service as column_service
from firmograph.record_tables.rows import addition
from firmograph.record_tables.rows.addition import RowAddition

ALIKE = {"seeds": {"domains": [f"company{n}.example.com" for n in range(5)]}, "limit": 5}


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    with served(tmp_path_factory.mktemp("table-writes")) as service:
        yield service


@pytest.fixture
def call_as(directory):
    """Return a function that makes a caller of a kind of records, of an account of its own."""
    return partial(TableCaller, directory)


@pytest.fixture
def failing(monkeypatch):
    """Return a function that lets each write fail with an error once it has added its rows."""

    def fail(error):
        add = RowAddition.add

        def add_and_fail(*arguments):
            add(*arguments)
            raise error

        monkeypatch.setattr(RowAddition, "add", add_and_fail)

    return fail


def enrich(caller, table):
    """Enrich a contact, for 6 credits, and return the error of the write; the answer is that of any call."""
    answer = caller.enrich(0, table_id=table)
    written = answer["tableWrite"]
    assert answer["results"][0]["emails"][0]["email"] == "ann0@people.example.com"
    assert answer["billing"] == {"creditsCharged": 6, "resultsReturned": 1}
    assert {name: value for name, value in written.items() if name != "error"} == {
        "tableId": table,
        **NOTHING,
    }
    return written["error"]


def test_a_table_that_is_not_there_for_the_account_is_not_found(call_as):
    caller, other = call_as(), call_as()
    deleted = caller.table("Deleted")
    caller.tables.delete(deleted)
    companies = caller.user.of_kind("companies").table()["tableId"]
    for table in (other.table(), deleted, companies, "0", "007", "9" * 20, "9" * 1_000):
        answer = caller.enrich(0, table_id=table)
        assert answer["tableWrite"] == {
            "tableId": table,
            **NOTHING,
            "error": {
                "code": "TABLE_NOT_FOUND",
                "message": "There is no such table of contacts; list the tables to find its id",
            },
        }
        assert answer["results"][0]["emails"]
    assert [charge[0] for charge in caller.ledger()] == ["revealEmail", "revealPhone"]


def test_a_full_table_takes_no_row_of_a_call(call_as, monkeypatch):
    monkeypatch.setattr(addition, "MOST_ROWS", 1)
    caller = call_as()
    table = caller.table()
    caller.enrich(1, table_id=table)
    error = enrich(caller, table)
    assert error["code"] == "TABLE_FULL"
    assert "1 are new and 0 still fit" in error["message"]
    assert list(caller.cells(table)) == [2]


def test_a_table_without_room_for_the_columns_takes_no_row_either(call_as, monkeypatch):
    monkeypatch.setattr(column_service, "MOST_COLUMNS", 7)
    caller = call_as()
    table = caller.table()
    error = enrich(caller, table)
    assert error["code"] == "TABLE_FULL"
    assert "at most 7 columns; 5 are new and 4 still fit" in error["message"]
    status = caller.status(table)
    assert (status["entityCount"], status["columnCount"]) == (0, 3)


def test_too_few_credits_for_the_rows_leave_the_answer_and_its_charge(call_as):
    caller = call_as("companies", credits=5)
    table = caller.table()
    answer = caller.answer("lookalike", ALIKE, table)
    assert len(answer["results"]) == 5
    assert answer["billing"]["creditsCharged"] == 1
    assert answer["tableWrite"]["error"]["code"] == "INSUFFICIENT_CREDITS"
    assert caller.status(table)["entityCount"] == 0
    assert [charge[:2] for charge in caller.ledger()] == [("lookalikeCompany", 1)]
    assert caller.balance() == 4


def test_a_refused_call_writes_nothing(call_as):
    caller = call_as(credits=5)
    table = caller.table()
    assert caller.post("enrich", {"ids": caller.ids(0)}, table).status_code == 402
    assert caller.status(table)["entityCount"] == 0


@pytest.mark.parametrize(
    ("error", "code"),
    [(Busy(), "BUSY"), (Unavailable(), "BUSY"), (RuntimeError("secret detail"), "INTERNAL")],
)
def test_a_write_that_fails_half_way_is_rolled_back_and_logged(call_as, failing, error, code):
    caller = call_as()
    table = caller.table()
    failing(error)
    with capture_logs() as logged:
        refused = enrich(caller, table)
    assert refused["code"] == code
    assert "secret" not in refused["message"]
    assert caller.status(table)["entityCount"] == 0
    (line,) = [line for line in logged if line["event"] == "table not written"]
    request_id = caller.ledger()[0][2]
    assert (line["table"], line["request_id"], line["endpoint"]) == (table, request_id, "enrich_contacts")
    assert "ann0" not in str(logged)


def test_a_plan_without_tables_gets_its_answer_all_the_same(call_as, monkeypatch):
    caller = call_as()
    table = caller.table()
    plans = caller.service.accounts._plans
    features = plans.named("unlimited").features
    monkeypatch.setitem(features, "tables", False)
    assert enrich(caller, table)["code"] == "FORBIDDEN"


@pytest.mark.slow("killed call", "record_tables", "billing", "api")
@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("moment", ["in the write", "before the write"])
def test_a_crash_after_the_answer_is_charged_writes_nothing_and_never_charges_twice(
    call_as, start_program, moment, keyed
):
    caller = call_as("companies")
    table = caller.table()
    headers = {"idempotency-key": "k"} if keyed else {}
    body = json.dumps({"ids": caller.ids(0, 1), "tableId": table})
    sent = json.dumps({"api_key": caller.user.key, "content-type": "application/json", **headers})
    url = caller.service.database.url
    killed = start_program(CALL_AND_DIE, url, f"/v3/{caller.kind}/enrich", body, sent, moment)
    assert killed.wait() == -signal.SIGKILL
    charged = caller.ledger()
    assert [charge[:2] for charge in charged] == [("revealCompany", 2)]
    assert caller.cells(table) == {}
    assert caller.status(table)["entityCount"] == 0
    again = caller.enrich(0, 1, table_id=table, **headers)
    assert again["tableWrite"]["added"] == 2
    assert again["billing"]["creditsCharged"] == (2 if keyed else 0)
    if keyed:
        # the write that the replay made up is the first one's
        assert caller.enrich(0, 1, table_id=table, **headers) == again
    assert caller.status(table)["entityCount"] == 2
    assert caller.ledger() == charged


def test_cells_are_taken_from_an_open_run_which_ends_with_the_last(call_as):
    caller = call_as()
    table = caller.table()
    caller.enrich(0, 1, 2, table_id=table, reveal=["phones"])
    added = caller.tables.call(
        "POST", f"/{table}/columns", {"owner": caller.user.owner, "columnKey": "workEmail"}
    )
    assert added.json()["data"][0]["status"] == "added", added.text

    def work_email():
        status = caller.status(table)
        column = next(one for one in status["columns"] if one["name"] == "Work email")
        return status["isProcessing"], column["rowsProcessing"], column["rowsSuccess"]

    assert work_email() == (True, 3, 0)
    caller.enrich(0, 1, table_id=table, reveal=["emails"])
    assert work_email() == (True, 1, 2)
    caller.enrich(2, table_id=table, reveal=["emails"])
    assert work_email() == (False, 0, 3)


def test_writes_of_several_calls_at_once_add_up(call_as):
    caller = call_as("companies", credits=1_000)
    table = caller.table()
    groups = [(0, 1, 2, 3), (2, 3, 4, 5), (4, 5, 6, 7), (6, 7, 0, 1)]

    def enrich_group(places):
        return caller.enrich(*places, table_id=table, reveal=["employeesByDepartment"])

    with ThreadPoolExecutor(len(groups)) as pool:
        answers = list(pool.map(enrich_group, groups))
    written = [answer["tableWrite"] for answer in answers]
    assert sum(one["added"] for one in written) == 8
    assert sum(one["alreadyPresent"] for one in written) == 8
    assert sum(one["columnsCreated"] for one in written) == 1
    cells = caller.cells(table)
    assert sorted(cells) == list(range(1, 9))
    assert {one["Employees by department"][0] for one in cells.values()} == {"success"}
    column = next(one for one in caller.status(table)["columns"] if one["name"] == "Employees by department")
    assert (column["rowsSuccess"], column["rowsNotRun"]) == (8, 0)
    # the base and a data point of eight companies, each once
    assert sum(answer["billing"]["creditsCharged"] for answer in answers) == 16 == 1_000 - caller.balance()
