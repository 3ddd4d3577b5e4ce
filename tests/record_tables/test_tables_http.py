"""Tables over HTTP: create, list, status, change and delete."""

from itertools import count

import pytest
from table_users import new_account

from firmograph.database.connection import AccountSession, account_scope
from firmograph.directory.records import Company
from firmograph.privacy.suppression import Suppression
from firmograph.record_tables import store
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.runs import store as run_store
from firmograph.record_tables.runs.acceptance import begin_run
from firmograph.record_tables.store import NewTable
from firmograph.security.record_ids import Entity
from record_factory import contact, load_companies, load_contacts

DEFAULTS = {
    "contacts": [("fullName", "Full name"), ("jobTitle", "Job title"), ("companyName", "Company")],
    "companies": [("name", "Name"), ("domain", "Domain")],
}
_serials = count()


@pytest.fixture
def people(shared_service):
    """Return Dana and Eli, users of one account."""
    return new_account(shared_service, "dana@acme.example", "eli@acme.example")


@pytest.fixture
def dana(people):
    return people[0]


@pytest.fixture
def eli(people):
    return people[1]


@pytest.fixture
def service(dana):
    """Return the application as Dana's account calls it."""
    return dana.service


@pytest.fixture
def load(service):
    """Return a function that loads records and returns the ids of those that are new."""

    def loaded(entity, *records):
        before = _numbers(service, entity)
        (load_contacts if entity is Entity.CONTACT else load_companies)(service.database, "crm", records)
        seal = service.installation.record_ids.seal
        return [seal(entity, number) for number in sorted(_numbers(service, entity) - before)]

    return loaded


def _numbers(service, entity):
    name = "contacts" if entity is Entity.CONTACT else "companies"
    return {row[0] for row in service.database.session().raw.execute(f"SELECT id FROM {name}")}


def company(name, **fields):
    """Return a company that no other test has loaded."""
    return Company(name=name, domain=f"{name.lower()}{next(_serials)}.example.com", **fields)


# --- creation ---


@pytest.mark.parametrize("kind", ["contacts", "companies"])
def test_a_created_table_has_its_default_columns_and_is_shown_alike_by_status_and_list(dana, kind):
    user = dana.of_kind(kind)
    answer = user.create("  Prospects\t")
    assert answer.status_code == 201
    body = answer.json()
    assert set(body) == {"requestId", "data", "billing"}
    assert body["requestId"] == answer.headers["x-request-id"]
    assert body["billing"] == {"creditsCharged": 0, "resultsReturned": 1}
    table = body["data"]
    assert user.get(table["tableId"]).json()["data"] == table
    columns = table.pop("columns")
    assert [(column["key"], column["isDefault"]) for column in columns] == [
        (key, True) for key, _ in DEFAULTS[kind]
    ]
    listed = user.list_tables().json()
    assert listed["data"] == [table]
    assert listed["pagination"] == {"page": 0, "size": 100, "total": 1}
    assert listed["billing"] == {"creditsCharged": 0, "resultsReturned": 1}
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
        "columnCount": len(columns),
        "isProcessing": False,
    }
    assert table["tableId"].isdigit()


def test_a_column_is_shown_with_its_counters(dana):
    column = dana.table()["columns"][0]
    assert column == {
        "columnId": column["columnId"],
        "name": "Full name",
        "type": "lusha",
        "key": "fullName",
        "isDefault": True,
        "addedAt": column["addedAt"],
        "updatedAt": column["addedAt"],
        "rowsNotRun": 0,
        "rowsProcessing": 0,
        "rowsSuccess": 0,
        "rowsNoData": 0,
        "rowsFailed": 0,
    }
    assert len(column["columnId"]) == 8
    assert column["addedAt"].endswith("Z")


def test_the_owner_is_found_in_any_letter_case(dana):
    assert dana.create(owner={"email": " DANA@Acme.example "}).status_code == 201
    assert dana.list_tables(owner={"email": "Dana@ACME.example"}).json()["pagination"]["total"] == 1


def test_the_first_rows_are_added_with_the_table(dana, service, load):
    ann, bo = load(Entity.CONTACT, contact("Ann", "Ames"), contact("Bo", "Byrd"))
    legacy = str(
        service.installation.record_ids.legacy(
            Entity.CONTACT, service.installation.record_ids.open(Entity.CONTACT, bo)
        )
    )
    unknown = service.installation.record_ids.seal(Entity.CONTACT, 999_999)
    other_kind = service.installation.record_ids.seal(Entity.COMPANY, 1)
    table = dana.table(ids=[unknown, ann, ann, legacy, "7", other_kind])
    assert (table["entityCount"], table["invalidIds"]) == (2, [unknown, "7", other_kind])
    assert [column["rowsSuccess"] + column["rowsNoData"] for column in table["columns"]] == [2, 2, 2]
    assert not table["isProcessing"]


