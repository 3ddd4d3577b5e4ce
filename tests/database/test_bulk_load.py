import pytest
import sqlalchemy as sa

from firmograph.database.connection import RECORDS
from firmograph.kit.errors import Unavailable

metadata = sa.MetaData()
kinds = sa.Table(
    "kinds",
    metadata,
    sa.Column("id", sa.BigInteger, primary_key=True),
    sa.Column("small", sa.SmallInteger),
    sa.Column("whole", sa.Integer),
    sa.Column("part", sa.Double),
    sa.Column("word", sa.Text),
    sa.Column("octets", sa.LargeBinary),
    sa.Column("kept", sa.Integer, nullable=False, server_default=sa.text("7")),
)
everything = sa.select(*kinds.c).order_by(kinds.c.id)
removed = sa.delete(kinds).where(kinds.c.id == sa.bindparam("id"))

FULL = (-(2**63), -(2**15), 2**31 - 1, 0.1, "a\tb\\N\né\U0001f642", bytes(range(256)), 1)
EMPTY = (2**63 - 1, None, None, None, "", b"", 0)


@pytest.fixture
def database(empty):
    metadata.create_all(empty.engine)
    return empty


def test_loaded_rows_are_read_back_unchanged(database):
    with database.write(RECORDS) as session:
        session.load(kinds, [FULL, EMPTY])
    assert database.session().all(everything) == [FULL, EMPTY]


def test_omitted_columns_take_their_defaults(database):
    with database.write(RECORDS) as session:
        session.load(kinds, [(1, "a"), (2, "b")], ("id", "word"))
    rows = database.session().all(everything)
    assert [(row[0], row[4], row[6]) for row in rows] == [(1, "a", 7), (2, "b", 7)]


def test_loading_no_rows_executes_no_statement(database):
    with database.write(RECORDS) as session:
        before = session.statements
        session.load(kinds, [])
        assert session.statements == before


def test_loading_an_existing_row_is_an_error_and_writes_nothing(database):
    with database.write(RECORDS) as session:
        session.load(kinds, [EMPTY])

    def load_again():
        with database.write(RECORDS) as session:
            session.load(kinds, [FULL, EMPTY])

    with pytest.raises(Exception, match=r"(?i)unique"):
        load_again()
    assert database.session().all(everything) == [EMPTY]


def test_an_invalid_value_loads_nothing_and_leaves_the_session_usable(database):
    def load_an_object():
        with database.write(RECORDS) as session:
            session.load(kinds, [FULL, (*EMPTY[:5], object(), 0)])

    with pytest.raises(Exception, match=r"object|type"):
        load_an_object()
    with database.write(RECORDS) as session:
        session.load(kinds, [EMPTY])
    assert database.session().all(everything) == [EMPTY]


@pytest.mark.postgresql
def test_a_connection_cut_during_a_load_is_an_error_and_the_next_write_reconnects(database):
    with database.write(RECORDS) as session:
        session.load(kinds, [FULL])
        pid = session.raw.info.backend_pid

    def rows():
        yield (1, *EMPTY[1:])
        with database.engine.connect() as other:
            other.execute(sa.select(sa.func.pg_terminate_backend(pid)))
        for number in range(2, 20_000):
            yield (number, *EMPTY[1:4], "x" * 1000, b"", 0)

    def load():
        with database.write(RECORDS) as session:
            session.load(kinds, Once(rows()))

    with pytest.raises(Unavailable):
        load()
    with database.write(RECORDS) as session:
        session.load(kinds, [EMPTY])
    assert database.session().all(everything) == [FULL, EMPTY]


class Once(list):
    """A list whose rows are generated during iteration."""

    def __init__(self, rows):
        super().__init__([None])
        self._rows = rows

    def __iter__(self):
        return self._rows
