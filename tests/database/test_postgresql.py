"""Waiting between writers, the visibility of reads, and round trips of values on PostgreSQL."""

import threading

import pytest
import sqlalchemy as sa
from thing_table import count, named, put, things

from firmograph.database.connection import ACCOUNTS, EVERY_ACCOUNT, RECORDS, Database, account_scope
from firmograph.kit.errors import Busy, Unavailable
from server_fixtures import eventually

pytestmark = pytest.mark.postgresql

_one = sa.text("SELECT 1")
_impatient = sa.text("SET lock_timeout = 20")
_patient = sa.text("SET lock_timeout = '60s'")
_waiting = sa.text(
    "SELECT count(*) FROM pg_locks WHERE NOT granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


@pytest.fixture
def database(empty):
    things(empty)
    return empty


@pytest.fixture
def other(database):
    """Return another node on the same database that stops waiting at once."""
    other = Database(database.url)
    other.session().execute(_impatient)
    yield other
    other.close()


def names(database: Database) -> int:
    return database.session().all(count)[0][0]


# --- scopes ---


def test_writers_of_one_scope_wait_for_each_other_and_end_as_busy(database, other):
    with database.write(RECORDS), pytest.raises(Busy) as refused, other.write(RECORDS):
        pass
    assert refused.value.headers() == {"retry-after": "1"}
    with other.write(RECORDS) as session:
        session.execute(put, (200, "after"))
    assert names(database) == 101


@pytest.mark.parametrize(
    ("one", "another"),
    [(RECORDS, ACCOUNTS), (account_scope(1), account_scope(2)), (RECORDS, None), (None, None)],
)
def test_writers_of_different_scopes_run_at_the_same_time(database, other, one, another):
    with database.write(one) as session, other.write(another) as concurrent:
        session.execute(put, (200, "a"))
        concurrent.execute(put, (201, "b"))
    assert names(database) == 102


def test_a_writer_of_several_scopes_excludes_the_writers_of_each(database, other):
    for scope in (account_scope(1), account_scope(2)):
        with (
            database.write(account_scope(2), account_scope(1), None),
            pytest.raises(Busy),
            other.write(scope),
        ):
            pass


def test_a_writer_of_every_account_excludes_those_of_single_accounts(database, other):
    for one, another in ((EVERY_ACCOUNT, account_scope(1)), (account_scope(1), EVERY_ACCOUNT)):
        with database.write(one), pytest.raises(Busy), other.write(another):
            pass


def test_a_scope_entered_later_excludes_others_too(database, other):
    with database.write(RECORDS) as session:
        with other.write(account_scope(1)):
            pass
        session.enter(EVERY_ACCOUNT)
        with pytest.raises(Busy), other.write(account_scope(1)):
            pass
    with database.write(account_scope(1)), pytest.raises(Busy), other.write(RECORDS) as session:
        session.enter(EVERY_ACCOUNT)


def test_two_writers_of_the_same_scopes_in_any_order_do_not_deadlock(database):
    scopes = [account_scope(number) for number in range(8)]
    done = []

    def write(scopes_in_order):
        # none may time out on a busy machine; a deadlock is noticed all the same
        database.session().execute(_patient)
        for _ in range(50):
            with database.write(*scopes_in_order) as session:
                session.execute(_one)
        done.append(len(scopes_in_order))

    threads = [threading.Thread(target=write, args=(each,)) for each in (scopes, scopes[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [8, 8]


def test_the_same_scope_of_another_database_is_a_different_one(database, database_url):
    with database.write(RECORDS):
        elsewhere = Database(database_url)
        elsewhere.session().execute(_impatient)
        with elsewhere.write(RECORDS) as session:
            session.execute(_one)
        elsewhere.close()


def test_a_writer_sees_commits_made_while_it_waited_for_its_scope(database):
    other, found_at_start = Database(database.url), []

    def wait() -> None:
        other.session().execute(_patient)
        with other.write(RECORDS) as session:
            found_at_start.append(session.one(named, {"name": "before"}))
        other.close()

    with database.write(RECORDS) as session:
        thread = threading.Thread(target=wait)
        thread.start()
        eventually(lambda: session.one(_waiting) == (1,), "nobody waits for the scope")
        session.execute(put, (200, "before"))
    thread.join()
    assert found_at_start == [(200,)]


def test_a_row_changed_by_another_writer_is_busy_and_nothing_is_written(database, other):
    change = sa.text("UPDATE things SET name = 'x' WHERE id = 1")

    def meet() -> None:
        with other.write(None) as session:
            session.execute(put, (200, "never"))
            session.execute(change)

    with database.write(None) as session:
        session.execute(change)
        with pytest.raises(Busy):
            meet()
    assert names(database) == 100


def test_a_deadlock_is_busy_for_one_of_the_two(database):
    change = sa.text("UPDATE things SET name = 'x' WHERE id = :id")
    both_locked, outcomes = threading.Barrier(2), []

    def work(database: Database, first: int, second: int) -> None:
        session = database.session()
        session.execute(sa.text("SET deadlock_timeout = 10"))
        try:
            with database.write(None):
                session.execute(change, {"id": first})
                both_locked.wait()
                session.execute(change, {"id": second})
        except Busy:
            outcomes.append("busy")
        else:
            outcomes.append("done")

    threads = [threading.Thread(target=work, args=(database, *order)) for order in ((1, 2), (2, 1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["busy", "done"]


# --- reads ---


def test_independent_reads_see_the_latest_commit_each(database, other):
    with database.look() as session:
        assert session.one(named, {"name": "later"}) is None
        with other.write(RECORDS) as writing:
            writing.execute(put, (200, "later"))
        assert session.one(named, {"name": "later"}) == (200,)


def test_a_reading_transaction_cannot_write(database):
    with pytest.raises(Unavailable), database.read() as session:
        session.execute(put, (200, "never"))
    assert names(database) == 100


@pytest.mark.parametrize(
    "name", ["", "ß 漢字 🙂", "'); DROP TABLE things; --", "%s %(x)s %%", "a" * 100_000, None]
)
def test_texts_are_read_back_unchanged(database, name):
    database.session().execute(put, {"id": 200, "name": name})
    assert database.session().all(sa.text("SELECT name FROM things WHERE id = 200")) == [(name,)]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("SMALLINT", [0, 1, -1, 32_767]),
        ("INTEGER", [0, 2**31 - 1]),
        ("BIGINT", [0, 1, 2**31, 2**53, 2**63 - 1, -(2**63)]),
        ("DOUBLE PRECISION", [0.0, 0.1, 1e300, 1_767_225_600.123_456]),
        ("BYTEA", [b"", b"\x00\xff\\'", bytes(range(256)) * 400]),
    ],
)
def test_values_are_read_back_unchanged(database, kind, values):
    session = database.session()
    session.raw.execute(f"CREATE TABLE kinds (value {kind})")
    session.many(
        sa.text("INSERT INTO kinds (value) VALUES (:value)"), [(value,) for value in [*values, None]]
    )
    found = [value for (value,) in session.all(sa.text("SELECT value FROM kinds"))]
    assert found == [*values, None]
    assert [type(value) for value in found] == [type(value) for value in [*values, None]]
    select = sa.text("SELECT value FROM kinds WHERE value = :value")
    assert [session.one(select, {"value": value}) for value in values] == [(value,) for value in values]