@pytest.mark.parametrize("ids", [{}, {"ids": []}])
def test_a_table_may_be_empty(dana, ids):
    table = dana.table(**ids)
    assert table["entityCount"] == 0
    assert table.get("invalidIds") == ids.get("ids")


def test_invalid_ids_are_shown_by_creation_only(dana):
    table_id = dana.table(ids=["7"])["tableId"]
    assert "invalidIds" not in dana.get(table_id).json()["data"]


def test_a_suppressed_person_is_an_invalid_id(dana, service, load):
    ann, bo = load(
        Entity.CONTACT,
        contact("Ann", "Ames", emails=["ann@ames.example"]),
        contact("Bo", "Byrd", emails=["bo@byrd.example"]),
    )
    suppression = service.installation.get(Suppression)
    suppression.suppress(suppression.person(email="ann@ames.example"))
    table = dana.table(ids=[ann, bo])
    assert (table["entityCount"], table["invalidIds"]) == (1, [ann])


# --- money ---


def test_companies_cost_their_base_once_and_bare_ones_nothing(dana, service, load):
    user = dana.of_kind("companies")
    full, bare = load(Entity.COMPANY, company("Acme", description="Makes"), company("Plain"))
    answer = user.create("One", ids=[full, bare, full])
    assert answer.json()["billing"] == {"creditsCharged": 1, "resultsReturned": 1}
    assert user.create("Two", ids=[full, bare]).json()["billing"]["creditsCharged"] == 0
    (entry,) = [entry for _, entry in service.accounts.ledger(service.account) if entry.kind == "charge"]
    assert (entry.action, entry.credits, entry.request_id) == (
        "revealCompany",
        1,
        answer.json()["requestId"],
    )
    assert entry.subject == f"table:{answer.json()['data']['tableId']}"


def test_with_too_few_credits_there_is_no_table(service, load):
    (poor,) = new_account(service, "poor@acme.example", credits=1)
    user = poor.of_kind("companies")
    ids = load(Entity.COMPANY, company("Acme", description="A"), company("Bolt", description="B"))
    answer = user.create("Both", ids=ids)
    assert (answer.status_code, answer.json()["code"]) == (402, 402)
    assert user.names() == []
    assert service.accounts.find(poor.account).remaining == 1
    assert user.create("Both", ids=ids[:1]).status_code == 201


def test_contacts_cost_nothing(service, load):
    (poor,) = new_account(service, "poor@acme.example", credits=0)
    ids = load(Entity.CONTACT, contact("Ann", "Ames"))
    assert poor.create(ids=ids).json()["billing"]["creditsCharged"] == 0


# --- replays ---


def test_a_replay_answers_the_same_table_as_it_is_now(dana, load):
    user = dana.of_kind("companies")
    (acme,) = load(Entity.COMPANY, company("Acme", description="A"))
    first = user.create(ids=[acme, "7"], idempotency_key="k").json()
    user.change(first["data"]["tableId"], visibility="shared")
    again = user.create(ids=[acme, "7"], idempotency_key="k")
    assert again.status_code == 201
    assert again.json() == {**first, "data": {**first["data"], "visibility": "shared"}}
    assert first["billing"]["creditsCharged"] == 1
    assert user.names() == ["People"]


def test_the_replay_of_a_deleted_table_is_404(dana):
    table_id = dana.create(idempotency_key="k").json()["data"]["tableId"]
    dana.delete(table_id)
    again = dana.create(idempotency_key="k")
    assert again.status_code == 404
    assert again.json()["message"].startswith("TABLE_NOT_FOUND: ")
    assert dana.names() == []


def test_a_key_that_was_used_with_another_body_is_409(dana):
    dana.create("One", idempotency_key="k")
    assert dana.create("Two", idempotency_key="k").status_code == 409


def test_a_refused_creation_is_not_kept_under_its_key(dana):
    table_id = dana.table("Taken")["tableId"]
    assert dana.create("Taken", idempotency_key="k").status_code == 409
    dana.delete(table_id)
    assert dana.create("Taken", idempotency_key="k").status_code == 201


# --- names ---


