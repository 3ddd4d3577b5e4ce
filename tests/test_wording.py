import pytest
from scripts.check_wording import refused_words

pytestmark = [pytest.mark.any_database, pytest.mark.folders("scripts")]

INSTEAD = {"colour": "color", "grey": "gray"}


def test_a_refused_word_is_found_in_any_case():
    assert list(refused_words("fine\nColour it", INSTEAD)) == [(2, "Colour", "color")]


def test_a_longer_word_that_contains_a_refused_one_is_accepted():
    assert list(refused_words("colours, greyhound", INSTEAD)) == []
