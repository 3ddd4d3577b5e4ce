import pytest

from firmograph.directory.romanisation import consonants_of, romanise, spelling_of
from firmograph.directory.spelling_keys import (
    MOST_KEYS,
    query_spelling_keys,
    stored_name_keys,
    stored_spelling_keys,
)

pytestmark = pytest.mark.no_database


@pytest.mark.parametrize(
    ("query", "stored"),
    [
        (("Mike", "Oeterson"), ("Mike", "Peterson")),
        (("Mike", "Eterson"), ("Mike", "Peterson")),
        (("Mike", "Pterson"), ("Mike", "Peterson")),
        (("Mike", "Peteson"), ("Mike", "Peterson")),
        (("Mike", "Petrerson"), ("Mike", "Peterson")),
        (("Mike", "Peretson"), ("Mike", "Peterson")),
        (("Mike", "Dams"), ("Mike", "Adams")),
        (("Ana", "Mariasanchez"), ("Ana", "Maria Sanchez")),
        (("Ana", "Maria Sanchez"), ("Ana", "Mariasanchez")),
        (("Vladimir", "Xyzzy"), ("Владимир", "Иванов")),
        (("Xyzzy", "Ivanov"), ("Владимир", "Иванов")),
        (("Владимир", "Иванов"), ("Vladimir", "Ivanov")),
        (("Wang", "Xiaoming"), ("小明", "王")),
    ],
)
def test_a_query_shares_a_key_with_a_name_that_is_spelt_otherwise(query, stored):
    assert not set(query_spelling_keys(*query)).isdisjoint(stored_name_keys(*stored))


def test_only_a_name_in_another_script_has_keys_of_its_own():
    assert stored_spelling_keys("Mike", "Peterson") == ()
    assert len(stored_spelling_keys("Владимир", "Иванов")) == 2


@pytest.mark.parametrize("name", [("", "Smith"), ("J.", "Smith"), ("Madonna", ""), ("", ""), ("-", "-")])
def test_a_name_without_a_whole_first_and_last_name_has_no_key(name):
    assert stored_spelling_keys(*name) == ()
    assert query_spelling_keys(*name) == []


def test_a_query_has_a_bounded_number_of_keys():
    assert len(query_spelling_keys("Ana", "Wolfeschlegelsteinhausenbergerdorff")) <= MOST_KEYS


@pytest.mark.parametrize(
    "words",
    [
        ("ivanov", "iwanow", "иванов"),
        ("chernyshev", "tschernyschev", "tchernyshev"),
        ("sergey", "sergei", "sergej"),
    ],
)
def test_languages_spell_one_name_alike(words):
    assert len({spelling_of(word) for word in words}) == 1


def test_arabic_is_compared_by_consonants():
    assert consonants_of("محمد") == consonants_of("muhammad") == consonants_of("mohamed")


def test_a_word_without_letters_in_any_table_stays():
    assert romanise("\U000e0001") == "\U000e0001"
