"""Fixtures of the webhook tests."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from queue_fixtures import QueueWorld
from webhook_api import Api
from webhook_fixtures import World

from firmograph.database import postgresql, sqlite
from program_fixtures import quick_programs  # noqa: F401


@pytest.fixture
def long_lock_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the time that connections wait for a writer. Request this fixture before the database."""
    monkeypatch.setattr(sqlite, "WRITER_WAIT_SECONDS", 60.0)
    monkeypatch.setitem(postgresql._SETTINGS, "lock_timeout", "60s")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Create two accounts with 1,000 credits and a secret each, five companies and five contacts."""
    monkeypatch.chdir(tmp_path)
    world = World(tmp_path)
    yield world
    world.end()


@pytest.fixture
def make_api(world: World) -> Iterator[Callable[..., Api]]:
    """Return a function that creates the service of the world with these settings."""
    clients = []

    def make(**settings: object) -> Api:
        api = Api(world, **settings)
        clients.append(api.service.client.__enter__())
        return api

    yield make
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture
def own_api(make_api: Callable[..., Api]) -> Api:
    """Return the service of the test's own world, whose clock and records it may change."""
    return make_api()


@pytest.fixture(scope="module")
def shared_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """Return the service of a world that the tests of a module share."""
    folder = tmp_path_factory.mktemp("shared-world")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        world = World(folder)
        api = Api(world)
        with api.service.client:
            yield api
        world.end()


@pytest.fixture
def api(shared_api: Api) -> Api:
    """Return the shared service with two accounts of this test."""
    return shared_api.with_new_accounts()


@pytest.fixture
def queues(world: World) -> QueueWorld:
    """Return the queues of two workers."""
    return QueueWorld(world)
