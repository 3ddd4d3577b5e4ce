"""Lookup of all records that lists of identifiers name."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.host_keys import HostKeys, host_keys
from firmograph.directory.identity import Digests
from firmograph.directory.lookup.identifiers import CompanyIdentifiers, ContactIdentifiers
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

    def count_unambiguous(self) -> int:
        """Return how many identifiers name one record alone; ids of one record count once."""
        return len(self.by_id) + sum(len(numbers) == 1 for numbers in self.by_key)

    def unambiguous(self) -> frozenset[int]:
        """Return the records that an identifier names alone."""
        return self.by_id.union(*(numbers for numbers in self.by_key if len(numbers) == 1))


class IdentifierLookup:
    """Lookup of lists in at most one statement per 16,384 keys."""

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
        """Return the companies that answer for each host, as in other look-ups, and those of LinkedIn pages."""
        return self._companies(session, given, HostKeys.answer)

    def excluded_companies(self, session: Session, given: CompanyIdentifiers) -> ListedRecords:
        """Return all companies that hold exactly a host; for a registrable domain that none holds, those below it."""
        return self._companies(session, given, HostKeys.named)

    def _companies(
        self,
        session: Session,
        given: CompanyIdentifiers,
        choose: Callable[[HostKeys, Mapping[bytes, Sequence[int]]], Collection[int]],
    ) -> ListedRecords:
        pages = list(map(self._digests.company_linkedin, given.linkedin_urls))
        hosts = [host_keys(self._digests, host) for host in given.domains]
        keys = {*pages, *(key for host in hosts for key in host.all())}
        by_key = store.company_numbers(session, keys) if keys else {}
        found = [*(by_key.get(page, ()) for page in pages), *(choose(host, by_key) for host in hosts)]
        return ListedRecords(self._open(Entity.COMPANY, given.ids), list(filter(None, found)))

    def _open(self, entity: Entity, ids: Sequence[str]) -> frozenset[int]:
        numbers = (self._tokens.open(entity, text) for text in ids)
        return frozenset(number for number in numbers if number is not None)
