"""Databases without tables: on PostgreSQL one for a module, as creating one takes longer than most of these tests."""

from pathlib import Path

import pytest

import database_fixtures
from firmograph.database.connection import Database


@pytest.fixture
def empty(request, tmp_path):
    """Return a database without a schema."""
    if database_fixtures.EMBEDDED:
        database = Database(database_fixtures.empty(tmp_path))
    else:
        database = Database(request.getfixturevalue("_module_url"))
        for statement in ("DROP SCHEMA public CASCADE", "CREATE SCHEMA public"):
            database.session().raw.execute(statement)
    yield database
    database.close()


@pytest.fixture(scope="module")
def _module_url():
    url = database_fixtures.empty(Path())
    yield url
    database_fixtures.drop(url)
