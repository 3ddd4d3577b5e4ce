"""Calls with `tableId`: the eight that take it, what they write, and that their answers stay the same."""

from functools import partial

import msgspec
import pytest
from table_calls import NOTHING, RECORDS, SIGNAL_TYPES, TableCaller, served

from firmograph.api.metrics import Metrics
from firmograph.record_tables.table_write import TableWriter
from firmograph.table_rows import TableWrite

pytestmark = pytest.mark.any_database

KINDS = ("contacts", "companies")
CALLS = ("prospecting", "enrich", "signals", "lookalike")


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    with served(tmp_path_factory.mktemp("table-calls")) as service:
        yield service


@pytest.fixture
def call_as(directory):
    """Return a function that makes a caller of a kind of records, of an account of its own."""
    return partial(TableCaller, directory)


def body_of(caller, call):
    if call == "prospecting":
        filters = {"contacts": {"names": ["Ann"]}, "companies": {"technologies": ["Kubernetes"]}}
        own = {caller.kind: {"include": filters[caller.kind]}}
        return {"filters": own, "pagination": {"size": 10}, "options": {"includePartialProfiles": True}}
    if call == "lookalike":
        seeds = {
            "contacts": {"emails": [f"ann{n}@people.example.com" for n in range(5)]},
            "companies": {"domains": [f"company{n}.example.com" for n in range(5)]},
        }
        return {"seeds": seeds[caller.kind], "limit": 3}
    ids = caller.ids(2, 0, 2, 40)
    return {"ids": ids, "signalTypes": SIGNAL_TYPES[caller.kind]} if call == "signals" else {"ids": ids}