@pytest.mark.parametrize(
    "name", ["people", "  PEOPLE ", "Peo\u200bple", "\ufeffPeople\u00ad", "Pe\u200dople"]
)
def test_a_name_is_taken_by_owner_and_kind_in_any_letter_case(dana, name):
    dana.table("People")
    answer = dana.create(name)
    assert answer.status_code == 409
    assert answer.json()["message"].startswith("TABLE_NAME_CONFLICT: ")
    assert (answer.json()["statusCode"], answer.json()["code"]) == (409, 409)
    assert dana.names() == ["People"]


def test_a_name_loses_marks_of_direction_when_it_is_given_and_changed(dana):
    table = dana.table("x\u202ey")["tableId"]
    assert dana.names() == ["xy"]
    dana.change(table, name="\u2067Zed\u2069\u3164")
    assert dana.names() == ["Zed"]


def test_letters_beyond_ascii_are_compared_case_aside(dana):
    dana.table("Straße ÄÖ")
    assert dana.create("STRASSE äö").status_code == 409
    assert dana.create("Straße A\u0308O\u0308").status_code == 409
    assert [table["name"] for table in dana.list_tables(name="a\u0308o\u0308").json()["data"]] == [
        "Straße ÄÖ"
    ]


def test_an_archived_table_keeps_its_name(dana):
    dana.change(dana.table("People")["tableId"], archived=True)
    assert dana.create("People").status_code == 409


def test_users_and_kinds_have_names_of_their_own(dana, eli):
    dana.table("People")
    eli.table("People", visibility="shared")
    dana.of_kind("companies").table("People")
    assert dana.names() == ["People", "People"]


def test_a_deleted_table_gives_its_name_back(dana):
    first = dana.table("People")["tableId"]
    dana.delete(first)
    assert dana.table("People")["tableId"] != first


def test_a_name_of_255_characters_fits(dana):
    assert dana.table(f" {'x' * 255}\n")["name"] == "x" * 255


# --- list ---


def test_the_newest_table_is_listed_first(dana):
    for name in ("One", "Two", "Three"):
        dana.table(name)
    assert dana.names() == ["Three", "Two", "One"]
    assert dana.names(size=2) == ["Three", "Two"]
    assert dana.names(size=2, page=1) == ["One"]
    last = dana.list_tables(size=2, page=2).json()
    assert last["data"] == []
    assert last["pagination"] == {"page": 2, "size": 2, "total": 3}
    assert last["billing"] == {"creditsCharged": 0, "resultsReturned": 0}


@pytest.mark.parametrize("name", ["FAIR", " fair ", "autumn fair"])
def test_tables_are_found_by_a_part_of_their_name(dana, name):
    dana.table("Autumn fair 2025")
    dana.table("Customers")
    answer = dana.list_tables(name=name).json()
    assert [table["name"] for table in answer["data"]] == ["Autumn fair 2025"]
    assert answer["pagination"]["total"] == 1


def test_no_letter_of_a_name_has_a_meaning_of_its_own(dana):
    dana.table("Customers")
    assert dana.names(name="%") == dana.names(name="c_st") == []


def test_archived_tables_are_listed_when_asked_for(dana):
    for name in ("Old", "New"):
        dana.table(name)
    old = dana.list_tables(name="Old").json()["data"][0]["tableId"]
    dana.change(old, archived=True)
    assert dana.names() == dana.names(status="active") == ["New"]
    assert dana.names(status="archived") == ["Old"]
    assert dana.get(old).json()["data"]["status"] == "archived"


# --- changes ---


def test_omitted_properties_keep_their_values(dana):
    table = dana.table("People", visibility="shared")
    for members in ({}, {"name": None, "visibility": None, "archived": None}):
        answer = dana.change(table["tableId"], **members)
        assert (answer.status_code, answer.json()["data"]) == (200, table)
    changed = dana.change(table["tableId"], name=" Customers ").json()["data"]
    assert changed == {**table, "name": "Customers"}
    changed = dana.change(table["tableId"], archived=True, visibility="private").json()["data"]
    assert changed == {**table, "name": "Customers", "status": "archived", "visibility": "private"}
    assert dana.change(table["tableId"], archived=False).json()["data"]["status"] == "active"
    assert dana.get(table["tableId"]).json()["data"]["status"] == "active"


def test_a_table_may_change_the_case_of_its_own_name(dana):
    table_id = dana.table("People")["tableId"]
    assert dana.change(table_id, name="PEOPLE").json()["data"]["name"] == "PEOPLE"


