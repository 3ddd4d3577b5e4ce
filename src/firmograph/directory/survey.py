"""Survey of the records: how many there are, of which sources, and which fields they have.

Counting means to read every record. A large database is therefore surveyed by a sample: short ranges of numbers, evenly
spaced, as records of one import have numbers next to each other.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from firmograph.database.connection import Database
from firmograph.directory import record_store
from firmograph.directory.company_json import is_stored_stub
from firmograph.directory.row_keys import STUB_SOURCE
from firmograph.security.record_ids import Entity

_RANGE: Final = 500
"""Numbers of a range of the sample."""
_RANGES: Final = 100
SAMPLED: Final = _RANGE * _RANGES
"""Numbers up to which every record is counted."""


class RecordSurvey(NamedTuple):
    entity: Entity
    records: int
    """Without stubs."""
    stubs: int
    """Companies that other records only name."""
    is_estimate: bool
    by_source: Mapping[str, int]
    """Records that have rows of each source, most first; stubs have none."""
    filled: Mapping[str, float]
    """Share of the records, without stubs, that have each of the main fields."""


class _Preview(msgspec.Struct, rename="camel"):
    has: frozenset[str] = frozenset()
    domain: str = ""
    industry: str = ""
    employee_count: dict[str, Any] | None = None
    location: dict[str, Any] = {}
    social_links: dict[str, Any] = {}


_decode = msgspec.json.Decoder(_Preview).decode


def _has(point: str) -> Callable[[_Preview], bool]:
    return lambda record: point in record.has


def _country(record: _Preview) -> bool:
    return "country" in record.location


def _linkedin(record: _Preview) -> bool:
    return "linkedin" in record.social_links


_MAIN_FIELDS: Final[Mapping[Entity, Mapping[str, Callable[[_Preview], bool]]]] = {
    Entity.CONTACT: {
        "jobTitle": _has("jobTitle"),
        "company": _has("company"),
        "country": _country,
        "linkedin": _linkedin,
        "emails": _has("emails"),
        "phones": _has("phones"),
    },
    Entity.COMPANY: {
        "domain": lambda record: bool(record.domain),
        "industry": lambda record: bool(record.industry),
        "employeeCount": lambda record: record.employee_count is not None,
        "revenueRange": _has("revenueRange"),
        "country": _country,
        "linkedin": _linkedin,
        "description": _has("description"),
        "phones": _has("phones"),
    },
}


def survey_records(database: Database, entity: Entity, *, exact: bool = False) -> RecordSurvey:
    """Return the survey of a kind of records, estimated where there are many, unless `exact`."""
    highest = record_store.highest_number(database.session(), entity)
    is_estimate = highest > SAMPLED and not exact
    tests = _MAIN_FIELDS[entity]
    read, found, stubs = 0, 0, 0
    filled: Counter[str] = Counter()
    by_source: Counter[int] = Counter()
    for start in _starts(highest, is_estimate=is_estimate):
        end = min(start + _RANGE, highest)
        with database.read() as session:
            previews = record_store.previews_between(session, entity, start, end)
            by_source.update(record_store.sources_between(session, entity, start, end))
        read += end - start
        for stored, extras in previews:
            if is_stored_stub(extras):
                stubs += 1
                continue
            found += 1
            preview = _decode(stored)
            filled.update(name for name, test in tests.items() if test(preview))
    scale = highest / read if read else 1.0
    names = record_store.source_names(database.session())
    return RecordSurvey(
        entity,
        round(found * scale),
        round(stubs * scale),
        is_estimate,
        {
            names[source]: round(count * scale)
            for source, count in by_source.most_common()
            if names[source] != STUB_SOURCE
        },
        {name: filled[name] / found if found else 0.0 for name in tests},
    )


def _starts(highest: int, *, is_estimate: bool) -> Iterator[int]:
    """Yield the numbers before which the ranges begin: all, or evenly spaced ones."""
    if not is_estimate:
        yield from range(0, highest, _RANGE)
        return
    for index in range(_RANGES):
        yield (highest - _RANGE) * index // (_RANGES - 1)
