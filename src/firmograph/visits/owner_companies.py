"""Companies of the owners of sessions, looked up when they are asked for and kept while no company changes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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
_OWNER_BYTES: Final = 1_200
"""Upper bound of what the keys of an owner take."""

OwnerKey = HostKeys | CompanyQuery | bytes | None
"""Keys of a domain, query of a name, digest of a customer's id, or none for an owner that has no company."""
Places = NDArray[np.int32]


class OwnedCompanies(NamedTuple):
    """Companies of an account's owners, in an order that arrays refer to."""

    numbers: NDArray[np.int64]
    """Record numbers, ascending."""
    first_owner: int
    places: Places
    """Place in `numbers` of each owner from the first one, `NO_COMPANY` without one."""

    def of(self, owners: NDArray[np.int32]) -> Places:
        """Return the place of the company of each owner; 0 is no owner."""
        if not len(self.places):
            return np.full(len(owners), NO_COMPANY, np.int32)
        found = self.places[np.maximum(owners - self.first_owner, 0)]
        return np.where(owners > 0, found, np.int32(NO_COMPANY))


@dataclass(frozen=True)
class _Kept:
    """Look-ups of one account at a position of the database."""

    position: SequenceState
    sources: tuple[tuple[int, str | None], ...]
    """Source of customers of each site, on which the keys of customers depend."""
    keys: Mapping[int, OwnerKey]
    companies: OwnedCompanies

    @property
    def bytes(self) -> int:
        return len(self.keys) * _OWNER_BYTES + self.companies.places.nbytes + self.companies.numbers.nbytes


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
        self._cache: ByteCache[_Kept] = ByteCache(most_bytes)
        self._lock = Lock()

    def find(
        self,
        session: AccountSession,
        position: SequenceState,
        sites: Sequence[Site],
        owners: Iterable[NDArray[np.int32]],
    ) -> OwnedCompanies:
        """Return the companies of these owners of the account's sites, and of others.

        `position` is that of the database before the transaction of the session began.
        """
        sources = tuple((site.id, site.customers) for site in sites)
        wanted = list(owners)
        with self._lock:
            kept = self._cache.get(session.account_id)
            known: Mapping[int, OwnerKey] = {}
            if kept and kept.sources == sources and kept.position.identity == position.identity:
                known = kept.keys
                changed = has_changed_company(session.session, kept.position, position)
                missing = _missing(kept.companies, wanted)
                if not changed and not missing:
                    if kept.position != position:
                        self._keep(session, _Kept(position, sources, known, kept.companies))
                    return kept.companies
            else:
                missing = {int(owner) for each in wanted for owner in each}
            found = read_owners(session, sorted(missing))
            keys = {**known, **self._keys(found, dict(sources))}
            kept = _Kept(position, sources, keys, self._look_up(session.session, keys))
            self._keep(session, kept)
            return kept.companies

    def _keep(self, session: AccountSession, kept: _Kept) -> None:
        self._cache.put(session.account_id, kept, kept.bytes)

    def _keys(self, found: Mapping[int, SiteOwner], sources: Mapping[int, str | None]) -> dict[int, OwnerKey]:
        return {number: self._key(owner, sources.get(owner.site_id)) for number, owner in found.items()}

    def _key(self, owner: SiteOwner, source: str | None) -> OwnerKey:
        kind, key, confidence = owner.owner
        if confidence < self._least:
            return None
        if kind is OwnerKind.CUSTOMER:
            return self._digests.company_source(source, key) if source else None
        host = host_of(key)
        return host_keys(self._digests, host) if host else self._records.queries.named_company(key)

    def _look_up(self, session: Session, keys: Mapping[int, OwnerKey]) -> OwnedCompanies:
        """Return the companies of all owners; the number of statements grows with 16,384 keys each."""
        if not keys:
            return OwnedCompanies(np.zeros(0, np.int64), 0, np.zeros(0, np.int32))
        digests = {digest for key in keys.values() for digest in _digests(key)}
        by_key = directory_store.company_numbers(session, digests) if digests else {}
        named = [(owner, key) for owner, key in keys.items() if isinstance(key, CompanyQuery)]
        by_name = self._records.companies(session, [key for _, key in named]) if named else []
        numbers = {owner: one.number for (owner, _), one in zip(named, by_name, strict=True) if one}
        for owner, key in keys.items():
            if isinstance(key, HostKeys):
                number = company_of_domain(key, by_key)
            else:
                number = next(iter(by_key.get(key, ())), None) if isinstance(key, bytes) else None
            if number is not None:
                numbers[owner] = number
        return _arranged(keys, numbers)


def _digests(key: OwnerKey) -> Iterable[bytes]:
    if isinstance(key, HostKeys):
        return key.all()
    return (key,) if isinstance(key, bytes) else ()


def _missing(companies: OwnedCompanies, wanted: Iterable[NDArray[np.int32]]) -> set[int]:
    """Return the owners that were not looked up."""
    missing: set[int] = set()
    first, places = companies.first_owner, companies.places
    for owners in wanted:
        at = owners - first
        outside = (at < 0) | (at >= len(places))
        unknown = outside.copy()
        unknown[~outside] = places[at[~outside]] == _UNKNOWN
        missing.update(owners[unknown].tolist())
    return missing


def _arranged(keys: Mapping[int, OwnerKey], numbers: Mapping[int, int]) -> OwnedCompanies:
    first, last = min(keys), max(keys)
    places = np.full(last - first + 1, _UNKNOWN, np.int32)
    places[np.fromiter(keys, np.int64, len(keys)) - first] = NO_COMPANY
    owners = np.fromiter(numbers, np.int64, len(numbers))
    distinct, at = np.unique(np.fromiter(numbers.values(), np.int64, len(numbers)), return_inverse=True)
    places[owners - first] = at
    return OwnedCompanies(distinct, first, places)
