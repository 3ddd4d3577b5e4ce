"""Databases whose people are suppressed; a module that uses them has a function `prepared` which fills one."""

import pytest

import databases
from firmograph.kit.database import Database
from suppressing import suppression_of


@pytest.fixture
def held(request, database):
    return request.module.prepared(database)


@pytest.fixture
def other(request, tmp_path):
    """The database of another machine with the same keys."""
    (tmp_path / "other").mkdir()
    database = Database(databases.fresh(tmp_path / "other"))
    yield request.module.prepared(database)
    database.close()
    databases.drop(database.url)


@pytest.fixture
def suppress(held, clock):
    suppression = suppression_of(held, clock)
    return lambda **by: suppression.suppress(suppression.person(**by))


@pytest.fixture
def unsuppress(held, clock):
    suppression = suppression_of(held, clock)
    return lambda **by: suppression.unsuppress(suppression.person(**by))
