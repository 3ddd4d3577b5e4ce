"""Rows over HTTP: add, remove and read, and what they cost."""

import pytest
from row_tables import COMPANY, CONTACT, insert_records
from table_users import new_account

from firmograph.database.connection import account_scope
from firmograph.directory.records import CompanyRef
from firmograph.privacy.suppression import Suppression
from firmograph.record_tables.rows import addition, removal
from firmograph.record_tables.rows.reading import RowReader
from record_factory import contact, load_contacts

pytestmark = pytest.mark.any_database

FULL_PROFILE = b'{"name":"Acme","industry":"Software","has":[]}'
BARE_PROFILE = b'{"name":"Acme","domain":"acme.example","has":[]}'
FIRST = 1_000
"""Number of a record that tests know as number 0; imported ones are below."""


@pytest.fixture(scope="module")
def directory(shared_service):
    """Return an application over 601 contacts and 61 companies, of which those from 51 on are bare."""
    insert_records(shared_service, CONTACT, range(FIRST, FIRST + 601))
    insert_records(shared_service, COMPANY, range(FIRST, FIRST + 51), FULL_PROFILE)
    insert_records(shared_service, COMPANY, range(FIRST + 51, FIRST + 61), BARE_PROFILE)
    return shared_service


@pytest.fixture
def people(directory):
    """Return Dana and Eli, users of one account."""
    return new_account(directory, "dana@acme.example", "eli@acme.example")


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
def table(dana):
    """Return the id of an empty table."""
    return dana.table()["tableId"]


@pytest.fixture
def firms(dana):
    return dana.of_kind("companies")


@pytest.fixture
def ids(directory):
    """Return a function that returns the ids of contacts by number."""
    seal = directory.installation.record_ids.seal
    return lambda *numbers: [seal(CONTACT, FIRST + number) for number in numbers]


@pytest.fixture
def firm_ids(directory):
    seal = directory.installation.record_ids.seal
    return lambda *numbers: [seal(COMPANY, FIRST + number) for number in numbers]


def charges(service):
    return [
        (entry.action, entry.quantity, entry.credits, entry.subject)
        for _, entry in service.accounts.ledger(service.account)
        if entry.kind == "charge"
    ]


def data(answer):
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def counts(answer):
    added = data(answer)
    return added["added"], added["alreadyPresent"], added["invalidIds"]


# --- adding ---


def test_records_are_added_in_their_order(dana, table, ids):
    answer = dana.add_rows(table, *ids(3, 1))
    assert set(answer.json()) == {"requestId", "data", "billing"}
    assert data(answer) == {
        "added": 2,
        "alreadyPresent": 0,
        "invalidIds": [],
        "addedBy": {"surface": "api"},
    }
    assert answer.json()["billing"] == {"creditsCharged": 0, "resultsReturned": 2}
    dana.add_rows(table, *ids(2))
    assert dana.row_ids(table) == ids(3, 1, 2)
    assert dana.get(table).json()["data"]["entityCount"] == 3


def test_each_different_id_is_counted_once(service, dana, table, ids):
    dana.add_rows(table, *ids(1))
    legacy = str(service.installation.record_ids.legacy(CONTACT, FIRST + 2))
    (unknown,) = ids(999_999)
    other_kind = service.installation.record_ids.seal(COMPANY, FIRST + 1)
    sent = [*ids(2, 1, 2), legacy, unknown, other_kind, "7", unknown]
    added, present, invalid = counts(dana.add_rows(table, *sent))
    assert (added, present, invalid) == (1, 2, [unknown, other_kind, "7"])
    assert added + present + len(invalid) == len(set(sent))


def test_500_records_are_added_at_once(dana, table, ids):
    assert counts(dana.add_rows(table, *ids(*range(1, 501)))) == (500, 0, [])
    assert dana.row_ids(table, page=4) == ids(*range(401, 501))


def test_a_suppressed_person_is_an_invalid_id(service, dana, table):
    load_contacts(service.database, "crm", [contact("Ann", emails=["ann@ames.example"])])
    ann = service.post("/v3/contacts/search", {"contacts": [{"email": "ann@ames.example"}]}).json()
    id = ann["results"][0]["id"]
    suppression = service.installation.get(Suppression)
    suppression.suppress(suppression.person(email="ann@ames.example"))
    assert counts(dana.add_rows(table, id)) == (0, 0, [id])


