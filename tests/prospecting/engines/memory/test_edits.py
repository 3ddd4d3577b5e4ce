"""Edit distances of a whole dictionary at once, compared with a library that compares word by word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from firmograph.prospecting.engines.memory.edits import FAR, MAX_LETTERS, distances
from firmograph.prospecting.engines.memory.lexicon import Lexicon

pytestmark = pytest.mark.no_database

letters = st.text("abcd", min_size=1, max_size=12)
foreign = st.text("абвя", min_size=1, max_size=12)


def near(typed: str, word: str, most: int, unfinished: bool) -> int:
    beginnings = [word[:size] for size in range(1, len(word) + 1)] if unfinished else [word]
    least = min(OSA.distance(typed, beginning) for beginning in beginnings)
    return least if least <= most else FAR


@given(letters, st.sets(letters, max_size=40), st.integers(1, 2), st.booleans())
def test_distances_are_those_of_optimal_string_alignment(
    typed: str, words: set[str], most: int, unfinished: bool
) -> None:
    dictionary = sorted(words)
    found = distances(typed, Lexicon.from_sorted(dictionary), most, unfinished=unfinished).tolist()
    # typed words have more letters than allowed edits, as everywhere in suggestions
    if len(typed) > most:
        assert found == [near(typed, word, most, unfinished) for word in dictionary]


@given(foreign.filter(lambda word: len(word) > 2), st.sets(foreign | letters, max_size=40), st.booleans())
def test_letters_of_other_scripts_count_as_one(typed: str, words: set[str], unfinished: bool) -> None:
    dictionary = sorted(words)
    found = distances(typed, Lexicon.from_sorted(dictionary), 2, unfinished=unfinished).tolist()
    assert found == [near(typed, word, 2, unfinished) for word in dictionary]


@pytest.mark.parametrize("typed", ["kuberentes-in-the-large", "k" * MAX_LETTERS])
def test_long_words_are_compared_to_their_end(typed: str) -> None:
    words = Lexicon.from_sorted([typed[:-1] + "~"])
    assert distances(typed, words, 2, unfinished=False).tolist() == [1]


def test_words_beyond_the_maximum_length_are_far_from_everything() -> None:
    typed = "k" * (MAX_LETTERS + 1)
    assert distances(typed, Lexicon.from_sorted([typed]), 2, unfinished=True).tolist() == [FAR]


def test_an_empty_dictionary_has_no_near_word() -> None:
    assert distances("cloud", Lexicon.from_sorted([]), 1, unfinished=True).tolist() == []
