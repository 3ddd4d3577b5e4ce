import pytest
from account_world import World


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path)
    yield world
    world.database.close()
