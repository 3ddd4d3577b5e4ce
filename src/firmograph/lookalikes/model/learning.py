"""Learning of a similarity model from a sample of records.

Attributes that stand together in records get similar vectors: a truncated singular value decomposition of the records'
attributes, weighted by rarity and kind. Everything is sorted first and every random choice is seeded, so the model is a
function of the set of records, whatever their order.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from firmograph.lookalikes.model.attributes import Attribute
from firmograph.lookalikes.model.centres import find_centres
from firmograph.lookalikes.model.code_space import CodeSpace, ranges_of
from firmograph.lookalikes.model.decomposition import Matrix, principal_directions
from firmograph.lookalikes.model.entity_model import EntityModel, Floats
from firmograph.lookalikes.model.similarity_model import (
    COMPANY_DIMENSIONS,
    OWN_DIMENSIONS,
    SimilarityModel,
    employer_part,
)
from firmograph.lookalikes.model.weights import EntityWeights, Weights, packaged_weights, rarity

if TYPE_CHECKING:
    from scipy import sparse

MIN_RECORDS: Final = 5
"""Records that must hold an attribute; what fewer hold could name one of them."""
MAX_ATTRIBUTES: Final = 50_000
"""Attributes of a model; the most frequent are kept."""


class SampledContact(NamedTuple):
    """Contact's own attributes, and those of the employer, if any is known."""

    own: Sequence[Attribute]
    employer: Sequence[Attribute] = ()


def learn(
    companies: Iterable[Sequence[Attribute]],
    contacts: Iterable[SampledContact],
    *,
    company_count: int = 0,
    contact_count: int = 0,
    weights: Weights | None = None,
) -> SimilarityModel:
    """Learn a model without a number from the attributes of sampled records.

    The counts are those of all records, if the given ones are a sample: an index of more records has more lists.
    """
    weights = weights or packaged_weights()
    company_rows = sorted(tuple(sorted(each)) for each in companies)
    contact_rows = sorted((tuple(sorted(own)), tuple(sorted(employer))) for own, employer in contacts)
    company_model = _learn_entity(company_rows, weights.companies, COMPANY_DIMENSIONS)
    own_rows = [own for own, _ in contact_rows]
    contact_model = _learn_entity(own_rows, weights.contacts, OWN_DIMENSIONS)

    company_vectors = company_model.encode_all(company_rows)
    company_space = _space(company_vectors, max(company_count, len(company_rows)))
    own = contact_model.encode_all(own_rows) * np.float32(np.sqrt(1 - weights.company_share))
    employers = company_model.encode_all([employer for _, employer in contact_rows])
    both = np.concatenate((own, employer_part(employers, weights.company_share)), axis=1)
    contact_space = _space(both, max(contact_count, len(contact_rows)))
    return SimilarityModel(
        0, company_model, contact_model, weights.company_share, company_space, contact_space
    )


def _learn_entity(
    rows: Sequence[Sequence[Attribute]], weights: EntityWeights, dimensions: int
) -> EntityModel:
    """Learn the vectors of the attributes that enough rows hold."""
    holders = Counter(attribute for row in rows for attribute in row)
    known = [
        (-count, attribute)
        for attribute, count in holders.items()
        if count >= MIN_RECORDS and weights.of_kind(attribute) > 0
    ]
    attributes = sorted(attribute for _, attribute in sorted(known)[:MAX_ATTRIBUTES])
    if not attributes:
        return EntityModel.rounded((), np.zeros((0, dimensions)))
    of_kind = np.array([weights.of_kind(each) for each in attributes])
    rarities = np.array([rarity(holders[each], len(rows)) for each in attributes])
    learnt = _matrix(rows, attributes, of_kind * rarities**weights.learning_rarity)
    directions, strengths = principal_directions(learnt, dimensions)
    vectors = directions * _scales(strengths, weights.power - 1)
    vectors *= _scales(np.linalg.norm(vectors, axis=1), -weights.evenness)[:, None]
    return EntityModel.rounded(attributes, (of_kind * rarities**weights.rarity)[:, None] * vectors)


def _scales(lengths: Matrix, power: float) -> Matrix:
    """Return powers of lengths, relative to the longest; 0 for 0."""
    scales = np.zeros_like(lengths)
    present = lengths > 0
    scales[present] = (lengths[present] / lengths.max(initial=0.0)) ** power
    return scales


def _matrix(
    rows: Sequence[Sequence[Attribute]], attributes: Sequence[Attribute], weight: npt.NDArray[np.float64]
) -> "sparse.csr_array":
    """Return the weights of the attributes of each row, made unit length."""
    # its import takes longer than all else that a server needs of a model
    from scipy import sparse

    column_of = {attribute: column for column, attribute in enumerate(attributes)}
    columns: list[int] = []
    ends = [0]
    for row in rows:
        columns += sorted(column_of[each] for each in row if each in column_of)
        ends.append(len(columns))
    indices = np.array(columns, dtype=np.int32)
    indptr = np.array(ends, dtype=np.int32)
    values = weight[indices]
    sums = np.concatenate(([0.0], np.cumsum(values * values)))
    lengths = np.sqrt(np.maximum(sums[indptr[1:]] - sums[indptr[:-1]], 1e-12))
    values /= np.repeat(lengths, np.diff(indptr))
    return sparse.csr_array((values, indices, indptr), shape=(len(rows), len(attributes)))


def _space(vectors: Floats, count: int) -> CodeSpace:
    return CodeSpace(ranges_of(vectors), find_centres(vectors, count))
