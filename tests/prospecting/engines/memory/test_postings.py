"""Lexicons of texts in one block, and the documents of each value before and after changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.prospecting.engines.memory.lexicon import Lexicon
from firmograph.prospecting.engines.memory.postings import Postings

pytestmark = pytest.mark.no_database

TEXT = st.text(alphabet="abé漢ſ \U0001f600", max_size=4)
STORED = st.dictionaries(TEXT, st.sets(st.integers(0, 200), min_size=1), max_size=12)


def postings(stored: dict[str, set[int]], dense: int) -> Postings:
    arrays = {value: np.array(sorted(numbers), dtype=np.uint32) for value, numbers in stored.items()}
    return Postings.from_values(arrays, dense)


@given(st.sets(TEXT), TEXT)
def test_a_lexicon_finds_each_text_at_its_position_and_no_other(texts: set[str], other: str) -> None:
    lexicon = Lexicon.from_sorted(sorted(texts))

    assert {text: lexicon.at(lexicon.find(text) or 0) for text in texts} == {text: text for text in texts}
    assert (lexicon.find(other) is not None) == (other in texts)
    assert list(lexicon) == sorted(texts)


@given(st.sets(TEXT), TEXT)
def test_a_lexicon_finds_all_texts_with_a_common_prefix(texts: set[str], prefix: str) -> None:
    lexicon = Lexicon.from_sorted(sorted(texts))

    begun = [lexicon.at(place) for place in lexicon.with_prefix(prefix)]

    assert begun == [text for text in sorted(texts) if text.startswith(prefix)]


@given(
    STORED, st.integers(1, 8), st.lists(st.tuples(TEXT, st.integers(201, 300)), max_size=10), st.lists(TEXT)
)
def test_postings_contain_stored_and_added_documents(
    stored: dict[str, set[int]], dense: int, added: list[tuple[str, int]], queried: list[str]
) -> None:
    made = postings(stored, dense)
    for value, document in added:
        made.add(value, document)
        stored.setdefault(value, set()).add(document)

    assert {value: set(made.get(value)) for value in made.values()} == stored
    assert set(made.any_value(queried)) == {
        document for value in queried for document in stored.get(value, ())
    }
    assert set(made.with_prefix("a")) == {
        document for value, documents in stored.items() if value.startswith("a") for document in documents
    }
