"""The order in which threads get a lock, and the writer of the embedded database."""

import threading

import pytest
import sqlalchemy as sa
from thing_table import put, things

from firmograph.database import fair_lock as module
from firmograph.database.connection import RECORDS
from firmograph.database.fair_lock import Turns

_IDS = sa.text("SELECT id FROM things WHERE id >= 500 ORDER BY id")


def waiting(turns, count):
    """Returns once so many threads wait for their turn."""
    while len(turns._waiting) < count:
        threading.Event().wait(0.001)


def test_one_that_has_waited_gets_the_turn_before_those_that_come_later(monkeypatch):
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


def test_who_gives_up_waiting_is_not_waited_for():
    turns = Turns()
    assert turns.take(0)
    assert not turns.take(0)
    turns.give()
    assert turns.take(0)


def test_a_turn_that_is_taken_while_one_wakes_is_waited_for_again():
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
def test_a_thread_that_writes_again_and_again_does_not_pass_over_one_that_waits(empty, monkeypatch):
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
        seen = session.all(_IDS)
    other.join()
    assert seen == [(500,)]
