"""Opt-out notices to accounts that saw a suppressed person's data in a table of records."""

from typing import Any

import msgspec
import pytest
from opt_out_fixtures import OptOutWorld

from firmograph.billing.affordable_charge import AffordableCharges
from firmograph.billing.paid_units import PaidUnits
from firmograph.caller import Price
from firmograph.database.connection import AccountSession, account_scope
from firmograph.directory.records import Phone
from firmograph.record_tables import store
from firmograph.record_tables.cells.grid import GridEdit, NewRow
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.catalog import new_column
from firmograph.record_tables.columns.kind import ColumnKinds
from firmograph.record_tables.runs.acceptance import begin_run
from firmograph.record_tables.runs.filling import RunFilling
from firmograph.record_tables.runs.queue import RunQueue
from firmograph.record_tables.store import NewTable
from firmograph.security.record_ids import Entity
from installation_factory import installation_of
from record_factory import contact, load_contacts

MAX, MAX_NUMBER = "max@people.example.com", 7
POINTS = {"workEmail": (MAX, "email"), "mobilePhone": ("+12025550199", "phone")}


@pytest.fixture
def people(world):
    people = OptOutWorld(world)
    person = contact("Max", "Moe", emails=[MAX], phones=[Phone(number="+12025550199", type="mobile")])
    load_contacts(world.database, "test", [("max", person)])
    return people


def show_in_table(world, account, key, **prices):
    """Run a column over a table with the person, at these prices."""
    with world.database.write(account_scope(account)) as session:
        own = AccountSession(session, account)
        number = store.insert_table(own, NewTable(int(Entity.CONTACT), "People", 1, "api", False), 1.0)
        column_store.insert_column(own, number, new_column(Entity.CONTACT, key), 0, 1.0)
        edit = GridEdit(own, _table(own, number), column_store.select_every_column(own, number))
        edit.add_rows([NewRow(MAX_NUMBER, {})])
        edit.write(1.0)
        columns = column_store.select_every_column(own, number)
        at = world.clock.seconds()
        begin_run(own, _table(own, number), columns, columns[0], "all", user_id=1, request_id="r", at=at)
    kinds = installation_of(world.database, world.clock).get(ColumnKinds)
    charges = AffordableCharges(PaidUnits(world.clock))
    (turn,) = RunQueue(world.database, world.clock, world.plans).claim(1, world.clock.seconds())
    plan = msgspec.structs.replace(turn.plan, prices={**turn.plan.prices, **prices})
    filled = RunFilling(world.database, world.clock, kinds, charges).fill_next(turn._replace(plan=plan))
    assert filled.filled.success == 1
    return filled.filled.credits


def _table(own: AccountSession, number: int) -> Any:
    return store.find_table(own, number)


@pytest.mark.parametrize("key", POINTS)
def test_an_account_that_saw_a_data_point_in_a_table_is_notified(people, world, key):
    subscription = world.subscribe(number=None)
    assert show_in_table(world, world.first, key) > 0
    people.suppress(email=MAX)
    ((token, notice),) = people.opt_outs()
    value, type = POINTS[key]
    assert token == subscription.token
    assert notice["datapoints"] == [{"datapointId": value, "datapointType": type}]


@pytest.mark.parametrize(("key", "action"), [("workEmail", "revealEmail"), ("mobilePhone", "revealPhone")])
def test_it_is_notified_also_if_its_plan_shows_them_for_nothing(people, world, key, action):
    world.subscribe(number=None)
    assert show_in_table(world, world.first, key, **{action: Price(0, 1)}) == 0
    people.suppress(email=MAX)
    assert len(people.opt_outs()) == 1


def test_a_column_without_e_mails_and_phones_causes_no_notice(people, world):
    world.subscribe(number=None)
    show_in_table(world, world.first, "fullName")
    people.suppress(email=MAX)
    assert people.opt_outs() == []
