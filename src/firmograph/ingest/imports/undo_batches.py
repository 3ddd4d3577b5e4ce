"""Batches of records whose rows are put back to an earlier state."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.identity import Digests
from firmograph.directory.records import Contact
from firmograph.ingest.merging import store
from firmograph.ingest.merging.companies import CompanyBatch
from firmograph.ingest.merging.contact_state import ContactState
from firmograph.ingest.merging.contacts import ContactBatch
from firmograph.ingest.merging.present_titles import renew_titles
from firmograph.ingest.merging.record_state import RecordState, write_records, write_rows_and_keys
from firmograph.ingest.merging.source_history import Row, RowSlot
from firmograph.ingest.records.company_keys import referenced_company
from firmograph.ingest.records.prepared_rows import ReferencedCompany
from firmograph.security.record_ids import Entity

_decode = msgspec.json.Decoder(Contact).decode

RowsByRecord = Mapping[int, Mapping[RowSlot, Row | None]]
"""New rows by record and slot, None for those that go."""

S = TypeVar("S", bound=RecordState)


class ContactRestore(ContactBatch):
    """Contacts whose rows are put back."""

    def restore(self, rows: RowsByRecord) -> int:
        """Put rows of records back that keep at least one; write the records, and return how many there are."""
        self._load_records(sorted(rows))
        pages = {number: self._page_names(self._contacts[number]) for number in rows}
        for number, changes in self._relink(rows).items():
            contact = self._contacts[number]
            self._compute_keys(contact)
            # rows of before an upgrade have titles as they were derived then
            renewed = {slot: row and renew_titles(row) for slot, row in changes.items()}
            _put_rows(contact, renewed, self._merge_rows)
        batch = self._contacts.values()
        keys = {one.number: self._keys.all_keys(one) for one in batch}
        strong = {one.number: keys[one.number] - self._keys.shared_keys(one) for one in batch}
        withheld = _held_elsewhere(self._session, Entity.CONTACT, self._contacts, strong)
        write_records(self._session, Entity.CONTACT, batch)
        write_rows_and_keys(self._session, Entity.CONTACT, batch, lambda one: keys[one.number], withheld)
        gone = [(key, one.number) for one in batch for key in pages[one.number] - self._page_names(one)]
        store.drop_keys(self._session, Entity.CONTACT, gone)
        return len(batch)

    def _relink(self, rows: RowsByRecord) -> RowsByRecord:
        """Return the rows, those of employers that were deleted since linked to the companies that they name."""
        refs = missing_employers(self._session, self._digests, rows)
        if not refs:
            return rows
        self._linker.link(self._session, [ref for ref in refs.values() if ref])
        return {
            number: {
                slot: row and row._replace(company_id=self._linker.number(refs[number, slot]))
                if (number, slot) in refs
                else row
                for slot, row in each.items()
            }
            for number, each in rows.items()
        }

    def _page_names(self, contact: ContactState) -> set[bytes]:
        """Return the keys of page and name by which rows whose page was refused find the contact."""
        return {self._digests.contact_page_name(*each) for each in self._keys.named_pages(contact)}


class CompanyRestore(CompanyBatch):
    """Companies whose rows are put back."""

    def restore(self, rows: RowsByRecord) -> int:
        """Put rows of records back that keep at least one; write the records, and return how many there are."""
        self._load_records(sorted(rows))
        for number, changes in rows.items():
            company = self._companies[number]
            company.keys = self._keys.all_keys(company)
            _put_rows(company, changes, self._merge)
        strong = {number: self._keys.strong_keys(company) for number, company in self._companies.items()}
        self._withheld = _held_elsewhere(self._session, Entity.COMPANY, self._companies, strong)
        self._write()
        return len(self._companies)


def missing_employers(
    session: Session, digests: Digests, rows: RowsByRecord
) -> dict[tuple[int, RowSlot], ReferencedCompany | None]:
    """Return the employers that rows name and that were deleted, by record and slot."""
    linked = {row.company_id for each in rows.values() for row in each.values() if row and row.company_id}
    gone = linked - store.existing_companies(session, linked)
    return {
        (number, slot): referenced_company(digests, employer)
        for number, each in rows.items()
        for slot, row in each.items()
        if row and row.company_id in gone and (employer := _decode(row.row or b"{}").company)
    }


def _put_rows(state: S, rows: Mapping[RowSlot, Row | None], merge: Callable[[S], bool]) -> None:
    """Put rows of a record back and merge it."""
    stored = dict(state.rows)
    state.fill_rows()
    state.rows = {slot: row for slot, row in {**state.rows, **rows}.items() if row is not None}
    merge(state)
    state.find_changed_rows(stored)


def _held_elsewhere(
    session: Session, entity: Entity, states: Mapping[int, RecordState], strong: Mapping[int, set[bytes]]
) -> set[store.StoredKey]:
    """Return the strong keys that records would get although another one holds them."""
    added = {number: keys - (states[number].keys or set()) for number, keys in strong.items()}
    holders = store.find_by_keys(session, entity, set().union(*added.values()))
    return {(key, number) for number, keys in added.items() for key in keys if holders[key]}
