"""The openings of a company as its record tells them (`openJobs`)."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeVar

from firmograph.directory.records import DepartmentCount, LocationCount, OpenJobs, SeniorityCount
from firmograph.signals.hiring_store import Open

K = TypeVar("K")


def open_jobs(found: Iterable[Open]) -> OpenJobs:
    """Everything that is open, and by department, seniority and place; 0 in all where nothing is.

    Postings without a place or a seniority count in the others. The commonest come first.
    """
    departments: Counter[str] = Counter()
    seniorities: Counter[str] = Counter()
    places: Counter[tuple[str, str]] = Counter()
    for one in found:
        departments[one.department] += one.postings
        if one.seniority:
            seniorities[one.seniority] += one.postings
        if one.country:
            places[one.country, one.state or ""] += one.postings
    return OpenJobs(
        total=departments.total(),
        by_department=[DepartmentCount(name, count) for name, count in _ordered(departments)],
        by_location=[
            LocationCount(country, count, state or None) for (country, state), count in _ordered(places)
        ],
        by_seniority=[SeniorityCount(name, count) for name, count in _ordered(seniorities)],
    )


def _ordered(counts: Mapping[K, int]) -> list[tuple[K, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
