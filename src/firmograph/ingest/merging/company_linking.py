"""Linking of named companies: employers, parents, competitors (docs/reference/records.md#named-companies).

By domain or LinkedIn page, else by a unique normalised name, else as a stub: a record with the named values alone,
which a fuller row with the same key completes later.
"""

from collections.abc import Iterable, Sequence

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.company_json import CompanyParts, encode_company
from firmograph.directory.host_keys import HostKeys, host_keys
from firmograph.directory.identity import Digests
from firmograph.directory.normalise.linkedin import linkedin_url
from firmograph.directory.normalise.locations import normalise_location
from firmograph.directory.records import Company, CompanyLinks, CompanyRef
from firmograph.directory.row_keys import STUB_SOURCE, CompanyRowKeys, company_row_keys
from firmograph.ingest.merging import store
from firmograph.ingest.merging.source_history import Row
from firmograph.ingest.records.company_keys import STUB_SOURCE_NUMBER, referenced_company, stub_source_id
from firmograph.ingest.records.prepared_rows import ReferencedCompany
from firmograph.security.record_ids import Entity


class Stub(msgspec.Struct, frozen=True):
    """A company created because another record names it."""

    number: int
    parts: CompanyParts
    row: Row
    stub_id: str
    keys: CompanyRowKeys


class Linker:
    """Links of named companies to records, cached for one import.

    The cache is valid only while nobody else writes companies, so `begin` clears it when the change sequence has
    moved on since `end`.
    """

    def __init__(self, digests: Digests) -> None:
        self._digests = digests
        self._cache: dict[tuple[bytes | None, ...], int] = {}
        self._seen_change = -1
        self._stubs: list[Stub] = []

    def begin(self, session: Session) -> None:
        if store.last_change(session) != self._seen_change:
            self._cache.clear()
        self._next = store.read_counter(session, "company") + 1

    def next_number(self) -> int:
        """Return a number for a new company; it is never used again, even if the record is deleted."""
        number = self._next
        self._next += 1
        return number

    def end(self, session: Session) -> None:
        """Write the new stubs; call it last before the commit."""
        stubs = self._stubs
        store.load_records(session, Entity.COMPANY, [(stub.number, *stub.parts) for stub in stubs])
        rows = [(stub.number, STUB_SOURCE_NUMBER, stub.stub_id, *stub.row) for stub in stubs]
        store.load_rows(session, Entity.COMPANY, rows)
        keys = [(digest, stub.number) for stub in stubs for digest in stub.keys.all()]
        store.load_keys(session, Entity.COMPANY, keys)
        store.load_changes(session, Entity.COMPANY, [stub.number for stub in stubs])
        store.set_counter(session, "company", self._next - 1)
        self._seen_change = store.last_change(session)
        self._stubs.clear()

    def unwritten_stubs(self) -> dict[int, CompanyParts]:
        """Return the stubs created since `begin`, which the database lacks until `end`."""
        return {stub.number: stub.parts for stub in self._stubs}

    def abandon(self) -> None:
        """Clear cache and new stubs after a rollback."""
        self._stubs.clear()
        self._cache.clear()
        self._seen_change = -1

    def link(self, session: Session, refs: Iterable[ReferencedCompany]) -> None:
        """Find or create the records of these companies, for `number` to return."""
        unknown: dict[tuple[bytes | None, ...], ReferencedCompany] = {}
        for ref in refs:
            key = _cache_key(ref)
            if key not in self._cache:
                unknown.setdefault(key, ref)
        if not unknown:
            return
        stubs = {
            key: self._digests.company_source(STUB_SOURCE, stub_source_id(ref))
            for key, ref in unknown.items()
        }
        digests = {digest for ref in unknown.values() for digest in _digests(ref)}
        found = store.find_by_keys(session, Entity.COMPANY, digests | set(stubs.values()))
        for key, ref in unknown.items():
            number = _choose(found, ref, stubs[key])
            if number is None:
                stub = self._create_stub(ref)
                number = stub.number
                for digest in stub.keys.all():
                    found.setdefault(digest, []).append(number)
            self._cache[key] = number

    def find(self, session: Session, refs: Sequence[ReferencedCompany]) -> list[int | None]:
        """Return the record that each of these companies would be linked to, None where one would be created."""
        stubs = [self._digests.company_source(STUB_SOURCE, stub_source_id(ref)) for ref in refs]
        found = store.find_by_keys(
            session, Entity.COMPANY, {*stubs, *(digest for ref in refs for digest in _digests(ref))}
        )
        return [_choose(found, ref, stub) for ref, stub in zip(refs, stubs, strict=True)]

    def number(self, ref: ReferencedCompany | None) -> int | None:
        return self._cache[_cache_key(ref)] if ref else None

    def clear_cache(self) -> None:
        """Clear the cache after this import has written companies with new keys."""
        self._cache.clear()

    def _create_stub(self, ref: ReferencedCompany) -> Stub:
        record = stub_record(ref)
        row = Row(b"", "", None, None, None)
        keys = company_row_keys(self._digests, STUB_SOURCE, stub_source_id(ref), record)
        stub = Stub(self.next_number(), encode_company(record), row, stub_source_id(ref), keys)
        self._stubs.append(stub)
        return stub


