"""Events that the rules find in sentences."""

import pytest

from firmograph.directory.names_in_text.mentions import mark_sentences
from firmograph.directory.names_in_text.sentences import MAX_TOKENS, split_sentences
from firmograph.directory.names_in_text.table import load_name_words
from firmograph.signals.news.patterns import MOST_GAPS, compile_pattern, split_patterns
from firmograph.signals.news.rules import read_article
from firmograph.signals.news.table import load_rules, plain_words
from firmograph.signals.types import NEWS_EVENT_TYPES

pytestmark = pytest.mark.no_database


def events(title, text="", day="2020-03-04"):
    """Return each event of an article with its companies."""
    return {
        one.event: {company.text for company in one.companies}
        for one in read_article(title, text, day).events
    }


EXAMPLES = [
    (
        "Acme Robotics teamed up with Globex to build kitchen robots",
        "Partnership",
        {"Acme Robotics", "Globex"},
    ),
    ("Globex won a $40 million contract from the US Navy", "New Customer", {"Globex"}),
    ("Globex selected Hooli as its cloud provider", "New Vendor", {"Globex"}),
    ("Initech has agreed to acquire Globex for $7.5 billion in stock", "M&A", {"Initech", "Globex"}),
    ("Globex was acquired by Initech Holdings in a deal worth $3bn", "M&A", {"Initech Holdings", "Globex"}),
    ("Hooli is expanding its data center in Ohio", "Facilities Expansion", {"Hooli"}),
    ("Vandelay Industries opened a new office in Berlin", "New Location", {"Vandelay Industries"}),
    ("Initech will close two factories in Ohio", "Facility Closure", {"Initech"}),
    ("Globex sold its printing business to a fund", "Asset Sale", {"Globex"}),
    ("Epic Widgets Inc. sued Hooli over app fees", "Lawsuit Filed", {"Epic Widgets Inc."}),
    ("Shareholders filed a lawsuit against Globex Corp.", "Lawsuit Faced", {"Globex Corp."}),
    ("Initech raised $25 million in a Series B round", "Funding Round", {"Initech"}),
    ("Hooli will invest $800 million in a new warehouse", "Asset Investment", {"Hooli"}),
    ("Globex took a minority stake in Initech", "Strategic Investment", {"Globex", "Initech"}),
    ("Initech filed for an initial public offering", "IPO", {"Initech"}),
    ("Globex will exhibit at the Robotics Expo in June", "Event Participation", {"Globex"}),
    ("Initech Software won the Best Employer award", "Recognition", {"Initech Software"}),
    ("Globex cut prices to compete with Initech on software", "Competitor Activity", {"Initech"}),
    ("Jane Doe resigned as CFO of Initech", "Executive Departure", {"Initech"}),
    ("Globex Inc. named Jane Doe as chief financial officer", "Executive Hire", {"Globex Inc."}),
    ("Globex Inc. promoted Jane Doe to chief operating officer", "Executive Promotion", {"Globex Inc."}),
    ("Hooli plans to hire 500 engineers in Austin", "Headcount Increase", {"Hooli"}),
    ("Initech laid off 200 employees", "Headcount Decrease", {"Initech"}),
    ("Hooli unveiled a new smartphone", "Product Launch", {"Hooli"}),
    ("Globex is developing a prototype of a robot", "Product Development", {"Globex"}),
    ("Acme integrates its billing platform with Hooli", "Product Integration", {"Acme", "Hooli"}),
    ("Hackers stole customer data from Globex", "Security Issue", {"Globex"}),
]


@pytest.mark.parametrize(("sentence", "event", "companies"), EXAMPLES)
def test_a_plain_sentence_has_its_event(sentence, event, companies):
    found = events("", sentence + ".")
    assert event in found
    assert companies <= found[event]


def test_every_event_has_rules_and_a_plain_sentence():
    assert {rule.event for rule in load_rules().rules} == set(NEWS_EVENT_TYPES)
    assert {event for _, event, _ in EXAMPLES} == set(NEWS_EVENT_TYPES)


