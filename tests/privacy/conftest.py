"""Fixtures of the tests of privacy."""

import pytest

import database_fixtures
from firmograph.database.connection import Database


@pytest.fixture
def other(tmp_path):
    """Return a database on another machine with the same keys."""
    (tmp_path / "other").mkdir()
    database = Database(database_fixtures.fresh(tmp_path / "other"))
    yield database
    database.close()
    database_fixtures.drop(database.url)
