"""The search engine of one process (`prospecting.engine.SearchEngine`)."""

import threading
from collections.abc import Iterable, Sequence

import numpy as np
from pyroaring import BitMap

from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.document import Entry
from firmograph.prospecting.engines.memory.arrays import documents
from firmograph.prospecting.engines.memory.company_attributes import Carried, carried_pairs
from firmograph.prospecting.engines.memory.employment import Staff
from firmograph.prospecting.engines.memory.evaluate import Evaluation
from firmograph.prospecting.engines.memory.pages import capped_page, plain_page
from firmograph.prospecting.engines.memory.segment import Space
from firmograph.prospecting.engines.memory.suggest import suggest
from firmograph.prospecting.engines.port import Changes, Suggestion
from firmograph.prospecting.engines.query import All, Found, Query
from firmograph.security.record_ids import Entity


class MemoryEngine:
    """An index in this process's memory.

    One lock stands for one state: a search takes a few milliseconds at millions of records, changes are applied a
    few at a time, and neither sees the other half done.
    """

    def __init__(
        self, contacts: Space, companies: Space, staff: Staff, carried: Carried, applied: int
    ) -> None:
        self.contacts = contacts
        self.companies = companies
        self.staff = staff
        self.carried = carried
        self.lock = threading.Lock()
        self._applied = applied
        self._evaluation = Evaluation(contacts, companies, staff, carried)

    @classmethod
    def empty(cls) -> "MemoryEngine":
        no_employers = Staff(np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.bool_))
        return cls(Space.empty(Entity.CONTACT), Space.empty(Entity.COMPANY), no_employers, Carried.empty(), 0)

    @property
    def applied(self) -> int:
        return self._applied

    @property
    def dead_share(self) -> float:
        """How many of all documents are dead, 0 to 1: what building it again would save."""
        count = self.contacts.documents.count + self.companies.documents.count
        dead = len(self.contacts.documents.dead) + len(self.companies.documents.dead)
        return dead / count if count else 0.0

    def apply(self, changes: Changes) -> None:
        with self.lock:
            for entry in changes.companies:
                self._put_company(entry)
            for number in changes.removed_companies:
                self._drop_company(number)
            for entry in changes.contacts:
                self._put_contact(entry)
            self._drop_contacts(changes.removed_contacts)
            self._applied = max(self._applied, changes.sequence)

    def remove(self, contacts: Sequence[int]) -> None:
        with self.lock:
            self._drop_contacts(contacts)

    def _put_company(self, entry: Entry) -> None:
        self.companies.put(entry)
        self.carried.change(entry.number, carried_pairs(entry), self.staff.of(entry.number))

    def _drop_company(self, number: int) -> None:
        self.companies.documents.drop(number)
        self.carried.change(number, (), self.staff.of(number))

    def _put_contact(self, entry: Entry) -> None:
        self._drop_contacts((entry.number,))
        document = self.contacts.put(entry)
        self.staff.put(document, entry.company)
        if entry.company is not None:
            self.carried.join(entry.company, document)

    def _drop_contacts(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            document = self.contacts.documents.of(number)
            if document is not None:
                self.contacts.documents.drop(number)
                self.staff.leave(document)

    def search(self, query: Query) -> Found:
        with self.lock:
            self._evaluation.begin()
            space = self._space(query.entity)
            found = self._parts(query, space)
            if query.most_per_company is not None:
                total, page = capped_page(space.documents, self.staff, found, query)
            else:
                total, page = plain_page(space.documents, found, query)
            return Found(total, space.documents.numbers(page).tolist())

    def _parts(self, query: Query, space: Space) -> list[BitMap]:
        """Bitmaps whose intersection is what was found, living documents only."""
        criteria = query.where.criteria if isinstance(query.where, All) else (query.where,)
        of_contacts = query.entity is Entity.CONTACT
        find = self._evaluation.contacts if of_contacts else self._evaluation.companies
        if not criteria:
            parts = [space.documents.everyone()]
        elif of_contacts:
            parts = self._evaluation.parts(criteria)
        else:
            parts = [find(each) for each in criteria]
        parts.sort(key=len)
        excluded = [find(each) for each in query.excluded]
        if space.documents.dead:
            excluded.append(space.documents.dead)
        for each in excluded:
            if each:
                parts[0] = parts[0] - each
        return parts

    def counts(self, entity: Entity, field: str) -> dict[str, int]:
        with self.lock:
            return self._space(entity).counts(field)

    def suggest(self, entity: Entity, field: str, text: str, most: int) -> list[Suggestion]:
        return suggest(self._space(entity), self.staff, self.lock, field, text, most)

    def centre(self, postcode: str) -> tuple[float, float] | None:
        with self.lock:
            pairs = []
            for space in (self.contacts, self.companies):
                held = space.terms[fields.ZIP].get(postcode) - space.documents.dead
                pairs.append(space.positions.of_documents(documents(held)))
            both = np.concatenate(pairs)
            if not len(both):
                return None
            latitude, longitude = np.median(both, axis=0).tolist()
            return latitude, longitude

    def checkpoint(self) -> None:
        """Nothing to do here: whoever keeps this process's index writes it down (`checkpoint.write`)."""

    def _space(self, entity: Entity) -> Space:
        return self.contacts if entity is Entity.CONTACT else self.companies
