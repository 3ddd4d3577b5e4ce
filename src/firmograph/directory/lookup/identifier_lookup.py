"""Lookup of all records that lists of identifiers name."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.identity import Digests
from firmograph.directory.lookup.identifiers import CompanyIdentifiers, ContactIdentifiers
from firmograph.directory.shared_hosts import domain_forms
from firmograph.security.record_ids import Entity, RecordIds


class ListedRecords(NamedTuple):
    """Numbers of the records that lists name; unknown identifiers name none."""

    by_id: frozenset[int]
    """Records of ids. Whether they exist is not checked."""
    by_key: Sequence[Collection[int]]
    """Records of each other identifier that has any."""

    def every(self) -> frozenset[int]:
        """Return all records that an identifier names."""
        return self.by_id.union(*self.by_key)

    def unambiguous(self) -> frozenset[int]:
        """Return the records that an identifier names alone."""
        return self.by_id.union(*(numbers for numbers in self.by_key if len(numbers) == 1))


class IdentifierLookup:
    """Lookup of lists in at most one statement for contacts and two for companies, each per 16,384 keys."""

    def __init__(self, tokens: RecordIds, digests: Digests) -> None:
        self._tokens = tokens
        self._digests = digests

    def contacts(self, session: Session, given: ContactIdentifiers) -> ListedRecords:
        keys = {
            *map(self._digests.contact_email, given.emails),
            *map(self._digests.contact_linkedin, given.linkedin_urls),
        }
        by_key = store.contact_numbers(session, keys) if keys else {}
        return ListedRecords(self._open(Entity.CONTACT, given.ids), list(by_key.values()))

    def companies(self, session: Session, given: CompanyIdentifiers) -> ListedRecords:
        """Return companies by host; for a host without any, the companies that list it as another domain."""
        pages = set(map(self._digests.company_linkedin, given.linkedin_urls))
        hosts = {self._digests.company_host(host): host for host in given.domains}
        by_key = _companies(session, pages | hosts.keys())
        missing = [self._domain_keys(host) for key, host in hosts.items() if key not in by_key]
        by_domain = _companies(session, {key for keys in missing for key in keys})
        others = ({number for key in keys for number in by_domain.get(key, ())} for keys in missing)
        return ListedRecords(self._open(Entity.COMPANY, given.ids), [*by_key.values(), *filter(None, others)])

    def _domain_keys(self, host: str) -> list[bytes]:
        return list(map(self._digests.company_domain, domain_forms(host)))

    def _open(self, entity: Entity, ids: Sequence[str]) -> frozenset[int]:
        numbers = (self._tokens.open(entity, text) for text in ids)
        return frozenset(number for number in numbers if number is not None)


def _companies(session: Session, keys: Collection[bytes]) -> dict[bytes, list[int]]:
    return store.company_numbers(session, keys) if keys else {}
