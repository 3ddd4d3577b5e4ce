"""In-batch state of companies, and their keys."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from firmograph.directory.company_json import CompanyParts, decode_company
from firmograph.directory.identity import Digests
from firmograph.directory.records import Company
from firmograph.directory.row_keys import company_row_keys, row_id
from firmograph.ingest.merging.record_state import RecordState
from firmograph.ingest.merging.source_history import Row, RowSlot, history_of

_decode = msgspec.json.Decoder(Company).decode


class CompanyState(RecordState):
    __slots__ = ("parts", "record")

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.parts: CompanyParts | None = None
        self.record: Company | None = None

    def stored_record(self) -> tuple[Any, ...]:
        assert self.parts is not None
        return self.number, *self.parts

    def set_row(self, slot: RowSlot, row: Row) -> None:
        """Write a row to its slot without keeping the history of a row it replaces."""
        self.fill_rows()
        self.rows[slot] = row
        self.changed_rows.add(slot)

    def canonical(self) -> Company:
        if self.record is None:
            assert self.parts is not None
            self.record = decode_company(self.parts)
        return self.record


class CompanyKeys:
    """The keys of companies, computed from their rows."""

    def __init__(self, digests: Digests, source_names: Mapping[int, str]) -> None:
        self._digests = digests
        self._source_names = source_names

    def all_keys(self, company: CompanyState) -> set[bytes]:
        """Return the keys of all its rows."""
        keys: set[bytes] = set()
        for slot, record in self._records(company):
            source, source_id = self._source_names[slot[0]], slot[1]
            keys |= company_row_keys(self._digests, source, source_id, record).all()
        return keys | self._former_versions(company)

    def strong_keys(self, company: CompanyState) -> set[bytes]:
        """Return those keys that identify by more than a name."""
        return {
            key
            for slot, record in self._records(company)
            for key in company_row_keys(self._digests, self._source_names[slot[0]], slot[1], record).strong
        }

    def _records(self, company: CompanyState) -> Iterator[tuple[RowSlot, Company]]:
        """Yield the record of each row."""
        for slot, row in company.rows.items():
            yield slot, _decode(row.row) if row.row is not None else company.canonical()

    def _former_versions(self, company: CompanyState) -> set[bytes]:
        """Return the keys of replaced versions: nothing else identifies a row without a source id."""
        return {
            self._digests.company_version(self._source_names[source], version)
            for (source, source_id), row in company.rows.items()
            if not row_id(source_id)
            for version in history_of(row).versions
        }
