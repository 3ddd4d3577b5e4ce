import pytest

from firmograph.kit.database import Database
from firmograph.schema import prepare


@pytest.fixture
def database(tmp_path):
    """An empty database file with its schema."""
    database = Database(f"sqlite:///{tmp_path}/firmograph.db")
    prepare(database)
    yield database
    database.close()
