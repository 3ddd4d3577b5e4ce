"""Columns over HTTP: catalogs, list, add, remove, run."""

import full_records
import pytest
from table_users import new_account

from firmograph.database.connection import AccountSession, account_scope
from firmograph.record_tables import store
from firmograph.record_tables.cells.grid import GridEdit
from firmograph.record_tables.column_calls.service import Columns
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.catalog import COMPANY_CATALOG, CONTACT_CATALOG
from firmograph.record_tables.columns.score_kind import score_column
from firmograph.record_tables.columns.signal_kind import signal_column
from firmograph.record_tables.columns.store import NewColumn
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.rows.addition import RowAddition
from firmograph.record_tables.runs import store as run_store
from firmograph.record_tables.types import Cell
from firmograph.security.record_ids import Entity
from statement_counts import record_statements

TEN = [entry.key for entry in CONTACT_CATALOG[1:11]]


class ColumnUser:
    """User with a table of two contacts, and direct access to what the calls store."""

    def __init__(self, user, **members):
        self.user = user
        self.service = user.service
        self.installation = user.service.installation
        self.ids = self.installation.get(TableIds)
        self.account = user.account_id
        self.table = user.table(**members)
        self.path = f"/{self.table['tableId']}/columns"
        self.number = self.ids.open_table(self.table["tableId"])

    def write(self, act):
        """Return what `act` returns of the account's session and the table."""
        with self.service.database.write(account_scope(self.account)) as session:
            own = AccountSession(session, self.account)
            return act(own, store.find_table(own, self.number))

    def add_rows(self, *numbers):
        self.write(lambda own, table: self.installation.get(RowAddition).add(own, table, numbers, 1.0))

    def add(self, *keys, key="", **members):
        form = {"columns": [{"columnKey": one} for one in keys]}
        headers = {"idempotency-key": key} if key else {}
        body = {"owner": self.user.owner, **(form if keys else {}), **members}
        return self.user.call("POST", self.path, body, **headers)

    def added(self, *keys):
        """Add columns and return their ids."""
        answer = self.add(*keys)
        assert answer.status_code == 200, answer.text
        return [entry["columnId"] for entry in answer.json()["data"]]

    def listed(self):
        answer = self.user.call("GET", self.path, params={"email": self.user.email})
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def column(self, column_id):
        return next(one for one in self.listed() if one["columnId"] == column_id)

    def remove(self, column_id):
        return self.user.call("DELETE", f"{self.path}/{column_id}", params={"email": self.user.email})

    def run(self, column_id, scope="all", key="", **members):
        headers = {"idempotency-key": key} if key else {}
        body = {"owner": self.user.owner, "runScope": scope, **members}
        return self.user.call("POST", f"{self.path}/{column_id}/run", body, **headers)

    def runs(self):
        return self.write(lambda own, table: run_store.select_runs(own, table.id, 100))

    def fill(self, column_id, cells):
        def change(own, table):
            edit = GridEdit(own, table, column_store.select_every_column(own, table.id))
            edit.set_cells(self.ids.open_column(column_id), cells)
            edit.write(2.0)

        self.write(change)

    def insert(self, new):
        """Add a column that only commands and other calls add, and return its id."""
        number = self.write(
            lambda own, table: Columns().add(own, table, new, run=False, user_id=None, request_id="r", at=1.0)
        )
        return self.ids.column_id(number)

    def person(self, number):
        return self.installation.record_ids.seal(Entity.CONTACT, number)


@pytest.fixture(scope="module")
def directory(shared_service):
    full_records.load_records(shared_service.database)
    return shared_service


@pytest.fixture
def dana(directory):
    (dana,) = new_account(directory, "dana@acme.example")
    return dana


@pytest.fixture
def people(dana):
    people = ColumnUser(dana)
    people.add_rows(1, 2)
    return people


def counters(column):
    names = ("rowsNotRun", "rowsProcessing", "rowsSuccess", "rowsNoData", "rowsFailed")
    return [column[name] for name in names]


def refusal(answer, status=400):
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert body["statusCode"] == body["code"] == status
    return body["message"]


