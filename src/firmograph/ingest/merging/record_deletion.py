"""Deletion of records that no source states any more (docs/reference/records.md#deleted-records).

A company that contacts still name stays under its number, as a stub of what a contact says of it. One that only other
companies name as owner or competitor goes, and these are linked anew. What the other packages do when a record goes is
declared in their `personal_data.py`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.identity import Digests
from firmograph.directory.row_keys import STUB_SOURCE
from firmograph.ingest.merging import store
from firmograph.ingest.merging.companies import CompanyBatch
from firmograph.ingest.merging.company_linking import Linker, stub_record
from firmograph.ingest.merging.company_mentions import CompanyMentions
from firmograph.ingest.merging.company_state import CompanyState
from firmograph.ingest.merging.contact_state import ContactKeys, ContactState, named_employers
from firmograph.ingest.merging.derivation_batches import CompanyDerivation
from firmograph.ingest.merging.record_state import rewrite_records
from firmograph.ingest.merging.source_history import Row
from firmograph.ingest.records.company_keys import STUB_SOURCE_NUMBER, stub_source_id
from firmograph.ingest.records.prepared_rows import ReferencedCompany
from firmograph.privacy.erasing import Erasers
from firmograph.security.record_ids import Entity

_encode = msgspec.json.Encoder().encode


class DeletedCompanies(NamedTuple):
    """Result of a deletion of companies."""

    deleted: set[int]
    stubs: set[int]
    """Companies that stay as stubs, because others name them."""
    named: set[int]
    """Owners and competitors of the deleted ones; stubs among them may be named by nobody any more."""


class RecordDeletion:
    """Deletion of records inside the caller's transaction of the scope RECORDS.

    Contacts go before companies, and `CompanyMentions` is read in between, so that no contact that goes keeps its
    employer.
    """

    def __init__(self, digests: Digests, erasers: Erasers) -> None:
        self._digests = digests
        self._erasers = erasers

    def delete_contacts(self, session: Session, numbers: Collection[int], at: float) -> set[int]:
        """Delete contacts with all their rows; return their employers, which nobody may name any more."""
        contacts = _read_contacts(session, numbers)
        keys = ContactKeys(self._digests, _source_names(session))
        self._erasers.delete(
            session, Entity.CONTACT, {one.number: self._contact_keys(keys, one) for one in contacts}, at
        )
        employers = {row.company_id for one in contacts for row in one.rows.values()}
        return {
            number for number in (*employers, *(one.company_id for one in contacts)) if number is not None
        }

    def _contact_keys(self, keys: ContactKeys, contact: ContactState) -> set[bytes]:
        pages = (self._digests.contact_page_name(*each) for each in keys.named_pages(contact))
        return keys.all_keys(contact).union(pages)

    def delete_companies(
        self, session: Session, mentions: CompanyMentions, numbers: Collection[int], at: float
    ) -> DeletedCompanies:
        """Take all rows of sources from companies, and delete those that no contact or earlier stub keeps."""
        return self._delete(session, mentions, numbers, at, lambda company: True)

    def delete_unnamed_stubs(
        self, session: Session, mentions: CompanyMentions, numbers: Collection[int], at: float
    ) -> DeletedCompanies:
        """Delete those of these companies that are stubs and that nobody names; leave all others."""
        return self._delete(session, mentions, numbers, at, _is_mentioned_only)

    def _delete(
        self,
        session: Session,
        mentions: CompanyMentions,
        numbers: Collection[int],
        at: float,
        is_meant: Callable[[CompanyState], bool],
    ) -> DeletedCompanies:
        mentions.follow(session)
        linker, sources = Linker(self._digests), store.number_sources(session, STUB_SOURCE)
        linker.begin(session)
        batch = _Companies(session, self._digests, linker, sources, STUB_SOURCE, "")
        companies = {one.number: one for one in batch.read(numbers) if is_meant(one)}
        stubs = batch.stubs(mentions, companies)
        deleted = companies.keys() - stubs.keys()
        relations = [*store.read_relations(session, deleted)]
        naming = (
            {by for number in deleted for by in mentions.related(session, number)} - deleted - stubs.keys()
        )
        self._erasers.delete(session, Entity.COMPANY, {number: batch.keys(number) for number in deleted}, at)
        batch.rewrite(stubs)
        if naming:
            derivation = CompanyDerivation(session, self._digests, linker, sources, STUB_SOURCE, "")
            derivation.derive(sorted(naming), lambda: True)
        linker.end(session)
        return DeletedCompanies(deleted, {*stubs}, {named for named, _ in relations} - deleted)


class _Companies(CompanyBatch):
    """Companies whose rows of sources go."""

    def read(self, numbers: Collection[int]) -> Iterable[CompanyState]:
        self._load_records(sorted(numbers))
        return self._companies.values()

    def keys(self, number: int) -> set[bytes]:
        return self._keys.all_keys(self._companies[number])

    def stubs(self, mentions: CompanyMentions, going: Collection[int]) -> dict[int, ReferencedCompany | None]:
        """Return the companies that stay as stubs, with what a contact says of one that is not a stub yet."""
        found: dict[int, ReferencedCompany | None] = {}
        for number in going:
            employee = mentions.employee(self._session, number)
            if any(source == STUB_SOURCE_NUMBER for source, _ in self._companies[number].rows):
                if employee is not None or mentions.related(self._session, number).difference(going):
                    found[number] = None
            elif employee is not None and (said := self._said_by(employee, number)):
                found[number] = said
        return found

    def _said_by(self, contact: int, company: int) -> ReferencedCompany | None:
        (state,) = _read_contacts(self._session, [contact])
        return next(iter(named_employers(self._digests, state, company).values()), None)

    def rewrite(self, stubs: Mapping[int, ReferencedCompany | None]) -> None:
        """Write companies as the stubs that they are without the rows of sources."""
        changed = {}
        for number, said in stubs.items():
            company = self._companies[number]
            stored = dict(company.rows)
            company.keys = self._keys.all_keys(company)
            company.fill_rows()
            company.rows = {slot: row for slot, row in company.rows.items() if slot[0] == STUB_SOURCE_NUMBER}
            if said:
                row = Row(b"", "", None, _encode(stub_record(said)), None)
                company.rows[STUB_SOURCE_NUMBER, stub_source_id(said)] = row
            self._merge(company)
            company.find_changed_rows(stored)
            if company.changed_rows:
                changed[number] = company
        self._companies = changed
        self._link_related()
        rewrite_records(self._session, Entity.COMPANY, changed.values(), self._keys.all_keys, ())


def _is_mentioned_only(company: CompanyState) -> bool:
    return all(source == STUB_SOURCE_NUMBER for source, _ in company.rows)


def _source_names(session: Session) -> dict[int, str]:
    return {number: name for name, number in store.number_sources(session, STUB_SOURCE).items()}


def _read_contacts(session: Session, numbers: Collection[int]) -> list[ContactState]:
    """Return those of the contacts that exist, with their rows."""
    ids = sorted(numbers)
    rows = store.read_rows(session, Entity.CONTACT, ids)
    contacts = []
    for number, (company_id, parts) in store.read_contact_parts(session, ids).items():
        contact = ContactState(number)
        contact.company_id, contact.parts, contact.rows = company_id, parts, rows[number]
        contacts.append(contact)
    return contacts
