"""SQL that reads records by key or number for responses."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from firmograph.database.columns import column_in
from firmograph.database.connection import Row, Session
from firmograph.directory.tables import (
    companies,
    company_keys,
    company_parents,
    contact_keys,
    contacts,
    suppressions,
)


class LookupContact(NamedTuple):
    """Stored parts of a contact for a preview."""

    number: int
    company_id: int | None
    preview: bytes
    has_emails: int
    has_phones: int
    company_summary: bytes | None
    """Content of its `company` object."""


class ContactSummary(NamedTuple):
    """Stored parts of a contact for a preview with the full name."""

    number: int
    company_id: int | None
    preview: bytes
    profile: bytes
    company_summary: bytes | None


class ContactProfile(NamedTuple):
    """Stored parts of an enriched contact."""

    number: int
    company_id: int | None
    profile: bytes
    emails: bytes | None
    phones: bytes | None
    company_summary: bytes | None

    def without(self, unit: str) -> "ContactProfile":
        """Return the profile without its e-mails or phones."""
        return self._replace(emails=None) if unit == "emails" else self._replace(phones=None)


class EmployedContact(NamedTuple):
    """Stored parts of a contact for legacy answers, and of the employer."""

    contact: ContactProfile
    extras: bytes | None
    """What only legacy answers show (`contact_json.py`)."""
    employer: bytes | None
    """Profile of the employer."""


class LookupCompany(NamedTuple):
    number: int
    preview: bytes
    partial: int
    tokens: int


class CompanyProfile(NamedTuple):
    number: int
    profile: bytes
    premium: bytes | None
    tokens: int
    preview: bytes


_most = sa.bindparam("most", type_=sa.Integer)
_employed = contacts.outerjoin(companies, companies.c.id == contacts.c.company_id)
_found_contact = (
    contacts.c.id,
    contacts.c.company_id,
    contacts.c.preview,
    contacts.c.emails.is_not(None),
    contacts.c.phones.is_not(None),
    companies.c.card,
)
_found_company = (companies.c.id, companies.c.preview, companies.c.partial, companies.c.tokens)

_contacts_by_key = (
    sa.select(contact_keys.c.digest, *_found_contact)
    .select_from(contact_keys.join(_employed, contact_keys.c.contact_id == contacts.c.id))
    .where(column_in(contact_keys.c.digest, "digests"))
    .order_by(contact_keys.c.digest)
    .limit(_most)
)
_contacts_by_number = (
    sa.select(*_found_contact).select_from(_employed).where(column_in(contacts.c.id, "numbers"))
)
_contact_profile = (
    contacts.c.id,
    contacts.c.company_id,
    contacts.c.profile,
    contacts.c.emails,
    contacts.c.phones,
    companies.c.card,
)
_contact_summaries = (
    sa.select(contacts.c.id, contacts.c.company_id, contacts.c.preview, contacts.c.profile, companies.c.card)
    .select_from(_employed)
    .where(column_in(contacts.c.id, "numbers"))
)
_profiles = sa.select(*_contact_profile).select_from(_employed).where(column_in(contacts.c.id, "numbers"))
_employed_contacts = (
    sa.select(*_contact_profile, contacts.c.extras, companies.c.profile)
    .select_from(_employed)
    .where(column_in(contacts.c.id, "numbers"))
)
_existing_contacts = sa.select(contacts.c.id).where(column_in(contacts.c.id, "numbers"))
_companies_by_key = (
    sa.select(company_keys.c.digest, *_found_company)
    .select_from(company_keys.join(companies, company_keys.c.company_id == companies.c.id))
    .where(column_in(company_keys.c.digest, "digests"))
    .order_by(company_keys.c.digest)
    .limit(_most)
)
_companies_by_number = sa.select(*_found_company).where(column_in(companies.c.id, "numbers"))
_company_numbers = (
    sa.select(company_keys.c.digest, company_keys.c.company_id)
    .where(column_in(company_keys.c.digest, "digests"))
    .order_by(company_keys.c.digest)
    .limit(_most)
)
_contact_numbers = (
    sa.select(contact_keys.c.digest, contact_keys.c.contact_id)
    .where(column_in(contact_keys.c.digest, "digests"))
    .order_by(contact_keys.c.digest)
    .limit(_most)
)
_company_profiles = sa.select(
    companies.c.id,
    companies.c.profile,
    companies.c.premium,
    companies.c.tokens,
    companies.c.preview,
).where(column_in(companies.c.id, "numbers"))
_company_extras = sa.select(companies.c.id, companies.c.extras).where(column_in(companies.c.id, "numbers"))
_existing_companies = sa.select(companies.c.id).where(column_in(companies.c.id, "numbers"))
_suppressed = sa.select(suppressions.c.digest).where(
    column_in(suppressions.c.digest, "digests"), suppressions.c.strong == 1
)


def _select_ownership() -> sa.Select[tuple[int, int, int, int]]:
    """Return the query of all ownership edges above some companies; a union, so that cycles end."""
    edge = company_parents
    start = sa.select(
        edge.c.company_id.label("start"), edge.c.company_id, edge.c.parent_id, edge.c.role
    ).where(column_in(edge.c.company_id, "numbers"))
    up = start.cte("up", recursive=True)
    above = edge.alias("above")
    up = up.union(
        sa.select(up.c.start, above.c.company_id, above.c.parent_id, above.c.role).join(
            above, above.c.company_id == up.c.parent_id
        )
    )
    return sa.select(up.c.start, up.c.company_id, up.c.parent_id, up.c.role)


_ownership = _select_ownership()


MAX_HOLDERS = 10_000
"""Maximum records of a key; a key with more finds nobody."""
_MOST_PASSES = 5
"""Maximum queries of a call that continue after a key with too many records."""
_BATCH = 16_384


def _holders(session: Session, statement: sa.Select[Any], digests: Collection[bytes]) -> list[Row]:
    """Return the rows of each key, none of a key with too many records, so that a call reads a bounded number."""
    rows: list[Row] = []
    remaining, passes = sorted(digests), 0
    while remaining and passes <= _MOST_PASSES:
        batch = remaining[:_BATCH]
        some = session.all(statement, {"digests": batch, "most": MAX_HOLDERS + 1})
        if len(some) <= MAX_HOLDERS:
            rows = rows + some if rows else some
            remaining = remaining[_BATCH:]
        else:
            # rows are ordered by key, so only those of the last key are incomplete
            last, passes = some[-1][0], passes + 1
            rows += [row for row in some if row[0] != last]
            alone = some[0][0] == last
            remaining = remaining[bisect_right(remaining, last) if alone else bisect_left(remaining, last) :]
    return rows


def contacts_by_key(session: Session, digests: Collection[bytes]) -> dict[bytes, list[LookupContact]]:
    found: dict[bytes, list[LookupContact]] = defaultdict(list)
    for digest, *rest in _holders(session, _contacts_by_key, digests):
        found[digest].append(LookupContact(*rest))
    return found


def contacts_by_number(session: Session, numbers: Collection[int]) -> dict[int, LookupContact]:
    rows = session.all_in(_contacts_by_number, "numbers", list(numbers))
    return {row[0]: LookupContact(*row) for row in rows}


def contact_summaries(session: Session, numbers: Collection[int]) -> dict[int, ContactSummary]:
    rows = session.all_in(_contact_summaries, "numbers", list(numbers))
    return {row[0]: ContactSummary(*row) for row in rows}


def contact_profiles(session: Session, numbers: Collection[int]) -> dict[int, ContactProfile]:
    rows = session.all_in(_profiles, "numbers", list(numbers))
    return {row[0]: ContactProfile(*row) for row in rows}


def employed_contacts(session: Session, numbers: Collection[int]) -> dict[int, EmployedContact]:
    rows = session.all_in(_employed_contacts, "numbers", list(numbers))
    return {row[0]: EmployedContact(ContactProfile(*row[:6]), row[6], row[7]) for row in rows}


def existing_contacts(session: Session, numbers: Collection[int]) -> set[int]:
    """Return those of the numbers that have a record."""
    return {row[0] for row in session.all_in(_existing_contacts, "numbers", list(numbers))}


def companies_by_key(session: Session, digests: Collection[bytes]) -> dict[bytes, list[LookupCompany]]:
    found: dict[bytes, list[LookupCompany]] = defaultdict(list)
    for digest, *rest in _holders(session, _companies_by_key, digests):
        found[digest].append(LookupCompany(*rest))
    return found


def companies_by_number(session: Session, numbers: Collection[int]) -> dict[int, LookupCompany]:
    rows = session.all_in(_companies_by_number, "numbers", list(numbers))
    return {row[0]: LookupCompany(*row) for row in rows}


def company_numbers(session: Session, digests: Collection[bytes]) -> dict[bytes, list[int]]:
    found: dict[bytes, list[int]] = defaultdict(list)
    for digest, number in _holders(session, _company_numbers, digests):
        found[digest].append(number)
    return found


def contact_numbers(session: Session, digests: Collection[bytes]) -> dict[bytes, list[int]]:
    found: dict[bytes, list[int]] = defaultdict(list)
    for digest, number in _holders(session, _contact_numbers, digests):
        found[digest].append(number)
    return found


def company_profiles(session: Session, numbers: Collection[int]) -> dict[int, CompanyProfile]:
    rows = session.all_in(_company_profiles, "numbers", list(numbers))
    return {row[0]: CompanyProfile(*row) for row in rows}


def company_extras(session: Session, numbers: Collection[int]) -> dict[int, bytes | None]:
    """Return what is stored of companies and never answered with them (`company_json.py`), by number."""
    return {row[0]: row[1] for row in session.all_in(_company_extras, "numbers", list(numbers))}


def existing_companies(session: Session, numbers: Collection[int]) -> set[int]:
    """Return those of the numbers that have a record."""
    return {row[0] for row in session.all_in(_existing_companies, "numbers", list(numbers))}


def ownership_edges(session: Session, numbers: Sequence[int]) -> dict[int, dict[int, dict[int, int]]]:
    """Return for each company the parents of every company in the chain above it, with their roles."""
    edges: dict[int, dict[int, dict[int, int]]] = {}
    for start, company, parent, role in session.all_in(_ownership, "numbers", numbers):
        edges.setdefault(start, {}).setdefault(company, {})[parent] = role
    return edges


def suppressed_digests(session: Session, digests: Collection[bytes]) -> set[bytes]:
    """Return those of the strong keys that are suppressed."""
    if not digests:
        return set()
    return {row[0] for row in session.all_in(_suppressed, "digests", list(digests))}
