"""Behaviour common to all databases, and that of the embedded one alone."""

import os
import stat
import threading
from contextlib import closing

import pytest
import sqlalchemy as sa
from thing_table import few, first, named, of_account, owned, put, renamed, some, things

from firmograph.database import sqlite as module
from firmograph.database.connection import RECORDS, AccountSession, Database
from firmograph.database.schema import HEAD, held_revision
from firmograph.kit.errors import Busy

_PARTS = "id INTEGER REFERENCES whole (id) DEFERRABLE INITIALLY DEFERRED"


@pytest.fixture
def database(empty):
    things(empty)
    return empty


def test_parameters_are_bound_by_name_or_in_order(database):
    session = database.session()
    assert session.one(named, {"name": "n5"}) == (5,)
    assert session.one(named, ("n6",)) == (6,)


def test_values_written_into_a_statement_are_bound_too(database):
    assert database.session().one(first) == ("n1",)


@pytest.mark.parametrize("count", [0, 1, 2, 4, 5, 100, 20_000, 70_000])
def test_a_list_of_any_length_finds_its_values(database, count):
    ids = list(range(1, count + 1))
    rows = database.session().all_in(some, "ids", ids, other="n1")
    assert sorted(row[0] for row in rows) == [n for n in range(2, 101) if n <= count]


def test_a_statement_may_have_a_list_of_texts_and_other_values_before_and_after(database):
    rows = database.session().all_in(few, "names", ["n3", "n9", "n20"], least=4, most=10)
    assert rows == [(9,)]


def test_the_session_of_an_account_binds_it_whatever_the_parameters_say(database):
    own = AccountSession(database.session(), 7)
    assert own.all(of_account, {"names": ["n6", "n7"]}) == [("n7",)]
    assert own.all_in(of_account, "names", ["n6", "n7"]) == [("n7",)]
    assert own.one(of_account, {"names": ["n7"], "account": 6}) == ("n7",)
    assert own.one(of_account, {"names": ["n6"]}) is None


def test_the_session_of_an_account_refuses_a_statement_that_does_not_take_it(database):
    own = AccountSession(database.session(), 7)
    with pytest.raises(ValueError, match="does not take the account"):
        own.one(named, {"name": "n5"})


def test_the_session_of_an_account_adds_it_to_each_row(database):
    with database.write(RECORDS) as session:
        own = AccountSession(session, 7)
        own.many(renamed, [("first",), ("second",)])
        own.load(owned, [(101, "a"), (102, "b")], ("id", "text"))
    assert database.session().one(named, {"name": "second"}) == (7,)
    rows = database.session().raw.execute("SELECT id, account_id, text FROM owned ORDER BY id").fetchall()
    assert [tuple(row) for row in rows] == [(101, 7, "a"), (102, 7, "b")]


def test_the_session_of_an_account_refuses_rows_for_a_statement_that_does_not_take_it(database):
    with pytest.raises(ValueError, match="does not take the account"):
        AccountSession(database.session(), 7).many(put, [(101, "n101")])


def test_a_statement_is_compiled_once_for_all_sessions(database):
    its_own, other = some.limit(1), Database(database.url)
    assert other.session().prepared(its_own) is database.session().prepared(its_own)
    other.close()


@pytest.mark.sqlite
def test_few_statement_texts_are_prepared_for_lists_of_all_lengths(database):
    session, its_own = database.session(), some.limit(1)
    for count in range(1, 100):
        session.all_in(its_own, "ids", list(range(count)), other="")
    assert len(session.prepared(its_own)._texts) == 13


def test_a_write_that_raises_leaves_nothing(database):
    def fail():
        with database.write(RECORDS) as session:
            session.many(put, [(200, "gone")])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert database.session().one(named, {"name": "gone"}) is None


def test_a_nested_transaction_is_refused_and_the_outer_one_continues(database):
    with database.write(RECORDS) as session:
        session.many(put, [(200, "before")])
        with pytest.raises(Exception, match="within a transaction"), database.write(RECORDS):
            pass
        session.many(put, [(201, "after")])
    assert database.session().one(named, {"name": "before"}) == (200,)
    assert database.session().one(named, {"name": "after"}) == (201,)


def test_reads_of_one_block_see_the_same_state(database):
    def write() -> None:
        with database.write(RECORDS) as session:
            session.many(put, [(300, "later")])

    with database.read() as session:
        assert session.one(named, {"name": "later"}) is None
        writer = threading.Thread(target=write)
        writer.start()
        writer.join()
        assert session.one(named, {"name": "later"}) is None
    assert database.session().one(named, {"name": "later"}) == (300,)


