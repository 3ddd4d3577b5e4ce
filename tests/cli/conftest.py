"""A database that `firmograph prospect` finds people and companies in."""

from pathlib import Path

import pytest
from prospect_command import Run, runner, stock


@pytest.fixture(scope="session")
def stocked(tmp_path_factory, prepared_file) -> Path:
    """A database with these people and companies, and no checkpoint yet."""
    database = tmp_path_factory.mktemp("stocked") / "firmograph.db"
    database.write_bytes(prepared_file)
    stock(database)
    return database


@pytest.fixture(scope="session")
def run(stocked) -> Run:
    """Runs `firmograph prospect` with these words."""
    return runner(stocked)
