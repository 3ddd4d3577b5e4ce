import pytest
from row_tables import CONTACT, RowTable, insert_records

from firmograph.record_tables.cells.store import select_positions
from firmograph.record_tables.rows import removal
from firmograph.record_tables.rows.removal import remove_rows
from firmograph.record_tables.runs import store as run_store
from firmograph.record_tables.types import Counters, RunState


@pytest.fixture(scope="module")
def records(shared_world):
    """Return a world with contacts 1 to 1,000."""
    insert_records(shared_world, CONTACT, range(1, 1_001))
    return shared_world


@pytest.fixture
def people(records):
    return RowTable(records)


def remove(table, *numbers):
    return table.write(lambda own, found: remove_rows(own, found, numbers, 5.0))


def positions(table, *numbers):
    return table.read(lambda own, found: select_positions(own, table.id, numbers))


def test_rows_go_with_their_cells_and_counters(people):
    people.add(*range(1, 201))
    assert remove(people, 3, 151, 3) == (2, set(), [])
    assert people.stored.entity_count == 198
    assert people.column(people.name).counters == Counters(success=178, no_data=20)
    assert positions(people, 2, 3, 151) == {2: 1}


def test_a_record_that_is_no_row_is_passed_over(people):
    people.add(1)
    before = people.stored
    assert remove(people, 2) == (0, set(), [])
    assert people.stored == before


def test_numbers_without_a_record_are_missing(people):
    people.add(1)
    assert remove(people, 1, 2, 5_000, -1) == (1, {5_000, -1}, [])


def test_a_removed_record_can_be_added_again_at_the_end(people):
    people.add(1, 2)
    remove(people, 1)
    assert people.add(1).added == [1]
    assert positions(people, 1, 2) == {2: 1, 1: 2}


def test_rows_of_many_chunks_are_removed_chunk_after_chunk(people, monkeypatch):
    monkeypatch.setattr(removal, "MOST_STORED_CELLS", 6)
    people.add(*range(1, 601))
    done = remove(people, 1, 129, 257, 385, 2, 9_999)
    assert (done.removed, done.missing) == (3, {9_999})
    assert sorted(done.left) == [257, 385]
    assert people.stored.entity_count == 597
    assert remove(people, *done.left) == (2, set(), [])


def test_removals_are_counted_for_readers(people):
    people.add(1, 2, 3)
    remove(people, 1)
    remove(people, 2, 3)
    assert people.stored.removals == 3


def test_a_run_ends_with_the_removal_of_its_last_row(people):
    people.add(1, 2)
    run = people.run()
    remove(people, 1)
    assert people.stored.open_runs == 1
    remove(people, 2)
    assert people.stored.open_runs == 0
    assert people.read(lambda own, table: run_store.find_run(own, run)).state is RunState.DONE


def test_the_number_of_statements_does_not_depend_on_that_of_records(people):
    people.add(*range(1, 651))

    def statements(*numbers):
        def act(own, table):
            before = own.session.statements
            remove_rows(own, table, numbers, 5.0)
            return own.session.statements - before

        return people.write(act)

    assert statements(*range(1, 3)) == statements(*range(3, 120))
    assert statements(129, 257) == statements(*range(130, 640, 2))
