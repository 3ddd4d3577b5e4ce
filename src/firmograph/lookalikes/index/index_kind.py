"""Similarity index as an index kind: how it is built, saved and loaded."""

from typing import Any, Final

import numpy.typing as npt

from firmograph.database.connection import Session
from firmograph.indexing.all_records import AllRecords
from firmograph.indexing.change_batches import ChangeBatch
from firmograph.indexing.checkpoint_file import CheckpointReader, CheckpointUnusable, CheckpointWriter
from firmograph.indexing.index_kind import IndexKind
from firmograph.kit.clock import SystemClock
from firmograph.lookalikes.index.changes import (
    SimilarityChanges,
    companies_traits,
    contacts_traits,
    similarity_changes,
)
from firmograph.lookalikes.index.record_vectors import RecordVectors, VectorContent
from firmograph.lookalikes.index.similarity_index import SimilarityIndex
from firmograph.lookalikes.model.similarity_model import SimilarityModel, UnknownFormat
from firmograph.lookalikes.model.store import newest_number
from firmograph.lookalikes.model.training import ensure_model

_PARTS: Final = VectorContent._fields


class _Similarity(IndexKind[SimilarityIndex]):
    """Kind of the similarity index. Its checkpoints include the model."""

    name = "similarity"
    changes = SimilarityChanges
    format = "firmograph similarity 1"
    """Change it with the content of checkpoints and of traits (`changes.py`, `model/attributes.py`)."""

    def prepare(self, batch: ChangeBatch) -> SimilarityChanges:
        return similarity_changes(batch)

    def build(self, records: AllRecords) -> SimilarityIndex:
        index = SimilarityIndex(ensure_model(records.database, SystemClock()))
        for companies in records.companies():
            index.apply(SimilarityChanges(0, companies=companies_traits(companies)))
        for contacts in records.contacts():
            index.apply(SimilarityChanges(0, contacts=contacts_traits(contacts)))
        index.apply(SimilarityChanges(records.sequence))
        return index

    def save(self, index: SimilarityIndex, file: CheckpointWriter) -> None:
        file.add("model", index.model.to_bytes())
        file.add("employers", index.employers)
        for name, vectors in (("companies", index.companies), ("contacts", index.contacts)):
            content = vectors.content()
            for part in _PARTS:
                values: npt.NDArray[Any] = getattr(content, part)
                file.add(f"{name}/{part}", values.reshape(-1))

    def load(self, file: CheckpointReader) -> SimilarityIndex:
        try:
            model = SimilarityModel.from_bytes(bytes(file.raw("model")))
        except UnknownFormat as error:
            raise CheckpointUnusable("its model was written by another version") from error
        index = SimilarityIndex(model, file.applied)
        for name, vectors in (("companies", index.companies), ("contacts", index.contacts)):
            _fill(vectors, file, name)
        index.set_employers(file.get("employers"))
        return index

    def is_outdated(self, index: SimilarityIndex, session: Session) -> bool:
        return newest_number(session) != index.model.number


def _fill(vectors: RecordVectors, file: CheckpointReader, name: str) -> None:
    sizes, numbers, codes, ties, listed = (file.get(f"{name}/{part}") for part in _PARTS)
    rows = codes.reshape(len(numbers), vectors.space.dimensions)
    vectors.fill(VectorContent(sizes, numbers, rows, ties, listed))


SIMILARITY: Final = _Similarity()
