"""In-process search engine: `engines.port.SearchEngine`, and the index side that follows the changes."""

import threading
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np
from pyroaring import BitMap

from firmograph.indexing.removed_records import NONE_REMOVED, RemovedRecords
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.document import Entry
from firmograph.prospecting.engines.memory.arrays import EMPTY, document_numbers
from firmograph.prospecting.engines.memory.company_attributes import CompanyAttributes, company_attributes_of
from firmograph.prospecting.engines.memory.employees import find_employees
from firmograph.prospecting.engines.memory.employment import EmploymentIndex
from firmograph.prospecting.engines.memory.evaluate import Evaluation
from firmograph.prospecting.engines.memory.facet_counts import FacetCounts, facets_of
from firmograph.prospecting.engines.memory.pages import AllMatches, capped_page, plain_page
from firmograph.prospecting.engines.memory.segment import Segment
from firmograph.prospecting.engines.memory.suggest import suggest
from firmograph.prospecting.engines.port import Suggestion
from firmograph.prospecting.engines.query import All, EmployeeCriterion, Employees, Query, SearchResult
from firmograph.prospecting.indexing.entry_changes import EntryChanges
from firmograph.security.record_ids import Entity


class MemoryEngine:
    """Search index in the memory of this process.

    One lock guards one state. A search takes a few milliseconds on millions of records, changes are applied in small
    batches, and neither sees a half-applied batch of the other.
    """

    def __init__(
        self,
        contacts: Segment,
        companies: Segment,
        employment: EmploymentIndex,
        company_attributes: CompanyAttributes,
        applied: int,
    ) -> None:
        self.contacts = contacts
        self.companies = companies
        self.employment = employment
        self.company_attributes = company_attributes
        self.lock = threading.Lock()
        self._applied = applied
        self._evaluation = Evaluation(contacts, companies, employment, company_attributes)

    @classmethod
    def empty(cls) -> "MemoryEngine":
        employment = EmploymentIndex(np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.bool_))
        contacts, companies = Segment.empty(Entity.CONTACT), Segment.empty(Entity.COMPANY)
        return cls(contacts, companies, employment, CompanyAttributes.empty(), 0)

    @property
    def applied(self) -> int:
        return self._applied

    @property
    def dead_share(self) -> float:
        """Share of dead documents, 0 to 1: the saving of a rebuild."""
        count = self.contacts.documents.count + self.companies.documents.count
        dead = len(self.contacts.documents.dead) + len(self.companies.documents.dead)
        return dead / count if count else 0.0

    def missing_companies(self, numbers: Collection[int]) -> list[int]:
        """Return those of the companies that the index lacks."""
        return [number for number in numbers if self.companies.documents.find(number) is None]

    def apply(self, changes: EntryChanges) -> None:
        with self.lock:
            for entry in changes.employers:
                if self.companies.documents.find(entry.number) is None:
                    self._put_company(entry)
            for entry in changes.companies:
                self._put_company(entry)
            for number in changes.removed_companies:
                self._remove_company(number)
            for entry in changes.contacts:
                self._put_contact(entry)
            self._remove_contacts(changes.removed_contacts)
            self._applied = max(self._applied, changes.sequence)

    def _put_company(self, entry: Entry) -> None:
        self.companies.add(entry)
        contacts = self.employment.contacts_of(entry.number)
        self.company_attributes.update_company(entry.number, company_attributes_of(entry), contacts)

    def _remove_company(self, number: int) -> None:
        self.companies.documents.remove(number)
        self.company_attributes.update_company(number, (), self.employment.contacts_of(number))

    def _put_contact(self, entry: Entry) -> None:
        self._remove_contacts((entry.number,))
        document = self.contacts.add(entry)
        self.employment.add(document, entry.company)
        if entry.company is not None:
            self.company_attributes.add_contact(entry.company, document)

    def _remove_contacts(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            document = self.contacts.documents.find(number)
            if document is not None:
                self.contacts.documents.remove(number)
                self.employment.remove(document)

    def search(self, query: Query, removed: RemovedRecords = NONE_REMOVED) -> SearchResult:
        with self.lock:
            segment, parts = self._find(query, removed)
            if query.max_per_company is not None:
                total, page = capped_page(segment.documents, self.employment, parts, query)
            else:
                total, page = plain_page(segment.documents, parts, query)
            return SearchResult(total, segment.documents.record_numbers(page).tolist())

    def search_many(
        self, queries: Sequence[Query], removed: RemovedRecords = NONE_REMOVED
    ) -> list[SearchResult]:
        return [self.search(query, removed) for query in queries]

    def matches(self, query: Query, removed: RemovedRecords = NONE_REMOVED) -> Iterator[list[int]]:
        with self.lock:
            segment, parts = self._find(query, removed)
            found = AllMatches(segment.documents, self.employment, parts, query.max_per_company)
        # documents never change, so the lock is only needed for the arrays that hold them
        for bucket in range(found.buckets):
            with self.lock:
                numbers = segment.documents.record_numbers(found.in_bucket(bucket)).tolist()
            if numbers:
                yield numbers

    def _find(self, query: Query, removed: RemovedRecords) -> tuple[Segment, list[BitMap]]:
        """Return bitmaps of living documents whose intersection is the result."""
        segment = self._segment(query.entity)
        self._evaluation.start(self._removed_documents(Entity.CONTACT, removed))
        criteria = query.where.criteria if isinstance(query.where, All) else (query.where,)
        of_contacts = query.entity is Entity.CONTACT
        find = self._evaluation.contacts if of_contacts else self._evaluation.companies
        if not criteria:
            parts = [segment.documents.all_living()]
        elif of_contacts:
            parts = self._evaluation.contact_parts(criteria)
        else:
            parts = [find(each) for each in criteria]
        parts.sort(key=len)
        excluded = [find(each) for each in query.excluded]
        if segment.documents.dead:
            excluded.append(segment.documents.dead)
        excluded.append(self._removed_documents(query.entity, removed))
        for each in excluded:
            if each:
                parts[0] = parts[0] - each
        return segment, parts

    def _removed_documents(self, entity: Entity, removed: RemovedRecords) -> BitMap:
        """Return the documents of records that no answer may contain or count."""
        numbers = removed.of(entity)
        if not numbers:
            return EMPTY
        return self._segment(entity).documents.find_many(
            np.fromiter(numbers, dtype=np.int64, count=len(numbers))
        )

    def employees(
        self,
        companies: Sequence[int],
        criteria: Sequence[EmployeeCriterion],
        removed: RemovedRecords = NONE_REMOVED,
    ) -> Employees:
        with self.lock:
            unlisted = self.contacts.documents.dead | self._removed_documents(Entity.CONTACT, removed)
            return find_employees(self.contacts, self.employment, companies, criteria, unlisted)

    def facet_counts(
        self, entity: Entity, field: str, removed: RemovedRecords = NONE_REMOVED
    ) -> dict[str, int]:
        with self.lock:
            return self._segment(entity).facet_counts(field, self._removed_documents(entity, removed))

    def suggest(
        self, entity: Entity, field: str, text: str, limit: int, removed: RemovedRecords = NONE_REMOVED
    ) -> list[Suggestion]:
        def facets() -> FacetCounts:
            return facets_of(
                self._segment(entity),
                self.employment,
                field,
                self._removed_documents(entity, removed),
                self._removed_documents(Entity.CONTACT, removed),
            )

        return suggest(self._segment(entity).texts[field], facets, self.lock, field, text, limit)

    def postcode_centre(
        self, postcode: str, removed: RemovedRecords = NONE_REMOVED
    ) -> tuple[float, float] | None:
        with self.lock:
            pairs = []
            for entity in (Entity.CONTACT, Entity.COMPANY):
                segment = self._segment(entity)
                living = segment.terms[fields.ZIP].get(postcode) - segment.documents.dead
                living -= self._removed_documents(entity, removed)
                pairs.append(segment.positions.of_documents(document_numbers(living)))
            positions = np.concatenate(pairs)
            if not len(positions):
                return None
            latitude, longitude = np.median(positions, axis=0).tolist()
            return latitude, longitude

    def _segment(self, entity: Entity) -> Segment:
        return self.contacts if entity is Entity.CONTACT else self.companies
