from random import Random

import pytest

from firmograph.jobs.retry_policy import MAX_RETRY_AFTER, parse_retry_policy
from firmograph.kit.errors import Refused

pytestmark = pytest.mark.no_database

DEFAULT = "1,5,25"
SETTING = "FIRMOGRAPH_WEBHOOK_RETRY_SECONDS"


def delays(text, tries=40):
    """Return the shortest and the longest wait of each retry."""
    found = []
    for failed_before in range(5):
        retries = [
            parse_retry_policy(text, SETTING, Random(seed)).delay(failed_before) for seed in range(tries)
        ]
        if None in retries:
            assert set(retries) == {None}
            return found
        found.append((min(retries), max(retries)))
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [(DEFAULT, [1, 5, 25]), ("0.5", [0.5]), (" 2 , 4 ", [2, 4]), ("0,0,0,0", [0, 0, 0, 0]), ("", [])],
)
def test_retries_wait_for_the_set_time_and_up_to_a_quarter_more(text, expected):
    found = delays(text)
    assert len(found) == len(expected)
    for (least, most), delay in zip(found, expected, strict=True):
        assert delay <= least <= delay * 1.1
        assert delay * 1.15 <= most <= delay * 1.25


@pytest.mark.parametrize(
    ("requested", "least"),
    [(0.0, 1.0), (3.0, 3.0), (60.0, 60.0), (MAX_RETRY_AFTER, 900.0), (86_400.0, 900.0)],
)
def test_a_requested_delay_is_honoured_up_to_a_maximum(requested, least):
    delay = parse_retry_policy(DEFAULT, SETTING, Random(1)).delay(0, requested)
    assert least <= delay <= max(least, 1.25)


@pytest.mark.parametrize("text", ["soon", "1;5", "-1", "1,,5", "nan", "inf", "86401", ",".join("1" * 21)])
def test_an_invalid_setting_is_refused_by_its_name(text):
    with pytest.raises(
        Refused, match="FIRMOGRAPH_WEBHOOK_RETRY_SECONDS: must be up to 20 comma-separated numbers"
    ):
        parse_retry_policy(text, SETTING)
