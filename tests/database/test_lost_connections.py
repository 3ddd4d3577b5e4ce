"""A PostgreSQL server that is lost and returns: callers' errors, and no partial writes.

See docs/reference/errors.md#busy-and-unavailable.
"""

import threading
import time
from collections.abc import Callable

import psycopg
import pytest
import sqlalchemy as sa
from psycopg import errors
from thing_table import count, put, things

from firmograph.database.connection import RECORDS, Database
from firmograph.kit.errors import Busy, Unavailable
from services.postgresql import PostgreSQL
from services.relay import Relay

pytestmark = pytest.mark.postgresql

_one = sa.text("SELECT 1")


@pytest.fixture
def database(empty):
    things(empty)
    return empty


@pytest.fixture(scope="module")
def own_server():
    """Return a server of the module's own that may be stopped; tests leave it running."""
    server = PostgreSQL().start()
    yield server
    server.remove()


@pytest.fixture
def fragile(own_server):
    """Return a database on a server that may be stopped."""
    database = Database(own_server.create("fragile"))
    things(database)
    yield database
    database.close()
    own_server.drop("fragile")


@pytest.fixture
def relay(database):
    relay = Relay(sa.make_url(database.url).port)
    yield relay
    relay.close()


@pytest.fixture
def far(database, relay):
    """Return the same database, over a connection that may be cut."""
    far = Database(sa.make_url(database.url).set(port=relay.port).render_as_string(hide_password=False))
    yield far
    far.close()


def cut_off(database: Database) -> None:
    """End the connection of this thread's session, as the server does at shutdown."""
    pid = database.session().raw.info.backend_pid
    ender = Database(database.url)
    ender.session().execute(sa.text(f"SELECT pg_terminate_backend({pid}, 50000)"))
    ender.close()


def names(database: Database) -> int:
    return database.session().all(count)[0][0]


def once_ended(database: Database) -> int:
    """Return the number of rows once the writer has ended and left the scope."""

    def ask() -> int:
        with database.write(RECORDS):
            return names(database)

    return soon(ask)


def test_a_query_outside_transactions_is_retried_after_a_lost_connection(database):
    assert names(database) == 100
    cut_off(database)
    assert names(database) == 100


def test_a_connection_cut_while_idle_is_not_noticed_by_callers(far, relay):
    for ask in (lambda: names(far), lambda: _read(far), lambda: _write(far, 200)):
        names(far)
        relay.cut()
        ask()
    assert names(far) == 101


def _read(database: Database) -> None:
    with database.read() as session:
        assert session.one(_one) == (1,)


def _write(database: Database, number: int) -> None:
    with database.write(RECORDS) as session:
        session.execute(put, (number, "written"))


@pytest.mark.parametrize("how", ["read", "write"])
def test_a_loss_inside_a_transaction_is_unavailable_and_commits_nothing(database, how):
    def lose() -> None:
        with database.read() if how == "read" else database.write(RECORDS) as session:
            if how == "write":
                session.execute(put, (200, "never"))
            cut_off(database)
            session.one(_one)

    with pytest.raises(Unavailable) as lost:
        lose()
    assert lost.value.headers() == {"retry-after": "1"}
    assert names(database) == 100
    _write(database, 201)
    assert names(database) == 101


def test_a_connection_cut_off_during_bulk_rows_is_unavailable(database):
    """Bulk rows are sent without waiting for answers, and the driver raises errors of its own for a later loss."""
    raw = database.session().raw
    raw.execute(
        "CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS"
        " 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END'"
    )
    raw.execute(
        "CREATE TRIGGER t BEFORE INSERT ON things FOR EACH ROW WHEN (NEW.id = 250) EXECUTE FUNCTION cut_off()"
    )
    rows = [(number, "never" * 50) for number in range(200, 400)]

    def write() -> None:
        with database.write(RECORDS) as session:
            session.many(put, rows)

    with pytest.raises(Unavailable):
        write()
    assert names(database) == 100


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("word", [b"row 200", b"row 350", b"row 499"])
def test_a_line_cut_during_bulk_rows_is_unavailable(far, relay, database, word, moment):
    names(far)
    relay.cut_at(word, moment)

    def write() -> None:
        with far.write(RECORDS) as session:
            session.many(put, [(number, f"row {number}" + " " * 900) for number in range(200, 500)])

    with pytest.raises(Unavailable):
        write()
    assert once_ended(database) == 100


