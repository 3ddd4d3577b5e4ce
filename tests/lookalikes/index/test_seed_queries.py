"""Queries from the vectors of seeds."""

import numpy as np
import pytest

from firmograph.lookalikes.index.seed_queries import queries_of_seeds

pytestmark = pytest.mark.no_database


def _seeds(kinds: int, each: int) -> np.ndarray:
    """Return seeds around as many directions as there are kinds."""
    random = np.random.default_rng(5)
    vectors = np.repeat(np.eye(kinds, 16), each, axis=0) + random.normal(0, 0.1, (kinds * each, 16))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def test_a_few_seeds_make_one_query_their_mean() -> None:
    seeds = _seeds(1, 5)
    mean = seeds.sum(axis=0) / np.linalg.norm(seeds.sum(axis=0))
    np.testing.assert_allclose(queries_of_seeds(seeds), mean[None], atol=1e-3)


def test_seeds_of_two_kinds_make_queries_nearer_to_each_than_their_mean() -> None:
    seeds = _seeds(2, 20)
    mean = seeds.sum(axis=0) / np.linalg.norm(seeds.sum(axis=0))
    queries = queries_of_seeds(seeds)
    np.testing.assert_allclose(np.linalg.norm(queries, axis=1), 1)
    for kind in np.eye(2, 16):
        assert (queries @ kind).max() > mean @ kind


def test_the_order_of_seeds_makes_no_difference() -> None:
    seeds = _seeds(3, 7)
    shuffled = np.random.default_rng(1).permutation(seeds)
    np.testing.assert_array_equal(queries_of_seeds(shuffled), queries_of_seeds(seeds))


def test_seeds_without_a_vector_make_no_query() -> None:
    assert not len(queries_of_seeds(np.zeros((6, 16), dtype=np.float32)))
    opposite = np.concatenate((np.eye(1, 16), -np.eye(1, 16))).astype(np.float32)
    assert not len(queries_of_seeds(opposite))
