import tomllib
from collections import Counter
from importlib.resources import files

import pytest

from firmograph.prospecting.indexing.analysis import normal_words, words

pytestmark = pytest.mark.no_database

TABLE = tomllib.loads(
    files("firmograph.prospecting.indexing").joinpath("data/title_synonyms.toml").read_text("utf-8")
)
SPELLINGS = [(spelling, canonical) for canonical, spellings in TABLE.items() for spelling in spellings]


def test_no_spelling_has_two_meanings():
    counts = Counter([*TABLE, *(spelling for spelling, _ in SPELLINGS)])
    assert [spelling for spelling, count in counts.items() if count > 1] == []


def test_the_table_is_written_in_the_form_of_compared_titles():
    for text in [*TABLE, *(spelling for spelling, _ in SPELLINGS)]:
        assert text == " ".join(words(text))


def test_every_spelling_becomes_its_canonical_words():
    for spelling, canonical in SPELLINGS:
        assert normal_words(spelling) == tuple(canonical.split())


def test_canonical_words_are_unchanged():
    for canonical in TABLE:
        assert normal_words(canonical) == tuple(canonical.split())


def test_the_longest_spelling_decides():
    assert normal_words("Eng Mgr") == ("engineering", "manager")
    assert normal_words("Eng") == ("engineer",)
    assert normal_words("Chief Executive Officer") == ("chief", "executive", "officer")


@pytest.mark.parametrize("title", ["PM", "MD", "Tech Lead", "CPO", "Board Member", "State Representative"])
def test_an_ambiguous_title_or_one_without_a_synonym_is_unchanged(title):
    assert normal_words(title) == words(title)
