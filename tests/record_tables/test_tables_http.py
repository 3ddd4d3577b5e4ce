"""Tables over HTTP: create, list, status, change and delete."""

import pytest
from table_users import new_account


@pytest.fixture
def dana(service):
    (dana,) = new_account(service, "Sales", "dana@acme.example")
    return dana


@pytest.mark.parametrize("kind", ["contacts", "companies"])
def test_a_table_is_created_listed_and_shown(dana, kind):
    user = dana.of_kind(kind)
    answer = user.create("  Prospects ")
    assert answer.status_code == 201
    body = answer.json()
    assert set(body) == {"requestId", "data", "billing"}
    assert body["requestId"] == answer.headers["x-request-id"]
    assert body["billing"] == {"creditsCharged": 0, "resultsReturned": 1}
    table = body["data"]
    assert table["name"] == "Prospects"
    assert user.get(table["tableId"]).json()["data"] == table
    listed = user.list_tables().json()
    columns = table.pop("columns")
    assert len(columns) == table["columnCount"]
    assert listed["data"] == [table]
    assert listed["pagination"] == {"page": 0, "size": 100, "total": 1}
    assert table == {
        "tableId": table["tableId"],
        "name": "Prospects",
        "entityType": kind,
        "visibility": "private",
        "status": "active",
        "owner": {"id": table["owner"]["id"], "email": "dana@acme.example"},
        "createdBy": {"surface": "api", "createdByUserId": table["owner"]["id"]},
        "workspaceUrl": f"http://127.0.0.1:8000/workspace/tables/{table['tableId']}",
        "entityCount": 0,
        "columnCount": table["columnCount"],
        "isProcessing": False,
    }
    assert user.delete(table["tableId"]).json()["status"] == "deleted"
    assert user.get(table["tableId"]).status_code == 404
