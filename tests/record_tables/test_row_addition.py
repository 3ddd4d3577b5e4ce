from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from row_tables import COMPANY, CONTACT, RowTable, insert_records

from firmograph.billing.types import Unit, UnitKind
from firmograph.database.connection import AccountSession
from firmograph.kit.errors import Forbidden
from firmograph.record_tables.cells.chunk import CellChunk
from firmograph.record_tables.cells.store import select_cells
from firmograph.record_tables.rows import addition
from firmograph.record_tables.types import Counters

FULL_PROFILE = b'{"name":"Acme","industry":"Software","has":[]}'
BARE_PROFILE = b'{"name":"Acme","domain":"acme.example","has":[]}'


@pytest.fixture(scope="module")
def records(shared_world):
    """Return a world with contacts 1 to 699 and four companies."""
    insert_records(shared_world, CONTACT, range(1, 700))
    insert_records(shared_world, COMPANY, [1, 2, 3], FULL_PROFILE)
    insert_records(shared_world, COMPANY, [4], BARE_PROFILE)
    return shared_world


@pytest.fixture
def people(records):
    return RowTable(records)


@pytest.fixture
def firms(records):
    return RowTable(records, COMPANY)


def base(number):
    return Unit(UnitKind.COMPANY_DATA, number, "company")


def test_each_number_is_added_present_or_missing_once(people):
    people.add(5, 3)
    done = people.add(9, 3, 9, 1_000, 5, 2, -1, 1_000)
    assert done[:3] == ([9, 2], [3, 5], [1_000, -1])
    assert people.stored.entity_count == 4


def test_a_contact_costs_nothing(people):
    done = people.add(1, 2)
    assert (done.units, done.paid) == (frozenset(), set())


def test_default_columns_are_filled_with_the_row(people):
    people.add(11, 10, 17, at=7.0)
    (stored,) = people.read(lambda own, table: select_cells(own, [people.name], [0]))
    cells = CellChunk(*stored[2:])
    assert [cells.status(index) for index in range(3)] == ["success", "no_data", "success"]
    assert [cells.content(index) for index in range(3)] == [b'"fullName 11"', None, b'"fullName 17"']
    assert [cells.note(index) for index in range(3)] == [{}, {}, {"doNotCall": True}]
    assert people.column(people.title).counters == Counters(success=2, no_data=1)
    assert people.column(people.title).updated_at == 7.0


def test_other_columns_are_not_run(people):
    people.add(1, 2, at=7.0)
    column = people.column(people.email)
    assert (column.counters, column.updated_at) == (Counters(not_run=2), 1.0)


def test_rows_that_do_not_fit_are_not_added_in_part(people, monkeypatch):
    monkeypatch.setattr(addition, "MOST_ROWS", 5)
    people.add(1, 2, 3)
    with pytest.raises(Forbidden, match="at most 5 rows; 3 are new and 2 still fit"):
        people.add(1, 4, 5, 6)
    assert people.stored.entity_count == 3
    people.add(1, 4, 5)
    assert people.stored.entity_count == 5


def test_a_full_table_takes_what_it_has(people, monkeypatch):
    monkeypatch.setattr(addition, "MOST_ROWS", 2)
    people.add(1, 2)
    assert people.add(2, 1, 9_999).present == [2, 1]


def test_a_company_costs_its_base_once_it_has_more_than_a_name(firms):
    done = firms.add(1, 4, 2)
    assert done.units == {base(1), base(2)}


def test_a_company_that_is_present_costs_nothing(firms):
    firms.add(1)
    assert firms.add(1, 2).units == {base(2)}


def test_companies_paid_before_are_named(firms):
    firms.add(1)
    with firms.world.database.write() as session:
        own = AccountSession(session, firms.account)
        firms.world.purchases.pay(own, firms.world.plans.named("unlimited"), "r", [base(1), base(2)], 1.0)
    assert firms.add(1, 2, 3).paid == {1, 2}


def test_a_record_of_the_other_kind_is_missing(firms):
    assert firms.add(500).missing == [500]


def test_the_number_of_statements_does_not_depend_on_that_of_records(people):
    def statements(*numbers):
        def add(own, table):
            before = own.session.statements
            people.addition.add(own, table, numbers, 2.0)
            return own.session.statements - before

        return people.write(add)

    assert statements(*range(1, 3)) == statements(*range(3, 129)) == statements(*range(129, 629))


def test_records_follow_the_order_of_the_call(people):
    people.add(*range(300, 0, -1))
    added = people.add(*range(400, 300, -1)).added
    assert added == list(range(400, 300, -1))
    assert Counter(added) == Counter(range(301, 401))


def test_two_calls_at_once_add_each_record_once(people):
    barrier = Barrier(2)

    def add(numbers):
        barrier.wait()
        return people.add(*numbers)

    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(add, [range(1, 400), range(399, 0, -1)]))
    assert sorted(number for one in done for number in one.added) == list(range(1, 400))
    assert sum(len(one.present) for one in done) == 399
    assert people.stored.entity_count == 399