def stub_record(ref: ReferencedCompany) -> Company:
    """Return the record of a company that is known by its name in another record alone."""
    return Company(
        name=ref.name or None,
        domain=ref.domain or None,
        social_links=CompanyLinks(linkedin=linkedin_url(ref.linkedin)) if ref.linkedin else None,
        location=normalise_location(None, ref.country, None, None, None, None, None, None)
        if ref.country
        else None,
        stub=True,
    )


class Finder:
    """Lookup of the companies of facts: by the keys of `Linker`, and by hosts as in look-ups.

    It creates no record and caches nothing: another commit may see other companies.
    """

    def __init__(self, digests: Digests) -> None:
        self._digests = digests

    def find(self, session: Session, refs: Sequence[CompanyRef]) -> list[int | None]:
        """Return the record number of each company, None for no match or several, with one statement."""
        named = [referenced_company(self._digests, ref) for ref in refs]
        hosts = [host_keys(self._digests, ref.domain) if ref.domain else None for ref in refs]
        digests = {digest for ref in named if ref for digest in _digests(ref)}
        digests.update(key for host in hosts if host for key in host.all())
        found = store.find_by_keys(session, Entity.COMPANY, digests) if digests else {}
        return [_match(found, ref, host) if ref else None for ref, host in zip(named, hosts, strict=True)]


def _match(found: dict[bytes, list[int]], ref: ReferencedCompany, host: HostKeys | None) -> int | None:
    for key in (ref.host_digest, ref.linkedin_digest):
        if key is not None and found.get(key):
            return found[key][0]
    # many companies share a registrable domain: a name next to it decides which one, or none
    if ref.name:
        return _find_by_name(found, ref)
    numbers = host.answer(found) if host else ()
    return numbers[0] if len(numbers) == 1 else None


def _find_by_name(found: dict[bytes, list[int]], ref: ReferencedCompany) -> int | None:
    """Return the only company of a name, else the only one with it as an alternative name."""
    number = _only(found, ref.name_digests)
    return _only(found, ref.alias_digests) if number is None else number


def _only(found: dict[bytes, list[int]], keys: Iterable[bytes]) -> int | None:
    """Return the only company that holds any of these keys."""
    numbers = {number for key in keys for number in found.get(key, ())}
    return numbers.pop() if len(numbers) == 1 else None


def _cache_key(ref: ReferencedCompany) -> tuple[bytes | None, ...]:
    return ref.token_digest, ref.host_digest, ref.linkedin_digest, *ref.name_digests


def _digests(ref: ReferencedCompany) -> list[bytes]:
    keys = (ref.host_digest, ref.linkedin_digest, *ref.name_digests, *ref.alias_digests)
    return [key for key in keys if key is not None]


def _choose(found: dict[bytes, list[int]], ref: ReferencedCompany, stub: bytes) -> int | None:
    """Return the stored company of a name, if any; of several holders of an exact key the first."""
    for key in (ref.token_digest, ref.host_digest, ref.linkedin_digest):
        if key is not None and found.get(key):
            return found[key][0]
    # a row from exported answers has its company's id: a namesake is another company, and that one may come later
    number = None if ref.token else _find_by_name(found, ref)
    if number is not None:
        return number
    stubs = found.get(stub)
    return stubs[0] if stubs else None
