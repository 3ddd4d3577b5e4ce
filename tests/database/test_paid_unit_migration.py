"""Rows of paid units in the migrations that rewrite them, both ways."""

import pytest
import sqlalchemy as sa

from firmograph.database.connection import Database
from firmograph.database.schema import prepare, take_back

_ACCOUNTS = sa.text(
    "INSERT INTO accounts (id, name, plan, active, created_at, plan_at)"
    " VALUES (1, 'a', 'pro', 1, 0, 0), (2, 'b', 'pro', 1, 0, 0)"
)
_IDENTITY = b"\x00\xff" * 8
FORMER_UNITS = [
    (1, 1, 2**40, "emails", 1.5, 2.5, "r1"),
    (1, 1, 2**40, "phones", 1.5, 1.5, "r1"),
    (1, 2, 7, "directParent", 3.5, 3.5, "r2"),
    (2, 1, 2**40, "emails", 4.5, 4.5, "r3"),
]
FORMER_SIGNALS = [(1, _IDENTITY, 5.5, "r4"), (2, _IDENTITY, 6.5, "payload"), (2, b"\x01" * 16, 7.5, "r5")]
UNITS = [
    (1, 1, 2**40, b"emails", 1.5, 2.5, "r1"),
    (1, 1, 2**40, b"phones", 1.5, 1.5, "r1"),
    (1, 2, 7, b"directParent", 3.5, 3.5, "r2"),
    (1, 3, 0, _IDENTITY, 5.5, 5.5, "r4"),
    (2, 1, 2**40, b"emails", 4.5, 4.5, "r3"),
    (2, 3, 0, _IDENTITY, 6.5, 6.5, "payload"),
    (2, 3, 0, b"\x01" * 16, 7.5, 7.5, "r5"),
]


def stored(database, table):
    with database.read() as session:
        return sorted(tuple(row) for row in session.raw.execute(f"SELECT * FROM {table}"))


@pytest.fixture
def former(database):
    """Return a database of schema 0010 with paid data points and signals of two accounts."""
    take_back(database, "0010")
    reflected = sa.MetaData()
    reflected.reflect(database.engine, only=["accounts", "paid_units", "paid_signals"])
    with database.engine.begin() as connection:
        connection.execute(_ACCOUNTS)
        for name, rows in (("paid_units", FORMER_UNITS), ("paid_signals", FORMER_SIGNALS)):
            table = reflected.tables[name]
            connection.execute(
                table.insert(), [dict(zip(table.columns.keys(), row, strict=True)) for row in rows]
            )
    return database


def test_paid_data_points_and_signals_become_units_of_one_table(former):
    prepare(former)
    assert stored(former, "paid_units") == sorted(UNITS)
    assert "paid_signals" not in former.session().tables()


def test_the_way_back_restores_both_tables_with_their_rows(former):
    prepare(former)
    take_back(former, "0010")
    assert stored(former, "paid_units") == FORMER_UNITS
    assert stored(former, "paid_signals") == sorted(FORMER_SIGNALS)


def test_a_second_connection_upgrades_after_the_first(former):
    prepare(former)
    take_back(former, "0010")
    another = Database(former.url)
    prepare(another)
    another.close()
    assert stored(former, "paid_units") == sorted(UNITS)
