"""Databases whose people are suppressed; a module using them defines `prepared`, which fills one."""

import json

import pytest
from typer.testing import CliRunner

import database_fixtures
from firmograph.cli.main import app
from firmograph.database.connection import Database
from suppression_factory import suppression_of


@pytest.fixture
def filled(request, database):
    return request.module.prepared(database)


@pytest.fixture
def other(request, tmp_path):
    """Return the database of another machine with the same keys, filled alike."""
    (tmp_path / "other").mkdir()
    database = Database(database_fixtures.fresh(tmp_path / "other"))
    yield request.module.prepared(database)
    database.close()
    database_fixtures.drop(database.url)


@pytest.fixture
def suppress(filled, clock):
    suppression = suppression_of(filled, clock)
    return lambda **by: suppression.suppress(suppression.person(**by))


@pytest.fixture
def unsuppress(filled, clock):
    suppression = suppression_of(filled, clock)
    return lambda **by: suppression.unsuppress(suppression.person(**by))


@pytest.fixture
def commands(database, monkeypatch):
    """Return a function that runs a `firmograph` command on this test's database and returns its JSON."""
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", database.url)

    def run(*words):
        done = CliRunner().invoke(app, [*words, "--json"])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    return run