@pytest.mark.parametrize(("kind", "entries"), [("contacts", CONTACT_CATALOG), ("companies", COMPANY_CATALOG)])
def test_a_catalog_lists_every_column_without_an_owner(dana, kind, entries):
    answer = dana.of_kind(kind).call("GET", "/columns")
    assert answer.status_code == 200
    body = answer.json()
    assert set(body) == {"requestId", "data", "billing"}
    assert body["data"] == [
        {
            "category": one.category,
            "displayName": one.display_name,
            "columnKey": one.key,
            "type": one.type,
        }
        for one in entries
    ]
    assert body["billing"] == {"creditsCharged": 0, "resultsReturned": len(entries)}


def test_a_new_table_lists_its_default_columns(people):
    listed = people.listed()
    assert [(one["key"], one["type"], one["isDefault"]) for one in listed] == [
        ("fullName", "lusha", True),
        ("jobTitle", "lusha", True),
        ("companyName", "lusha", True),
    ]
    assert [counters(one) for one in listed] == [[0, 0, 2, 0, 0], [0, 0, 1, 1, 0], [0, 0, 1, 1, 0]]


def test_an_added_column_runs_on_all_rows_at_once(people):
    answer = people.add("workEmail").json()
    (entry,) = answer["data"]
    assert entry == {"columnKey": "workEmail", "status": "added", "columnId": entry["columnId"]}
    assert answer["billing"] == {"creditsCharged": 0, "resultsReturned": 1}
    assert counters(people.column(entry["columnId"])) == [0, 2, 0, 0, 0]
    (run,) = people.runs()
    assert (run.scope, run.taken, run.request_id) == ("all", 2, answer["requestId"])
    status = people.user.get(people.table["tableId"]).json()["data"]
    assert (status["isProcessing"], status["columnCount"]) == (True, 4)


def test_one_column_is_added_by_its_key(people):
    answer = people.add(columnKey="workEmail")
    assert [entry["status"] for entry in answer.json()["data"]] == ["added"]


def test_columns_are_added_to_a_table_without_rows(dana):
    table = ColumnUser(dana)
    (column,) = table.added("workEmail")
    assert counters(table.column(column)) == [0, 0, 0, 0, 0]
    assert table.runs() == []


def test_ten_columns_are_added_by_one_call(people):
    added = people.added(*TEN)
    # jobTitle is a default column
    assert len(people.listed()) == 12
    assert len({*added}) == 10
    assert len(people.runs()) == 9


def test_a_column_of_the_table_is_added_again_with_its_id_and_not_run(people):
    (first,) = people.added("workEmail")
    title = people.listed()[1]["columnId"]
    assert people.added("workEmail", "jobTitle", "workEmail") == [first, title, first]
    assert len(people.runs()) == 1


def test_an_employers_name_is_added_with_the_id_that_it_has(people):
    assert people.added("companyName") == [people.listed()[2]["columnId"]]


def test_an_unknown_key_fails_and_the_others_are_added(people):
    entries = people.add("yearFounded", "city").json()["data"]
    assert [entry["status"] for entry in entries] == ["failed", "added"]
    assert "columnId" not in entries[0]
    assert "GET /v3/contacts/tables/columns" in entries[0]["message"]
    assert people.listed()[-1]["key"] == "city"


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"columns": [{"columnKey": "city"}], "columnKey": "city"},
        {"columns": []},
        {"columns": [{"columnKey": "city"}] * 11},
        {"columns": [{}]},
        {"columns": "city"},
        {"columns": [{"columnKey": "city", "name": "x"}]},
        {"columnKey": ""},
        {"columnKey": 5},
        {"columnKeys": ["city"]},
    ],
)
def test_malformed_columns_are_refused(people, form):
    assert "column" in refusal(people.add(**form))
    assert len(people.listed()) == 3


def test_columns_beyond_the_maximum_are_refused_as_a_whole(people):
    def insert(own, table):
        for number in range(95):
            new = NewColumn("signal", None, f"signal:{number}", f"S{number}", b"{}")
            column_store.insert_column(own, table.id, new, table.entity_count, 1.0)

    people.write(insert)
    message = refusal(people.add("city", "state", "country", "workEmail"), 403)
    assert "2 still fit" in message
    assert len(people.listed()) == 98
    # those that are there need no room
    assert len(people.added("city", "state", "fullName")) == 3
    assert "0 still fit" in refusal(people.add("country"), 403)


def test_a_repeated_key_adds_and_runs_once(people):
    first = people.add("workEmail", "nonsense", key="k").json()
    second = people.add("workEmail", "nonsense", key="k").json()
    assert first == second
    assert len(people.runs()) == 1


