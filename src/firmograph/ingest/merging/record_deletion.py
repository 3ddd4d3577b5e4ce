"""Deletion of records that no source states any more (docs/reference/records.md#deleted-records).

A company that contacts still name stays under its number, as a stub of what a contact says of it. One that only other
companies name as owner or competitor goes, and these are linked again, unless it is the stub that they name. What the
other packages do when a record goes is declared in their `personal_data.py`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.company_json import decode_company
from firmograph.directory.identity import Digests
from firmograph.directory.record_store import source_names
from firmograph.directory.row_keys import STUB_SOURCE
from firmograph.ingest.merging import store
from firmograph.ingest.merging.companies import CompanyBatch
from firmograph.ingest.merging.company_linking import Linker, stub_record
from firmograph.ingest.merging.company_mentions import CompanyMentions
from firmograph.ingest.merging.company_state import CompanyState
from firmograph.ingest.merging.company_survival import are_mentions, named_companies, stub_bodies
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
    """Owners and competitors of the deleted ones, and of those that named these; stubs among them may soon be named by
    nobody."""


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
        keys = ContactKeys(self._digests, source_names(session))
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
        """Take all rows from companies, and delete those that nobody names; the others stay as stubs."""
        return self._delete(session, mentions, numbers, at, lambda company: True)

    def delete_unnamed_stubs(
        self, session: Session, mentions: CompanyMentions, numbers: Collection[int], at: float
    ) -> DeletedCompanies:
        """Delete those of these companies that are stubs and that nobody names; leave all others."""
        return self._delete(session, mentions, numbers, at, _is_mentioned_only)

    def restate_mentions(
        self, session: Session, mentions: CompanyMentions, numbers: Collection[int]
    ) -> set[int]:
        """Put what others say of companies with rows of sources in place of what deleted records said of them.

        Return the companies that changed.
        """
        mentions.add_changes(session)
        linker, sources = Linker(self._digests), store.number_sources(session, STUB_SOURCE)
        linker.begin(session)
        batch = _Companies(session, self._digests, linker, sources, STUB_SOURCE, "")
        companies = batch.read(numbers, _is_mentioned_too)
        related = mentions.related(session, companies)
        said = batch.stubs(mentions.employees(session, companies), related)
        changed = batch.rewrite({number: said.get(number) for number in companies}, with_rows=True)
        naming = set[int]().union(*(related.get(number, ()) for number in changed - said.keys()))
        self._link_again(session, linker, sources, naming)
        linker.end(session)
        return changed

    def _delete(
        self,
        session: Session,
        mentions: CompanyMentions,
        numbers: Collection[int],
        at: float,
        is_meant: Callable[[CompanyState], bool],
    ) -> DeletedCompanies:
        mentions.add_changes(session)
        linker, sources = Linker(self._digests), store.number_sources(session, STUB_SOURCE)
        linker.begin(session)
        batch = _Companies(session, self._digests, linker, sources, STUB_SOURCE, "")
        companies = batch.read(numbers, is_meant)
        related = mentions.related(session, companies)
        stubs = batch.stubs(mentions.employees(session, companies), related)
        deleted = set(companies) - stubs.keys()
        named = {named for named, _ in store.read_relations(session, deleted)}
        naming = set[int]().union(*(related.get(number, ()) for number in deleted)).difference(companies)
        batch.rewrite(stubs)
        self._erasers.delete(session, Entity.COMPANY, {number: batch.keys(number) for number in deleted}, at)
        self._link_again(session, linker, sources, naming)
        linker.end(session)
        named.update(relation[0] for relation in store.read_relations(session, naming))
        return DeletedCompanies(deleted, {*stubs}, named - deleted)

    def _link_again(
        self, session: Session, linker: Linker, sources: dict[str, int], naming: Collection[int]
    ) -> None:
        """Link the owners and competitors of companies again."""
        if naming:
            derivation = CompanyDerivation(session, self._digests, linker, sources, STUB_SOURCE, "")
            derivation.derive(sorted(naming), lambda: True)


class _Companies(CompanyBatch):
    """Companies whose rows of sources go."""

    def read(self, numbers: Collection[int], is_meant: Callable[[CompanyState], bool]) -> Collection[int]:
        """Load those of the companies that exist and are meant; return their numbers."""
        self._load_records(sorted(numbers))
        self._companies = {number: one for number, one in self._companies.items() if is_meant(one)}
        return self._companies.keys()

    def keys(self, number: int) -> set[bytes]:
        return self._keys.all_keys(self._companies[number])

    def stubs(
        self, employees: Mapping[int, int], related: Mapping[int, Collection[int]]
    ) -> dict[int, ReferencedCompany]:
        """Return the companies that stay as stubs, with what a contact or another company says of each.

        For other companies' sake only a stub stays that one of them names in the same words: otherwise these are linked
        again, so that nothing remains of what only deleted records said.
        """
        contacts = {one.number: one for one in _read_contacts(self._session, set(employees.values()))}
        others = set[int]().union(*related.values()).difference(self._companies)
        parts = store.read_company_parts(self._session, sorted(others))
        found: dict[int, ReferencedCompany] = {}
        for number, company in self._companies.items():
            said: Iterable[ReferencedCompany] = ()
            if number in employees:
                said = named_employers(self._digests, contacts[employees[number]], number).values()
            elif bodies := stub_bodies(company):
                refs = (
                    ref
                    for by in related.get(number, ())
                    if by in parts
                    for ref in named_companies(self._digests, decode_company(parts[by]))
                )
                said = (ref for ref in refs if _encode(stub_record(ref)) in bodies)
            for ref in said:
                found.setdefault(number, ref)
        return found

    def rewrite(self, stubs: Mapping[int, ReferencedCompany | None], *, with_rows: bool = False) -> set[int]:
        """Write companies by what is said of them, and `with_rows` also by their sources; return those that changed."""
        changed = {}
        for number, said in stubs.items():
            company = self._companies[number]
            if said is None and _is_mentioned_only(company):
                continue
            stored = dict(company.rows)
            company.keys = self._keys.all_keys(company)
            company.fill_rows()
            own = {slot: row for slot, row in company.rows.items() if slot[0] != STUB_SOURCE_NUMBER}
            company.rows = own if with_rows else {}
            if said:
                row = Row(b"", "", None, _encode(stub_record(said)), None)
                company.rows[STUB_SOURCE_NUMBER, stub_source_id(said)] = row
            self._merge(company)
            company.find_changed_rows(stored)
            if company.changed or company.changed_rows:
                changed[number] = company
        self._link_related()
        rewrite_records(self._session, Entity.COMPANY, changed.values(), self._keys.all_keys, ())
        return {*changed}


def _is_mentioned_only(company: CompanyState) -> bool:
    return are_mentions(company.rows)


def _is_mentioned_too(company: CompanyState) -> bool:
    """Return whether both sources and other records state a company."""
    return len({source == STUB_SOURCE_NUMBER for source, _ in company.rows}) == 2


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
