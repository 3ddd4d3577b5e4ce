from collections.abc import Iterator
from pathlib import Path

import pytest
from installation import Installation
from killed_commands import KilledCommands

from program_fixtures import quick_programs

__all__ = ["quick_programs"]


@pytest.fixture(scope="module", autouse=True)
def found_programs(quick_programs):
    """Find the programs quickly in every test of backups."""


@pytest.fixture
def make_installation(tmp_path):
    installations = []

    def make(name: str, **options: object) -> Installation:
        installations.append(Installation(tmp_path / name, **options))
        return installations[-1]

    yield make
    for each in installations:
        each.end()


@pytest.fixture
def installation(make_installation) -> Installation:
    """Create an installation for backups."""
    return make_installation("source")


@pytest.fixture
def new_machine(make_installation) -> Iterator[Installation]:
    """Create an empty installation without keys."""
    return make_installation("new", keyring=None)


@pytest.fixture(scope="module")
def origin(request, tmp_path_factory):
    """Return an installation filled by the module's `fill`, which tests only read, back up and copy."""
    origin = Installation(tmp_path_factory.mktemp("origin") / "source")
    request.module.fill(origin)
    yield origin
    origin.end()


@pytest.fixture(scope="module")
def backup_file(origin) -> Path:
    """Return a backup of the origin."""
    return origin.back_up(origin.folder / "origin.backup")


@pytest.fixture
def filled(make_installation, origin) -> Installation:
    """Return a copy of the origin, with its identity, that a test may change."""
    return make_installation("filled", origin=origin)


@pytest.fixture
def killed_commands(filled) -> Iterator[KilledCommands]:
    """Return the commands of the filled installation, in processes that can be killed."""
    commands = KilledCommands(filled)
    yield commands
    commands.parent.communicate(timeout=60)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "daily.backup"
