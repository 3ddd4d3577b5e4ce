"""The index of one kind of record, contacts or companies: its documents, its fields, its positions."""

from functools import partial
from typing import NamedTuple

import numpy as np
from pyroaring import BitMap

from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.document import Entry
from firmograph.prospecting.engines.memory.documents import Documents
from firmograph.prospecting.engines.memory.figures import Figures
from firmograph.prospecting.engines.memory.positions import Positions
from firmograph.prospecting.engines.memory.postings import Postings
from firmograph.prospecting.engines.memory.texts import Derive, Texts
from firmograph.prospecting.indexing import analysis
from firmograph.security.record_ids import Entity


class FieldNames(NamedTuple):
    terms: frozenset[str]
    entries: frozenset[str]
    figures: frozenset[str]


FIELDS = {
    Entity.CONTACT: FieldNames(fields.CONTACT_TERMS, fields.CONTACT_ENTRIES, fields.CONTACT_FIGURES),
    Entity.COMPANY: FieldNames(fields.COMPANY_TERMS, fields.COMPANY_ENTRIES, fields.COMPANY_FIGURES),
}


def derivations(field: str) -> tuple[Derive, Derive]:
    """How keys and words of a field's entries are worked out."""
    return partial(analysis.entry_keys, field), partial(analysis.entry_words, field)


class Space:
    """Documents of one kind of record and what they hold. Fields that are not given are empty."""

    def __init__(
        self,
        entity: Entity,
        documents: Documents,
        positions: Positions,
        terms: dict[str, Postings],
        texts: dict[str, Texts],
        figures: dict[str, Figures],
    ) -> None:
        self._entity = entity
        self.documents = documents
        self.positions = positions
        names = FIELDS[entity]
        self.terms = {name: terms.get(name) or Postings.empty() for name in sorted(names.terms)}
        self.texts = {
            name: texts.get(name) or Texts.empty(*derivations(name)) for name in sorted(names.entries)
        }
        self.figures = {name: figures.get(name) or Figures.empty() for name in sorted(names.figures)}

    @classmethod
    def empty(cls, entity: Entity) -> "Space":
        documents = Documents(np.zeros(0, dtype=np.uint64), BitMap())
        return cls(entity, documents, Positions.of([], 0), {}, {}, {})

    def put(self, entry: Entry) -> int:
        """A new document for a record; returns its number."""
        document = self.documents.put(entry.number, entry.points, entry.day)
        for field, value in entry.terms:
            held = self.terms.get(field) or self.texts[field]
            held.add(value, document)
        for field, low, high in entry.figures:
            self.figures[field].add(document, low, high)
        self.positions.put(document, entry.position)
        return document

    def unlisted(self) -> BitMap:
        """The documents that no default search of their kind finds: dead ones, and partial companies."""
        if self._entity is Entity.CONTACT:
            return self.documents.dead
        return self.terms[fields.PARTIAL].get("1") | self.documents.dead

    def counts(self, field: str) -> dict[str, int]:
        held = self.terms.get(field) or self.texts[field].postings
        unlisted = self.unlisted()
        counted = {value: held.count(value, unlisted) for value in held.values()}
        return {value: count for value, count in counted.items() if count}
