import pytest

from account_fixtures import World, world
from firmograph.bootstrap.packages import load_plans

__all__ = ["world"]


@pytest.fixture
def thirty_days(tmp_path):
    """Return a world in which a unit stays paid for thirty days."""
    world = World(tmp_path, repeat_reveal_days=30)
    yield world
    world.end()


@pytest.fixture
def monthly(tmp_path):
    """Return a world with the plans `expiring` and `staying`, of 100 credits a month each."""
    file = tmp_path / "plans.toml"
    file.write_text(
        """
        [plans.expiring]
        minute = 100
        day = 1000
        credits_per_month = 100
        [plans.staying]
        minute = 100
        day = 1000
        credits_per_month = 100
        unused = "stay"
        """
    )
    world = World(tmp_path, plans=load_plans(str(file)))
    yield world
    world.end()
