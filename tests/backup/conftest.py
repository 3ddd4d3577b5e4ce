from collections.abc import Iterator

import pytest
from installation import Installation


@pytest.fixture
def make_installation(tmp_path, monkeypatch):
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


@pytest.fixture
def file(tmp_path):
    return tmp_path / "daily.backup"
