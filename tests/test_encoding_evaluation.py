"""Words of the files that detection of encodings is measured with."""

import pytest
from evaluation.encodings.files import LANGUAGES_OF, encode, unknown_words
from scripts.build_letter_statistics import training_words

pytestmark = [pytest.mark.no_database, pytest.mark.folders("evaluation", "scripts")]


@pytest.mark.parametrize("language", ["Latvian", "Greek", "Korean"])
def test_no_word_behind_the_statistics_is_measured(language):
    people, others = unknown_words(language)
    assert people
    assert not {word.casefold() for word in [*people, *others]} & {
        word.casefold() for word in training_words(language)
    }


def test_all_encodings_of_the_aim_are_measured():
    assert len(LANGUAGES_OF) == 23


def test_tones_of_vietnamese_are_letters_of_their_own():
    assert encode("Huế", "cp1258").decode("cp1258") == "Hu\u00ea\u0301"
