"""Employees of companies, and the criteria that each of them meets."""

from collections.abc import Sequence

import numpy as np
from pyroaring import BitMap

from firmograph.prospecting.engines.memory.arrays import document_numbers, to_bitmap
from firmograph.prospecting.engines.memory.employment import EmploymentIndex
from firmograph.prospecting.engines.memory.segment import Segment
from firmograph.prospecting.engines.query import EmployeeCriterion, Employees, Term, Words


def find_employees(
    contacts: Segment,
    employment: EmploymentIndex,
    companies: Sequence[int],
    criteria: Sequence[EmployeeCriterion],
    unlisted: BitMap,
) -> Employees:
    """Return the employees of companies without the unlisted documents."""
    documents = contacts.documents
    parts = [
        documents.sort(document_numbers(employment.contacts_of(company) - unlisted)) for company in companies
    ]
    ordered = np.concatenate([np.zeros(0, dtype=np.uint32), *parts])
    # only the places of these documents are ever read
    position_of = np.empty(documents.count, dtype=np.uint32)
    position_of[ordered] = np.arange(len(ordered), dtype=np.uint32)
    evaluation = _EmployeeEvaluation(contacts, to_bitmap(np.sort(ordered)))
    positions = []
    for criterion in criteria:
        met = document_numbers(evaluation.meeting(criterion))
        positions.append(np.sort(position_of[met]).astype(np.int64))
    sizes = np.array([len(part) for part in parts], dtype=np.int64)
    return Employees(sizes, documents.record_numbers(ordered), documents.days(ordered), positions)


class _EmployeeEvaluation:
    """Evaluation of many criteria on the same few contacts.

    Each word is intersected with them once; criteria are intersections of these small results.
    """

    def __init__(self, contacts: Segment, everyone: BitMap) -> None:
        self._contacts = contacts
        self._everyone = everyone
        self._holders: dict[tuple[str, str], BitMap] = {}

    def meeting(self, criterion: EmployeeCriterion) -> BitMap:
        """Return the documents that meet a criterion."""
        match criterion:
            case Term(field, value) if field in self._contacts.texts:
                texts = self._contacts.texts[field]
                return texts.documents_with(texts.texts_with_key(value)) & self._everyone
            case Term(field, value):
                return self._holding(field, value)
            case Words(field, words) if field in self._contacts.texts:
                texts = self._contacts.texts[field]
                return texts.documents_with(texts.texts_with_words(words)) & self._everyone
            case Words(field, words):
                met = self._everyone
                for word in words:
                    met = met & self._holding(field, word)
                return met
        raise TypeError(f"criterion does not apply to employees: {criterion!r}")

    def _holding(self, field: str, value: str) -> BitMap:
        holders = self._holders.get((field, value))
        if holders is None:
            holders = self._holders[field, value] = self._contacts.terms[field].get(value) & self._everyone
        return holders
