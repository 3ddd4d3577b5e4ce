"""The records that filters name: the look-ups of one request, in its read transaction (decisions B and E)."""

from collections.abc import Collection, Iterable, Sequence

from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.identity import Digests
from firmograph.directory.shared_hosts import domain_forms
from firmograph.prospecting.engines.port import SearchEngine
from firmograph.security.record_ids import Entity, Tokens


class Lookups:
    """`reading.Resolver` over one state of the database. At most two statements for each list."""

    def __init__(self, session: Session, engine: SearchEngine, tokens: Tokens, digests: Digests) -> None:
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
        held = store.contact_numbers(self._session, keys) if keys else {}
        return _all(self._opened(Entity.CONTACT, ids), held.values())

    def companies(
        self, *, ids: Sequence[str] = (), domains: Sequence[str] = (), linkedin_urls: Sequence[str] = ()
    ) -> frozenset[int]:
        """A domain means the companies of that host; where there is none, those it is another domain of."""
        pages = set(map(self._digests.company_linkedin, linkedin_urls))
        hosts = {self._digests.company_host(host): host for host in domains}
        held = self._companies(pages | hosts.keys())
        missed = [host for key, host in hosts.items() if key not in held]
        others = self._companies({key for host in missed for key in self._other_keys(host)})
        return _all(self._opened(Entity.COMPANY, ids), [*held.values(), *others.values()])

    def _companies(self, keys: Collection[bytes]) -> dict[bytes, list[int]]:
        return store.company_numbers(self._session, keys) if keys else {}

    def _other_keys(self, host: str) -> Iterable[bytes]:
        return map(self._digests.company_domain, domain_forms(host))

    def _opened(self, entity: Entity, ids: Sequence[str]) -> Iterable[int]:
        opened = (self._tokens.open(entity, text) for text in ids)
        return (number for number in opened if number is not None)

    def postcode_centre(self, postcode: str) -> tuple[float, float] | None:
        return self._engine.postcode_centre(postcode)


def _all(numbers: Iterable[int], more: Iterable[Collection[int]]) -> frozenset[int]:
    return frozenset(numbers).union(*more)
