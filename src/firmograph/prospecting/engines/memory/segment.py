"""Segment: the documents, fields and positions of one kind of record, contacts or companies."""

from functools import partial
from typing import NamedTuple

import numpy as np
from pyroaring import BitMap

from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.document import Entry
from firmograph.prospecting.engines.memory.documents import Documents
from firmograph.prospecting.engines.memory.figures import FigureColumns
from firmograph.prospecting.engines.memory.positions import Positions
from firmograph.prospecting.engines.memory.postings import Postings
from firmograph.prospecting.engines.memory.texts import Derive, Texts
from firmograph.prospecting.indexing import analysis
from firmograph.security.record_ids import Entity


class FieldNames(NamedTuple):
    terms: frozenset[str]
    texts: frozenset[str]
    figures: frozenset[str]


FIELDS = {
    Entity.CONTACT: FieldNames(fields.CONTACT_TERMS, fields.CONTACT_TEXTS, fields.CONTACT_FIGURES),
    Entity.COMPANY: FieldNames(fields.COMPANY_TERMS, fields.COMPANY_TEXTS, fields.COMPANY_FIGURES),
}


def derivations(field: str) -> tuple[Derive, Derive]:
    """Return the functions that derive the keys and the words of a field's texts."""
    return partial(analysis.text_keys, field), partial(analysis.text_words, field)


class Segment:
    """Documents of one kind of record and their field values. Omitted fields are empty."""

    def __init__(
        self,
        entity: Entity,
        documents: Documents,
        positions: Positions,
        terms: dict[str, Postings],
        texts: dict[str, Texts],
        figures: dict[str, FigureColumns],
    ) -> None:
        self._entity = entity
        self.documents = documents
        self.positions = positions
        names = FIELDS[entity]
        self.terms = {name: terms.get(name) or Postings.empty() for name in sorted(names.terms)}
        self.texts = {
            name: texts.get(name) or Texts.empty(*derivations(name)) for name in sorted(names.texts)
        }
        self.figures = {name: figures.get(name) or FigureColumns.empty() for name in sorted(names.figures)}

    @classmethod
    def empty(cls, entity: Entity) -> "Segment":
        documents = Documents(np.zeros(0, dtype=np.uint64), BitMap())
        return cls(entity, documents, Positions.from_pairs([], 0), {}, {}, {})

    def add(self, entry: Entry) -> int:
        """Add a new document for a record and return its number."""
        document = self.documents.add(entry.number, entry.points, entry.day)
        for field, value in entry.terms:
            index = self.terms.get(field) or self.texts[field]
            index.add(value, document)
        for field, low, high in entry.figures:
            self.figures[field].add(document, low, high)
        self.positions.set(document, entry.position)
        return document

    def unlisted(self, removed: BitMap) -> BitMap:
        """Return the documents that no default search finds: dead and removed ones, and partial companies."""
        unlisted = self.documents.dead | removed if removed else self.documents.dead
        return unlisted if self._entity is Entity.CONTACT else self.terms[fields.PARTIAL].get("1") | unlisted

    def facet_counts(self, field: str, removed: BitMap) -> dict[str, int]:
        """Count the listed documents by value of a field."""
        postings = self.terms.get(field) or self.texts[field].postings
        unlisted = self.unlisted(removed)
        counts = {value: postings.count(value, unlisted) for value in postings.values()}
        return {value: count for value, count in counts.items() if count}