def test_default_columns_are_filled_and_others_are_not_run(service, dana, table):
    load_contacts(
        service.database,
        "crm",
        [contact("Ann", "Abt", emails=["ann@abt.example"], company=CompanyRef(name="Acme"))],
    )
    dana.call("POST", f"/{table}/columns", {"columnKey": "workEmail", "owner": dana.owner})
    found = service.post("/v3/contacts/search", {"contacts": [{"email": "ann@abt.example"}]}).json()
    dana.add_rows(table, found["results"][0]["id"])
    (row,) = data(dana.get_rows(table))
    assert [(cell["name"], cell["value"], cell["status"]) for cell in row["columns"]] == [
        ("full_name", "Ann Abt", "success"),
        ("job_title", None, "no_data"),
        ("company_name", "Acme", "success"),
        ("work_email", None, "not_run"),
    ]


@pytest.mark.parametrize(
    ("entity_ids", "problem"),
    [
        ([], "entityIds must have at least 1 element"),
        (["1"] * 501, "entityIds must have at most 500 elements"),
        (["1", "x"], "entityIds.1"),
        (["1", "2", ""], "entityIds.2"),
        (["12\n"], "entityIds.0"),
        ([7], "entityIds.0 must be a string"),
        ("1", "entityIds must be an array"),
        (None, "entityIds is required"),
    ],
)
def test_malformed_ids_are_refused_by_path(dana, table, ids, entity_ids, problem):
    dana.add_rows(table, *ids(1))
    body = {"entityIds": entity_ids, "owner": dana.owner}
    for method in ("POST", "DELETE"):
        answer = dana.call(method, f"/{table}/entities", body)
        assert (answer.status_code, answer.json()["code"]) == (400, 400)
        assert answer.json()["errors"][0].startswith(problem)
    assert dana.row_ids(table) == ids(1)


@pytest.mark.parametrize(
    ("company_ids", "problem"),
    [
        (["1"], "companyIds must have as many ids as entityIds: 2"),
        ([], "companyIds must have as many ids as entityIds: 2"),
        (["1", "x"], "companyIds.1"),
        (["1"] * 501, "companyIds must have at most 500 elements"),
    ],
)
def test_companies_of_contacts_are_as_many_and_well_formed(dana, table, ids, company_ids, problem):
    answer = dana.add_rows(table, *ids(1, 2), companyIds=company_ids)
    assert answer.status_code == 400
    assert answer.json()["errors"][0].startswith(problem)
    assert dana.row_ids(table) == []


def test_companies_of_contacts_have_no_other_effect(dana, table, ids):
    assert counts(dana.add_rows(table, *ids(1, 2), companyIds=["7", "7"])) == (2, 0, [])


def test_companies_of_companies_are_ignored(firms, firm_ids):
    table = firms.table()["tableId"]
    assert counts(firms.add_rows(table, *firm_ids(1), companyIds=["x", "y"])) == (1, 0, [])


def test_a_full_table_takes_nothing_and_says_how_many_fit(service, firms, firm_ids, monkeypatch):
    monkeypatch.setattr(addition, "MOST_ROWS", 3)
    table = firms.table(ids=firm_ids(1))["tableId"]
    before = charges(service)
    answer = firms.add_rows(table, *firm_ids(1, 2, 3, 4))
    assert (answer.status_code, answer.json()["code"]) == (403, 403)
    assert answer.json()["errors"] == ["a table has at most 3 rows; 3 are new and 2 still fit"]
    assert firms.get(table).json()["data"]["entityCount"] == 1
    assert charges(service) == before
    assert counts(firms.add_rows(table, *firm_ids(1, 2, 3))) == (2, 1, [])


# --- money of adding ---


def test_a_company_costs_its_base_once(service, firms, firm_ids):
    table, other = firms.table("One")["tableId"], firms.table("Two")["tableId"]
    answer = firms.add_rows(table, *firm_ids(1, 51, 2, 1))
    assert answer.json()["billing"] == {"creditsCharged": 2, "resultsReturned": 3}
    assert charges(service) == [("revealCompany", 2, 2, f"table:{table}")]
    assert firms.add_rows(other, *firm_ids(1, 2, 3)).json()["billing"]["creditsCharged"] == 1
    firms.remove_rows(table, *firm_ids(1))
    assert firms.add_rows(table, *firm_ids(1)).json()["billing"]["creditsCharged"] == 0


