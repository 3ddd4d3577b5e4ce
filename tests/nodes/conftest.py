import pytest
from node_fixtures import Nodes

from services.postgresql import PostgreSQL


@pytest.fixture
def own_postgresql():
    """Start a PostgreSQL server that the test may stop and kill; committed data survive."""
    server = PostgreSQL(durable=True).start()
    yield server
    server.remove()


@pytest.fixture
def fragile_nodes(tmp_path, own_postgresql):
    """Start nodes on a PostgreSQL server that the test stops or kills."""
    nodes = Nodes(tmp_path, own_postgresql.create("firmograph"))
    yield nodes
    nodes.end()