def numbers(caller, answer):
    """Return the record numbers of the results, in order, each once."""
    numbers_by_id = {id: number for number, id in enumerate(caller.ids(*range(RECORDS)), 1)}
    found = [numbers_by_id[result["id"]] for result in answer["results"] if "error" not in result]
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("call", CALLS)
def test_every_held_result_becomes_a_row_in_the_order_of_the_answer(call_as, kind, call):
    caller = call_as(kind)
    table = caller.table()
    answer = caller.answer(call, body_of(caller, call), table)
    msgspec.convert(answer["tableWrite"], TableWrite)
    held = numbers(caller, answer)
    assert len(held) >= 2
    written = answer["tableWrite"]
    assert (written["tableId"], written["added"], written["alreadyPresent"]) == (table, len(held), 0)
    assert written["rowsProcessed"] == len(held)
    assert "error" not in written
    assert list(caller.cells(table)) == held
    assert caller.status(table)["entityCount"] == len(held)
    again = caller.answer(call, body_of(caller, call), table)["tableWrite"]
    assert (again["added"], again["alreadyPresent"], again["creditsCharged"]) == (0, len(held), 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("call", CALLS)
def test_the_answer_is_the_one_without_a_table_apart_from_the_write(call_as, kind, call):
    with_table, without = call_as(kind), call_as(kind)
    answer = with_table.answer(call, body_of(with_table, call), with_table.table())
    expected = without.answer(call, body_of(without, call))
    written = answer.pop("tableWrite")
    expected["billing"]["creditsCharged"] += written["creditsCharged"]
    for each in (answer, expected):
        each.pop("requestId")
        each.pop("dedupeSessionId", None)
    assert answer == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("call", CALLS)
def test_a_malformed_table_id_is_400_with_its_path_and_charges_nothing(call_as, kind, call):
    caller = call_as(kind)
    for malformed in ("t1", "-1", "1.0", " 1", "1\n", "\u0661", 7, True, ["1"]):
        refused = caller.post(call, {**body_of(caller, call), "tableId": malformed})
        assert refused.status_code == 400, malformed
        assert refused.json()["message"].startswith("tableId must be "), malformed
    assert caller.ledger() == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("call", ["search", "search-and-enrich", "signals/score", "buying-group"])
def test_other_calls_refuse_a_table_id(call_as, kind, call):
    refused = call_as(kind).post(call, {"tableId": "1"})
    assert refused.status_code in (400, 404, 405)
    if refused.status_code == 400:
        assert "property tableId should not exist" in refused.json()["errors"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_earlier_path_of_lookalikes_writes_to_a_table_too(call_as, directory, kind):
    caller = call_as(kind)
    table = caller.table()
    body = {**body_of(caller, "lookalike"), "tableId": table}
    answers = [
        directory.post(f"/v3/lookalike/{kind}", body, key=caller.user.key, **{"idempotency-key": "k"})
        for _ in range(2)
    ]
    first, replay = (answer.json() for answer in answers)
    assert first["tableWrite"]["added"] == len(first["results"]) == 3
    assert list(caller.cells(table)) == numbers(caller, first)
    charged = 1 + first["tableWrite"]["creditsCharged"]
    assert first["creditsCharged"] == first["billing"]["creditsCharged"] == charged
    assert replay == first


def test_enriching_contacts_fills_the_columns_of_what_was_revealed(call_as):
    caller = call_as("contacts")
    table = caller.table()
    answer = caller.enrich(0, 3, table_id=table)
    # an e-mail and a phone of each, paid by the call itself
    assert answer["billing"] == {"creditsCharged": 12, "resultsReturned": 2}
    assert answer["tableWrite"] == {
        **NOTHING,
        "tableId": table,
        "added": 2,
        "columnsCreated": 5,
        "rowsProcessed": 2,
    }
    first = caller.cells(table)[1]
    assert first["Full name"] == ("success", "Ann Example0")
    assert first["Work email"] == ("success", "ann0@people.example.com")
    assert first["Mobile phone"] == ("success", "+12025550000")
    assert first["Private email"] == ("no_data", None)


def test_only_what_reveal_names_becomes_columns(call_as):
    caller = call_as("contacts")
    table = caller.table()
    written = caller.enrich(1, table_id=table, reveal=["emails"])["tableWrite"]
    assert written["columnsCreated"] == 2
    assert set(caller.cells(table)[2]) == {
        "Full name",
        "Job title",
        "Company name",
        "Work email",
        "Private email",
    }


def test_columns_that_the_table_has_are_filled_and_other_rows_are_left(call_as):
    caller = call_as("contacts")
    table = caller.table()
    caller.answer("prospecting", body_of(caller, "prospecting"), table)
    first = caller.enrich(1, table_id=table, reveal=["emails"])["tableWrite"]
    second = caller.enrich(2, table_id=table, reveal=["emails"])["tableWrite"]
    assert [one["columnsCreated"] for one in (first, second)] == [2, 0]
    assert [one["rowsProcessed"] for one in (first, second)] == [1, 1]
    statuses = {record: cells["Work email"][0] for record, cells in caller.cells(table).items()}
    assert [record for record, status in statuses.items() if status == "success"] == [2, 3]
    assert {status for record, status in statuses.items() if record not in (2, 3)} == {"not_run"}
    column = next(one for one in caller.status(table)["columns"] if one["name"] == "Work email")
    assert (column["rowsSuccess"], column["rowsNotRun"]) == (2, len(statuses) - 2)


def test_enriching_companies_fills_columns_and_counts_rows_that_are_paid(call_as):
    caller = call_as("companies")
    table = caller.table()
    answer = caller.enrich(0, 1, table_id=table, reveal=["employeesByDepartment", "openJobsByLocation"])
    # the base and one premium data point of each; job openings have no column, and none are held
    assert answer["billing"]["creditsCharged"] == 4
    assert answer["tableWrite"] == {
        **NOTHING,
        "tableId": table,
        "added": 2,
        "columnsCreated": 1,
        "rowsProcessed": 2,
        "rowsAlreadyPaidInTable": 2,
    }
    assert caller.cells(table)[2]["Employees by department"] == (
        "success",
        [{"department": "Sales", "count": 2}],
    )


def test_companies_whose_base_is_not_paid_are_charged_under_the_table(call_as):
    caller = call_as("companies", credits=100)
    caller.enrich(0)
    table = caller.table()
    answer = caller.answer("lookalike", {**body_of(caller, "lookalike"), "limit": 5}, table)
    added = numbers(caller, answer)
    assert answer["tableWrite"] == {
        **NOTHING,
        "tableId": table,
        "added": 5,
        "rowsProcessed": 5,
        "rowsCharged": 5,
        "creditsCharged": 5,
    }
    assert answer["billing"] == {"creditsCharged": 6, "resultsReturned": 5}
    request_id = answer["requestId"]
    assert caller.ledger()[1:] == [
        ("lookalikeCompany", 1, request_id, ""),
        ("revealCompany", 5, request_id, f"table:{table}"),
    ]
    assert caller.balance() == 100 - 1 - 6
    # a table's companies are paid for every other call
    again = caller.answer("enrich", {"ids": [one["id"] for one in answer["results"]]}, caller.table("Other"))
    assert again["billing"]["creditsCharged"] == 0
    assert again["tableWrite"]["rowsAlreadyPaidInTable"] == len(added)


def test_signals_fill_one_column_of_exactly_their_types(call_as):
    caller = call_as("companies")
    table = caller.table()
    body = {"ids": caller.ids(0, 1, 2), "signalTypes": SIGNAL_TYPES["companies"], "startDate": "2026-05-02"}
    answer = caller.answer("signals", body, table)
    shown = {one["id"]: one for one in answer["results"]}
    assert answer["tableWrite"]["columnsCreated"] == 1
    name = "Signals: itSpendIncrease, headcountIncrease3m"
    cells = {record: cells[name] for record, cells in caller.cells(table).items()}
    assert cells == {
        1: ("no_data", None),
        2: ("success", {"itSpendIncrease": shown[caller.ids(1)[0]]["itSpendIncrease"]}),
        3: ("no_data", None),
    }
    # another first day is the same column, other types are another one
    both = caller.answer("signals", {**body, "startDate": "2026-01-01"}, table)["tableWrite"]
    one = caller.answer("signals", {**body, "signalTypes": ["itSpendIncrease"]}, table)["tableWrite"]
    assert (both["columnsCreated"], one["columnsCreated"]) == (0, 1)
    assert caller.cells(table)[1][name][0] == "success"


def test_a_cell_has_the_events_that_the_answer_shows(call_as):
    caller = call_as("companies")
    table = caller.table()
    body = {"ids": caller.ids(1), "signalTypes": ["itSpendIncrease"], "maxResultsPerSignal": 1}
    (result,) = caller.answer("signals", body, table)["results"]
    value = caller.cells(table)[2]["Signals: itSpendIncrease"][1]
    assert value == {"itSpendIncrease": result["itSpendIncrease"]}
    assert [event["signalDate"] for event in value["itSpendIncrease"]] == ["2026-05-02"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("call", CALLS)
def test_a_replay_writes_nothing_and_answers_what_the_first_write_did(call_as, kind, call):
    caller = call_as(kind)
    table = caller.table()
    key = {"idempotency-key": "k"}
    first = caller.answer(call, body_of(caller, call), table, **key)
    ledger, cells = caller.ledger(), caller.cells(table)
    replay = caller.answer(call, body_of(caller, call), table, **key)
    assert first["tableWrite"]["added"] > 0
    assert replay == first
    assert (caller.ledger(), caller.cells(table)) == (ledger, cells)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("call", CALLS)
def test_a_replay_has_headers_of_the_first_answer(call_as, kind, call):
    caller = call_as(kind)
    table = caller.table()
    first, replay = (
        caller.post(call, body_of(caller, call), table, **{"idempotency-key": "k"}) for _ in range(2)
    )
    charged = str(first.json()["billing"]["creditsCharged"])
    assert first.headers["x-credits-charged"] == replay.headers["x-credits-charged"] == charged
    assert replay.headers["x-original-request-id"] == first.headers["x-request-id"]
    assert replay.headers["x-request-id"] != first.headers["x-request-id"]
    assert "x-original-request-id" not in first.headers


def test_a_replay_answers_the_refusal_of_the_first_write(call_as):
    caller = call_as("contacts")
    bodies = [caller.enrich(1, table_id="7", **{"idempotency-key": "k"}) for _ in range(2)]
    assert bodies[0]["tableWrite"]["error"]["code"] == "TABLE_NOT_FOUND"
    assert bodies[1] == bodies[0]


def test_a_replay_answers_the_first_write_though_its_table_is_gone(call_as):
    caller = call_as("companies")
    table = caller.table()
    body = body_of(caller, "lookalike")
    first = caller.answer("lookalike", body, table, **{"idempotency-key": "k"})
    assert caller.tables.delete(table).status_code == 200
    assert caller.answer("lookalike", body, table, **{"idempotency-key": "k"}) == first


def test_a_write_that_the_end_of_a_process_prevented_is_made_by_the_replay(call_as, monkeypatch):
    caller = call_as("companies")
    table = caller.table()
    body = body_of(caller, "lookalike")

    def post():
        return caller.answer("lookalike", body, table, **{"idempotency-key": "k"})

    with monkeypatch.context() as patch:
        # neither the write nor its refusal is kept
        patch.setattr(TableWriter, "_keeping", lambda *_: 1 / 0)
        post()
    assert [one[0] for one in caller.ledger()] == ["lookalikeCompany"]
    replay = post()
    assert replay["tableWrite"]["added"] == 3
    assert replay["billing"]["creditsCharged"] == 1 + replay["tableWrite"]["creditsCharged"]
    assert caller.ledger()[1] == ("revealCompany", 3, replay["requestId"], f"table:{table}")
    assert post() == replay
    assert len(caller.ledger()) == 2


def test_a_replay_with_another_table_is_409(call_as):
    caller = call_as("contacts")
    body = body_of(caller, "enrich")
    caller.answer("enrich", body, caller.table(), **{"idempotency-key": "k"})
    assert caller.post("enrich", body, caller.table("Other"), **{"idempotency-key": "k"}).status_code == 409


def test_any_table_of_the_account_is_written_to(call_as, directory):
    caller = call_as("contacts")
    directory.accounts.add_user(caller.user.account, "kim@acme.example")
    table = caller.table()
    caller.tables.change(table, archived=True)
    assert caller.enrich(1, table_id=table)["tableWrite"]["added"] == 1


def test_a_call_without_results_writes_no_row(call_as):
    caller = call_as("contacts")
    table = caller.table()
    answer = caller.answer("enrich", {"ids": caller.ids(40), "reveal": ["emails"]}, table)
    assert answer["tableWrite"] == {**NOTHING, "tableId": table, "columnsCreated": 2}


def test_the_credits_of_the_write_are_counted_in_the_metrics(call_as, directory):
    registry = directory.installation.get(Metrics).registry

    def counted():
        return registry.get_sample_value("firmograph_credits_charged_total")

    caller = call_as("companies")
    before = counted()
    answer = caller.answer("lookalike", body_of(caller, "lookalike"), caller.table())
    assert counted() - before == answer["billing"]["creditsCharged"] == 4


def test_the_directory_is_larger_than_a_page(call_as):
    caller = call_as("companies")
    answer = caller.answer("prospecting", body_of(caller, "prospecting"), caller.table())
    assert len(answer["results"]) == 10 < RECORDS
    assert answer["tableWrite"]["creditsCharged"] == answer["billing"]["creditsCharged"] == 10
