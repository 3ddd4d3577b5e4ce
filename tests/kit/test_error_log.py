import pytest
import structlog
from structlog.testing import capture_logs

from firmograph.kit.error_log import ErrorLog
from firmograph.kit.errors import Busy

pytestmark = pytest.mark.no_database

TEXTS = {"waiting": "waiting", "failed": "failed", "recovered": "recovered"}


def test_a_repeating_failure_is_logged_once_and_so_is_its_recovery():
    now = 100.0
    errors = ErrorLog(structlog.get_logger(), **TEXTS, quiet_seconds=30, monotonic=lambda: now)
    with capture_logs() as logs:
        for _ in range(5):
            errors.failed(OSError("no files left"), part="send")
            now += 1
            errors.recovered(part="send")
        assert [line["event"] for line in logs] == ["failed"]
        now += 29
        errors.recovered(part="send")
        errors.recovered(part="send")
        assert [line["event"] for line in logs] == ["failed", "recovered"]
        errors.failed(OSError("no files left"), part="send")
    assert len(logs) == 3


def test_another_failure_of_the_same_part_is_logged_and_other_parts_have_their_own():
    errors = ErrorLog(structlog.get_logger(), **TEXTS)
    with capture_logs() as logs:
        errors.failed(Busy(), part="cycle")
        errors.failed(ValueError(), part="cycle")
        errors.failed(ValueError(), part="fan-out")
        errors.recovered(part="claim")
    assert [line["event"] for line in logs] == ["waiting", "failed", "failed"]
