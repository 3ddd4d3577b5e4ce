"""Two accounts and three users: nothing tells of a table that is not there for the user."""

import re

import pytest
from table_users import new_account

from firmograph.record_tables.ids import TableIds
from firmograph.security.record_ids import Entity
from record_factory import contact, load_contacts

pytestmark = pytest.mark.any_database

ID = "v1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
CALLS = {
    "status": ("GET", "", None),
    "rename": ("PATCH", "", {"name": "Renamed"}),
    "no change": ("PATCH", "", {}),
    "delete": ("DELETE", "", None),
    "rows": ("GET", "/entities", None),
    "add rows": ("POST", "/entities", {"entityIds": [ID]}),
    "remove rows": ("DELETE", "/entities", {"entityIds": [ID]}),
    "columns": ("GET", "/columns", None),
    "add columns": ("POST", "/columns", {"columnKey": "city"}),
    "remove a column": ("DELETE", "/columns/{column}", None),
    "run a column": ("POST", "/columns/{column}/run", {"runScope": "all"}),
}
"""Calls on a table: method, rest of the path, and body without owner; None for a query."""
COLUMN_CALLS = ("remove a column", "run a column")

OWNERS = ("rename", "delete")
"""Calls that only the owner of a shared table may make."""


@pytest.fixture
def users(shared_service):
    """Return Dana and Eli of one account, and Finn of another one."""
    dana, eli = new_account(shared_service, "dana@acme.example", "eli@acme.example")
    (finn,) = new_account(shared_service, "finn@rival.example")
    return dana, eli, finn


@pytest.fixture
def dana(users):
    return users[0]


@pytest.fixture
def eli(users):
    return users[1]


@pytest.fixture
def finn(users):
    return users[2]


def make(user, call, table_id, column_id="0123abcd"):
    method, rest, body = CALLS[call]
    rest = rest.format(column=column_id)
    if body is None:
        return user.call(method, f"/{table_id}{rest}", params={"email": user.email})
    return user.call(method, f"/{table_id}{rest}", {"owner": user.owner, **body})


def add_column(user, table_id):
    answer = user.call("POST", f"/{table_id}/columns", {"columnKey": "country", "owner": user.owner})
    return answer.json()["data"][0]["columnId"]


def signature(answer):
    """Return status, body and headers of an answer, without what identifies the request or counts requests."""
    headers = {
        name: value
        for name, value in answer.headers.items()
        if name != "x-request-id" and not re.search("requests-left|usage", name)
    }
    return answer.status_code, answer.content, headers


@pytest.mark.parametrize("call", CALLS)
def test_hidden_foreign_unknown_and_malformed_ids_are_one_404(dana, eli, finn, call):
    private, gone = dana.table("Private")["tableId"], eli.table("Gone", visibility="shared")["tableId"]
    eli.delete(gone)
    ids = {
        "hidden": private,
        "deleted": gone,
        "foreign": finn.table("Theirs")["tableId"],
        "foreign and shared": finn.table("Ours", visibility="shared")["tableId"],
        "other kind": eli.of_kind("companies").table("Companies")["tableId"],
        "unknown": TableIds(dana.service.installation.keyring).table_id(999_999),
        "too large": str(2**53),
        "too long": "1" * 400,
        "leading zero": f"0{private}",
        "no digits": "none",
        "other digits": "\u0661\u0662",
        "spaces": "%20",
        "a fraction": "1.5",
        "negative": "-1",
        "a NUL": "%00",
        "no UTF-8": "%ff",
    }
    answers = {name: make(eli, call, id) for name, id in ids.items()}
    expected = signature(answers["unknown"])
    assert expected[0] == 404
    assert answers["unknown"].json() == {
        "statusCode": 404,
        "code": 404,
        "message": "TABLE_NOT_FOUND: there is no such table; list the tables to find its id",
    }
    assert {name for name, answer in answers.items() if signature(answer) != expected} == set()
    assert dana.get(private).json()["data"]["name"] == "Private"


@pytest.mark.parametrize("call", CALLS)
def test_a_shared_table_is_there_for_every_user_of_the_account(dana, eli, finn, call):
    table_id = dana.table(visibility="shared")["tableId"]
    column_id = add_column(dana, table_id)
    assert make(finn, call, table_id, column_id).status_code == 404
    answer = make(eli, call, table_id, column_id)
    if call in OWNERS:
        assert (answer.status_code, answer.json()["code"]) == (403, 403)
        assert answer.json()["errors"] == ["only its owner renames, shares, archives or deletes a table"]
        assert dana.get(table_id).json()["data"]["name"] == "People"
    else:
        assert answer.status_code < 300, answer.text


def test_a_change_of_nothing_is_answered_to_all_who_see_the_table(dana, eli, finn):
    shared, private = (
        dana.table(f"{each} one", visibility=each)["tableId"] for each in ("shared", "private")
    )
    before = dana.get(shared).json()["data"]
    for answer in (dana.change(shared), eli.change(shared), eli.change(shared, name=None, archived=None)):
        assert answer.json()["data"] == before
    assert [eli.change(private).status_code, finn.change(shared).status_code] == [404, 404]
    assert eli.change(shared, archived=False).status_code == 403


