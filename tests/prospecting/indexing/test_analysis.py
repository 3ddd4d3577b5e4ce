import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.prospecting.engines import fields
from firmograph.prospecting.indexing.analysis import normal_words, text_keys, text_words, whole, words

pytestmark = pytest.mark.no_database

TEXTS = st.text(st.one_of(st.characters(), st.sampled_from("aé ÅßΣ東京トヨ한국_-&'+#.,ofthe")), max_size=300)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("VP, Sales", ("vp", "sales")),
        ("Müller-Straße", ("muller", "strasse")),
        ("Søren  Øster", ("soren", "oster")),
        ("O'Brien’s", ("obriens",)),
        ("snake_case", ("snake", "case")),
        ("Руководитель", ("руководитель",)),
        ("Level 3", ("level", "3")),
        ("running runs", ("running", "runs")),
    ],
)
def test_words_are_folded_and_split_at_every_sign_and_never_stemmed(text, expected):
    assert words(text) == expected


def test_small_words_are_ignored_unless_there_are_no_others():
    assert words("The Head of Sales & Marketing") == ("head", "sales", "marketing")
    assert words("of The AND") == ("of", "the", "and")
    assert words("a head for sales") == ("a", "head", "for", "sales")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京都", ("東京", "京都")),
        ("東", ("東",)),
        ("トヨタ自動車", ("トヨ", "ヨタ", "タ自", "自動", "動車")),
        ("佐々木", ("佐々", "々木")),
        ("서울특별시 강남구", ("서울", "울특", "특별", "별시", "강남", "남구")),
        ("SAP導入", ("sap", "導入")),
    ],
)
def test_scripts_without_spaces_are_split_into_pairs(text, expected):
    assert words(text) == expected


@given(TEXTS)
def test_every_spelling_of_a_text_has_the_same_words(text):
    assert words(text.upper()) == words(text.lower()) == words(f" {unicodedata.normalize('NFD', text)}\t")


@given(TEXTS)
def test_words_are_stable_and_empty_only_without_letters_and_digits(text):
    found = words(text)
    assert all(word and set(words(word)) <= {word, *found} for word in found)
    if any(sign.isascii() and sign.isalnum() for sign in text):
        assert found


def test_long_texts_have_the_words_of_their_parts():
    part = "Größte Bäckerei, since 1902. "
    assert set(words(part * 40)) == set(words(part))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("VP Sales", "Vice President, Sales"),
        ("V.P. of Sales", "vice-president sales"),
        ("SVP", "Sr. VP"),
        ("CEO", "Chief Executive Officer"),
        ("C.E.O.", "Chief Executive"),
        ("Sr Software Eng", "Senior Software Engineer"),
        ("VP Eng", "Vice President of Engineering"),
        ("HR Mgr", "Human Resources Manager"),
        ("R&D Dir.", "Director of Research and Development"),
        ("Biz Dev Rep", "Business Development Representative"),
        ("Acct Exec", "Account Executive"),
        ("Int'l Mktg Coord", "International Marketing Coordinator"),
        ("Asst GM", "Assistant General Manager"),
    ],
)
def test_a_title_and_its_synonym_have_the_same_normal_words(one, other):
    assert sorted(normal_words(one)) == sorted(normal_words(other))


def test_a_whole_text_keeps_every_word_and_its_order():
    assert whole("Head of  Sales") == whole("head OF sales") == "head of sales"
    assert whole("Sales Head") != whole("Head Sales")


def test_signs_that_name_other_things_make_a_different_whole_text():
    assert len({whole("C"), whole("C++"), whole("C#"), whole("C+")}) == 4
    assert whole("C++") == whole("c++ ")
    assert whole("VP + GM") == whole("VP / GM")


@given(st.text(min_size=1))
def test_a_whole_text_is_empty_only_for_a_blank_text(text):
    assert bool(whole(text)) == bool(text.strip())


@pytest.mark.parametrize("field", [fields.COMPANY_NAME, fields.PAST_NAME])
def test_company_names_are_found_without_their_legal_forms(field):
    assert text_keys(field, "Red Hat, Inc.") == text_keys(field, "RedHat")
    assert text_words(field, "The Bank of Test Corp") == ("bank", "test")


def test_a_company_name_without_letters_keeps_a_key():
    assert text_keys(fields.COMPANY_NAME, "+++") == ("+++",)


def test_the_keys_of_a_location_are_the_names_of_its_city():
    assert {"munich", "munchen", "muenchen", "monaco di baviera"} <= set(
        text_keys(fields.PLACE, "Munich|Bavaria|DE")
    )
    assert "munich" in text_keys(fields.PLACE, "München||DE")
    assert text_keys(fields.PLACE, "Nowhere at All||DE") == ("nowhere at all",)


def test_a_location_is_found_by_city_state_and_country():
    found = text_words(fields.PLACE, "San José|California|US")
    assert found == ("san", "jose", "california", "united", "states")


def test_other_entries_are_one_key_and_their_words():
    assert text_keys(fields.SKILL, "Node.JS ") == ("node js",)
    assert text_words(fields.SKILL, "Learning and Development") == ("learning", "development")
