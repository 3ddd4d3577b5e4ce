"""A database with people and companies for `firmograph prospect`."""

from collections.abc import Iterator

import pytest
from prospect_command import Run, Stocked, runner, stock

import database_fixtures


@pytest.fixture(scope="session")
def stocked(tmp_path_factory) -> Iterator[Stocked]:
    """Return a database with these people and companies, without a checkpoint."""
    folder = tmp_path_factory.mktemp("stocked")
    stocked = Stocked(database_fixtures.fresh(folder), folder)
    stock(stocked)
    yield stocked
    database_fixtures.drop(stocked.url)


@pytest.fixture(scope="session")
def run(stocked) -> Run:
    """Return a function that runs `firmograph prospect` with these arguments."""
    return runner(stocked)
