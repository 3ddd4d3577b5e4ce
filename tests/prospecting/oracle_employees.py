"""The expected employees of companies: a plain, slow filter over the records."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import NamedTuple

from oracle_text import has_words, whole
from record_set import Person, Records

from firmograph.directory.vocabulary import SENIORITIES
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.query import EmployeeCriterion, Employees, Term, Words

_IDS = {label: str(number) for number, label in SENIORITIES.items()}
_EPOCH = date(1970, 1, 1)


class Member(NamedTuple):
    """A contact, the day of its record, and which criteria it meets."""

    number: int
    day: int
    met: tuple[bool, ...]


def _title(person: Person) -> str:
    job = person.record.job_title
    return (job and job.title) or ""


def _departments(person: Person) -> list[str]:
    return person.record.job_title.departments if person.record.job_title else []


def _seniority(person: Person) -> str | None:
    return _IDS.get(person.record.job_title.seniority) if person.record.job_title else None


CRITERIA: dict[EmployeeCriterion, Callable[[Person], bool]] = {
    **{
        Words(fields.TITLE, words): lambda person, words=words: all(
            has_words(word, _title(person)) for word in words
        )
        for words in (("engineer",), ("vp",), ("software", "engineer"), ("chief", "officer"), ("nothing",))
    },
    Term(fields.TITLE_WHOLE, "software engineer"): lambda person: (
        whole(_title(person)) == "software engineer"
    ),
    **{
        Term(fields.DEPARTMENT, name): lambda person, name=name: name in _departments(person)
        for name in ("Sales", "Engineering & Technical")
    },
    **{
        Term(fields.SENIORITY, id): lambda person, id=id: _seniority(person) == id
        for id in ("4", "6", "8", "10")
    },
    Term(fields.HAS, "work_email"): lambda person: any(one.type == "work" for one in person.record.emails),
    Term(fields.HAS, "email"): lambda person: bool(person.record.emails),
    Term(fields.HAS, "phone"): lambda person: bool(person.record.phones),
    Words(fields.SKILL, ("machine", "learning")): lambda person: any(
        has_words("machine learning", skill) for skill in person.record.skills
    ),
    Term(fields.SKILL, "python"): lambda person: "Python" in person.record.skills,
}
"""Criteria of the port, each with its meaning for a record."""


def _order(person: Person) -> tuple[int, int, int]:
    return -person.points, -_day(person), person.number


def _day(person: Person) -> int:
    updated = person.record.update_date
    return (date.fromisoformat(updated) - _EPOCH).days if updated else 0


def expected_employees(records: Records, companies: Sequence[int]) -> list[list[Member]]:
    """Return the employees of each company, with every criterion of `CRITERIA`."""
    members = []
    for company in companies:
        found = [one for one in records.contacts.values() if one.company == company]
        members.append(
            [
                Member(one.number, _day(one), tuple(holds(one) for holds in CRITERIA.values()))
                for one in sorted(found, key=_order)
            ]
        )
    return members


def members_of(employees: Employees) -> list[list[Member]]:
    """Return the employees that an engine found, in the same form."""
    assert sum(employees.sizes) == len(employees.numbers) == len(employees.days)
    met = [set(positions.tolist()) for positions in employees.positions]
    every = [
        Member(number, day, tuple(place in positions for positions in met))
        for place, (number, day) in enumerate(
            zip(employees.numbers.tolist(), employees.days.tolist(), strict=True)
        )
    ]
    ends = employees.sizes.cumsum().tolist()
    return [every[end - size : end] for size, end in zip(employees.sizes.tolist(), ends, strict=True)]
