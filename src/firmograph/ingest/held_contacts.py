"""Contacts in the middle of a batch, and how they are written at its end."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import msgspec

from firmograph.directory.contact_fragments import ContactFragments, contact_record
from firmograph.directory.identity import Digests
from firmograph.directory.names import held_blocks
from firmograph.directory.records import Contact
from firmograph.directory.row_keys import contact_strong
from firmograph.ingest import store
from firmograph.ingest.held import Held, write_rows_and_keys
from firmograph.kit.database import Session
from firmograph.kit.tokens import Entity

_decode = msgspec.json.Decoder(Contact).decode


class Names(NamedTuple):
    first: str
    last: str


class HeldContact(Held):
    __slots__ = ("company_id", "fragments", "record")

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.company_id: int | None = None
        self.fragments: ContactFragments | None = None
        self.record: Contact | None = None

    def merged(self) -> Contact:
        if self.record is None:
            assert self.fragments is not None
            self.record = contact_record(self.fragments)
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
            keys.update(contact_strong(self._digests, self._source_names[source], source_id, record))
        if held.company_id is not None:
            keys.update(
                self._digests.contact_name(held.company_id, block) for block in held_blocks(*held.names())
            )
        return keys


def write_contacts(
    session: Session,
    batch: Collection[HeldContact],
    keys: ContactKeys,
    kept_elsewhere: Collection[tuple[bytes, int]],
) -> None:
    """Write what a batch changed; `kept_elsewhere` are the keys that stay with their holders."""
    changed = [held for held in batch if held.changed]
    store.put_contacts(
        session,
        [(held.number, held.company_id, *held.fragments) for held in changed if held.fragments is not None],
    )
    write_rows_and_keys(session, Entity.CONTACT, batch, keys.of, kept_elsewhere)
