"""Builder of a whole index from all records: companies first, then contacts."""

from array import array
from collections import defaultdict
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.prospecting.engines.document import Entry
from firmograph.prospecting.engines.memory.arrays import document_numbers, to_offsets
from firmograph.prospecting.engines.memory.company_attributes import (
    Attribute,
    CompanyAttributes,
    company_attributes_of,
)
from firmograph.prospecting.engines.memory.documents import Documents, rank
from firmograph.prospecting.engines.memory.employment import NO_COMPANY, EmploymentIndex
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.memory.figures import FigureColumns
from firmograph.prospecting.engines.memory.positions import Positions
from firmograph.prospecting.engines.memory.postings import Postings, dense_threshold
from firmograph.prospecting.engines.memory.segment import FIELDS, Segment, derivations
from firmograph.prospecting.engines.memory.texts import Texts
from firmograph.security.record_ids import Entity

DocumentsByValue = defaultdict[str, "array[int]"]


def _numbers() -> "array[int]":
    return array("I")


class _SegmentBuilder:
    """Collects the values of one kind of record, in the order in which records arrive."""

    def __init__(self, entity: Entity) -> None:
        self.entity = entity
        self._ranks = array("Q")
        self._documents: dict[str, DocumentsByValue] = {
            field: defaultdict(_numbers) for field in FIELDS[entity].terms | FIELDS[entity].texts
        }
        self._figures = {field: (array("I"), array("d"), array("d")) for field in FIELDS[entity].figures}
        self._positions: list[tuple[int, tuple[float, float]]] = []

    def add(self, entry: Entry) -> int:
        document = len(self._ranks)
        self._ranks.append(rank(entry.points, entry.day, entry.number))
        for field, value in entry.terms:
            documents = self._documents[field][value]
            if not documents or documents[-1] != document:
                documents.append(document)
        for field, low, high in entry.figures:
            documents, lows, highs = self._figures[field]
            documents.append(document)
            lows.append(low)
            highs.append(high)
        if entry.position is not None:
            self._positions.append((document, entry.position))
        return document

    def build(self) -> Segment:
        threshold, names = dense_threshold(len(self._ranks)), FIELDS[self.entity]
        terms = {field: Postings.from_values(self._pop(field), threshold) for field in sorted(names.terms)}
        texts = {
            field: Texts.from_values(self._pop(field), threshold, *derivations(field))
            for field in sorted(names.texts)
        }
        figures = {
            field: FigureColumns(np.array(documents, dtype=np.uint32), np.array(low), np.array(high))
            for field, (documents, low, high) in self._figures.items()
        }
        ranks = np.array(self._ranks, dtype=np.uint64)
        positions = Positions.from_pairs(self._positions, len(ranks))
        self._positions = []
        return Segment(self.entity, Documents(ranks, BitMap()), positions, terms, texts, figures)

    def _pop(self, field: str) -> Mapping[str, npt.NDArray[np.uint32]]:
        """Remove the collected arrays of a field and return them, so that their memory is freed after use."""
        by_value = self._documents.pop(field)
        return {value: np.frombuffer(documents, dtype=np.uint32) for value, documents in by_value.items()}


class Builder:
    """Builds an index from every record, added once; all companies before the first contact."""

    def __init__(self) -> None:
        self._companies = _SegmentBuilder(Entity.COMPANY)
        self._contacts = _SegmentBuilder(Entity.CONTACT)
        self._employers = array("I")
        self._attributes: list[Attribute] = []
        self._index_of: dict[Attribute, int] = {}
        self._by_company: dict[int, array[int]] = {}

    def add_company(self, entry: Entry) -> None:
        self._companies.add(entry)
        indexes = array("I")
        for attribute in company_attributes_of(entry):
            index = self._index_of.setdefault(attribute, len(self._attributes))
            if index == len(self._attributes):
                self._attributes.append(attribute)
            indexes.append(index)
        self._by_company[entry.number] = indexes

    def add_contact(self, entry: Entry) -> None:
        self._contacts.add(entry)
        self._employers.append(entry.company or NO_COMPANY)

    def finish(self, sequence: int) -> MemoryEngine:
        """Return the index of all added records, valid for a position in the change sequence."""
        employers = np.array(self._employers, dtype=np.uint32)
        employment = EmploymentIndex(employers, np.ones(len(employers), dtype=np.bool_))
        company_attributes = self._company_attributes(employment)
        companies = self._companies.build()
        return MemoryEngine(self._contacts.build(), companies, employment, company_attributes, sequence)

    def _company_attributes(self, employment: EmploymentIndex) -> CompanyAttributes:
        companies = defaultdict[int, "array[int]"](_numbers)
        sizes = np.zeros(max(self._by_company, default=-1) + 1, dtype=np.uint32)
        for number, indexes in self._by_company.items():
            sizes[number] = len(indexes)
            for index in indexes:
                companies[index].append(number)
        ordered = [self._by_company[number] for number in sorted(self._by_company)]
        together = np.frombuffer(b"".join(indexes.tobytes() for indexes in ordered), dtype=np.uint32)
        by_value: defaultdict[str, dict[str, npt.NDArray[np.uint32]]] = defaultdict(dict)
        for index, (field, value) in enumerate(self._attributes):
            numbers = np.sort(np.array(companies.pop(index), dtype=np.int64))
            contacts = employment.contacts_of_many(numbers)
            if contacts:
                by_value[field][value] = document_numbers(contacts)
        threshold = dense_threshold(len(employment.employers))
        postings = {field: Postings.from_values(values, threshold) for field, values in by_value.items()}
        return CompanyAttributes(postings, self._attributes, to_offsets(sizes), together)
