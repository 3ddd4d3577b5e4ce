import pytest
from person_tables import company_table, people, people_table

from account_fixtures import World, world
from program_fixtures import quick_programs

__all__ = ["company_table", "people", "people_table", "quick_programs", "world"]


@pytest.fixture(scope="module")
def shared_world(tmp_path_factory):
    """Return a world that the tests of a module share, each with tables of accounts of its own."""
    world = World(tmp_path_factory.mktemp("world"))
    yield world
    world.end()
