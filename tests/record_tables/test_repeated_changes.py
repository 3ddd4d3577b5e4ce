"""Free changes of tables that are repeated under their `Idempotency-Key`."""

import pytest
from table_calls import TableCaller, served

from firmograph.record_tables.cells.chunk import ChunkPosition
from firmograph.record_tables.rows import removal


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    with served(tmp_path_factory.mktemp("repeated-changes")) as service:
        yield service


@pytest.fixture(params=["contacts", "companies"])
def caller(directory, request):
    return TableCaller(directory, request.param)


@pytest.fixture
def repeat(caller):
    """Return a function that makes a call of tables under a key, twice as one user."""

    def call(method, path, body=None, key="k"):
        user = caller.tables
        query = {"email": user.email} if body is None else None
        named = None if body is None else {"owner": user.owner, **body}
        return user.call(method, path, named, query, **{"idempotency-key": key})

    return call


def test_a_repeated_change_of_a_table_answers_the_table_of_today(caller, repeat):
    table = caller.table()
    first = repeat("PATCH", f"/{table}", {"name": "First"})
    caller.tables.change(table, name="Second")
    again = repeat("PATCH", f"/{table}", {"name": "First"})
    assert (first.json()["data"]["name"], again.json()["data"]["name"]) == ("First", "Second")
    assert again.json()["requestId"] == first.json()["requestId"]
    assert again.headers["x-original-request-id"] == first.headers["x-request-id"]
    assert repeat("PATCH", f"/{table}", {"name": "Third"}).status_code == 409


def test_a_repeated_deletion_of_a_table_answers_the_same(caller, repeat):
    table = caller.table()
    first, again = (repeat("DELETE", f"/{table}") for _ in range(2))
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.json() == first.json()
    assert repeat("DELETE", f"/{table}", key="other").status_code == 404


def test_a_repeated_removal_of_a_column_answers_the_same(caller, repeat):
    table = caller.table()
    key = {"contacts": "workEmail", "companies": "yearFounded"}[caller.kind]
    added = repeat("POST", f"/{table}/columns", {"columnKey": key}).json()
    path = f"/{table}/columns/{added['data'][0]['columnId']}"
    first, again = (repeat("DELETE", path) for _ in range(2))
    assert first.status_code == 200, first.text
    assert again.json() == first.json()
    assert repeat("DELETE", path, key="other").status_code == 404


def test_a_repeated_removal_of_rows_leaves_rows_that_were_added_since(caller, repeat):
    table, ids = caller.table(), caller.ids(0, 1, 2)
    body = {"entityIds": caller.ids(0, 1, 40)}
    caller.tables.add_rows(table, *ids)
    first = repeat("DELETE", f"/{table}/entities", body)
    assert first.json()["data"] == {"removed": 2, "invalidIds": caller.ids(40)}
    caller.tables.add_rows(table, ids[0])
    assert repeat("DELETE", f"/{table}/entities", body).json() == first.json()
    assert list(caller.cells(table)) == [3, 1]


def test_a_removal_in_several_transactions_is_counted_as_one(caller, repeat, monkeypatch):
    monkeypatch.setattr(removal, "place_of", lambda position: ChunkPosition(position, 0))
    monkeypatch.setattr(removal, "MOST_STORED_CELLS", 1)
    table = caller.table()
    caller.tables.add_rows(table, *caller.ids(0, 1, 2, 3))
    body = {"entityIds": caller.ids(0, 1, 2)}
    answers = [repeat("DELETE", f"/{table}/entities", body).json() for _ in range(2)]
    assert answers[0]["data"]["removed"] == 3
    assert answers[1] == answers[0]
    assert list(caller.cells(table)) == [4]


def test_a_key_of_a_change_is_not_that_of_another_account(caller, directory, repeat):
    table = caller.table()
    assert repeat("DELETE", f"/{table}").status_code == 200
    other = TableCaller(directory, caller.kind).tables
    answer = other.call("DELETE", f"/{table}", params={"email": other.email}, **{"idempotency-key": "k"})
    assert answer.status_code == 404
