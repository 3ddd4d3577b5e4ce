from collections.abc import Iterator
from pathlib import Path

import pytest
from release import Release


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Release]:
    monkeypatch.chdir(tmp_path)
    release = Release(tmp_path)
    yield release
    release.end()
