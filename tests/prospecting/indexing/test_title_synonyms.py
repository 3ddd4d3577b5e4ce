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


def test_no_spelling_means_two_things():
    told = Counter([*TABLE, *(spelling for spelling, _ in SPELLINGS)])
    assert [spelling for spelling, count in told.items() if count > 1] == []


def test_the_table_is_written_as_titles_are_compared():
    for text in [*TABLE, *(spelling for spelling, _ in SPELLINGS)]:
        assert text == " ".join(words(text))


def test_every_spelling_becomes_its_canonical_words():
    for spelling, canonical in SPELLINGS:
        assert normal_words(spelling) == tuple(canonical.split())


def test_canonical_words_stay_as_they_are():
    for canonical in TABLE:
        assert normal_words(canonical) == tuple(canonical.split())


def test_the_longest_spelling_decides():
    assert normal_words("Eng Mgr") == ("engineering", "manager")
    assert normal_words("Eng") == ("engineer",)
    assert normal_words("Chief Executive Officer") == ("chief", "executive", "officer")


@pytest.mark.parametrize("title", ["PM", "MD", "Tech Lead", "CPO", "Board Member", "State Representative"])
def test_what_means_several_things_or_has_no_synonym_stays(title):
    assert normal_words(title) == words(title)
