"""Lookup of the records named by filters, in the read transaction of the request."""

from collections.abc import Collection, Iterable, Sequence

from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.identity import Digests
from firmograph.directory.shared_hosts import domain_forms
from firmograph.prospecting.engines.port import SearchEngine
from firmograph.security.record_ids import Entity, RecordIds


class RecordLookup:
    """`filter_reader.Resolver` on one state of the database, with at most two statements per list."""

    def __init__(self, session: Session, engine: SearchEngine, tokens: RecordIds, digests: Digests) -> None:
        self._session = session
        self._engine = engine
        self._tokens = tokens
        self._digests = digests

    def contacts(
        self, *, ids: Sequence[str] = (), emails: Sequence[str] = (), linkedin_urls: Sequence[str] = ()
    ) -> frozenset[int]:
        keys = {
            *map(self._digests.contact_email, emails),
            *map(self._digests.contact_linkedin, linkedin_urls),
        }
        by_key = store.contact_numbers(self._session, keys) if keys else {}
        return _all(self._open(Entity.CONTACT, ids), by_key.values())

    def companies(
        self, *, ids: Sequence[str] = (), domains: Sequence[str] = (), linkedin_urls: Sequence[str] = ()
    ) -> frozenset[int]:
        """Return companies by host; for a host without any, the companies that list it as another domain."""
        pages = set(map(self._digests.company_linkedin, linkedin_urls))
        hosts = {self._digests.company_host(host): host for host in domains}
        found = self._companies(pages | hosts.keys())
        missing = [host for key, host in hosts.items() if key not in found]
        others = self._companies({key for host in missing for key in self._other_keys(host)})
        return _all(self._open(Entity.COMPANY, ids), [*found.values(), *others.values()])

    def _companies(self, keys: Collection[bytes]) -> dict[bytes, list[int]]:
        return store.company_numbers(self._session, keys) if keys else {}

    def _other_keys(self, host: str) -> Iterable[bytes]:
        return map(self._digests.company_domain, domain_forms(host))

    def _open(self, entity: Entity, ids: Sequence[str]) -> Iterable[int]:
        numbers = (self._tokens.open(entity, text) for text in ids)
        return (number for number in numbers if number is not None)

    def postcode_centre(self, postcode: str) -> tuple[float, float] | None:
        return self._engine.postcode_centre(postcode)


def _all(numbers: Iterable[int], more: Iterable[Collection[int]]) -> frozenset[int]:
    return frozenset(numbers).union(*more)
