"""The change sequence in commit order: a reader stops before the oldest open writer and skips no late change.

See docs/reference/prospecting.md#freshness-and-loading.

Writers open their transactions, take positions, and end, in any order; a reader follows in between. Each change
has a number of its own, which identifies it when it is read.
"""

import threading
from itertools import count

import psycopg
import pytest
import sqlalchemy as sa
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from effort import examples
from firmograph.database.connection import Database
from firmograph.directory.tables import changes
from firmograph.indexing import store
from firmograph.indexing.active_index import ActiveIndex
from index_fixtures import search_follower, settle
from record_factory import contact, load_contacts

pytestmark = pytest.mark.postgresql

_put = sa.insert(changes).values(entity=1, entity_id=sa.bindparam("number"))


class Writer:
    """One open connection."""

    def __init__(self, url: str) -> None:
        self._database = Database(url)
        self.session = self._database.session()
        self.open = False

    def begin(self) -> None:
        if not self.open:
            self.session.begin_write([])
            self.open = True

    def put(self, number: int) -> None:
        self.begin()
        self.session.execute(_put, {"number": number})

    def commit(self) -> None:
        self.session.commit()
        self.open = False

    def roll_back(self) -> None:
        self.session.rollback()
        self.open = False

    def close(self) -> None:
        self._database.close()


class PlainWriter(Writer):
    """A writer of a program without announcements."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._raw = psycopg.connect(url.replace("+psycopg", ""), autocommit=True)

    def begin(self) -> None:
        if not self.open:
            self._raw.execute("BEGIN")
            self.open = True

    def put(self, number: int) -> None:
        self.begin()
        self._raw.execute(f"INSERT INTO changes (entity, entity_id) VALUES (1, {number})")

    def commit(self) -> None:
        self._raw.execute("COMMIT")
        self.open = False

    def roll_back(self) -> None:
        self._raw.execute("ROLLBACK")
        self.open = False

    def close(self) -> None:
        self._raw.close()
        super().close()


class Reader:
    """A reader that follows as indexes do: up to the settled position, which it queries first."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._place = 0
        self.numbers_read: list[int] = []

    def read(self, most: int = 1_000) -> None:
        until = store.settled_position(self._database.session())
        with self._database.read() as session:
            changed = store.changes_after(session, self._place, most, until)
        self._place = changed.sequence
        self.numbers_read += changed.contacts


