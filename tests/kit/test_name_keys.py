"""Names that are the same for people, and those that are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.kit.name_keys import name_key, visible_name

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
        ("Pro\u3164spects", "Prospects"),
        ("Pro\u034fspects", "Prospects\uffa0"),
        ("Love \u2764\ufe0f", "love \u2764"),
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


@pytest.mark.parametrize(
    "name", ["\u3164", "\u115f\u1160", "\uffa0 ", "\u034f", "\ufe0f", "\U000e0041", "\u202e\u2069"]
)
def test_the_key_of_a_name_that_shows_nothing_is_empty(name):
    assert name_key(name) == ""


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("x\u202ey", "xy"),
        ("\u2066Prospects\u2069", "Prospects"),
        ("Pro\u200bsp\u00adects", "Prospects"),
        ("\u3164A\u3164", "A"),
        (
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        ),
        ("\U0001f469\u200d\U0001f4bb \u2764\ufe0f", "\U0001f469\u200d\U0001f4bb \u2764\ufe0f"),
    ],
)
def test_a_name_is_shown_without_marks_of_direction_but_with_joiners(name, shown):
    assert visible_name(name) == shown
