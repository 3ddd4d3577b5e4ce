"""Rows of suppressed people in a batch of contacts (docs/reference/records.md#suppression)."""

from collections.abc import Iterable, Sequence

from firmograph.database.connection import Session
from firmograph.directory.company_names import company_keys
from firmograph.directory.identity import Digests
from firmograph.directory.names import full_name_key
from firmograph.directory.suppressed_names import asked_name_forms, asked_name_variants
from firmograph.ingest.merging import store
from firmograph.ingest.merging.contact_rows import KeyedContactRow


def suppressed_lines(session: Session, digests: Digests, rows: Sequence[KeyedContactRow]) -> set[int]:
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
