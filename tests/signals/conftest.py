"""Services shared by the read-only tests of a module."""

from contextlib import ExitStack

import pytest

import database_fixtures
from firmograph.database.connection import Database
from firmograph.kit.clock import SetClock
from firmograph.settings import Settings
from record_factory import KEYRING
from server_fixtures import Service


@pytest.fixture(scope="module")
def make_shared_service(tmp_path_factory):
    """Return a function that starts a service with these settings on a new database."""
    with ExitStack() as stack:

        def make(**settings):
            folder = tmp_path_factory.mktemp("shared")
            database = Database(database_fixtures.fresh(folder))
            stack.callback(database_fixtures.drop, database.url)
            stack.callback(database.close)
            shared = Settings(search_folder=str(folder), **settings)
            service = Service(database, KEYRING, SetClock(), shared, background=False)
            stack.enter_context(service.client)
            return service

        yield make


@pytest.fixture(scope="module")
def shared_service(make_shared_service):
    return make_shared_service()