def test_what_was_added_is_not_paid_by_enriching_it(service, firms, firm_ids):
    firms.add_rows(firms.table()["tableId"], *firm_ids(1))
    answer = service.post("/v3/companies/enrich", {"ids": firm_ids(1)}, key=firms.key)
    assert answer.json()["billing"]["creditsCharged"] == 0


def test_with_too_few_credits_nothing_is_added(service, firm_ids):
    (poor,) = new_account(service, "dana@poor.example", credits=2)
    firms = poor.of_kind("companies")
    table = firms.table()["tableId"]
    answer = firms.add_rows(table, *firm_ids(1, 2, 3))
    assert (answer.status_code, answer.json()["code"]) == (402, 402)
    assert firms.get(table).json()["data"]["entityCount"] == 0
    assert service.accounts.find(poor.account).remaining == 2
    assert counts(firms.add_rows(table, *firm_ids(1, 2, 51))) == (3, 0, [])


def test_a_replay_answers_the_first_counts_and_adds_nothing(service, firms, firm_ids):
    table = firms.table()["tableId"]
    sent = [*firm_ids(1, 2), "7"]
    first = firms.add_rows(table, *sent, idempotency_key="k")
    firms.remove_rows(table, *firm_ids(1))
    again = firms.add_rows(table, *sent, idempotency_key="k")
    assert counts(first) == counts(again) == (2, 0, ["7"])
    assert again.json() == first.json()
    assert firms.get(table).json()["data"]["entityCount"] == 1
    assert len(charges(service)) == 1


def test_the_replay_for_a_table_that_is_hidden_since_is_404(dana, eli, ids):
    table = dana.table(visibility="shared")["tableId"]
    assert eli.add_rows(table, *ids(1), idempotency_key="k").status_code == 200
    dana.change(table, visibility="private")
    assert eli.add_rows(table, *ids(1), idempotency_key="k").status_code == 404


# --- removing ---


def test_rows_are_removed_and_others_passed_over(service, dana, table, ids):
    dana.add_rows(table, *ids(1, 2, 3))
    (unknown,) = ids(999_999)
    legacy = str(service.installation.record_ids.legacy(CONTACT, FIRST + 2))
    answer = dana.remove_rows(table, *ids(1, 2, 1, 500), legacy, unknown, "7", unknown)
    assert data(answer) == {"removed": 2, "invalidIds": [unknown, "7"]}
    assert answer.json()["billing"] == {"creditsCharged": 0, "resultsReturned": 2}
    assert dana.row_ids(table) == ids(3)


def test_rows_of_many_chunks_are_removed_by_one_call(dana, table, ids, monkeypatch):
    monkeypatch.setattr(removal, "MOST_STORED_CELLS", 1)
    dana.add_rows(table, *ids(*range(1, 301)))
    assert data(dana.remove_rows(table, *ids(1, 150, 299), "7")) == {"removed": 3, "invalidIds": ["7"]}
    assert dana.row_ids(table, size=500) == ids(*range(2, 150), *range(151, 299), 300)


# --- reading ---


def test_a_page_has_rows_and_pagination(dana, table, ids):
    dana.add_rows(table, *ids(*range(1, 301)))
    answer = dana.get_rows(table, page=2, size=130)
    body = answer.json()
    assert set(body) == {"requestId", "data", "pagination", "billing"}
    assert [row["id"] for row in body["data"]] == ids(*range(261, 301))
    assert body["pagination"] == {"page": 2, "size": 130, "total": 300}
    assert body["billing"] == {"creditsCharged": 2, "resultsReturned": 40}
    assert body["requestId"] == answer.headers["x-request-id"]


def test_pages_follow_each_other_after_removals(dana, table, ids):
    dana.add_rows(table, *ids(*range(1, 401)))
    dana.remove_rows(table, *ids(*range(1, 140), *range(200, 300)))
    left = [*range(140, 200), *range(300, 401)]
    assert [id for page in range(4) for id in dana.row_ids(table, page=page, size=50)] == ids(*left)


