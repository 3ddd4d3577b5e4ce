"""What tests of webhooks stand on."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from webhook_world import World


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Two accounts with 1,000 credits and a secret each, five companies and five contacts."""
    monkeypatch.chdir(tmp_path)
    world = World(tmp_path)
    yield world
    world.end()
