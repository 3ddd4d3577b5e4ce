"""PostgreSQL databases that cannot hold every text, and transactions that would not be atomic."""

import pytest
import sqlalchemy as sa
from psycopg import sql
from thing_table import count, put, things

import database_fixtures
from firmograph.database import postgresql_prepared
from firmograph.database.connection import ACCOUNTS, RECORDS, Database
from firmograph.kit.errors import Refused

pytestmark = pytest.mark.postgresql

_word = sa.select(sa.bindparam("word", type_=sa.Text))
_number = sa.select(sa.bindparam("number", type_=sa.BigInteger))


@pytest.fixture
def encoded():
    """Return a function that makes an empty database of an encoding and returns its URL."""
    server, made = database_fixtures._server(), []

    def make(encoding: str) -> str:
        made.append(f"encoded_{encoding.lower()}")
        statement = "CREATE DATABASE {} ENCODING {} LOCALE 'C' TEMPLATE template0"
        with server.connect("postgres") as connection:
            connection.execute(sql.SQL(statement).format(sql.Identifier(made[-1]), encoding))
        return server.url(made[-1])

    yield make
    for name in made:
        server.drop(name)


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_with_a_limited_encoding_is_refused_with_the_command_for_a_new_one(encoded, encoding):
    database = Database(encoded(encoding))
    with pytest.raises(Refused, match=f"encoding is {encoding}; make it with: createdb --encoding=UTF8"):
        database.session().tables()
    database.close()


def test_texts_are_unchanged_whatever_client_encoding_the_environment_sets(empty, monkeypatch):
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    assert empty.session().all(_word, {"word": "Żółć 名"}) == [("Żółć 名",)]


@pytest.mark.parametrize("inner", ["read", "write"])
def test_a_nested_transaction_is_refused_and_the_outer_one_stays_atomic(empty, inner):
    things(empty)
    before = empty.session().all(count)

    def both() -> None:
        with empty.write(RECORDS) as session:
            session.execute(put, (200, "outer"))
            with empty.read() if inner == "read" else empty.write(ACCOUNTS):
                pass

    with pytest.raises(RuntimeError, match="within"):
        both()
    assert empty.session().all(count) == before


def test_an_interrupted_preparation_of_a_statement_does_not_affect_later_ones(empty, monkeypatch):
    session = empty.session()
    session.all(_word, {"word": "first"})
    numbered = postgresql_prepared._check

    def interrupted(result: object) -> None:
        monkeypatch.setattr(postgresql_prepared, "_check", numbered)
        raise KeyboardInterrupt

    monkeypatch.setattr(postgresql_prepared, "_check", interrupted)
    with pytest.raises(KeyboardInterrupt):
        session.all(_number, {"number": 1})
    assert session.all(_number, {"number": 1}) == [(1,)]
