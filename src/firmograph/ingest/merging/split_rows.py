"""Remembered splits: rows that operators moved, with their records."""

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from firmograph.database.connection import Session
from firmograph.directory.company_names import company_key
from firmograph.directory.identity import Digests
from firmograph.directory.names import full_name_key
from firmograph.directory.records import Company, Contact
from firmograph.directory.row_keys import CONTACTS_SUFFIX, company_row_keys, contact_row_keys, row_id
from firmograph.ingest.merging import split_store
from firmograph.ingest.merging.source_history import Row, history_of
from firmograph.ingest.records.prepared_rows import PreparedCompany, PreparedContact

P = TypeVar("P", PreparedContact, PreparedCompany)


class SplitRows(Generic[P]):
    """Remembered splits of the rows of one batch."""

    def __init__(self, session: Session, digests: Digests, source: str) -> None:
        self._session = session
        self._digests = digests
        self._source = source
        self._numbers: dict[bytes, int] = {}

    def load(self, rows: Sequence[P]) -> set[int]:
        """Load the splits of these rows and return their record numbers."""
        self._numbers = split_store.find_split_rows(
            self._session, lambda: {digest for row in rows for digest in self._digests_of(row)}
        )
        return set(self._numbers.values())

    def number(self, row: P) -> int | None:
        """Return the record number of a loaded row, None if it was not split."""
        if not self._numbers:
            return None
        numbers = (self._numbers.get(digest) for digest in self._digests_of(row))
        return next((number for number in numbers if number is not None), None)

    def _digests_of(self, row: P) -> list[bytes]:
        raise NotImplementedError


class SplitContactRows(SplitRows[PreparedContact]):
    def _digests_of(self, row: PreparedContact) -> list[bytes]:
        if row.source_id:
            return [self._digests.contact_source(self._source, row.source_id)]
        return [
            self._digests.contact_version(self._source, row.version.hex()),
            *name_keys(
                self._digests,
                self._source,
                [
                    *([row.linkedin_digest] if row.linkedin_digest else []),
                    *row.email_digests,
                    *row.role_digests,
                ],
                full_name_key(row.first_name, row.last_name),
            ),
        ]


class SplitCompanyRows(SplitRows[PreparedCompany]):
    def _digests_of(self, row: PreparedCompany) -> list[bytes]:
        if row.source_id:
            return [self._digests.company_source(self._source, row.source_id)]
        keys = [key for key in (row.own.linkedin_digest, row.own.host_digest) if key is not None]
        return [
            self._digests.company_version(self._source, row.version.hex()),
            *name_keys(self._digests, self._source, keys, row.own.name_key),
        ]


def name_keys(digests: Digests, source: str, keys: Iterable[bytes], name: str) -> list[bytes]:
    """Return the keys that find newer versions of a row without an id: its name with each other key."""
    return [digests.row_key_name(source, key, name) for key in keys] if name else []


def stored_row_digests(
    digests: Digests, source: str, source_id: str, row: Row, record: Contact | Company
) -> list[bytes]:
    """Return all digests of a stored row that `SplitRows` may look up."""
    versions = [row.version.hex(), *history_of(row).versions]
    if isinstance(record, Contact):
        if source_id:
            return [digests.contact_source(source, source_id)]
        name = full_name_key(record.first_name or "", record.last_name or "")
        return [
            *(digests.contact_version(source, version) for version in versions),
            *name_keys(digests, source, contact_row_keys(digests, source, "", record), name),
        ]
    if source_id.endswith(CONTACTS_SUFFIX):
        source, source_id = source + CONTACTS_SUFFIX, row_id(source_id)
    if source_id:
        return [digests.company_source(source, source_id)]
    return [
        *(digests.company_version(source, version) for version in versions),
        *name_keys(
            digests,
            source,
            company_row_keys(digests, source, "", record).strong,
            company_key(record.name or ""),
        ),
    ]