def test_cells_of_a_new_column_are_processing_and_later_rows_are_not(dana, table, ids):
    dana.add_rows(table, *ids(1, 2))
    dana.call("POST", f"/{table}/columns", {"columnKey": "workEmail", "owner": dana.owner})
    dana.add_rows(table, *ids(3))
    statuses = [row["columns"][3]["status"] for row in data(dana.get_rows(table))]
    assert statuses == ["processing", "processing", "not_run"]


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ({"page": 1_001}, "page must"),
        ({"page": -1}, "page must"),
        ({"size": 0}, "size must"),
        ({"size": 501}, "size must"),
        ({"size": "x"}, "size must"),
    ],
)
def test_pages_outside_the_bounds_are_refused(dana, table, query, problem):
    answer = dana.get_rows(table, **query)
    assert answer.status_code == 400
    assert answer.json()["errors"][0].startswith(problem)


@pytest.mark.parametrize(("rows", "credits"), [(0, 0), (1, 1), (25, 1), (26, 2)])
def test_rows_cost_each_started_block_of_each_call(service, dana, table, ids, rows, credits):
    if rows:
        dana.add_rows(table, *ids(*range(1, rows + 1)))
    for _ in range(2):
        assert dana.get_rows(table).json()["billing"]["creditsCharged"] == credits
    expected = [("tableRead", rows, credits, f"table:{table}")] * 2
    assert charges(service) == (expected if rows else [])


def test_without_credits_no_row_is_shown(service, ids):
    (poor,) = new_account(service, "dana@poor.example", credits=1)
    table = poor.table(ids=ids(*range(1, 27)))["tableId"]
    answer = poor.get_rows(table)
    assert answer.status_code == 402
    assert set(answer.json()) == {"statusCode", "message", "code"}
    assert service.accounts.find(poor.account).remaining == 1
    assert len(poor.row_ids(table, size=25)) == 25


def test_a_repeated_read_is_free_and_shows_what_is_there_now(dana, table, ids):
    dana.add_rows(table, *ids(1, 2, 3))
    first = dana.get_rows(table, size=2, idempotency_key="k")
    assert first.json()["billing"]["creditsCharged"] == 1
    again = dana.get_rows(table, size=2, idempotency_key="k")
    assert again.json() == first.json()
    dana.remove_rows(table, *ids(1))
    later = dana.get_rows(table, size=2, idempotency_key="k").json()
    assert [row["id"] for row in later["data"]] == ids(2)
    assert later["pagination"]["total"] == 2
    assert later["billing"] == {"creditsCharged": 1, "resultsReturned": 1}
    other = dana.get_rows(table, size=3, idempotency_key="k")
    assert other.status_code == 409


def test_a_row_removed_while_a_page_is_read_is_neither_shown_nor_charged(
    service, dana, table, ids, monkeypatch
):
    dana.add_rows(table, *ids(*range(1, 27)))
    read, removed = RowReader.page, []

    def read_and_remove(reader, session, *arguments):
        page = read(reader, session, *arguments)
        if not removed:
            removed.append(dana.remove_rows(table, *ids(26)))
        return page

    monkeypatch.setattr(RowReader, "page", read_and_remove)
    answer = dana.get_rows(table)
    assert [row["id"] for row in data(answer)] == ids(*range(1, 26))
    assert charges(service) == [("tableRead", 25, 1, f"table:{table}")]


def test_where_reading_is_free_it_does_not_wait_for_writers(make_service, ids, tmp_path):
    plans = tmp_path / "plans.toml"
    plans.write_text("[pricing]\ntableRead = { credits = 0, perQuantity = 1 }\n")
    (dana,) = new_account(make_service(plans_file=str(plans)), "dana@acme.example")
    insert_records(dana.service, CONTACT, [FIRST + 1])
    table = dana.table(ids=ids(1))["tableId"]
    with dana.service.database.write(account_scope(dana.account_id)):
        assert dana.row_ids(table) == ids(1)
    assert charges(dana.service) == []


def test_every_user_of_the_account_fills_and_reads_a_shared_table(dana, eli, ids):
    table = dana.table(visibility="shared")["tableId"]
    assert counts(eli.add_rows(table, *ids(1, 2))) == (2, 0, [])
    assert data(eli.remove_rows(table, *ids(1)))["removed"] == 1
    assert eli.row_ids(table) == dana.row_ids(table) == ids(2)


def test_the_usage_names_the_price_of_reading(dana):
    usage = dana.service.get("/v3/account/usage", key=dana.key).json()
    assert usage["pricing"]["tableRead"] == {"credits": 1, "perQuantity": 25}
