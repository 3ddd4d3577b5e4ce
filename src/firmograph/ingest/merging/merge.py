"""Merging: a record as a pure function of the last row of each source (docs/reference/records.md#merging).

Field by field the newest non-empty value wins. Only e-mails, phones, technologies, keywords, alternative names
and domains, and previous employment unite, by normalised value; every other list or object is replaced whole.
The order in which rows came has no say: rows are ordered by day, and on one day by source and source id.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from firmograph.directory.company_names import company_key
from firmograph.directory.names import fold
from firmograph.directory.normalise.emails import email_type
from firmograph.directory.records import Company, CompanyRef, Contact, Email, JobTitle, PastJob
from firmograph.ingest.records.contact_details import filled, united_emails, united_phones


class Mark(NamedTuple):
    """What was stated last of a number: of one day, that it is do-not-call goes before that it is not."""

    day: str
    do_not_call: bool


class DatedContact(NamedTuple):
    """A source's last row of a contact, with what its earlier rows said that still holds."""

    day: str
    source: str
    source_id: str
    record: Contact
    company_id: int | None
    past_jobs: Sequence[PastJob] = ()
    marks: Mapping[str, Mark] = {}
    """By number, of all versions of the row. A row stored before these were kept has only its own phones."""
    typed: Collection[int] = ()
    """The places of the e-mails whose type the row states."""


class DatedCompany(NamedTuple):
    day: str
    source: str
    source_id: str
    record: Company
    is_own: bool = True
    """Whether it is a row of companies, and not what contacts say of their employer."""

    def order(self) -> tuple[str, str, bool, str]:
        """Return what makes one row newer than another."""
        return self.day, self.source, self.is_own, self.source_id


def merge_contacts(rows: Sequence[DatedContact]) -> tuple[Contact, int | None]:
    """The merged contact and the number of its employer's record."""
    newest = sorted(rows, key=lambda row: row[:3], reverse=True)
    merged = filled([row.record for row in newest])
    employed = next((row for row in newest if row.record.company), None)
    company_id = employed.company_id if employed else None
    if employed:
        # a title belongs to its employer: one held elsewhere is a former job's
        here = [row.record for row in newest if row.company_id in (None, company_id)]
        merged.job_title = next((record.job_title for record in here if record.job_title), None)
    merged.emails = united_emails(entry for row in newest for entry in _typed_emails(row))
    merged.phones = united_phones(phone for row in newest for phone in row.record.phones)
    marked = _do_not_call(rows)
    merged.phones = [
        msgspec.structs.replace(phone, do_not_call=phone.number in marked) for phone in merged.phones
    ]
    merged.previous_employment = _united(
        [
            *(job for row in newest for job in row.record.previous_employment),
            *(job for row in newest for job in former_jobs(row, company_id)),
        ],
        job_key,
    )
    return merged, company_id


def _typed_emails(row: DatedContact) -> Iterable[tuple[Email, bool]]:
    """A row's e-mails, each with whether its type is stated: one that is not the derived one must have been."""
    host = row.record.company.domain if row.record.company else None
    for place, email in enumerate(row.record.emails):
        yield email, place in row.typed or email.type != email_type(email.email, host)


def _do_not_call(rows: Sequence[DatedContact]) -> set[str]:
    """The numbers of which the newest statement of any source is that they are do-not-call."""
    newest: dict[tuple[str, str], Mark] = {}
    for row in rows:
        for number, mark in (*row.marks.items(), *marks_of(row.record, row.day)):
            at = row.source, number
            newest[at] = max(mark, newest.get(at, mark))
    return {number for (_, number), mark in newest.items() if mark.do_not_call}


def marks_of(record: Contact, day: str) -> Iterable[tuple[str, Mark]]:
    """The numbers that a row's record has as do-not-call; of the others it cannot be seen whether it said anything."""
    return ((phone.number, Mark(day, True)) for phone in record.phones if phone.do_not_call)


def former_jobs(row: DatedContact, company_id: int | None) -> Iterable[PastJob]:
    """The jobs that a row and its earlier versions show at other employers than `company_id`."""
    if row.company_id is not None and row.company_id != company_id:
        yield job_of(row.record, row.company_id)
    for job in row.past_jobs:
        if job.company.id != company_id:
            yield _unnumbered(job)


def job_of(record: Contact, company_id: int) -> PastJob:
    """A contact's present job as a former one."""
    assert record.company is not None
    title = record.job_title
    return PastJob(
        company=record.company,
        job_title=title
        and JobTitle(title=title.title, departments=title.departments, seniority=title.seniority),
    )


def numbered(job: PastJob, company_id: int) -> PastJob:
    """The same job with its employer's record number, as history keeps it."""
    return PastJob(company=msgspec.structs.replace(job.company, id=company_id), job_title=job.job_title)


def _unnumbered(job: PastJob) -> PastJob:
    return PastJob(company=msgspec.structs.replace(job.company, id=None), job_title=job.job_title)


def job_key(job: PastJob) -> tuple[str, str]:
    """What makes two former jobs the same: the employer as named, and the title."""
    return _company_key(job.company), fold(job.job_title.title) if job.job_title else ""


def _company_key(company: CompanyRef) -> str:
    return company.domain or company.linkedin_url or company_key(company.name or "")


def merge_companies(rows: Sequence[DatedCompany]) -> Company:
    newest = [row.record for row in sorted(rows, key=DatedCompany.order, reverse=True)]
    merged = filled(newest)
    merged.stub = all(record.stub for record in newest)
    for field, key in _UNITED_TEXTS.items():
        setattr(merged, field, _united((text for record in newest for text in getattr(record, field)), key))
    merged.alternative_name = next(iter(merged.alternative_names), None)
    return merged


_UNITED_TEXTS: dict[str, Callable[[Any], Any]] = {
    "technologies": fold,
    "keywords": fold,
    "alternative_names": fold,
    "alternative_domains": str,
}


V = TypeVar("V")


def _united(values: Iterable[V], key: Callable[[V], object]) -> list[V]:
    """Each value once, the newest spelling first."""
    held: dict[object, V] = {}
    for value in values:
        held.setdefault(key(value), value)
    return list(held.values())
