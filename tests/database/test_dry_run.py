"""A dry-run database, whose writes are discarded."""

import pytest
import sqlalchemy as sa

from firmograph.database.connection import ACCOUNTS, RECORDS
from firmograph.database.dry_run import dry_run_database
from firmograph.kit.errors import Refused

_insert = sa.text("INSERT INTO installation (name, value) VALUES (:name, 'x')")
_select_names = sa.text("SELECT name FROM installation WHERE value = 'x' ORDER BY name")


def insert_name(database, name):
    with database.write(RECORDS) as session:
        session.execute(_insert, {"name": name})


def insert_name_and_fail(database, name):
    with database.write(RECORDS) as session:
        session.execute(_insert, {"name": name})
        raise ZeroDivisionError


def names(database):
    with database.read() as session:
        return [row[0] for row in session.all(_select_names)]


def test_writes_are_visible_in_the_dry_run_alone(database):
    insert_name(database, "before")
    with dry_run_database(database, RECORDS) as other:
        insert_name(other, "tried")
        with other.look() as session:
            assert session.all(_select_names) == [("before",), ("tried",)]
        assert names(other) == ["before", "tried"]
        assert names(database) == ["before"]
    assert names(database) == ["before"]


def test_a_failed_write_keeps_earlier_ones(database):
    with dry_run_database(database, RECORDS) as other:
        insert_name(other, "first")
        with pytest.raises(ZeroDivisionError):
            insert_name_and_fail(other, "second")
        insert_name(other, "third")
        assert names(other) == ["first", "third"]


def test_other_scopes_are_written_at_the_same_time(database):
    with dry_run_database(database, RECORDS) as other:
        insert_name(other, "tried")
        with database.write(ACCOUNTS) as session:
            session.execute(_insert, {"name": "kept"})
    assert names(database) == ["kept"]


@pytest.mark.sqlite
def test_only_one_copy_exists_and_a_killed_process_leaves_none(database, database_file):
    leftover = database_file.with_name(f".{database_file.name}.dry-run.part")
    leftover.mkdir()
    (leftover / "copy.db").write_bytes(b"of a process that was killed")
    with dry_run_database(database, RECORDS) as other:
        assert names(other) == []
        with pytest.raises(Refused, match="Another process"), dry_run_database(database, RECORDS):
            pass
    assert not leftover.exists()
