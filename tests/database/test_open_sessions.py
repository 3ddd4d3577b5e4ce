"""Sessions of threads: they are closed at a known time, and never by the garbage collector."""

import gc
import re
import threading
from pathlib import Path

import firmograph

SOURCES = sorted(Path(firmograph.__path__[0]).rglob("*.py"))


def in_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_the_session_of_a_thread_that_has_ended_is_closed_when_another_thread_opens_one(database):
    opened, closed = [], []

    def open_one():
        session = database.session()
        close = session.close
        session.close = lambda: (closed.append(session), close())
        opened.append(session)

    in_thread(open_one)
    gc.collect()
    assert closed == []
    in_thread(open_one)
    assert closed == opened[:1]


def test_a_living_thread_keeps_its_session(database):
    session, ends, waits = database.session(), threading.Event(), threading.Event()
    found = []

    def wait():
        found.append(database.session())
        waits.set()
        ends.wait(60)
        found.append(database.session())

    thread = threading.Thread(target=wait)
    thread.start()
    assert waits.wait(60)
    in_thread(database.session)
    assert database.session() is session
    ends.set()
    thread.join()
    assert found[0] is found[1]


def test_closing_a_database_closes_the_sessions_of_all_threads(database):
    closed = []

    def open_one():
        session = database.session()
        close = session.close
        session.close = lambda: (closed.append(session), close())

    in_thread(open_one)
    open_one()
    database.close()
    assert len(closed) == 2


def test_no_cleanup_depends_on_the_garbage_collector():
    """It may run in any thread, also one that the end of the process has stopped while it held a lock."""
    found = [str(path) for path in SOURCES if re.search(r"def __del__|\bfinalize\(", path.read_text())]
    assert found == []
