"""What most tests stand on: a fresh database file, a keyring, a clock that stands still, a served application."""

from pathlib import Path

import pytest

from firmograph.kit.clock import SetClock
from firmograph.kit.database import Database
from firmograph.kit.keyring import Keyring
from firmograph.schema import prepare
from firmograph.settings import Settings
from running import Command, Server, Service, free_port

KEYRING = Keyring(hash="ab" * 32, tokens={1: "cd" * 32})


@pytest.fixture(scope="session")
def prepared_file(tmp_path_factory) -> bytes:
    """The bytes of a database with nothing but its schema: migrating once is enough."""
    path = tmp_path_factory.mktemp("prepared") / "empty.db"
    database = Database(f"sqlite:///{path}")
    prepare(database)
    database.session().raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return path.read_bytes()


@pytest.fixture
def database_file(tmp_path, prepared_file) -> Path:
    path = tmp_path / "firmograph.db"
    path.write_bytes(prepared_file)
    return path


@pytest.fixture
def database(database_file):
    database = Database(f"sqlite:///{database_file}")
    yield database
    database.close()


@pytest.fixture
def keyring() -> Keyring:
    return KEYRING


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def make_service(database, keyring, clock):
    """Makes the application with the settings given, on this test's database."""
    entered = []

    def make(**settings: object) -> Service:
        service = Service(database, keyring, clock, Settings(**settings))
        entered.append(service.client.__enter__())
        return service

    yield make
    for client in entered:
        client.__exit__(None, None, None)


@pytest.fixture
def service(make_service) -> Service:
    service = make_service()
    assert service.app.state.index.wait_until(0, 30)
    return service


@pytest.fixture
def command(tmp_path, database_file) -> Command:
    return Command(tmp_path, database_file)


@pytest.fixture
def server(command):
    """A served, empty database; a real process on a free port of the loopback."""
    server = Server(command, free_port())
    server.wait_until_ready()
    yield server
    if server.process.poll() is None:
        server.stop()
