"""Rows of suppressed people in a batch of contacts (docs/reference/records.md#suppression)."""

from collections.abc import Iterable, Sequence

from firmograph.database.connection import Session
from firmograph.directory.company_names import company_keys
from firmograph.directory.contact_json import encode_contact
from firmograph.directory.identity import Digests
from firmograph.directory.names import full_name_key
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.records import Contact
from firmograph.directory.row_keys import email_digests
from firmograph.directory.suppressed_names import asked_name_forms, asked_name_variants
from firmograph.ingest.merging import store
from firmograph.ingest.merging.contact_rows import KeyedContactRow
from firmograph.ingest.records.company_keys import referenced_company
from firmograph.ingest.records.prepared_rows import PreparedContact
from firmograph.privacy.deletion_lists.listed_hashes import contact_digests, has_lists, listed_among


def suppressed_lines(session: Session, digests: Digests, rows: Sequence[KeyedContactRow]) -> set[int]:
    """Return the lines of people who are suppressed, or on a deletion list."""
    lines = _listed_lines(session, digests, rows)
    return lines | _lines_by_key(session, digests, [row for row in rows if row.prepared.line not in lines])


def _listed_lines(session: Session, digests: Digests, rows: Sequence[KeyedContactRow]) -> set[int]:
    """Return the lines with an address or a number whose hash is on a deletion list."""
    if not has_lists(session):
        return set()
    asked = {row.prepared.line: contact_digests(digests, row.prepared.fragments) for row in rows}
    return set(listed_among(session, asked))


def _lines_by_key(session: Session, digests: Digests, rows: Sequence[KeyedContactRow]) -> set[int]:
    """Return the lines of suppressed people: by a strong key or mailbox; without a strong key by the name."""
    if not store.has_suppressions(session):
        return set()
    strong = {key for row in rows for key in row.strong}
    names = {row.prepared.line: _name_keys(digests, row) for row in rows if not row.strong}
    weak = set().union(*names.values())
    hits = store.suppressed_keys(session, strong, strong=True)
    hits |= store.suppressed_keys(session, weak, strong=False)
    lines = {row.prepared.line for row in rows if not hits.isdisjoint(row.strong or names[row.prepared.line])}
    lines |= _lines_by_mailbox(session, digests, [row for row in rows if row.prepared.line not in lines])
    return lines


def _name_keys(digests: Digests, row: KeyedContactRow) -> set[bytes]:
    prepared = row.prepared
    employer = prepared.employer
    names = (*company_keys(employer.name), employer.domain) if employer else ()
    companies = [name for name in names if name]
    full_name = full_name_key(prepared.first_name, prepared.last_name)
    variants = asked_name_variants(prepared.first_name, prepared.last_name)
    return {digests.contact_name_company(full_name, company) for company in companies} | {
        digests.contact_name_variant(variant, company) for variant in variants for company in companies
    }


def _lines_by_mailbox(session: Session, digests: Digests, rows: Iterable[KeyedContactRow]) -> set[int]:
    """Return the lines with an address of a suppressed mailbox, unless both names contradict."""
    keys = {row.prepared.line: {*row.prepared.mailbox_digests, *row.prepared.bare_digests} for row in rows}
    people = store.suppressed_people(session, set().union(*keys.values()))
    asked = [
        (row, asked_name_forms(digests, person, *row.names()))
        for row in rows
        for person in set().union(*(people.get(key, ()) for key in keys[row.prepared.line]))
    ]
    forms = {form for _, each in asked for form in each.all()}
    held = store.suppressed_keys(session, forms, strong=False)
    return {row.prepared.line for row, each in asked if not each.contradict(held)}


def suppressed_records(
    session: Session, digests: Digests, source: str, records: Sequence[tuple[str, Contact]]
) -> set[int]:
    """Return which rows of a source, given with their source ids as they are stored, are of suppressed people."""
    if not (store.has_suppressions(session) or has_lists(session)):
        return set()
    rows = [_keyed(digests, source, index, *each) for index, each in enumerate(records)]
    return suppressed_lines(session, digests, rows)


def _keyed(digests: Digests, source: str, line: int, source_id: str, record: Contact) -> KeyedContactRow:
    """Return a stored row with the keys that a file's row has."""
    page = record.social_links and record.social_links.linkedin
    slug = linkedin_slug(page, "in") if page else None
    return KeyedContactRow(
        PreparedContact(
            line,
            source_id,
            b"",
            "",
            b"",
            digests.contact_source(source, source_id) if source_id else None,
            digests.contact_linkedin(slug) if slug else None,
            *email_digests(digests, record.emails),
            record.first_name or "",
            record.last_name or "",
            referenced_company(digests, record.company) if record.company else None,
            encode_contact(record),
            [],
            (),
        )
    )
