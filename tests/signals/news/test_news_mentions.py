"""Names in sentences: their extent, their kind and their readings."""

import pytest

from firmograph.directory.names_in_text.kinds import AWARD, COMPANY, EVENT, OTHER, PERSON
from firmograph.directory.names_in_text.mentions import mark_sentences
from firmograph.directory.names_in_text.sentences import MAX_TOKENS, split_sentences
from firmograph.directory.names_in_text.spans import find_mentions
from firmograph.signals.news.rules import read_article
from firmograph.signals.news.table import plain_words

pytestmark = pytest.mark.no_database


def spans(text, title=False):
    (sentence,) = split_sentences(text, "") if title else split_sentences("", text)
    return {mention.text: mention.kind for mention in find_mentions(sentence, plain_words())}


def readings(text):
    (sentence,) = split_sentences("", text)
    return [mention.readings for mention in find_mentions(sentence, plain_words())]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("A deal of Smith & Sons with Bank of Rosemoor was made", {"Smith & Sons", "Bank of Rosemoor"}),
        ("it bought eBay and 3M and 6Waves and iRobot", {"eBay", "3M", "6Waves", "iRobot"}),
        ("Yesterday the Chicago-based firm Initech sold nothing", {"Initech"}),
        ("look at booking.com or ask J.P. Stone today", {"booking.com", "J.P. Stone"}),
        ("Globex CEO spoke on Monday in March", {"Globex"}),
    ],
)
def test_names_are_capitalised_words_with_small_words_between(text, names):
    assert set(spans(text)) == names


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("they met Jane Miller there today", "Jane Miller", PERSON),
        ("they met governor Rossano there today", "Rossano", PERSON),
        ("they met Miller Robotics there today", "Miller Robotics", COMPANY),
        ("they went to the Robotics Expo there today", "Robotics Expo", EVENT),
        ("they won the Turing Award there today", "Turing Award", AWARD),
        ("they met the European Commission there today", "European Commission", OTHER),
        ("they went to New Zealand there today", "New Zealand", OTHER),
    ],
)
def test_a_name_has_a_kind(text, name, kind):
    assert spans(text)[name] == kind


def test_title_case_headlines_are_split_at_the_words_of_the_rules():
    assert set(spans("Initech Acquires Globex For $3 Billion", title=True)) == {"Initech", "Globex"}
    assert set(spans("Fortress Solutions acquires Choose Energy", title=True)) == {
        "Fortress Solutions",
        "Choose Energy",
    }


def test_the_likeliest_reading_of_a_name_comes_first():
    assert readings("so McDonald's opens today and here") == [("McDonald's", "McDonald")]
    assert readings("Shares of Initech fell on that day") == [("Initech",)]
    assert readings("so Vantiv of Lowell buys it today") == [("Vantiv of Lowell", "Vantiv")]
    assert readings("so Johnson and Johnson is here today") == [
        ("Johnson and Johnson", "Johnson"),
        ("Johnson and Johnson", "Johnson"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The retailer Target has a plan today.",
        "So Target Corp. has a plan today.",
        "They know that Target's chief executive has a plan.",
        "So Target, a chain of shops, has a plan.",
        "So Target (NYSE: TGT) has a plan.",
    ],
)
def test_a_common_word_is_a_name_if_its_neighbours_indicate_one(text):
    assert any(mention.text.startswith("Target") for mention in read_article("", text).mentions)


def test_a_common_word_alone_is_a_name_only_if_another_sentence_indicates_one():
    assert read_article("", "He hit the Target with a bow.").mentions == []
    text = "He hit Target with a claim. The retailer Target has no plan."
    assert [mention.text for mention in read_article("", text).mentions] == ["Target", "Target"]


def test_a_surname_is_a_person_if_the_full_name_occurs_too():
    text = "We saw Boriz Jonzon today. So Jonzon opened a new office in Berlin for the company."
    assert read_article("", text).events == []


def test_sentences_do_not_end_after_abbreviations_and_initials():
    text = "Acme Inc. bought J. Smith Ltd. in the U.S. on Monday. It is so. 3M said yes to it."
    assert [one.text for one in split_sentences("", text)] == [
        "Acme Inc. bought J. Smith Ltd. in the U.S. on Monday.",
        "It is so.",
        "3M said yes to it.",
    ]


def test_a_dateline_is_not_part_of_the_sentence():
    (one,) = split_sentences("", "NEW YORK, March 3 (Newswire) - Acme sold a mill to Globex.")
    assert one.text == "Acme sold a mill to Globex."


def test_only_the_beginning_of_a_long_sentence_is_read():
    (one,) = split_sentences("", "word " * 500)
    assert len(one.tokens) == MAX_TOKENS


def test_an_empty_text_has_no_mentions_and_no_events():
    assert mark_sentences(list(split_sentences("", "")), plain_words()) == []
    assert read_article("", "").events == []
