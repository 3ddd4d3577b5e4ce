"""The log of an outage that many threads and processes meet."""

import pytest
import structlog
from structlog.testing import capture_logs

from firmograph.kit import outage
from firmograph.kit.outage import Outage, log_outages

pytestmark = pytest.mark.no_database

LOST = "the database cannot be reached; work resumes by itself once it can"
BACK = "the database is reached again"


@pytest.fixture(autouse=True)
def _process(monkeypatch):
    monkeypatch.setattr(outage._Log, "is_on", False)
    monkeypatch.setattr(outage._Log, "folder", None)
    # a logger that another test has bound does not reach the captured ones
    monkeypatch.setattr(outage, "log", structlog.get_logger())


def logged(*steps):
    with capture_logs() as lines:
        for step in steps:
            step()
    return [line["event"] for line in lines]


def lose(one, ended=None):
    return lambda: one.begin(one.ended if ended is None else ended, OSError())


def test_an_outage_that_many_meet_is_one_line_and_one_when_it_is_over():
    log_outages()
    one = Outage()
    assert logged(*[lose(one)] * 5, *[one.end] * 3) == [LOST, BACK]
    assert logged(lose(one), one.end) == [LOST, BACK]


def test_a_connection_from_before_an_outage_begins_no_other_when_it_is_found_lost():
    log_outages()
    one = Outage()
    assert logged(lose(one, 0), one.end, lose(one, 0), one.end) == [LOST, BACK]


def test_a_process_without_a_log_logs_nothing():
    one = Outage()
    assert logged(lose(one), one.end) == []


def test_processes_of_one_server_log_an_outage_once_together(tmp_path):
    log_outages(str(tmp_path))
    processes = [Outage() for _ in range(3)]
    for _ in range(2):
        steps = [*map(lose, processes), *(each.end for each in processes)]
        assert logged(*steps) == [LOST, BACK]


def test_an_outage_at_the_end_of_a_server_is_not_logged(tmp_path):
    log_outages(str(tmp_path / "removed"))
    one = Outage()
    assert logged(lose(one), one.end) == []
