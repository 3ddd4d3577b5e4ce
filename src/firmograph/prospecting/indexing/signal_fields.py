"""What a record was active in, as an index holds it: terms that sort by activity and then by day.

`promotion||2026-03-31`, `surgeInHiringByLocation|us|ca||2026-10-18`: an activity, two bars, a day of it that counts.
No part of an activity is empty, so the terms of one stand together, by day, and no other's stand among them.
"""

from firmograph.prospecting.engines.document import Terms
from firmograph.prospecting.engines.fields import SIGNAL
from firmograph.signals.activity import Activity, Wanted

_AFTER = "~"
"""Behind a day, this sorts after the day."""


def signal_terms(activity: Activity) -> Terms:
    return [(SIGNAL, f"{name}||{day}") for name, days in activity.items() for day in days]


def stretch(wanted: Wanted) -> tuple[str, str]:
    """The terms that say so are those from the first on and before the second."""
    return f"{wanted.activity}||{wanted.since}", f"{wanted.activity}||{wanted.until}{_AFTER}"
