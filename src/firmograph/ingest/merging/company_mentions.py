"""Mentions of companies: who names a company as employer, owner or competitor."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from firmograph.database.connection import Session
from firmograph.ingest.merging import store
from firmograph.security.record_ids import Entity


class CompanyMentions:
    """Contacts and companies that name some companies.

    No index leads from a company to those that name it, so all rows are read once, outside of write transactions; each
    of these then follows the changes since.
    """

    def __init__(self, session: Session, companies: Collection[int]) -> None:
        """Read who names these companies, in a read transaction."""
        self._companies = frozenset(companies)
        self._contacts: dict[int, int] = {}
        self._related: dict[int, set[int]] = defaultdict(set)
        self._sequence = store.last_change(session)
        self._add(store.read_employers(session), store.read_relations(session))

    def follow(self, session: Session) -> None:
        """Add who names them since, in a transaction of the scope RECORDS."""
        changed = store.changed_after(session, self._sequence)
        self._sequence = store.last_change(session)
        self._add(
            store.read_employers(session, changed[Entity.CONTACT]),
            store.read_relations(session, changed[Entity.COMPANY]),
        )

    def _add(self, employers: Mapping[int, int], relations: Iterable[tuple[int, int]]) -> None:
        for company in employers.keys() & self._companies:
            self._contacts.setdefault(company, employers[company])
        for named, company in relations:
            if named in self._companies:
                self._related[named].add(company)

    def employee(self, session: Session, company: int) -> int | None:
        """Return a contact with a row that is linked to a company."""
        contact = self._contacts.get(company)
        if contact is None or company in store.read_employers(session, [contact]):
            return contact
        return store.first_employee(session, company)

    def related(self, session: Session, company: int) -> set[int]:
        """Return the companies that name a company as owner or competitor."""
        read = self._related.get(company)
        return (
            {by for named, by in store.read_relations(session, read) if named == company} if read else set()
        )
