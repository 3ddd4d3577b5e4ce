"""Possible names of people in articles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.directory.names_in_text.people import MAX_NAMES, find_names

pytestmark = pytest.mark.no_database

NOWHERE = "https://news.example.com/1"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Acme names Jane Doe chief executive", "jane doe"),
        ("Acme Names Jane Doe As New Chief Executive Officer", "jane doe"),
        ("JANE DOE JOINS ACME", "jane doe"),
        ("Acme: Jane Doe's last day", "jane doe"),
        ("Zoë O’Neil-Ørsted leaves", "zoe oneil orsted"),
        ("Jane M. Doe leaves", "jane doe"),
        ("Jane M. Doe leaves", "jane m doe"),
        ("Jane Marie Doe leaves", "jane doe"),
        ("Dr. Jane Doe, PhD, leaves", "jane doe"),
        ('Jane "Janie" Doe leaves', "jane doe"),
        ("Acme CEO Jane Doe leaves", "jane doe"),
        ("Ursula von der Roe leaves", "ursula von der roe"),
        ("Ursula Gertrud von der Roe leaves", "ursula von der roe"),
        ("It was Will Rose of Acme", "will rose"),
        ("Acme and Globex Corp. Jane Doe leaves", "jane doe"),
        ("Иван Петров leaves", "иван петров"),
    ],
)
def test_a_name_in_the_text_is_found(text, name):
    assert name in find_names([text], NOWHERE)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Globex Jane. Doe Acme", "jane doe"),
        ("Jane and Doe", "jane doe"),
        ("The Chief Executive Officer leaves", "chief executive"),
        ("Jane", "jane"),
        ("Jane, Doe", "jane doe"),
    ],
)
def test_other_words_are_not_found_as_names(text, name):
    assert name not in find_names([text], NOWHERE)


@pytest.mark.parametrize(
    "path",
    ["/2025/06/acme-names-jane-doe-as-chief", "/people/Jane_Doe.html", "/jane%20doe/", "/1-jane-m-doe-2"],
)
def test_a_name_in_the_address_is_found(path):
    assert "jane doe" in find_names([], f"https://news.example.com{path}?id=1")


def test_common_words_in_an_address_are_no_names():
    assert find_names([], "https://news.example.com/the-price-of-energy-increases-again") == []


def test_the_number_of_names_is_bounded_and_known_given_names_come_first():
    text = " ".join(f"Xa{letter}" for letter in "abcdefghijklmnopqrst") + " Jane Doe"
    names = find_names([text], "https://news.example.com/sam-roe")
    assert len(names) == MAX_NAMES
    assert names[0] == "jane doe"
    assert "sam roe" not in names


@given(st.text(max_size=300), st.text(max_size=60))
def test_names_of_any_text_are_valid_keys(text, path):
    assert all(" " in name and name == name.strip() for name in find_names([text], f"https://x.test/{path}"))
