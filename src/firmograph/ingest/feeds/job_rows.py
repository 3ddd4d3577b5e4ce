"""Rows of job postings: conversion to postings, and merging with the stored ones."""

from functools import lru_cache
from typing import NamedTuple

import msgspec

from firmograph.directory.normalise.locations import normalise_location
from firmograph.directory.records import CompanyRef
from firmograph.directory.titles.derivation import derive_departments, derive_seniority
from firmograph.directory.titles.spellings import normalise_department
from firmograph.ingest.feeds.companies import parse_company
from firmograph.ingest.reading.inputs import CompanyRefInput, Scalar, Text
from firmograph.ingest.records.locations import place
from firmograph.ingest.records.preparation import Unusable
from firmograph.ingest.records.values import day, label, read_source_id
from firmograph.signals.hiring.store import Posting

OTHER = "Other"


class JobRow(msgspec.Struct, rename="camel"):
    company: CompanyRefInput | str | None = None
    posting_id: Scalar = None
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
    """With an empty `seen`, which rows do not state."""


def parse_job(line_number: int, row: JobRow) -> JobFact:
    """Return the posting of a row, without unreadable values. Raise Unusable when a required value is missing."""
    company = parse_company(row.company)
    posting_id, title = read_source_id(row.posting_id), label(row.title)
    if not posting_id:
        raise Unusable("postingId: missing")
    if title is None:
        raise Unusable("title: missing")
    opened = day(row.open_date)
    if opened is None:
        raise Unusable(f"openDate: {'not a date' if row.open_date else 'missing'}")
    posting = Posting(
        posting_id,
        _department(label(row.department), title),
        derive_seniority(title),
        *_location(place(row.country), place(row.state), label(row.city)),
        opened,
        day(row.close_date),
        "",
    )
    return JobFact(line_number, company, posting)


def _department(given: str | None, title: str) -> str:
    """Return one of the 16 departments: the given one if it is recognised, else the first that the title shows."""
    known = normalise_department(given) if given else None
    return known or next(iter(derive_departments(title)), OTHER)


@lru_cache(maxsize=16_384)
def _location(
    country: str | None, state: str | None, city: str | None
) -> tuple[str | None, str | None, str | None, str | None]:
    """Return codes, then English names, of country and state; four None without a country."""
    found = normalise_location(country, None, state, None, city, None, None, None)
    if found is None or not found.country:
        return None, None, None, None
    return found.country_iso2, found.state_code, found.country, found.state


def merge_posting(stored: Posting, new: Posting) -> Posting:
    """Return a stored posting after it was imported again.

    The later import day wins, on one day the later arrival; missing values come from the other posting.
    """
    newer, older = (stored, new) if new.seen < stored.seen else (new, stored)
    return _fill_missing(newer, older)


def _fill_missing(over: Posting, under: Posting) -> Posting:
    """Return a posting with missing values from another; a location is filled as a whole."""
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
