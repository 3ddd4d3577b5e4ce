"""Applications that many tests ask, none of which changes anything of what others ask."""

from contextlib import ExitStack

import pytest

import database_fixtures
from firmograph.database.connection import Database
from firmograph.kit.clock import SetClock
from firmograph.settings import Settings
from record_factory import KEYRING
from server_fixtures import Service


@pytest.fixture(scope="module")
def make_reading(tmp_path_factory):
    """Makes one with the settings given, over a database of the module's own."""
    with ExitStack() as ends:

        def make(**settings):
            folder = tmp_path_factory.mktemp("reading")
            database = Database(database_fixtures.fresh(folder))
            ends.callback(database_fixtures.drop, database.url)
            ends.callback(database.close)
            asked = Settings(search_folder=str(folder), **settings)
            service = Service(database, KEYRING, SetClock(), asked, background=False)
            ends.enter_context(service.client)
            return service

        yield make


@pytest.fixture(scope="module")
def reading(make_reading):
    return make_reading()