def test_a_replay_adds_no_column_that_was_removed(people):
    (entry,) = people.add("workEmail", key="k").json()["data"]
    assert people.remove(entry["columnId"]).status_code == 200
    assert people.add("workEmail", key="k").json()["data"] == [entry]
    assert len(people.listed()) == 3


def test_a_removed_column_is_gone_with_its_runs(people):
    (column,) = people.added("workEmail")
    answer = people.remove(column)
    assert answer.status_code == 200
    body = answer.json()
    assert body == {
        "tableId": people.table["tableId"],
        "columnId": column,
        "removed": True,
        "requestId": body["requestId"],
        "billing": {"creditsCharged": 0, "resultsReturned": 0},
    }
    assert [one["key"] for one in people.listed()] == ["fullName", "jobTitle", "companyName"]
    status = people.user.get(people.table["tableId"]).json()["data"]
    assert (status["isProcessing"], status["columnCount"]) == (False, 3)
    assert refusal(people.remove(column), 404).startswith("COLUMN_NOT_FOUND: ")
    assert refusal(people.run(column), 404).startswith("COLUMN_NOT_FOUND: ")


def test_a_removed_column_can_be_added_again(people):
    (first,) = people.added("workEmail")
    people.remove(first)
    (second,) = people.added("workEmail")
    assert second != first
    assert counters(people.column(second)) == [0, 2, 0, 0, 0]


def test_a_default_column_is_not_removed(people):
    for column in people.listed():
        assert refusal(people.remove(column["columnId"])).startswith("columnId must not be")
    assert len(people.listed()) == 3


def test_a_default_column_is_run_again(people):
    column = people.listed()[0]["columnId"]
    answer = people.run(column)
    assert answer.status_code == 200
    body = answer.json()
    assert body["data"] == {"columnId": column, "runScope": "all", "status": "processing"}
    assert body["billing"] == {"creditsCharged": 0, "resultsReturned": 1}
    assert counters(people.column(column)) == [0, 2, 0, 0, 0]


def test_a_second_run_takes_nothing_that_the_first_has(people):
    (column,) = people.added("workEmail")
    assert people.run(column).json()["data"]["status"] == "processing"
    assert len(people.runs()) == 1


def test_a_run_of_missing_takes_what_is_not_run_or_failed(people):
    (column,) = people.added("workEmail")
    people.fill(column, {0: Cell("success", b'"x"'), 1: Cell("failed")})
    people.run(column, "missing")
    assert people.runs()[0].taken == 1
    assert counters(people.column(column)) == [0, 1, 1, 0, 0]


def test_a_specific_run_takes_the_rows_of_its_ids(people):
    (column,) = people.added("workEmail")
    people.fill(column, {0: Cell("success", b'"x"'), 1: Cell("no_data")})
    ids = [people.person(2), people.person(2), people.person(999), "4503599627370497"]
    assert people.run(column, "specific", entityIds=ids).status_code == 200
    assert counters(people.column(column)) == [0, 1, 1, 0, 0]
    legacy = people.installation.record_ids.legacy(Entity.CONTACT, 1)
    people.run(column, "specific", entityIds=[str(legacy)])
    assert counters(people.column(column)) == [0, 2, 0, 0, 0]


def test_a_specific_run_of_no_row_begins_nothing(people):
    (column,) = people.added("workEmail")
    people.fill(column, {0: Cell("success", b'"x"'), 1: Cell("no_data")})
    answer = people.run(column, "specific", entityIds=[people.person(999)])
    assert answer.json()["data"]["status"] == "processing"
    assert counters(people.column(column)) == [0, 0, 1, 1, 0]


@pytest.mark.parametrize(
    ("members", "path"),
    [
        ({"scope": "specific"}, "entityIds"),
        ({"scope": "specific", "entityIds": []}, "entityIds"),
        ({"scope": "specific", "entityIds": ["v1.x"] * 501}, "entityIds"),
        ({"scope": "specific", "entityIds": ["1", "nonsense"]}, "entityIds.1"),
        ({"scope": "all", "entityIds": ["1"]}, "entityIds"),
        ({"scope": "missing", "entityIds": ["1"]}, "entityIds"),
        ({"scope": "some"}, "runScope"),
        ({"scope": None}, "runScope"),
    ],
)
def test_malformed_runs_are_refused(people, members, path):
    column = people.listed()[0]["columnId"]
    assert refusal(people.run(column, **members)).startswith(path)
    assert people.runs() == []


