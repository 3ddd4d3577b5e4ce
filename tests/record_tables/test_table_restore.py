"""Tables of records in a restored copy, after a person was suppressed and without.

See docs/reference/tables.md#suppressed-people.
"""

from pathlib import Path

import pytest
from person_tables import (
    ANNS,
    FOUND,
    PersonTable,
    PersonWorld,
    holds_ann,
    make_company_table,
    make_people_table,
    shown_posts,
)

from account_fixtures import World
from firmograph.record_tables import store
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.types import Cell, Counters, RunState
from firmograph.security.record_ids import Entity

pytestmark = pytest.mark.usefixtures("quick_programs")

VALUES = [
    b'"\\u00e4 \\" \\\\ / \\ud83d\\ude00"',
    '"ä, [1] {}"'.encode(),
    b"1.50",
    b"12345678901234567890",
    b'{"b":[1,null,{}],"a":"x"}',
    b"[]",
    b"true",
    b'"null"',
]
NOTE = {"doNotCall": True, "error": 'a "quoted" text'}
ANNS_POSITION = 130
OTHER_POSITIONS = [position for position in range(200) if position != ANNS_POSITION]


class Restored:
    """Tables, each of an account of its own, in a database that was restored after Ann had been suppressed."""

    def __init__(self, world: World, folder: Path) -> None:
        self.people = PersonWorld(world)
        self.people.import_posts(folder, True, False)
        names = ("plain", "values", "used", "run", "deleted")
        self.plain, self.values, self.used, self.run, self.deleted = (
            make_people_table(self.people, self.account(name)) for name in names
        )
        self.filled_before, self.names_before = self.plain_cells()
        self.values.fill({140 + at: Cell("success", value, NOTE) for at, value in enumerate(VALUES)})
        self.values.fill({129: Cell("failed", None, NOTE)})
        self.run_id = self.run.run("specific", [0, ANNS_POSITION, 150])
        with self.deleted.write() as own:
            column_store.mark_deleted(own, self.deleted.id, self.deleted.filled)
            store.mark_deleted(own, self.deleted.id)
        self.ann_alone = self.people.table(account=self.account("Ann alone"))
        self.ann_alone.add(1)
        self.ann_alone.fill({0: ANNS})
        self.companies = self.people.table(Entity.COMPANY, self.account("companies"))
        self.companies.add(1, 2)
        self.signals = make_company_table(self.people, self.account("signals"))
        self.traffic = self.add_traffic(self.signals)
        file = self.people.back_up(folder)
        self.people.suppress()
        self.posts_left, self.counters_left = shown_posts(self.signals), self.signals.counters()
        self.people.restore(file)

    def account(self, name: str) -> int:
        return self.people.world.caller(name).account_id

    def plain_cells(self) -> tuple[list[Cell], list[Cell]]:
        """Return the cells of others in the table that is not changed, of its two columns."""
        filled, names = (
            [self.plain.cell(position, column) for position in OTHER_POSITIONS]
            for column in (self.plain.filled, self.plain.name)
        )
        return filled, names

    def add_traffic(self, table: PersonTable) -> int:
        """Add and fill a column of signals that name nobody; return its number."""
        new = column_store.NewColumn("signal", None, "signal:websiteTrafficIncrease", "T")
        with table.write() as own:
            traffic = column_store.insert_column(own, table.id, new, 2, 1.0)
            edit = table.edit(own)
            edit.set_cells(traffic, {0: Cell("success", b'{"websiteTrafficIncrease":[{}]}')})
            edit.write(2.0)
        return traffic


@pytest.fixture(scope="module")
def restored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("restored")
    world = World(folder)
    yield Restored(world, folder)
    world.end()


def test_a_restored_table_has_lost_the_person(restored):
    assert restored.plain.numbers() == [*range(2, 200)]
    assert (restored.plain.cell(ANNS_POSITION), restored.plain.cell(ANNS_POSITION, restored.plain.name)) == (
        Cell("not_run"),
        Cell("not_run"),
    )
    assert not holds_ann(restored.people)


def test_a_restored_table_has_the_other_rows_and_cells(restored):
    assert restored.plain_cells() == (restored.filled_before, restored.names_before)


@pytest.mark.parametrize("at", range(len(VALUES)))
def test_values_of_a_changed_chunk_stay_byte_by_byte(restored, at):
    assert restored.values.cell(140 + at) == Cell("success", VALUES[at], NOTE)


def test_a_failed_cell_of_a_changed_chunk_keeps_its_note(restored):
    assert restored.values.cell(129) == Cell("failed", None, NOTE)


def test_counters_of_a_restored_table_are_right(restored):
    assert restored.plain.counters() == Counters(not_run=194, success=2, no_data=1, failed=1)
    assert restored.plain.counters(restored.plain.name) == Counters(success=198)
    restored.plain.check()


def test_several_people_go_from_one_chunk_of_a_restored_table(people, people_table, tmp_path):
    file = people.back_up(tmp_path)
    for number in range(1, 60):
        people.suppression.suppress(people.suppression.person(email=f"other{number}@people.example"))
    people.restore(file)
    assert people_table.numbers() == [2, *range(62, 132), 1, *range(132, 200)]
    assert people_table.cell(60, people_table.name) == Cell("success", b'"Name 62"')
    people_table.check()


def test_a_restored_table_loses_chunks_without_rows(restored):
    table = restored.ann_alone
    assert table.numbers() == []
    session = restored.people.database.session().raw
    of_columns = f"column_id IN ({table.name}, {table.filled})"
    for stored, of_table in (
        ("record_table_chunks", f"table_id = {table.id}"),
        ("record_table_cells", of_columns),
    ):
        assert session.execute(f"SELECT count(*) FROM {stored} WHERE {of_table}").fetchone() == (0,)
    table.check()


def test_a_restored_table_takes_rows_and_runs_again(restored):
    table = restored.used
    table.add(250)
    table.fill({199: FOUND})
    run = table.run()
    table.check()
    assert table.find_run(run).taken == 199


def test_runs_of_a_restored_copy_have_ended_and_their_cells_are_as_before(restored):
    found = restored.run.find_run(restored.run_id)
    assert (found.state, found.left, found.ended_at) == (RunState.STOPPED, Counters(), found.created_at)
    assert restored.run.counters() == Counters(not_run=194, success=2, no_data=1, failed=1)
    assert restored.run.cell(0) == FOUND
    restored.run.check()


def test_a_deleted_table_of_a_restored_copy_loses_the_person(restored):
    assert 1 not in restored.deleted.numbers()
    assert restored.deleted.cell(ANNS_POSITION) == Cell("not_run")


def test_a_company_with_the_persons_number_stays_in_a_restored_copy(restored):
    assert restored.companies.numbers() == [1, 2]


def test_signal_cells_lose_the_posts_that_name_the_person_in_a_restored_copy(restored):
    assert shown_posts(restored.signals) == restored.posts_left
    assert restored.signals.counters() == restored.counters_left
    restored.signals.check()


def test_signal_cells_of_other_types_stay_in_a_restored_copy(restored):
    assert restored.signals.cell(0, restored.traffic).status == "success"


def test_a_restore_without_a_new_suppression_changes_no_row_or_cell(
    people, people_table, company_table, tmp_path
):
    people.restore(people.back_up(tmp_path))
    assert 1 in people_table.numbers()
    assert people_table.cell(130) == ANNS
    assert shown_posts(company_table) == ["1", "2"]
