"""Index in memory of the people in a file: by e-mail, LinkedIn page, and name with company or domain."""

from array import array
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from firmograph.directory.company_names import company_key
from firmograph.directory.identity import Digests
from firmograph.directory.matching import names_contradict
from firmograph.directory.names import full_name_key
from firmograph.directory.normalise.domains import host_of
from firmograph.directory.normalise.emails import normalise_email
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.records import Contact
from firmograph.ingest.reading.mapping import NO_MAPPING, ROW_TYPES, build_table_layout, fits_table
from firmograph.ingest.reading.readers import AUTODETECT, RowFile, open_rows
from firmograph.ingest.reading.row_layout import Layout
from firmograph.ingest.records.preparation import Preparer
from firmograph.ingest.records.prepared_rows import PreparedContact
from firmograph.security.keyring import new_keyring
from firmograph.security.record_ids import Entity
from firmograph.waterfall.providers.types import DataPoint, Person

MAX_BYTES: Final = 512 << 20
"""Memory of an index; a file of some five million people takes as much."""
_KEY_BYTES: Final = 16
_SIZE_BYTES: Final = 4
"""Bytes of the size before an encoded row."""
_BATCH_ROWS: Final = 1_000
_FIELDS: Final = frozenset(
    "firstName lastName fullName emails phones doNotCall company linkedinUrl socialLinks location".split()
)
"""Fields of a row that are read; the location has the country of its numbers."""
_MAX_SAME: Final = 20
"""Rows that are looked at under one key."""


class IndexTooLarge(Exception):
    """File of more people than an index takes."""


class IndexStopped(Exception):
    """Index that nobody needs any more."""


class IndexedPerson(msgspec.Struct, array_like=True, frozen=True):
    """Values of a person in a row, normalised as imports are; numbers that are not to be called are left out."""

    first_name: str
    last_name: str
    emails: list[str]
    phones: list[str]

    def values(self, data_point: DataPoint) -> list[str]:
        return self.emails if data_point == "emails" else self.phones


_decode_contact = msgspec.json.Decoder(Contact).decode
_decode_row = msgspec.msgpack.Decoder(IndexedPerson).decode
_encode_row = msgspec.msgpack.Encoder().encode


class PersonIndex:
    """Rows by the digests of what identifies their people, under a key of its own."""

    def __init__(self, path: Path, is_stopped: Callable[[], bool]) -> None:
        """Read a file. Raises Refused for an unreadable one, IndexTooLarge, and IndexStopped."""
        self._digests = Digests(new_keyring())
        self._rows = bytearray()
        self.people = 0
        self.rejected = 0
        keys, starts = array("Q"), array("Q")
        for row in self._read(path, is_stopped):
            for key in _row_keys(self._digests, row):
                keys.append(_short(key))
                starts.append(len(self._rows))
            self._add(row)
            if len(self._rows) + _KEY_BYTES * len(keys) > MAX_BYTES:
                raise IndexTooLarge
        found, where = np.frombuffer(keys, np.uint64), np.frombuffer(starts, np.uint64)
        order = np.argsort(found, kind="stable")
        self._keys, self._starts = found[order], where[order]

    def find(self, person: Person, data_point: DataPoint) -> list[IndexedPerson] | None:
        """Return the rows of a person by the first identifier that finds any; None if they are of several people."""
        names = (person.first_name or "", person.last_name or "")
        for key in self._person_keys(person):
            rows = self._at(key)
            if any(names):
                rows = [row for row in rows if not names_contradict((row.first_name, row.last_name), names)]
            if any(row.values(data_point) for row in rows):
                return rows
        for key in self._name_keys(person):
            rows = self._at(key)
            if len({tuple(values) for row in rows if (values := row.values(data_point))}) > 1:
                return None
            if any(row.values(data_point) for row in rows):
                return rows
        return []

    def _read(self, path: Path, is_stopped: Callable[[], bool]) -> Iterator[PreparedContact]:
        with open_rows(path, AUTODETECT, fits_table(NO_MAPPING, Entity.CONTACT, path)) as file:
            preparer = Preparer(Entity.CONTACT, self._digests, "", _layout(file), file.options)
            rows = iter(file)
            while batch := list(islice(rows, _BATCH_ROWS)):
                if is_stopped():
                    raise IndexStopped
                prepared, rejects = preparer.prepare_contacts(batch)
                self.people += len(prepared)
                self.rejected += sum(reject.is_lost for reject in rejects)
                yield from prepared

    def _add(self, row: PreparedContact) -> None:
        contact = _decode_contact(row.row)
        emails = [email.email for email in contact.emails]
        phones = [phone.number for phone in contact.phones if not phone.do_not_call]
        encoded = _encode_row((row.first_name, row.last_name, emails, phones))
        self._rows += len(encoded).to_bytes(_SIZE_BYTES, "little")
        self._rows += encoded

    def _at(self, key: bytes) -> list[IndexedPerson]:
        short = np.uint64(_short(key))
        first = int(np.searchsorted(self._keys, short))
        rows = []
        for start in self._starts[first : int(np.searchsorted(self._keys, short, "right"))][:_MAX_SAME]:
            begin = int(start) + _SIZE_BYTES
            size = int.from_bytes(self._rows[int(start) : begin], "little")
            rows.append(_decode_row(self._rows[begin : begin + size]))
        return rows

    def _person_keys(self, person: Person) -> Iterator[bytes]:
        if person.email and (email := normalise_email(person.email)):
            yield self._digests.contact_email(email)
        if person.linkedin_url and (slug := linkedin_slug(person.linkedin_url, "in")):
            yield self._digests.contact_linkedin(slug)

    def _name_keys(self, person: Person) -> Iterator[bytes]:
        name = full_name_key(person.first_name or "", person.last_name or "")
        if not name or not person.last_name:
            return
        if person.domain and (host := host_of(person.domain)):
            yield self._digests.contact_name_company(name, host)
        if person.company and (company := company_key(person.company)):
            yield self._digests.contact_name_company(name, company)


def _layout(file: RowFile) -> Layout | None:
    """Return the layout of a table, of only the columns that an index reads; None for JSON."""
    if file.columns is None:
        return None
    every = build_table_layout(file.columns, NO_MAPPING, Entity.CONTACT, file.path)
    columns = [column for column in every.columns if _root(column.path) in _FIELDS]
    constants = {path: value for path, value in every.constants.items() if _root(path) in _FIELDS}
    return Layout(every.header, columns, constants, every.separator, ROW_TYPES[Entity.CONTACT])


def _root(path: str) -> str:
    return path.partition(".")[0]


def _row_keys(digests: Digests, row: PreparedContact) -> set[bytes]:
    keys = set(row.email_digests)
    if row.linkedin_digest:
        keys.add(row.linkedin_digest)
    if row.employer and row.last_name and (name := full_name_key(row.first_name, row.last_name)):
        companies = filter(None, (row.employer.domain, row.employer.name_key))
        keys.update(digests.contact_name_company(name, company) for company in companies)
    return keys


def _short(key: bytes) -> int:
    """Return half of a digest, enough for the people of one file."""
    return int.from_bytes(key[:8], "little")
