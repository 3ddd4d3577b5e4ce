"""Companies in the middle of a batch."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from firmograph.directory.company_json import CompanyParts, decode_company
from firmograph.directory.identity import Digests
from firmograph.directory.records import Company
from firmograph.directory.row_keys import company_row_keys, row_id
from firmograph.ingest.merging.earlier_rows import former_keys, missing_keys
from firmograph.ingest.merging.existing import Held
from firmograph.ingest.merging.source_history import At, Row, history_of

_decode = msgspec.json.Decoder(Company).decode


class HeldCompany(Held):
    __slots__ = ("fragments", "record")

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.fragments: CompanyParts | None = None
        self.record: Company | None = None

    def stored_record(self) -> tuple[Any, ...]:
        assert self.fragments is not None
        return self.number, *self.fragments

    def replace(self, at: tuple[int, str], row: Row) -> None:
        """Put a row where another one may stand, and forget that one."""
        self.fill_rows()
        self.rows[at] = row
        self.touched.add(at)

    def merged(self) -> Company:
        if self.record is None:
            assert self.fragments is not None
            self.record = decode_company(self.fragments)
        return self.record


class CompanyKeys:
    """Tells which keys a company has to hold."""

    def __init__(self, digests: Digests, source_names: Mapping[int, str]) -> None:
        self._digests = digests
        self._source_names = source_names

    def of(self, held: HeldCompany) -> set[bytes]:
        """The keys of all its rows."""
        keys: set[bytes] = set()
        for at, record in self._records(held):
            source, source_id = self._source_names[at[0]], at[1]
            keys |= company_row_keys(self._digests, source, source_id, record).all()
        return keys | self._former_versions(held)

    def strong(self, held: HeldCompany) -> set[bytes]:
        """Those of them that match rows by more than a name."""
        return {
            key
            for at, record in self._records(held)
            for key in company_row_keys(self._digests, self._source_names[at[0]], at[1], record).strong
        }

    def missing(self, held: HeldCompany) -> set[bytes]:
        """Those of them that earlier releases did not make."""
        keys = {key for _, record in self._records(held) for key in missing_keys(self._digests, record)}
        return keys | self._former_versions(held)

    def former(self, held: HeldCompany) -> set[bytes]:
        """Keys that only earlier releases made."""
        return {key for _, record in self._records(held) for key in former_keys(self._digests, record)}

    def _records(self, held: HeldCompany) -> Iterator[tuple[At, Company]]:
        """What each of its rows says."""
        for at, row in held.rows.items():
            yield at, _decode(row.row) if row.row is not None else held.merged()

    def _former_versions(self, held: HeldCompany) -> set[bytes]:
        """The keys of versions whose place a later one took: without an id, a row is known again by nothing else."""
        return {
            self._digests.company_version(self._source_names[source], version)
            for (source, source_id), row in held.rows.items()
            if not row_id(source_id)
            for version in history_of(row).versions
        }
