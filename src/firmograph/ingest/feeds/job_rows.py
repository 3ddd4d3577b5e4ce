"""Rows of job postings made canonical, and what becomes of a posting that is stated again."""

from functools import lru_cache
from typing import NamedTuple

import msgspec

from firmograph.directory.normalise.locations import normalise_location
from firmograph.directory.records import CompanyRef
from firmograph.directory.titles import derive_departments, derive_seniority, normalise_department
from firmograph.ingest.feeds.companies import parse_company
from firmograph.ingest.reading.inputs import CompanyRefInput, Loose, Text
from firmograph.ingest.records.preparation import Unusable
from firmograph.ingest.records.values import code, day, line
from firmograph.signals.hiring_store import Posting

OTHER = "Other"


class JobRow(msgspec.Struct, rename="camel"):
    company: CompanyRefInput | str | None = None
    posting_id: Loose = None
    title: Text = None
    department: Text = None
    country: Text = None
    state: Text = None
    city: Text = None
    open_date: Text = None
    close_date: Text = None


class JobFact(NamedTuple):
    line: int
    company: CompanyRef
    posting: Posting
    """`seen` left out: the row does not tell."""


def job_fact(line_number: int, row: JobRow) -> JobFact:
    """The posting that a row states; what cannot be read is left out. Raises Unusable where it lacks what makes one."""
    company = parse_company(row.company)
    posting_id, title = code(row.posting_id), line(row.title)
    if posting_id is None:
        raise Unusable("postingId: missing")
    if title is None:
        raise Unusable("title: missing")
    opened = day(row.open_date)
    if opened is None:
        raise Unusable(f"openDate: {'not a date' if row.open_date else 'missing'}")
    posting = Posting(
        posting_id,
        _department(line(row.department), title),
        derive_seniority(title),
        *_location(line(row.country), line(row.state), line(row.city)),
        opened,
        day(row.close_date),
        "",
    )
    return JobFact(line_number, company, posting)


def _department(given: str | None, title: str) -> str:
    """One of the 16: as given, where it is one of them in some spelling, else the first that the title shows."""
    known = normalise_department(given) if given else None
    return known or next(iter(derive_departments(title)), OTHER)


@lru_cache(maxsize=16_384)
def _location(
    country: str | None, state: str | None, city: str | None
) -> tuple[str | None, str | None, str | None, str | None]:
    """Codes, then English names, of country and state; nothing where the country is not told."""
    found = normalise_location(country, None, state, None, city, None, None, None)
    if found is None or not found.country:
        return None, None, None, None
    return found.country_iso2, found.state_code, found.country, found.state


def merge_posting(held: Posting, new: Posting) -> Posting:
    """What is held of a posting after it was stated again.

    The row as of the later day counts, as of one day the one that came last; what it leaves out stays as it was.
    """
    newer, older = (held, new) if new.seen < held.seen else (new, held)
    return _filled(newer, older)


def _filled(over: Posting, under: Posting) -> Posting:
    """A posting with what it lacks from another; a place goes together."""
    if over.country is None:
        over = over._replace(
            country_code=under.country_code,
            state_code=under.state_code,
            country=under.country,
            state=under.state,
        )
    return over._replace(
        department=under.department if over.department == OTHER else over.department,
        closed=over.closed or under.closed,
    )
