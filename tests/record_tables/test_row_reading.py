import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_tables import CONTACT, KINDS, FakeKind, RowTable, insert_records

from firmograph.kit.errors import NotFound
from firmograph.record_tables import store
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.kind import ColumnKinds
from firmograph.record_tables.columns.store import NewColumn
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.rows.reading import RowReader
from firmograph.record_tables.types import Cell
from firmograph.security.record_ids import RecordIds
from record_factory import KEYRING

IDS, RECORD_IDS = TableIds(KEYRING), RecordIds(KEYRING)
READER = RowReader(KINDS, IDS, RECORD_IDS)


@pytest.fixture(scope="module")
def records(shared_world):
    """Return a world with contacts 1 to 1,000."""
    insert_records(shared_world, CONTACT, range(1, 1_001))
    return shared_world


@pytest.fixture
def people(records):
    return RowTable(records)


def page(table, page, size):
    return table.read(lambda own, found: READER.page(own, found, page, size))


def shown(table, page_number=0, size=100):
    """Return the rows of a page, with cells by name."""
    rows = map(json.loads, page(table, page_number, size).rows)
    return {row["id"]: {cell["name"]: cell for cell in row["columns"]} for row in rows}


def token(number):
    return RECORD_IDS.seal(CONTACT, number)


def exported(table):
    columns = table.read(lambda own, found: column_store.select_columns(own, found.id))
    return [row for rows in READER.chunks(table.world.database, table.stored, columns) for row in rows]


def test_a_row_shows_the_cells_of_all_columns_in_order(people):
    people.add(11)
    (row,) = page(people, 0, 10).rows
    assert json.loads(row) == {
        "id": token(11),
        "columns": [
            {
                "id": IDS.column_id(people.name),
                "name": "full_name",
                "type": "string",
                "sourceType": "lusha",
                "value": "fullName 11",
                "status": "success",
            },
            {
                "id": IDS.column_id(people.title),
                "name": "job_title",
                "type": "string",
                "sourceType": "lusha",
                "value": "jobTitle 11",
                "status": "success",
            },
            {
                "id": IDS.column_id(people.email),
                "name": "work_email",
                "type": "string",
                "sourceType": "lusha",
                "value": None,
                "status": "not_run",
            },
        ],
    }


def test_a_cell_shows_its_status_and_its_notes(people):
    people.add(1, 2, 3)
    people.fill(
        {
            1: Cell("no_data"),
            2: Cell("failed", b'"kept"', {"error": "INSUFFICIENT_CREDITS", "doNotCall": True}),
            3: Cell("success", b"[1]"),
        }
    )
    cells = [cells["work_email"] for cells in shown(people).values()]
    assert [(cell["value"], cell["status"]) for cell in cells] == [
        (None, "no_data"),
        ("kept", "failed"),
        ([1], "success"),
    ]
    assert [cell.get("error") for cell in cells] == [None, "INSUFFICIENT_CREDITS", None]
    assert [cell.get("doNotCall") for cell in cells] == [None, True, None]


def test_a_cell_of_an_open_run_shows_its_value_as_processing_without_the_error_of_before(people):
    people.add(1, 2)
    people.fill({1: Cell("failed", b'"kept"', {"error": "INSUFFICIENT_CREDITS", "doNotCall": True})})
    people.run()
    people.add(3)
    cells = [cells["work_email"] for cells in shown(people).values()]
    assert [(cell["value"], cell["status"]) for cell in cells] == [
        ("kept", "processing"),
        (None, "processing"),
        (None, "not_run"),
    ]
    assert "error" not in cells[0]
    assert cells[0]["doNotCall"] is True
    assert [row.cells[2].status for row in exported(people)] == ["processing", "processing", "not_run"]


def test_a_column_without_a_key_is_named_by_its_kind(people):
    people.write(
        lambda own, table: column_store.insert_column(
            own, table.id, NewColumn("score", None, "score", "Score"), 0, 1.0
        )
    )
    people.add(1)
    reader = RowReader(ColumnKinds({"lusha": FakeKind(), "score": FakeKind()}), IDS, RECORD_IDS)
    (row,) = people.read(lambda own, found: reader.page(own, found, 0, 10)).rows
    column = json.loads(row)["columns"][3]
    assert (column["name"], column["sourceType"]) == ("score", "score")


def test_a_page_past_the_end_is_empty(people):
    people.add(*range(1, 11))
    assert page(people, 1, 10) == ([], [], 10)
    assert page(people, 1_000, 500) == ([], [], 10)


def test_the_number_of_statements_does_not_depend_on_that_of_rows(people):
    people.add(*range(1, 601))

    def statements(size):
        def read(own, table):
            before = own.session.statements
            READER.page(own, table, 0, size)
            return own.session.statements - before

        return people.read(read)

    assert statements(1) == statements(500) == 5


def test_records_are_read_in_the_order_given_without_those_that_are_no_rows(people):
    people.add(*range(1, 301))
    people.remove(7)
    found = people.read(lambda own, table: READER.of_records(own, table, [300, 7, 2, 650, 150]))
    assert found.numbers == [300, 2, 150]
    assert [json.loads(row)["id"] for row in found.rows] == [token(300), token(2), token(150)]
    assert found.total == 299


def test_all_rows_are_read_chunk_after_chunk(people):
    people.add(*range(1, 301))
    people.remove(*range(1, 129), 200)
    people.fill({299: Cell("success", b'"x"', {"doNotCall": True})})
    rows = exported(people)
    assert [row.number for row in rows] == [*range(129, 200), *range(201, 301)]
    assert rows[-2].cells[2] == ("success", b'"x"', {"doNotCall": True})
    assert [cell.status for cell in rows[-1].cells] == ["no_data", "no_data", "not_run"]


def test_rows_removed_during_an_export_are_left_out(people):
    people.add(*range(1, 301))
    columns = people.read(lambda own, found: column_store.select_columns(own, found.id))
    chunks = READER.chunks(people.world.database, people.stored, columns)
    assert len(next(chunks)) == 128
    people.remove(*range(129, 257), 300)
    assert [row.number for rows in chunks for row in rows] == list(range(257, 300))


def test_the_export_of_a_table_ends_with_an_error_when_it_is_deleted(people):
    people.add(*range(1, 301))
    chunks = READER.chunks(people.world.database, people.stored, [])
    next(chunks)
    people.write(lambda own, table: store.mark_deleted(own, table.id))
    with pytest.raises(NotFound, match="deleted while"):
        next(chunks)


RANGES = st.builds(range, st.integers(1, 1_000), st.integers(1, 1_001), st.integers(1, 3))
STEPS = st.lists(st.tuples(st.sampled_from(["add", "remove"]), RANGES), min_size=1, max_size=8)
PAGES = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 500)), min_size=1, max_size=4)


@given(steps=STEPS, pages=PAGES)
def test_pages_are_those_of_a_plain_list_after_any_additions_and_removals(records, steps, pages):
    table = RowTable(records)
    rows = []
    for act, numbers in steps:
        if act == "add":
            table.add(*numbers)
            rows += [number for number in numbers if number not in rows]
        else:
            table.remove(*(number for number in numbers if number in rows))
            rows = [number for number in rows if number not in numbers]
        for number, size in pages:
            expected = rows[number * size : (number + 1) * size]
            found = page(table, number, size)
            assert found.numbers == expected
            assert found.total == len(rows)
            assert [json.loads(row)["id"] for row in found.rows] == [token(one) for one in expected]
    assert [row.number for row in exported(table)] == rows
