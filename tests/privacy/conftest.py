"""Fixtures of the tests of privacy."""

from collections.abc import Iterator

import pytest
from planted_person import fill

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


@pytest.fixture(scope="session")
def filled(tmp_path_factory) -> Iterator[str]:
    """Return the URL of a database with the planted person."""
    folder = tmp_path_factory.mktemp("filled")
    url = database_fixtures.fresh(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        fill(folder, url)
    yield url
    database_fixtures.drop(url)
