"""Batches that give rows of one record a record of their own."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.names import full_name_key
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.records import Company, Contact
from firmograph.directory.row_keys import CONTACTS_SUFFIX, company_row_keys
from firmograph.ingest.merging import store
from firmograph.ingest.merging.companies import CompanyBatch
from firmograph.ingest.merging.contacts import ContactBatch
from firmograph.ingest.merging.existing import Held, write_again
from firmograph.ingest.merging.existing_companies import HeldCompany
from firmograph.ingest.merging.existing_contacts import HeldContact
from firmograph.ingest.merging.source_history import At, Row, Rows
from firmograph.ingest.records.company_keys import STUB_SOURCE_NUMBER, named_company
from firmograph.ingest.records.prepared_rows import NamedCompany
from firmograph.security.record_ids import Entity

_contact = msgspec.json.Decoder(Contact).decode
_company = msgspec.json.Decoder(Company).decode


class Part(NamedTuple):
    """A record split off another one."""

    number: int
    rows: set[At]


class ContactSplit(ContactBatch):
    """The split of a contact."""

    def split(self, number: int, moved: Collection[At]) -> Part:
        """Give rows of a record to a new one; both are written."""
        self._load_records([number])
        self._next = store.counter(self._session, "contact") + 1
        held, part = self._held[number], HeldContact(self._next)
        self._next += 1
        self._held[part.number] = part
        self._note_keys(held)
        _part(held, part, moved)
        self._merge(held)
        self._merge(part)
        pages = self._keys.pages(held)
        self._kept_elsewhere = _not_for_part(self._session, Entity.CONTACT, held, part, pages)
        self._write()
        self._part_page_names(held, part)
        return Part(part.number, set(part.rows))

    def _part_page_names(self, held: HeldContact, part: HeldContact) -> None:
        """Leave the part the names that its rows give with LinkedIn pages that stay with other records.

        By such a name a row finds its record although its page is another one's.
        """
        kept = {self._page_name(page, name) for page, name in self._named_pages(held)}
        named = self._named_pages(part)
        moved = {self._page_name(*each) for each in named} - kept
        elsewhere = {
            self._page_name(page, name) for page, name in named if (page, part.number) in self._kept_elsewhere
        }
        store.put_keys(self._session, Entity.CONTACT, [(key, part.number) for key in elsewhere - kept])
        store.drop_keys(self._session, Entity.CONTACT, [(key, held.number) for key in moved])

    def _page_name(self, page: bytes, name: str) -> bytes:
        return self._digests.contact_page_name(page, name)

    def _named_pages(self, held: HeldContact) -> set[tuple[bytes, str]]:
        """Return the LinkedIn pages of the rows, as keys, each with the full name of its row."""
        named = set()
        for row in held.rows.values():
            record = _contact(row.row) if row.row is not None else held.merged()
            links = record.social_links
            slug = linkedin_slug(links.linkedin, "in") if links and links.linkedin else None
            if slug:
                name = full_name_key(record.first_name or "", record.last_name or "")
                named.add((self._digests.contact_linkedin(slug), name))
        return named


class CompanySplit(CompanyBatch):
    """The split of a company."""

    def split(self, number: int, moved: Collection[At]) -> Part:
        """Give rows of a record, and what others say of it by their keys, to a new one; both are written."""
        self._load_records([number])
        held, part = self._held[number], HeldCompany(self._linker.next_number())
        self._held[part.number] = part
        part.record = Company()
        held.keys = self._keys.of(held)
        held.fill_rows()
        _part(held, part, {*moved, *self._said_like(held.rows, moved)})
        self._merge(held)
        self._merge(part)
        strong = self._keys.strong(held)
        self._kept_elsewhere = _not_for_part(self._session, Entity.COMPANY, held, part, strong)
        self._write()
        return Part(part.number, set(part.rows))

    def _said_like(self, rows: Rows, moved: Collection[At]) -> set[At]:
        """Return what others, or contacts of a source, say of the company by a key that only moved rows state."""
        kept: set[bytes] = set()
        gone: set[bytes] = set()
        for at, row in rows.items():
            if not _is_said(at):
                (gone if at in moved else kept).update(self._matching_keys(at, row))
        said = set()
        for at in filter(_is_said, rows):
            key = next((key for key in self._matching_keys(at, rows[at]) if key in kept or key in gone), None)
            if key is not None and key not in kept:
                said.add(at)
        return said if len(said.union(moved)) < len(rows) else set()

    def _matching_keys(self, at: At, row: Row) -> list[bytes]:
        """Return the keys by which companies and their names meet, strongest first."""
        source = self._source_names[at[0]]
        keys = company_row_keys(self._digests, source, at[1], _company(row.row or b"{}"))
        return [*keys.strong, *keys.names]


def _is_said(at: At) -> bool:
    return at[0] == STUB_SOURCE_NUMBER or at[1].endswith(CONTACTS_SUFFIX)


class EmployerSplit(ContactBatch):
    """Contacts of a company of which rows got a record of their own."""

    def relink(self, numbers: Sequence[int], old: int, new: int) -> int:
        """Link the contacts to the new record whose rows name it; return how many."""
        self._load_records(numbers)
        named = {number: self._naming(self._held[number], old) for number in numbers}
        refs = [ref for refs in named.values() for ref in refs.values()]
        meant = dict(zip(map(id, refs), self._linker.held(self._session, refs), strict=True))
        relinked = []
        for number, employers in named.items():
            held, moved = self._held[number], [at for at, ref in employers.items() if meant[id(ref)] == new]
            if not moved:
                continue
            stored = dict(held.rows)
            self._note_keys(held)
            held.fill_rows()
            for at in moved:
                held.rows[at] = held.rows[at]._replace(company_id=new)
            self._merge(held)
            held.settle_rows(stored)
            relinked.append(held)
        write_again(self._session, Entity.CONTACT, relinked, self._keys.of, ())
        return len(relinked)

    def _naming(self, held: HeldContact, company: int) -> Mapping[At, NamedCompany]:
        """Return how its rows name their employer, if it is the company."""
        named = {}
        for at, row in held.rows.items():
            if row.company_id == company:
                record = _contact(row.row) if row.row is not None else held.merged()
                ref = named_company(self._digests, record.company) if record.company else None
                if ref:
                    named[at] = ref
        return named


def _part(whole: Held, part: Held, moved: Collection[At]) -> None:
    """Give rows to a new record; both must be merged afterwards."""
    whole.fill_rows()
    part.made, part.keys = True, set()
    for at in moved:
        part.rows[at] = whole.rows.pop(at)
    whole.touched.update(moved)
    part.touched.update(moved)


def _not_for_part(
    session: Session, entity: Entity, whole: Held, part: Held, singular: Collection[bytes]
) -> set[store.Key]:
    """The keys that a record split off another one does not get although its rows state them.

    Those of the other record's `singular` ones, which name one record only, and those that it did not hold itself.
    """
    assert whole.keys is not None
    holders = store.find(session, entity, whole.keys)
    lacked = {key for key in whole.keys if whole.number not in holders.get(key, ())}
    return {(key, part.number) for key in lacked.union(singular)}