def test_a_table_cannot_take_the_name_of_another(dana):
    dana.change(dana.table("Old")["tableId"], archived=True)
    table_id = dana.table("New")["tableId"]
    answer = dana.change(table_id, name="old", visibility="shared")
    assert answer.status_code == 409
    assert answer.json()["message"].startswith("TABLE_NAME_CONFLICT: ")
    kept = dana.get(table_id).json()["data"]
    assert (kept["name"], kept["visibility"]) == ("New", "private")


def test_a_deleted_table_is_gone(dana):
    table_id = dana.table()["tableId"]
    answer = dana.delete(table_id)
    assert answer.status_code == 200
    assert answer.json() == {
        "requestId": answer.headers["x-request-id"],
        "tableId": table_id,
        "status": "deleted",
        "billing": {"creditsCharged": 0, "resultsReturned": 0},
    }
    assert {dana.get(table_id).status_code, dana.change(table_id, name="X").status_code} == {404}
    assert dana.delete(table_id).status_code == 404
    assert dana.names() == []


# --- limits ---


def test_an_account_has_at_most_500_tables(dana, eli, service):
    users = {user: user.table(f"Of {user.email}")["owner"]["id"] for user in (dana, eli)}
    account = dana.account_id
    with service.database.write(account_scope(account)) as session:
        own = AccountSession(session, account)
        for number in range(497):
            owner = users[eli if number % 2 else dana]
            store.insert_table(own, NewTable(1 + number % 2, f"{number}", owner, "api", False), 1.0)
    dana.change(dana.table("Last")["tableId"], archived=True)
    answer = dana.create("One more")
    assert (answer.status_code, answer.json()["code"]) == (403, 403)
    assert answer.json()["message"] == (
        "Forbidden: an account has at most 500 tables, archived ones included; 0 still fit. Delete one first"
    )
    assert dana.names(name="One more") == []
    dana.delete(dana.list_tables(status="archived").json()["data"][0]["tableId"])
    assert dana.create("One more").status_code == 201


def test_a_plan_without_tables_is_refused_by_name(make_service, tmp_path):
    plans = tmp_path / "plans.toml"
    plans.write_text("[plans.unlimited.features]\ntables = false\n")
    (dana,) = new_account(make_service(plans_file=str(plans)), "dana@acme.example")
    answer = dana.create(owner={"email": "nobody@acme.example"})
    assert (answer.status_code, answer.json()["errors"]) == (403, ["tables"])
    assert {dana.list_tables().status_code, dana.get("1").status_code, dana.delete("1").status_code} == {403}


# --- users and addresses ---


def test_the_table_of_a_removed_user_stays_without_an_address(dana, eli, service):
    table_id = dana.table(visibility="shared")["tableId"]
    _remove_user(service, dana)
    owner = eli.get(table_id).json()["data"]["owner"]
    assert set(owner) == {"id"}
    assert eli.list_tables().json()["data"][0]["owner"] == owner
    assert eli.change(table_id, name="Mine").status_code == 403
    assert dana.get(table_id).status_code == 400


def _remove_user(service, user):
    account = user.account_id
    with service.database.write(account_scope(account)) as session:
        session.raw.execute(f"DELETE FROM users WHERE email = '{user.email}' AND account_id = {account}")


@pytest.mark.parametrize(
    "url", ["https://api.acme.example/firmograph", "https://api.acme.example/firmograph/"]
)
def test_the_address_of_a_table_begins_with_the_public_url(make_service, url):
    (dana,) = new_account(make_service(public_url=url), "dana@acme.example")
    table = dana.table()
    assert table["workspaceUrl"] == (
        f"https://api.acme.example/firmograph/workspace/tables/{table['tableId']}"
    )


def test_the_deletion_of_a_table_ends_its_runs(dana, service, load):
    ids = load(Entity.CONTACT, contact("Ann", "Ames"))
    table_id = dana.table(ids=ids)["tableId"]
    number = TableIds(service.installation.keyring).open_table(table_id)
    account = dana.account_id
    with service.database.write(account_scope(account)) as session:
        own = AccountSession(session, account)
        table, columns = store.find_table(own, number), column_store.select_every_column(own, number)
        begin_run(own, table, columns, columns[0], "all", user_id=1, request_id="r", at=1.0)
    assert dana.get(table_id).json()["data"]["isProcessing"] is True
    dana.delete(table_id)
    with service.database.read() as session:
        runs = run_store.select_runs(AccountSession(session, account), number, 10)
    assert [run.state.name for run in runs] == ["STOPPED"]