_in_order = sa.select(changes.c.entity_id).order_by(changes.c.sequence)
_locks = sa.text(
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_begin = sa.text("TRUNCATE changes RESTART IDENTITY")


@pytest.fixture
def reader(database):
    return Reader(database)


@pytest.fixture
def open_writer(database):
    """Return a function that opens connections that write."""
    opened = []

    def make(kind: type[Writer] = Writer) -> Writer:
        opened.append(kind(database.url))
        return opened[-1]

    yield make
    for writer in opened:
        writer.close()


@pytest.mark.parametrize("kind", [Writer, PlainWriter])
@pytest.mark.parametrize(
    "steps",
    [
        "a1 r a. r1",
        "a1 b2 b. r a. r12",
        "a1 b2 b. r a- r2",
        "a1 b2 a. r1 b. r12",
        "a1 a- b2 b. r2",
        "a1 b2 c3 c. r b. r a. r123",
        "a1 b2 c3 a. r1 c. r1 b. r123",
        "a1 b2 c3 c. a. r1 b- r13",
        "a1 b2 a3 b. r a. r123",
        "a1 b2 a3 a. r1 b. r123",
        "a1 b2 b. a- c3 r2 c. r23",
        "a1 a. b2 c3 c. r1 b. r123",
        "a1 a. r1 b2 c3 c. r1 c4 c. r1 b. r1234",
        "a1 a. b2 b- r1 c3 c. r13",
        "a1 b2 b. b3 b. b4 r a. r123 b. r1234",
        "a1 b2 b. a. a3 b4 b. r12 a. r1234",
        "a1 a. b2 r1 c3 r1 b. r12 b4 c. r123 b. r1234",
        # a writer that has only begun delays nobody, and takes a position after all read ones
        "a b1 b. r1 a2 r1 a. r12",
        "a1 a. r1 b c2 c. r12 b3 a4 a. r12 b. r1234",
    ],
)
def test_a_late_change_is_waited_for_and_never_skipped(open_writer, reader, steps, kind):
    """Run steps: a1 is a change 1 by writer a, `a.` a commit, `a-` a rollback, r12 a reader that has read 1 and 2."""
    writers = {name: open_writer(kind) for name in "abc"}
    for step in steps.split():
        actor, action = step[0], step[1:]
        if actor == "r":
            reader.read()
            assert "".join(map(str, reader.numbers_read)) == action, step
        elif action == ".":
            writers[actor].commit()
        elif action == "-":
            writers[actor].roll_back()
        elif action:
            writers[actor].put(int(action))
        else:
            writers[actor].begin()


class Sequences(RuleBasedStateMachine):
    """Three connections that write and end in any order, while a reader follows a few changes at a time."""

    database: Database
    writers: list[Writer]

    def __init__(self) -> None:
        super().__init__()
        self.database.session().execute(_begin)
        self.reader = Reader(self.database)
        self.numbers = count(1)
        self.open: dict[Writer, list[int]] = {}
        self.committed: set[int] = set()

    def teardown(self) -> None:
        for writer in list(self.open):
            self.end(writer, commit=len(self.open) % 2 == 0)
        self.reader.read()
        self.every_committed_change_is_read_once_and_in_order()

    def end(self, writer: Writer, commit: bool) -> None:
        numbers = self.open.pop(writer)
        if commit:
            writer.commit()
            self.committed.update(numbers)
        else:
            writer.roll_back()

    @rule(which=st.integers(0, 2))
    def begin(self, which):
        self.writers[which].begin()
        self.open.setdefault(self.writers[which], [])

    @rule(which=st.integers(0, 2), changes=st.integers(1, 3))
    def put(self, which, changes):
        self.begin(which)
        for _ in range(changes):
            number = next(self.numbers)
            self.writers[which].put(number)
            self.open[self.writers[which]].append(number)

    @precondition(lambda self: self.open)
    @rule(data=st.data(), commit=st.sampled_from([True, True, False]))
    def a_writer_ends(self, data, commit):
        self.end(data.draw(st.sampled_from(list(self.open))), commit)

    @rule(most=st.integers(1, 5))
    def read(self, most):
        self.reader.read(most)

    @invariant()
    def read_changes_are_committed_and_unique(self):
        assert self.committed.issuperset(self.reader.numbers_read)
        assert len(self.reader.numbers_read) == len(set(self.reader.numbers_read))

    @precondition(lambda self: not self.open)
    @rule()
    def every_committed_change_is_read_once_and_in_order(self):
        self.reader.read()
        assert self.reader.numbers_read == [number for (number,) in self.database.session().all(_in_order)]
        assert set(self.reader.numbers_read) == self.committed


def test_any_history_of_writers_is_followed_to_its_end(database, open_writer):
    Sequences.database = database
    Sequences.writers = [open_writer(kind) for kind in (Writer, Writer, PlainWriter)]
    run_state_machine_as_test(
        Sequences, settings=settings(max_examples=examples(120), stateful_step_count=30)
    )


def test_a_reader_next_to_active_writers_reads_every_change_once_and_in_order(database, open_writer, reader):
    def work(writer: Writer, first: int) -> None:
        for number in range(first, first + 100, 2):
            writer.put(number)
            writer.put(number + 1)
            (writer.roll_back if number % 14 == 0 else writer.commit)()

    writers = [open_writer(kind) for kind in (Writer, Writer, PlainWriter)]
    threads = [threading.Thread(target=work, args=(writer, 100 * n)) for n, writer in enumerate(writers)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        reader.read()
    reader.read()
    assert reader.numbers_read == [number for (number,) in database.session().all(_in_order)]
    assert len(reader.numbers_read) > 200


def test_writers_between_the_queries_of_a_reader_are_not_skipped(database, open_writer, reader):
    session, late, quick = database.session(), open_writer(), open_writer()
    ask = session.all

    def ask_slowly(*question):
        rows = ask(*question)
        if not late.open:
            late.put(1)
            quick.put(2)
            quick.commit()
        return rows

    session.all = ask_slowly
    reader.read()
    late.commit()
    reader.read()
    assert reader.numbers_read == [1, 2]


def test_many_changes_of_one_transaction_take_one_lock(database, open_writer):
    writer = open_writer()
    for number in range(100):
        writer.put(number)
    assert database.session().one(_locks) == (1,)
    writer.roll_back()


def test_a_position_announced_within_a_rolled_back_savepoint_is_announced_again(open_writer, reader):
    writer, other = open_writer(), open_writer()
    writer.begin()
    writer.session.execute(sa.text("SAVEPOINT half"))
    writer.put(1)
    writer.session.execute(sa.text("ROLLBACK TO SAVEPOINT half"))
    writer.put(2)
    other.put(3)
    other.commit()
    reader.read()
    assert reader.numbers_read == []
    writer.commit()
    reader.read()
    assert reader.numbers_read == [2, 3]


def test_writers_of_another_database_delay_nobody(open_writer, reader, empty):
    empty.session().execute(sa.text("SELECT pg_advisory_lock_shared(70::bigint << 56)"))
    writer = open_writer()
    writer.put(1)
    writer.commit()
    reader.read()
    assert reader.numbers_read == [1]


def test_a_follower_pauses_while_an_open_writer_delays_it(database, open_writer, clock):
    index = ActiveIndex()
    following = search_follower(database, index, clock)
    settle(following)
    late = open_writer(PlainWriter)
    late.put(1)
    load_contacts(database, "test", [contact("Ann", "Example")])
    assert following.step() is False
    assert index.applied == index.head == 0
    late.commit()
    settle(following)
    assert index.applied == index.head == 2
    following.stop()
