"""Linking companies that are only named: employers, parents, competitors (docs/reference/records.md#named-companies).

By domain or LinkedIn, else by a unique normalised name, else as a stub: a record that holds only what was named,
and that a fuller row with the same key makes whole later.
"""

from collections.abc import Iterable, Sequence

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.company_json import CompanyParts, encode_company
from firmograph.directory.identity import Digests
from firmograph.directory.normalise.linkedin import linkedin_url
from firmograph.directory.normalise.locations import normalise_location
from firmograph.directory.records import Company, CompanyLinks, CompanyRef
from firmograph.directory.row_keys import STUB_SOURCE, CompanyRowKeys, company_row_keys
from firmograph.ingest.merging import store
from firmograph.ingest.merging.source_history import Row
from firmograph.ingest.records.company_keys import STUB_SOURCE_NUMBER, named_company, stub_id
from firmograph.ingest.records.prepared_rows import NamedCompany
from firmograph.security.record_ids import Entity


class Stub(msgspec.Struct, frozen=True):
    """A company made because another record named it."""

    number: int
    fragments: CompanyParts
    row: Row
    stub_id: str
    keys: CompanyRowKeys


class Linker:
    """Finds the records of named companies for one import, remembering what it found.

    What it remembers holds only while nobody else writes companies, so `begin` forgets it when the change
    sequence has moved on since `end`.
    """

    def __init__(self, digests: Digests) -> None:
        self._digests = digests
        self._known: dict[tuple[bytes | None, ...], int] = {}
        self._head = -1
        self._stubs: list[Stub] = []

    def begin(self, session: Session) -> None:
        if store.head(session) != self._head:
            self._known.clear()
        self._next = store.counter(session, "company") + 1

    def next_number(self) -> int:
        """A number for a new company; never used again, even if the record goes."""
        number = self._next
        self._next += 1
        return number

    def end(self, session: Session) -> None:
        """Write the stubs that were made; the last thing before the commit."""
        stubs = self._stubs
        store.load_records(session, Entity.COMPANY, [(stub.number, *stub.fragments) for stub in stubs])
        rows = [(stub.number, STUB_SOURCE_NUMBER, stub.stub_id, *stub.row) for stub in stubs]
        store.load_rows(session, Entity.COMPANY, rows)
        keys = [(digest, stub.number) for stub in stubs for digest in stub.keys.all()]
        store.load_keys(session, Entity.COMPANY, keys)
        store.load_changes(session, Entity.COMPANY, [stub.number for stub in stubs])
        store.set_counter(session, "company", self._next - 1)
        self._head = store.head(session)
        self._stubs.clear()

    def not_written(self) -> dict[int, CompanyParts]:
        """The stubs that were made since `begin`; the database holds them from `end` on."""
        return {stub.number: stub.fragments for stub in self._stubs}

    def abandon(self) -> None:
        """Forget what a transaction that was rolled back would have written."""
        self._stubs.clear()
        self._known.clear()
        self._head = -1

    def link(self, session: Session, refs: Iterable[NamedCompany]) -> None:
        """Make the numbers of these companies known to `number`."""
        unknown: dict[tuple[bytes | None, ...], NamedCompany] = {}
        for ref in refs:
            key = _cache_key(ref)
            if key not in self._known:
                unknown.setdefault(key, ref)
        if not unknown:
            return
        stubs = {key: self._digests.company_source(STUB_SOURCE, stub_id(ref)) for key, ref in unknown.items()}
        digests = {digest for ref in unknown.values() for digest in _digests(ref)}
        found = store.find(session, Entity.COMPANY, digests | set(stubs.values()))
        for key, ref in unknown.items():
            number = _choose(found, ref, stubs[key])
            if number is None:
                stub = self._make(ref)
                number = stub.number
                for digest in stub.keys.all():
                    found.setdefault(digest, []).append(number)
            self._known[key] = number

    def held(self, session: Session, refs: Sequence[NamedCompany]) -> list[int | None]:
        """Return the record that each of these companies would be linked to, None where one would be made."""
        stubs = [self._digests.company_source(STUB_SOURCE, stub_id(ref)) for ref in refs]
        found = store.find(
            session, Entity.COMPANY, {*stubs, *(digest for ref in refs for digest in _digests(ref))}
        )
        return [_choose(found, ref, stub) for ref, stub in zip(refs, stubs, strict=True)]

    def number(self, ref: NamedCompany | None) -> int | None:
        return self._known[_cache_key(ref)] if ref else None

    def forget(self) -> None:
        """Forget every link: companies with new keys were written by this very import."""
        self._known.clear()

    def _make(self, ref: NamedCompany) -> Stub:
        record = Company(
            name=ref.name or None,
            domain=ref.domain or None,
            social_links=CompanyLinks(linkedin=linkedin_url(ref.linkedin)) if ref.linkedin else None,
            location=normalise_location(None, ref.country, None, None, None, None, None, None)
            if ref.country
            else None,
            stub=True,
        )
        row = Row(b"", "", None, None, None)
        keys = company_row_keys(self._digests, STUB_SOURCE, stub_id(ref), record)
        stub = Stub(self.next_number(), encode_company(record), row, stub_id(ref), keys)
        self._stubs.append(stub)
        return stub


