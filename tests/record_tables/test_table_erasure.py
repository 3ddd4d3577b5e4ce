"""Suppressed people in tables of records.

See docs/reference/tables.md#suppressed-people.
"""

from person_tables import ACME_ID, ANN, FOUND, holds_ann, shown_posts

from firmograph.record_tables import store
from firmograph.record_tables.cells.store import select_positions
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.types import Cell, Counters, RunState
from firmograph.security.record_ids import Entity

# --- rows ---


def test_a_suppressed_person_loses_row_and_cells_in_every_table(people, people_table):
    other = people.table(account=people.world.caller("Other").account_id)
    other.add(1, 2)
    people.suppress()
    assert people_table.numbers() == [*range(2, 200)]
    assert other.numbers() == [2]
    assert (people_table.cell(130), people_table.cell(130, people_table.name)) == (
        Cell("not_run"),
        Cell("not_run"),
    )


def test_the_cells_of_other_rows_stay(people, people_table):
    people.suppress()
    assert [people_table.cell(position) for position in (0, 129, 131, 132)] == [
        FOUND,
        FOUND,
        Cell("no_data"),
        Cell("failed"),
    ]
    assert people_table.cell(131, people_table.name) == Cell("success", b'"Name 132"')


def test_counters_follow_a_suppression(people, people_table):
    people.suppress()
    assert people_table.counters() == Counters(not_run=194, success=2, no_data=1, failed=1)
    assert people_table.counters(people_table.name) == Counters(success=198)
    people_table.check()


def test_a_company_with_the_persons_number_stays(people, people_table):
    companies = people.table(Entity.COMPANY)
    companies.add(1, 2)
    people.suppress()
    assert companies.numbers() == [1, 2]


def test_a_removed_row_is_a_removal_that_readers_see(people, people_table):
    people.suppress()
    with people_table.write() as own:
        assert people_table.stored(own).removals == 1


def test_a_deleted_table_that_is_not_purged_loses_the_person(people, people_table):
    with people_table.write() as own:
        store.mark_deleted(own, people_table.id)
    people.suppress()
    assert 1 not in people_table.numbers()
    assert people_table.cell(130) == Cell("not_run")


def test_a_deleted_column_that_is_not_purged_loses_the_person(people, people_table):
    with people_table.write() as own:
        column_store.mark_deleted(own, people_table.id, people_table.filled)
    people.suppress()
    assert people_table.cell(130) == Cell("not_run")
    people_table.check()


def test_an_open_run_goes_on_without_the_person(people, people_table):
    run = people_table.run()
    people.suppress()
    assert people_table.find_run(run).left == Counters(not_run=194, success=2, no_data=1, failed=1)
    assert people_table.counters() == Counters(processing=198)
    people_table.check()


def test_a_run_over_the_person_alone_ends(people, people_table):
    run = people_table.run("specific", [130])
    people.suppress()
    assert people_table.find_run(run).state is RunState.DONE
    people_table.check()


def test_a_stopped_run_leaves_no_cell_of_the_person(people, people_table):
    run = people_table.run()
    people.suppress()
    people_table.stop(run)
    assert people_table.counters() == Counters(not_run=194, success=2, no_data=1, failed=1)
    people_table.check()


def test_the_database_holds_nothing_of_the_person_afterwards(people, people_table):
    assert holds_ann(people)
    people.suppress()
    people.database.clear_remains()
    assert not holds_ann(people)


def test_a_suppressed_person_cannot_be_found_among_rows(people, people_table):
    people.suppress()
    with people_table.write() as own:
        assert select_positions(own, people_table.id, [1]) == {}


# --- signals of companies ---


def test_a_cell_loses_only_the_signal_that_names_the_person(people, company_table):
    assert shown_posts(company_table) == ["1", "2"]
    people.suppress()
    assert shown_posts(company_table) == ["2"]
    assert b"Ann" not in company_table.cell(0).value
    assert company_table.counters() == Counters(not_run=1, success=1)


def test_an_erased_signal_counts_as_a_removal_that_readers_see(people, company_table):
    with company_table.write() as own:
        before = company_table.stored(own).removals
    people.suppress()
    with company_table.write() as own:
        assert company_table.stored(own).removals > before


def test_a_cell_without_other_signals_has_no_data(people, tmp_path):
    people.import_posts(tmp_path, True)
    table = people.table(Entity.COMPANY)
    table.add(ACME_ID)
    table.fill_signals()
    people.suppress()
    assert table.cell(0) == Cell("no_data")
    assert table.counters() == Counters(no_data=1)


def test_a_failed_cell_loses_the_signal_and_stays_failed(people, company_table):
    with company_table.write() as own:
        edit = company_table.edit(own)
        edit.fail_cells(company_table.filled, [0], "E")
        edit.write(3.0)
    people.suppress()
    assert (company_table.cell(0).status, company_table.cell(0).note) == ("failed", {"error": "E"})
    assert shown_posts(company_table) == ["2"]


def test_a_cell_of_an_open_run_loses_the_signal_and_stays_with_the_run(people, tmp_path):
    people.import_posts(tmp_path, True)
    table = people.table(Entity.COMPANY)
    table.add(ACME_ID, 2)
    table.fill_signals()
    run = table.run()
    people.suppress()
    assert table.cell(0) == Cell("no_data")
    assert table.find_run(run).left == Counters(not_run=1, no_data=1)
    assert table.counters() == Counters(processing=2)
    table.check()


def test_a_person_without_a_record_goes_from_signals_too(people, company_table):
    suppression = people.suppression
    people.suppress()
    suppression.unsuppress(suppression.person(email=ANN))
    suppression.suppress(suppression.person(linkedin="linkedin.com/in/ann-abt"))
    assert shown_posts(company_table) == ["2"]


def test_signals_about_others_stay(people, company_table):
    people.suppression.suppress(people.suppression.person(email="other1@people.example"))
    assert shown_posts(company_table) == ["1", "2"]
