import pytest
from structlog.testing import capture_logs

from firmograph.kit.errors import Busy
from firmograph.webhooks.deliveries.worker_cycle import RECOVERED_SECONDS, ErrorLog

pytestmark = pytest.mark.no_database


def test_a_trouble_that_comes_and_goes_is_told_once_and_so_is_its_end():
    now = 100.0
    errors = ErrorLog(lambda: now)
    with capture_logs() as logs:
        for _ in range(5):
            errors.failed("send", OSError("no files left"))
            now += 1
            errors.recovered("send")
        assert [line["log_level"] for line in logs] == ["error"]
        now += RECOVERED_SECONDS - 1
        errors.recovered("send")
        errors.recovered("send")
        assert [line["log_level"] for line in logs] == ["error", "info"]
        errors.failed("send", OSError("no files left"))
    assert len(logs) == 3


def test_another_trouble_of_the_same_part_is_told_and_other_parts_have_their_own():
    errors = ErrorLog()
    with capture_logs() as logs:
        errors.failed("cycle", Busy())
        errors.failed("cycle", ValueError())
        errors.failed("fan-out", ValueError())
        errors.recovered("claim")
    assert [line["log_level"] for line in logs] == ["warning", "error", "error"]
