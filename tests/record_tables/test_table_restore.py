"""Tables of records in a restored copy, after a person was suppressed and without.

See docs/reference/tables.md#suppressed-people.
"""

import pytest
from person_tables import ANNS, FOUND, holds_ann, shown_posts

from firmograph.record_tables import store
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.types import Cell, Counters, RunState
from firmograph.security.record_ids import Entity


@pytest.fixture
def restored(people, people_table, tmp_path):
    """Return a function that suppresses Ann after a backup and restores it."""

    def restore():
        file = people.back_up(tmp_path)
        people.suppress()
        people.restore(file)

    return restore


def test_a_restored_table_has_lost_the_person(people, people_table, restored):
    restored()
    assert people_table.numbers() == [*range(2, 200)]
    assert (people_table.cell(130), people_table.cell(130, people_table.name)) == (
        Cell("not_run"),
        Cell("not_run"),
    )
    assert not holds_ann(people)


def test_a_restored_table_has_the_other_rows_and_cells(people_table, restored):
    before = [people_table.cell(position) for position in range(200) if position != 130]
    names = [people_table.cell(position, people_table.name) for position in range(200) if position != 130]
    restored()
    assert [people_table.cell(position) for position in range(200) if position != 130] == before
    assert [
        people_table.cell(position, people_table.name) for position in range(200) if position != 130
    ] == names


@pytest.mark.parametrize(
    "value", [b'"\\u00e4 \\" \\\\ / \\ud83d\\ude00"', '"ä, [1] {}"'.encode(), b"1.50", b"12345678901234567890",
              b'{"b":[1,null,{}],"a":"x"}', b"[]", b"true", b'"null"'],
)  # fmt: skip
def test_values_of_a_changed_chunk_stay_byte_by_byte(people_table, restored, value):
    note = {"doNotCall": True, "error": 'a "quoted" text'}
    people_table.fill({140: Cell("success", value, note), 129: Cell("failed", None, note)})
    restored()
    assert people_table.cell(140) == Cell("success", value, note)
    assert people_table.cell(129) == Cell("failed", None, note)


def test_counters_of_a_restored_table_are_right(people_table, restored):
    restored()
    assert people_table.counters() == Counters(not_run=194, success=2, no_data=1, failed=1)
    assert people_table.counters(people_table.name) == Counters(success=198)
    people_table.check()


def test_several_people_go_from_one_chunk_of_a_restored_table(people, people_table, tmp_path):
    file = people.back_up(tmp_path)
    for number in range(1, 60):
        people.suppression.suppress(people.suppression.person(email=f"other{number}@people.example"))
    people.restore(file)
    assert people_table.numbers() == [2, *range(62, 132), 1, *range(132, 200)]
    assert people_table.cell(60, people_table.name) == Cell("success", b'"Name 62"')
    people_table.check()


def test_a_restored_table_loses_chunks_without_rows(people, tmp_path):
    table = people.table()
    table.add(1)
    table.fill({0: ANNS})
    file = people.back_up(tmp_path)
    people.suppress()
    people.restore(file)
    assert table.numbers() == []
    assert people.database.session().raw.execute("SELECT count(*) FROM record_table_chunks").fetchone() == (
        0,
    )
    assert people.database.session().raw.execute("SELECT count(*) FROM record_table_cells").fetchone() == (0,)
    table.check()


def test_a_restored_table_takes_rows_and_runs_again(people_table, restored):
    restored()
    people_table.add(250)
    people_table.fill({199: FOUND})
    run = people_table.run()
    people_table.check()
    assert people_table.find_run(run).taken == 199


def test_runs_of_a_restored_copy_have_ended_and_their_cells_are_as_before(people, people_table, restored):
    run = people_table.run("specific", [0, 130, 150])
    restored()
    found = people_table.find_run(run)
    assert (found.state, found.left, found.ended_at) == (RunState.STOPPED, Counters(), found.created_at)
    assert people_table.counters() == Counters(not_run=194, success=2, no_data=1, failed=1)
    assert people_table.cell(0) == FOUND
    people_table.check()


def test_a_deleted_table_of_a_restored_copy_loses_the_person(people, people_table, restored):
    with people_table.write() as own:
        column_store.mark_deleted(own, people_table.id, people_table.filled)
        store.mark_deleted(own, people_table.id)
    restored()
    assert 1 not in people_table.numbers()
    assert people_table.cell(130) == Cell("not_run")


def test_a_company_with_the_persons_number_stays_in_a_restored_copy(people, restored):
    companies = people.table(Entity.COMPANY)
    companies.add(1, 2)
    restored()
    assert companies.numbers() == [1, 2]


def test_signal_cells_that_name_the_person_are_empty_in_a_restored_copy(people, company_table, restored):
    restored()
    assert company_table.cell(0) == Cell("not_run")
    assert company_table.counters() == Counters(not_run=2)
    company_table.check()


def test_signal_cells_of_other_types_stay_in_a_restored_copy(people, company_table, restored):
    with company_table.write() as own:
        traffic = column_store.insert_column(
            own,
            company_table.id,
            column_store.NewColumn("signal", None, "signal:websiteTrafficIncrease", "T"),
            2,
            1.0,
        )
        edit = company_table.edit(own)
        edit.set_cells(traffic, {0: Cell("success", b'{"websiteTrafficIncrease":[{}]}')})
        edit.write(2.0)
    restored()
    assert company_table.cell(0, traffic).status == "success"
    company_table.check()


def test_a_restore_without_a_new_suppression_changes_no_row_or_cell(
    people, people_table, company_table, tmp_path
):
    people.restore(people.back_up(tmp_path))
    assert 1 in people_table.numbers()
    assert people_table.cell(130) == ANNS
    assert shown_posts(company_table) == ["1", "2"]
