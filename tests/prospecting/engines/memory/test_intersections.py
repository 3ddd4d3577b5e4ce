"""Counts of intersections of bitmaps, dense and sparse in any mixture."""

from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from firmograph.prospecting.engines.memory import intersections
from firmograph.prospecting.engines.memory.arrays import to_bitmap

pytestmark = pytest.mark.no_database

COUNT = 150_000
SHARES = (0.0001, 0.01, 0.05, 0.09, 0.2, 0.4, 0.8, 1.0)
_RNG = np.random.default_rng(20_260_103)
BITMAPS = [to_bitmap(np.flatnonzero(_RNG.random(COUNT) < share)) for share in SHARES for _ in range(3)]


@given(st.lists(st.sampled_from(BITMAPS), min_size=1, max_size=6, unique_by=id))
def test_the_count_is_that_of_the_intersection_and_the_parts_preserve_it(bitmaps: list[BitMap]) -> None:
    whole = reduce(lambda one, more: one & more, bitmaps)

    parts = intersections.merge_dense(bitmaps, COUNT)

    assert intersections.intersect(parts) == whole
    assert intersections.count_intersection(parts, COUNT) == len(whole)


def test_two_dense_bitmaps_with_a_dense_intersection_become_one() -> None:
    rng = np.random.default_rng(1)
    dense = [to_bitmap(np.flatnonzero(rng.random(COUNT) < share)) for share in (0.5, 0.6, 0.1)]

    assert len(intersections.merge_dense(dense, COUNT)) == 2


def test_thousands_of_bitmaps_are_united_and_counted() -> None:
    parts = intersections.merge_dense(BITMAPS[-6:] * 1_000, COUNT)

    assert intersections.count_intersection(parts, COUNT) == len(intersections.intersect(BITMAPS[-6:]))
    assert intersections.count_intersection(BITMAPS[-6:] * 1_000, COUNT) == len(
        intersections.intersect(BITMAPS[-6:])
    )


def test_without_documents_nothing_is_found() -> None:
    parts = intersections.merge_dense([BitMap(), BitMap(), BitMap()], 0)

    assert intersections.count_intersection(parts, 0) == 0
