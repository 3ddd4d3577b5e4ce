"""Fixtures of most tests: a fresh database, a keyring, a fixed clock, a served application.

The suite runs on SQLite and on PostgreSQL. Two marks leave tests out on PostgreSQL; CONTRIBUTING.md has their rules.
`no_database` is for tests that reach no database and start no process that could: each run on SQLite executes them
under `database_guard.py`, which fails a test that does. `any_database` is for tests of what lies above the stores.
To find out whether a module may be marked `no_database`, mark it and run it.
"""

import gc
import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

import database_fixtures
import database_guard
import selection
from command_fixtures import InProcess
from effort import THOROUGH
from firmograph.database.connection import Database
from firmograph.kit.clock import SetClock
from firmograph.kit.gc_tuning import reduce_gc_frequency
from firmograph.prospecting.engines.factory import ServedSearch
from firmograph.security.keyring import Keyring
from firmograph.settings import Settings
from forked_workers import forked_workers  # noqa: F401
from index_fixtures import is_applied
from next_release import become_next_release
from process_server import LoadedProcess
from server_fixtures import Command, Server, Service, free_port
from services import postgresql

# modules and tests are many objects that all stay: `pytest_collection_finish` collects once
gc.disable()

OTHER_KIND = "postgresql" if database_fixtures.EMBEDDED else "sqlite"

KEYRING = Keyring(hash="ab" * 32, tokens={1: "cd" * 32})

_SLOW_WEIGHT = 20
"""Tests of usual length that take as long as a slow one."""

# every run tries the same examples, and none fails for being slow; `--hypothesis-profile=explore` tries others
settings.register_profile(
    "repeatable",
    max_examples=100 if THOROUGH else 25,
    derandomize=True,
    deadline=None,
    # examples may share a fixture's result that they do not change
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
    config.addinivalue_line(
        "markers", "any_database: about what lies above the stores, and left out on PostgreSQL"
    )
    config.addinivalue_line(
        "markers", "slow(mechanism, *subjects): run if a subject changed, or as the first of its mechanism"
    )
    config.addinivalue_line(
        "markers", "folders(*names): about folders outside the package, run if they changed"
    )


_ALIKE = re.compile(r"^pytestmark = .*(no_database|any_database)", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out modules that PostgreSQL does not change, without the time of loading them."""
    is_test = collection_path.suffix == ".py" and collection_path.name.startswith("test_")
    return (
        True
        if is_test and not database_fixtures.EMBEDDED and _ALIKE.search(collection_path.read_text())
        else None
    )


def pytest_make_parametrize_id(val, argname):
    """Name bytes by their parameter: packed ones have the time in them, and all processes must give one name."""
    return argname if isinstance(val, bytes) else None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Let each process collect the folders in another order, so that each compiles other modules for all of them."""
    report = yield
    if collector.path == Path(__file__).parent and isinstance(collector, pytest.Dir):
        worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        first = len(report.result) * worker // workers
        report.result[:] = [*report.result[first:], *report.result[:first]]
    return report


def pytest_collection_modifyitems(config, items):
    """Leave out tests of the database that this run does not use, and on PostgreSQL tests that it tells nothing."""
    items.sort(key=lambda item: item.path)
    database_guard.refuse_statements(items)
    alike = {"no_database", "any_database"}
    excluded = {OTHER_KIND} if database_fixtures.EMBEDDED else {OTHER_KIND, *alike}
    deselected = [item for item in items if any(mark.name in excluded for mark in item.iter_markers())]
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        items[:] = [item for item in items if item not in set(deselected)]
    selection.deselect(config, items)
    _put_long_modules_first(items)


def _put_long_modules_first(items):
    """Order modules by their slow tests, then by size: a process takes whole modules, and the last ones end alone."""
    weights = Counter()
    for item in items:
        weights[item.path] += _SLOW_WEIGHT if item.get_closest_marker("slow") else 1
    items.sort(key=lambda item: -weights[item.path])


def pytest_runtest_protocol(item, nextitem):
    """Let side-by-side processes report a test once: sending its six events takes longer than most tests.

    With `--durations`, which lists setups and teardowns too, they report all.
    """
    if not hasattr(item.config, "workerinput") or item.config.option.durations is not None:
        return None
    for report in runtestprotocol(item, nextitem=nextitem, log=False):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    with database_guard.guarded(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    with database_guard.guarded(item):
        return (yield)


def pytest_collection_finish():
    """Collect garbage rarely and freeze modules and tests: collection took a third of the time of most tests."""
    gc.freeze()
    gc.enable()
    reduce_gc_frequency()


def pytest_sessionfinish():
    database_fixtures.end()


def pytest_terminal_summary(terminalreporter):
    """Print one line for tests skipped for the same reason, such as a missing service."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    for reason, count in reasons.items():
        terminalreporter.write_line(f"{count} skipped: {reason}")


@pytest.fixture
def database_url(tmp_path, monkeypatch) -> Iterator[str]:
    """Return the URL of a database with the schema alone.

    The current folder, which holds PostgreSQL's companion files, is the test's.
    """
    monkeypatch.chdir(tmp_path)
    url = database_fixtures.fresh(tmp_path)
    yield url
    database_fixtures.drop(url)


@pytest.fixture
def database_file(database_url) -> Path:
    """Return the file of this test's database, for tests marked `sqlite`."""
    return Path(Database(database_url).path)


@pytest.fixture
def database(database_url):
    database = Database(database_url)
    yield database
    database.close()


@pytest.fixture
def empty(tmp_path):
    """Return a database without a schema."""
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
    """Return a function that makes the application with given settings, on this test's database."""
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
    assert is_applied(service.installation.get(ServedSearch).active, 0, 30)
    return service


@pytest.fixture(scope="module")
def shared_database(tmp_path_factory):
    """Return a database that the tests of a module share.

    Each has accounts of its own there. Tests that change what accounts share have `database`.
    """
    folder = tmp_path_factory.mktemp("shared")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        database = Database(database_fixtures.fresh(folder, "shared"))
        yield database
        database.close()
        database_fixtures.drop(database.url)


@pytest.fixture(scope="module")
def make_shared_service(shared_database):
    """Return a function that makes an application with given settings on the module's database."""
    entered = []

    def make(**settings: object) -> Service:
        service = Service(shared_database, KEYRING, SetClock(), Settings(**settings))
        entered.append(service.client.__enter__())
        return service

    yield make
    for client in entered:
        client.__exit__(None, None, None)


@pytest.fixture(scope="module")
def shared_service(make_shared_service) -> Service:
    """Return an application that the tests of a module share; `with_account` gives each test its own account."""
    service = make_shared_service()
    assert is_applied(service.installation.get(ServedSearch).active, 0, 30)
    return service


@pytest.fixture
def command(tmp_path, database_url) -> Command:
    return Command(tmp_path, database_url)


@pytest.fixture
def in_process(tmp_path, database_url) -> InProcess:
    """Return the command line in this process."""
    return InProcess(tmp_path, database_url)


@pytest.fixture
def next_release(monkeypatch, tmp_path):
    """Return a function that makes this process one of the next release, with one migration more."""
    return lambda: become_next_release(monkeypatch, tmp_path)


@pytest.fixture
def start_program():
    """Return a function that starts a program text with arguments; it ends with the test at the latest."""
    started = []

    def start(program, *arguments):
        command = ["-c", program, *map(str, arguments)]
        started.append(LoadedProcess(command, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def server(command):
    """Return a served, empty database: a real process on a free port of the loopback interface."""
    server = Server(command, free_port())
    server.wait_until_ready()
    yield server
    if server.process.poll() is None:
        server.stop()
