import pytest

from account_fixtures import World, world

__all__ = ["world"]


@pytest.fixture
def thirty_days(tmp_path):
    """Return a world in which a unit stays paid for thirty days."""
    world = World(tmp_path, repeat_reveal_days=30)
    yield world
    world.end()
