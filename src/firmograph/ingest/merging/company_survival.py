"""Companies that stay as stubs when their rows go, because others name them; looked at without a change."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec
from pyroaring import BitMap

from firmograph.database.connection import Session
from firmograph.directory.company_json import decode_company
from firmograph.directory.identity import Digests
from firmograph.directory.records import Company
from firmograph.ingest.merging import store
from firmograph.ingest.merging.companies import merge_company_rows, related_companies
from firmograph.ingest.merging.company_linking import stub_record
from firmograph.ingest.merging.company_state import CompanyState
from firmograph.ingest.merging.source_history import Rows, RowSlot
from firmograph.ingest.records.company_keys import STUB_SOURCE_NUMBER
from firmograph.ingest.records.prepared_rows import ReferencedCompany
from firmograph.security.record_ids import Entity

_encode = msgspec.json.Encoder().encode
_PART = 1_000
"""Companies that are read at a time."""


def are_mentions(slots: Iterable[RowSlot]) -> bool:
    """Return whether no source states a company with rows in these slots: others name it at most."""
    return all(source == STUB_SOURCE_NUMBER for source, _ in slots)


def stub_bodies(company: CompanyState) -> set[bytes]:
    """Return the records of a company's rows as a stub."""
    return {
        row.row if row.row is not None else _encode(company.canonical())
        for (source, _), row in company.rows.items()
        if source == STUB_SOURCE_NUMBER
    }


def read_companies(session: Session, numbers: Collection[int]) -> list[CompanyState]:
    """Return those of the companies that exist, with their rows."""
    ids = sorted(numbers)
    rows, found = store.read_rows(session, Entity.COMPANY, ids), []
    for number, parts in store.read_company_parts(session, ids).items():
        company = CompanyState(number)
        company.parts, company.rows = parts, rows[number]
        found.append(company)
    return found


def named_companies(digests: Digests, record: Company) -> list[ReferencedCompany]:
    """Return the owners and competitors that a company names."""
    owners, competitors = related_companies(digests, record)
    return [*(ref for ref, _ in owners), *competitors]


class CompanySurvival:
    """Companies that no contact will name, of which other companies may still name some."""

    def __init__(self, session: Session, digests: Digests, numbers: BitMap) -> None:
        self._session = session
        self._digests = digests
        self._names = {number: name for name, number in store.read_sources(session).items()}
        self._by_body: dict[bytes, set[int]] = defaultdict(set)
        for part in _parts(numbers):
            for company in read_companies(session, part):
                for body in stub_bodies(company):
                    self._by_body[body].add(company.number)

    def named_by(self, touched: BitMap, remaining: Iterable[tuple[int, Rows]]) -> BitMap:
        """Return those that a company will still name, in the words that the stub has.

        Args:
            touched: companies that lose rows.
            remaining: the rows that some of these keep; the others name nobody any more.
        """
        found = BitMap()
        if not self._by_body:
            return found
        wanted = BitMap().union(*(BitMap(numbers) for numbers in self._by_body.values()))
        naming = BitMap(by for named, by in store.read_relations(self._session) if named in wanted) - touched
        for part in _parts(naming):
            for parts in store.read_company_parts(self._session, part).values():
                found.update(self._named_in(decode_company(parts)))
        for number, rows in remaining:
            found.update(self._named_in(self._merged(number, rows)))
        return found

    def _named_in(self, record: Company) -> set[int]:
        refs = named_companies(self._digests, record)
        return {number for ref in refs for number in self._by_body.get(_encode(stub_record(ref)), ())}

    def _merged(self, number: int, rows: Rows) -> Company:
        if any(row.row is None for row in rows.values()):
            (company,) = read_companies(self._session, [number])
            company.fill_rows()
            rows = {slot: row if row.row is not None else company.rows[slot] for slot, row in rows.items()}
        return merge_company_rows(rows, self._names)


def _parts(numbers: BitMap) -> Iterator[Sequence[int]]:
    every = numbers.to_array()
    for start in range(0, len(every), _PART):
        yield every[start : start + _PART]
