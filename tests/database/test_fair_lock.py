"""The order in which threads acquire a lock, and the writer of the embedded database."""

import threading

import pytest
import sqlalchemy as sa
from thing_table import put, things

from firmograph.database import fair_lock as module
from firmograph.database.connection import RECORDS
from firmograph.database.fair_lock import Turns

_IDS = sa.text("SELECT id FROM things WHERE id >= 500 ORDER BY id")


def waiting(turns, count):
    """Return once so many threads wait for their turn."""
    while len(turns._waiting) < count:
        threading.Event().wait(0.001)


def test_the_longest_waiting_thread_acquires_the_lock_first(monkeypatch):
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.0)
    turns, order = Turns(), []

    def work(name):
        assert turns.take(60)
        order.append(name)
        turns.give()

    assert turns.take(0)
    threads = [threading.Thread(target=work, args=(name,)) for name in ("first", "second")]
    for count, thread in enumerate(threads, 1):
        thread.start()
        waiting(turns, count)
    turns.give()
    work("third")
    for thread in threads:
        thread.join()
    assert order == ["first", "second", "third"]


def test_a_thread_that_stops_waiting_is_skipped():
    turns = Turns()
    assert turns.take(0)
    assert not turns.take(0)
    turns.give()
    assert turns.take(0)


def test_a_thread_that_wakes_too_late_waits_again():
    turns, count, had = Turns(), 200, []

    def work():
        for _ in range(count):
            assert turns.take(60)
            had.append(1)
            turns.give()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(had) == 4 * count


@pytest.mark.sqlite
def test_a_frequent_writer_does_not_overtake_a_waiting_one(empty, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.0)
    things(empty)

    def write():
        with empty.write(RECORDS) as session:
            session.many(put, [(500, "waited")])

    other = threading.Thread(target=write)
    with empty.write(RECORDS):
        other.start()
        waiting(empty._turns, 1)
    with empty.write(RECORDS) as session:
        ids = session.all(_IDS)
    other.join()
    assert ids == [(500,)]
