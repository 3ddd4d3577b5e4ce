"""Mentions of companies: who names a company as employer, owner or competitor."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from firmograph.database.connection import Session
from firmograph.ingest.merging import store
from firmograph.security.record_ids import Entity


class CompanyMentions:
    """Contacts and companies that name some companies.

    No index leads from a company to those that name it, so all rows are read once, outside of write transactions; each
    of these then adds the changes since.
    """

    def __init__(self, session: Session, companies: Collection[int]) -> None:
        """Read who names these companies, in a read transaction."""
        self._companies = frozenset(companies)
        self._contacts: dict[int, int] = {}
        self._related: dict[int, set[int]] = defaultdict(set)
        self._sequence = store.last_change(session)
        self._add(store.read_employers(session), store.read_relations(session))

    def follow(self, session: Session) -> None:
        """Add who names them since, in a read transaction between deletions, which then have less to read."""
        sequence = store.last_change(session)
        self.add_changes(session)
        self._sequence = sequence

    def add_changes(self, session: Session) -> None:
        """Add who names them since, in the transaction of a deletion.

        The position stays: what this transaction writes may be rolled back, and others may get the same places.
        """
        changed = store.changed_after(session, self._sequence)
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

    def employees(self, session: Session, companies: Collection[int]) -> dict[int, int]:
        """Return those of the companies that rows of contacts are linked to, each with such a contact."""
        if not self._companies.issuperset(companies):
            raise ValueError("who names these companies was not read")
        read = {one: self._contacts[one] for one in companies if one in self._contacts}
        present = store.read_employers(session, read.values())
        found = {one: present[one] for one in read if one in present}
        for company in read.keys() - found.keys():
            # the contact that was read has left, others may be there
            contact = store.first_employee(session, company)
            if contact is not None:
                found[company] = contact
        return found

    def related(self, session: Session, companies: Collection[int]) -> dict[int, set[int]]:
        """Return those of the companies that others name as owner or competitor, each with these."""
        read = set[int]().union(*(self._related.get(one, ()) for one in companies))
        found: dict[int, set[int]] = defaultdict(set)
        for named, company in store.read_relations(session, read):
            if named in companies:
                found[named].add(company)
        return found
