"""`companyChange` and `promotion`: what a row of a contact tells beside what was held.

See docs/reference/signals.md#job-moves.

Employers are compared as records, never as names; titles by `title_ranks`. Pure functions: whoever writes the contact
brings the companies, how they are linked, and the signals that are held (`job_store`).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from firmograph.security.record_ids import Entity
from firmograph.signals.events import Detected, JobMove
from firmograph.signals.title_forms import compared
from firmograph.signals.title_ranks import rises
from firmograph.signals.types import ContactType


class Job(NamedTuple):
    company: int | None
    """Number of the employer's record."""
    title: str = ""
    start: str = ""
    """`YYYY-MM-DD`, or `""`."""


class Step(NamedTuple):
    """A contact before and after a row that tells something newer of its job."""

    number: int
    """Of the contact's record."""
    before: Job
    """As it was held, merged from all sources."""
    own: Job | None
    """What the source of the row had told before; None when it had told nothing."""
    after: Job
    departments: Sequence[str]
    seniority: str
    day: str
    """Of the row: its `updateDate`, else the import day."""
    import_day: str


class Employer(NamedTuple):
    """A company record, as far as moves between companies are concerned."""

    name: str
    domain: str
    names: frozenset[str]
    """Normalised, alternative ones included."""
    other_domains: frozenset[str]
    above: frozenset[int]
    """Every owner, up the whole chain."""


class Past(NamedTuple):
    """A job signal that is held."""

    number: int
    type: str
    previous: Job
    current: Job
    day: str


def kind(step: Step) -> ContactType | None:
    """What a step is, should its companies not be linked. Sources that disagree move nobody to and fro: what a source
    tells must also differ from what it told itself."""
    before, own, after = step.before, step.own, step.after
    if before.company is None or after.company is None:
        return None
    if before.company != after.company:
        return "companyChange" if own is None or own.company != after.company else None
    if own and own.company == after.company and own.title and not rises(own.title, after.title):
        return None
    return "promotion" if rises(before.title, after.title) else None


def detect(
    steps: Iterable[Step], employers: Mapping[int, Employer], past: Iterable[Past], days_between: int
) -> list[Detected]:
    """The signals of steps, in their order. `employers` knows every company that `companies_of` names, as far as it is
    held, and `past` the job signals of their contacts."""
    days: dict[tuple[int, str, str], list[str]] = defaultdict(list)
    for one in past:
        days[one.number, one.type, _key(one.type, one.previous, one.current)].append(one.day)
    found = []
    for step in steps:
        type = kind(step)
        if type is None or _linked(step, employers):
            continue
        key, day = _key(type, step.before, step.after), day_of(step)
        held = days[step.number, type, key]
        if all(_apart(day, other) >= days_between for other in held):
            place = f"{key},{day}" if held else key
            found.append(Detected(Entity.CONTACT, step.number, type, place, day, _event(step, employers)))
            held.append(day)
    return found


def companies_of(step: Step) -> set[int]:
    """The records that decide about a step and are named by its signal."""
    jobs = (step.before, step.after, step.own)
    return {job.company for job in jobs if job and job.company is not None}


def day_of(step: Step) -> str:
    """When it happened: the day on which the new job began where the row tells a later one than was held, else the
    day of the row. A beginning that is still to come is an announcement, made on the day of the row."""
    start = step.after.start
    return start if step.before.start < start <= max(step.import_day, step.day) else step.day


def linked(one: int, other: int, employers: Mapping[int, Employer]) -> bool:
    """Whether two records stand for one company, or one of them owns the other: nobody moves between these."""
    first, second = employers.get(one), employers.get(other)
    if first is None or second is None:
        return False
    return (
        other in first.above
        or one in second.above
        or not first.names.isdisjoint(second.names)
        or not first.other_domains.isdisjoint({second.domain, *second.other_domains})
        or first.domain in second.other_domains
    )


def _linked(step: Step, employers: Mapping[int, Employer]) -> bool:
    """Whether the new employer is linked with the one that was held, or with the one that the source told before."""
    return any(
        linked(company, step.after.company, employers)
        for company in companies_of(step)
        if step.after.company is not None and company != step.after.company
    )


def _key(type: str, previous: Job, current: Job) -> str:
    """What makes it the same move: from and to; of a promotion the titles as compared, and the company."""
    if type == "companyChange":
        return f"{previous.company},{current.company}"
    return f"{current.company},{compared(previous.title)},{compared(current.title)}"


def _apart(day: str, other: str) -> int:
    return abs((date.fromisoformat(day) - date.fromisoformat(other)).days)


_NOT_HELD = Employer("", "", frozenset(), frozenset(), frozenset())


def _event(step: Step, employers: Mapping[int, Employer]) -> JobMove:
    before, after = step.before, step.after
    assert before.company is not None
    assert after.company is not None
    previous = employers.get(before.company, _NOT_HELD)
    current = employers.get(after.company, _NOT_HELD)
    return JobMove(
        current_company_id=after.company,
        current_company_name=current.name,
        current_domain=current.domain,
        current_title=after.title,
        current_departments=", ".join(step.departments),
        current_seniority_label=step.seniority,
        previous_company_id=before.company,
        previous_company_name=previous.name,
        previous_domain=previous.domain,
        previous_title=before.title,
    )
