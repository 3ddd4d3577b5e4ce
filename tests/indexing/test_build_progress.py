"""Log events while an index is built."""

import pytest
from structlog.testing import capture_logs

from firmograph.indexing.active_index import ActiveIndex
from firmograph.indexing.build_progress import BuildProgress
from firmograph.indexing.checkpoints import StopRequested
from firmograph.kit.errors import Loading

pytestmark = pytest.mark.no_database


@pytest.fixture
def index():
    return ActiveIndex()


def test_building_is_logged_at_the_start_at_the_end_and_each_minute(index, clock):
    with capture_logs() as logs, BuildProgress("search", index, clock, 50_000, lambda: False) as progress:
        for done in range(0, 600_001, 6_000):
            progress.report(done, 600_000)
            assert index.build_progress == (done, 600_000)
            clock.advance(1.5)
    assert index.build_progress is None
    lines = [(line["event"], line.get("done")) for line in logs]
    assert lines == [
        ("building the search index from the records", 0),
        ("building the search index from the records", 240_000),
        ("building the search index from the records", 480_000),
        ("search index built", None),
    ]


def test_building_a_small_index_is_not_logged(index, clock):
    with capture_logs() as logs, BuildProgress("search", index, clock, 50_000, lambda: False) as progress:
        progress.report(50_000, 50_000)
    assert logs == []


def test_a_stopped_build_ends_and_is_not_logged_as_done(index, clock):
    with (
        capture_logs() as logs,
        pytest.raises(StopRequested),
        BuildProgress("search", index, clock, 0, lambda: True) as progress,
    ):
        progress.report(1, 2)
    assert (logs, index.build_progress) == ([], None)


def test_a_call_during_a_build_hears_how_long_it_still_takes(index, clock):
    with BuildProgress("search", index, clock, 50_000, lambda: False) as progress:
        progress.report(0, 40_000)
        with pytest.raises(Loading, match="Try again shortly"):
            _ = index.current
        clock.advance(3)
        progress.report(10_000, 40_000)
        with pytest.raises(Loading, match="Try again in about 9 s") as refused:
            _ = index.current
        assert refused.value.headers() == {"retry-after": "9"}
    assert index.seconds_left is None
