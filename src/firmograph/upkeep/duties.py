"""What has to be done regularly."""

from typing import Final

from firmograph.accounts import request_store
from firmograph.kit.database import Session
from firmograph.upkeep.service import Duty

_PART: Final = 1_000
"""Rows deleted in one transaction: some ten milliseconds of the embedded database's writer."""

_DAY: Final = 86_400


def _forget_keys(session: Session, now: float) -> int:
    return request_store.forget_keys(session, now, _PART)


def _forget_counters(session: Session, now: float) -> int:
    # no window is longer than a day, so that all of these ended two days ago at least
    return request_store.forget_counters(session, int(now) - 3 * _DAY, _PART)


DUTIES: Final = (
    # an expired key is as good as gone for callers; only its place is still to be freed
    Duty("forget-idempotency-keys", 600.0, _forget_keys),
    # a counter is written again while its account calls; these are of accounts that no longer do
    Duty("forget-rate-counters", 3_600.0, _forget_counters),
)
