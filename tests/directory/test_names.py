import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.directory.names import (
    blocking_key,
    fold,
    full_name_key,
    full_name_keys,
    query_blocking_keys,
    split_full_name,
    stored_blocking_keys,
)

pytestmark = pytest.mark.no_database

LETTERS = st.text(alphabet=st.characters(categories=("L", "Nd", "Zs", "Po")), max_size=30)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Jane  O'Neil", "jane oneil"),
        ("JANE O’NEIL", "jane oneil"),
        ("Sørensen-Łódź", "sorensen lodz"),
        ("Straße & Æther", "strasse and aether"),
        ("İstanbul ılık", "istanbul ilik"),
        ("Jose\u0301", "jose"),
        ("Ёлкин", "елкин"),
        ("한국 がく", "한국 がく"),
        ("हिन्दी", "हिन्दी"),
        (" ... ", ""),
    ],
)
def test_folding_leaves_lower_case_words_without_accents(text, folded):
    assert fold(text) == folded


@given(LETTERS)
def test_folding_twice_is_folding_once(text):
    assert fold(fold(text)) == fold(text)


@given(LETTERS)
def test_folding_does_not_depend_on_how_accents_are_encoded(text):
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


@given(st.text(max_size=20))
def test_folding_any_text_leaves_single_spaces_only(text):
    folded = fold(text)
    assert folded == " ".join(folded.split())


def test_titles_degrees_generations_and_nicknames_are_left_out_of_the_full_name_key():
    key = full_name_key("Jane", "O'Neil")
    assert key == "jane oneil"
    assert full_name_key("Dr. Jane", "ONeil, Ph.D.") == key
    assert full_name_key('Jane "JJ"', "O’Neil III") == key
    assert full_name_key("JANE", "O'NEIL M.D.") == key


def test_a_name_that_is_also_a_title_stays_in_the_key():
    assert full_name_key("Major", "Md") == "major md"
    assert full_name_key("Yo-Yo", "Ma") == "yo yo ma"


@pytest.mark.parametrize(
    ("one", "other"), [("Mueller", "Müller"), ("Lindstrom", "Lindström"), ("Petersen", "Peterson")]
)
def test_vowels_accents_and_doubles_do_not_change_the_block(one, other):
    assert stored_blocking_keys("", one) == stored_blocking_keys("", other)


def test_a_plain_name_has_one_block():
    assert stored_blocking_keys("Alyse", "Galvin") == ["glvn"]


def test_each_half_of_a_double_last_name_is_a_block():
    assert set(stored_blocking_keys("Daniele", "Monroe-Moreno")) == {
        blocking_key("monroe"),
        blocking_key("moreno"),
    }


def test_a_joined_particle_matches_a_separate_one():
    assert set(query_blocking_keys("Ana", "Delacruz")) & set(stored_blocking_keys("Ana", "de la Cruz"))
    assert set(query_blocking_keys("Ana", "de la Cruz")) & set(stored_blocking_keys("Ana", "Delacruz"))


def test_short_surnames_have_blocks_of_their_own():
    assert (
        stored_blocking_keys("", "Li") != stored_blocking_keys("", "Liu") != stored_blocking_keys("", "Lee")
    )


def test_a_query_in_swapped_order_shares_a_block_with_the_stored_name():
    assert set(query_blocking_keys("Galvin", "Alyse")) & set(stored_blocking_keys("Alyse", "Galvin"))


def test_without_a_last_name_the_first_name_is_the_block():
    assert stored_blocking_keys("Madonna", "") == [blocking_key("madonna")]


@given(LETTERS, LETTERS)
def test_a_query_for_the_stored_name_always_shares_a_block(first, last):
    stored = stored_blocking_keys(first, last)
    assert bool(set(stored) & set(query_blocking_keys(first, last))) == bool(stored)


@pytest.mark.parametrize(
    ("full", "parts"),
    [
        ("Alyse Galvin", ("Alyse", "Galvin")),
        ("Galvin, Alyse S.", ("Alyse S.", "Galvin")),
        ("Ludwig van Beethoven", ("Ludwig", "van Beethoven")),
        ("Dr. Martin Luther King, Jr.", ("Martin Luther", "King Jr.")),
        ("Jane Doe, Ph.D.", ("Jane", "Doe Ph.D.")),
        ("María de la Cruz", ("María", "de la Cruz")),
        ("Madonna", ("Madonna", "")),
        ("  ", ("", "")),
    ],
)
def test_a_full_name_is_split_at_the_usual_place(full, parts):
    assert split_full_name(full) == parts


@pytest.mark.parametrize(
    ("first", "last", "names"),
    [
        ("Jane", "Doe", ["jane doe"]),
        ("Jane Marie", "Doe", ["jane marie doe", "jane doe"]),
        ("Dr. Jane M.", "Doe", ["jane m doe", "jane doe"]),
        ("J. Robert", "Roe", ["j robert roe", "robert roe"]),
        ("J.", "Roe", ["j roe"]),
        ("Jane Marie", "", ["jane marie"]),
        ("", "", []),
    ],
)
def test_a_first_name_of_several_words_has_a_shorter_key_too(first, last, names):
    assert full_name_keys(first, last) == names
