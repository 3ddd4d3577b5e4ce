"""Suppression between the reading of a cell's content and its writing."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from person_tables import ACME_ID

from firmograph.billing.affordable_charge import AffordableCharges
from firmograph.caller import Request
from firmograph.database.connection import AccountSession
from firmograph.record_tables.columns.kind import ColumnKinds
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.runs.filling import ClaimLost, RunFilling
from firmograph.record_tables.runs.queue import RunQueue
from firmograph.record_tables.types import Cell, Counters, RunState
from firmograph.security.record_ids import Entity
from firmograph.signals.store import signals_of_records
from firmograph.table_rows import RowWriter, SignalCells, TableRows
from installation_factory import installation_of


class Interrupted(ColumnKinds):
    """The real kinds; something else happens right after the first loading."""

    def __init__(self, kinds, act):
        self._real = kinds
        self._acts = [act]

    def load(self, *arguments):
        contents = self._real.load(*arguments)
        # another thread has a transaction of its own
        with ThreadPoolExecutor(1) as pool:
            while self._acts:
                pool.submit(self._acts.pop()).result()
        return contents


@pytest.fixture
def fill(people):
    """Return a function that does one part of the open run, with a suppression after its reading."""
    world = people.world
    real = installation_of(people.database, world.clock).get(ColumnKinds)
    queue = RunQueue(people.database, world.clock, world.plans)
    kinds = Interrupted(real, people.suppress)
    filling = RunFilling(people.database, world.clock, kinds, AffordableCharges(world.purchases))

    def fill_part():
        (turn,) = queue.claim(1, world.clock.seconds())
        return filling.fill_next(turn)

    return fill_part


def test_a_person_suppressed_after_a_part_was_read_gets_no_cell_and_costs_nothing(people, people_table, fill):
    run = people_table.run()
    fill()
    assert 1 not in people_table.numbers()
    assert people_table.cell(130) == Cell("not_run")
    assert people_table.find_run(run).state is RunState.DONE
    with people_table.write() as own:
        paid = own.session.raw.execute("SELECT count(*) FROM paid_units WHERE record_id = 1").fetchone()
    assert paid == (0,)
    people_table.check()


def test_signals_of_a_person_suppressed_after_a_part_was_read_are_not_written(people, company_table, fill):
    run = company_table.run()
    with pytest.raises(ClaimLost):
        fill()
    fill()
    assert company_table.find_run(run).state is RunState.DONE
    assert b"Ann" not in company_table.cell(0).value
    assert company_table.counters() == Counters(success=1, no_data=1)


def test_a_part_without_signals_about_the_person_is_written_at_once(people, people_table, tmp_path, fill):
    people.import_posts(tmp_path, False)
    table = people.table(Entity.COMPANY)
    table.add(ACME_ID)
    run = table.run()
    fill()
    assert table.find_run(run).state is RunState.DONE


def test_signals_answered_before_a_suppression_are_not_written_to_a_table(people, company_table):
    installation = installation_of(people.database, people.world.clock)
    types = ["linkedinActivityIntent", "peopleNews"]
    with people.database.read() as session:
        own = AccountSession(session, company_table.account)
        column = company_table.column(own)
        loaded = people.kind.load(own, Entity.COMPANY, [column], [1, 2], people.world.clock.seconds())
        sources = {1: {one.identity: one.event for one in signals_of_records(session, Entity.COMPANY, [1])}}
    values = {n: content.value for n, content in loaded[column.id].items() if content.value}
    assert b"Ann" in values[1]
    rows = TableRows(
        Request("request", people.caller, people.world.clock.seconds()),
        Entity.COMPANY,
        installation.get(TableIds).table_id(company_table.id),
        numbers=[1, 2],
        signals=SignalCells(types, None, values, sources),
    )
    people.suppress()
    written = installation.get(RowWriter).write(rows, "request")
    assert written.rows_processed == 2
    assert company_table.cell(0) == Cell("no_data")
