import psycopg
import pytest
from node_fixtures import Nodes

from services.postgresql import PostgreSQL


@pytest.fixture(scope="module")
def stoppable_postgresql():
    """Start a PostgreSQL server that tests stop and kill; committed data survive."""
    server = PostgreSQL(durable=True).start()
    yield server
    server.remove()


@pytest.fixture(scope="module")
def stoppable_nodes(tmp_path_factory, stoppable_postgresql):
    return Nodes(tmp_path_factory.mktemp("nodes"), stoppable_postgresql.create("firmograph"))


@pytest.fixture
def own_postgresql(stoppable_postgresql):
    """Return a PostgreSQL server that the test may stop and kill; it runs again for the next one."""
    yield stoppable_postgresql
    try:
        stoppable_postgresql.connect("postgres").close()
    except psycopg.OperationalError:
        stoppable_postgresql.start()


@pytest.fixture
def fragile_nodes(own_postgresql, stoppable_nodes):
    """Return nodes of the test on a PostgreSQL server that it stops or kills."""
    nodes = stoppable_nodes.with_account()
    yield nodes
    nodes.end()
