"""Databases whose people are suppressed; a module that uses them has a function `prepared` which fills one."""

import json

import pytest
from typer.testing import CliRunner

import database_fixtures
from firmograph.cli.main import app
from firmograph.database.connection import Database
from suppression_factory import suppression_of


@pytest.fixture
def held(request, database):
    return request.module.prepared(database)


@pytest.fixture
def other(request, tmp_path):
    """The database of another machine with the same keys."""
    (tmp_path / "other").mkdir()
    database = Database(database_fixtures.fresh(tmp_path / "other"))
    yield request.module.prepared(database)
    database.close()
    database_fixtures.drop(database.url)


@pytest.fixture
def suppress(held, clock):
    suppression = suppression_of(held, clock)
    return lambda **by: suppression.suppress(suppression.person(**by))


@pytest.fixture
def unsuppress(held, clock):
    suppression = suppression_of(held, clock)
    return lambda **by: suppression.unsuppress(suppression.person(**by))


@pytest.fixture
def commands(database_url, monkeypatch):
    """Runs a command of `firmograph` in this process, on this test's database; what it says as JSON."""
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", database_url)

    def run(*words):
        done = CliRunner().invoke(app, [*words, "--json"])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    return run
