"""Malformed requests on tables: refused with the path of the problem, and nothing done."""

import pytest
from table_users import new_account

pytestmark = pytest.mark.any_database

ID = "v1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
OWNER = {"email": "dana@acme.example"}
NO_USER = "must be the e-mail address of a user of the account"

OWNERS = [
    (None, "owner is required"),
    ("dana@acme.example", "owner must be an object"),
    ({}, "owner.email is required"),
    ({"email": None}, "owner.email is required"),
    ({"email": 7}, "owner.email must be a string"),
    ({"email": ""}, "owner.email is required"),
    ({"email": "dana"}, f"owner.email {NO_USER}"),
    ({"email": "dana@acme.example\n<eli@acme.example>"}, f"owner.email {NO_USER}"),
    ({"email": "nobody@acme.example"}, f"owner.email {NO_USER}"),
    ({"email": "finn@rival.example"}, f"owner.email {NO_USER}"),
    ({**OWNER, "id": 1}, "owner.property id should not exist"),
]
NAMES = [
    ("a\nb", "name must be 1 to 255 characters once trimmed, without a line break"),
    ("a\r\nb", "name must be 1 to 255 characters once trimmed, without a line break"),
    ("a\u2028b", "name must be 1 to 255 characters once trimmed, without a line break"),
    ("a\x85b", "name must be 1 to 255 characters once trimmed, without a line break"),
    ("\u200b", "name must be 1 to 255 characters once trimmed, without a line break"),
    ("\u3164", "name must be 1 to 255 characters once trimmed, without a line break"),
    ("\uffa0\u115f ", "name must be 1 to 255 characters once trimmed, without a line break"),
    ("\u2800", "name must be 1 to 255 characters once trimmed, without a line break"),
    ("\U000e0041", "name must be 1 to 255 characters once trimmed, without a line break"),
    ("\ufe0f", "name must be 1 to 255 characters once trimmed, without a line break"),
    (" \u2060\ufeff", "name must be 1 to 255 characters once trimmed, without a line break"),
    ("x" * 256, "name must be 1 to 255 characters once trimmed, without a line break"),
    (" " * 1_000 + "x", "name must have at most 1000 characters"),
    ("a\0b", "name must not contain NUL characters"),
    (7, "name must be a string"),
]


@pytest.fixture(scope="module")
def service(shared_service):
    new_account(shared_service, "finn@rival.example")
    return shared_service


@pytest.fixture
def dana(service):
    (dana,) = new_account(service, "dana@acme.example")
    return dana


def assert_refused(answer, message, status=400):
    body = answer.json()
    assert (answer.status_code, body["message"]) == (status, message)
    assert (body["statusCode"], body["code"]) == (status, status)
    assert body["errors"][0] == message
    assert "billing" not in body


@pytest.mark.parametrize(("owner", "message"), OWNERS)
def test_a_body_names_a_user_of_the_account(dana, owner, message):
    table = dana.table()
    assert_refused(dana.create("Other", owner=owner), message)
    assert_refused(dana.list_tables(owner=owner), message)
    assert_refused(dana.change(table["tableId"], owner=owner, name="Other"), message)
    assert dana.names() == ["People"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({}, "email is required"),
        ({"email": ""}, "email is required"),
        ({"owner": "dana@acme.example"}, "email is required"),
        ({"email": "dana"}, f"email {NO_USER}"),
        ({"email": "finn@rival.example"}, f"email {NO_USER}"),
        ({"email": ["dana@acme.example"] * 2}, "email should not be repeated"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_query_names_a_user_of_the_account(dana, method, query, message):
    table_id = dana.table()["tableId"]
    assert_refused(dana.call(method, f"/{table_id}", params=query), message)
    assert dana.get(table_id).status_code == 200


@pytest.mark.parametrize(("name", "message"), NAMES)
def test_a_name_has_1_to_255_characters(dana, name, message):
    table_id = dana.table()["tableId"]
    assert_refused(dana.create(name), message)
    assert_refused(dana.change(table_id, name=name, visibility="shared"), message)
    assert dana.names() == ["People"]
    assert dana.get(table_id).json()["data"]["visibility"] == "private"


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"name": None}, "name is required"),
        ({"name": ""}, "name is required"),
        ({"name": " \t\n"}, "name is required"),
        ({"visibility": "public"}, "visibility must be one of: private, shared"),
        ({"ids": [ID] * 501}, "ids must have at most 500 elements"),
        ({"ids": ID}, "ids must be an array"),
        ({"ids": [ID, 7]}, "ids.1 must be a string"),
        ({"ids": [ID, None]}, "ids.1 must be a string"),
        (
            {"ids": [ID, "x"]},
            "ids.1 must be a record id: `v` and a version, a point and opaque text, or digits",
        ),
        (
            {"ids": ["1\n"]},
            "ids.0 must be a record id: `v` and a version, a point and opaque text, or digits",
        ),
        ({"entityIds": [ID]}, "property entityIds should not exist"),
        ({"archived": True}, "property archived should not exist"),
    ],
)
def test_a_malformed_creation_makes_no_table(dana, members, message):
    assert_refused(dana.create(**members), message)
    assert dana.names() == []


