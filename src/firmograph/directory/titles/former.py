"""Job titles as earlier releases derived them, by tables that never change (`data/former/`).

Stored records do not tell whether a source gave a department and seniority or they were derived: they were if they are
what those releases derived. The digest of a row's version has the former derivation for ever, so that a file of before
an upgrade is recognised after it.
"""

from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from firmograph.directory.records import Contact, JobTitle, PastJob
from firmograph.directory.titles.derivation import derive_departments, derive_seniority
from firmograph.directory.titles.rules import MAX_DEPARTMENTS, TitleRules
from firmograph.directory.titles.tables import RANKS, load_former_tables
from firmograph.directory.titles.words import split_words, without_superior
from firmograph.directory.vocabulary import SENIORITIES


@lru_cache(maxsize=1)
def _rules() -> TitleRules:
    return TitleRules(load_former_tables(), split_words)


class _Change(NamedTuple):
    former: JobTitle
    present: JobTitle


@lru_cache(maxsize=65_536)
def _change(title: str) -> _Change | None:
    """Return both derivations of a title; None if they are the same."""
    former = JobTitle(departments=_former_departments(title), seniority=_former_seniority(title))
    present = JobTitle(departments=derive_departments(title), seniority=derive_seniority(title))
    return None if former == present else _Change(former, present)


def _former_departments(title: str) -> list[str]:
    words = without_superior(split_words(title))
    found = _rules().find_departments(words)
    return list((found.strong or found.weak or ("Other",))[:MAX_DEPARTMENTS]) if words else []


def _former_seniority(title: str) -> str | None:
    rank = _rules().rank(title)
    return None if rank is None else SENIORITIES[rank or RANKS["Non-Manager"]]


def with_former_titles(contact: Contact) -> Contact:
    """Return the contact with the former derivation instead of today's; itself if they do not differ."""
    return _with_titles(contact, former=True)


def with_present_titles(contact: Contact) -> Contact:
    """Return the contact with today's derivation instead of the former one; itself if they do not differ."""
    return _with_titles(contact, former=False)


def with_present_title(job: PastJob) -> PastJob:
    title = job.job_title and _converted(job.job_title, former=False)
    return job if title is job.job_title else replace(job, job_title=title)


def _with_titles(contact: Contact, former: bool) -> Contact:
    title = contact.job_title and _converted(contact.job_title, former)
    past = [job.job_title and _converted(job.job_title, former) for job in contact.previous_employment]
    same = all(new is job.job_title for new, job in zip(past, contact.previous_employment, strict=True))
    if title is contact.job_title and same:
        return contact
    jobs = [replace(job, job_title=new) for new, job in zip(past, contact.previous_employment, strict=True)]
    return replace(contact, job_title=title, previous_employment=jobs)


def _converted(title: JobTitle, former: bool) -> JobTitle:
    """Return a title whose derived values are those of the former or of today's derivation."""
    change = _change(title.title)
    if change is None:
        return title
    before, after = (change.present, change.former) if former else change
    departments = after.departments if title.departments == before.departments else title.departments
    seniority = after.seniority if title.seniority == before.seniority else title.seniority
    if departments == title.departments and seniority == title.seniority:
        return title
    return replace(title, departments=departments, seniority=seniority)