@pytest.mark.parametrize("call", OWNERS)
def test_the_owner_of_a_shared_table_may_make_every_call(dana, call):
    assert make(dana, call, dana.table(visibility="shared")["tableId"]).status_code == 200


@pytest.mark.parametrize("call", COLUMN_CALLS)
def test_unknown_foreign_removed_and_malformed_columns_are_one_404(dana, eli, call):
    table_id = dana.table(visibility="shared")["tableId"]
    removed = add_column(dana, table_id)
    make(dana, "remove a column", table_id, removed)
    private, foreign = dana.table("Private")["tableId"], eli.table("Of Eli")["tableId"]
    ids = {
        "unknown": TableIds(dana.service.installation.keyring).column_id(999_999),
        "removed": removed,
        "of a hidden table": add_column(eli, foreign),
        "of another table of the user": add_column(dana, private),
        "upper case": removed.upper(),
        "too short": "0123abc",
        "no digits": "none",
        "a NUL": "%00",
    }
    answers = {name: make(dana, call, table_id, id) for name, id in ids.items()}
    expected = signature(answers["unknown"])
    assert expected[0] == 404
    assert answers["unknown"].json() == {
        "statusCode": 404,
        "code": 404,
        "message": "COLUMN_NOT_FOUND: the table has no such column; list its columns to find the id",
    }
    assert {name for name, answer in answers.items() if signature(answer) != expected} == set()


def test_lists_and_their_counts_hold_visible_tables_only(dana, eli, finn):
    dana.table("Private of Dana")
    dana.table("Shared of Dana", visibility="shared")
    archived = dana.table("Archived of Dana")["tableId"]
    dana.change(archived, archived=True)
    finn.table("Shared of Finn", visibility="shared")
    listed = eli.list_tables().json()
    assert [table["name"] for table in listed["data"]] == ["Shared of Dana"]
    assert listed["pagination"]["total"] == 1
    assert eli.list_tables(name="Private").json()["pagination"]["total"] == 0
    assert eli.names(status="archived") == []
    assert finn.names() == ["Shared of Finn"]
    assert dana.names() == ["Shared of Dana", "Private of Dana"]
    assert dana.names(status="archived") == ["Archived of Dana"]
    assert dana.of_kind("companies").names() == []


def test_names_of_others_are_no_conflict(dana, eli, finn):
    for user in (dana, eli, finn):
        user.table("People")
    other = eli.table("Others")["tableId"]
    assert eli.change(other, name="people").status_code == 409
    dana.table("Only Dana's")
    assert eli.change(other, name="Only Dana's").status_code == 200


def test_a_table_leaves_the_view_of_others_as_it_becomes_private(dana, eli):
    table_id = dana.table(visibility="shared")["tableId"]
    assert eli.get(table_id).status_code == 200
    dana.change(table_id, visibility="private")
    assert eli.get(table_id).status_code == 404
    assert eli.names() == []


def test_a_shared_archived_table_is_hidden_in_lists_only(dana, eli):
    table_id = dana.table(visibility="shared")["tableId"]
    dana.change(table_id, archived=True)
    assert eli.get(table_id).json()["data"]["status"] == "archived"
    assert eli.names() == []
    assert eli.names(status="archived") == ["People"]


def test_a_replay_is_only_for_a_user_who_may_see_the_table(dana, eli):
    table_id = dana.create(idempotency_key="k").json()["data"]["tableId"]
    assert eli.create(idempotency_key="k").status_code == 409
    assert dana.create(idempotency_key="k").json()["data"]["tableId"] == table_id


def test_the_user_of_another_account_is_unknown(dana, finn):
    dana.table(visibility="shared")
    unknown = dana.list_tables(owner={"email": "nobody@acme.example"})
    foreign = dana.list_tables(owner=finn.owner)
    assert unknown.status_code == 400
    assert signature(unknown) == signature(foreign)


def test_the_page_is_the_same_for_every_id_and_needs_no_account(dana):
    service = dana.service
    load_contacts(service.database, "crm", [contact("Ann", "Ames")])
    number = min(row[0] for row in service.database.session().raw.execute("SELECT id FROM contacts"))
    ids = [service.installation.record_ids.seal(Entity.CONTACT, number)]
    table = dana.table("Secret", ids=ids)
    path = table["workspaceUrl"].removeprefix("http://127.0.0.1:8000")
    answers = [
        service.client.get(at)
        for at in (path, "/workspace/tables/1", "/workspace/tables/none", "/workspace/tables/%00")
    ]
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    page = answers[0]
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "Secret" not in page.text
    assert "later release" in page.text
    assert 'href="../../docs"' in page.text
    docs = service.client.get("/docs")
    for name in ("content-security-policy", "x-content-type-options", "referrer-policy"):
        assert page.headers[name] == docs.headers[name]
