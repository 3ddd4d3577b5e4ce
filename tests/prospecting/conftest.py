import threading

import people_fixtures
import pytest

from firmograph.accounts.service import Accounts
from firmograph.bootstrap.keyring import ensure_keyring
from firmograph.bootstrap.packages import load_plans
from firmograph.cli.import_run import DEFAULT_SOURCE
from firmograph.indexing import follower
from firmograph.indexing.follower import IndexFollower
from firmograph.ingest.preparation_process import ImportTask
from firmograph.ingest.service import import_files
from firmograph.kit.clock import SystemClock
from firmograph.security.record_ids import Entity
from firmograph.settings import Settings
from server_fixtures import Server, free_port


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory):
    """Return the service over the small directory, for tests that change nothing in it."""
    with people_fixtures.served(tmp_path_factory.mktemp("people")) as service:
        yield service


@pytest.fixture
def people(database, make_service):
    """Return the service for one test, with every change indexed."""
    people_fixtures.load(database)
    service = make_service(lookalikes=False)
    people_fixtures.wait(service)
    return service


@pytest.fixture
def key(database) -> str:
    """Return the key of an account that the servers know."""
    accounts = Accounts(database, load_plans(), SystemClock())
    accounts.create("acme", "unlimited", 0)
    return accounts.create_key("acme").api_key


@pytest.fixture
def start_servers(command):
    """Return a function that starts `count` server processes; the remaining ones are ended at the end."""
    started = []

    def start(count: int) -> list[Server]:
        begun = [Server(command, free_port(), FIRMOGRAPH_LOOKALIKES="false") for _ in range(count)]
        started.extend(begun)
        for server in begun:
            server.wait_until_ready()
        return begun

    yield start
    for server in started:
        if server.process.poll() is None:
            server.stop()


@pytest.fixture
def import_people(database, tmp_path):
    """Return a function that imports a file of contacts as the command does, with the keyring next to the database."""
    settings = Settings(database_url=database.url)

    def run(path: str) -> None:
        keyring = ensure_keyring(settings, database)
        job = ImportTask(entity=Entity.CONTACT, paths=[path], source=DEFAULT_SOURCE, keyring=keyring)
        import_files(database, job, SystemClock(), lambda *_: None, lambda *_: None)

    return run


@pytest.fixture
def lagging(database, make_service, monkeypatch):
    """Return the same service with an index that stops following once it has indexed all records."""
    done = threading.Event()
    begun = IndexFollower.step

    def step(self) -> bool:
        more = begun(self)
        if not more and self._database is database:
            done.set()
        return more

    monkeypatch.setattr(follower, "POLL_SECONDS", 3_600.0)
    monkeypatch.setattr(IndexFollower, "step", step)
    people_fixtures.load(database)
    service = make_service(lookalikes=False)
    assert done.wait(60)
    people_fixtures.wait(service)
    return service
