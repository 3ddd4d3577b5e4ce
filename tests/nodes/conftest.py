import pytest
from node_fixtures import Nodes

from services.postgresql import PostgreSQL


@pytest.fixture
def own_postgresql():
    """A PostgreSQL that the test may stop and kill: it keeps what it committed."""
    server = PostgreSQL(careful=True).start()
    yield server
    server.remove()


@pytest.fixture
def fragile_nodes(tmp_path, own_postgresql):
    """Nodes on a PostgreSQL that will be stopped and killed."""
    nodes = Nodes(tmp_path, own_postgresql.create("firmograph"))
    yield nodes
    nodes.end()
