"""A database that `firmograph prospect` finds people and companies in."""

from collections.abc import Iterator

import pytest
from prospect_command import Run, Stocked, runner, stock

import database_fixtures


@pytest.fixture(scope="session")
def stocked(tmp_path_factory) -> Iterator[Stocked]:
    """A database with these people and companies, and no checkpoint yet."""
    folder = tmp_path_factory.mktemp("stocked")
    stocked = Stocked(database_fixtures.fresh(folder), folder)
    stock(stocked)
    yield stocked
    database_fixtures.drop(stocked.url)


@pytest.fixture(scope="session")
def run(stocked) -> Run:
    """Runs `firmograph prospect` with these words."""
    return runner(stocked)
