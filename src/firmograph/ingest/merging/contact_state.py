"""In-batch state of contacts, and their keys."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from firmograph.directory.contact_json import ContactParts, decode_contact
from firmograph.directory.identity import Digests
from firmograph.directory.records import Contact
from firmograph.directory.row_keys import contact_row_keys, named_page, stored_mailboxes
from firmograph.directory.spelling_keys import stored_name_keys
from firmograph.ingest.merging.record_state import RecordState
from firmograph.ingest.merging.source_history import RowSlot
from firmograph.ingest.records.company_keys import referenced_company
from firmograph.ingest.records.prepared_rows import ReferencedCompany

_decode = msgspec.json.Decoder(Contact).decode


class PersonNames(NamedTuple):
    first: str
    last: str


class ContactState(RecordState):
    __slots__ = ("company_id", "parts", "record")

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.company_id: int | None = None
        self.parts: ContactParts | None = None
        self.record: Contact | None = None

    def stored_record(self) -> tuple[Any, ...]:
        assert self.parts is not None
        return self.number, self.company_id, *self.parts

    def canonical(self) -> Contact:
        if self.record is None:
            assert self.parts is not None
            self.record = decode_contact(self.parts)
        return self.record

    def names(self) -> PersonNames:
        record = self.canonical()
        return PersonNames(record.first_name or "", record.last_name or "")


class ContactKeys:
    """The keys of contacts, computed from their rows."""

    def __init__(self, digests: Digests, source_names: Mapping[int, str]) -> None:
        self._digests = digests
        self._source_names = source_names

    def all_keys(self, contact: ContactState) -> set[bytes]:
        """Return the keys and mailboxes of all its rows, and those of its name at its employer."""
        keys = self.name_keys(contact)
        for (source, source_id), record in _records(contact):
            keys.update(contact_row_keys(self._digests, self._source_names[source], source_id, record))
            keys.update(stored_mailboxes(self._digests, record.emails))
        return keys

    def shared_keys(self, contact: ContactState) -> set[bytes]:
        """Return the keys that several records may hold: those of the name and of mailboxes."""
        keys = self.name_keys(contact)
        for _, record in _records(contact):
            keys.update(stored_mailboxes(self._digests, record.emails))
        return keys

    def name_keys(self, contact: ContactState) -> set[bytes]:
        """Return the keys of its name at its employer, for other spellings too."""
        if contact.company_id is None:
            return set()
        keys = stored_name_keys(*contact.names())
        return {self._digests.contact_name(contact.company_id, key) for key in keys}

    def named_pages(self, contact: ContactState) -> set[tuple[bytes, str]]:
        """Return the keys of the LinkedIn pages of all its rows, each with the full name of its row."""
        named = (named_page(self._digests, record) for _, record in _records(contact))
        return {each for each in named if each is not None}

    def page_keys(self, contact: ContactState) -> set[bytes]:
        """Return the keys of the LinkedIn pages of all its rows."""
        return {page for page, _ in self.named_pages(contact)}


def named_employers(
    digests: Digests, contact: ContactState, company: int
) -> dict[RowSlot, ReferencedCompany]:
    """Return the employer as each row names it, for rows linked to this company."""
    named = {}
    for slot, record in _records(contact):
        if contact.rows[slot].company_id == company and record.company:
            ref = referenced_company(digests, record.company)
            if ref:
                named[slot] = ref
    return named


def _records(contact: ContactState) -> Iterator[tuple[RowSlot, Contact]]:
    """Yield the record of each row, by its slot."""
    for slot, row in contact.rows.items():
        yield slot, _decode(row.row) if row.row is not None else contact.canonical()
