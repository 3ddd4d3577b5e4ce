"""Summary, highlight and effective date of an article."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.signals.news.summary import HIGHLIGHT, effective_date, highlight, summarise
from firmograph.signals.types import NEWS_EVENT_TYPES

pytestmark = pytest.mark.no_database


def test_a_summary_names_the_companies_in_our_own_words():
    assert summarise("Partnership", ["Acme", "Globex"]) == "Acme announced a partnership with Globex."
    assert summarise("Partnership", ["Acme"]) == "Acme announced a partnership."
    assert summarise("Partnership", ["A", "B", "C", "A"]) == "A announced a partnership with B and C."
    assert summarise("Executive Hire", []) == "A company named an executive."


@pytest.mark.parametrize("event", NEWS_EVENT_TYPES)
def test_every_event_has_a_summary(event):
    for names in (["{others}"], ["Acme", "Globex", "Initech"]):
        text = summarise(event, names)
        assert names[0] in text
        assert "[" not in text


@given(st.text(max_size=2000))
def test_a_highlight_is_the_short_beginning_of_its_sentence(sentence):
    cut = highlight(sentence)
    assert len(cut) <= HIGHLIGHT
    assert sentence.startswith(cut.removesuffix("…"))


@pytest.mark.parametrize(
    ("sentence", "day"),
    [
        ("The deal closes on March 3", "2020-03-03"),
        ("It is effective January 1, 2021.", "2021-01-01"),
        ("It ends on 15 December", "2019-12-15"),
        ("It starts on Monday, Feb. 10.", "2020-02-10"),
        ("Open from 2020-05-06 to the public", "2020-05-06"),
        ("On March 3 and again on March 4", "2020-02-20"),
        ("On February 30 nothing happens", "2020-02-20"),
        ("He has 3 March hares", "2020-02-20"),
        ("No day at all", "2020-02-20"),
    ],
)
def test_the_effective_date_is_the_named_day_or_else_that_of_the_article(sentence, day):
    assert effective_date(sentence, "2020-02-20") == day
