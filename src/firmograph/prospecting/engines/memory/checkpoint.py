"""Content of the search index's checkpoint.

Immutable arrays are used in place, in the mapped file; the others are copied.
"""

from collections.abc import Callable, Mapping

import numpy as np
from pyroaring import BitMap

from firmograph.indexing.checkpoint_file import CheckpointReader, CheckpointWriter
from firmograph.prospecting.engines.memory.company_attributes import Attribute, CompanyAttributes
from firmograph.prospecting.engines.memory.documents import Documents
from firmograph.prospecting.engines.memory.employment import EmploymentIndex
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.memory.figures import FigureColumns
from firmograph.prospecting.engines.memory.lexicon import Lexicon
from firmograph.prospecting.engines.memory.positions import Positions
from firmograph.prospecting.engines.memory.postings import Postings
from firmograph.prospecting.engines.memory.segment import FIELDS, Segment, derivations
from firmograph.prospecting.engines.memory.texts import TermIndex, Texts
from firmograph.security.record_ids import Entity

# --- writing ---


class _Writer:
    def __init__(self, file: CheckpointWriter) -> None:
        self.add = file.add

    def bitmaps(self, name: str, bitmaps: Mapping[str, BitMap]) -> None:
        values = sorted(bitmaps)
        self.lexicon(f"{name}/values", Lexicon.from_sorted(values))
        blocks = [bitmaps[value].serialize() for value in values]
        self.add(f"{name}/ends", np.cumsum([len(block) for block in blocks], dtype=np.uint64))
        self.add(f"{name}/bitmaps", b"".join(blocks))

    def lexicon(self, name: str, lexicon: Lexicon) -> None:
        self.add(f"{name}/text", lexicon.block)
        self.add(f"{name}/text-ends", np.ascontiguousarray(lexicon.ends))

    def postings(self, name: str, postings: Postings) -> None:
        self.lexicon(name, postings.lexicon)
        self.add(f"{name}/starts", postings.starts)
        self.add(f"{name}/documents", postings.documents)
        self.bitmaps(f"{name}/live", postings.live)

    def term_index(self, name: str, index: TermIndex) -> None:
        self.lexicon(name, index.terms)
        self.add(f"{name}/starts", index.starts)
        self.add(f"{name}/places", index.ordinals)

    def segment(self, name: str, segment: Segment) -> None:
        self.add(f"{name}/ranks", segment.documents.ranks)
        self.add(f"{name}/dead", segment.documents.dead.serialize())
        for field, postings in segment.terms.items():
            self.postings(f"{name}/{field}", postings)
        for field, texts in segment.texts.items():
            self.postings(f"{name}/{field}", texts.postings)
            self.term_index(f"{name}/{field}/keys", texts.keys)
            self.term_index(f"{name}/{field}/words", texts.words)
        for field, figures in segment.figures.items():
            documents, low, high = figures.columns()
            self.add(f"{name}/{field}/at", documents)
            self.add(f"{name}/{field}/low", low)
            self.add(f"{name}/{field}/high", high)
        for column, degrees in zip(("latitudes", "longitudes"), segment.positions.columns(), strict=True):
            self.add(f"{name}/{column}", degrees)


def save_engine(engine: MemoryEngine, file: CheckpointWriter) -> None:
    """Add the content of an engine. Its arrays are not copied."""
    writer = _Writer(file)
    writer.segment("contacts", engine.contacts)
    writer.segment("companies", engine.companies)
    writer.add("employers", engine.employment.employers)
    file.facts, starts, indexes = engine.company_attributes.to_arrays()
    writer.add("carried/starts", starts)
    writer.add("carried/held", indexes)
    for field, postings in engine.company_attributes.postings.items():
        writer.postings(f"carried/{field}", postings)


# --- reading ---


class _Reader:
    def __init__(self, file: CheckpointReader, include: Callable[[str], bool]) -> None:
        self.raw, self.get = file.raw, file.get
        self.include = include

    def lexicon(self, name: str) -> Lexicon:
        return Lexicon(self.raw(f"{name}/text"), self.get(f"{name}/text-ends"))

    def bitmaps(self, name: str) -> dict[str, BitMap]:
        block, start = self.raw(f"{name}/bitmaps"), 0
        bitmaps = {}
        ends = self.get(f"{name}/ends").tolist()
        for value, end in zip(self.lexicon(f"{name}/values"), ends, strict=True):
            bitmaps[value] = BitMap.deserialize(bytes(block[start:end]))
            start = end
        return bitmaps

    def postings(self, name: str) -> Postings:
        return Postings(
            self.lexicon(name),
            self.get(f"{name}/starts"),
            self.get(f"{name}/documents"),
            self.bitmaps(f"{name}/live"),
        )

    def term_index(self, name: str) -> TermIndex:
        return TermIndex(self.lexicon(name), self.get(f"{name}/starts"), self.get(f"{name}/places"))

    def texts(self, name: str, field: str) -> Texts:
        keys, words = self.term_index(f"{name}/keys"), self.term_index(f"{name}/words")
        return Texts(self.postings(name), keys, words, *derivations(field))

    def segment(self, entity: Entity, name: str) -> Segment:
        dead = BitMap.deserialize(bytes(self.raw(f"{name}/dead")))
        names = FIELDS[entity]
        include = {field for fields in names for field in fields if self.include(f"{name}/{field}")}
        return Segment(
            entity,
            Documents(self.get(f"{name}/ranks"), dead),
            Positions(self.get(f"{name}/latitudes"), self.get(f"{name}/longitudes"))
            if self.include(f"{name}/positions")
            else Positions.from_pairs([], 0),
            {field: self.postings(f"{name}/{field}") for field in sorted(names.terms & include)},
            {field: self.texts(f"{name}/{field}", field) for field in sorted(names.texts & include)},
            {
                field: FigureColumns(
                    *(self.get(f"{name}/{field}/{column}") for column in ("at", "low", "high"))
                )
                for field in sorted(names.figures & include)
            },
        )


def _include_all(field: str) -> bool:
    return True


def load_engine(file: CheckpointReader, include: Callable[[str], bool] = _include_all) -> MemoryEngine:
    """Return the engine of a checkpoint.

    `include` selects fields (`contacts/title`, `carried/technology`), to measure the memory of each.
    """
    reader = _Reader(file, include)
    contacts = reader.segment(Entity.CONTACT, "contacts")
    companies = reader.segment(Entity.COMPANY, "companies")
    carried = {
        field: reader.postings(f"carried/{field}")
        for field in CompanyAttributes.empty().postings
        if include(f"carried/{field}")
    }
    attributes = file.facts(list[Attribute])
    return MemoryEngine(
        contacts,
        companies,
        EmploymentIndex(reader.get("employers"), contacts.documents.living_mask()),
        CompanyAttributes(carried, attributes, reader.get("carried/starts"), reader.get("carried/held")),
        file.applied,
    )