@pytest.mark.sqlite
def test_a_writer_that_stays_blocked_is_busy_and_writes_nothing(database, monkeypatch):
    monkeypatch.setattr(module, "WRITER_WAIT_SECONDS", 0.0)
    refused = []

    def write() -> None:
        try:
            with database.write(RECORDS) as session:
                session.many(put, [(400, "never")])
        except Busy as error:
            refused.append(error)

    with database.write(RECORDS):
        writer = threading.Thread(target=write)
        writer.start()
        writer.join()
    assert refused
    assert refused[0].headers() == {"retry-after": "1"}
    assert database.session().one(named, {"name": "never"}) is None


def test_statements_are_counted_without_transaction_bounds(database):
    session = database.session()
    before = session.statements
    with database.write(RECORDS) as session:
        session.many(put, [(500, "a"), (501, "b")])
        session.one(named, {"name": "a"})
    with database.look() as session:
        session.one(named, {"name": "a"})
    assert session.statements - before == 3


@pytest.mark.sqlite
def test_the_file_is_readable_by_its_owner_alone(database):
    for ending in ("", "-wal", "-shm"):
        assert stat.S_IMODE(os.stat(database.path + ending).st_mode) == 0o600


@pytest.mark.sqlite
def test_an_empty_file_is_made_private_and_the_mode_of_a_filled_one_stays(tmp_path):
    file = tmp_path / "made.db"
    file.touch()
    for mode in (0o600, 0o640):
        file.chmod(0o640)
        with closing(Database(f"sqlite:///{file}")) as database:
            database.session().raw.execute(f"CREATE TABLE of_{mode} (id INTEGER)")
            for ending in ("", "-wal", "-shm"):
                assert stat.S_IMODE(os.stat(database.path + ending).st_mode) == mode


@pytest.mark.sqlite
def test_a_statement_that_meets_a_lock_is_busy(database):
    with database.write(RECORDS):
        other = Database(database.url)
        with pytest.raises(Busy):
            other.session().execute(put, (600, "never"))
        other.close()


def test_a_failed_commit_leaves_the_session_ready_for_the_next(database):
    raw = database.session().raw
    raw.execute("CREATE TABLE whole (id INTEGER PRIMARY KEY)")
    raw.execute(f"CREATE TABLE part ({_PARTS})")
    orphan = sa.text("INSERT INTO part (id) VALUES (1)")
    with pytest.raises(Exception, match=r"(?i)foreign key"), database.write(RECORDS) as session:
        session.execute(orphan)
    with database.write(RECORDS) as session:
        session.execute(sa.text("INSERT INTO whole (id) VALUES (1)"))
        session.execute(orphan)
    assert raw.execute("SELECT count(*) FROM part").fetchone() == (1,)


@pytest.mark.sqlite
def test_the_log_is_emptied_at_the_close_while_threads_that_used_the_database_end(empty):
    for _ in range(20):
        database, used = Database(empty.url), threading.Barrier(5)

        def use(database: Database = database, used: threading.Barrier = used) -> None:
            with database.write(RECORDS) as session:
                session.raw.execute("CREATE TABLE IF NOT EXISTS small (id INTEGER)")
            used.wait()

        threads = [threading.Thread(target=use) for _ in range(4)]
        for thread in threads:
            thread.start()
        used.wait()
        database.close()
        assert not os.path.exists(f"{database.path}-wal")
        for thread in threads:
            thread.join()


_RECOVERY = """
import fcntl, os, signal, sys
with open(sys.argv[1], "r+b", buffering=0) as shared:
    # the bytes that SQLite locks to write, to checkpoint and to recover
    fcntl.lockf(shared, fcntl.LOCK_EX, 3, 120)
    os.pwrite(shared.fileno(), bytes(8), 0)
    print("recovering", flush=True)
    signal.pause()
"""


@pytest.mark.sqlite
def test_the_revision_is_read_once_another_process_has_recovered_the_log(
    database_url, start_program, monkeypatch
):
    database = Database(database_url)
    assert held_revision(database) == HEAD
    process = start_program(_RECOVERY, f"{database.path}-shm")
    assert process.stdout.readline() == "recovering\n"
    pauses = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        process.kill()
        process.wait()

    monkeypatch.setattr(module.time, "sleep", pause)
    assert held_revision(database) == HEAD
    assert pauses
    database.close()
