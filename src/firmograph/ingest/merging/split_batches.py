"""Batches that split rows off a record into a record of their own."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.records import Company, Contact
from firmograph.directory.row_keys import CONTACTS_SUFFIX, company_row_keys
from firmograph.ingest.merging import store
from firmograph.ingest.merging.companies import CompanyBatch
from firmograph.ingest.merging.company_state import CompanyState
from firmograph.ingest.merging.contact_state import ContactState, named_employers
from firmograph.ingest.merging.contacts import ContactBatch
from firmograph.ingest.merging.record_state import RecordState, rewrite_records
from firmograph.ingest.merging.source_history import Row, Rows, RowSlot
from firmograph.ingest.records.company_keys import STUB_SOURCE_NUMBER
from firmograph.security.record_ids import Entity

_decode_contact = msgspec.json.Decoder(Contact).decode
_decode_company = msgspec.json.Decoder(Company).decode


class SplitRecord(NamedTuple):
    """A new record split off another one."""

    number: int
    rows: set[RowSlot]


class ContactSplit(ContactBatch):
    """The split of a contact."""

    def split(self, number: int, moved: Collection[RowSlot]) -> SplitRecord:
        """Move rows of a record to a new one and write both."""
        self._load_records([number])
        self._next = store.read_counter(self._session, "contact") + 1
        contact, part = self._contacts[number], ContactState(self._next)
        self._next += 1
        self._contacts[part.number] = part
        self._compute_keys(contact)
        _move_rows(contact, part, moved)
        self._merge(contact)
        self._merge(part)
        pages = self._keys.page_keys(contact)
        self._withheld = _withheld_from_part(self._session, Entity.CONTACT, contact, part, pages)
        self._write()
        self._split_page_names(contact, part)
        return SplitRecord(part.number, set(part.rows))

    def _split_page_names(self, contact: ContactState, part: ContactState) -> None:
        """Give the part the page and name keys of its rows whose LinkedIn pages stay with other records.

        By such a key a row finds its record although the page belongs to another one.
        """
        kept = {self._page_name(page, name) for page, name in self._keys.named_pages(contact)}
        named = self._keys.named_pages(part)
        moved = {self._page_name(*each) for each in named} - kept
        elsewhere = {
            self._page_name(page, name) for page, name in named if (page, part.number) in self._withheld
        }
        store.put_keys(self._session, Entity.CONTACT, [(key, part.number) for key in elsewhere - kept])
        store.drop_keys(self._session, Entity.CONTACT, [(key, contact.number) for key in moved])

    def _page_name(self, page: bytes, name: str) -> bytes:
        return self._digests.contact_page_name(page, name)


class CompanySplit(CompanyBatch):
    """The split of a company."""

    def split(self, number: int, moved: Collection[RowSlot]) -> SplitRecord:
        """Move rows of a record, and mentions by their keys, to a new one; write both."""
        self._load_records([number])
        company, part = self._companies[number], CompanyState(self._linker.next_number())
        self._companies[part.number] = part
        part.record = Company()
        company.keys = self._keys.all_keys(company)
        company.fill_rows()
        _move_rows(company, part, {*moved, *self._related_mentions(company.rows, moved)})
        self._merge(company)
        self._merge(part)
        strong = self._keys.strong_keys(company)
        self._withheld = _withheld_from_part(self._session, Entity.COMPANY, company, part, strong)
        self._write()
        return SplitRecord(part.number, set(part.rows))

    def _related_mentions(self, rows: Rows, moved: Collection[RowSlot]) -> set[RowSlot]:
        """Return the mentions of the company, by records or contacts, whose key only moved rows have."""
        kept: set[bytes] = set()
        given: set[bytes] = set()
        for slot, row in rows.items():
            if not _is_mention(slot):
                (given if slot in moved else kept).update(self._matching_keys(slot, row))
        mentions = set()
        for slot in filter(_is_mention, rows):
            key = next(
                (key for key in self._matching_keys(slot, rows[slot]) if key in kept or key in given), None
            )
            if key is not None and key not in kept:
                mentions.add(slot)
        return mentions if len(mentions.union(moved)) < len(rows) else set()

    def _matching_keys(self, slot: RowSlot, row: Row) -> list[bytes]:
        """Return the keys by which a row matches others, strongest first."""
        source = self._source_names[slot[0]]
        keys = company_row_keys(self._digests, source, slot[1], _decode_company(row.row or b"{}"))
        return [*keys.strong, *keys.names]


def _is_mention(slot: RowSlot) -> bool:
    return slot[0] == STUB_SOURCE_NUMBER or slot[1].endswith(CONTACTS_SUFFIX)


class EmployerSplit(ContactBatch):
    """Contacts of a company that was split."""

    def relink(self, numbers: Sequence[int], old: int, new: int) -> int:
        """Link contacts to the new company if their rows name it, and return how many."""
        self._load_records(numbers)
        named = {number: named_employers(self._digests, self._contacts[number], old) for number in numbers}
        refs = [ref for refs in named.values() for ref in refs.values()]
        linked = dict(zip(map(id, refs), self._linker.find(self._session, refs), strict=True))
        relinked = []
        for number, employers in named.items():
            contact = self._contacts[number]
            moved = [slot for slot, ref in employers.items() if linked[id(ref)] == new]
            if not moved:
                continue
            stored = dict(contact.rows)
            self._compute_keys(contact)
            contact.fill_rows()
            for slot in moved:
                contact.rows[slot] = contact.rows[slot]._replace(company_id=new)
            self._merge(contact)
            contact.find_changed_rows(stored)
            relinked.append(contact)
        rewrite_records(self._session, Entity.CONTACT, relinked, self._keys.all_keys, ())
        return len(relinked)


def _move_rows(whole: RecordState, part: RecordState, moved: Collection[RowSlot]) -> None:
    """Move rows to a new record; both must be merged afterwards."""
    whole.fill_rows()
    part.is_new, part.keys = True, set()
    for slot in moved:
        part.rows[slot] = whole.rows.pop(slot)
    whole.changed_rows.update(moved)
    part.changed_rows.update(moved)


def _withheld_from_part(
    session: Session, entity: Entity, whole: RecordState, part: RecordState, singular: Collection[bytes]
) -> set[store.StoredKey]:
    """Return the keys of its rows that a new record does not get.

    These are the whole record's `singular` keys, which name one record only, and those that it did not hold itself.
    """
    assert whole.keys is not None
    holders = store.find_by_keys(session, entity, whole.keys)
    lacked = {key for key in whole.keys if whole.number not in holders.get(key, ())}
    return {(key, part.number) for key in lacked.union(singular)}
