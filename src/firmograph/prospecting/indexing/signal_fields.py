"""Terms of the signal field, sorted by activity and then by day.

Examples: `promotion||2026-03-31`, `surgeInHiringByLocation|us|ca||2026-10-18`: an activity, two bars, a day of the
activity. No part of an activity is empty, so the terms of one activity are contiguous and sorted by day.
"""

from firmograph.prospecting.engines.document import Terms
from firmograph.prospecting.engines.fields import SIGNAL
from firmograph.signals.activity.record_activity import Activity, RequestedSignal

_AFTER = "~"
"""Sorts after any day when appended to it."""


def signal_terms(activity: Activity) -> Terms:
    return [(SIGNAL, f"{name}||{day}") for name, days in activity.items() for day in days]


def term_range(requested: RequestedSignal) -> tuple[str, str]:
    """Return the half-open range of terms that satisfy the requested activity."""
    return f"{requested.activity}||{requested.since}", f"{requested.activity}||{requested.until}{_AFTER}"
