"""A database with its imports."""

import pytest
from undo_world import World


@pytest.fixture
def world(database, tmp_path):
    return World(database, tmp_path)
