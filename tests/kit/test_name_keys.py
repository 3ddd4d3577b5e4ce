"""Names that are the same for people, and those that are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.kit.name_keys import name_key

pytestmark = pytest.mark.no_database


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Prospects", "PROSPECTS"),
        ("Café", "Cafe\u0301"),
        ("Ünal", "U\u0308NAL"),
        ("Pro\u200bspects", "prospects"),
        ("\ufeffProspects", "Prospects\u2060"),
        ("Pro\u00adspects", "Prospects"),
        ("Straße", "STRASSE"),
        (" Prospects ", "Prospects"),
        ("Pro\u202espects", "Prospects"),
    ],
)
def test_names_that_look_the_same_are_the_same(one, other):
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("Cafe", "Café"), ("Pro spects", "Prospects"), ("A1", "A2"), ("о", "o")]
)
def test_other_names_differ(one, other):
    assert name_key(one) != name_key(other)


@given(st.text(max_size=12))
def test_the_key_of_a_key_is_the_key(name):
    assert name_key(name_key(name)) == name_key(name)
