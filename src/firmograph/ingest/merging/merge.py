"""Merging: a record as a pure function of the last row of each source (docs/reference/records.md#merging).

Field by field the newest non-empty value wins. Only e-mails, phones, technologies, keywords, alternative names
and domains, and previous employment unite, by normalised value; every other list or object is replaced whole.
The order of arrival does not matter: rows are ordered by day, and on one day by source and source id.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from firmograph.directory.company_names import company_key
from firmograph.directory.names import fold
from firmograph.directory.records import Company, CompanyRef, Contact, Email, JobTitle, PastJob
from firmograph.ingest.records.contact_details import fill_empty_fields, unite_emails, unite_phones


class Mark(NamedTuple):
    """The last do-not-call statement on a number.

    Marks are ordered: of the same day, a mark set wins over a mark lifted.
    """

    day: str
    do_not_call: bool


class DatedContact(NamedTuple):
    """A source's last row of a contact, with lasting data of its earlier versions."""

    day: str
    source: str
    source_id: str
    record: Contact
    company_id: int | None
    past_jobs: Sequence[PastJob] = ()
    marks: Mapping[str, Mark] = {}
    """By number, of all versions of the row."""
    typed: Collection[int] = ()
    """Indexes of the e-mails whose type the row states."""


class DatedCompany(NamedTuple):
    day: str
    source: str
    source_id: str
    record: Company
    is_own: bool = True
    """False for employer details from rows of contacts."""

    def order(self) -> tuple[str, str, bool, str]:
        """Return the sort key of rows by age."""
        return self.day, self.source, self.is_own, self.source_id


def merge_contacts(rows: Sequence[DatedContact]) -> tuple[Contact, int | None]:
    """Return the merged contact and the number of its employer's record."""
    newest = newest_contacts(rows)
    merged = fill_empty_fields([row.record for row in newest])
    employed = next((row for row in newest if row.record.company), None)
    company_id = employed.company_id if employed else None
    if employed:
        here = (row.record for row in rows_at_employer(newest, company_id))
        merged.job_title = next((record.job_title for record in here if record.job_title), None)
    merged.emails = unite_emails(entry for row in newest for entry in _typed_emails(row))
    merged.phones = unite_phones(phone for row in newest for phone in row.record.phones)
    marked = _do_not_call(rows)
    merged.phones = [
        msgspec.structs.replace(phone, do_not_call=phone.number in marked) for phone in merged.phones
    ]
    merged.previous_employment = _unite(
        [
            *(job for row in newest for job in row.record.previous_employment),
            *(job for row in newest for job in former_jobs(row, company_id)),
        ],
        job_key,
    )
    return merged, company_id


def newest_contacts(rows: Iterable[DatedContact]) -> list[DatedContact]:
    """Return rows in the order in which their values win."""
    return sorted(rows, key=lambda row: row[:3], reverse=True)


def rows_at_employer(rows: Iterable[DatedContact], company_id: int | None) -> Iterable[DatedContact]:
    """Return the rows whose titles count: a title belongs to its employer, one at another is a former job's."""
    return (row for row in rows if row.company_id in (None, company_id))


def _typed_emails(row: DatedContact) -> Iterable[tuple[Email, bool]]:
    """Yield a row's e-mails and whether the row stated their type."""
    for index, email in enumerate(row.record.emails):
        yield email, index in row.typed


def _do_not_call(rows: Sequence[DatedContact]) -> set[str]:
    """Return the numbers that the newest mark of any source makes do-not-call."""
    return {number for (_, number), mark in newest_marks(rows).items() if mark.do_not_call}


def newest_marks(rows: Sequence[DatedContact]) -> dict[tuple[str, str], Mark]:
    """Return the newest mark that each source has for each number."""
    newest: dict[tuple[str, str], Mark] = {}
    for row in rows:
        for number, mark in row.marks.items():
            key = row.source, number
            newest[key] = max(mark, newest.get(key, mark))
    return newest


def former_jobs(row: DatedContact, company_id: int | None) -> Iterable[PastJob]:
    """Yield the jobs of a row and its earlier versions at employers other than `company_id`."""
    if row.company_id is not None and row.company_id != company_id:
        yield current_job(row.record, row.company_id)
    for job in row.past_jobs:
        if job.company.id != company_id:
            yield _without_company_id(job)


def current_job(record: Contact, company_id: int) -> PastJob:
    """Return a contact's current job in the form of a past one."""
    assert record.company is not None
    title = record.job_title
    return PastJob(
        company=record.company,
        job_title=title
        and JobTitle(title=title.title, departments=title.departments, seniority=title.seniority),
    )


def with_company_id(job: PastJob, company_id: int) -> PastJob:
    """Return the job with its employer's record number, as history stores it."""
    return PastJob(company=msgspec.structs.replace(job.company, id=company_id), job_title=job.job_title)


def _without_company_id(job: PastJob) -> PastJob:
    return PastJob(company=msgspec.structs.replace(job.company, id=None), job_title=job.job_title)


def job_key(job: PastJob) -> tuple[str, str]:
    """Return the key of equal former jobs: the employer as named, and the title."""
    return _company_key(job.company), fold(job.job_title.title) if job.job_title else ""


def _company_key(company: CompanyRef) -> str:
    return company.domain or company.linkedin_url or company_key(company.name or "")


def merge_companies(rows: Sequence[DatedCompany]) -> Company:
    newest = [row.record for row in newest_companies(rows)]
    merged = fill_empty_fields(newest)
    merged.stub = all(record.stub for record in newest)
    for field, key in UNITING_TEXTS.items():
        setattr(merged, field, _unite((text for record in newest for text in getattr(record, field)), key))
    merged.alternative_name = next(iter(merged.alternative_names), None)
    return merged


def newest_companies(rows: Iterable[DatedCompany]) -> list[DatedCompany]:
    """Return rows in the order in which their values win."""
    return sorted(rows, key=DatedCompany.order, reverse=True)


UNITING_TEXTS: dict[str, Callable[[Any], Any]] = {
    "technologies": fold,
    "keywords": fold,
    "alternative_names": fold,
    "alternative_domains": str,
}
"""Lists of companies whose values unite, with the function for the key of equal ones."""


V = TypeVar("V")


def _unite(values: Iterable[V], key: Callable[[V], object]) -> list[V]:
    """Return distinct values, newest first, each in its newest spelling."""
    unique: dict[object, V] = {}
    for value in values:
        unique.setdefault(key(value), value)
    return list(unique.values())
