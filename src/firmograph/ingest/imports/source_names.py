"""Names of sources, as operators gave them."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from firmograph.database.connection import Session
from firmograph.directory.row_keys import STUB_SOURCE
from firmograph.ingest.merging.store import read_sources
from firmograph.kit.errors import Refused
from firmograph.kit.suggestions import nearest_values

_FEED_ROWS: Final = ("jobs",)
"""Kinds of facts that also give rows to companies, under a source `KIND of NAME` (`merging/company_facts.py`)."""
_SIMILAR: Final = 60.0
"""Least score of a name that may have been meant: one other letter in three."""


class FoundSource(NamedTuple):
    """A source with the numbers under which it has rows."""

    name: str
    number: int
    numbers: frozenset[int]
    """Its own, and those under which its facts give rows."""


def find_sources(session: Session) -> dict[str, FoundSource]:
    """Return all sources but that of stubs, by name."""
    numbers = read_sources(session)
    of_facts = {f"{kind} of {name}" for kind in _FEED_ROWS for name in numbers}
    return {
        name: FoundSource(name, number, frozenset({number, *_numbers_of_facts(name, numbers)}))
        for name, number in sorted(numbers.items())
        if name != STUB_SOURCE and name not in of_facts
    }


def _numbers_of_facts(name: str, numbers: Mapping[str, int]) -> list[int]:
    return [numbers[f"{kind} of {name}"] for kind in _FEED_ROWS if f"{kind} of {name}" in numbers]


def find_source(session: Session, name: str) -> FoundSource:
    """Return a source. Raises Refused, with the nearest name if one is similar, for an unknown one."""
    known = find_sources(session)
    if name in known:
        return known[name]
    if not known:
        raise Refused(f"There is no source {name!r}: nothing has been imported yet")
    similar = nearest_values(name, known, least_score=_SIMILAR)
    nearest = f"; the nearest name is {similar[0]!r}" if similar else ""
    raise Refused(f"There is no source {name!r}{nearest}. `firmograph source list` shows all")
