"""Explanations: which attributes of a result carried its similarity, and how much each."""

from collections.abc import Collection, Sequence
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from firmograph.lookalikes.index.similarity_index import SimilarityIndex
from firmograph.lookalikes.model.attributes import Attribute
from firmograph.lookalikes.model.similarity_model import EMPLOYER_DIMENSIONS, OWN_DIMENSIONS
from firmograph.security.record_ids import Entity

_Shares = npt.NDArray[np.float64]

_DIGITS: Final = 6
"""Decimal places of shares and similarities."""


class HeldAttribute(NamedTuple):
    """Attribute with whose it is."""

    holder: Literal["company", "contact", "employer"]
    attribute: Attribute


class Share(NamedTuple):
    """Share of one attribute in the similarity of a result; negative if it speaks against it."""

    held: HeldAttribute
    share: float


class Traits(NamedTuple):
    """Attributes of a record."""

    own: Sequence[Attribute]
    employer: Sequence[Attribute] = ()
    """Of a contact's company."""

    def every(self, entity: Entity) -> list[HeldAttribute]:
        """Return all attributes of a record of a kind."""
        if entity is Entity.COMPANY:
            return [HeldAttribute("company", each) for each in self.own]
        own = [HeldAttribute("contact", each) for each in self.own]
        return own + [HeldAttribute("employer", each) for each in self.employer]


class Explainer:
    """Explanations of the results for one set of seeds, by the model of the index.

    A vector is the sum of what its attributes add, so the similarity to a query is a sum as well. What the codes of the
    index round is spread over all attributes, so that the shares add up to the similarity.
    """

    def __init__(self, index: SimilarityIndex, entity: Entity, seeds: Collection[int]) -> None:
        self._model = index.model
        self._entity = entity
        self._vectors = index.companies if entity is Entity.COMPANY else index.contacts
        self._queries = self._vectors.queries(np.array(sorted(seeds), dtype=np.int64))

    def explain(self, number: int, similarity: float, traits: Traits) -> list[Share]:
        """Return the shares of a result's attributes, the greatest first; their sum is the rounded similarity."""
        query = self._query_of(number)
        if self._entity is Entity.COMPANY:
            names, shares = self._company_shares(traits.own, query)
            held = Traits(names).every(self._entity)
        else:
            names, own = self._own_shares(traits.own, query[:OWN_DIMENSIONS])
            more, employers = self._employer_shares(traits.employer, query[OWN_DIMENSIONS:])
            held, shares = Traits(names, more).every(self._entity), np.concatenate((own, employers))
        found = map(Share, held, _adjusted(shares, similarity))
        return sorted(found, key=lambda each: (-each.share, each.held))

    def _query_of(self, number: int) -> _Shares:
        """Return the query that is most similar to the result."""
        vector = self._vectors.space.decode(self._vectors.lists.codes(np.array([number], dtype=np.int64)))[0]
        return np.asarray(self._queries[int(np.argmax(self._queries @ vector))], dtype=np.float64)

    def _company_shares(
        self, attributes: Sequence[Attribute], query: _Shares
    ) -> tuple[list[Attribute], _Shares]:
        names, rows = self._model.companies.contributions(attributes)
        return names, rows.astype(np.float64) @ query

    def _own_shares(self, attributes: Sequence[Attribute], query: _Shares) -> tuple[list[Attribute], _Shares]:
        names, rows = self._model.contacts.contributions(attributes)
        return names, rows.astype(np.float64) @ query * np.sqrt(1 - self._model.company_share)

    def _employer_shares(
        self, attributes: Sequence[Attribute], query: _Shares
    ) -> tuple[list[Attribute], _Shares]:
        """Return the shares in the employer's part, which is the beginning of its vector at a length of its own."""
        names, rows = self._model.companies.contributions(attributes)
        part = rows[:, :EMPLOYER_DIMENSIONS].astype(np.float64)
        length = float(np.linalg.norm(part.sum(axis=0)))
        scale = np.sqrt(self._model.company_share) / length if length else 0.0
        return names, part @ query * scale


def rounded(similarity: float) -> float:
    """Return a similarity as it is shown."""
    return round(similarity, _DIGITS)


def _adjusted(shares: _Shares, similarity: float) -> list[float]:
    """Return rounded shares whose sum is the rounded similarity."""
    if not len(shares):
        return []
    sizes = np.abs(shares)
    total = sizes.sum()
    weights = sizes / total if total else np.full(len(shares), 1 / len(shares))
    exact = shares + (similarity - shares.sum()) * weights
    result = [rounded(share) for share in exact.tolist()]
    largest = int(np.argmax(exact))
    result[largest] = rounded(result[largest] + rounded(similarity) - sum(result))
    return result
