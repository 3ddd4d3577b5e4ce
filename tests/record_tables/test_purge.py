"""Purge of deleted tables and columns."""

import pytest
from run_fixtures import STORED, TITLE, Runs

from firmograph.record_tables.deletion.purge import Purge

NOTHING = {table.name: 0 for table in STORED}


@pytest.fixture
def runs(world):
    return Runs(world)


@pytest.fixture
def book(runs):
    """Return a table with two columns that have run, and an open run."""
    book = runs.book(credits=10_000)
    title = book.add_column(TITLE)
    book.add(*range(1, 1_001))
    book.begin()
    book.begin(column_id=title)
    runs.work()
    book.begin()
    return book


def test_nothing_is_left_of_a_deleted_table(runs, book):
    book.delete()
    runs.work()
    assert runs.stored() == NOTHING


def test_the_purge_of_one_table_touches_no_other(runs, book):
    other = runs.book("Other", credits=10_000).add(*range(1, 501))
    other.begin()
    runs.work()
    before = other.check()
    book.delete()
    runs.work()
    assert other.check() == before
    assert runs.stored()["record_tables"] == 1
    assert runs.stored()["record_table_rows"] == 500


def test_nothing_is_left_of_a_deleted_column(runs, book):
    book.delete_column()
    runs.work()
    stored = runs.stored()
    assert stored["record_table_columns"] == 1
    assert stored["record_table_cells"] == stored["record_table_chunks"] == 8
    assert (stored["record_table_runs"], stored["record_table_run_parts"]) == (1, 0)
    assert stored["record_table_rows"] == 1_000


def test_the_name_of_a_deleted_column_is_free_before_its_cells_are_gone(runs, book):
    book.delete_column()
    again = book.add_column(TITLE._replace(identity="workEmail", key="workEmail"))
    book.begin(column_id=again)
    runs.work()
    assert len(book.cells(again)) == 1_000


def test_a_purge_goes_on_where_it_was_stopped_in_parts_of_a_bounded_size(runs, book):
    book.delete()
    before = runs.stored()
    parts = 0
    while Purge(runs.world.database).step():
        after = runs.stored()
        assert before["record_table_rows"] - after["record_table_rows"] <= 512
        assert before["record_table_cells"] - after["record_table_cells"] <= 64
        before = after
        parts += 1
    assert runs.stored() == NOTHING
    assert parts >= 3


def test_rows_removed_and_added_while_a_column_is_purged_keep_the_counters_exact(runs, book):
    title = book.add_column(TITLE._replace(identity="again"))
    book.delete_column()
    Purge(runs.world.database).step()
    book.remove(*range(1, 200))
    book.add(5_000)
    runs.work()
    assert book.counters(title).not_run == 802
    assert len(book.cells(title)) == 802
