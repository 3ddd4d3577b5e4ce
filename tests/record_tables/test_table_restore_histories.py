"""Histories of rows, cells, runs, suppressions, backups and restores, compared with a plain model."""

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from person_tables import ANN, PersonWorld

from account_fixtures import World
from effort import examples
from firmograph.record_tables.cells.store import select_positions
from firmograph.record_tables.types import Cell

pytestmark = pytest.mark.usefixtures("quick_programs")

PEOPLE = range(1, 9)
"""Record numbers of people; Ann is the first."""
WITHOUT_RECORD = range(1_000, 1_124)
"""Rows before theirs, so that theirs are in two chunks."""
CELLS = st.sampled_from(
    [Cell("success", b'"a"', {"doNotCall": True}), Cell("no_data"), Cell("failed", None, {"error": "E"})]
)
person = st.sampled_from(PEOPLE)
STEPS = st.one_of(
    st.tuples(st.just("add"), person),
    st.tuples(st.just("fill"), st.tuples(person, CELLS)),
    st.tuples(st.just("suppress"), person),
    st.tuples(st.sampled_from(["run", "back up", "restore"]), st.none()),
)
_numbers = count(1)


@pytest.fixture
def make_people(tmp_path):
    worlds = []

    def make():
        folder = tmp_path / f"world-{next(_numbers)}"
        folder.mkdir()
        worlds.append(World(folder))
        return PersonWorld(worlds[-1], len(PEOPLE) - 1), folder

    yield make
    for world in worlds:
        world.end()


@given(st.lists(STEPS, min_size=4, max_size=14))
@settings(max_examples=examples(15))
def test_rows_cells_and_counters_are_those_of_the_model(make_people, steps):
    people, folder = make_people()
    table = people.table()
    table.add(*WITHOUT_RECORD)
    cells: dict[int, Cell] = {}
    file, saved, suppressed = people.back_up(folder), cells.copy(), set()
    for what, which in [*steps, ("restore", None)]:
        if what == "add" and which not in cells and which not in suppressed:
            table.add(which)
            cells[which] = Cell("not_run")
        elif what == "fill" and which[0] in cells:
            number, cell = which
            table.fill({position_of(table, number): cell})
            cells[number] = cell
        elif what == "run":
            begin_run(table)
        elif what == "suppress":
            address = ANN if which == 1 else f"other{which - 2}@people.example"
            people.suppression.suppress(people.suppression.person(email=address))
            suppressed.add(which)
            cells.pop(which, None)
        elif what == "back up":
            people.back_up(folder)
            saved = cells.copy()
        elif what == "restore":
            people.restore(file)
            cells = {number: cell for number, cell in saved.items() if number not in suppressed}
        assert table.numbers() == [*WITHOUT_RECORD, *cells]
        assert {number: table.cell(position_of(table, number)) for number in cells} == cells
        table.check()


def position_of(table, number):
    with table.write() as own:
        return select_positions(own, table.id, [number])[number]


def begin_run(table):
    """Begin a run over the cells that no open run has, if there are any."""
    counters = table.counters()
    if sum(counters) > counters.processing:
        table.run()
