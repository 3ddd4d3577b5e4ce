"""Texts in one block, and the documents of each value before and after changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.prospecting.engines.memory.lexicon import Lexicon
from firmograph.prospecting.engines.memory.postings import Postings

pytestmark = pytest.mark.no_database

TEXT = st.text(alphabet="abé漢ſ \U0001f600", max_size=4)
HELD = st.dictionaries(TEXT, st.sets(st.integers(0, 200), min_size=1), max_size=12)


def postings(held: dict[str, set[int]], dense: int) -> Postings:
    arrays = {value: np.array(sorted(numbers), dtype=np.uint32) for value, numbers in held.items()}
    return Postings.from_values(arrays, dense)


@given(st.sets(TEXT), TEXT)
def test_a_lexicon_finds_each_text_where_it_stands_and_no_other(texts: set[str], other: str) -> None:
    lexicon = Lexicon.from_sorted(sorted(texts))

    assert {text: lexicon.at(lexicon.find(text) or 0) for text in texts} == {text: text for text in texts}
    assert (lexicon.find(other) is not None) == (other in texts)
    assert list(lexicon) == sorted(texts)


@given(st.sets(TEXT), TEXT)
def test_a_lexicon_finds_all_texts_that_begin_alike(texts: set[str], prefix: str) -> None:
    lexicon = Lexicon.from_sorted(sorted(texts))

    begun = [lexicon.at(place) for place in lexicon.with_prefix(prefix)]

    assert begun == [text for text in sorted(texts) if text.startswith(prefix)]


@given(HELD, st.integers(1, 8), st.lists(st.tuples(TEXT, st.integers(201, 300)), max_size=10), st.lists(TEXT))
def test_postings_hold_what_was_there_and_what_was_added(
    held: dict[str, set[int]], dense: int, added: list[tuple[str, int]], asked: list[str]
) -> None:
    made = postings(held, dense)
    for value, document in added:
        made.add(value, document)
        held.setdefault(value, set()).add(document)

    assert {value: set(made.get(value)) for value in made.values()} == held
    assert set(made.any_value(asked)) == {document for value in asked for document in held.get(value, ())}
    assert set(made.with_prefix("a")) == {
        document for value, documents in held.items() if value.startswith("a") for document in documents
    }
