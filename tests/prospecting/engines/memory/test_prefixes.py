"""Prefix comparison on bytes, as far as bytes decide."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.prospecting.engines.memory.lexicon import Lexicon
from firmograph.prospecting.engines.memory.prefixes import (
    may_have_prefix,
    texts_may_have_prefix,
    with_prefix,
)
from firmograph.prospecting.engines.memory.texts import Texts
from firmograph.prospecting.indexing.analysis import whole

pytestmark = pytest.mark.no_database

names = st.text("aAbB1 .'&+é가\u0301-", min_size=1, max_size=8)


@given(st.sets(names, min_size=1, max_size=20), names)
def test_no_text_with_the_prefix_once_folded_is_left_out(texts: set[str], typed: str) -> None:
    stored, prefix = sorted(texts), whole(typed)
    begun = {text for text in stored if whole(text).startswith(prefix)}
    places = may_have_prefix(Lexicon.from_sorted(stored), np.arange(len(stored)), prefix).tolist()
    assert len(places) == len(set(places))
    assert begun <= {stored[place] for place in places}
    assert begun <= set(texts_may_have_prefix(stored, prefix))


def test_texts_without_the_prefix_are_left_out_unfolded() -> None:
    stored = sorted(["Acme Cloud", "Acme Data", "Acme-Cloud", "Blue Cloud"])
    places = may_have_prefix(Lexicon.from_sorted(stored), np.arange(4), "acme cl").tolist()
    assert sorted(stored[place] for place in places) == ["Acme Cloud", "Acme-Cloud"]
    assert texts_may_have_prefix(stored, "acme cl") == stored[:3]


def test_added_terms_are_kept_sorted() -> None:
    roots = Texts.empty(lambda text: (text,), lambda text: (text,)).words
    roots.add("some text", ["delta", "alpha"])
    assert roots.added_terms() == ["alpha", "delta"]
    roots.add("another text", ["charlie", "alpha", "bravo"])
    assert roots.added_terms() == ["alpha", "bravo", "charlie", "delta"]


@given(st.sets(st.text("abé", max_size=4)), st.text("abé", min_size=1, max_size=3))
def test_sorted_texts_are_found_by_their_prefix(texts: set[str], beginning: str) -> None:
    stored = sorted(texts)
    assert with_prefix(stored, beginning) == [text for text in stored if text.startswith(beginning)]


@given(st.sets(st.text("abé", max_size=4)))
def test_a_lexicon_contains_its_texts(texts: set[str]) -> None:
    stored = sorted(texts)
    assert list(Lexicon.from_sorted(stored)) == stored
