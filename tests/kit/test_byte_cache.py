"""Cache bounded by the bytes of its values."""

import pytest

from firmograph.kit.byte_cache import ByteCache

pytestmark = pytest.mark.no_database


@pytest.fixture
def cache():
    cache = ByteCache(10)
    for key in "abc":
        cache.put(key, key.upper(), 3)
    return cache


def kept(cache):
    return {key: value for key in "abcd" if (value := cache.get(key))}


def test_the_value_that_was_used_longest_ago_goes_first(cache):
    cache.get("a")
    cache.put("d", "D", 3)
    assert kept(cache) == {"a": "A", "c": "C", "d": "D"}


def test_a_value_takes_the_place_of_the_one_before(cache):
    cache.put("a", "AA", 4)
    assert kept(cache) == {"a": "AA", "b": "B", "c": "C"}
    assert cache.bytes == 10


def test_a_value_above_the_bound_is_not_kept_and_drops_only_the_one_before(cache):
    cache.put("a", "large", 11)
    assert kept(cache) == {"b": "B", "c": "C"}
    assert cache.bytes == 6
