"""What records were active in: the signals of a record as filters ask for them.

An *activity* is a type of signals (`promotion`), or of the types that filters narrow, a part of what their `detail`
says: `surgeInHiringByDepartment|sales`, `surgeInHiringByLocation|us` and `surgeInHiringByLocation|us|ca`,
`linkedinActivityIntent|technology`. Of each, the newest day is all that a filter needs of a record, as it asks whether
there was any such signal on a day or after it.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from firmograph.kit.tokens import Entity
from firmograph.signals.types import BY_DEPARTMENT, BY_LOCATION, POSTS, TYPES

Activity = Mapping[str, str]
"""Of each activity of one record, the newest day; empty of a record without signals."""

NONE: Final[Activity] = MappingProxyType({})


class Wanted(NamedTuple):
    """A signal of this activity, on this day or after it."""

    type: str
    detail: str = ""
    """Casefolded; empty for any signal of the type."""
    since: str = ""
    """Empty for any day."""

    @property
    def activity(self) -> str:
        return f"{self.type}|{self.detail}" if self.detail else self.type


def activity(found: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """The activity of one record, from type, detail and day of its signals."""
    newest: dict[str, str] = {}
    for type, detail, day in found:
        for name in (type, *(f"{type}|{part}" for part in _parts(type, detail))):
            newest[name] = max(newest.get(name, ""), day)
    return newest


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
    found = {one.type for one in wanted if held.get(one.activity, "") >= (one.since or "0")}
    return [type for type in TYPES[entity] if type in found]