class Finder:
    """Finds the records of companies that facts are about: by the keys of `Linker` and by registrable domain.

    It makes no record, and does not remember what it found: another commit may see other companies.
    """

    def __init__(self, digests: Digests) -> None:
        self._digests = digests

    def find(self, session: Session, refs: Sequence[CompanyRef]) -> list[int | None]:
        """The number of the held company that each one means, None where there is none or several. One statement."""
        named = [named_company(self._digests, ref) for ref in refs]
        digests = {digest for ref in named if ref for digest in (*_digests(ref), *_domain(ref))}
        found = store.find(session, Entity.COMPANY, digests) if digests else {}
        return [_meant(found, ref) if ref else None for ref in named]


def _domain(ref: NamedCompany) -> list[bytes]:
    return [ref.domain_digest] if ref.domain_digest is not None else []


def _meant(found: dict[bytes, list[int]], ref: NamedCompany) -> int | None:
    for key in (ref.host_digest, ref.linkedin_digest):
        if key is not None and found.get(key):
            return found[key][0]
    # a unit's domain belongs to many: a name beside it says which is meant, or that none is
    if ref.name:
        return _only_named(found, ref)
    return _only(found, [ref.domain_digest] if ref.domain_digest else [])


def _only_named(found: dict[bytes, list[int]], ref: NamedCompany) -> int | None:
    """The only company of a name, else the only one that has it as an alternative name."""
    number = _only(found, ref.name_digests)
    return _only(found, ref.alias_digests) if number is None else number


def _only(found: dict[bytes, list[int]], keys: Iterable[bytes]) -> int | None:
    """The only company that holds any of these keys."""
    held = {number for key in keys for number in found.get(key, ())}
    return held.pop() if len(held) == 1 else None


def _cache_key(ref: NamedCompany) -> tuple[bytes | None, ...]:
    return ref.token_digest, ref.host_digest, ref.linkedin_digest, *ref.name_digests


def _digests(ref: NamedCompany) -> list[bytes]:
    keys = (ref.host_digest, ref.linkedin_digest, *ref.name_digests, *ref.alias_digests)
    return [key for key in keys if key is not None]


def _choose(found: dict[bytes, list[int]], ref: NamedCompany, stub: bytes) -> int | None:
    """The held company that is meant, if any; an exact key that several hold means the first of them."""
    for key in (ref.token_digest, ref.host_digest, ref.linkedin_digest):
        if key is not None and found.get(key):
            return found[key][0]
    # of answers the one that is meant comes by its id, perhaps later: another of its name is not it
    number = None if ref.token else _only_named(found, ref)
    if number is not None:
        return number
    held = found.get(stub)
    return held[0] if held else None