def test_a_loss_that_confuses_the_driver_is_unavailable_too(database, monkeypatch):
    def stumble(cursor, text, rows):
        try:
            raise errors.AdminShutdown
        finally:
            raise errors.OperationalError("cannot exit pipeline mode while busy")

    monkeypatch.setattr(psycopg.Cursor, "executemany", stumble)
    with pytest.raises(Unavailable), database.write(RECORDS) as session:
        session.many(put, [(307, "never")])
    monkeypatch.undo()
    _write(database, 308)
    assert names(database) == 101


def test_an_error_other_than_a_loss_is_raised_unchanged_and_is_not_its_own_cause(database):
    _write(database, 309)
    with pytest.raises(errors.UniqueViolation) as raised:
        _write(database, 309)
    assert raised.value.__cause__ is None
    assert database.session().raw.closed is False


def test_a_transaction_whose_connection_was_lost_does_not_continue(database):
    """Statements fail even if the error was swallowed: another connection would commit each by itself."""

    def swallow() -> None:
        with database.write(RECORDS) as session:
            session.execute(put, (200, "never"))
            cut_off(database)
            for number in (201, 202):
                with pytest.raises(Unavailable):
                    session.execute(put, (number, "never"))

    with pytest.raises(Unavailable):
        swallow()
    assert names(database) == 100


def test_a_transaction_with_a_swallowed_error_cannot_claim_success(database):
    def swallow() -> None:
        with database.write(RECORDS) as session:
            session.execute(put, (200, "never"))
            with pytest.raises(Exception, match="duplicate key"):
                session.execute(put, (1, "there already"))

    with pytest.raises(RuntimeError, match="nothing was committed"):
        swallow()
    assert names(database) == 100
    _write(database, 200)


@pytest.mark.parametrize(("moment", "committed"), [("before", 100), ("after", 101)])
def test_a_commit_that_was_cut_off_says_to_repeat_the_request(far, relay, database, moment, committed):
    names(far)
    relay.cut_at(b"COMMIT\0", moment)
    with pytest.raises(Unavailable, match="Repeat the request") as unknown:
        _write(far, 200)
    assert unknown.value.headers() == {"retry-after": "1"}
    assert once_ended(database) == committed
    _write(far, 201)


def test_a_restarted_server_is_used_without_an_error(fragile, own_server):
    assert names(fragile) == 100
    own_server.restart()
    assert names(fragile) == 100
    _write(fragile, 200)
    assert names(fragile) == 101


def test_a_server_that_is_down_is_unavailable_and_usable_once_it_is_up(fragile, own_server):
    names(fragile)
    own_server.stop()
    for ask in (lambda: names(fragile), lambda: _read(fragile), lambda: _write(fragile, 200)) * 20:
        with pytest.raises(Unavailable):
            ask()
    own_server.start()
    assert soon(lambda: names(fragile)) == 100


def test_while_a_server_is_down_only_one_call_per_interval_tries_to_connect(fragile, own_server, monkeypatch):
    server, tried = fragile._server, []
    connected = server._connected
    monkeypatch.setattr(server, "_connected", lambda: tried.append(1) or connected())
    own_server.stop()
    for _ in range(50):
        with pytest.raises(Unavailable):
            names(fragile)
    own_server.start()
    assert len(tried) < 50
    soon(lambda: names(fragile))


def test_a_former_primary_is_left_at_the_first_write_and_the_next_uses_its_successor(database):
    database.session().execute(sa.text("SET default_transaction_read_only = on"))
    with pytest.raises(Unavailable):
        _write(database, 200)
    _write(database, 201)
    assert names(database) == 101


def test_a_nonexistent_server_is_unavailable(tmp_path):
    nowhere = Database("postgresql+psycopg://nobody@127.0.0.1:1/nothing")
    with pytest.raises(Unavailable):
        nowhere.session().one(_one)


def test_the_sessions_of_other_threads_recover_too(database):
    lost, found = threading.Barrier(2), []

    def ask() -> None:
        found.append(names(database))
        lost.wait()
        lost.wait()
        found.append(names(database))

    thread = threading.Thread(target=ask)
    thread.start()
    lost.wait()
    pids = database.session().all(
        sa.text(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    )
    for (pid,) in pids:
        database.session().execute(sa.text(f"SELECT pg_terminate_backend({pid}, 50000)"))
    lost.wait()
    thread.join()
    assert found == [100, 100]
    assert len(pids) == 1


def soon(ask: Callable[[], int]) -> int:
    """Return the answer, once there is one."""
    give_up = time.monotonic() + 30
    while True:
        try:
            return ask()
        except (Busy, Unavailable):
            assert time.monotonic() < give_up
            time.sleep(0.02)