def test_a_repeated_key_runs_once(people):
    column = people.listed()[0]["columnId"]
    first = people.run(column, key="k")
    people.fill(column, {0: Cell("success", b'"x"'), 1: Cell("success", b'"x"')})
    assert people.run(column, key="k").json() == first.json()
    assert len(people.runs()) == 1


def test_columns_of_signals_need_a_plan_with_signals(make_service, tmp_path):
    plans = tmp_path / "plans.toml"
    plans.write_text("[plans.free.features]\nsignals = false\n")
    service = make_service(plans_file=str(plans))
    full_records.load_records(service.database)
    people = ColumnUser(*new_account(service, "dana@acme.example", plan="free"))
    people.add_rows(1)
    for new in (score_column(), signal_column(Entity.CONTACT, ["promotion"], None)):
        assert "signals" in refusal(people.run(people.insert(new)), 403)
    assert people.runs() == []


@pytest.mark.parametrize("column", ["zzzzzzzz", "0", "00000000", "1" * 40])
def test_a_malformed_column_id_is_not_found(people, column):
    assert refusal(people.run(column), 404).startswith("COLUMN_NOT_FOUND: ")
    assert refusal(people.remove(column), 404).startswith("COLUMN_NOT_FOUND: ")


def test_a_column_of_another_table_is_not_found(people):
    other = people.user.table("Others")["columns"][0]["columnId"]
    assert refusal(people.run(other), 404).startswith("COLUMN_NOT_FOUND: ")
    assert refusal(people.remove(other), 404).startswith("COLUMN_NOT_FOUND: ")


@pytest.mark.parametrize("email", ["nobody@acme.example", "nonsense", ""])
def test_an_owner_who_is_no_user_is_refused(people, email):
    column = people.listed()[0]["columnId"]
    owner = {"owner": {"email": email}}
    for answer in (people.add("city", **owner), people.run(column, **owner)):
        assert refusal(answer).startswith("owner.email")
    for method, path in (("GET", ""), ("DELETE", f"/{column}")):
        answer = people.user.call(method, people.path + path, params={"email": email})
        assert refusal(answer).startswith("email")


def test_a_missing_owner_is_refused(people):
    column = people.listed()[0]["columnId"]
    assert refusal(people.user.call("POST", people.path, {"columnKey": "city"})).startswith("owner")
    assert refusal(people.user.call("GET", people.path)).startswith("email")
    assert refusal(people.user.call("DELETE", f"{people.path}/{column}")).startswith("email")
    run = people.user.call("POST", f"{people.path}/{column}/run", {"runScope": "all"})
    assert refusal(run).startswith("owner")


def test_another_user_runs_and_changes_columns_of_a_shared_table_only(directory):
    dana, erin = new_account(directory, "dana@acme.example", "erin@acme.example")
    table = ColumnUser(dana)
    table.add_rows(1)
    table.user = erin
    column = table.table["columns"][0]["columnId"]
    for answer in (table.add("city"), table.run(column), table.remove(column)):
        assert refusal(answer, 404).startswith("TABLE_NOT_FOUND: ")
    assert dana.change(table.table["tableId"], visibility="shared").status_code == 200
    (city,) = table.added("city")
    assert table.run(city).status_code == 200
    assert table.remove(city).status_code == 200


def test_a_table_of_the_other_kind_or_account_has_no_columns(people):
    (frank,) = new_account(people.service, "frank@rival.example")
    column = people.listed()[0]["columnId"]
    for other in (frank, people.user.of_kind("companies")):
        listed = other.call("GET", people.path, params={"email": other.email})
        added = other.call("POST", people.path, {"owner": other.owner, "columnKey": "name"})
        removed = other.call("DELETE", f"{people.path}/{column}", params={"email": other.email})
        for answer in (listed, added, removed):
            assert refusal(answer, 404).startswith("TABLE_NOT_FOUND: ")


def test_adding_removing_and_running_take_few_statements(people, monkeypatch):
    calls = record_statements(monkeypatch)

    def count(act):
        calls.clear()
        act()
        return len(calls)

    column = people.listed()[0]["columnId"]
    assert count(lambda: people.add("workEmail")) <= 24
    assert count(lambda: people.run(column)) <= 20
    assert count(lambda: people.remove(people.listed()[-1]["columnId"])) <= 24
