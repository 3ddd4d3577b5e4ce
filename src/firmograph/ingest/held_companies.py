"""Companies in the middle of a batch, and how they are written."""

from collections.abc import Collection, Mapping

import msgspec

from firmograph.directory.company_fragments import CompanyFragments, company_record
from firmograph.directory.identity import Digests
from firmograph.directory.records import Company
from firmograph.directory.row_keys import company_row_keys
from firmograph.ingest import store
from firmograph.ingest.held import Held, write_rows_and_keys
from firmograph.kit.database import Session
from firmograph.kit.tokens import Entity

_decode = msgspec.json.Decoder(Company).decode


class HeldCompany(Held):
    __slots__ = ("fragments", "record")

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.fragments: CompanyFragments | None = None
        self.record: Company | None = None

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


def write_companies(
    session: Session,
    batch: Collection[HeldCompany],
    keys: CompanyKeys,
    kept_elsewhere: Collection[tuple[bytes, int]],
) -> None:
    """Write what a batch changed; `kept_elsewhere` are the keys that stay with their holders."""
    changed = [held for held in batch if held.changed]
    store.put_companies(session, [(h.number, h.fragments) for h in changed if h.fragments is not None])
    write_rows_and_keys(session, Entity.COMPANY, batch, keys.of, kept_elsewhere)
