"""Lists as array parameters of the server."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import database_fixtures
from firmograph.database.connection import Database
from firmograph.database.postgresql_arrays import encode_array

pytestmark = pytest.mark.postgresql

numbers = st.integers(-(2**63), 2**63 - 1)
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


@pytest.fixture(scope="module")
def connection(tmp_path_factory):
    database = Database(database_fixtures.empty(tmp_path_factory.mktemp("arrays")))
    yield database.session().raw
    database.close()
    database_fixtures.drop(database.url)


@given(values=st.one_of(st.lists(kind, min_size=1) for kind in (numbers, st.binary(), texts)))
def test_a_list_arrives_unchanged(connection, values):
    assert connection.execute("SELECT %s", [encode_array(values)], binary=True).fetchone() == (values,)


def test_any_iterable_is_a_list(connection):
    assert connection.execute("SELECT %s", [encode_array({1: "a", 2: "b"}.keys())]).fetchone() == ([1, 2],)


@pytest.mark.parametrize("kind", ["bigint", "integer", "bytea", "text"])
def test_an_empty_list_is_of_any_type(connection, kind):
    found = connection.execute(f"SELECT NULL::{kind} = ANY(%s)", [encode_array([])]).fetchone()
    assert found == (False,)


def test_wide_numbers_match_columns_of_fewer_bits(connection):
    assert connection.execute("SELECT 5::smallint = ANY(%s)", [encode_array([5, 2**40])]).fetchone() == (
        True,
    )
