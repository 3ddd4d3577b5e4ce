"""What in an article may be the name of a person."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.signals.news.people import MAX_NAMES, names_in

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
def test_a_name_is_among_the_names(text, name):
    assert name in names_in([text], NOWHERE)


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
def test_what_is_no_name_is_not(text, name):
    assert name not in names_in([text], NOWHERE)


@pytest.mark.parametrize(
    "path",
    ["/2025/06/acme-names-jane-doe-as-chief", "/people/Jane_Doe.html", "/jane%20doe/", "/1-jane-m-doe-2"],
)
def test_a_name_in_the_address_is_among_the_names(path):
    assert "jane doe" in names_in([], f"https://news.example.com{path}?id=1")


def test_the_words_of_an_address_are_read_where_they_are_not_common_ones():
    assert names_in([], "https://news.example.com/the-price-of-energy-increases-again") == []


def test_there_are_at_most_so_many_and_those_with_a_known_given_name_first():
    text = " ".join(f"Xa{letter}" for letter in "abcdefghijklmnopqrst") + " Jane Doe"
    names = names_in([text], "https://news.example.com/sam-roe")
    assert len(names) == MAX_NAMES
    assert names[0] == "jane doe"
    assert "sam roe" not in names


@given(st.text(max_size=300), st.text(max_size=60))
def test_any_text_has_names_that_are_keys(text, path):
    assert all(" " in name and name == name.strip() for name in names_in([text], f"https://x.test/{path}"))
