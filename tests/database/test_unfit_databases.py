"""PostgreSQL databases that could not hold every text, and transactions that would not be whole."""

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
    """Makes an empty database of an encoding; its URL."""
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
def test_a_database_that_cannot_hold_every_text_is_refused_with_how_to_make_one_that_can(encoded, encoding):
    database = Database(encoded(encoding))
    with pytest.raises(Refused, match=f"encoding is {encoding}; make it with: createdb --encoding=UTF8"):
        database.session().tables()
    database.close()


def test_texts_are_whole_whatever_the_encoding_that_the_environment_asks_for(empty, monkeypatch):
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    assert empty.session().all(_word, {"word": "Żółć 名"}) == [("Żółć 名",)]


@pytest.mark.parametrize("inner", ["read", "write"])
def test_a_transaction_within_another_is_refused_and_the_outer_one_is_still_all_or_nothing(empty, inner):
    things(empty)
    held = empty.session().all(count)

    def both() -> None:
        with empty.write(RECORDS) as session:
            session.execute(put, (200, "outer"))
            with empty.read() if inner == "read" else empty.write(ACCOUNTS):
                pass

    with pytest.raises(RuntimeError, match="within"):
        both()
    assert empty.session().all(count) == held


def test_a_statement_whose_preparation_was_interrupted_does_not_stop_those_after_it(empty, monkeypatch):
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
