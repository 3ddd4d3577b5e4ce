"""Companies of the owners of sessions, looked up when they are asked for and kept while no company changes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firmograph.database.connection import AccountSession, Session
from firmograph.directory import store as directory_store
from firmograph.directory.host_keys import HostKeys, host_keys
from firmograph.directory.identity import Digests
from firmograph.directory.lookup.company_choice import company_of_domain
from firmograph.directory.lookup.queries import CompanyQuery
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.normalise.domains import host_of
from firmograph.indexing.company_changes import SequenceState, has_changed_company
from firmograph.kit.byte_cache import ByteCache
from firmograph.visits.columns import SiteOwner, read_owners
from firmograph.visits.types import OwnerKind, Site

NO_COMPANY: Final = -1
_UNKNOWN: Final = -2
"""Place of an owner that was not looked up."""
_LOCKS: Final = 16
_OWNER_BYTES: Final = 300
_KEY_BYTES: Final = 1_000
"""Upper bounds of the memory of an owner and a key."""

OwnerName = tuple[str | None, str]
"""Source and id of a customer, or None and a domain or name of a company."""
LookupKey = HostKeys | CompanyQuery | bytes
"""Keys of a domain, query of a name, or digest of a customer's id."""
Places = NDArray[np.int32]


class OwnedCompanies(NamedTuple):
    """Companies of an account's owners, in an order that arrays refer to."""

    numbers: NDArray[np.int64]
    """Record numbers, ascending."""
    first_owner: int
    places: Places
    """Place in `numbers` of each owner from the first one, negative without one; the first and last are of no owner."""

    def of(self, owners: NDArray[np.int32]) -> Places:
        """Return the place of the company of each owner, negative without one."""
        return self.places.take(owners - (self.first_owner - 1), mode="clip")


NO_COMPANIES: Final = OwnedCompanies(np.zeros(0, np.int64), 0, np.full(2, _UNKNOWN, np.int32))


@dataclass(frozen=True)
class _CachedCompanies:
    """Look-ups of one account at a position of the database."""

    position: SequenceState
    sources: Mapping[int, str | None]
    """Source of customers of each site."""
    names: Mapping[int, OwnerName | None]
    """By owner; None for one that has no company in any case."""
    keys: Mapping[OwnerName, LookupKey]
    found: Mapping[OwnerName, int]
    """Record number of the company, of those that have one."""
    companies: OwnedCompanies

    @property
    def bytes(self) -> int:
        owners, keys = len(self.names) * _OWNER_BYTES, len(self.keys) * _KEY_BYTES
        return owners + keys + self.companies.places.nbytes + self.companies.numbers.nbytes


class OwnerCompanies:
    """Companies of owners of all accounts, within a bound of bytes.

    An owner whose company was found with less than the required confidence has none.
    """

    def __init__(
        self, records: RecordLookup, digests: Digests, least_confidence: float, most_bytes: int
    ) -> None:
        self._records = records
        self._digests = digests
        self._least = least_confidence
        self._cache: ByteCache[_CachedCompanies] = ByteCache(most_bytes)
        # two calls do not look the same owners up, and few accounts wait for another
        self._locks = [Lock() for _ in range(_LOCKS)]

    def find(
        self,
        session: AccountSession,
        position: SequenceState,
        sites: Sequence[Site],
        owners: NDArray[np.int32],
    ) -> OwnedCompanies:
        """Return the companies of these owners of the account's sites, and of others; owner 0 is none.

        `position` is that of the database before the transaction of the session began.
        """
        sources = {site.id: site.customers for site in sites}
        with self._locks[session.account_id % _LOCKS]:
            kept = self._cache.get(session.account_id)
            if kept is None or kept.sources != sources or kept.position.identity != position.identity:
                kept = _CachedCompanies(position, sources, {}, {}, {}, NO_COMPANIES)
            found = self._updated(session, kept, position, owners)
            if found is not kept:
                self._cache.put(session.account_id, found, found.bytes)
            return found.companies

    def _updated(
        self,
        session: AccountSession,
        kept: _CachedCompanies,
        position: SequenceState,
        owners: NDArray[np.int32],
    ) -> _CachedCompanies:
        """Return the look-ups with those of all owners: new ones alone, or each if a company has changed."""
        changed = has_changed_company(session.session, kept.position, position)
        missing = _missing(kept.companies, owners)
        if not changed and not missing:
            return kept if kept.position == position else replace(kept, position=position)
        read = read_owners(session, missing)
        added = {one: self._name(read[one], kept.sources) if one in read else None for one in missing}
        new = {name: self._key(name) for name in {*added.values()} if name and name not in kept.keys}
        names, keys = {**kept.names, **added}, {**kept.keys, **new}
        if changed:
            found = self._look_up(session.session, keys)
        else:
            found = {**kept.found, **self._look_up(session.session, new)}
        return _CachedCompanies(position, kept.sources, names, keys, found, _arranged(names, found))

    def _name(self, each: SiteOwner, sources: Mapping[int, str | None]) -> OwnerName | None:
        kind, key, confidence = each.owner
        if confidence < self._least:
            return None
        if kind is not OwnerKind.CUSTOMER:
            return None, key
        source = sources.get(each.site_id)
        return (source, key) if source else None

    def _key(self, name: OwnerName) -> LookupKey:
        source, text = name
        if source is not None:
            return self._digests.company_source(source, text)
        host = host_of(text)
        return host_keys(self._digests, host) if host else self._records.queries.named_company(text)

    def _look_up(self, session: Session, keys: Mapping[OwnerName, LookupKey]) -> dict[OwnerName, int]:
        """Return the company of each key that has one; one statement for 16,384 digests, and two for names."""
        digests = {digest for key in keys.values() for digest in _digests(key)}
        by_key = directory_store.company_numbers(session, digests) if digests else {}
        queries = {name: key for name, key in keys.items() if isinstance(key, CompanyQuery)}
        by_name = self._records.companies(session, list(queries.values())) if queries else []
        found = {name: one.number for name, one in zip(queries, by_name, strict=True) if one}
        for name, key in keys.items():
            number = None
            if isinstance(key, HostKeys):
                number = company_of_domain(key, by_key)
            elif isinstance(key, bytes):
                number = next(iter(by_key.get(key, ())), None)
            if number is not None:
                found[name] = number
        return found


def _digests(key: LookupKey) -> Iterable[bytes]:
    if isinstance(key, HostKeys):
        # companies below a host do not answer for it
        return key._replace(below=None).all()
    return (key,) if isinstance(key, bytes) else ()


def _missing(companies: OwnedCompanies, owners: NDArray[np.int32]) -> set[int]:
    """Return the owners that were not looked up."""
    unknown = (companies.of(owners) == _UNKNOWN) & (owners > 0)
    return set(np.unique(owners[unknown]).tolist()) if unknown.any() else set()


def _arranged(names: Mapping[int, OwnerName | None], found: Mapping[OwnerName, int]) -> OwnedCompanies:
    if not names:
        return NO_COMPANIES
    owners = np.fromiter(names, np.int64, len(names))
    numbers = np.array([-1 if name is None else found.get(name, -1) for name in names.values()], np.int64)
    has_company = numbers >= 0
    distinct, at = np.unique(numbers[has_company], return_inverse=True)
    first = int(owners.min())
    places = np.full(int(owners.max()) - first + 3, _UNKNOWN, np.int32)
    places[owners - first + 1] = NO_COMPANY
    places[owners[has_company] - first + 1] = at
    return OwnedCompanies(distinct, first, places)
