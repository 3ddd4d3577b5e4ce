"""What records were active in: the signals of a record as filters ask for them.

An *activity* is a type of signals (`promotion`), or of the types that filters narrow, a part of what their `detail`
says: `surgeInHiringByDepartment|sales`, `surgeInHiringByLocation|us` and `surgeInHiringByLocation|us|ca`,
`linkedinActivityIntent|technology`. A filter asks whether there was any such signal from a day on until today, so the
newest day of each activity is all that it needs of a record; and where that day was still to come when its signals were
detected, the day before it too. These are at most of the day after their detection, so the day before has come by then.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from firmograph.security.record_ids import Entity
from firmograph.signals.types import BY_DEPARTMENT, BY_LOCATION, POSTS, TYPES

Activity = Mapping[str, tuple[str, ...]]
"""Of each activity of one record, the day or the two days that count, newest first; empty without signals."""

NONE: Final[Activity] = MappingProxyType({})


class Wanted(NamedTuple):
    """A signal of this activity, on one of these days."""

    type: str
    detail: str = ""
    """Casefolded; empty for any signal of the type."""
    since: str = ""
    """The first day; empty for any."""
    until: str = "9999-12-31"
    """The last day."""

    @property
    def activity(self) -> str:
        return f"{self.type}|{self.detail}" if self.detail else self.type


class Dated(NamedTuple):
    """A signal of one record, as far as its activity is concerned."""

    type: str
    detail: str
    day: str
    ahead: int = 0
    """1 where the day was still to come when the signal was detected."""


def activity(found: Iterable[Dated]) -> dict[str, tuple[str, ...]]:
    """Derive the activity of one record from its signals."""
    days: dict[str, dict[str, int]] = defaultdict(dict)
    for type, detail, day, ahead in found:
        for name in (type, *(f"{type}|{part}" for part in _parts(type, detail))):
            days[name][day] = min(days[name].get(day, 1), ahead)
    return {name: _counting(ahead) for name, ahead in days.items()}


def _counting(ahead: Mapping[str, int]) -> tuple[str, ...]:
    """Choose the days of an activity that count, of all of them and whether each was still to come."""
    newest = max(ahead)
    before = max((day for day in ahead if day < newest), default=None) if ahead[newest] else None
    return (newest,) if before is None else (newest, before)


def _parts(type: str, detail: str) -> Sequence[str]:
    """What filters may ask of a detail."""
    if type not in (BY_DEPARTMENT, BY_LOCATION, POSTS):
        return ()
    folded = detail.casefold().strip("|")
    if type == POSTS:
        return folded.split("|")
    country, bar, _ = folded.partition("|")
    return (country, folded) if bar else (folded,)


def types_of(entity: Entity, held: Activity, wanted: Iterable[Wanted]) -> list[str]:
    """The types that a record has of those that are wanted, in the documented order."""
    found = {
        one.type for one in wanted if any(one.since <= day <= one.until for day in held.get(one.activity, ()))
    }
    return [type for type in TYPES[entity] if type in found]
