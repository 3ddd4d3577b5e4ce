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
from firmograph.ingest.history import Row
from firmograph.kit.database import Session
from firmograph.kit.tokens import Entity

_decode = msgspec.json.Decoder(Contact).decode


class Names(NamedTuple):
    first: str
    last: str


class HeldContact:
    """A contact, as it is held or as the rows of the batch have made it so far."""

    __slots__ = (
        "changed",
        "company_id",
        "fragments",
        "keys",
        "new_keys",
        "number",
        "record",
        "rows",
        "touched",
    )

    def __init__(self, number: int) -> None:
        self.number = number
        self.rows: dict[tuple[int, str], Row] = {}
        self.company_id: int | None = None
        self.fragments: ContactFragments | None = None
        self.record: Contact | None = None
        self.keys: set[bytes] | None = None
        """The keys it holds in the database; None while that was not asked."""
        self.new_keys: list[bytes] | None = None
        """The keys of a record that was made in this batch and not merged since."""
        self.touched: set[tuple[int, str]] = set()
        self.changed = False

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
    store.put_rows(session, Entity.CONTACT, [row for held in batch if held.touched for row in _stored(held)])
    gone = [(held.number, *at) for held in batch for at in held.touched if at not in held.rows]
    store.drop_rows(session, Entity.CONTACT, gone)
    added: list[tuple[bytes, int]] = []
    dropped: list[tuple[bytes, int]] = []
    for held in batch:
        if held.new_keys is not None:
            added += [(key, held.number) for key in held.new_keys]
        elif held.touched:
            assert held.keys is not None
            now = keys.of(held)
            added += [(key, held.number) for key in now - held.keys]
            dropped += [(key, held.number) for key in held.keys - now]
    if kept_elsewhere:
        added = [one for one in added if one not in kept_elsewhere]
    store.put_keys(session, Entity.CONTACT, added)
    store.drop_keys(session, Entity.CONTACT, dropped)
    store.put_changes(session, Entity.CONTACT, [held.number for held in changed])


def _stored(held: HeldContact) -> list[store.StoredRow]:
    """The rows that the batch touched; the only row of a record is the record itself, and stored once."""
    number = held.number
    if held.new_keys is not None:
        (((source, source_id), row),) = held.rows.items()
        return [(number, source, source_id, row.version, row.day, row.company_id, None, None)]
    return [
        (number, source, source_id, *row)
        for (source, source_id), row in held.rows.items()
        if (source, source_id) in held.touched
    ]
