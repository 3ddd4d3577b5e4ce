"""What the log says while an index is made."""

import pytest
from structlog.testing import capture_logs

from firmograph.prospecting.engines.memory.build_progress import Making
from firmograph.prospecting.engines.memory.checkpoints import Stopped
from firmograph.prospecting.indexing.active_engine import Index

pytestmark = pytest.mark.no_database


@pytest.fixture
def index():
    return Index()


def test_the_log_has_a_line_at_the_start_at_the_end_and_each_minute(index, clock):
    with capture_logs() as logs, Making(index, clock, 50_000, lambda: False) as making:
        for done in range(0, 600_001, 6_000):
            making.note(done, 600_000)
            assert index.making == (done, 600_000)
            clock.advance(1.5)
    assert index.making is None
    lines = [(line["event"], line.get("done")) for line in logs]
    assert lines == [
        ("the search index is being made from the records", 0),
        ("the search index is being made from the records", 240_000),
        ("the search index is being made from the records", 480_000),
        ("the search index is made", None),
    ]


def test_the_making_of_a_small_index_is_not_logged(index, clock):
    with capture_logs() as logs, Making(index, clock, 50_000, lambda: False) as making:
        making.note(50_000, 50_000)
    assert logs == []


def test_what_is_to_stop_stops_and_is_not_called_made(index, clock):
    with capture_logs() as logs, pytest.raises(Stopped), Making(index, clock, 0, lambda: True) as making:
        making.note(1, 2)
    assert (logs, index.making) == ([], None)
