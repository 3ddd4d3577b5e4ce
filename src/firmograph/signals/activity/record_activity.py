"""Activity of a record: its signals in the form that filters compare.

An *activity* is a signal type (`promotion`), or for types that filters narrow, the type with a part of its `detail`:
`surgeInHiringByDepartment|sales`, `surgeInHiringByLocation|us` and `surgeInHiringByLocation|us|ca`,
`linkedinActivityIntent|technology`. A filter asks for any such signal between a day and today, so the newest day of
each activity is enough. If that day was in the future at detection, the day before it is needed too: signals are dated
at most one day after their detection, so that day is no longer in the future.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from firmograph.security.record_ids import Entity
from firmograph.signals.types import BY_DEPARTMENT, BY_LOCATION, POSTS, TYPES

Activity = Mapping[str, tuple[str, ...]]
"""One or two effective days of each activity of a record, newest first; empty without signals."""

NO_ACTIVITY: Final[Activity] = MappingProxyType({})


class RequestedSignal(NamedTuple):
    """Signal of an activity within a range of days."""

    type: str
    detail: str = ""
    """Casefolded; empty for any signal of the type."""
    since: str = ""
    """First day; empty for any."""
    until: str = "9999-12-31"
    """Last day."""

    @property
    def activity(self) -> str:
        return f"{self.type}|{self.detail}" if self.detail else self.type


class DatedSignal(NamedTuple):
    """Attributes of a signal from which activity is derived."""

    type: str
    detail: str
    day: str
    ahead: int = 0
    """1 if the day was in the future when the signal was detected."""


def derive_activity(found: Iterable[DatedSignal]) -> dict[str, tuple[str, ...]]:
    """Derive the activity of one record from its signals."""
    days: dict[str, dict[str, int]] = defaultdict(dict)
    for type, detail, day, ahead in found:
        for name in (type, *(f"{type}|{part}" for part in _filterable_parts(type, detail))):
            days[name][day] = min(days[name].get(day, 1), ahead)
    return {name: _effective_days(ahead) for name, ahead in days.items()}


def _effective_days(ahead: Mapping[str, int]) -> tuple[str, ...]:
    """Return the days that filters need, given all days and whether each was in the future at detection."""
    newest = max(ahead)
    before = max((day for day in ahead if day < newest), default=None) if ahead[newest] else None
    return (newest,) if before is None else (newest, before)


def _filterable_parts(type: str, detail: str) -> Sequence[str]:
    """Return the parts of a detail that filters can ask for."""
    if type not in (BY_DEPARTMENT, BY_LOCATION, POSTS):
        return ()
    folded = detail.casefold().strip("|")
    if type == POSTS:
        return folded.split("|")
    country, bar, _ = folded.partition("|")
    return (country, folded) if bar else (folded,)


def matching_types(entity: Entity, activity: Activity, requested: Iterable[RequestedSignal]) -> list[str]:
    """Return the requested types that a record has, in documented order."""
    found = {
        one.type
        for one in requested
        if any(one.since <= day <= one.until for day in activity.get(one.activity, ()))
    }
    return [type for type in TYPES[entity] if type in found]
