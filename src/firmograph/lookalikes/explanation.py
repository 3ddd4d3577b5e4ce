"""Explanations: which attributes of a result carried its similarity, and how much each."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final, Literal, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from firmograph.database.connection import Database
from firmograph.indexing.record_sample import companies_of, contacts_of
from firmograph.lookalikes.index.similarity_index import SimilarityIndex
from firmograph.lookalikes.model.attributes import (
    Attribute,
    company_attributes,
    contact_attributes,
    kind_of,
)
from firmograph.lookalikes.model.similarity_model import EMPLOYER_DIMENSIONS, OWN_DIMENSIONS
from firmograph.security.record_ids import Entity

_Shares = npt.NDArray[np.float64]

_DIGITS: Final = 6
"""Decimal places of shares and similarities."""

_Holder = Literal["company", "contact", "employer"]


class Share(msgspec.Struct):
    """Share of one attribute in the similarity of a result."""

    of: _Holder
    kind: str
    value: str
    share: float
    """Negative if it speaks against the result."""
    seeds: int
    """Number of seeds that have it."""


class _HeldAttribute(NamedTuple):
    """Attribute with whose it is."""

    holder: _Holder
    attribute: Attribute


class _Traits(NamedTuple):
    """Attributes of a record."""

    own: Sequence[Attribute]
    employer: Sequence[Attribute] = ()
    """Of a contact's company."""

    def every(self, entity: Entity) -> list[_HeldAttribute]:
        """Return all attributes of a record of a kind."""
        if entity is Entity.COMPANY:
            return [_HeldAttribute("company", each) for each in self.own]
        own = [_HeldAttribute("contact", each) for each in self.own]
        return own + [_HeldAttribute("employer", each) for each in self.employer]


class _Explainer:
    """Explanations of the results for one set of seeds, by the model of the index.

    A vector is the sum of what its attributes add, so the similarity to a query is a sum as well. What the codes of the
    index round is spread over all attributes, so that the shares add up to the similarity.
    """

    def __init__(self, index: SimilarityIndex, entity: Entity, seeds: Collection[int]) -> None:
        self._model = index.model
        self._entity = entity
        self._vectors = index.companies if entity is Entity.COMPANY else index.contacts
        self._queries = self._vectors.queries(np.array(sorted(seeds), dtype=np.int64))

    def explain(self, number: int, similarity: float, traits: _Traits) -> list[tuple[_HeldAttribute, float]]:
        """Return a result's attributes with their shares, the greatest first; the sum is the rounded similarity."""
        query = self._query_of(number)
        if self._entity is Entity.COMPANY:
            names, shares = self._company_shares(traits.own, query)
            held = _Traits(names).every(self._entity)
        else:
            names, own = self._own_shares(traits.own, query[:OWN_DIMENSIONS])
            more, employers = self._employer_shares(traits.employer, query[OWN_DIMENSIONS:])
            held, shares = _Traits(names, more).every(self._entity), np.concatenate((own, employers))
        found = zip(held, _adjusted(shares, similarity), strict=True)
        return sorted(found, key=lambda each: (-each[1], each[0]))

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


def explain(
    database: Database,
    index: SimilarityIndex,
    entity: Entity,
    seeds: Collection[int],
    similarities: Mapping[int, float],
) -> dict[int, list[Share]]:
    """Return what carried the similarity of each result that exists, the greatest share first."""
    holders = Counter(
        held for traits in _traits_of(database, entity, seeds).values() for held in traits.every(entity)
    )
    explainer = _Explainer(index, entity, seeds)
    return {
        number: [
            _share(held, share, holders[held])
            for held, share in explainer.explain(number, similarities[number], traits)
        ]
        for number, traits in _traits_of(database, entity, similarities).items()
    }


def _share(held: _HeldAttribute, share: float, seeds: int) -> Share:
    kind = kind_of(held.attribute)
    return Share(held.holder, kind, held.attribute[len(kind) + 1 :], share, seeds)


def _traits_of(database: Database, entity: Entity, numbers: Collection[int]) -> dict[int, _Traits]:
    """Return the attributes of records that exist, by number."""
    if entity is Entity.COMPANY:
        companies = companies_of(database, sorted(numbers))
        return {number: _Traits(company_attributes(record)) for number, record in companies.items()}
    contacts = contacts_of(database, sorted(numbers))
    employers = companies_of(
        database, sorted({each.company for each in contacts.values() if each.company is not None})
    )
    attributes = {number: company_attributes(record) for number, record in employers.items()}
    return {
        number: _Traits(
            contact_attributes(each.contact),
            attributes.get(each.company, ()) if each.company is not None else (),
        )
        for number, each in contacts.items()
    }


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
