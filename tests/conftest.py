"""Fixtures of most tests: a fresh database, a keyring, a set clock, a served application.

The suite runs on SQLite and on PostgreSQL. A test that reaches no database behaves alike on both, so modules of such
tests are marked `no_database` and left out on PostgreSQL; every other test runs on both. The mark is proven: each run
on SQLite executes marked tests under `database_guard.py`, which fails a test that uses a database, or starts a process
that could. To find out whether a module may be marked, mark it and run it.
"""

import gc
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import database_fixtures
import database_guard
from firmograph.database.connection import Database
from firmograph.kit.clock import SetClock
from firmograph.kit.gc_tuning import reduce_gc_frequency
from firmograph.security.keyring import Keyring
from firmograph.settings import Settings
from index_fixtures import is_applied
from server_fixtures import Command, Server, Service, free_port
from services import postgresql

OTHER_KIND = "postgresql" if database_fixtures.EMBEDDED else "sqlite"

KEYRING = Keyring(hash="ab" * 32, tokens={1: "cd" * 32})

# every run tries the same examples, and none fails for being slow; `--hypothesis-profile=explore` tries others
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    # examples may share what a fixture made, where they leave it as it was
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("explore", settings.get_profile("repeatable"), derandomize=False, print_blob=True)
settings.load_profile("repeatable")


def pytest_configure(config):
    if database_fixtures.KIND not in ("sqlite", "postgresql"):
        pytest.exit("FIRMOGRAPH_TEST_DATABASE must be sqlite or postgresql", returncode=2)
    if not database_fixtures.EMBEDDED and postgresql.binaries() is None:
        pytest.exit("PostgreSQL is not installed. On Debian: apt-get install postgresql", returncode=2)
    config.addinivalue_line("markers", "sqlite: about the embedded database, and left out on another")
    config.addinivalue_line("markers", "postgresql: about PostgreSQL, and left out on another")
    config.addinivalue_line("markers", "no_database: reaches no database, and is left out on PostgreSQL")


def pytest_collection_modifyitems(config, items):
    """Leave out tests of a database that this run is not on, and on PostgreSQL tests that reach none."""
    left_out = {OTHER_KIND} if database_fixtures.EMBEDDED else {OTHER_KIND, "no_database"}
    others = [item for item in items if any(mark.name in left_out for mark in item.iter_markers())]
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in set(others)]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    with database_guard.guarded(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    with database_guard.guarded(item):
        return (yield)


def pytest_collection_finish():
    """Look for garbage seldom, and not among the modules and tests: it took a third of the time of most tests."""
    gc.collect()
    gc.freeze()
    reduce_gc_frequency()


def pytest_sessionfinish():
    database_fixtures.end()


def pytest_terminal_summary(terminalreporter):
    """Say in one line what was skipped for the same reason, such as a service that is not installed."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    for reason, count in reasons.items():
        terminalreporter.write_line(f"{count} skipped: {reason}")


@pytest.fixture
def database_url(tmp_path, monkeypatch) -> Iterator[str]:
    """A database with nothing but its schema. The current folder, where PostgreSQL's companions lie, is the test's."""
    monkeypatch.chdir(tmp_path)
    url = database_fixtures.fresh(tmp_path)
    yield url
    database_fixtures.drop(url)


@pytest.fixture
def database_file(database_url) -> Path:
    """The file of this test's database; for tests that are marked `sqlite`."""
    return Path(Database(database_url).path)


@pytest.fixture
def database(database_url):
    database = Database(database_url)
    yield database
    database.close()


@pytest.fixture
def empty(tmp_path):
    """A database without a schema."""
    database = Database(database_fixtures.empty(tmp_path))
    yield database
    database.close()
    database_fixtures.drop(database.url)


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

    def make(*, background: bool = False, **settings: object) -> Service:
        service = Service(database, keyring, clock, Settings(**settings), background=background)
        entered.append(service.client.__enter__())
        return service

    yield make
    for client in entered:
        client.__exit__(None, None, None)


@pytest.fixture
def service(make_service) -> Service:
    service = make_service()
    assert is_applied(service.app.state.index, 0, 30)
    return service


@pytest.fixture
def command(tmp_path, database_url) -> Command:
    return Command(tmp_path, database_url)


@pytest.fixture
def start_program():
    """Starts a program that is given as text, with its arguments; it ends with the test at the latest."""
    started = []

    def start(program, *arguments):
        command = [sys.executable, "-c", program, *map(str, arguments)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def server(command):
    """A served, empty database; a real process on a free port of the loopback."""
    server = Server(command, free_port())
    server.wait_until_ready()
    yield server
    if server.process.poll() is None:
        server.stop()
