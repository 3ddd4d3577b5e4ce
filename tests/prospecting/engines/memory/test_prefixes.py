"""What a text begins with is told from its bytes, as far as they can tell."""

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
def test_no_text_that_begins_so_once_folded_is_left_out(texts: set[str], typed: str) -> None:
    held, asked = sorted(texts), whole(typed)
    begun = {text for text in held if whole(text).startswith(asked)}
    places = may_have_prefix(Lexicon.from_sorted(held), np.arange(len(held)), asked).tolist()
    assert len(places) == len(set(places))
    assert begun <= {held[place] for place in places}
    assert begun <= set(texts_may_have_prefix(held, asked))


def test_texts_that_begin_otherwise_are_left_out_unfolded() -> None:
    held = sorted(["Acme Cloud", "Acme Data", "Acme-Cloud", "Blue Cloud"])
    places = may_have_prefix(Lexicon.from_sorted(held), np.arange(4), "acme cl").tolist()
    assert sorted(held[place] for place in places) == ["Acme Cloud", "Acme-Cloud"]
    assert texts_may_have_prefix(held, "acme cl") == held[:3]


def test_added_terms_are_kept_sorted_as_they_come() -> None:
    roots = Texts.empty(lambda text: (text,), lambda text: (text,)).words
    roots.add("some text", ["delta", "alpha"])
    assert roots.added_terms() == ["alpha", "delta"]
    roots.add("another text", ["charlie", "alpha", "bravo"])
    assert roots.added_terms() == ["alpha", "bravo", "charlie", "delta"]


@given(st.sets(st.text("abé", max_size=4)), st.text("abé", min_size=1, max_size=3))
def test_sorted_texts_are_found_by_their_beginning(texts: set[str], beginning: str) -> None:
    held = sorted(texts)
    assert with_prefix(held, beginning) == [text for text in held if text.startswith(beginning)]


@given(st.sets(st.text("abé", max_size=4)))
def test_a_lexicon_holds_the_texts_it_was_made_of(texts: set[str]) -> None:
    held = sorted(texts)
    assert list(Lexicon.from_sorted(held)) == held
