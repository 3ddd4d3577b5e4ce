"""Companies in the middle of a batch, and how they are written."""

from collections.abc import Collection, Mapping

import msgspec

from firmograph.directory.company_fragments import CompanyFragments, company_record
from firmograph.directory.identity import Digests
from firmograph.directory.records import Company
from firmograph.directory.row_keys import company_row_keys
from firmograph.ingest import store
from firmograph.ingest.history import Row
from firmograph.kit.database import Session
from firmograph.kit.tokens import Entity

_decode = msgspec.json.Decoder(Company).decode


class HeldCompany:
    """A company, as it is held or as the rows of the batch have made it so far."""

    __slots__ = ("changed", "fragments", "keys", "new_keys", "number", "record", "rows", "touched")

    def __init__(self, number: int) -> None:
        self.number = number
        self.rows: dict[tuple[int, str], Row] = {}
        self.fragments: CompanyFragments | None = None
        self.record: Company | None = None
        self.keys: set[bytes] | None = None
        """The keys it holds in the database; None while that was not asked."""
        self.new_keys: set[bytes] | None = None
        """The keys of a record that was made in this batch and not merged since."""
        self.touched: set[tuple[int, str]] = set()
        self.changed = False

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
    store.put_rows(session, Entity.COMPANY, [row for held in batch for row in _stored(held)])
    gone = [(held.number, *at) for held in batch for at in held.touched if at not in held.rows]
    store.drop_rows(session, Entity.COMPANY, gone)
    added: list[tuple[bytes, int]] = []
    dropped: list[tuple[bytes, int]] = []
    for held in batch:
        if held.touched:
            assert held.keys is not None
            now = keys.of(held) if held.new_keys is None else held.new_keys
            added += [(key, held.number) for key in now - held.keys]
            dropped += [(key, held.number) for key in held.keys - now]
    store.put_keys(session, Entity.COMPANY, [one for one in added if one not in kept_elsewhere])
    store.drop_keys(session, Entity.COMPANY, dropped)
    store.put_changes(session, Entity.COMPANY, [held.number for held in changed])


def _stored(held: HeldCompany) -> list[store.StoredRow]:
    alone = len(held.rows) == 1
    return [
        (held.number, source, source_id, *(row._replace(row=None) if alone and not row.history else row))
        for (source, source_id), row in held.rows.items()
        if (source, source_id) in held.touched
    ]
