"""Prepared rows for tests of the writing half of ingest, made from canonical records."""

import hashlib
from collections.abc import Sequence

import msgspec

from firmograph.database.connection import Database
from firmograph.directory.company_json import encode_company
from firmograph.directory.contact_json import encode_contact
from firmograph.directory.identity import Digests
from firmograph.directory.names import stored_blocking_keys
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.records import Company, CompanyRef, Contact, Email, JobTitle, SocialLinks
from firmograph.directory.row_keys import email_digests
from firmograph.directory.spelling_keys import stored_spelling_keys
from firmograph.ingest.imports.runs import ImportRun
from firmograph.ingest.records.company_keys import referenced_company
from firmograph.ingest.records.prepared_rows import PreparedCompany, PreparedContact
from firmograph.ingest.service import Importer
from firmograph.ingest.summary import RowResult, Summary
from firmograph.kit.clock import SetClock
from firmograph.security.keyring import Keyring

KEYRING = Keyring(hash="ab" * 32, tokens={1: "cd" * 32})
DIGESTS = Digests(KEYRING)
_EMAIL_FIELDS = ("email_digests", "role_digests", "mailbox_digests", "bare_digests")


def contact(
    first: str = "Jane",
    last: str = "Doe",
    *,
    emails: Sequence[str] = (),
    linkedin: str | None = None,
    company: str | CompanyRef | None = None,
    title: str | None = None,
    day: str | None = None,
    **fields: object,
) -> Contact:
    """Return a contact with the fields that tests vary."""
    return Contact(
        first_name=first,
        last_name=last,
        full_name=f"{first} {last}",
        emails=[Email(email=email, type="work") for email in emails],
        social_links=SocialLinks(linkedin=linkedin) if linkedin else None,
        company=CompanyRef(name=company) if isinstance(company, str) else company,
        job_title=JobTitle(title=title) if title else None,
        update_date=day,
        **fields,  # type: ignore[arg-type]
    )


def prepared_contact(record: Contact, source: str, source_id: str = "", line: int = 1) -> PreparedContact:
    row = msgspec.json.encode(record)
    slug = linkedin_slug(record.social_links.linkedin, "in") if record.social_links else None
    return PreparedContact(
        line=line,
        source_id=source_id,
        version=hashlib.blake2b(row, digest_size=8).digest(),
        day=record.update_date or "",
        row=row,
        source_digest=DIGESTS.contact_source(source, source_id) if source_id else None,
        linkedin_digest=DIGESTS.contact_linkedin(slug) if slug else None,
        **dict(zip(_EMAIL_FIELDS, email_digests(DIGESTS, record.emails), strict=True)),
        first_name=record.first_name or "",
        last_name=record.last_name or "",
        employer=referenced_company(DIGESTS, record.company) if record.company else None,
        fragments=encode_contact(record),
        blocking_keys=stored_blocking_keys(record.first_name or "", record.last_name or ""),
        spelling_keys=stored_spelling_keys(record.first_name or "", record.last_name or ""),
    )


def prepared_company(record: Company, source: str, source_id: str = "", line: int = 1) -> PreparedCompany:
    row = msgspec.json.encode(record)
    links = record.social_links
    place = record.location
    own = referenced_company(
        DIGESTS,
        CompanyRef(
            name=record.name,
            domain=record.domain,
            linkedin_url=links.linkedin if links else None,
            country_iso2=place.country_iso2 if place else None,
        ),
    )
    assert own is not None
    return PreparedCompany(
        line=line,
        source_id=source_id,
        version=hashlib.blake2b(row, digest_size=8).digest(),
        day=record.update_date or "",
        row=row,
        own=own,
        source_digest=DIGESTS.company_source(source, source_id) if source_id else None,
        fragments=encode_company(record),
    )


def load_contacts(
    database: Database,
    source: str,
    records: Sequence[Contact | tuple[str, Contact]],
    clock: SetClock | None = None,
    run: ImportRun | None = None,
) -> Summary:
    """Import contacts, each alone or with its source id."""
    importer = Importer(database, KEYRING, clock or SetClock(), source, run=run)
    rows = []
    for line, record in enumerate(records, 1):
        source_id, one = record if isinstance(record, tuple) else ("", record)
        rows.append(prepared_contact(one, source, source_id, line))
    return _summed(outcome for outcomes in importer.import_contacts(rows) for outcome in outcomes)


def load_companies(
    database: Database,
    source: str,
    records: Sequence[Company | tuple[str, Company]],
    clock: SetClock | None = None,
) -> Summary:
    importer = Importer(database, KEYRING, clock or SetClock(), source)
    rows = []
    for line, record in enumerate(records, 1):
        source_id, one = record if isinstance(record, tuple) else ("", record)
        rows.append(prepared_company(one, source, source_id, line))
    return _summed(outcome for outcomes in importer.import_companies(rows) for outcome in outcomes)


def _summed(outcomes: object) -> Summary:
    summary = Summary()
    for outcome in outcomes:  # type: ignore[attr-defined]
        assert isinstance(outcome, RowResult)
        summary.read += 1
        summary.count(outcome)
    return summary
