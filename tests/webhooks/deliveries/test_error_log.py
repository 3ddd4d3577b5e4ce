from structlog.testing import capture_logs

from firmograph.kit.errors import Busy
from firmograph.webhooks.deliveries.error_log import OVER_SECONDS, Troubles


def test_a_trouble_that_comes_and_goes_is_told_once_and_so_is_its_end():
    now = 100.0
    troubles = Troubles(lambda: now)
    with capture_logs() as logs:
        for _ in range(5):
            troubles.met("sending", OSError("no files left"))
            now += 1
            troubles.over("sending")
        assert [line["log_level"] for line in logs] == ["error"]
        now += OVER_SECONDS - 1
        troubles.over("sending")
        troubles.over("sending")
        assert [line["log_level"] for line in logs] == ["error", "info"]
        troubles.met("sending", OSError("no files left"))
    assert len(logs) == 3


def test_another_trouble_of_the_same_part_is_told_and_other_parts_have_their_own():
    troubles = Troubles()
    with capture_logs() as logs:
        troubles.met("cycle", Busy())
        troubles.met("cycle", ValueError())
        troubles.met("fan-out", ValueError())
        troubles.over("taking")
    assert [line["log_level"] for line in logs] == ["warning", "error", "error"]
