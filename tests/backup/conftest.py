from collections.abc import Iterator

import pytest
from installation import Installation


@pytest.fixture
def make_installation(tmp_path, monkeypatch):
    made = []

    def make(name: str, **options: object) -> Installation:
        made.append(Installation(tmp_path / name, **options))
        return made[-1]

    yield make
    for each in made:
        each.end()


@pytest.fixture
def here(make_installation) -> Installation:
    """Where backups are made."""
    return make_installation("here")


@pytest.fixture
def there(make_installation) -> Iterator[Installation]:
    """A new machine."""
    return make_installation("there", keyring=None)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "kept.backup"
