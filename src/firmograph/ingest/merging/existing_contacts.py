"""Contacts in the middle of a batch."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from firmograph.directory.contact_json import ContactParts, decode_contact
from firmograph.directory.identity import Digests
from firmograph.directory.names import stored_blocking_keys
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.records import Contact
from firmograph.directory.row_keys import contact_row_keys
from firmograph.ingest.merging.existing import Held

_decode = msgspec.json.Decoder(Contact).decode


class Names(NamedTuple):
    first: str
    last: str


class HeldContact(Held):
    __slots__ = ("company_id", "fragments", "record")

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.company_id: int | None = None
        self.fragments: ContactParts | None = None
        self.record: Contact | None = None

    def stored_record(self) -> tuple[Any, ...]:
        assert self.fragments is not None
        return self.number, self.company_id, *self.fragments

    def merged(self) -> Contact:
        if self.record is None:
            assert self.fragments is not None
            self.record = decode_contact(self.fragments)
        return self.record

    def names(self) -> Names:
        record = self.merged()
        return Names(record.first_name or "", record.last_name or "")


class ContactKeys:
    """Tells which keys a contact has to hold."""

    def __init__(self, digests: Digests, source_names: Mapping[int, str]) -> None:
        self._digests = digests
        self._source_names = source_names

    def of(self, held: HeldContact) -> set[bytes]:
        """The keys of all its rows, and its name at its employer."""
        keys: set[bytes] = set()
        for (source, source_id), row in held.rows.items():
            record = _decode(row.row) if row.row is not None else held.merged()
            keys.update(contact_row_keys(self._digests, self._source_names[source], source_id, record))
        if held.company_id is not None:
            keys.update(
                self._digests.contact_name(held.company_id, block)
                for block in stored_blocking_keys(*held.names())
            )
        return keys

    def pages(self, held: HeldContact) -> set[bytes]:
        """The keys of the LinkedIn pages of all its rows."""
        every = (_decode(row.row) if row.row is not None else held.merged() for row in held.rows.values())
        links = (record.social_links for record in every)
        slugs = (linkedin_slug(each.linkedin, "in") for each in links if each and each.linkedin)
        return {self._digests.contact_linkedin(slug) for slug in slugs if slug}