@pytest.mark.parametrize(
    "sentence",
    [
        "Initech denied rumours that it would acquire Globex",
        "Initech might acquire Globex",
        "Initech is in talks to acquire Globex",
        "Did Initech acquire Globex?",
        "Initech did not acquire Globex",
        "Initech acquired Globex in 2011",
        "Initech acquired Globex five years ago",
        "Iran launched a missile at a base in Iraq",
        "Manchester United signs a striker from Ajax",
        "Johnson was elected leader of the party",
        "The senator joins the board of inquiry as chair",
        "The university opened a new campus in Berlin",
        "President Jane Doe appointed John Smith as chief of staff",
        "Correction: an earlier version said that Initech had acquired Globex",
    ],
)
def test_a_sentence_without_an_event_of_a_company_has_none(sentence):
    assert events("", sentence + ("" if sentence.endswith("?") else ".")) == {}


@pytest.mark.parametrize(
    "sentence",
    [
        "Globex said on Tuesday that revenue rose 12 percent to $40 million",
        "Shares of Globex fell after the company reported weak results",
        "Analysts at Initech raised their price target for Globex",
        "Jane Smith moved from Globex to Initech",
        "Jane Smith joined Initech as a sales representative",
        "Globex CEO goes to Washington for a hearing",
        "Regulators launched an investigation into Globex",
        "Globex buys back shares worth $3 billion",
        "Globex raised its dividend to 3 cents",
        "Globex boosts its customer base by 12 percent",
        "Globex hired a law firm to review its books",
        "Globex launches hiring campaign",
        "Globex fixed a bug in its app",
        "Globex opened at $12 on Monday",
        "Globex closed higher on the New York Stock Exchange",
        "Globex sold 2 million phones in the quarter",
        "Globex won approval for its merger from regulators",
        "Globex will hold its annual meeting in May",
    ],
)
def test_daily_business_is_no_event(sentence):
    assert events("", sentence + ".") == {}


def test_a_year_is_past_only_relative_to_the_day_of_the_article():
    sentence = "Initech acquired Globex in December 2019."
    assert "M&A" in events("", sentence, "2020-01-15")
    assert events("", sentence, "2021-06-15") == {}


def test_undisclosed_terms_are_no_denial():
    assert "M&A" in events("", "Initech acquired Globex, terms were not disclosed.")


def test_an_event_about_people_requires_an_article_about_business():
    assert events("Adams appointed Doe as director of music", "The choir sang.") == {}


def test_the_company_of_an_event_can_come_from_the_title():
    found = events("Good news from Initech", "It rained. The Dutch lender will close 12 branches.")
    assert found["Facility Closure"] == {"Initech"}
    assert events("News from Initech and Globex", "Well then. The company will close 12 branches.") == {}


def test_the_sale_of_a_unit_is_not_the_sale_of_its_owner():
    found = events("", "Globex acquired Initech's robotics unit.")
    assert "M&A" not in found
    assert found["Asset Sale"] == {"Initech"}


def test_only_the_beginning_of_an_article_is_read():
    filler = "There is nothing to see in this place. " * 30
    assert events("News", filler + "Initech acquired Globex.") == {}


def test_an_invalid_pattern_is_refused():
    for wrong in ("{company} (buys", "buys)", "{nobody} buys", "a ... b ... c ... d ... e ... f"):
        with pytest.raises(ValueError, match=r"bracket|known|gaps|alone"):
            compile_pattern(wrong)


def test_every_pattern_has_stems_and_few_gaps():
    patterns = [
        line
        for rule in load_rules().rules
        for line in (*split_patterns(rule.patterns), *split_patterns(rule.unless))
    ]
    assert len(patterns) > 200
    assert all(compile_pattern(pattern).stems for pattern in patterns)
    assert MOST_GAPS <= 4


@pytest.mark.parametrize(
    "text",
    [
        "A" * 1_000_000,
        "Acme " * 200_000,
        "Acme and " * 100_000,
        ". " * 500_000,
        "Acme, " * 150_000,
        "Acme's " * 140_000,
        "( Acme " * 140_000,
        "A--" * 300_000,
        '"' * 1_000_000,
        "Acme announced that it has agreed to sign in the week of a deal with " * 14_000,
        "Acme has had been will to " * 40_000,
    ],
)
def test_only_a_bounded_part_of_a_megabyte_of_text_is_read(text):
    article = read_article(text[:10_000], text, "2020-01-01")
    marked = mark_sentences(list(split_sentences(text[:10_000], text)), plain_words())
    assert len(article.sentences) <= 1 + load_name_words().lead_sentences
    assert all(len(one.sentence.tokens) <= MAX_TOKENS for one in marked)
    assert max((len(one.text) for one in marked), default=0) <= MAX_TOKENS * 61