def test_every_malformed_id_is_named(dana):
    answer = dana.create(ids=["x", ID, "v1.", *["?"] * 20])
    errors = answer.json()["errors"]
    assert [error.split()[0] for error in errors[:3]] == ["ids.0", "ids.2", "ids.3"]
    assert len(errors) == 10


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"page": -1}, "page must be at least 0"),
        ({"page": 1001}, "page must be at most 1000"),
        ({"page": 1.5}, "page must be an integer"),
        ({"size": 0}, "size must be at least 1"),
        ({"size": 101}, "size must be at most 100"),
        ({"status": "deleted"}, "status must be one of: active, archived"),
        ({"name": 7}, "name must be a string"),
        ({"name": "x" * 256}, "name must have at most 255 characters"),
        ({"pagination": {"page": 0}}, "property pagination should not exist"),
    ],
)
def test_a_malformed_list_is_refused(dana, members, message):
    assert_refused(dana.list_tables(**members), message)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"archived": "yes"}, "archived must be a boolean"),
        ({"visibility": "public"}, "visibility must be one of: private, shared"),
        ({"status": "archived"}, "property status should not exist"),
        ({"newOwner": OWNER}, "property newOwner should not exist"),
    ],
)
def test_a_malformed_change_changes_nothing(dana, members, message):
    table = dana.table()
    assert_refused(dana.change(table["tableId"], name="Other", **members), message)
    assert dana.get(table["tableId"]).json()["data"] == table


@pytest.mark.parametrize("page", [0, 1000])
def test_the_bounds_of_a_list_are_taken(dana, page):
    assert dana.list_tables(page=page, size=1).status_code == 200
    assert dana.list_tables(page=page, size=100).status_code == 200


def test_errors_before_the_body_have_a_numeric_code_too(dana, service):
    unknown_key = service.client.post("/v3/contacts/tables", headers={"api_key": "none"}, json={})
    assert (unknown_key.status_code, unknown_key.json()["code"]) == (401, 401)
    wrong_type = service.client.post(
        "/v3/contacts/tables", headers={"api_key": dana.key, "content-type": "text/plain"}, content="x"
    )
    assert (wrong_type.status_code, wrong_type.json()["code"]) == (415, 415)
    not_json = service.client.post("/v3/contacts/tables", headers={"api_key": dana.key}, content="{")
    assert (not_json.status_code, not_json.json()["code"]) == (400, 400)


def test_the_user_is_checked_before_the_table(dana):
    foreign = {"email": "finn@rival.example"}
    assert_refused(dana.call("GET", "/none", params=foreign), f"email {NO_USER}")
    assert_refused(dana.call("PATCH", "/none", {"owner": foreign}), f"owner.email {NO_USER}")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("PUT", "/v3/contacts/tables/1", 405), ("GET", "/v3/companies/tables/1/nothing", 404)],
)
def test_refusals_below_tables_carry_their_status_as_code(service, method, path, status):
    refused = service.client.request(method, path).json()
    assert (refused["statusCode"], refused["code"]) == (status, status)


def test_refusals_elsewhere_carry_no_code(service):
    assert "code" not in service.client.get("/v3/contacts/tablesx").json()
