"""Detector of `companyChange` and `promotion`, from a contact before and after an imported row.

See docs/reference/signals.md#job-moves.

Employers are compared as records, never as names; titles by `title_ranks`. Pure functions: the importer provides the
companies, their ownership and the stored signals (`job_store`).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from firmograph.security.record_ids import Entity
from firmograph.signals.events import Detected, JobMove
from firmograph.signals.job_moves.title_forms import comparison_form
from firmograph.signals.job_moves.title_ranks import ranks_higher
from firmograph.signals.types import ContactType


class Employment(NamedTuple):
    company: int | None
    """Number of the employer record."""
    title: str = ""
    start: str = ""
    """`YYYY-MM-DD`, or `""`."""


class JobChange(NamedTuple):
    """Contact before and after a row with newer employment data."""

    number: int
    """Number of the contact record."""
    before: Employment
    """Stored employment, merged from all sources."""
    before_in_source: Employment | None
    """Earlier employment in the row's own source; None without an earlier row."""
    after: Employment
    departments: Sequence[str]
    seniority: str
    day: str
    """Day of the row: its `updateDate`, else the import day."""
    import_day: str
    needs: tuple[int, ...] = ()
    """Sources of the two jobs, by number."""


class EmployerIdentity(NamedTuple):
    """Company attributes by which related employers are recognised."""

    name: str
    domain: str
    names: frozenset[str]
    """Normalised names, alternative ones included."""
    other_domains: frozenset[str]
    owners: frozenset[int]
    """All owners, up the whole chain."""


class StoredMove(NamedTuple):
    """Stored job signal."""

    number: int
    type: str
    previous: Employment
    current: Employment
    day: str
    id: int = 0


def classify_change(change: JobChange) -> ContactType | None:
    """Return the signal type of a change, unless its companies are related.

    The row must also differ from the earlier row of its own source, so that sources that disagree do not cause
    repeated moves.
    """
    before, own, after = change.before, change.before_in_source, change.after
    if before.company is None or after.company is None:
        return None
    if before.company != after.company:
        return "companyChange" if own is None or own.company != after.company else None
    if own and own.company == after.company and own.title and not ranks_higher(own.title, after.title):
        return None
    return "promotion" if ranks_higher(before.title, after.title) else None


def detect_moves(
    changes: Iterable[JobChange],
    employers: Mapping[int, EmployerIdentity],
    past: Iterable[StoredMove],
    days_between: int,
) -> list[Detected]:
    """Return the signals of changes, in order.

    `employers` has the existing companies of `involved_companies`, `past` the stored job signals of the contacts.
    """
    days: dict[tuple[int, str, str], list[str]] = defaultdict(list)
    for one in past:
        days[one.number, one.type, _key(one.type, one.previous, one.current)].append(one.day)
    found = []
    for change in changes:
        type = classify_change(change)
        if type is None or _involves_related_companies(change, employers):
            continue
        key, day = _key(type, change.before, change.after), move_day(change)
        stored = days[change.number, type, key]
        if all(_apart(day, other) >= days_between for other in stored):
            unique = f"{key},{day}" if stored else key
            found.append(
                Detected(
                    Entity.CONTACT,
                    change.number,
                    type,
                    unique,
                    day,
                    _event(change, employers),
                    needs=change.needs,
                )
            )
            stored.append(day)
    return found


def involved_companies(change: JobChange) -> set[int]:
    """Return the company records that decide on a change or that its signal names."""
    jobs = (change.before, change.after, change.before_in_source)
    return {job.company for job in jobs if job and job.company is not None}


def move_day(change: JobChange) -> str:
    """Return the day of a move: the start of the new job if later than the stored start, else the day of the row.

    A start in the future is an announcement, dated on the day of the row.
    """
    start = change.after.start
    return start if change.before.start < start <= max(change.import_day, change.day) else change.day


def are_related(one: int, other: int, employers: Mapping[int, EmployerIdentity]) -> bool:
    """Return whether two records are the same company, or one owns the other: no job moves between these."""
    first, second = employers.get(one), employers.get(other)
    if first is None or second is None:
        return False
    return (
        other in first.owners
        or one in second.owners
        or not first.names.isdisjoint(second.names)
        or not first.other_domains.isdisjoint({second.domain, *second.other_domains})
        or first.domain in second.other_domains
    )


def _involves_related_companies(change: JobChange, employers: Mapping[int, EmployerIdentity]) -> bool:
    """Return whether the new employer is related to the stored one or to the earlier one of the source."""
    return any(
        are_related(company, change.after.company, employers)
        for company in involved_companies(change)
        if change.after.company is not None and company != change.after.company
    )


def _key(type: str, previous: Employment, current: Employment) -> str:
    """Return the key of a move: both companies, or for a promotion the company and both titles in comparison form."""
    if type == "companyChange":
        return f"{previous.company},{current.company}"
    return f"{current.company},{comparison_form(previous.title)},{comparison_form(current.title)}"


def _apart(day: str, other: str) -> int:
    return abs((date.fromisoformat(day) - date.fromisoformat(other)).days)


_UNKNOWN_EMPLOYER = EmployerIdentity("", "", frozenset(), frozenset(), frozenset())


def _event(change: JobChange, employers: Mapping[int, EmployerIdentity]) -> JobMove:
    before, after = change.before, change.after
    assert before.company is not None
    assert after.company is not None
    previous = employers.get(before.company, _UNKNOWN_EMPLOYER)
    current = employers.get(after.company, _UNKNOWN_EMPLOYER)
    return JobMove(
        current_company_id=after.company,
        current_company_name=current.name,
        current_domain=current.domain,
        current_title=after.title,
        current_departments=", ".join(change.departments),
        current_seniority_label=change.seniority,
        previous_company_id=before.company,
        previous_company_name=previous.name,
        previous_domain=previous.domain,
        previous_title=before.title,
    )
