"""The database of tests that import in this process.

On PostgreSQL, where creating one takes longer than most tests, those of a module share one that is emptied before each.
A SQLite file is a test's own: it is soon copied, and some tests look for traces of deleted rows in its bytes.
"""

import pytest

import database_fixtures
from emptied_database import empty_tables
from firmograph.database.connection import Database


@pytest.fixture
def database(request, tmp_path, monkeypatch):
    """Return a database with the schema alone. A test that asks for `database_url` too has one of its own."""
    if database_fixtures.EMBEDDED or "database_url" in request.fixturenames:
        database = Database(request.getfixturevalue("database_url"))
        yield database
        database.close()
        return
    database = request.getfixturevalue("shared_database")
    monkeypatch.chdir(tmp_path)
    empty_tables(database)
    yield database
