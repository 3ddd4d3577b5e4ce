"""Companies in the middle of a batch."""

from collections.abc import Mapping
from typing import Any

import msgspec

from firmograph.directory.company_fragments import CompanyFragments, company_record
from firmograph.directory.identity import Digests
from firmograph.directory.records import Company
from firmograph.directory.row_keys import company_row_keys
from firmograph.ingest.earlier_rows import missing_keys
from firmograph.ingest.held import Held
from firmograph.ingest.history import Row

_decode = msgspec.json.Decoder(Company).decode


class HeldCompany(Held):
    __slots__ = ("fragments", "record")

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.fragments: CompanyFragments | None = None
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
            self.record = company_record(self.fragments)
        return self.record


class CompanyKeys:
    """Tells which keys a company has to hold."""

    def __init__(self, digests: Digests, source_names: Mapping[int, str]) -> None:
        self._digests = digests
        self._source_names = source_names

    def of(self, held: HeldCompany) -> set[bytes]:
        """The keys of all its rows."""
        keys: set[bytes] = set()
        for (source, source_id), row in held.rows.items():
            record = _decode(row.row) if row.row is not None else held.merged()
            keys |= company_row_keys(self._digests, self._source_names[source], source_id, record).every()
        return keys

    def missing(self, held: HeldCompany) -> set[bytes]:
        """Those of them that earlier releases did not make."""
        records = (_decode(row.row) if row.row is not None else held.merged() for row in held.rows.values())
        return {key for record in records for key in missing_keys(self._digests, record)}
