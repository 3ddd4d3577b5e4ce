"""Methods of finding lookalikes: those of the product, and what they are compared with."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evaluation.lookalikes.trials import FOUND, Trial
from evaluation.lookalikes.worlds import World
from firmograph.lookalikes.index.changes import CompanyTraits, SimilarityChanges
from firmograph.lookalikes.index.seed_queries import queries_of_seeds
from firmograph.lookalikes.index.similarity_index import SimilarityIndex
from firmograph.lookalikes.model.attributes import Attribute, kind_of
from firmograph.lookalikes.model.learning import MIN_RECORDS
from firmograph.lookalikes.model.similarity_model import COMPANY_DIMENSIONS, SimilarityModel
from firmograph.security.record_ids import Entity

Method = Callable[[Trial], Sequence[int]]
"""Returns the first results of a trial, as positions of records."""
Attributes = Sequence[Sequence[Attribute]]
Combination = Callable[[NDArray[np.float32]], NDArray[Any]]
"""Returns queries for the vectors of seeds; the similarity of a record is the greatest of those to the queries."""

_SEED: Final = 7


def random_records(world: World) -> Method:
    def find(trial: Trial) -> Sequence[int]:
        random = np.random.default_rng([_SEED, *trial.seeds])
        drawn: list[int] = random.permutation(len(world.records))[: FOUND + len(trial.seeds)].tolist()
        return _first(drawn, trial)

    return find


def same_industry(world: World) -> Method:
    """Return the most popular records of the seeds' most frequent industry, then those of the next one."""

    def find(trial: Trial) -> Sequence[int]:
        (name,) = trial.lists
        known = [world.industries(position, name) for position in range(len(world.records))]
        shares = Counter(known[seed] for seed in trial.seeds)
        shares.pop(None, None)
        found = [position for position, industry in enumerate(known) if industry in shares]
        found.sort(key=lambda position: (-shares[known[position]], -world.popularity[position], position))
        return _first(found, trial)

    return find


def exact_attributes(attributes: Attributes, kinds: Callable[[str], float]) -> Method:
    """Compare attributes that are weighted by rarity and by kind."""
    rows = weighted_attributes(attributes, kinds)

    def find(trial: Trial) -> Sequence[int]:
        query = np.asarray(rows[trial.seeds].sum(axis=0)).ravel()
        return _best(np.asarray(rows @ query).ravel(), trial)

    return find


def projected_by_chance(attributes: Attributes, kinds: Callable[[str], float]) -> Method:
    """Compare as many numbers as learnt vectors have, each a random sum of the weighted attributes."""
    rows = weighted_attributes(attributes, kinds)
    random = np.random.default_rng(_SEED)
    return compared_vectors(rows @ random.standard_normal((rows.shape[1], COMPANY_DIMENSIONS)))


def learnt_vectors(
    attributes: Attributes, model: SimilarityModel, combination: Combination = queries_of_seeds
) -> Method:
    return compared_vectors(model.companies.encode_all(attributes), combination)


def compared_vectors(vectors: NDArray[Any], combination: Combination = queries_of_seeds) -> Method:
    """Compare vectors with those of the seeds."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)

    def find(trial: Trial) -> Sequence[int]:
        queries = combination(rows[trial.seeds])
        return _best((rows @ queries.T.astype(np.float32)).max(axis=1), trial)

    return find


def indexed_companies(attributes: Attributes, model: SimilarityModel) -> Method:
    """Search the index as a call does."""
    index = SimilarityIndex(model)
    traits = [CompanyTraits(at + 1, list(own), at, True) for at, own in enumerate(attributes)]
    index.apply(SimilarityChanges(1, companies=traits))

    def find(trial: Trial) -> Sequence[int]:
        found = index.similar(Entity.COMPANY, trial.seeds + 1, (), FOUND)
        return [one.number - 1 for one in found]

    return find


def weighted_attributes(attributes: Attributes, kinds: Callable[[str], float]) -> "sparse.csr_array[Any]":
    """Return the weighted attributes of each record, of unit length; what is not learnt is left out here, too."""
    holders = Counter(attribute for own in attributes for attribute in own)
    known = sorted(attribute for attribute, count in holders.items() if count >= MIN_RECORDS)
    column = {attribute: place for place, attribute in enumerate(known)}
    weights = np.array(
        [
            kinds(kind_of(attribute)) * np.log((1 + len(attributes)) / holders[attribute])
            for attribute in known
        ]
    )
    cells = [(at, column[one]) for at, own in enumerate(attributes) for one in own if one in column]
    places = np.array(cells, dtype=np.int64).reshape(-1, 2)
    values = weights[places[:, 1]]
    lengths = np.sqrt(np.bincount(places[:, 0], values * values, len(attributes)))
    values = values / lengths[places[:, 0]]
    return sparse.csr_array(
        (values, (places[:, 0], places[:, 1])), shape=(len(attributes), len(known)), dtype=np.float64
    )


def _best(scores: NDArray[Any], trial: Trial) -> Sequence[int]:
    """Return the records of the greatest scores, in the order of the file among equal ones."""
    scores = scores.astype(np.float64)
    scores[trial.seeds] = -np.inf
    found: list[int] = np.argsort(-scores, kind="stable")[:FOUND].tolist()
    return found


def _first(found: Sequence[int], trial: Trial) -> Sequence[int]:
    seeds = set(trial.seeds.tolist())
    return [position for position in found if position not in seeds][:FOUND]
