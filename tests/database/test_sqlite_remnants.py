"""The absence of deleted rows between the cells of SQLite's pages."""

import random
import sqlite3
import threading
from contextlib import closing

import pytest

from firmograph.database import sqlite_remnants
from firmograph.database.connection import Database

pytestmark = pytest.mark.sqlite

ROWS = 1_500
DELETED = range(0, ROWS, 5)


def trace(number):
    return f"person-{number:06}@"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "people.db"


@pytest.fixture
def database(file):
    """Return a database with rows inserted in random key order, so that they move between pages, and some deleted."""
    database = Database(f"sqlite:///{file}")
    draw, raw = random.Random(1), database.session().raw
    raw.execute("CREATE TABLE people (key BLOB PRIMARY KEY, text TEXT) WITHOUT ROWID")
    raw.execute("CREATE TABLE others (id INTEGER PRIMARY KEY, text TEXT)")
    raw.execute("BEGIN")
    for number in draw.sample(range(ROWS), ROWS):
        text = trace(number) * draw.randint(1, 60)
        raw.execute("INSERT INTO people VALUES (?, ?)", (draw.randbytes(16), text))
        raw.execute("INSERT INTO others VALUES (?, ?)", (number, text))
    for number in DELETED:
        raw.execute("DELETE FROM people WHERE text LIKE ?", (f"{trace(number)}%",))
        raw.execute("DELETE FROM others WHERE id = ?", (number,))
    raw.execute("COMMIT")
    yield database
    database.close()


def traces_of_deleted(file):
    """Return the deleted rows of which the file holds traces."""
    content = file.read_bytes()
    return [number for number in DELETED if trace(number).encode() in content]


def rows(raw):
    return [raw.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in ("people", "others")]


def test_copies_left_by_moved_rows_are_cleared_and_nothing_else(database, file):
    raw = database.session().raw
    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    # the premise: secure_delete alone does not reach them
    assert traces_of_deleted(file)
    before = rows(raw)
    assert database.clear_remains() is True
    assert traces_of_deleted(file) == []
    assert rows(raw) == before
    assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_connection_with_the_old_pages_in_its_cache_does_not_write_them_back(database, file, monkeypatch):
    monkeypatch.setattr(sqlite_remnants, "_AT_ONCE", 1_000_000)
    database.session().raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA cache_size = -65536")

        def hold_writer(raw):
            rows(other)
            raw.execute("BEGIN IMMEDIATE")
            return True

        assert sqlite_remnants.clear_gaps(file, hold_writer)
        # of the same length: everything else in their pages is rewritten unchanged
        for table in ("people", "others"):
            other.execute(f"UPDATE {table} SET text = substr(text, 1, length(text) - 1) || '!'")
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert traces_of_deleted(file) == []


def test_readers_and_writers_continue_at_the_same_time(database, file):
    stop, failures = threading.Event(), []

    def write():
        try:
            session = Database(f"sqlite:///{file}")
            number = ROWS
            while not stop.is_set():
                with session.write(None) as writing:
                    writing.raw.execute("INSERT INTO others VALUES (?, ?)", (number, "x" * (number % 3000)))
                    writing.raw.execute("DELETE FROM others WHERE id = ?", (number - 200,))
                with session.read() as reading:
                    assert len(reading.raw.execute("SELECT * FROM people").fetchall()) == ROWS - len(DELETED)
                number += 1
            session.close()
        except Exception as error:
            failures.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(5):
            assert database.clear_remains() is True
    finally:
        stop.set()
        writer.join()
    assert failures == []
    assert database.session().raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert traces_of_deleted(file) == []
