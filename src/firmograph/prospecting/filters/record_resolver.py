"""Records named by filters, looked up in the read transaction of the request."""

from firmograph.database.connection import Session
from firmograph.directory.identity import Digests
from firmograph.directory.lookup.identifier_lookup import IdentifierLookup
from firmograph.directory.lookup.identifiers import CompanyIdentifiers, ContactIdentifiers
from firmograph.prospecting.search_snapshot import SearchSnapshot
from firmograph.security.record_ids import RecordIds


class DatabaseResolver:
    """`filter_reader.Resolver` on one state of the database, with at most two statements per list."""

    def __init__(self, session: Session, search: SearchSnapshot, tokens: RecordIds, digests: Digests) -> None:
        self._session = session
        self._search = search
        self._lookup = IdentifierLookup(tokens, digests)

    def contacts(self, given: ContactIdentifiers) -> frozenset[int]:
        return self._lookup.contacts(self._session, given).every()

    def companies(self, given: CompanyIdentifiers) -> frozenset[int]:
        return self._lookup.companies(self._session, given).every()

    def excluded_companies(self, given: CompanyIdentifiers) -> frozenset[int]:
        return self._lookup.excluded_companies(self._session, given).every()

    def postcode_centre(self, postcode: str) -> tuple[float, float] | None:
        return self._search.postcode_centre(postcode)
