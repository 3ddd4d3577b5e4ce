"""The table of topics and topics in texts (docs/reference/signals.md#posts)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.kit.errors import Refused
from firmograph.signals.posts.topics import load_topics, split_words

pytestmark = pytest.mark.no_database

TOPICS = load_topics()


def names(text, topics=TOPICS):
    return [topic.topic for topic in topics.find(text)]


@pytest.fixture
def table(tmp_path):
    """Return a function that loads a table of topics from a file with this text."""
    path = tmp_path / "topics.toml"

    def make(text):
        path.write_text(text, "utf-8")
        return load_topics(str(path))

    make.path = path
    return make


def test_the_packaged_table_has_business_topics_and_categories():
    assert {"Technology", "Business", "Finance", "Marketing", "Sales", "Security"} <= set(TOPICS.categories)
    assert TOPICS.categories == sorted(TOPICS.categories, key=str.casefold)
    assert names("Zero Trust needs an IAM, and the CISO knows it") == [
        "Cybersecurity",
        "Zero Trust",
        "Identity and Access Management",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "MACHINE LEARNING",
        "machine-learning",
        "Machine\nLearning!",
        "#MachineLearning",
        "#machine_learning",
        "“Machine—Learning”",
    ],
)
def test_a_phrase_is_found_in_any_case_and_with_any_signs_between_its_words(text):
    assert names(f"So much {text} here") == ["Machine Learning"]


@pytest.mark.parametrize(
    "text",
    [
        "We maintain our aim",
        "Learning about a machine",
        "the machine. is learning",
        "I'm a fan",
        "Crmson",
        "erpatic",
        "",
        "...",
    ],
)
def test_parts_of_words_and_reordered_words_are_no_topic(text):
    assert names(text) == []


def test_an_ampersand_is_read_as_and():
    assert names("Our M&A team") == names("our m and a team") == ["Mergers and Acquisitions"]


def test_topics_are_found_once_in_the_order_of_the_table():
    assert names("CRM, erp, CRM and ERP") == [
        "Enterprise Resource Planning",
        "Customer Relationship Management",
    ]


def test_short_phrases_are_not_found_as_one_word(table):
    topics = table('[A]\n"T" = ["m and a"]\n"U" = ["go to market"]')
    assert names("manda gotomarket", topics) == ["U"]


def test_an_operators_table_replaces_the_packaged_one(table):
    topics = table('[Bakery]\n"Bread" = ["sour dough", "Brötchen"]\n[apple]\n"Pie" = ["pie"]')
    assert topics.categories == ["apple", "Bakery"]
    assert [(each.topic, each.category) for each in topics.find("BRÖTCHEN and AI")] == [("Bread", "Bakery")]


def test_a_phrase_of_two_topics_is_found_for_both(table):
    assert names("rye", table('[A]\n"T" = ["rye"]\n"U" = ["rye"]')) == ["T", "U"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[A", "is not TOML"),
        ("A = 1", "does not fit: Expected `object`, got `int`"),
        ('[A]\n"T" = []', "does not fit: Expected `array` of length >= 1"),
        ('[A]\n"T" = ["..."]', "does not fit: '...' must have 1 to 8 words"),
        ('[A]\n"T" = ["a b c d e f g h i"]', "must have 1 to 8 words"),
        ('["A|B"]\n"T" = ["t"]', "does not fit: Expected `str` matching regex"),
        ('[A]\n"T" = ["t"]\n[B]\n"t" = ["u"]', "does not fit: the topic 't' is listed twice"),
    ],
)
def test_an_invalid_table_is_refused_by_its_name(table, text, expected):
    with pytest.raises(Refused) as refused:
        table(text)
    assert str(table.path) in refused.value.message
    assert expected in refused.value.message


def test_an_unreadable_table_is_refused(tmp_path):
    with pytest.raises(Refused, match=r"topics file .*none\.toml cannot be read: No such file"):
        load_topics(str(tmp_path / "none.toml"))
    (tmp_path / "latin.toml").write_bytes(b'["\xe4"]')
    with pytest.raises(Refused, match="is not TOML"):
        load_topics(str(tmp_path / "latin.toml"))


def test_only_the_beginning_of_a_very_long_text_is_read():
    assert len(split_words("a " * 1_000_000)) == 25_000


@given(st.text(max_size=400))
def test_more_text_never_removes_a_topic(text):
    assert set(names(text)) <= set(names(text + " . big data and chatgpt"))
    assert "Large Language Models" in names(text + " . big data and chatgpt")
